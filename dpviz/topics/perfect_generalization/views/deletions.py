"""View: how far the choice of r users to delete can move a sum: the r of Theorem 17."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from dpviz.maths.local_deletion import EXAMPLES, range_law, spread_bound
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import Pace

BETA = 0.05
"""The share of data sets on which the spread may be larger."""

_RUNS = 400
_MOST_DRAWS = 4_000_000  # of user sums, in all runs together
_DELETED = LIMITS["deleted"]


@dataclass(frozen=True, eq=False, kw_only=True)
class DeletionsChart(Chart):
    """The spread per deleted user along r, which 95% of data sets stay within.

    single: at r = 1, exact; several: at the reader's r, simulated. users: n.
    """

    single: float
    several: float
    users: int


def deleted_users(
    *,
    users: float,
    examples_per_user: float,
    rate: float,
    deleted: float,
    rng: np.random.Generator,
) -> Iterator[DeletionsChart]:
    """Yield the spread per deleted user along r, in more and more simulated data sets.

    Each of the n users holds m Bernoulli(rate) bits. The spread is the sum of the r largest users
    less that of the r smallest: by so much do two sums differ that leave out r users each. Noise on
    the sum with item-level ε has a loss of ε times the spread (at most), for which Theorem 17 says
    ε r √(m ln(n/(βδ))) up to a constant. deleted: the reader's r, at most n/2. Raises
    `ParameterError`.
    """
    n, m = int(validate("users", users)), int(EXAMPLES.validate(examples_per_user))
    p, here = validate("rate", rate), int(validate("deleted", deleted))
    if n < 2 * here:
        raise ParameterError("users", f"at least 2r = {2 * here}", users)
    most = min(n // 2, int(_DELETED.maximum))
    sizes = np.unique([here, *np.rint(np.geomspace(1, most, 25))]).astype(int)
    exact = range_law(n, examples_per_user=m, rate=p).quantile(BETA)
    runs = int(min(_RUNS, max(_MOST_DRAWS // n, 80)))
    spreads = np.empty((runs, sizes.size))
    pace, shown = Pace(), 40
    for run in range(runs):
        spreads[run] = spread_for(np.sort(rng.binomial(m, p, n)), sizes)
        if run + 1 >= shown and (pace.due() or run + 1 in (shown, runs)):
            yield _chart(sizes, spreads[: run + 1], here, n, m, exact, (run + 1) / runs)


def spread_for(ascending: NDArray[np.int64], sizes: NDArray[np.intp]) -> FloatArray:
    """Return, for every r in `sizes`, the sum of the r largest less that of the r smallest."""
    total = np.append(0, np.cumsum(ascending))
    return np.asarray(total[-1] - total[-1 - sizes] - total[sizes], dtype=float)


def quantile_interval(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the 1 − β quantile of each column, and an interval of confidence 95% for it.

    The interval's ends are order statistics (binomial law of how many values are below).
    """
    runs, share = len(values), 1 - BETA
    ordered = np.sort(values, axis=0)
    low = int(binom.ppf(0.025, runs, share)) - 1
    high = int(binom.ppf(0.975, runs, share))
    top = ordered[high] if high < runs else np.full(ordered.shape[1], math.nan)
    return ordered[min(math.ceil(share * runs), runs) - 1], ordered[max(low, 0)], top


def _chart(
    sizes: NDArray[np.intp],
    spreads: FloatArray,
    here: int,
    users: int,
    examples: int,
    exact: int,
    done: float,
) -> DeletionsChart:
    r = sizes.astype(float)
    middle, low, high = quantile_interval(spreads)
    drawn = (
        (
            "linear",
            "if all grew like r",
            Subject.EARLIER,
            Evidence.ASYMPTOTIC,
            Source(UL, "Theorem 17"),
            np.full(r.shape, float(exact)),
        ),
        (
            "bound",
            "every data set but 5%: proven",
            Subject.USER_LEVEL,
            Evidence.UPPER,
            Source("dpviz.topics.perfect_generalization", "Hoeffding, all pairs of sets"),
            spread_bound(r, users=users, examples=examples, failure_probability=BETA) / r,
        ),
    )
    simulated = Curve(
        "spread",
        "95% of data sets",
        Subject.ITEM_LEVEL,
        Evidence.SIMULATED,
        Source(UL, "Definition 16"),
        r,
        middle / r,
        lower=low / r,
        upper=high / r,
    )
    return DeletionsChart(
        x=Axis("deleted", "users deleted, r"),
        y=Axis("spread", "spread of the sum for each deleted user", log=False, base=0.0),
        curves=(simulated, *(Curve(*known[:5], r, known[5]) for known in drawn)),
        here=float(here),
        told=("spread",),
        done=done,
        single=float(exact),
        several=float(middle[sizes == here][0] / here),
        users=users,
    )
