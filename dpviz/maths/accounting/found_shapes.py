"""Shapes of tuned noise that a long search found: where short ones start.

They are nothing but starts: what a search finds from them is certified, whatever led there.
"""

import csv
import math
from functools import cache
from pathlib import Path

import numpy as np

from dpviz.results.evidence import FloatArray

TABLE = Path(__file__).with_name("found_shapes.csv")
"""Made by `python -m benchmarks.found_shapes`: the measure, k, ε and δ; a, b, p and θ."""

_NEAREST, _NEAREST_OF_RADIUS = 24, 12
_WEIGHTS = np.array([1.0, 0.3, 2.0])  # of ln k, ln ε and ln ln 1/δ in a distance


def found_near(objective: str, queries: float, epsilon: float, delta: float) -> FloatArray:
    """Return rows of a, b, p and θ, found for this measure at the settings nearest to this one.

    A bound that hardly ever fails is next to the radius: with it come shapes of small radius.
    """
    target = np.log([queries, epsilon, -math.log(delta)])
    shapes = _nearest(_found()[objective], target, _NEAREST)
    if objective == "quantile":
        shapes = np.vstack([shapes, _nearest(_found()["hard"], target, _NEAREST_OF_RADIUS)])
    return shapes


def _nearest(rows: FloatArray, target: FloatArray, count: int) -> FloatArray:
    places = np.log([rows[:, 0], rows[:, 1], -np.log(rows[:, 2])]).T
    gaps = ((places - target) * _WEIGHTS) ** 2
    nearest = np.argsort(gaps.sum(axis=1), kind="stable")[:count]
    shapes: FloatArray = rows[nearest, 3:]
    return shapes


@cache
def _found() -> dict[str, FloatArray]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    measures = dict.fromkeys(measure for measure, *_ in rows)
    return {
        measure: np.array([row for name, *row in rows if name == measure], dtype=float)
        for measure in measures
    }
