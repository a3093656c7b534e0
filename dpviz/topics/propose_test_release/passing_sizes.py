"""From which R₁ on the test passes: what the charts along R₁ have in common."""

from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import Axis, Chart, FloatArray, Mark, Subject
from dpviz.topics.propose_test_release.delstab import DelStab

SIZES = Axis("threshold", "users deleted first, R₁", log=False)
_MOST_POINTS = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class PassingSizes(Chart):
    """A chart along R₁.

    least_size: the R₁ from which the test passes, 2κ + 1 for none; refusal: Pr[⊥]. kappa: κ.
    """

    least_size: int
    refusal: float
    kappa: int


def some_sizes(release: DelStab) -> FloatArray:
    """Return at most about 200 of the values of R₁, `least_size` and its neighbour among them."""
    most, least = 2 * release.budget.kappa, release.least_size
    spread = np.rint(np.linspace(0, most, min(most + 1, _MOST_POINTS)))
    turn = [float(value) for value in (least - 1, least) if 0 <= value <= most]
    return np.unique(np.append(spread, turn))


def passing_mark(release: DelStab, height: float) -> tuple[Mark, ...]:
    """Return the mark at the R₁ from which the test passes, none if it does at no R₁."""
    least = release.least_size
    if least > 2 * release.budget.kappa:
        return ()
    words = "passes whatever R₁ is" if least == 0 else f"passes from {least} on"
    return (Mark(float(least), height, words, Subject.USER_LEVEL),)
