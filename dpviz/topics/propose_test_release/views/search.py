"""Views of DelStab: the stable-set search, the noisy threshold, and an outlier that moves."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.maths.sum_mechanisms import SumMechanism
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import Pace
from dpviz.topics.propose_test_release.delstab import DelStab

_MOST_POINTS = 200
_ALGORITHM = Source(UL, "Algorithm 1")


class Role(IntEnum):
    """What the test of one R₁ does with a user."""

    KEPT = 0
    DELETED_FIRST = 1
    DELETED_AS_LARGEST = 2
    DELETED_AS_SMALLEST = 3
    DELETED_AS_BOTH = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchChart(Chart):
    """The least spread for each R₁ against the limit, and the law of R₁.

    least_size: the R₁ from which the test passes; refusal: Pr[⊥]. kappa: κ. limit: the spread up
    to which outputs are close.
    """

    least_size: int
    refusal: float
    kappa: int
    limit: float


@dataclass(frozen=True, eq=False, kw_only=True)
class OutlierChart(Chart):
    """Pr[⊥], exactly, as one user's sum moves. finished: whether all places are computed."""

    finished: bool


def roles(release: DelStab, size: int) -> NDArray[np.int8]:
    """Return the `Role` of every user in the search for R₁ = size, in the users' own order.

    S, the best set to delete first; and of the others the 4κ − R₁ largest against as many of the
    smallest, the two deletions that are compared.
    """
    search = release.search(_size(release, size))
    n, rest = release.users, 4 * release.budget.kappa - search.size
    first, last = search.smallest, n - search.largest
    by_rank = np.full(n, Role.KEPT, dtype=np.int8)
    by_rank[:first] = by_rank[last:] = Role.DELETED_FIRST
    by_rank[first : first + rest] = Role.DELETED_AS_SMALLEST
    as_largest = np.arange(last - rest, last)
    both = by_rank[as_largest] == Role.DELETED_AS_SMALLEST
    by_rank[as_largest] = np.where(both, Role.DELETED_AS_BOTH, Role.DELETED_AS_LARGEST)
    in_order = np.empty_like(by_rank)
    in_order[release.order] = by_rank
    return in_order


def search_chart(release: DelStab) -> SearchChart:
    """Return the least spread along R₁, the limit below which it must be, and where it gets there.

    The test fails left of `least_size` and passes from there on, as a stable set stays stable
    when a user is added.
    """
    kappa, least = release.budget.kappa, release.least_size
    sizes = _sizes(kappa, least)
    spreads = np.array([release.search(int(size)).spread for size in sizes])
    return SearchChart(
        x=Axis("threshold", "users deleted first, R₁", log=False),
        y=Axis("spread", "spread of the sums that are left", log=False),
        curves=(
            _exact("spread", "least spread of any set", sizes, spreads),
            _exact("limit", "close up to here", sizes, np.full(sizes.shape, release.limit)),
        ),
        marks=_turn(least, kappa, release.limit),
        least_size=least,
        refusal=release.refusal_probability,
        kappa=kappa,
        limit=release.limit,
    )


def threshold_chart(release: DelStab) -> SearchChart:
    """Return the law of R₁; `holds` is False where the test fails, so that ⊥ is the answer."""
    kappa, least = release.budget.kappa, release.least_size
    sizes = _sizes(kappa, least)
    pmf = release.budget.threshold.pmf(sizes)
    curve = Curve(
        key="pmf",
        label="noisy threshold R₁",
        subject=Subject.USER_LEVEL,
        evidence=Evidence.EXACT,
        source=Source(UL, "Definition 8"),
        x=sizes,
        y=pmf,
        holds=sizes >= least,
        assumption="a stable set of R₁ users exists; otherwise the answer is ⊥",
    )
    return SearchChart(
        x=Axis("threshold", "users deleted first, R₁", log=False),
        y=Axis("probability", "probability of R₁", log=False),
        curves=(curve,),
        marks=_turn(least, kappa, float(release.budget.threshold.pmf(least))),
        least_size=least,
        refusal=release.refusal_probability,
        kappa=kappa,
        limit=release.limit,
    )


def refusal_against_outlier(
    user_sums: ArrayLike,
    *,
    mechanism: SumMechanism,
    epsilon: float,
    delta: float,
    reach: float,
    here: float,
    outliers: int = 1,
) -> Iterator[OutlierChart]:
    """Yield Pr[⊥], exactly, as the last users' sums move from the median of the others outwards.

    One outlier raises the least R₁ that passes by at most 1 (Observation 36), hence Pr[⊥] by a
    factor of at most e^ε̄, plus δ̄: that is its privacy. Only many outliers, or data on the brink,
    make it refuse. outliers: how many users move together, from 1, and at most half of all.
    reach: the largest distance from the median, positive; here: the reader's distance, up to
    reach. A partial result at least every 0.1 s; the last is complete. Raises `ParameterError`.
    """
    if not 0 < reach < math.inf:
        raise ParameterError("reach", "a positive number", reach)
    if not (1 <= outliers <= np.size(user_sums) / 2 and outliers == math.floor(outliers)):
        raise ParameterError("outliers", "a whole number from 1 to half of the users", outliers)
    if not 0 <= here <= reach:
        raise ParameterError("here", f"a number from 0 to {reach:g}", here)
    full = DelStab(user_sums, mechanism=mechanism, epsilon=epsilon, delta=delta)
    others = np.sort(full.sums[: full.users - int(outliers)])
    centre = _centre(mechanism, others)
    # Only the 4κ sums at each end enter any spread: what lies between can be left out.
    ends = 4 * full.budget.kappa
    if others.size > 2 * ends:
        others = np.concatenate([others[:ends], others[-ends:]])
    shares = np.linspace(0, 1, 65)
    order = np.concatenate([shares[::16], shares[8::16], shares[4::8], shares[2::4], shares[1::2]])
    distances = dict.fromkeys(_whole(mechanism, float(d)) for d in [here, *(reach * order)])
    known: dict[float, float] = {}
    pace = Pace()
    for distance in distances:
        sums = np.append(others, np.full(int(outliers), centre + distance))
        moved = DelStab(sums, mechanism=mechanism, epsilon=epsilon, delta=delta)
        known[distance] = moved.refusal_probability
        if pace.due():
            yield _outlier_chart(known, here, finished=False)
    yield _outlier_chart(known, here, finished=True)


def move_outliers(
    user_sums: ArrayLike, *, mechanism: SumMechanism, outliers: int, distance: float
) -> FloatArray:
    """Return the sums with the last `outliers` users `distance` above the median of the others.

    As `refusal_against_outlier` places them; whole sums stay whole for geometric noise.
    """
    sums = np.array(user_sums, dtype=float)
    others = sums[: sums.size - outliers]
    sums[sums.size - outliers :] = _centre(mechanism, others) + _whole(mechanism, distance)
    return sums


def _centre(mechanism: SumMechanism, others: FloatArray) -> float:
    return _whole(mechanism, float(np.median(others)))


def _whole(mechanism: SumMechanism, distance: float) -> float:
    return distance if mechanism.continuous else float(round(distance))


def _outlier_chart(known: dict[float, float], here: float, *, finished: bool) -> OutlierChart:
    x = np.array(sorted(known))
    return OutlierChart(
        x=Axis("distance", "distance of the outliers from the others' median", log=False),
        y=Axis("refusal", "probability of ⊥", log=False),
        curves=(_exact("refusal", "probability of ⊥", x, np.array([known[d] for d in x])),),
        here=here,
        finished=finished,
    )


def _size(release: DelStab, size: int) -> int:
    most = 2 * release.budget.kappa
    if not (0 <= size <= most and size == math.floor(size)):
        raise ParameterError("size", f"a whole number from 0 to 2κ = {most}", size)
    return int(size)


def _sizes(kappa: int, least: int) -> FloatArray:
    """Return at most about 200 of the values of R₁, the turn and its neighbour among them."""
    most = 2 * kappa
    spread = np.rint(np.linspace(0, most, min(most + 1, _MOST_POINTS)))
    turn = [float(value) for value in (least - 1, least) if 0 <= value <= most]
    return np.unique(np.append(spread, turn))


def _turn(least: int, kappa: int, height: float) -> tuple[Mark, ...]:
    if least > 2 * kappa:
        return ()
    return (Mark(float(least), height, "the test passes from here on", Subject.USER_LEVEL),)


def _exact(key: str, label: str, x: FloatArray, y: FloatArray) -> Curve:
    return Curve(
        key=key,
        label=label,
        subject=Subject.USER_LEVEL,
        evidence=Evidence.EXACT,
        source=_ALGORITHM,
        x=x,
        y=y,
    )
