"""Theorem 10 run on the choice between two coins, n against m, beside other ways."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from dpviz.maths.coin_tests import (
    Coins,
    centred_exponential_success,
    clipped_laplace_success,
    least_users,
    least_users_clipped,
    plain_laplace_success,
)
from dpviz.maths.intervals import clopper_pearson
from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace, coarse_to_fine, pause
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.naming import (
    majority_hits,
    proof_epsilon,
    stable_epsilon,
    useful_success,
)

REPEATS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)
RUNS = 100
_MOST_SIMULATED = 4000  # users
MOST_PROVEN = 10**5  # users, for bounds that cost nothing
_OWN = "dpviz.topics.propose_test_release"
PRACTICAL = Source(_OWN, "Lemma 19 of Ghazi, Kamath et al. 2023 with our constants")
PROVED = Source(UL, "Theorem 10, constants of the proofs")
_LAPLACE = Source("dpviz.maths.coin_tests", "Laplace mechanism, exact law")
_DRAWN = {
    "single": ("one toss each", Subject.ITEM_LEVEL, Evidence.EXACT, Source(UL, "Observation 28")),
    "plain": ("noise on the whole sum", Subject.GAUSSIAN, Evidence.EXACT, _LAPLACE),
    "clipped": ("clipped votes, Laplace noise", Subject.LAPLACE, Evidence.EXACT, _LAPLACE),
    "exponential": (
        "clipped exponential mechanism",
        Subject.EARLIER,
        Evidence.EXACT,
        Source(UL, "Theorem 37, centred score"),
    ),
    "majority": (
        "DelStab, majority",
        Subject.USER_LEVEL,
        Evidence.SIMULATED,
        Source(UL, "Algorithm 1"),
    ),
    "learner": (
        "DelStab, private learner",
        Subject.USER_LEVEL,
        Evidence.UPPER,
        PRACTICAL,
    ),
    "proof": (
        "private learner, proof's constants",
        Subject.PERTURBED,
        Evidence.UPPER,
        PROVED,
    ),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class NamingChart(Chart):
    """Users needed to name the right one, along m; at the reader's m by the key of each curve.

    needed: infinity where more are needed than were looked for. pays_from: the least m of the grid
    at which DelStab around the majority needs no more users than one toss each, NaN for none; where
    more than a coin is learned, DelStab in either way no more than one example each and group
    privacy. fewest: 4κ + 1. epsilon, delta: of users. learner: what is learned, one of
    `dpviz.topics.propose_test_release.learners.LEARNERS`. share: η. passed: the share of data sets
    on which every set is stable for the private learner, simulated; NaN where that is not. lean: b.
    """

    needed: dict[str, float]
    pays_from: float
    fewest: int
    epsilon: float
    delta: float
    target: float
    lean: float
    learner: str = "coin"
    share: float = 1.0
    passed: float = math.nan


@dataclass(eq=False)
class _Search:
    coins: Coins
    budget: Budget
    target: float
    streams: Streams
    here: int
    grid: tuple[int, ...]
    share: float
    users: dict[str, FloatArray] = field(default_factory=dict)
    hits: dict[tuple[int, int], int] = field(default_factory=dict)

    def tasks(self, place: int) -> Iterator[Callable[[], None]]:
        """Return what finds the users at one m, each a moment's work."""
        yield partial(self.exact, place)
        for key, allowed, share in (
            ("learner", stable_epsilon, 1.0),
            ("proof", proof_epsilon, self.share),
        ):
            yield partial(self.proven, place, key, allowed, share)
        for key, which in (("majority", 0), ("majority_upper", 1), ("majority_lower", 2)):
            yield partial(self.simulated, place, key, which)

    def exact(self, place: int) -> None:
        """Find the users of the mechanisms whose laws are exact; one toss each with the first."""
        m, coins, epsilon = self.grid[place], self.coins, self.budget.epsilon

        def whole(n: int) -> float:
            pause()
            return plain_laplace_success(coins.rates[-1], users=n, examples=m, epsilon=epsilon)

        def chosen(n: int, clip: int) -> float:
            pause()
            return centred_exponential_success(
                coins, users=n, examples=m, clip=clip, epsilon=epsilon
            )

        self.users["plain"][place] = least_users(whole, self.target)
        self.users["exponential"][place] = least_users_clipped(chosen, self.target, m)
        for each in {place, 0}:
            self.clipped(each)

    def clipped(self, place: int) -> None:
        """Find the users whose clipped votes get noise, where they are not known."""
        m, users = self.grid[place], self.users["clipped"]

        def votes(n: int, clip: int) -> float:
            pause()
            return clipped_laplace_success(
                self.coins, users=n, examples=m, clip=clip, epsilon=self.budget.epsilon
            )

        if np.isnan(users[place]):
            users[place] = least_users_clipped(votes, self.target, m)

    def proven(self, place: int, key: str, allowed: Callable[..., float], share: float) -> None:
        """Find users who are proven to be enough for DelStab around the private learner.

        The learner is made private enough for more users than are needed, which is found twice.
        """
        m, budget, enough = self.grid[place], self.budget, float(MOST_PROVEN)
        for _ in range(3):
            pause()
            if math.isfinite(enough):
                loss = allowed(users=int(enough), examples=m, budget=budget)
                enough = least_users(
                    lambda n, e=loss: useful_success(  # type: ignore[misc]
                        e,
                        users=n,
                        examples=m,
                        rate=self.coins.rates[-1],
                        budget=budget,
                        share=share,
                    ),
                    self.target,
                    start=budget.fewest_users,
                    most=int(enough),
                )
        self.users[key][place] = enough

    def simulated(self, place: int, key: str, which: int) -> None:
        """Find the users of DelStab around the majority, or an end of an interval for them."""
        m = self.grid[place]
        self.users[key][place] = least_users(
            lambda n: self.rates(m, n)[which],
            self.target,
            start=self.budget.fewest_users,
            most=max(_MOST_SIMULATED, self.budget.fewest_users),
        )

    def rates(self, m: int, n: int) -> tuple[float, float, float]:
        """Return how often the coin is named right, and the ends of an interval of 95%."""
        if (m, n) not in self.hits:
            pause()
            self.hits[m, n] = majority_hits(
                self.streams.at(0, m, n),
                users=n,
                examples=m,
                rate=self.coins.rates[-1],
                budget=self.budget,
                runs=RUNS,
            )
        low, high = clopper_pearson(self.hits[m, n], RUNS)
        return self.hits[m, n] / RUNS, float(low), float(high)

    def chart(self, done: float) -> NamingChart:
        """Return what is known so far."""
        x, place = np.array(self.grid, dtype=float), self.grid.index(self.here)
        users = self.users | {"single": np.full(x.shape, self.users["clipped"][0])}
        shown = {key: np.where(np.isfinite(y), y, np.nan) for key, y in users.items()}
        # From where on is known once nothing below is missing.
        seen = np.logical_and.accumulate(~np.isnan(users["majority"] + users["single"]))
        pays = np.flatnonzero(seen & (shown["majority"] <= users["single"]))
        return NamingChart(
            x=Axis("repeats", "Examples each user holds, m", base=x[0], reach=x[-1]),
            y=Axis("users", "Users needed", base=1.0, reach=float(MOST_PROVEN)),
            curves=tuple(_curves(x, shown)),
            here=float(self.here),
            in_headline=tuple(
                key for key in ("majority", "clipped") if np.isfinite(shown[key]).any()
            ),
            done=done,
            needed={key: float(y[place]) for key, y in users.items()},
            pays_from=float(x[pays[0]]) if pays.size else math.nan,
            fewest=self.budget.fewest_users,
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            target=self.target,
            lean=self.coins.rates[-1] - 0.5,
            share=self.share,
        )


def users_to_name_coins(
    *,
    repeats: float,
    lean: float,
    task_epsilon: float,
    promised_delta: float,
    success: float,
    rng: np.random.Generator,
    subsample: float = 1.0,
) -> Iterator[NamingChart]:
    """Yield the users with whom a coin of bias 1/2 ± b is named with probability γ, along m.

    Every way is (ε, δ)-private for whole users (substitution). repeats: the reader's m; lean: b;
    success: γ, in which refusing counts as naming the wrong one; subsample: the share η of the
    tosses that the learner is given where the constants are those of the proof. Raises
    `ParameterError`.
    """
    bias, target = validate("lean", lean), validate("success", success)
    here = int(validate("repeats", repeats))
    budget = Budget(
        validate("task_epsilon", task_epsilon), validate("promised_delta", promised_delta)
    )
    grid = tuple(sorted({*REPEATS, here}))
    coins, share = Coins((0.5 - bias, 0.5 + bias)), validate("subsample", subsample)
    search = _Search(coins, budget, target, Streams(rng), here, grid, share)
    search.users |= {
        key: np.full(len(grid), np.nan)
        for key in (*_DRAWN, "majority_lower", "majority_upper")
        if key != "single"
    }
    pace = Pace()
    tasks = [
        task
        for place in coarse_to_fine(len(grid), 4, here=grid.index(here))
        for task in search.tasks(place)
    ]
    for count, task in enumerate(tasks):
        task()
        if not count or pace.due():
            yield search.chart((count + 1) / len(tasks))
    yield search.chart(1.0)


def _curves(x: FloatArray, shown: dict[str, FloatArray]) -> Iterator[Curve]:
    for key, (label, subject, evidence, source) in _DRAWN.items():
        y = shown[key]
        if not np.isfinite(y).any():
            continue
        low, high = (shown.get(f"{key}_{end}") for end in ("lower", "upper"))
        yield Curve(key, label, subject, evidence, source, x, y, low, high)
