"""Every attacker at once: the hits and false alarms anybody can reach, and the privacy profile."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dpviz.maths import trade_off
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
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace, paused
from dpviz.topics.promise.calibrating import capitalised_noise, few_places, least_noise
from dpviz.topics.promise.hits_charts import hits_chart
from dpviz.topics.promise.releases import BoundedRelease, Bounds, ByProfile, Release

SIDES = {
    "all": "All attackers",
    "careful": "Careful ones",
    "profile": "ε against δ",
}
"""The sides of the view: linear axes, rare false alarms on logarithmic ones, and δ(ε)."""

_DEEPEST = 1e-12  # the least δ drawn
_POINTS = 40  # of a profile


@dataclass(frozen=True, eq=False, kw_only=True)
class EveryAttacker(Chart):
    """What the best attackers reach against k answers.

    false_alarms: the share of the innocent the chosen attacker accuses; hits: bounds on the share
    of those in the data accused then; ratio: how many times likelier an answer must be with the
    person than without, to be accused. correct: how often the best attacker is right if half the
    people asked about are in the data. gaussian_mu: the least μ of Gaussian DP, inf if there is
    none. log_floor: ln of the δ that no ε removes, −inf if there is none. promised: the hits the
    promise allows.
    """

    side: str
    mechanism: str
    epsilon: float
    delta: float
    queries: int
    false_alarms: float
    hits: tuple[float, float]
    promised: float
    ratio: float
    correct: float
    gaussian_mu: float
    log_floor: float


def every_attacker(
    *,
    mechanism: str,
    epsilon: float,
    delta: float,
    queries: int,
    power: float,
    side: str,
    false_alarms: float,
) -> Iterator[EveryAttacker]:
    """Yield what anybody can learn from k answers with the least (ε, δ)-DP noise, coarse to fine.

    mechanism: one of `dpviz.topics.promise.calibrating.NOISES`; side: one of `SIDES`;
    false_alarms: α of the attacker to look at; power: p of bounded noise. Neighbouring data sets
    substitute one person. Raises `ParameterError`.
    """
    if side not in SIDES:
        raise ParameterError("side", f"one of {', '.join(SIDES)}", side)
    alarm = validate("false_alarms", false_alarms)
    release = least_noise(mechanism, epsilon=epsilon, delta=delta, queries=queries, power=power)
    state = (side, mechanism, epsilon, delta, int(queries), alarm)
    places, bounds = _places(release, epsilon), None
    # The profile drawn has places of its own, also where the one behind the hit rates is known.
    if isinstance(release, ByProfile) and (side == "profile" or not release.is_profiled):
        coarse = replace(release, at=few_places(release, epsilon, delta, alarm))
        shown = _result(coarse, *state, done=len(coarse.at) / _POINTS)
        yield shown
        pace = Pace()
        yield from paused(release.profile_steps(), pace, shown)
        if side == "profile":
            bounds = yield from paused(release.log_delta_steps(places), pace, shown)
    yield _result(release, *state, done=1.0, bounds=bounds)


def _result(
    release: Release,
    side: str,
    mechanism: str,
    epsilon: float,
    delta: float,
    queries: int,
    alarm: float,
    *,
    done: float,
    bounds: Bounds | None = None,
) -> EveryAttacker:
    """Return what is known; bounds: on ln δ at `_places`, where they are known already."""
    low, high = release.hits(np.array([alarm]))
    if side == "profile":
        chart = _profile(release, mechanism, epsilon, delta, bounds)
    else:
        mark = Landmark(alarm, float(high[0]), "this attacker")
        careful = side == "careful"
        chart = hits_chart(release, mechanism, epsilon, delta, mark, careful=careful)
        chart = replace(chart, in_headline=("best", "blind"))
    if isinstance(release, ByProfile):  # its points begin at ε = 0
        overlap = float(release.profile.upper[release.profile.epsilon == 0][0])
    else:
        overlap = math.exp(release.log_delta(np.array([0.0]))[1][0])
    return EveryAttacker.of(
        chart,
        side=side,
        mechanism=mechanism,
        epsilon=epsilon,
        delta=delta,
        queries=queries,
        false_alarms=alarm,
        hits=(float(low[0]), float(high[0])),
        promised=float(trade_off.promised_hits(alarm, epsilon=epsilon, delta=delta)),
        ratio=_ratio(release, alarm),
        correct=(1 + overlap) / 2,
        gaussian_mu=release.gaussian_mu,
        log_floor=release.log_floor if isinstance(release, BoundedRelease) else -math.inf,
        done=done,
    )


def _ratio(release: Release, alarm: float) -> float:
    """Return the slope of the hits at α: the likelihood ratio from which on people are accused."""
    step = 0.02 * min(alarm, 1 - alarm)
    _, ends = release.hits(np.array([alarm - step, alarm + step]))
    return float(ends[1] - ends[0]) / (2 * step)


def _places(release: Release, epsilon: float) -> FloatArray:
    """Return the ε at which a profile is drawn."""
    last = max(2.5 * epsilon, 0.5)
    if isinstance(release, ByProfile) and release.at:
        return np.unique([place for place in (*release.at, epsilon) if place <= last])
    near = [epsilon / 2, epsilon, 2 * epsilon]
    return np.unique(np.append(np.linspace(0.0, last, _POINTS), near))


def _profile(
    release: Release, mechanism: str, epsilon: float, delta: float, bounds: Bounds | None
) -> Chart:
    """Return δ(ε), with the promise as the point that it was made for."""
    x = _places(release, epsilon)
    low, high = (np.exp(ends) for ends in bounds or release.log_delta(x))
    high = np.where(x >= epsilon, np.minimum(high, np.maximum(low, delta)), high)  # as promised
    seen = high >= _DEEPEST
    exact = release.evidence is Evidence.EXACT
    drawn = np.where(seen, 1.0, math.nan)
    curve = Curve(
        "delta",
        capitalised_noise(mechanism),
        release.subject,
        release.evidence,
        release.source,
        x,
        high * drawn,
        None if exact else np.maximum(low, _DEEPEST) * drawn,
        None if exact else high * drawn,
        weight=1.4,
    )
    curves = [curve]
    if isinstance(release, BoundedRelease) and math.exp(release.log_floor) >= _DEEPEST:
        floor = np.full(x.shape, math.exp(release.log_floor))
        source = Source("Dagan & Kur", "Section 2: the ends of the noise's range")
        curves.append(
            Curve("floor", "No ε gets below this", Subject.DANGER, Evidence.EXACT, source, x, floor)
        )
    return Chart(
        Axis("epsilon", "Privacy loss, ε", log=False),
        Axis("delta", "δ: the least for which the promise holds"),
        tuple(curves),
        (Landmark(epsilon, delta, "the promise made"),),
        here=epsilon,
        in_headline=("delta", "floor") if len(curves) > 1 else ("delta",),
    )
