"""View: the privacy that Lemma 18 promises beside what DelStab truly keeps, where that is exact.

Users have one item each: a 0 or 1, of which a noisy sum is released, or one of three categories,
among which a private choice is made.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import Pace, coarse_to_fine
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.exact_choice import CHOICES, CategoryUsers, counts_of
from dpviz.topics.propose_test_release.exact_law import BitUsers, exact_epsilon
from dpviz.topics.propose_test_release.users_needed import UsersNeeded, users_needed

INSIDE = {"sum": "Noisy sum", **CHOICES}
"""What the test protects by name, and in words."""
_ENDS = 3  # the first points: the reader's and both ends of the axis
_POINTS, _POINTS_OF_A_SUM = 17, 33  # the laws of a choice take longer
_ALONE = (
    ("dpviz.topics.propose_test_release", "exact laws of the choice"),
    ("dpviz.maths.sum_mechanisms", "geometric mechanism, closed form"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class PromiseChart(Chart):
    """The user-level ε at the promised δ, along the privacy loss ε′ of the noise for one example.

    exact: at the reader's ε′; alone: of what is protected without a test. refusals: the largest
    Pr[⊥] of any data set there. inside: one of `INSIDE`.
    """

    promised: float
    delta: float
    users: int
    exact: float
    alone: float
    refusals: float
    inside: str = "sum"


def promised_and_kept(
    *,
    bit_users: float,
    promised_epsilon: float,
    promised_delta: float,
    noise_epsilon: float,
    inside: str = "sum",
) -> Iterator[PromiseChart | UsersNeeded]:
    """Yield the exact ε of DelStab at δ, for users with one item each, along ε′.

    inside: what is protected with item-level ε′, one of `INSIDE`. All data sets and both directions
    are compared; users are substituted. Raises `ParameterError`.
    """
    if inside not in INSIDE:
        raise ParameterError("inside", f"one of {', '.join(INSIDE)}", inside)
    users = int(validate("bit_users", bit_users))
    here = validate("noise_epsilon", noise_epsilon)
    epsilon = validate("promised_epsilon", promised_epsilon)
    budget = Budget(epsilon, validate("promised_delta", promised_delta))
    needed = users_needed(users, budget)
    if needed is not None:
        yield needed
        return
    limit = LIMITS["noise_epsilon"]
    points = _POINTS_OF_A_SUM if inside == "sum" else _POINTS
    x = np.unique([*np.geomspace(limit.minimum, limit.maximum, points), here])
    place = int(np.searchsorted(x, here))
    exact, alone, refusals = np.full(x.shape, np.nan), np.full(x.shape, np.nan), math.nan
    pace = Pace()
    for done, i in enumerate(coarse_to_fine(x.size, 8, here=place), 1):
        exact[i], alone[i], refused = _losses(inside, users, float(x[i]), budget)
        if i == place:
            refusals = refused
        # With both ends the axis stands.
        if done == _ENDS or (pace.due() and done > _ENDS):
            yield _chart(x, exact, alone, here, budget, users, refusals, inside)
    yield _chart(x, exact, alone, here, budget, users, refusals, inside)


def _losses(inside: str, users: int, loss: float, budget: Budget) -> tuple[float, float, float]:
    """Return the least ε at δ with the test and without, and the largest Pr[⊥]."""
    if inside == "sum":
        mechanism = GeometricCount(loss)
        laws = BitUsers(users, mechanism, budget).log_laws()
        spent = exact_epsilon(laws, delta=budget.delta)
        alone = float(mechanism.least_epsilon(1.0, delta=budget.delta))
        return spent, alone, float(np.exp(laws[:, 0].max()))
    chooser = CategoryUsers(users, inside, loss, budget)
    laws, counts = chooser.log_laws(), counts_of(users)
    return (
        chooser.exact_epsilon(laws, delta=budget.delta),
        chooser.exact_epsilon(chooser.untested(), delta=budget.delta),
        float(np.exp(laws[counts[:, 0], counts[:, 1], 0].max())),
    )


def _chart(
    x: FloatArray,
    exact: FloatArray,
    alone: FloatArray,
    here: float,
    budget: Budget,
    users: int,
    refusals: float,
    inside: str,
) -> PromiseChart:
    known = np.isfinite(exact)
    return PromiseChart(
        x=Axis("noise_epsilon", "Privacy loss of the noise for one example, ε′"),
        y=Axis("epsilon", "User-level ε", log=False, base=0.0),
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
                Source(*_ALONE[inside == "sum"]),
                x[known],
                alone[known],
            ),
        ),
        here=here,
        in_headline=("promised", "exact"),
        promised=budget.epsilon,
        delta=budget.delta,
        users=users,
        exact=float(exact[x == here][0]),
        alone=float(alone[x == here][0]),
        refusals=refusals,
        inside=inside,
        done=float(np.mean(known)),
    )
