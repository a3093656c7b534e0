"""A slider that reports while it is moved, with a field for the exact value beside it.

The browser's half is range_control.js. Values of a movement travel by the courier
(range_courier.js), which lives in the fragment that draws the figure: they run that alone, a
fraction of the page, and wait in line where they would interrupt a run of the whole page. The next
value leaves when the courier, drawn after the figure, has told the browser that the last one is
there; so at most one is on its way. Where a movement ends, and what is typed, goes to the control
itself and runs the page; so does its beginning, if the page is still busy with what came before.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from dpviz.plot.axes import even_ticks, log_ticks
from dpviz.results.parameters import Limit, format_number
from dpviz.scene.codec import Number, Parameter, Value
from dpviz.ui import session

_LABELS = 6


def _part(suffix: str) -> str:
    return Path(__file__).with_suffix(suffix).read_text(encoding="utf-8")


_control = st.components.v2.component(
    "dpviz.range", html=_part(".html"), css=_part(".css"), js=_part(".js")
)
_courier = st.components.v2.component(
    "dpviz.courier", js=Path(__file__).with_name("range_courier.js").read_text(encoding="utf-8")
)


def range_control(parameter: Number, value: Value) -> None:
    """Draw the slider and the field of `parameter`, showing `value`."""
    key = parameter.key

    def take(name: str) -> None:
        if move := st.session_state[key].get(name):
            session.move(parameter, str(move["text"]), int(move["number"]), ended=name == "end")

    _control(
        key=key,
        data={
            **description(parameter.limit),
            "key": key,
            "text": parameter.write(value),
            "note": session.field_note(key),
            "number": session.last_move(key),
        },
        on_begin_change=lambda: take("begin"),
        on_end_change=lambda: take("end"),
    )


def courier(parameters: Iterable[Parameter]) -> None:
    """Take values from controls that are being moved, and tell them which one is drawn.

    To be called in the fragment that draws the figure, after it: then a value on its way runs the
    fragment alone.
    """
    known = {parameter.key: parameter for parameter in parameters}

    def take() -> None:
        for key, move in st.session_state["courier"]["moves"].items():
            if key in known:
                session.move(known[key], str(move["text"]), int(move["number"]), ended=False)

    data = {key: session.last_move(key) for key in known}
    _courier(key="courier", data=data, height=0, on_moves_change=take)


@cache
def description(limit: Limit) -> Mapping[str, Any]:
    """Return what the browser has to know of a range."""
    symbol = "" if limit.meaning.startswith(limit.symbol) else limit.symbol
    return {
        "symbol": symbol,
        "meaning": limit.meaning,
        "log": limit.log,
        "grid": [format_number(value) for value in limit.grid],
        "ticks": ticks(limit),
    }


def ticks(limit: Limit) -> list[tuple[float, str]]:
    """Return round values of the range, ascending, and labels for a few of them ("" elsewhere)."""
    low, high = limit.minimum, limit.maximum
    if limit.log:
        values, texts = log_ticks(float(np.log10(low)), float(np.log10(high)))
    else:
        values, texts = even_ticks(low, high)
    every = -(-len(values) // _LABELS)
    return [
        (value, "" if index % every else text)
        for index, (value, text) in enumerate(zip(values, texts, strict=True))
    ]
