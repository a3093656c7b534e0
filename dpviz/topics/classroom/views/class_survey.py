"""What a class's own randomised answers say, as they come, beside a trusted curator."""

from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.results.parameters import ParameterError
from dpviz.topics.classroom.survey import (
    GEOMETRIC,
    central_half_width,
    survey_estimate,
    survey_interval,
)

MOST_ANSWERS = 500
_FEWEST = 5  # answers that the axis has room for from the first one on
_POINTS = 40
_CLASS = Source("dpviz.topics.classroom", "the class's own answers, exact 95% intervals")


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassSurvey(Chart):
    """What randomised answers say so far.

    answers: how many have come; estimate: how many of them truly say yes, and low, high: the
    exact interval of that number; central: half the width of a trusted curator's interval.
    """

    answers: int
    epsilon: float
    estimate: float
    low: int
    high: int
    central: int


def class_survey(*, bits: str, epsilon: float) -> ClassSurvey:
    """Return what randomised bits say, after each few of them in the order they came.

    bits: "1" or "0" from each who has answered, 1 to 500. Each is the truth with probability
    e^ε/(1 + e^ε). Neighbouring data sets substitute one answer. Raises `ParameterError`.
    """
    if not 1 <= len(bits) <= MOST_ANSWERS or set(bits) - {"0", "1"}:
        raise ParameterError("bits", f"1 to {MOST_ANSWERS} zeros and ones", bits)
    ones = np.cumsum(np.array([bit == "1" for bit in bits]))
    count = len(bits)
    sizes = np.unique(np.rint(np.geomspace(min(5, count), count, _POINTS)).astype(int))
    estimates = [survey_estimate(int(ones[n - 1]), int(n), epsilon=epsilon) for n in sizes]
    ends = [survey_interval(int(ones[n - 1]), int(n), epsilon=epsilon) for n in sizes]
    central = central_half_width(epsilon=epsilon)
    y, x = 100 * np.array(estimates) / sizes, sizes.astype(float)
    low, high = (100 * np.array(side) / sizes for side in zip(*ends, strict=True))
    half = 100 * central / x
    local = Curve(
        "local",
        "This class, on each phone",
        Subject.RESPONSE,
        Evidence.SIMULATED,
        _CLASS,
        x,
        y,
        np.minimum(low, y),
        np.maximum(high, y),
    )
    curator = Curve(
        "central",
        "As wide with a trusted curator",
        Subject.LAPLACE,
        Evidence.EXACT,
        GEOMETRIC,
        x,
        y,
        np.maximum(y - half, 0),
        np.minimum(y + half, 100),
    )
    chart = Chart(
        Axis("answers", "Answers so far", log=False, base=0, reach=_FEWEST),
        Axis("yes", "Share that truly says yes", log=False, unit="%", reach=100),
        (curator, local),
        here=float(count),
    )
    low_count, high_count = ends[-1]
    return ClassSurvey.of(
        chart,
        answers=count,
        epsilon=epsilon,
        estimate=estimates[-1],
        low=low_count,
        high=high_count,
        central=central,
    )
