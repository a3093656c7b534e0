"""What a browser has to know of the range of a number, to draw a slider: see range_control.js."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from dpviz.plot.axes import even_ticks, log_ticks
from dpviz.plot.text import superscript
from dpviz.results.parameters import Limit, format_number
from dpviz.scene.glossary import pieces

_LABELS = 4  # as its number is beside it


@cache
def description(limit: Limit) -> Mapping[str, Any]:
    """Return what the browser has to know of a range."""
    symbol = "" if limit.meaning.split()[0] == limit.symbol else limit.symbol
    return {
        "symbol": symbol,
        "meaning": superscript(limit.meaning),
        "words": pieces(superscript(limit.meaning)),
        "better": limit.better,
        "log": limit.log,
        "whole": limit.integer,
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
