"""Axes over which a reader draws the curve that answers an exercise.

The browser's half is dpviz/scripts/curve.js, which draws on what phones of a class draw on, too.
"""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from dpviz.serve import scripts
from dpviz.serve.curve_task import CurveTask


def _part(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


_curve = st.components.v2.component(
    "dpviz.curve",
    html=_part("curve.html"),
    css=_part("canvas.css") + _part("curve.css"),
    js=scripts.module("curve.js"),
)


def draw(
    drawing: CurveTask,
    given: str,
    key: str,
    *,
    exact: bool,
    verdict: tuple[str, str],
    taken: Callable[[str], None],
) -> None:
    """Draw the axes, with the curve that was given, and the right one if `exact`.

    verdict: whether it is right, in a word or two, and what else is said of it. taken: called in
    the callback, with the curve that is to be checked.
    """

    def take() -> None:
        if drawn := st.session_state[key].get("drawn"):
            taken(str(drawn["text"]))

    data = {**drawing.as_data(exact=exact), "given": given, "verdict": verdict}
    _curve(key=key, data=data, on_drawn_change=take)
