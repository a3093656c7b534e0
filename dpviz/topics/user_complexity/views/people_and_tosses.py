"""View: how many people it takes to tell two coins apart, each with a row of tosses."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.coin_tests import Coins
from dpviz.maths.logspace import log_binomial_pmf
from dpviz.results.evidence import Bracket, Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace, paused
from dpviz.topics.user_complexity.coin_users import Search

COIN = 0.35
"""Heads of the one coin; the other one, which is tossed here, has as many tails."""
SUCCESS = 0.75
"""How often the coin is to be named, whichever it is."""
MOST_TOSSES = 12
"""Of each person, so that a row of them can be seen."""

_OWN = "dpviz.topics.user_complexity"
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class PeopleAndTosses(Result):
    """People who toss a coin, and how many of them even the best private algorithm needs.

    heads: of each person's tosses, which are heads: a row for each of as many people as are enough
    with one toss each. tosses: m; epsilon: of a person with all tosses. users, single: between
    which numbers the fewest lie with m tosses each, and with one. always: no private algorithm has
    fewer, however many tosses there are. guess: how many people a reader predicted, or NaN.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "person": "number of the person, from 1",
            "heads": "heads among the person's tosses; nothing where the person is not needed",
            "share": "the same as a share of the tosses",
        }
    )

    other_origins = (
        Origin(Evidence.CERTIFIED, Source(_OWN, "linear program with its dual as certificate")),
        Origin(Evidence.LOWER, Source(UL, "Observation 28")),
        Origin(Evidence.SIMULATED, Source(_OWN, "tosses of the coin")),
    )

    heads: NDArray[np.bool_]
    tosses: int
    epsilon: float
    users: Bracket
    single: Bracket
    always: int
    guess: float = math.nan

    @property
    def enough(self) -> int:
        """How many people are enough, as far as is known."""
        return int(self.users.upper)

    @staticmethod
    def laws(tosses: int) -> list[FloatArray]:
        """Return how likely 0, 1, … heads in so many tosses are, for each of the two coins."""
        heads = np.arange(tosses + 1)
        odds = math.log(COIN / (1 - COIN))
        laws = (log_binomial_pmf(heads, tosses, log_odds=one) for one in (odds, -odds))
        return [np.exp(law) for law in laws]

    @classmethod
    def told_alone(cls, tosses: int) -> float:
        """Return how often so many tosses alone tell the coin, by the majority of them.

        Both coins count alike, and a tie is decided by a fair coin.
        """
        return float(np.maximum(*cls.laws(tosses)).sum() / 2)

    @property
    def shares(self) -> FloatArray:
        """The share of heads of each person who is needed."""
        return np.asarray(self.heads[: self.enough, : self.tosses].mean(axis=1))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a row for each person."""
        shares = np.full(len(self.heads), np.nan)
        shares[: self.enough] = self.shares
        return {
            "person": np.arange(1, len(self.heads) + 1),
            "heads": np.rint(shares * self.tosses),
            "share": shares,
        }


def people_and_tosses(
    *, tosses: float, task_epsilon: float, rng: np.random.Generator
) -> Iterator[PeopleAndTosses]:
    """Yield how many people with so many tosses each tell two coins apart, and their tosses.

    tosses: m, at most `MOST_TOSSES`; task_epsilon: ε, which protects a person with all tosses
    (substituted). Heads come up with probability 0.35 or 0.65, and the coin is to be named with
    probability 3/4 by the best of all private algorithms. First between proven bounds, then, where
    the linear programs are small, exactly. Raises `ParameterError`.
    """
    here, epsilon = int(validate("tosses", tosses)), validate("task_epsilon", task_epsilon)
    if here > MOST_TOSSES:
        raise ParameterError("tosses", f"at most {MOST_TOSSES}, to be seen in a row", tosses)
    coins = Coins((COIN, 1 - COIN))
    search = Search("two", coins, epsilon, SUCCESS, here, tuple(sorted({1, here})))
    for place in range(len(search.grid)):
        search.find_bounds(place)
    heads = rng.random((int(search.enough("laplace")[0]), MOST_TOSSES)) < 1 - COIN

    def known(done: float) -> PeopleAndTosses:
        needed, enough = search.between()
        users, single = (Bracket(float(needed[m]), float(enough[m])) for m in (here - 1, 0))
        return PeopleAndTosses(
            heads=heads,
            tosses=here,
            epsilon=epsilon,
            users=users,
            single=single,
            always=always_needed(epsilon),
            done=done,
        )

    pace, shown = Pace(), known(0.0)
    for place in range(len(search.grid)):
        yield from paused(search.find_optimum(place), pace, shown)
        shown = known((place + 1) / len(search.grid))
    yield shown


def always_needed(epsilon: float) -> int:
    """Return a number of people below which no private algorithm names the coin, for any m.

    Exchange n people one by one: the probability of naming a coin grows to e^(nε) times as much at
    most, from what is left of 1 where the other coin is named with probability 3/4.
    """
    return max(math.ceil(math.log(SUCCESS / (1 - SUCCESS)) / epsilon * (1 - _ROUNDING)), 1)
