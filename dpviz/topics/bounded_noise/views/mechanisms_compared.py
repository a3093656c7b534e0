"""All mechanisms of equal privacy side by side: the table of `dpviz.maths.comparison`."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.comparison import COUNTS, NAMES, compared_so_far
from dpviz.maths.laplace_rivals import MOST_QUERIES
from dpviz.maths.rivals import RIVALS
from dpviz.results.answer import ComparedNoise, Comparison
from dpviz.results.evidence import Axis, Chart, Curve, Subject
from dpviz.results.parameters import validate

ROWS: Mapping[str, str] = MappingProxyType(NAMES)
"""The noises that are compared, in the order of the rows, and what they are called."""

FOR_COUNTS = frozenset(COUNTS)
"""Those that only whole numbers may be given."""

MEASURES: Mapping[str, Callable[[ComparedNoise], float]] = MappingProxyType(
    {
        "bound": lambda row: row.bound,
        "likely": lambda row: row.likely,
        "deviation": lambda row: row.deviation,
    }
)
"""What is compared of each noise, in the order of a curve's points."""

NOUNS: Mapping[str, str] = MappingProxyType({key: rival.noun for key, rival in RIVALS.items()})
"""What those that all comparisons share are called in a sentence."""

_ROUNDED = 1e-6  # relative: what closed forms are rounded by to the private side is less
_SUBJECTS = {
    "gaussian": Subject.GAUSSIAN,
    "laplace": Subject.LAPLACE,
    "joint": Subject.USER_LEVEL,  # as noise drawn together is on all views
}


@dataclass(frozen=True, eq=False, kw_only=True)
class MechanismsCompared(Chart):
    """A curve for each noise, whose points are its `MEASURES`; NaN for none.

    comparison: the table, as far as it is known.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "noise": "the noise, as it is called in Python",
            "name": "the noise",
            "standard_deviation": "the standard deviation of one error (Δ)",
            "hard_bound": "what no error exceeds (Δ); infinite for none",
            "likely_bound": "what the largest of the k errors exceeds with probability β (Δ)",
            "evidence": "how its size is known",
            "source": "where that comes from",
            "remark": "why it is not known, or what it is for",
        }
    )

    comparison: Comparison

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the table as `dpviz.compare` has it."""
        return {name: np.array(column) for name, column in self.comparison.columns().items()}


def mechanisms_compared(
    *, epsilon: float, delta: float, queries: float, failure_probability: float
) -> Iterator[MechanismsCompared]:
    """Yield Gaussian, Laplace and bounded noise of equal privacy, a row each as it is known.

    The same as `dpviz.compare`: Gaussian noise with the σ of the textbook and with the least one,
    Laplace noise, truncated or not, discrete Gaussian and discrete Laplace noise, bounded noise of
    the paper and tuned noise, each as small as (ε, δ) allows for k answers; in units of Δ, the most
    by which substituting one person's record moves an answer. Raises `ParameterError`.
    """
    asked = {
        "epsilon": validate("epsilon", epsilon),
        "delta": validate("delta", delta),
        "queries": validate("queries", queries),
        "failure_probability": validate("failure_probability", failure_probability),
    }
    for comparison in compared_so_far(**asked):
        yield _result(comparison)


def least(comparison: Comparison, measure: str, *, counts: bool = False) -> ComparedNoise | None:
    """Return the known noise that has least of one of `MEASURES`, None if none has any.

    counts: of those for whole numbers; else of those for answers of any kind.
    """
    value = MEASURES[measure]
    rows = [row for row in comparison.rows if (row.key in COUNTS) is counts]
    return min((row for row in rows if math.isfinite(value(row))), key=value, default=None)


def all_composed(comparison: Comparison) -> bool:
    """Return whether all losses are composed; beyond, some noises have bounds from above alone."""
    return float(comparison.parameters["queries"]) <= MOST_QUERIES


def alike(
    comparison: Comparison, measure: str, written: Callable[[float], str]
) -> list[ComparedNoise]:
    """Return the noises for real numbers that have as little of a measure as the least, as written.

    written: as the number is said; between noises that are alike in it no winner is named.
    """
    best, value = least(comparison, measure), MEASURES[measure]
    if best is None:
        return []
    most, said = (1 + _ROUNDED) * value(best), written(value(best))
    rows = [row for row in comparison.rows if row.key not in COUNTS]
    known = [row for row in rows if math.isfinite(value(row))]
    return [row for row in known if value(row) <= most or written(value(row)) == said]


def _result(comparison: Comparison) -> MechanismsCompared:
    places = np.arange(float(len(MEASURES)))
    curves = []
    for row in comparison.rows:
        values = np.array([value(row) for value in MEASURES.values()])
        values[np.isinf(values)] = math.nan
        family = (subject for name, subject in _SUBJECTS.items() if name in row.key)
        kind = next(family, Subject.BOUNDED), row.evidence, row.source
        curves.append(Curve(row.key, row.name, *kind, places, values))
    found = (least(comparison, measure) for measure in MEASURES)
    best = dict.fromkeys([*(row.key for row in found if row is not None), "gaussian"])
    across, error = Axis("measure", "Measure", log=False), Axis("error", "Error", unit="Δ")
    chart = Chart(across, error, tuple(curves), in_headline=tuple(best)[:2])
    done = len(comparison.rows) / len(ROWS)
    return MechanismsCompared.of(chart, comparison=comparison, done=done)
