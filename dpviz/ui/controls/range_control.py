"""A slider that reports while it is moved, with a field for the exact value beside it.

The browser's half is dpviz/scripts/range_control.js. Values of a movement go to the stage, in the
browser; where a movement ends, and what is typed, goes to the control itself and runs the figure,
or the page where more changes.
"""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from dpviz.scene.codec import Number, Value
from dpviz.scene.ranges import description
from dpviz.serve import scripts
from dpviz.ui.session import session, while_here


def _part(suffix: str) -> str:
    return Path(__file__).with_suffix(suffix).read_text(encoding="utf-8")


_control = st.components.v2.component(
    "dpviz.range", html=_part(".html"), css=_part(".css"), js=scripts.module("range_control.js")
)


def range_control(parameter: Number, value: Value, taken: Callable[[], None]) -> None:
    """Draw the slider and the field of `parameter`, showing `value`.

    taken: called in the callback, once the session has a new value.
    """

    def take(text: str, number: int) -> None:
        session().move(parameter, text, number)
        taken()

    _draw(parameter.key, parameter, value, take)


def guess_control(key: str, guess: Number) -> None:
    """Draw the slider and the field for a guess, where the session has it."""

    def take(text: str, number: int) -> None:
        session().venture(key, guess, text, number)

    _draw(key, guess, session().ventured(key, guess.default), take)


def _draw(key: str, parameter: Number, value: Value, take: Callable[[str, int], None]) -> None:
    @while_here
    def taken() -> None:
        if move := st.session_state[key].get("end"):
            take(str(move["text"]), int(move["number"]))

    _control(
        key=key,
        data={
            **description(parameter.slider),
            "key": key,
            "text": parameter.write(value),
            "note": session().note_beside(key),
            "number": session().last_move(key),
        },
        on_end_change=taken,
    )
