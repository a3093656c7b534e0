"""The control of one parameter. Which widget serves a number is decided here and nowhere else."""

from collections.abc import Callable, Sequence

import streamlit as st

from dpviz.plot.text import plain, superscript
from dpviz.scene.codec import Choice, Flag, Number, Parameter, Seed, Value
from dpviz.scene.glossary import meanings
from dpviz.ui.controls.range_control import range_control
from dpviz.ui.session import session, show, while_here

# Pixels: a row of the column, a character, and what an option has around its words.
_ROW, _CHARACTER, _AROUND = 256, 7.4, 24


def draw(
    parameter: Parameter,
    value: Value,
    offered: Sequence[str] | None = None,
    moved: Callable[[], None] = lambda: None,
) -> None:
    """Draw the control of `parameter`, showing `value`; changes go to `dpviz.ui.session`.

    offered: the options of a choice that are left in this state, None for all. moved: called in
    the callback of a slider, once the session has its value.
    """
    with st.container(key=f"control-{parameter.key}", gap=None):
        match parameter:
            case Seed():
                _seed(parameter, value)
            case Number():
                range_control(parameter, value, moved)
            case Choice():
                _choice(parameter, value, offered)
            case Flag():
                _flag(parameter, value)
            case _:
                raise TypeError(f"no control for {type(parameter).__name__}")


def name(parameter: Parameter) -> str:
    """Return what a control is called where there is no room for more than a word."""
    match parameter:
        case Number() if not isinstance(parameter, Seed):
            return parameter.limit.symbol
        case Choice() | Flag():
            return parameter.label.lower().removesuffix(" =")
    return parameter.key


def _seed(parameter: Number, value: Value) -> None:
    """Draw a button for the next seed, and beside it a field with the exact one.

    What was wrong with the text typed last stands below it.
    """
    limit, key = parameter.limit, f"{parameter.key}-exact"
    text = f"{int(value):,}"
    default = "" if show(key, text) else text

    @while_here
    def take() -> None:
        session().type_text(parameter, st.session_state[key])

    def redraw() -> None:
        session().change({parameter.key: (int(value) + 1) % (int(limit.maximum) + 1)})

    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        st.button("Draw again", key=f"{parameter.key}-next", on_click=redraw, width="stretch")
        st.markdown(limit.symbol, width="content")
        st.text_input(
            limit.meaning,
            default,
            key=key,
            on_change=take,
            max_chars=40,
            label_visibility="collapsed",
            width=72,
        )
    if note := session().note_beside(parameter.key):
        with st.container(key=f"{parameter.key}-note"):
            st.markdown(plain(note))


def _choice(parameter: Choice, value: Value, offered: Sequence[str] | None) -> None:
    """Draw the options side by side where they fit into a row, else as a list that opens."""
    key, options = parameter.key, list(parameter.options if offered is None else offered)

    def words(option: str) -> str:
        return superscript(parameter.options[option])

    explained = meanings(parameter.label, map(words, options))
    default = None if show(key, value) else str(value)

    @while_here
    def take() -> None:
        session().change({key: st.session_state[key]})

    if sum(_CHARACTER * len(text) + _AROUND for text in parameter.options.values()) > _ROW:
        st.selectbox(
            parameter.label,
            options,
            0 if default is None else options.index(default),
            format_func=words,
            key=key,
            on_change=take,
            help=explained,
        )
        return
    st.segmented_control(
        parameter.label,
        options=options,
        format_func=words,
        default=default,
        key=key,
        required=True,
        on_change=take,
        help=explained,
        width="stretch",
    )


def _flag(parameter: Flag, value: Value) -> None:
    key = parameter.key
    new = show(key, value)
    st.toggle(
        parameter.label,
        bool(value) and not new,
        key=key,
        on_change=while_here(lambda: session().change({key: st.session_state[key]})),
        help=meanings(parameter.label),
    )
