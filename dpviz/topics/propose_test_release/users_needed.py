"""Fewer than 4κ + 1 users leave nobody to answer: how many are needed."""

from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Landmark, Source, Subject
from dpviz.results.papers import UL
from dpviz.topics.propose_test_release.delstab import Budget


@dataclass(frozen=True, eq=False, kw_only=True)
class UsersNeeded(Chart):
    """The fewest users, 4κ + 1, along ε. users: the reader's, too few; kappa: κ."""

    users: int
    kappa: int


def users_needed(users: int, budget: Budget) -> UsersNeeded | None:
    """Return `UsersNeeded` if there are too few users, None if there are enough."""
    if users >= budget.fewest_users:
        return None
    epsilon = np.unique(np.append(np.geomspace(0.01, 10, 121), budget.epsilon))
    fewest = np.array([Budget(float(e), budget.delta).fewest_users for e in epsilon])
    return UsersNeeded(
        x=Axis("epsilon", "Privacy loss, ε"),
        y=Axis("users", "Users needed"),
        curves=(
            Curve(
                key="fewest",
                label="fewest users, 4κ + 1",
                subject=Subject.USER_LEVEL,
                evidence=Evidence.EXACT,
                source=Source(UL, "Algorithm 1"),
                x=epsilon,
                y=fewest.astype(float),
            ),
        ),
        landmarks=(Landmark(budget.epsilon, float(users), f"n = {users} here", Subject.DANGER),),
        here=budget.epsilon,
        users=users,
        kappa=budget.kappa,
    )
