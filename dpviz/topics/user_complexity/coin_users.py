"""The fewest users who can tell coins apart, for each number of tosses: what is known, and how.

Simple mechanisms reach some number, a proof asks for another, and between them linear programs over
all mechanisms decide where they are small enough (`dpviz.topics.user_complexity.optimal`).
"""

import math
from dataclasses import dataclass, field

import numpy as np

from dpviz.maths.coin_tests import (
    MOST_USERS,
    Coins,
    clipped_exponential_success,
    clipped_laplace_success,
    least_users_clipped,
    proven_least,
)
from dpviz.results.caching import Cache, cached
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.refining import Steps, pause
from dpviz.topics.user_complexity.optimal import best_success
from dpviz.topics.user_complexity.user_data_sets import how_many_pairs

TASKS = {"two": "Two coins, p and 1 − p", "three": "Three coins, p, 1/2 and 1 − p"}

# How many pairs of neighbours a linear program may have, so that it takes a second at most.
_MOST_PAIRS = {"two": 24_000, "three": 7_000}
BOUNDS = ("proven", "laplace", "exponential")
"""What is proven to be needed, and what simple mechanisms need."""

# A reader who moves along m leaves the curves as they are: only the first time costs.
_BEST = Cache[Bracket](2**16)


@dataclass(eq=False)
class Search:
    """What is known so far, for each m of the grid."""

    task: str
    coins: Coins
    epsilon: float
    target: float
    here: int
    grid: tuple[int, ...]
    needed: dict[str, FloatArray] = field(default_factory=dict)
    settled: int = 0  # the m up to which nothing better will be found

    def __post_init__(self) -> None:
        """Know nothing yet of any m."""
        self.needed |= {key: np.full(len(self.grid), np.nan) for key in (*BOUNDS, "optimum")}

    def find_bounds(self, place: int) -> None:
        """Find what simple mechanisms need at one m, and what is proven to be needed."""
        found = _bounds(self.task, self.coins, self.epsilon, self.target, self.grid[place])
        for key, users in found.items():
            self.needed[key][place] = users

    def find_optimum(self, place: int) -> Steps[bool]:
        """Find the fewest users of any mechanism at one m; False if that takes too long.

        With a pause after every step of a program.

        What is proven to be too few or known to be enough needs no program; the first to try is
        one user less than what is enough.
        """
        m, needed = self.grid[place], self.needed
        best, most = needed["optimum"], _MOST_PAIRS[self.task]
        enough = min(np.fmin.reduce(best[:place]) if place else math.inf, needed["laplace"][place])
        low = max(needed["proven"][place], math.ceil(best[0] / m) if place else 1) - 1
        users = enough - 1
        while enough - low > 1:
            if not users < MOST_USERS or how_many_pairs(int(users), m) > most:
                return False
            success = yield from self._best(int(users), m)
            if success.lower < self.target <= success.upper:
                return False  # too near to the target to decide
            if success.lower >= self.target:
                enough = users
            else:
                low = users
            users = (low + enough) // 2
        best[place] = enough
        return True

    def _best(self, users: int, m: int) -> Steps[Bracket]:
        """Return bounds on the success of the best mechanism, or on which side of the target."""
        key = self.coins, self.epsilon, self.target, m, users
        found = _BEST.get(key)
        if found is None:
            optimum = yield from best_success(
                self.coins, users=users, examples=m, epsilon=self.epsilon, target=self.target
            )
            found = optimum.success
            _BEST.add(key, found)
        return found

    def at_every_m(self) -> FloatArray:
        """Return every number of tosses up to the largest of the grid."""
        return np.arange(1.0, self.grid[-1] + 1)

    def spread(self, users: FloatArray) -> FloatArray:
        """Return numbers of users of the grid at every m, NaN where none is known."""
        everywhere = np.full(self.grid[-1], np.nan)
        everywhere[np.array(self.grid) - 1] = np.where(np.isfinite(users), users, np.nan)
        return everywhere

    def enough(self, key: str) -> FloatArray:
        """Return how many users are enough at every m: users may leave tosses out."""
        return np.fmin.accumulate(self.spread(self.needed[key]))

    def proven(self, key: str) -> FloatArray:
        """Return how many users are needed at every m: no fewer than at any larger one."""
        return np.fmax.accumulate(self.spread(self.needed[key])[::-1])[::-1]

    def drawn(self, key: str, everywhere: FloatArray) -> FloatArray:
        """Return a bound at every m once the whole grid has it; until then, at the m that do."""
        whole = not np.isnan(self.needed["proven"]).any()
        return everywhere if whole else self.spread(self.needed[key])

    def between(self) -> tuple[FloatArray, FloatArray]:
        """Return at every m between which numbers the fewest users lie.

        What simple mechanisms reach is enough; what is proven is needed, and so are n_1/m, by
        Observation 28.
        """
        pooled = np.ceil(self.needed["optimum"][0] / self.at_every_m())
        needed = np.fmax(self.proven("proven"), np.fmax(self.proven("optimum"), pooled))
        return np.fmax(needed, 1.0), np.fmin(self.enough("optimum"), self.enough("laplace"))


@cached(2**16)
def _bounds(task: str, coins: Coins, epsilon: float, target: float, m: int) -> dict[str, float]:
    """Return the users that simple mechanisms need with m tosses each, and how few are too few."""

    def laplace(n: int, clip: int) -> float:
        pause()
        return clipped_laplace_success(coins, users=n, examples=m, clip=clip, epsilon=epsilon)

    def exponential(n: int, clip: int) -> float:
        pause()
        return clipped_exponential_success(
            coins, users=n, examples=m, clip=clip / 2, epsilon=epsilon
        )

    proven = proven_least(coins, examples=m, target=target, epsilon=epsilon)
    found = {"proven": proven, "laplace": least_users_clipped(laplace, target, m, proven - 1)}
    if task == "two":
        found["exponential"] = least_users_clipped(exponential, target, m, proven - 1)
    return found
