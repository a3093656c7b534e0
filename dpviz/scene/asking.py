"""Predictions of the value that one curve of a chart has at the reader's own place."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from dpviz.results.evidence import Chart, Landmark
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number, Value
from dpviz.scene.view import Prediction

PERCENT = 100.0


def value_at_here(
    question: str,
    guess: Limit,
    curve: str,
    *,
    answer: Callable[[float], str],
    hidden: Collection[str] = (),
    scale: float = 1.0,
    otherwise: Callable[[Any], str] = lambda _: "",
    applies: Callable[[Mapping[str, Value]], bool] = lambda _: True,
) -> Prediction:
    """Return the question for the value of a curve at the reader's place, in units of 1/`scale`.

    hidden: the other curves that would give it away. answer: says the value, scaled. A chart that
    lacks the curve still has no answer. otherwise: says of a chart what is known where the curve
    has no value. applies: as everywhere.
    """
    away = {curve, *hidden}

    def value(chart: Chart) -> float | None:
        if all(c.key != curve for c in chart.curves):
            return None
        scaled = scale * chart.value(curve)
        return scaled if math.isfinite(scaled) else None

    def hide(chart: Chart) -> Chart:
        shown = tuple(c for c in chart.curves if c.key not in away)
        named = tuple(key for key in chart.in_headline if key not in away)
        return replace(chart, curves=shown, in_headline=named, landmarks=())

    def mark(chart: Chart, guessed: float) -> Chart:
        point = Landmark(chart.here, guessed / scale, "your prediction")
        return replace(chart, landmarks=(*chart.landmarks, point))

    def in_words(chart: Chart) -> str:
        found = value(chart)
        return otherwise(chart) if found is None else answer(found)

    return Prediction(
        question=question,
        guess=Number(guess),
        hide=hide,
        answer=in_words,
        value=value,
        mark=mark,
        applies=applies,
    )
