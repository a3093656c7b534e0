"""A slider that reports while it is moved, with a field for the exact value beside it.

The browser's half is range_control.js. Values of a movement go to the stage (stage.js), in the
browser; where a movement ends, and what is typed, goes to the control itself and runs the page.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from dpviz.plot.axes import even_ticks, log_ticks
from dpviz.results.parameters import Limit, format_number
from dpviz.scene.codec import Number, Value
from dpviz.scene.glossary import pieces
from dpviz.ui.session import session

_LABELS = 6


def _part(suffix: str) -> str:
    return Path(__file__).with_suffix(suffix).read_text(encoding="utf-8")


_control = st.components.v2.component(
    "dpviz.range", html=_part(".html"), css=_part(".css"), js=_part(".js")
)


def range_control(parameter: Number, value: Value) -> None:
    """Draw the slider and the field of `parameter`, showing `value`."""
    key = parameter.key

    def take() -> None:
        if move := st.session_state[key].get("end"):
            session().move(parameter, str(move["text"]), int(move["number"]))

    _control(
        key=key,
        data={
            **description(parameter.limit),
            "key": key,
            "text": parameter.write(value),
            "note": session().note_beside(key),
            "number": session().last_move(key),
        },
        on_end_change=take,
    )


@cache
def description(limit: Limit) -> Mapping[str, Any]:
    """Return what the browser has to know of a range."""
    symbol = "" if limit.meaning.startswith(limit.symbol) else limit.symbol
    return {
        "symbol": symbol,
        "meaning": limit.meaning,
        "words": pieces(limit.meaning),
        "better": limit.better,
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
