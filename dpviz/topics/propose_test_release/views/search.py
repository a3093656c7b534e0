"""Views: the search for a stable set, and the noisy threshold."""

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.results.papers import UL
from dpviz.topics.propose_test_release.data import Setting, release
from dpviz.topics.propose_test_release.delstab import DelStab
from dpviz.topics.propose_test_release.users_needed import UsersNeeded

_MOST_POINTS = 200
_ALGORITHM = Source(UL, "Algorithm 1")


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


def search(**setting: Unpack[Setting]) -> SearchChart | UsersNeeded:
    """Return `search_chart` of the data. Raises `ParameterError`."""
    algorithm = release(setting)
    return algorithm if isinstance(algorithm, UsersNeeded) else search_chart(algorithm)


def threshold(**setting: Unpack[Setting]) -> SearchChart | UsersNeeded:
    """Return `threshold_chart` of the data. Raises `ParameterError`."""
    algorithm = release(setting)
    return algorithm if isinstance(algorithm, UsersNeeded) else threshold_chart(algorithm)


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
            replace(
                _exact("limit", "close up to here", sizes, np.full(sizes.shape, release.limit)),
                second=True,
            ),
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
