"""The fewest users with whom a mechanism succeeds, measured on nested data sets with an interval.

One run draws one data set and evaluates the mechanism on its first n users, for a whole ladder of n
at once; runs are independent.
"""

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.intervals import mean_interval
from dpviz.results.evidence import Bracket, FloatArray

SUCCESS = 2 / 3
"""The probability with which the papers' user complexity asks for an answer within α."""
MOST_USERS = 2**15
"""With more users than that nothing is tried."""

_PILOT = 12  # runs that find where to look
_SURE = 0.88  # mean success of the pilot at the top of the ladder
_RUNGS = 28  # numbers of users tried around the pilot's
_BELOW, _ABOVE = 6.0, 1.6  # from how many times fewer to how many times more they are
_BATCH = 10  # runs between two looks at the interval
_LEAST_RUNS, _MOST_RUNS = 40, 400
_NARROW = 1.25  # ratio of the ends at which an interval is narrow enough

_UNKNOWN = Bracket(1, math.inf)

Successes = Callable[[int, NDArray[np.intp]], FloatArray]


@dataclass(frozen=True)
class Fewest:
    """The least n with success 2/3, as far as is known.

    interval: holds it with the confidence asked for, if success grows with n; estimate: where the
    mean success crosses 2/3. runs: data sets drawn; finished: whether the search came to its end.
    """

    estimate: float
    interval: Bracket
    runs: int
    finished: bool


def fewest_users(succeed: Successes, *, guess: float, failure: float) -> Iterator[Fewest]:
    """Yield ever narrower intervals for the fewest users, what is known after every run.

    succeed: returns, for the number of a run and ascending n, the chance of success on the first n
    users of that run's data set; runs −1, −2, … are the pilot's. failure: the probability with
    which some interval may miss. Each n of the ladder has a confidence sequence, valid at any time.
    From below, n are ruled out until one is not; from above, n are confirmed until one is not: if
    success grows with n, the first n that could be ruled out in error is the fewest itself, and the
    same from above, so that testing many n costs nothing.
    """
    sizes, runs = yield from _ladder(succeed, guess)
    if sizes is None:
        yield Fewest(math.nan, _UNKNOWN, runs, finished=True)
        return
    values = np.empty((0, sizes.size))
    fewest = Fewest(math.nan, _UNKNOWN, 0, finished=False)
    while not fewest.finished:
        for _ in range(_BATCH):
            values = np.vstack([values, succeed(len(values), sizes)])
            yield fewest
        interval = _interval(values, sizes, failure)
        narrow = interval.upper <= max(_NARROW * interval.lower, interval.lower + 1)
        done = len(values) >= _MOST_RUNS or (narrow and len(values) >= _LEAST_RUNS)
        fewest = Fewest(_crossing(values.mean(axis=0), sizes), interval, len(values), done)
    yield fewest


def _ladder(
    succeed: Successes, guess: float
) -> Generator[Fewest, None, tuple[NDArray[np.intp] | None, int]]:
    """Return ascending n up to one where the mechanism is fairly sure, and how many runs it took.

    None where `MOST_USERS` are too few. Yields that nothing is known, run after run.
    """
    top = 2 ** max(1, math.ceil(math.log2(min(max(guess, 1), MOST_USERS))))
    run = 0
    while True:
        coarse = 2 ** np.arange(round(math.log2(top)) + 1)
        means = np.zeros(coarse.size)
        for _ in range(_PILOT):
            run += 1
            means += succeed(-run, coarse) / _PILOT
            yield Fewest(math.nan, _UNKNOWN, run, finished=False)
        sure = np.flatnonzero(means >= _SURE)
        if sure.size:
            best = int(coarse[sure[0]])
            fine = np.geomspace(max(1, best / _BELOW), _ABOVE * best, _RUNGS)
            low = coarse[coarse < fine[0]]
            return np.unique(np.concatenate([low, np.rint(fine).astype(int)])), run
        if top >= MOST_USERS:
            return None, run
        top *= 2


def _interval(values: FloatArray, sizes: NDArray[np.intp], failure: float) -> Bracket:
    lower, upper = mean_interval(values, failure_probability=failure)
    few = int(np.argmin(np.append(upper < SUCCESS, False)))
    enough = int(np.argmin(np.append(lower[::-1] > SUCCESS, False)))
    least = float(sizes[few - 1] + 1) if few else 1.0
    most = float(sizes[sizes.size - enough]) if enough else math.inf
    return Bracket(min(least, most), most)


def _crossing(means: FloatArray, sizes: NDArray[np.intp]) -> float:
    """Return where the mean success, made to grow, crosses 2/3, on a line in log n."""
    success = np.maximum.accumulate(means)
    above = int(np.argmax(success >= SUCCESS))
    if success[above] < SUCCESS:
        return math.nan
    if above == 0:
        return float(sizes[0])
    ends = np.log(sizes[above - 1 : above + 1])
    return float(np.exp(np.interp(SUCCESS, success[above - 1 : above + 1], ends)))
