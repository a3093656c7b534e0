"""The control of one parameter. Which widget serves a number is decided here and nowhere else."""

import math
from functools import cache

import streamlit as st

from dpviz.limits import Limit, format_number
from dpviz.ui import state
from dpviz.ui.codec import Choice, Flag, Number, Parameter, Seed, Value

# Characters of all options together that two lines of the column hold.
_SIDE_BY_SIDE = 60


def draw(parameter: Parameter, value: Value) -> None:
    """Draw the control of `parameter`, showing `value`; changes go to `dpviz.ui.state`."""
    with st.container(key=f"control-{parameter.key}", gap=None):
        match parameter:
            case Seed():
                _seed(parameter, value)
            case Number():
                _number(parameter, value)
            case Choice():
                _choice(parameter, value)
            case Flag():
                _flag(parameter, value)
            case _:
                raise TypeError(f"no control for {type(parameter).__name__}")


def _number(parameter: Number, value: Value) -> None:
    """Draw a slider over the grid of the limit, and a field with the exact value."""
    limit = parameter.limit
    key, grid = parameter.key, _grid(limit)
    state.show(key, format_number(nearest(limit, float(value))))

    def slide() -> None:
        state.change({key: parameter.read(st.session_state[key], value)[0]})

    _labelled_field(parameter, value)
    st.select_slider(
        f"{limit.symbol}, {limit.meaning}",
        options=grid,
        key=key,
        on_change=slide,
        label_visibility="collapsed",
    )


def _seed(parameter: Number, value: Value) -> None:
    """Draw a field with the exact seed, and a button for the next one."""

    def redraw() -> None:
        highest = int(parameter.limit.maximum)
        state.change({parameter.key: (int(value) + 1) % (highest + 1)})

    _labelled_field(parameter, value)
    st.button("Draw again", key=f"{parameter.key}-next", on_click=redraw, width="stretch")


def _labelled_field(parameter: Number, value: Value) -> None:
    """Write symbol and meaning at the left, the exact value in a small field at the right."""
    limit, key = parameter.limit, f"{parameter.key}-exact"
    state.show(key, parameter.write(value))

    def take() -> None:
        state.type_text(parameter, st.session_state[key])

    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        symbol = "" if limit.meaning.split()[0] == limit.symbol else f"*{limit.symbol}* &ensp;"
        st.markdown(symbol + limit.meaning, width="stretch")
        st.text_input(
            f"{limit.symbol}, exact value",
            key=key,
            on_change=take,
            max_chars=40,
            label_visibility="collapsed",
            width=100,
        )


def _choice(parameter: Choice, value: Value) -> None:
    """Draw the options side by side where they fit into two lines, else as a list that opens."""
    key, options = parameter.key, list(parameter.options)
    words = parameter.options.__getitem__
    state.show(key, value)

    def take() -> None:
        state.change({key: st.session_state[key]})

    if sum(map(len, parameter.options.values())) > _SIDE_BY_SIDE:
        st.selectbox(parameter.label, options, format_func=words, key=key, on_change=take)
        return
    st.segmented_control(
        parameter.label,
        options=options,
        format_func=words,
        key=key,
        required=True,
        on_change=take,
        width="stretch",
    )


def _flag(parameter: Flag, value: Value) -> None:
    key = parameter.key
    state.show(key, value)
    st.toggle(
        parameter.label, key=key, on_change=lambda: state.change({key: st.session_state[key]})
    )


@cache
def _grid(limit: Limit) -> tuple[str, ...]:
    return tuple(format_number(value) for value in limit.grid)


def nearest(limit: Limit, value: float) -> float:
    """Return the value of the limit's grid closest to `value`, on the limit's own scale."""
    scale = math.log if limit.log else float
    return min(limit.grid, key=lambda candidate: abs(scale(candidate) - scale(value)))
