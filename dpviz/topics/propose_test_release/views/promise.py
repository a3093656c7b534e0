"""View: the privacy that Lemma 18 promises beside what DelStab truly keeps, on 0/1 users."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import Pace, coarse_to_fine
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.exact_law import BitUsers, exact_epsilon
from dpviz.topics.propose_test_release.users_needed import UsersNeeded, users_needed

_POINTS = 17


@dataclass(frozen=True, eq=False, kw_only=True)
class PromiseChart(Chart):
    """The user-level ε at the promised δ, along the privacy loss ε′ of the noise for one example.

    exact: at the reader's ε′; alone: of the noise without a test. refusals: the largest Pr[⊥] of
    any data set there.
    """

    promised: float
    delta: float
    users: int
    exact: float
    alone: float
    refusals: float


def promised_and_kept(
    *, bit_users: float, promised_epsilon: float, promised_delta: float, noise_epsilon: float
) -> Iterator[PromiseChart | UsersNeeded]:
    """Yield the exact ε of DelStab at δ, for users with one 0 or 1 each, along ε′.

    The mechanism adds geometric noise of item-level ε′ to the sum. All n + 1 data sets and both
    directions are compared; users are substituted. Raises `ParameterError`.
    """
    users = int(validate("bit_users", bit_users))
    here = validate("noise_epsilon", noise_epsilon)
    epsilon = validate("promised_epsilon", promised_epsilon)
    budget = Budget(epsilon, validate("promised_delta", promised_delta))
    needed = users_needed(users, budget)
    if needed is not None:
        yield needed
        return
    limit = LIMITS["noise_epsilon"]
    x = np.unique([*np.geomspace(limit.minimum, limit.maximum, _POINTS), here])
    place = int(np.searchsorted(x, here))
    exact, refusals = np.full(x.shape, np.nan), math.nan
    pace = Pace()
    for i in coarse_to_fine(x.size, 8, here=place):
        laws = BitUsers(users, GeometricCount(float(x[i])), budget).log_laws()
        exact[i] = exact_epsilon(laws, delta=budget.delta)
        if i == place:
            refusals = float(np.exp(laws[:, 0].max()))
        if pace.due() or i == place:
            yield _chart(x, exact, here, budget, users, refusals)
    yield _chart(x, exact, here, budget, users, refusals)


def _alone(loss: float, budget: Budget) -> float:
    """Return the least ε at δ of the noise on the sum of all users, each of whom moves it by 1."""
    return float(GeometricCount(loss).least_epsilon(1.0, delta=budget.delta))


def _chart(
    x: FloatArray, exact: FloatArray, here: float, budget: Budget, users: int, refusals: float
) -> PromiseChart:
    known = np.isfinite(exact)
    return PromiseChart(
        x=Axis("noise_epsilon", "privacy loss of the noise for one example, ε′"),
        y=Axis("epsilon", "user-level privacy loss", log=False, base=0.0),
        curves=(
            Curve(
                "promised",
                "promised",
                Subject.USER_LEVEL,
                Evidence.UPPER,
                Source(UL, "Lemma 18"),
                x,
                np.full(x.shape, budget.epsilon),
            ),
            Curve(
                "exact",
                "true loss",
                Subject.BOUNDED,
                Evidence.EXACT,
                Source(UL, "Algorithm 1"),
                x[known],
                exact[known],
            ),
            Curve(
                "alone",
                "the noise alone, no test",
                Subject.LAPLACE,
                Evidence.EXACT,
                Source("dpviz.maths.sum_mechanisms", "geometric mechanism, closed form"),
                x,
                np.array([_alone(float(loss), budget) for loss in x]),
            ),
        ),
        here=here,
        told=("exact",),
        promised=budget.epsilon,
        delta=budget.delta,
        users=users,
        exact=float(exact[x == here][0]),
        alone=_alone(here, budget),
        refusals=refusals,
        done=float(np.mean(known)),
    )
