"""Odds: what a suspicion becomes, by a pure promise, and after an attacker's accusation."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from dpviz.maths import gaussian, trade_off
from dpviz.results.evidence import Evidence, Origin, Result, Source
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace, paused
from dpviz.topics.promise.calibrating import few_places, least_noise
from dpviz.topics.promise.deployments import DEPLOYMENTS, Deployment
from dpviz.topics.promise.releases import ByProfile, Release

_BAYES = Source("Kasiviswanathan et al. 2011", "and Bayes: odds grow by the factor e^ε at most")
_COARSE = 0.1  # of the work, after which there is something to see
_COUNTS = Source("Nanayakkara et al. 2023", "odds, told as counts of people")


@dataclass(frozen=True, eq=False)
class Odds(Result):
    """What a suspicion `prior` becomes; all are probabilities.

    pure: at most, after any answer, if ε is promised with δ = 0. largest_loss: of all answers
    together, inf where there is no largest; worst: the suspicion after the most revealing answer.
    hit_rate: the share of those in the data whom an attacker accuses; false_alarms: the share of
    the innocent who are accused with them; accused: bounds on the share of the accused who are in
    the data; promised: the most that the promise (ε, δ) allows here. guess: of a hundred accused,
    how many a reader predicted to be in the data; NaN for no prediction.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "situation": "before or after which answer",
            "suspicion": "probability that the suspicion is true",
        }
    )

    prior: float
    epsilon: float
    delta: float
    mechanism: str
    queries: int
    pure: float
    largest_loss: float
    worst: float
    hit_rate: float
    false_alarms: float
    accused: tuple[float, float]
    promised: float
    noise: Origin
    guess: float = math.nan

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Bayes' rule, the law of the noise, what the promise allows, and what is in use."""
        published = dict.fromkeys([_COUNTS, *(one.source for one in DEPLOYMENTS)])
        origins = (Origin(Evidence.PUBLISHED, source) for source in published)
        return (Origin(Evidence.EXACT, _BAYES), self.noise, *origins)

    def after(self, one: Deployment) -> float:
        """Return what the suspicion becomes at most where ε is as large as in a deployment."""
        return float(trade_off.posterior(self.prior, loss=one.epsilon))

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the numbers, a row each."""
        rows = {
            "before": self.prior,
            "after any answer, pure promise": self.pure,
            "after the worst answer": self.worst,
            "accused by the best attacker": self.accused[1],
            "accused, as far as the promise tells": self.promised,
        }
        rows |= {
            f"in use: {one.name}, ε = {one.epsilon:g}, δ = {one.delta:g}, hides {one.unit}, "
            f"{one.period}": self.after(one)
            for one in DEPLOYMENTS
        }
        return {"situation": np.array(list(rows)), "suspicion": np.array(list(rows.values()))}


def odds_after_answers(
    *,
    mechanism: str,
    epsilon: float,
    delta: float,
    queries: int,
    power: float,
    prior: float,
    hit_rate: float,
) -> Iterator[Odds]:
    """Yield what a suspicion becomes through k answers with the least (ε, δ)-DP noise.

    If it rests on certified bounds, the first of them are farther apart than the last.

    prior: the probability π before the answers; hit_rate: the rate h at which the best attacker
    accuses. The
    attacker's false alarms are the least that allow this hit rate. Neighbouring data sets
    substitute one person. Raises `ParameterError`.
    """
    pi, hit = validate("prior", prior), validate("hit_rate", hit_rate)
    release = least_noise(mechanism, epsilon=epsilon, delta=delta, queries=queries, power=power)
    state = (mechanism, epsilon, delta, int(queries), pi, hit)
    if isinstance(release, ByProfile) and not release.is_profiled:
        mu = float(gaussian.largest_mu(np.array(epsilon), np.array(delta)))
        alarm = float(ndtr(ndtri(hit) - mu))
        coarse = replace(release, at=few_places(release, epsilon, delta, alarm))
        shown = _result(coarse, *state, done=_COARSE)
        yield shown
        yield from paused(release.profile_steps(), Pace(), shown)
    yield _result(release, *state)


def _result(
    release: Release,
    mechanism: str,
    epsilon: float,
    delta: float,
    queries: int,
    pi: float,
    hit: float,
    *,
    done: float | None = None,
) -> Odds:
    alarms = _alarms(release, hit)
    low, high = release.hits(np.array([alarms]))
    share = hit * float(low[0] / high[0]) if high[0] > 0 else hit
    accused = tuple(
        float(trade_off.precision(pi, hits=h, false_alarms=alarms)) for h in (share, hit)
    )
    least = max((hit - delta) * math.exp(-epsilon), 0.0)
    least = max(least, 1 - delta - math.exp(epsilon) * (1 - hit), 0.0)
    loss = release.largest_loss
    return Odds(
        prior=pi,
        epsilon=epsilon,
        delta=delta,
        mechanism=mechanism,
        queries=queries,
        pure=float(trade_off.posterior(pi, loss=epsilon)),
        largest_loss=loss,
        worst=float(trade_off.posterior(pi, loss=loss)),
        hit_rate=hit,
        false_alarms=alarms,
        accused=(accused[0], accused[1]),
        promised=float(trade_off.precision(pi, hits=hit, false_alarms=least)),
        noise=Origin(release.evidence, release.source),
        done=done,
    )


def _alarms(release: Release, hit: float) -> float:
    """Return the α at which the upper end of the best hit rate is `hit`."""

    def excess(log_alarm: float) -> float:
        return float(release.hits(np.array([math.exp(log_alarm)]))[1][0]) - hit

    if excess(-600.0) >= 0:
        return 0.0
    return min(math.exp(brentq(excess, -600.0, 0.0, xtol=1e-10)), hit)
