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
from dpviz.results.caching import Recent, kept
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

# A reader who moves along m leaves the curves as they are: only the first time costs.
_BEST = Recent[Bracket](2**16)


@dataclass(frozen=True, eq=False, kw_only=True)
class FewestUsersChart(Chart):
    """The fewest users along m, and at the reader's m in numbers.

    proven: no private algorithm needs fewer, by exchanging users. needed, reached: the fewest lie
    between them, by all that is known; optimum: the fewest, NaN where these differ. single: the
    fewest with one toss each, NaN where they are not known.
    laplace, exponential: what simple mechanisms need, NaN for too many.
    """

    task: str
    target: float
    proven: float
    needed: float
    reached: float
    optimum: float
    single: float
    laplace: float
    exponential: float


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
    settled: int = 0  # the m up to which nothing better will be found

    def find_bounds(self, place: int) -> None:
        """Find what simple mechanisms need at one m, and what is proven to be needed."""
        found = _bounds(self.task, self.coins, self.epsilon, self.target, self.grid[place])
        for key, users in found.items():
            self.known[key][place] = users

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
        asked = self.coins, self.epsilon, self.target, m, users
        found = _BEST.get(asked)
        if found is None:
            optimum = yield from best_success(
                self.coins, users=users, examples=m, epsilon=self.epsilon, target=self.target
            )
            found = optimum.success
            _BEST.add(asked, found)
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
        return np.fmin.accumulate(self.spread(self.known[key]))

    def proven(self, key: str) -> FloatArray:
        """Return how many users are needed at every m: no fewer than at any larger one."""
        return np.fmax.accumulate(self.spread(self.known[key])[::-1])[::-1]

    def drawn(self, key: str, everywhere: FloatArray) -> FloatArray:
        """Return a bound at every m once the whole grid has it; until then, at the m that do."""
        whole = not np.isnan(self.known["proven"]).any()
        return everywhere if whole else self.spread(self.known[key])

    def between(self) -> tuple[FloatArray, FloatArray]:
        """Return at every m between which numbers the fewest users lie.

        What simple mechanisms reach is enough; what is proven is needed, and so are n_1/m, by
        Observation 28.
        """
        pooled = np.ceil(self.known["optimum"][0] / self.at_every_m())
        needed = np.fmax(self.proven("proven"), np.fmax(self.proven("optimum"), pooled))
        return np.fmax(needed, 1.0), np.fmin(self.enough("optimum"), self.enough("laplace"))

    def chart(self, done: float) -> FewestUsersChart:
        """Return what is known so far."""
        needed, enough = self.between()
        curves = (*_curves(self, needed, enough), *_shapes(self))
        least, most, proven, laplace, exponential = (
            float(users[self.here - 1])
            for users in (
                needed,
                enough,
                self.proven("proven"),
                self.enough("laplace"),
                self.enough("exponential"),
            )
        )
        return FewestUsersChart(
            x=Axis("tosses", "Tosses each user makes, m"),
            y=Axis("users", "Users needed"),
            curves=curves,
            here=float(self.here),
            in_headline=tuple(c.key for c in curves if c.key in ("optimum", "sandwich")),
            done=done,
            task=self.task,
            target=self.target,
            needed=least,
            reached=most,
            optimum=most if least == most else math.nan,
            single=float(self.known["optimum"][0]),
            proven=proven,
            laplace=laplace,
            exponential=exponential,
        )


@kept(2**16)
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
        search.settled = grid[place]
        shown = search.chart((place + 1) / len(grid))
        if pace.due():
            yield shown
    search.settled = grid[-1]
    yield search.chart(1.0)


def _curves(search: _Search, needed: FloatArray, enough: FloatArray) -> Iterator[Curve]:
    """Yield the fewest users and, as far as known, those of one toss each; then what rivals need.

    The fewest are drawn at the number known to be enough, with a band down to the one needed.
    """
    every, single = search.at_every_m(), search.known["optimum"][0]
    enough = np.where(every <= search.settled, enough, np.nan)
    best = Curve(
        "optimum",
        "the best private algorithm",
        Subject.USER_LEVEL,
        Evidence.CERTIFIED,
        Source(_OWN, "linear program with its dual as certificate"),
        every,
        enough,
        lower=np.where(np.isfinite(enough), needed, np.nan),
        upper=enough,
        steps=True,
    )
    drawn = (
        (
            "laplace",
            "clipped votes, Laplace noise",
            Subject.LAPLACE,
            Evidence.EXACT,
            Source(_OWN, "Laplace mechanism on clipped votes, best threshold"),
            search.drawn("laplace", search.enough("laplace")),
        ),
        (
            "exponential",
            "clipped exponential mechanism",
            Subject.EARLIER,
            Evidence.EXACT,
            Source(UL, "Theorem 37"),
            search.drawn("exponential", search.enough("exponential")),
        ),
        (
            "proven",
            "needed: proven",
            Subject.LOWER_BOUND,
            Evidence.LOWER,
            Source(_OWN, "users exchanged one by one"),
            search.drawn("proven", search.proven("proven")),
        ),
    )
    for key, label, subject, evidence, source, y in drawn:
        if np.isfinite(y).any():
            yield Curve(key, label, subject, evidence, source, every, y, steps=True)
    yield best
    if np.isfinite(single):
        yield Curve(
            "sandwich",
            "one toss each",
            Subject.ITEM_LEVEL,
            Evidence.EXACT,
            Source(UL, "Observation 28"),
            every,
            np.full(every.shape, single),
        )


def _shapes(search: _Search) -> Iterator[Curve]:
    """Yield what the paper says up to constants."""
    every = search.at_every_m()
    fano = fano_shape(search.coins, every, search.epsilon)
    row = row_shape(search.coins, every, search.epsilon, search.target)
    drawn = (
        ("fano", "Lemma 39", Subject.LOWER_BOUND, fano),
        ("row", "Theorem 41", Subject.USER_LEVEL, row),
    )
    for key, item, subject, y in drawn:
        evidence = Evidence.ASYMPTOTIC
        yield Curve(key, f"{item}, shape", subject, evidence, Source(UL, item), every, y)
