"""View: the privacy that Lemma 18 promises beside what DelStab truly keeps, where that is exact.

Users have one item each: a 0 or 1, of which a noisy sum is released, or one of three categories,
among which a private choice is made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.results.evidence import Evidence, Origin, Result, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.exact_choice import CHOICES, CategoryUsers, counts_of
from dpviz.topics.propose_test_release.exact_law import BitUsers, exact_epsilon
from dpviz.topics.propose_test_release.users_needed import UsersNeeded, users_needed

INSIDE = {"sum": "Noisy sum", **CHOICES}
"""What the test protects by name, and in words."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Kept(Result):
    """The user-level ε at the promised δ, for users with one item each.

    promised, delta: of Lemma 18; users: n; loss: ε′, of the noise for one example. exact: of
    DelStab, over all pairs of neighbouring data sets; alone: of what is protected, without a test.
    refusals: the largest Pr[⊥] of any data set. inside: one of `INSIDE`.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"what": "which privacy loss", "epsilon": "user-level ε at δ"}
    )
    other_origins = (
        Origin(Evidence.UPPER, Source(UL, "Lemma 18")),
        Origin(Evidence.EXACT, Source(UL, "Algorithm 1")),
        Origin(Evidence.EXACT, Source("dpviz.topics.propose_test_release", "the exact laws")),
    )

    promised: float
    delta: float
    users: int
    loss: float
    exact: float
    alone: float
    refusals: float
    inside: str

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a row for each of the three losses."""
        what = np.array(["budgeted", "lost", "lost without the test"])
        return {"what": what, "epsilon": np.array([self.promised, self.exact, self.alone])}


def promised_and_kept(
    *,
    bit_users: float,
    promised_epsilon: float,
    promised_delta: float,
    noise_epsilon: float,
    inside: str = "sum",
) -> Kept | UsersNeeded:
    """Return the exact ε of DelStab at δ, for users with one item each.

    inside: what is protected with item-level ε′, one of `INSIDE`. All data sets and both directions
    are compared; users are substituted. Raises `ParameterError`.
    """
    if inside not in INSIDE:
        raise ParameterError("inside", f"one of {', '.join(INSIDE)}", inside)
    users = int(validate("bit_users", bit_users))
    loss = validate("noise_epsilon", noise_epsilon)
    epsilon = validate("promised_epsilon", promised_epsilon)
    budget = Budget(epsilon, validate("promised_delta", promised_delta))
    needed = users_needed(users, budget)
    if needed is not None:
        return needed
    exact, alone, refusals = _losses(inside, users, loss, budget)
    return Kept(
        promised=budget.epsilon,
        delta=budget.delta,
        users=users,
        loss=loss,
        exact=exact,
        alone=alone,
        refusals=refusals,
        inside=inside,
    )


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
