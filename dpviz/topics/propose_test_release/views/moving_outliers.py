"""View: how likely DelStab refuses as outliers move away, one alone and many together."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths.sum_mechanisms import SumMechanism
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
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

_REACHES = (1.1, 4.0, LIMITS["outlier_distance"].maximum)  # units of distance, how far is shown
_POINTS = 65  # along the distance, before the steps between them are looked for
_JUMP = 0.01  # a step of the probability from which it shows where it is
_CLOSE = 1 / 500  # of the reach: how near a step is drawn to where it is


@dataclass(frozen=True, eq=False, kw_only=True)
class MovedOutliers(Chart):
    """Pr[⊥] as outliers move, one of them alone and several together.

    outliers: the reader's number; crowd: how many move together: as many, or a quarter more than κ
    if the reader has a single one, as fewer make no difference. budget: ε̄, δ̄ and κ. hidden: the
    largest difference of two sums that the noise hides. others: the sums of those who stay,
    ascending; middle: their median, from where outliers move; unit: how far a distance of 1 is.
    """

    outliers: int
    crowd: int
    budget: Budget
    hidden: float
    others: FloatArray
    middle: float
    unit: float

    @property
    def alone(self) -> float:
        """Pr[⊥] with one of them at the reader's distance."""
        return self.value("refusal" if self.outliers == 1 else "alone")

    @property
    def together(self) -> float:
        """Pr[⊥] with the crowd there."""
        return self.value("crowd" if self.outliers == 1 else "refusal")


def moving_outliers(**setting: Unpack[Setting]) -> Iterator[MovedOutliers | UsersNeeded]:
    """Yield `refusal_against_outliers` for the last users of the data, and for the last one alone.

    If the reader has a single outlier, a quarter more than κ move together beside it: κ is the
    number of users that the test leaves out most often. Raises `ParameterError`.
    """
    sums = user_sums(setting)
    budget = Budget(setting["epsilon"], setting["delta"])
    needed = users_needed(sums.size, budget)
    if needed is not None:
        yield needed
        return
    far = validate("outlier_distance", setting["outlier_distance"])
    unit, count = unit_of_distance(setting, sums), outliers_in(setting, sums.size)
    crowd = math.ceil(1.25 * budget.kappa) if count == 1 else count
    groups = (1, crowd) if count == 1 else (count, 1)
    other = "crowd" if count == 1 else "alone"
    mechanism, others = mechanism_for(sums, setting), np.sort(sums[: sums.size - count])
    reach = next(reach for reach in _REACHES if far <= reach)
    hidden = mechanism.farthest(epsilon=budget.epsilon_bar, delta=budget.delta_bar)
    users = {"outliers": count, "crowd": crowd, "budget": budget, "hidden": float(hidden)}
    moved = {"others": others, "middle": centre(mechanism, others), "unit": unit}
    for part in refusal_against_outliers(
        sums,
        mechanism=mechanism,
        epsilon=budget.epsilon,
        delta=budget.delta,
        reach=reach * unit,
        here=far * unit,
        outliers=groups,
        keys=("refusal", other),
    ):
        yield MovedOutliers.of(part, **users, **moved)


def refusal_against_outliers(
    user_sums: ArrayLike,
    *,
    mechanism: SumMechanism,
    epsilon: float,
    delta: float,
    reach: float,
    here: float,
    outliers: Sequence[int] = (1,),
    keys: Sequence[str] = ("refusal",),
) -> Iterator[Chart]:
    """Yield Pr[⊥], exactly, as the last users' sums move from the median of the others outwards.

    One outlier raises the least R₁ that passes by at most 1 (Observation 36), and so Pr[⊥] by a
    factor of at most e^ε̄, plus δ̄: that is its privacy. Only many outliers, or data on the brink,
    make it refuse. As R₁ is whole, Pr[⊥] rises in steps. outliers: how many users move together,
    from 1, and at most half of all: a curve each, named by `keys`; the median is that of those who
    are not among the first. reach: the largest distance from it, positive; here: the reader's, up
    to reach. A partial result at least every 0.1 s, of all curves; the last is complete. Raises
    `ParameterError`.
    """
    if not 0 < reach < math.inf:
        raise ParameterError("reach", "a positive number", reach)
    for count in outliers:
        if not (1 <= count <= np.size(user_sums) / 2 and count == math.floor(count)):
            raise ParameterError("outliers", "a whole number from 1 to half of the users", count)
    if not 0 <= here <= reach:
        raise ParameterError("here", f"a number from 0 to {reach:g}", here)
    full = DelStab(user_sums, mechanism=mechanism, epsilon=epsilon, delta=delta)
    others = full.sums[: full.users - int(outliers[0])]
    middle = centre(full.mechanism, others)
    groups = [_Moving(full, int(count), middle) for count in outliers]
    shares = np.linspace(0, 1, _POINTS)
    order = reach * shares[coarse_to_fine(shares.size, 16)]
    pace = Pace()

    def chart() -> Chart:
        return _outlier_chart([*zip(keys, groups, strict=True)], middle + here, middle + reach)

    for distance in dict.fromkeys(whole(mechanism, float(d)) for d in [here, *order]):
        for group in groups:
            group.at(distance)
        if pace.due():
            yield chart()
    for group in groups:
        while (between := group.widest_jump(_CLOSE * reach)) is not None:
            group.at(between)
            if pace.due():
                yield chart()
    yield chart()


class _Moving:
    """So many users who move, and Pr[⊥] at the distances that are known."""

    def __init__(self, full: DelStab, count: int, middle: float) -> None:
        others = np.sort(full.sums[: full.users - count])
        self.count = count
        self.full = full
        self.middle = middle
        # Only the 4κ sums at each end enter any spread: what lies between can be left out.
        ends = 4 * full.budget.kappa
        if others.size > 2 * ends:
            others = np.concatenate([others[:ends], others[-ends:]])
        self.others = others
        self.known: dict[float, float] = {}

    def at(self, distance: float) -> None:
        """Find Pr[⊥] with all of them there."""
        sums = np.append(self.others, np.full(self.count, self.middle + distance))
        budget = self.full.budget
        moved = DelStab(
            sums, mechanism=self.full.mechanism, epsilon=budget.epsilon, delta=budget.delta
        )
        self.known[distance] = moved.refusal_probability

    def curve(self) -> tuple[FloatArray, FloatArray]:
        """Return the distances, ascending, and Pr[⊥] there."""
        x = np.array(sorted(self.known))
        return x, np.array([self.known[d] for d in x.tolist()])

    def widest_jump(self, close: float) -> float | None:
        """Return the middle of the widest gap with a jump that shows, None if all are close."""
        x, y = self.curve()
        wide = np.where(np.abs(np.diff(y)) >= _JUMP, np.diff(x), 0.0)
        if wide.size == 0 or wide.max() <= close:
            return None
        place = int(wide.argmax())
        middle = whole(self.full.mechanism, float(x[place] + x[place + 1]) / 2)
        return middle if x[place] < middle < x[place + 1] else None


def _outlier_chart(moved: Sequence[tuple[str, _Moving]], here: float, reach: float) -> Chart:
    curves = []
    for key, group in moved:
        label = "one outlier alone" if group.count == 1 else f"{group.count:,} outliers together"
        x, y = group.curve()
        curves.append(
            Curve(
                key=key,
                label=label,
                subject=Subject.ITEM_LEVEL if group.count == 1 else Subject.USER_LEVEL,
                evidence=Evidence.EXACT,
                source=Source(UL, "Algorithm 1"),
                x=group.middle + x,
                y=y,
                steps=True,
            )
        )
    return Chart(
        x=Axis("outlier_sum", "One user’s sum", log=False, reach=reach),
        y=Axis("refusal", "Probability of a refusal", log=False, base=0.0, reach=1.0, chance=True),
        curves=tuple(curves),
        here=here,
        in_headline=tuple(key for key, _ in moved),
    )
