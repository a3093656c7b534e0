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
    key = parameter.key

    @while_here
    def take() -> None:
        if move := st.session_state[key].get("end"):
            session().move(parameter, str(move["text"]), int(move["number"]))
            taken()

    _control(
        key=key,
        data={
            **description(parameter.slider),
            "key": key,
            "text": parameter.write(value),
            "note": session().note_beside(key),
            "number": session().last_move(key),
        },
        on_end_change=take,
    )
