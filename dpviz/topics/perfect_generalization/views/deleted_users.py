"""View: how far outputs without two sets of r users can be apart: the factor r of Theorem 17."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.local_deletion import EXAMPLES, range_law, spread_bound
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Claim,
    Curve,
    Evidence,
    FloatArray,
    SoFar,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import Pace
from dpviz.topics.perfect_generalization.deletion_losses import (
    SUMS,
    histogram_losses,
    threshold_losses,
    user_counts,
    user_errors,
)
from dpviz.topics.perfect_generalization.simulated_quantile import BETA, quantile_interval

RELEASED = {
    "sum": "Noisy sum",
    "histogram": "Noisy histogram",
    "threshold": "Threshold",
}
"""What is released by name; the last two are
`dpviz.topics.perfect_generalization.deletion_losses`."""

_RUNS = {"sum": 400, "histogram": 100, "threshold": 100}
_FEWEST = {"sum": (40, 80), "histogram": (1, 20), "threshold": (1, 20)}  # to begin with, in all
_COLUMNS = {"sum": 1, "histogram": 32, "threshold": 36}  # that are sorted for a data set
_MOST_DRAWS = 4_000_000  # of user sums, in all runs together
_DELETED = LIMITS["deleted"]
_DEFINITION = Source(UL, "Definition 16")
_DRAWN = {
    "linear": (
        "if all grew like r",
        Subject.EARLIER,
        Evidence.ASYMPTOTIC,
        Source(UL, "Theorem 17"),
    ),
    "bound": (
        "every data set but 5%: proven",
        Subject.USER_LEVEL,
        Evidence.UPPER,
        Source("dpviz.topics.perfect_generalization", "Hoeffding, all pairs of sets"),
    ),
    "found": ("two sets found", Subject.LOWER_BOUND, Evidence.SIMULATED, _DEFINITION),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class DeletionsChart(Chart):
    """The privacy loss per deleted user along r, in units of ε′, on all but 5% of data sets.

    Of noise on a sum it is the spread. single: at r = 1, exact for a sum; several: at the reader's
    r, simulated. users: n. released: one of `RELEASED`.
    """

    single: float
    several: float
    users: int
    released: str = "sum"

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The loss per user at the reader's r; of noise on a sum, no larger than at r = 1."""
        claim = self.claim("spread", "loss per user at r")
        if self.released != "sum":
            return self.claim("spread", "loss at r = 1", at=0), claim
        return (replace(claim, proven=Bracket(0.0, self.single)),)


def deleted_users(
    *,
    users: float,
    examples_per_user: float,
    rate: float,
    deleted: float,
    rng: np.random.Generator,
    released: str = "sum",
    epsilon: float = 0.005,
) -> Iterator[DeletionsChart]:
    """Yield the privacy loss per deleted user along r, in more and more simulated data sets.

    "sum": each of the n users holds m Bernoulli(rate) bits. The spread is the sum of the r largest
    users less that of the r smallest: two sums that each leave out r users differ by at most that.
    Noise on the sum with item-level ε′ has a loss of at most ε′ times the spread, where Theorem 17
    says ε′ r √(m ln(n/(βδ))) up to a constant. "histogram": of m items each, exact for
    each data set. "threshold": of m labelled points each, whose labels are right with probability
    `rate`, chosen with item-level loss `epsilon`; for each data set between two bounds. deleted:
    the reader's r, at most n/2. Raises `ParameterError`.
    """
    if released not in RELEASED:
        raise ParameterError("released", f"one of {', '.join(RELEASED)}", released)
    loss = validate("epsilon", epsilon)
    n, m = int(validate("users", users)), int(EXAMPLES.validate(examples_per_user))
    p, here = validate("rate", rate), int(validate("deleted", deleted))
    if n < 2 * here:
        raise ParameterError("users", f"at least 2r = {2 * here}", users)
    most = min(n // 2, int(_DELETED.maximum))
    sizes = np.unique([here, *np.rint(np.geomspace(1, most, 25))]).astype(int)
    exact = math.nan
    if released == "sum":
        exact = range_law(n, examples_per_user=m, rate=p).quantile(BETA)
    begin, fewest = _FEWEST[released]
    draws = _MOST_DRAWS // (n * _COLUMNS[released])
    runs = int(min(_RUNS[released], max(draws, fewest)))
    losses = np.empty((2, runs, sizes.size))
    pace = Pace()
    for run in range(runs):
        losses[:, run] = _losses(rng, released, sizes, n, m, p, loss)
        if run + 1 >= begin and (pace.due() or run + 1 in (begin, runs)):
            known = losses[:, : run + 1]
            yield _chart(sizes, known, here, n, m, exact, runs, released)


def _losses(
    rng: np.random.Generator,
    released: str,
    sizes: NDArray[np.intp],
    users: int,
    examples: int,
    rate: float,
    loss: float,
) -> FloatArray:
    """Return bounds on the loss over ε′ on one data set drawn, for every r: one for each bound."""
    if released == "sum":
        return np.tile(spread_for(np.sort(rng.binomial(examples, rate, users)), sizes), (2, 1))
    if released == "histogram":
        counts = user_counts(rng, users=users, examples=examples)
        return np.tile(histogram_losses(counts, sizes), (2, 1))
    errors = user_errors(rng, users=users, examples=examples, rate=rate)
    return np.stack(threshold_losses(errors, sizes, item_epsilon=loss))


def spread_for(ascending: NDArray[np.int64], sizes: NDArray[np.intp]) -> FloatArray:
    """Return, for every r in `sizes`, the sum of the r largest less that of the r smallest."""
    total = np.append(0, np.cumsum(ascending))
    return np.asarray(total[-1] - total[-1 - sizes] - total[sizes], dtype=float)


def _chart(
    sizes: NDArray[np.intp],
    losses: FloatArray,
    here: int,
    users: int,
    examples: int,
    exact: float,
    planned: int,
    released: str,
) -> DeletionsChart:
    done = losses.shape[1] / planned
    r = sizes.astype(float)
    middle, low, high = quantile_interval(losses[1])
    single = float(exact if released == "sum" else middle[0])
    several = float(middle[sizes == here][0] / here)
    if released == "sum":  # on no data set does the mean of r users exceed the largest
        several = min(several, single)
    # A simulated start moves until all runs are in, and with it a line through it would.
    stands = released == "sum" or done == 1
    beta = BETA / SUMS.get(released, 1)
    bound = spread_bound(r, users=users, examples=examples, failure_probability=beta) / r
    curves = [
        Curve(
            "spread",
            "95% of data sets drawn",
            Subject.ITEM_LEVEL,
            Evidence.SIMULATED,
            _DEFINITION,
            r,
            middle / r,
            lower=low / r,
            upper=high / r,
        ),
        _curve("linear", r, np.full(r.shape, single if stands else math.nan)),
        _curve("bound", r, bound),
    ]
    if released == "threshold":
        curves.append(_curve("found", r, quantile_interval(losses[0])[0] / r))
    return DeletionsChart(
        x=Axis("deleted", "Users deleted, r"),
        y=Axis("spread", "Privacy loss per deleted user, in units of ε′", log=False, base=0.0),
        curves=tuple(curves),
        here=float(here),
        in_headline=("spread",),
        done=done,
        so_far=SoFar(losses.shape[1], "data set", planned),
        single=single,
        several=several,
        users=users,
        released=released,
    )


def _curve(key: str, r: FloatArray, y: FloatArray) -> Curve:
    return Curve(key, *_DRAWN[key], r, y)
