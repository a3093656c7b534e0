"""View: how likely DelStab refuses as outliers move away."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths.sum_mechanisms import SumMechanism
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import Pace, coarse_to_fine
from dpviz.topics.propose_test_release.data import (
    Setting,
    centre,
    mechanism_for,
    outliers_in,
    unit_of_distance,
    user_sums,
    whole,
)
from dpviz.topics.propose_test_release.delstab import Budget, DelStab
from dpviz.topics.propose_test_release.users_needed import UsersNeeded, users_needed


@dataclass(frozen=True, eq=False, kw_only=True)
class MovedOutliers(Chart):
    """Pr[⊥] as outliers move, together and one of them alone.

    outliers: how many move together; budget: ε̄, δ̄ and κ. crowd: how many move together on the
    curve beside that of a single outlier, on which nothing happens.
    """

    outliers: int
    budget: Budget
    crowd: int


def moving_outliers(**setting: Unpack[Setting]) -> Iterator[MovedOutliers | UsersNeeded]:
    """Yield `refusal_against_outlier` for the last users of the data, and for the last one alone.

    Of a single outlier, for a quarter more than κ beside it: the test most often leaves out κ.
    Raises `ParameterError`.
    """
    sums = user_sums(setting)
    needed = users_needed(sums.size, Budget(setting["epsilon"], setting["delta"]))
    if needed is not None:
        yield needed
        return
    unit, count = unit_of_distance(setting, sums), outliers_in(setting, sums.size)
    budget = Budget(setting["epsilon"], setting["delta"])
    mechanism, crowd = mechanism_for(sums, setting), math.ceil(1.25 * budget.kappa)

    def moved(outliers: int) -> Iterator[Chart]:
        return refusal_against_outlier(
            sums,
            mechanism=mechanism,
            epsilon=budget.epsilon,
            delta=budget.delta,
            reach=LIMITS["outlier_distance"].maximum * unit,
            here=validate("outlier_distance", setting["outlier_distance"]) * unit,
            outliers=outliers,
        )

    def chart(part: Chart, *curves: Curve) -> MovedOutliers:
        return MovedOutliers(
            x=part.x,
            y=part.y,
            curves=curves,
            here=part.here,
            in_headline=part.in_headline,
            outliers=count,
            budget=budget,
            crowd=crowd,
        )

    label = "one outlier" if count == 1 else f"{count} outliers together"
    together: Curve | None = None
    for part in moved(count):
        together = replace(part.curve("refusal"), label=label)
        yield chart(part, together)
    assert together is not None
    *_, part = moved(crowd if count == 1 else 1)
    key, beside = ("crowd", f"{crowd} together") if count == 1 else ("alone", "one of them alone")
    other = replace(part.curve("refusal"), key=key, label=beside, weight=0.6)
    yield chart(part, together, other)


def refusal_against_outlier(
    user_sums: ArrayLike,
    *,
    mechanism: SumMechanism,
    epsilon: float,
    delta: float,
    reach: float,
    here: float,
    outliers: int = 1,
) -> Iterator[Chart]:
    """Yield Pr[⊥], exactly, as the last users' sums move from the median of the others outwards.

    One outlier raises the least R₁ that passes by at most 1 (Observation 36), and so Pr[⊥] by a
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
    middle = centre(mechanism, others)
    # Only the 4κ sums at each end enter any spread: what lies between can be left out.
    ends = 4 * full.budget.kappa
    if others.size > 2 * ends:
        others = np.concatenate([others[:ends], others[-ends:]])
    shares = np.linspace(0, 1, 65)
    order = reach * shares[coarse_to_fine(shares.size, 16)]
    distances = dict.fromkeys(whole(mechanism, float(d)) for d in [here, *order])
    known: dict[float, float] = {}
    pace = Pace()
    for distance in distances:
        sums = np.append(others, np.full(int(outliers), middle + distance))
        moved = DelStab(sums, mechanism=mechanism, epsilon=epsilon, delta=delta)
        known[distance] = moved.refusal_probability
        if pace.due():
            yield _outlier_chart(known, here, reach)
    yield _outlier_chart(known, here, reach)


def _outlier_chart(known: dict[float, float], here: float, reach: float) -> Chart:
    x = np.array(sorted(known))
    return Chart(
        x=Axis(
            "distance",
            "distance of the outliers from the others' median",
            log=False,
            base=0.0,
            reach=reach,
        ),
        y=Axis(
            "refusal",
            "probability of no answer (⊥)",
            log=False,
            base=0.0,
            reach=1.0,
            chance=True,
        ),
        curves=(
            Curve(
                key="refusal",
                label="probability of no answer (⊥)",
                subject=Subject.USER_LEVEL,
                evidence=Evidence.EXACT,
                source=Source(UL, "Algorithm 1"),
                x=x,
                y=np.array([known[d] for d in x]),
            ),
        ),
        here=here,
        in_headline=("refusal",),
    )
