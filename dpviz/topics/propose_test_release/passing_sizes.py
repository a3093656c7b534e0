"""From which R₁ on the test passes: the charts along R₁, of the search and of the law of R₁."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.topics.propose_test_release.delstab import DelStab

SIZES = Axis("threshold", "Users dropped first, R₁", log=False)
_MOST_POINTS = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class PassingSizes(Chart):
    """A chart along R₁.

    least_size: the R₁ from which the test passes, 2κ + 1 for none; refusal: Pr[⊥]. kappa: κ.
    """

    least_size: int
    refusal: float
    kappa: int


@dataclass(frozen=True, eq=False, kw_only=True)
class LeastSpreads(PassingSizes):
    """The least spread for each R₁ against the limit: the spread up to which outputs are close."""

    limit: float


def least_spreads(release: DelStab) -> LeastSpreads:
    """Return the least spread along R₁, the limit below which it must be, and where it gets there.

    The test fails left of `least_size` and passes from there on, as a stable set stays stable
    when a user is added.
    """
    sizes = _some_sizes(release)
    spreads = np.array([release.search(int(size)).spread for size in sizes])
    limits = np.full(sizes.shape, release.limit)
    return LeastSpreads(
        x=SIZES,
        y=Axis("spread", "Spread of the sums that are left", log=False),
        curves=(
            _exact("spread", "least spread of any set", sizes, spreads),
            replace(_exact("limit", "close up to here", sizes, limits), second=True, weight=0.6),
        ),
        landmarks=_passing_mark(release, release.limit),
        limit=release.limit,
        **_law_of(release),
    )


def threshold_law(release: DelStab) -> PassingSizes:
    """Return the law of R₁; `holds` is False where the test fails, so that ⊥ is the answer."""
    law, sizes = release.budget.threshold, _some_sizes(release)
    curve = replace(
        _exact("pmf", "number drawn, R₁", sizes, law.pmf(sizes)),
        source=Source(UL, "Definition 8"),
        holds=sizes >= release.least_size,
        assumption="a stable set of R₁ users exists; otherwise there is no answer (⊥)",
    )
    return PassingSizes(
        x=SIZES,
        y=Axis("probability", "Probability of R₁", log=False),
        curves=(curve,),
        landmarks=_passing_mark(release, float(law.pmf(release.least_size))),
        **_law_of(release),
    )


def _law_of(release: DelStab) -> dict[str, Any]:
    return {
        "least_size": release.least_size,
        "refusal": release.refusal_probability,
        "kappa": release.budget.kappa,
    }


def _exact(key: str, label: str, x: FloatArray, y: FloatArray) -> Curve:
    return Curve(
        key=key,
        label=label,
        subject=Subject.USER_LEVEL,
        evidence=Evidence.EXACT,
        source=Source(UL, "Algorithm 1"),
        x=x,
        y=y,
    )


def _some_sizes(release: DelStab) -> FloatArray:
    """Return at most about 200 of the values of R₁, `least_size` and its neighbour among them."""
    most, least = 2 * release.budget.kappa, release.least_size
    spread = np.rint(np.linspace(0, most, min(most + 1, _MOST_POINTS)))
    turn = [float(value) for value in (least - 1, least) if 0 <= value <= most]
    return np.unique(np.append(spread, turn))


def _passing_mark(release: DelStab, height: float) -> tuple[Landmark, ...]:
    """Return the mark at the R₁ from which the test passes, none if it does at no R₁."""
    least = release.least_size
    if least > 2 * release.budget.kappa:
        return ()
    words = "passes whatever R₁ is" if least == 0 else f"passes from {least} on"
    return (Landmark(float(least), height, words, Subject.USER_LEVEL),)
