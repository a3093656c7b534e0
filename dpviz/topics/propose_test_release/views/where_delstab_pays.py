"""View: a map of n and m, and from where on DelStab adds less noise than plain noise on the sum."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.maths.local_deletion import EXAMPLES, spread_bound
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import Pace, coarse_to_fine, pause
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.naming import UNSTABLE, proof_epsilon
from dpviz.topics.propose_test_release.plain import least_examples, on_well_behaved_users
from dpviz.topics.propose_test_release.users_needed import UsersNeeded, users_needed

_POINTS = 33
_ENDS = 3  # the first points: the reader's and both ends of the axis
_MANY = 10**6  # examples, at which ε′ of the proof is found; it goes like 1/√m
_OWN = "dpviz.topics.propose_test_release"


@dataclass(frozen=True, eq=False, kw_only=True)
class PaysChart(Chart):
    """The least m from which DelStab adds less noise than plain noise, along n.

    usual: for well-behaved users at the reader's n, infinity if not up to a billion; proven: with
    the spread that 95% of data sets are proven to have; proof: with the constants of Theorem 17.
    examples: the reader's m. fewest: 4κ + 1.
    """

    usual: float
    proven: float
    proof: float
    examples: int
    fewest: int


def where_delstab_pays(
    *, users: float, examples_per_user: float, rate: float, epsilon: float, delta: float
) -> Iterator[PaysChart | UsersNeeded]:
    """Yield the m from which DelStab adds less noise to the sum of n users, along n.

    Both have the same (ε, δ) for whole users (substitution). DelStab's Laplace or geometric noise
    is scaled from n − 4κ users to n. Plain noise is Laplace noise for sums cut off to [0, m], the
    same as group privacy. There are three curves: with the spread of well-behaved users, whose sums
    are the quantiles of Binomial(m, p); with the spread that 95% of data sets are proven to stay
    within (Hoeffding's inequality, all pairs of sets); and with the ε′ that the proof of Theorem 17
    asks for. Raises `ParameterError`.
    """
    here, m = int(validate("users", users)), int(EXAMPLES.validate(examples_per_user))
    p, budget = validate("rate", rate), Budget(epsilon, delta)
    needed = users_needed(here, budget)
    if needed is not None:
        yield needed
        return
    most = LIMITS["users"].maximum
    x = np.unique([here, *np.rint(np.geomspace(budget.fewest_users + 1, most, _POINTS))])
    place = int(np.searchsorted(x, here))
    least = np.full((3, x.size), np.nan)
    pace = Pace()
    for done, i in enumerate(coarse_to_fine(x.size, 4, here=place), 1):
        n = int(x[i])
        compared = on_well_behaved_users(
            users=n, rate=p, noise="geometric", noise_factor=1.0, budget=budget
        )
        least[:, i] = (
            least_examples(compared),
            proven_examples(n, budget),
            proof_examples(n, budget),
        )
        pause()
        # All is mostly known by the time that anything is due; both ends are, and so the axes.
        if pace.due() and _ENDS <= done < x.size:
            yield _chart(x, least, here, m, budget)
    yield _chart(x, least, here, m, budget)


def proven_examples(users: int, budget: Budget) -> float:
    """Return the m from which DelStab's noise is smaller with a spread that is proven.

    The bound on the spread is √m times what it is for one example, as long as it is not 4κ·m.
    """
    deleted = 4 * budget.kappa
    spread = float(
        spread_bound(deleted, users=users, examples=_MANY, failure_probability=UNSTABLE)
    ) / math.sqrt(_MANY)
    return (spread * _times_louder(users, budget) / _laplace_loss(budget, whole=False)) ** 2


def proof_examples(users: int, budget: Budget) -> float:
    """Return the m from which DelStab's noise is smaller with the constants of Theorem 17."""
    loss = proof_epsilon(users=users, examples=_MANY, budget=budget) * math.sqrt(_MANY)
    return (_times_louder(users, budget) / loss) ** 2


def _times_louder(users: int, budget: Budget) -> float:
    """Return how many times the noise per ε is that of plain noise for one example."""
    return _laplace_loss(budget, whole=True) * users / (users - 4 * budget.kappa)


def _laplace_loss(budget: Budget, *, whole: bool) -> float:
    """Return the sensitivity over the scale of the least Laplace noise, for (ε, δ) or (ε̄, δ̄)."""
    epsilon, delta = (
        (budget.epsilon, budget.delta) if whole else (budget.epsilon_bar, budget.delta_bar)
    )
    return epsilon - 2 * math.log1p(-delta)


def _chart(x: FloatArray, least: FloatArray, here: int, examples: int, budget: Budget) -> PaysChart:
    described = (
        (
            "usual",
            "well-behaved users",
            Subject.USER_LEVEL,
            Evidence.EXACT,
            Source(UL, "Algorithm 1"),
        ),
        (
            "proven",
            "95% of data sets, proven",
            Subject.ITEM_LEVEL,
            Evidence.UPPER,
            Source(_OWN, "Hoeffding, all pairs of sets"),
        ),
        (
            "proof",
            "the proof's constants",
            Subject.PERTURBED,
            Evidence.UPPER,
            Source(UL, "Theorem 17, constants of the proof"),
        ),
    )
    usual, proven, proof = (float(row[x == here][0]) for row in least)
    return PaysChart(
        x=Axis("users", "Users, n", base=float(x[0]), reach=float(x[-1])),
        y=Axis("examples_per_user", "Examples each user needs, m"),
        curves=tuple(
            Curve(*known, x, np.where(np.isfinite(row) & (row > 0), row, np.nan))
            for known, row in zip(described, least, strict=True)
        ),
        marks=(_own_mark(here, examples, usual),),
        here=float(here),
        in_headline=("usual",),
        done=float(np.mean(~np.isnan(least[0]))),
        usual=usual,
        proven=proven,
        proof=proof,
        examples=examples,
        fewest=budget.fewest_users,
    )


def _own_mark(here: int, examples: int, usual: float) -> Mark:
    """Mark the reader's n and m, and say which side of the curve that is."""
    pays = math.isfinite(usual) and examples >= usual
    quieter = "DelStab adds less" if pays else "plain noise is less"
    return Mark(float(here), float(examples), f"your n and m: {quieter}", Subject.DANGER)
