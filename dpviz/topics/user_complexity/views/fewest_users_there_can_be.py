"""View: the fewest users with whom any private algorithm can tell coins apart, along m."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.maths.coin_tests import (
    Coins,
    fano_shape,
    row_shape,
)
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Pace, coarse_to_fine, paused
from dpviz.topics.user_complexity.coin_users import TASKS, Search

_TOSSES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 40, 60, 80, 100)
_OWN = "dpviz.topics.user_complexity"


@dataclass(frozen=True, eq=False, kw_only=True)
class FewestUsersChart(Chart):
    """The fewest users along m, and at the reader's m in numbers.

    coin: p; epsilon: of a user with all tosses. proven: no private algorithm needs fewer, by
    exchanging users. needed, reached: the fewest lie between them, by all that is known; optimum:
    the fewest, NaN where these differ.
    single: the fewest with one toss each, NaN where they are not known.
    laplace, exponential: what simple mechanisms need, NaN for too many.
    """

    task: str
    coin: float
    target: float
    epsilon: float
    proven: float
    needed: float
    reached: float
    optimum: float
    single: float
    laplace: float
    exponential: float


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
    search = Search(task, Coins(rates), validate("task_epsilon", task_epsilon), target, here, grid)
    for end in (0, -1):  # so that the axes have their ends
        search.find_bounds(end)
    pace = Pace()
    for place in coarse_to_fine(len(grid), 8, here=grid.index(here)):
        search.find_bounds(place)
        if pace.due():
            yield _chart(search, 0.0)
    shown = _chart(search, 0.0)
    for place in range(len(grid)):
        is_found = yield from paused(search.find_optimum(place), pace, shown)
        if not is_found and place == 0:
            break
        search.settled = grid[place]
        shown = _chart(search, (place + 1) / len(grid))
        if pace.due():
            yield shown
    search.settled = grid[-1]
    yield _chart(search, 1.0)


def _curves(search: Search, needed: FloatArray, enough: FloatArray) -> Iterator[Curve]:
    """Yield the fewest users and, as far as known, those of one toss each; then what rivals need.

    The fewest are drawn at the number known to be enough, with a band down to the one needed.
    """
    every, single = search.at_every_m(), search.needed["optimum"][0]
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


def _shapes(search: Search) -> Iterator[Curve]:
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


def _chart(search: Search, done: float) -> FewestUsersChart:
    """Return what is known so far."""
    needed, enough = search.between()
    curves = (*_curves(search, needed, enough), *_shapes(search))
    least, most, proven, laplace, exponential = (
        float(users[search.here - 1])
        for users in (
            needed,
            enough,
            search.proven("proven"),
            search.enough("laplace"),
            search.enough("exponential"),
        )
    )
    return FewestUsersChart(
        x=Axis("tosses", "Tosses each user makes, m"),
        y=Axis("users", "Users needed"),
        curves=curves,
        here=float(search.here),
        in_headline=tuple(c.key for c in curves if c.key in ("optimum", "sandwich")),
        done=done,
        task=search.task,
        coin=search.coins.rates[0],
        target=search.target,
        epsilon=search.epsilon,
        needed=least,
        reached=most,
        optimum=most if least == most else math.nan,
        single=float(search.needed["optimum"][0]),
        proven=proven,
        laplace=laplace,
        exponential=exponential,
    )
