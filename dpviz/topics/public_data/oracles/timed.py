"""How long each call of an optimiser takes in a run of an algorithm."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.results.refining import Steps, Stopwatch
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Objective


def seconds_of_calls(
    run: Callable[[ERMOracle, np.random.Generator], object],
    oracle: ERMOracle,
    rng: np.random.Generator,
) -> Steps[list[float]]:
    """Take the processor seconds of each call in a run, with pauses between and within calls.

    An algorithm cannot be left while it waits for an answer. So `run` begins anew after each, with
    the noise it drew before, and is told all that is known; beside a call it takes little time.
    """
    known: list[FloatArray] = []
    seconds: list[float] = []
    while True:
        try:
            run(_Known(oracle, iter(known)), copy.deepcopy(rng))
            return seconds
        except _AskedError as asked:
            call = oracle.minimizing_each(asked.objective, asked.points, asked.linear)
        yield
        spent = 0.0
        while True:
            with Stopwatch() as watch:
                answer = _advance(call)
            spent += watch.seconds
            if answer is not None:
                break
            yield
        known.append(answer)
        seconds.append(spent)


def _advance(call: Steps[FloatArray]) -> FloatArray | None:
    """Go on to the next pause, or return the answer."""
    try:
        next(call)
    except StopIteration as end:
        answer: FloatArray = end.value
        return answer
    return None


@dataclass
class _AskedError(Exception):
    """An answer that an algorithm asks for is not known yet."""

    objective: Objective
    points: FloatArray
    linear: FloatArray


@dataclass
class _Known(ERMOracle):
    """Another optimiser, whose answers so far are told one after the other."""

    inner: ERMOracle
    answers: Iterator[FloatArray]
    calls: int = field(default=0, compare=False)

    @property
    def gap(self) -> float:
        """How far from the minimum an answer may be."""
        return self.inner.gap

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return the next answer that is known, or raise."""
        self.calls += len(linear)
        answer = next(self.answers, None)
        if answer is None:
            raise _AskedError(objective, points, linear)
        return answer

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        return self.inner.predict(functions, points)
