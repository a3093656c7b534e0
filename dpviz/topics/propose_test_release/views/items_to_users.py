"""View: Theorem 10 run, for the choice between two coins and for learners that choose among many.

The coins are `dpviz.topics.propose_test_release.users_to_name_coins`. The others are simulated: the
users with whom the right answer is named often enough, along m, by DelStab around the item-level
learner and by the two ways that need no test.
"""

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from dpviz.maths.coin_tests import least_users
from dpviz.maths.intervals import clopper_pearson
from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace, coarse_to_fine, pause
from dpviz.topics.propose_test_release.choice_runs import LOOKS, RUNS, ChoiceRuns
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.learners import LEARNERS, Learner
from dpviz.topics.propose_test_release.naming import (
    UNSTABLE,
    proof_epsilon,
    stable_epsilon,
    subsampled,
)
from dpviz.topics.propose_test_release.users_to_name_coins import (
    MOST_PROVEN,
    PRACTICAL,
    PROVED,
    NamingChart,
    users_to_name_coins,
)

_MOST_RUN = 3000  # users in a data set on which a way is run
_MOST_PASSING = 10**4  # users in one on which only the sets are looked at
_BETWEEN = ("learner", "best", "exponential")  # with an interval of 95%
_EXAMPLES = tuple(10**power for power in range(9))
_RUNS = 200
_DRAWN = {
    "single": ("one example each", Subject.ITEM_LEVEL, Source(UL, "Observation 28")),
    "plain": ("group privacy, no test", Subject.GAUSSIAN, Source(UL, "Lemma 6")),
    "exponential": (
        "clipped exponential mechanism",
        Subject.EARLIER,
        Source(UL, "Theorem 37"),
    ),
    "best": ("DelStab, best on the data", Subject.USER_LEVEL, Source(UL, "Algorithm 1")),
    "learner": ("DelStab, our constants", Subject.BOUNDED, PRACTICAL),
    "proof": ("DelStab, proof's constants", Subject.PERTURBED, PROVED),
}


def items_to_users(
    *,
    learner: str,
    repeats: float,
    lean: float,
    task_epsilon: float,
    promised_delta: float,
    success: float,
    subsample: float,
    rng: np.random.Generator,
) -> Iterator[NamingChart]:
    """Yield the users with whom a learner, one of `LEARNERS`, succeeds with probability γ, along m.

    Every way is (ε, δ)-private for whole users (substitution). Learners that choose among many are
    drawn beyond the reader's range, until DelStab pays. repeats: the reader's m; lean: b;
    success: γ; subsample: the share η of the items that the learner is given in the curve with the
    constants of the proof, Theorem 7. Raises `ParameterError`.
    """
    if learner not in LEARNERS:
        raise ParameterError("learner", f"one of {', '.join(LEARNERS)}", learner)
    if learner == "coin":
        yield from users_to_name_coins(
            repeats=repeats,
            lean=lean,
            task_epsilon=task_epsilon,
            promised_delta=promised_delta,
            success=success,
            subsample=subsample,
            rng=rng,
        )
        return
    here = int(validate("repeats", repeats))
    search = _Search(
        Learner(learner),
        validate("lean", lean),
        Budget(validate("task_epsilon", task_epsilon), validate("promised_delta", promised_delta)),
        validate("success", success),
        validate("subsample", subsample),
        Streams(rng),
        here,
        tuple(sorted({*_EXAMPLES, here})),
    )
    pace, count = Pace(), 0
    tasks = list(search.tasks())
    for count, task in enumerate(tasks):
        for _ in task() or ():
            if pace.due():
                yield search.chart(count / len(tasks))
        if not count or pace.due():
            yield search.chart((count + 1) / len(tasks))
    yield search.chart(1.0)


@dataclass(eq=False)
class _Search:
    learner: Learner
    lean: float
    budget: Budget
    target: float
    share: float
    streams: Streams
    here: int
    grid: tuple[int, ...]
    known: dict[str, FloatArray] = field(init=False)
    hits: dict[tuple[str, int, int], int] = field(default_factory=dict)
    passed: float = math.nan

    def __post_init__(self) -> None:
        ends = (f"{key}_{end}" for key in _BETWEEN for end in ("lower", "upper"))
        keys = (*_DRAWN, *ends)
        self.runs = ChoiceRuns(self.learner, self.lean, self.budget, self.streams)
        self.known = {key: np.full(len(self.grid), np.nan) for key in keys}

    def order(self) -> list[int]:
        """Return the places of the grid, the reader's first."""
        return list(coarse_to_fine(len(self.grid), 4, here=self.grid.index(self.here)))

    def tasks(self) -> Iterator[Callable[[], Iterator[None] | None]]:
        """Return what finds the users at every m, then intervals for them.

        Each is a moment's work, or has pauses to show it.
        """
        yield self.single
        for place in self.order():
            for way in ("best", "exponential"):
                yield partial(self.run, place, way, way, 0)
            yield partial(self.tested, place, "learner", 0)
            yield partial(self.plain, place)
        for place in self.order():
            for end, name in ((1, "upper"), (2, "lower")):
                yield partial(self.tested, place, f"learner_{name}", end)
                for way in ("best", "exponential"):
                    yield partial(self.run, place, f"{way}_{name}", way, end)
            yield partial(self.proved, place)
            if place == self.grid.index(self.here):
                yield self.passing

    def run(self, place: int, key: str, way: str, end: int) -> Iterator[None]:
        """Find the users of a way that is run on data, or an end of an interval for them."""
        m, fewest = self.grid[place], self.budget.fewest_users
        start, most = fewest if way == "best" else 1, max(_MOST_RUN, 2 * fewest)
        low, high = start - 1, start
        while not (yield from self.enough(way, m, high, end)):
            if high >= most:
                self.known[key][place] = math.inf
                return
            low, high = high, min(2 * high, most)
        while high - low > 1:
            middle = (low + high) // 2
            if (yield from self.enough(way, m, middle, end)):
                high = middle
            else:
                low = middle
        self.known[key][place] = high

    def enough(self, way: str, m: int, users: int, end: int) -> Generator[None, None, bool]:
        """Return whether so many users are, by what is measured or an end of its interval."""
        hits = yield from self.runs.hits(way, m, users)
        return _measured(hits, RUNS)[end] >= self.target

    def passing(self) -> Iterator[None]:
        """Find on how many data sets every set is stable for the learner, at the reader's m."""
        enough = self.known["learner"][self.grid.index(self.here)]
        if enough <= _MOST_PASSING:
            loss = stable_epsilon(
                users=int(enough), examples=self.here, budget=self.budget, sums=self.learner.sums
            )
            passed = yield from self.runs.passing(self.here, int(enough), loss)
            self.passed = passed / LOOKS

    def single(self) -> None:
        """Find the users with one example each, the same for every m."""
        epsilon = self.budget.epsilon
        self.known["single"][:] = least_users(
            lambda n: self.rates("single", 1, n, epsilon, n)[0], self.target, most=MOST_PROVEN
        )

    def plain(self, place: int) -> None:
        """Find the users of the learner that is private enough for m items at once, Lemma 6."""
        m = self.grid[place]
        self.known["plain"][place] = least_users(
            lambda n: self.rates("plain", m, n, self.budget.epsilon / m, n * m)[0],
            self.target,
            most=MOST_PROVEN,
        )

    def tested(self, place: int, key: str, end: int) -> None:
        """Find the users of DelStab around the learner, or an end of an interval for them."""
        m = self.grid[place]

        def success(n: int) -> float:
            loss = stable_epsilon(users=n, examples=m, budget=self.budget, sums=self.learner.sums)
            samples = (n - 4 * self.budget.kappa) * m
            return self.rates("learner", m, n, loss, samples)[end] - UNSTABLE

        self.known[key][place] = least_users(
            success, self.target, start=self.budget.fewest_users, most=MOST_PROVEN
        )

    def proved(self, place: int) -> None:
        """Find the users of DelStab with the constants of the proofs, and its subsampling."""
        m, enough = self.grid[place], float(MOST_PROVEN)
        for _ in range(2):  # private enough for more users than are needed
            if math.isfinite(enough):
                loss = proof_epsilon(users=int(enough), examples=m, budget=self.budget)
                enough = least_users(
                    partial(self.proved_success, m, subsampled(loss, self.share), int(enough)),
                    self.target,
                    start=self.budget.fewest_users,
                    most=int(enough),
                )
        self.known["proof"][place] = enough

    def proved_success(self, m: int, loss: float, round_: int, n: int) -> float:
        """Return a success that DelStab has at least with n users, of m examples each."""
        samples = math.floor(self.share * (n - 4 * self.budget.kappa) * m)
        if not samples:
            return 0.0
        return self.rates(f"proof {round_}", m, n, loss, samples)[0] - UNSTABLE

    def rates(
        self, key: str, m: int, n: int, loss: float, samples: int
    ) -> tuple[float, float, float]:
        """Return how often the learner names the right one, and the ends of an interval of 95%."""
        if (key, m, n) not in self.hits:
            pause()
            self.hits[key, m, n] = self.learner.right(
                self.streams.at(0, m, n),
                item_epsilon=loss,
                samples=samples,
                lean=self.lean,
                runs=_RUNS,
            )
        return _measured(self.hits[key, m, n], _RUNS)

    def chart(self, done: float) -> NamingChart:
        """Return what is known so far."""
        x, place = np.array(self.grid, dtype=float), self.grid.index(self.here)
        shown = {key: np.where(np.isfinite(y), y, np.nan) for key, y in self.known.items()}
        others = np.fmin(self.known["single"], self.known["plain"])
        tested = np.fmin(shown["learner"], shown["best"])
        ways = ("learner", "best", "single", "plain")
        seen = ~np.isnan(sum(self.known[key] for key in ways))
        pays = np.flatnonzero((tested <= others) & np.logical_and.accumulate(seen))
        known = tuple(key for key in ("best", "exponential") if np.isfinite(shown[key]).any())
        return NamingChart(
            x=Axis("repeats", "Examples each user holds, m", base=x[0], reach=x[-1]),
            y=Axis("users", "Users needed", base=1.0, reach=float(MOST_PROVEN)),
            curves=tuple(self.curves(x, shown)),
            here=float(self.here),
            in_headline=known or ("single",),
            done=done,
            needed={key: float(y[place]) for key, y in self.known.items()},
            pays_from=float(x[pays[0]]) if pays.size else math.nan,
            fewest=self.budget.fewest_users,
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            target=self.target,
            lean=self.lean,
            learner=self.learner.name,
            share=self.share,
            passed=self.passed,
        )

    def curves(self, x: FloatArray, shown: dict[str, FloatArray]) -> Iterator[Curve]:
        """Yield what is known so far as curves."""
        for key, (label, subject, source) in _DRAWN.items():
            if np.isfinite(shown[key]).any():
                low, high = (shown.get(f"{key}_{end}") for end in ("lower", "upper"))
                y = shown[key]
                yield Curve(key, label, subject, Evidence.SIMULATED, source, x, y, low, high)


def _measured(hits: int, runs: int) -> tuple[float, float, float]:
    """Return how often the right one is named, and the ends of an interval of 95%."""
    low, high = clopper_pearson(hits, runs)
    return hits / runs, float(low), float(high)
