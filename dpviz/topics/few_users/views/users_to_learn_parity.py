"""View: parity, where users who trust nobody need many examples each, or be exponentially many."""

import math
from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import CS
from dpviz.topics.few_users.enough_users import parity_users
from dpviz.topics.few_users.learners_by_name import ALPHA, BETA, BITS, EPSILON, EXAMPLES_PER_USER
from dpviz.topics.few_users.models import least_users_exchanged
from dpviz.topics.few_users.one_example import (
    users_enough,
    users_too_few_at_once,
    users_too_few_in_turn,
)
from dpviz.topics.few_users.problems import parities_served

_ONE = "dpviz.topics.few_users.one_example"
_ROWS = (
    (
        "proved",
        "many examples each: enough",
        Subject.USER_LEVEL,
        Evidence.UPPER,
        Source("dpviz.topics.few_users.enough_users", "exact tails, union bound"),
    ),
    (
        "item_once",
        "one example each, all at once: too few",
        Subject.ITEM_LEVEL,
        Evidence.LOWER,
        Source(_ONE, "what independent messages tell of the parity"),
    ),
    (
        "item_few",
        "one example each, in turn: too few",
        Subject.ITEM_LEVEL,
        Evidence.LOWER,
        Source(_ONE, "after Kasiviswanathan et al. 2011, with constants"),
    ),
    (
        "item",
        "one example each: enough",
        Subject.ITEM_LEVEL,
        Evidence.EXACT,
        Source(_ONE, "a question about each parity"),
    ),
    (
        "least",
        "fewest of any ε-private learner",
        Subject.LOWER_BOUND,
        Evidence.LOWER,
        Source(CS, "Lemma 34, group privacy over all parities"),
    ),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class ParityChart(Chart):
    """Users needed to learn parity with local privacy, against d.

    examples: m. At the reader's d: many, users with m examples each who are certainly enough;
    in_turn, at_once: users with one example each who are too few, 0 if not even one is proved to
    be; one: who are enough, at once.
    """

    examples: int
    many: float
    in_turn: float
    at_once: float
    one: float
    epsilon: float
    alpha: float
    beta: float


def users_to_learn_parity(
    *,
    bits: float,
    examples_per_user: float,
    alpha: float,
    failure_probability: float,
    epsilon: float,
) -> ParityChart:
    """Return users who learn a parity in the local model, and users too few, for d = 2, …, 8 bits.

    Each solves linear equations and votes for the parity, or holds a single example. alpha: α, the
    error allowed; failure_probability: β. Raises `ParameterError`.
    """
    here = int(BITS.validate(bits))
    m, eps = int(EXAMPLES_PER_USER.validate(examples_per_user)), EPSILON.validate(epsilon)
    error, beta = ALPHA.validate(alpha), BETA.validate(failure_probability)
    sizes = [int(d) for d in BITS.grid]

    def users(d: int) -> FloatArray:
        return np.array(
            [
                parity_users(d, epsilon=eps, examples=m, beta=beta),
                math.floor(users_too_few_at_once(d, epsilon=eps, alpha=error, beta=beta)),
                math.floor(users_too_few_in_turn(d, epsilon=eps, alpha=error, beta=beta)),
                users_enough(d, epsilon=eps, beta=beta),
                least_users_exchanged(
                    targets=2**d, served=parities_served(error), epsilon=eps, delta=0, beta=beta
                ),
            ]
        )

    found = np.array([users(d) for d in sizes])
    many, at_once, in_turn, one, _ = found[sizes.index(here)]
    return ParityChart(
        x=Axis("bits", "Size: 2^d parities, d", log=False),
        y=Axis("users", "Users needed", log=False),
        curves=tuple(
            Curve(*row, np.array(sizes, dtype=float), y)
            for row, y in zip(_ROWS, found.T, strict=True)
        ),
        here=float(here),
        in_headline=("proved", "item_few"),
        examples=m,
        many=float(many),
        in_turn=float(in_turn),
        at_once=float(at_once),
        one=float(one),
        epsilon=eps,
        alpha=error,
        beta=beta,
    )
