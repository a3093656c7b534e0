"""Find shapes that tuning starts from: ``python -m benchmarks.found_shapes``.

For each measure and each of a grid of settings a long search, from a thousand random shapes, those
found before and rules of thumb, in a dozen basins. Prints the lines of
`found_shapes.csv` in `dpviz/maths/accounting`; β = 0.05 for the bound of probability 1 − β.
"""

import argparse
import itertools
import math

import numpy as np

from benchmarks.options import parsed
from dpviz.maths.accounting import tuning
from dpviz.maths.accounting.descent import Point, descend
from dpviz.results.evidence import FloatArray

_COUNTS = (1, 2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10**4, 10**5, 10**6, 10**8)
_PRIVACY = (
    (0.1, 1e-10),
    (5.0, 0.01),
    (1.0, 1e-5),
    (0.3, 1e-30),
    (1.0, 0.1),
    (3.0, 1e-12),
    (0.01, 1e-20),
)
# Of the radius alone, whose best shapes change most where δ is tiny or large.
_ENDS_OF_DELTA = (
    (1e-6, 1e-250),
    (1e-3, 1e-250),
    (0.3, 1e-150),
    (1e-3, 1e-80),
    (1.0, 1e-60),
    (1e-6, 1e-35),
    (1e-5, 1e-15),
    (1e-3, 0.2),
)
_FEWER = (5, 10, 30, 100, 200, 500, 1000, 3000, 10**4, 10**5, 10**6, 10**8)
_MOST, _SEED = 12, 1
# wider than what is searched: corners are among what is drawn
_ENDS = np.log([(1e-10, 0.01, 0.03, 1e-4), (1e4, 400, 20, 200)])


def best_shapes(
    objective: str, epsilon: float, delta: float, queries: float, known: FloatArray, count: int
) -> FloatArray:
    """Return log a, log b, log p and log(1/θ − 1) of the best shape found.

    count: random shapes to start from; known: more starts.
    """
    search = tuning._Search.of(epsilon, delta, queries, objective, 0.05)
    rng = np.random.default_rng(_SEED)
    rules = search.rules(math.exp(search.best_power().at[2]))
    at = np.vstack([rng.uniform(_ENDS[0], _ENDS[1], (count, 4)), known, rules])
    at = tuning._clipped(at)
    noises, log_shares = search._noises(at)
    estimates = search._estimates(
        noises, start=search._usual, log_shares=log_shares, margin=0.3, is_rough=True
    )
    points = sorted(tuning._Candidate.all(at, estimates, log_shares), key=lambda point: point.value)
    chosen: list[Point[tuning._Candidate]] = []
    for point in points:
        gaps = [np.abs(point.at - other.at) / tuning._STRIDES for other in chosen]
        if len(chosen) < _MOST and all(gap.max() > 3 for gap in gaps):
            chosen.append(point)
    chosen = search._exact(chosen)
    ends = {"strides": tuning._STRIDES, "low": tuning._LOW, "high": tuning._HIGH}
    for margin in (0.3, 0.01, 0.005):
        chosen = descend(search._around, chosen, **ends, levels=40, margin=margin)[:3]
    return chosen[0].at


def report(settings: int, count: int) -> None:
    """Print the shapes found for so many settings of each measure, from so many random ones."""
    print("measure,queries,epsilon,delta,a,b,p,theta")
    for objective in tuning.OBJECTIVES:
        known = np.empty((0, 4))
        pairs = list(itertools.product(_PRIVACY, _COUNTS))
        if objective == "hard":
            pairs += itertools.product(_ENDS_OF_DELTA, _FEWER)
        for (epsilon, delta), queries in pairs[:settings]:
            at = best_shapes(objective, epsilon, delta, queries, known, count)
            known = np.vstack([known, at])
            a, b, p = np.exp(at[:3])
            theta = float(tuning._cut(at[3:])[0])
            print(
                f"{objective},{queries:g},{epsilon:g},{delta:g},{a:.3g},{b:.3g},{p:.3g},{theta:.4g}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.found_shapes", description=__doc__)
    parser.add_argument("--settings", type=int, default=len(_PRIVACY) * len(_COUNTS))
    parser.add_argument("--random", type=int, default=1000, help="shapes to start from")
    options = parsed(parser, settings=1, random=20)
    report(options.settings, options.random)
