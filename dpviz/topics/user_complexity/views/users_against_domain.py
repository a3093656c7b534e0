"""View: the users that two classes of the same size ask for, along the size of the domain."""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
)
from dpviz.results.papers import CS, UL
from dpviz.results.parameters import LIMITS, validate
from dpviz.topics.user_complexity.representation_proof import (
    Boosted,
    boosted_points,
    enough_users_boosted,
    users_of_the_proof,
)
from dpviz.topics.user_complexity.representations import (
    Candidates,
    hashed_points,
    least_users,
    least_users_of_any_learner,
    littlestone_of_thresholds,
    points_themselves,
)

_SIZES = 25  # of the domain, at which users are counted


@dataclass(frozen=True, eq=False, kw_only=True)
class RepresentationChart(Chart):
    """Users along k, for points by two sets of candidates, and for thresholds at the least.

    size: ln |H| of the hashed representation, the d it proves. boosted: the one made by Lemma 21.
    depth: the Littlestone dimension of the thresholds.
    """

    size: float
    boosted: Boosted
    depth: int


def users_against_domain(
    *, domain_size: float, alpha: float, epsilon: float, examples_per_user: float
) -> RepresentationChart:
    """Return the users with whom each way works, along the size k of the domain."""
    here = validate("domain_size", domain_size)
    limit = LIMITS["domain_size"]
    hashed = hashed_points(alpha)
    setting = {"alpha": alpha, "epsilon": epsilon, "examples_per_user": examples_per_user}
    by_hashing = least_users(hashed, **setting)
    enough = (
        users_of_the_proof(math.log(hashed.count), **setting),
        enough_users_boosted(**setting),
    )
    x = np.unique([*np.rint(np.geomspace(limit.minimum, limit.maximum, _SIZES)), here])
    listed, start = list[Bracket](), 1.0
    for size in x.tolist():
        listed.append(least_users(points_themselves(size), **setting, start=start))
        start = listed[-1].lower
    return _chart(x, (listed, by_hashing, enough), hashed, here, alpha, epsilon)


def _chart(
    x: FloatArray,
    users: tuple[list[Bracket], Bracket, tuple[float, float]],
    hashed: Candidates,
    here: float,
    alpha: float,
    epsilon: float,
) -> RepresentationChart:
    stairs = _stairs(x[0], x[-1], here)
    depths = [littlestone_of_thresholds(size) for size in stairs.tolist()]
    least = [least_users_of_any_learner(depth, alpha=alpha, epsilon=epsilon) for depth in depths]
    thresholds = Curve(
        key="thresholds",
        label="thresholds, no learner with fewer",
        subject=Subject.LOWER_BOUND,
        evidence=Evidence.LOWER,
        source=Source(CS, "argument of Algorithm 6, and a packing over mistake trees of our own"),
        x=stairs,
        y=np.maximum(np.ceil(least), 1.0),
        steps=True,
    )
    return RepresentationChart(
        x=Axis("domain_size", "Points in the domain, k"),
        y=Axis("users", "Users that are enough"),
        curves=(*_of_points(x, *users), thresholds),
        here=here,
        in_headline=("points", "hashed"),
        size=math.log(hashed.count),
        boosted=boosted_points(alpha),
        depth=littlestone_of_thresholds(here),
    )


def _of_points(
    x: FloatArray, themselves: list[Bracket], by_hashing: Bracket, enough: tuple[float, float]
) -> tuple[Curve, ...]:
    """Return the users for points: listed and hashed, and what the paper's lemmas ask for."""
    learner = Curve(
        key="points",
        label="points, all of the class to choose from",
        subject=Subject.ITEM_LEVEL,
        evidence=Evidence.CERTIFIED,
        source=Source(UL, "proof of Theorem 4"),
        x=x,
        y=np.array([bracket.midpoint for bracket in themselves]),
        lower=np.array([bracket.lower for bracket in themselves]),
        upper=np.array([bracket.upper for bracket in themselves]),
    )
    represented = replace(
        learner,
        key="hashed",
        label="points, hashed",
        subject=Subject.USER_LEVEL,
        source=Source(UL, "Definition 20, proof of Theorem 4"),
        y=np.full(x.shape, by_hashing.midpoint),
        lower=np.full(x.shape, by_hashing.lower),
        upper=np.full(x.shape, by_hashing.upper),
    )
    by_proof, boosted = (
        Curve(key, label, subject, Evidence.UPPER, source, x, np.full(x.shape, most), second=True)
        for key, label, subject, source, most in (
            (
                "proof",
                "points, hashed: by the proof",
                Subject.USER_LEVEL,
                Source(UL, "Lemma 22, proof of Theorem 4"),
                enough[0],
            ),
            ("boosted", "points, boosted", Subject.EARLIER, Source(UL, "Lemma 21"), enough[1]),
        )
    )
    return learner, represented, by_proof, boosted


def _stairs(low: float, high: float, here: float) -> FloatArray:
    """Return the sizes at which the thresholds' dimension rises."""
    ends = [low, *2.0 ** np.arange(2, 64) - 1, here, high]
    return np.unique(np.clip(ends, low, high))
