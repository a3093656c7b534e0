"""View: the fewest users with whom any private algorithm can tell coins apart, along m."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dpviz.maths.coin_tests import (
    MOST_USERS,
    Coins,
    clipped_exponential_success,
    clipped_laplace_success,
    fano_shape,
    least_users_clipped,
    proven_least,
    row_shape,
)
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace, Steps, coarse_to_fine, pause, paused
from dpviz.topics.user_complexity.optimal import best_success
from dpviz.topics.user_complexity.user_data_sets import how_many_pairs

TASKS = {"two": "Two coins, p and 1 − p", "three": "Three coins, p, 1/2 and 1 − p"}

# How many pairs of neighbours a linear program may have, so that it takes a second at most.
_MOST_PAIRS = {"two": 24_000, "three": 7_000}
_TOSSES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 40, 60, 80, 100)
_OWN = "dpviz.topics.user_complexity"
_BOUNDS = ("proven", "laplace", "exponential")


@dataclass(frozen=True, eq=False, kw_only=True)
class FewestUsersChart(Chart):
    """The fewest users along m, and at the reader's m in numbers.

    proven: no private algorithm needs fewer, by exchanging users; needed: by Observation 28 too.
    optimum: the fewest, NaN where only bounds are known.
    laplace, exponential: what simple mechanisms need, infinity for too many. reached: the best
    number known to be enough.
    """

    task: str
    target: float
    proven: float
    needed: float
    optimum: float
    laplace: float
    exponential: float
    reached: float


@dataclass(eq=False)
class _Search:
    """What is known so far, for each m of the grid."""

    task: str
    coins: Coins
    epsilon: float
    target: float
    here: int
    grid: tuple[int, ...]
    known: dict[str, FloatArray] = field(default_factory=dict)

    def find_bounds(self, place: int) -> None:
        """Find what simple mechanisms need at one m, and what is proven to be needed."""
        m, epsilon = self.grid[place], self.epsilon
        self.known["proven"][place] = proven_least(
            self.coins, examples=m, target=self.target, epsilon=epsilon
        )

        def laplace(n: int, clip: int) -> float:
            pause()
            return clipped_laplace_success(
                self.coins, users=n, examples=m, clip=clip, epsilon=epsilon
            )

        def exponential(n: int, clip: int) -> float:
            pause()
            return clipped_exponential_success(
                self.coins, users=n, examples=m, clip=clip / 2, epsilon=epsilon
            )

        for key, success in (("laplace", laplace), ("exponential", exponential)):
            if key == "laplace" or self.task == "two":
                self.known[key][place] = least_users_clipped(success, self.target, m)

    def find_optimum(self, place: int) -> Steps[bool]:
        """Find the fewest users of any mechanism at one m; False if that takes too long.

        With a pause after every step of a program.

        What is proven to be too few or known to be enough needs no program; the first to try is
        one user less than what is enough.
        """
        m, known = self.grid[place], self.known
        best, most = known["optimum"], _MOST_PAIRS[self.task]
        enough = min(np.fmin.reduce(best[:place]) if place else math.inf, known["laplace"][place])
        low = max(known["proven"][place], math.ceil(best[0] / m) if place else 1) - 1
        users = enough - 1
        while enough - low > 1:
            if not users < MOST_USERS or how_many_pairs(int(users), m) > most:
                return False
            optimum = yield from best_success(
                self.coins,
                users=int(users),
                examples=m,
                epsilon=self.epsilon,
                target=self.target,
            )
            success = optimum.success
            if success.lower < self.target <= success.upper:
                return False  # too near to the target to decide
            if success.lower >= self.target:
                enough = users
            else:
                low = users
            users = (low + enough) // 2
        best[place] = enough
        return True

    def chart(self, done: float) -> FewestUsersChart:
        """Return what is known so far."""
        x = np.array(self.grid, dtype=float)
        place = self.grid.index(self.here)
        known = self.known
        optimum = known["optimum"]
        enough = np.fmin(np.fmin.accumulate(optimum), known["laplace"])
        at_here = {key: float(known[key][place]) for key in (*_BOUNDS, "optimum")}
        pooled = math.ceil(optimum[0] / self.here) if math.isfinite(optimum[0]) else 1
        return FewestUsersChart(
            x=Axis("tosses", "tosses each user makes, m"),
            y=Axis("users", "users needed"),
            curves=(*_curves(self, x), *_shapes(self, x)),
            here=float(self.here),
            in_headline=("optimum", "laplace")
            if math.isfinite(at_here["optimum"])
            else ("laplace",),
            done=done,
            task=self.task,
            target=self.target,
            reached=float(enough[place]),
            proven=at_here["proven"],
            needed=max(at_here["proven"], pooled),
            optimum=at_here["optimum"],
            laplace=at_here["laplace"],
            exponential=at_here["exponential"],
        )


def fewest_users_there_can_be(
    *, task: str, coin: float, tosses: float, task_epsilon: float, success: float
) -> Iterator[FewestUsersChart]:
    """Yield the fewest users with whom any ε-user-private algorithm names the coin, along m.

    task: one of `TASKS`; coin: p; success: γ, for the worst coin. For a few data sets the fewest
    are exact (certified linear programs), else between proven bounds. Raises `ParameterError`.
    """
    if task not in TASKS:
        raise ParameterError("task", f"one of {', '.join(TASKS)}", task)
    low, target = validate("coin", coin), validate("success", success)
    here = int(validate("tosses", tosses))
    rates = (low, 1 - low) if task == "two" else (low, 0.5, 1 - low)
    grid = tuple(sorted({*_TOSSES, here}))
    search = _Search(task, Coins(rates), validate("task_epsilon", task_epsilon), target, here, grid)
    search.known |= {key: np.full(len(grid), np.nan) for key in (*_BOUNDS, "optimum")}
    pace = Pace()
    for place in coarse_to_fine(len(grid), 8, here=grid.index(here)):
        search.find_bounds(place)
        if pace.due():
            yield search.chart(0.0)
    shown = search.chart(0.0)
    for place in range(len(grid)):
        is_found = yield from paused(search.find_optimum(place), pace, shown)
        if not is_found and place == 0:
            break
        shown = search.chart((place + 1) / len(grid))
        if pace.due():
            yield shown
    yield search.chart(1.0)


def _curves(search: _Search, x: FloatArray) -> Iterator[Curve]:
    known = search.known
    optimum = known["optimum"]
    single = np.full(x.shape, optimum[0])
    drawn = (
        (
            "laplace",
            "clipped votes, Laplace noise",
            Subject.LAPLACE,
            Evidence.EXACT,
            Source(_OWN, "Laplace mechanism on clipped votes, best threshold"),
            known["laplace"],
        ),
        (
            "optimum",
            "the best private algorithm",
            Subject.USER_LEVEL,
            Evidence.CERTIFIED,
            Source(_OWN, "linear program with its dual as certificate"),
            optimum,
        ),
        (
            "exponential",
            "clipped exponential mechanism",
            Subject.EARLIER,
            Evidence.EXACT,
            Source(UL, "Theorem 37"),
            known["exponential"],
        ),
        (
            "proven",
            "needed: proven",
            Subject.LOWER_BOUND,
            Evidence.LOWER,
            Source(_OWN, "users exchanged one by one"),
            known["proven"],
        ),
    )
    for key, label, subject, evidence, source, y in drawn:
        if np.isfinite(y).any():
            finite = np.where(np.isfinite(y), y, np.nan)
            yield Curve(key, label, subject, evidence, source, x, finite)
    if np.isfinite(optimum[0]):
        yield Curve(
            "sandwich",
            "one toss each",
            Subject.ITEM_LEVEL,
            Evidence.EXACT,
            Source(UL, "Observation 28"),
            x,
            single,
            lower=np.ceil(single / x),
            upper=single,
        )


def _shapes(search: _Search, x: FloatArray) -> Iterator[Curve]:
    """Yield what the paper says up to constants."""
    fano = fano_shape(search.coins, x, search.epsilon)
    row = row_shape(search.coins, x, search.epsilon, search.target)
    drawn = (
        ("fano", "Lemma 39", Subject.LOWER_BOUND, fano),
        ("row", "Theorem 41", Subject.USER_LEVEL, row),
    )
    for key, item, subject, y in drawn:
        evidence = Evidence.ASYMPTOTIC
        yield Curve(key, f"{item}, shape", subject, evidence, Source(UL, item), x, y)
