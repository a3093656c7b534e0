"""Predictions of the value that one curve of a chart has at the reader's own place."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from dpviz.results.evidence import Chart, Mark
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

    hidden: the other curves that would give it away. answer: says the value, scaled. A result that
    is no chart, where a view says why it has none, or that lacks the curve still, has no answer.
    otherwise: says of a chart what is known where the curve has no value. applies: as everywhere.
    """
    away = {curve, *hidden}

    def value(result: Any) -> float | None:
        if not isinstance(result, Chart) or all(c.key != curve for c in result.curves):
            return None
        found = scale * result.value(curve)
        return found if math.isfinite(found) else None

    def hide(result: Any) -> Any:
        if not isinstance(result, Chart):
            return result
        shown = tuple(c for c in result.curves if c.key not in away)
        named = tuple(key for key in result.in_headline if key not in away)
        return replace(result, curves=shown, in_headline=named, marks=())

    def mark(result: Any, guessed: float) -> Any:
        if not isinstance(result, Chart):
            return result
        point = Mark(result.here, guessed / scale, "your prediction")
        return replace(result, marks=(*result.marks, point))

    def said(result: Any) -> str:
        known = value(result)
        if known is not None:
            return answer(known)
        return otherwise(result) if isinstance(result, Chart) else ""

    return Prediction(
        question=question,
        guess=Number(guess),
        hide=hide,
        answer=said,
        value=value,
        mark=mark,
        applies=applies,
    )
