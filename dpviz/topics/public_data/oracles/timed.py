"""An optimiser that knows how long each of its calls took."""

from dataclasses import dataclass, field

from dpviz.results.evidence import FloatArray
from dpviz.results.refining import Stopwatch
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Objective


@dataclass
class Timed(ERMOracle):
    """Another optimiser, with the processor seconds of each of its answers, one after the other."""

    inner: ERMOracle
    seconds: list[float] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """How often the optimiser was called."""
        return self.inner.calls

    @calls.setter
    def calls(self, calls: int) -> None:
        self.inner.calls = calls

    @property
    def gap(self) -> float:
        """How far from the minimum an answer may be."""
        return self.inner.gap

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return what the other optimiser does."""
        with Stopwatch() as watch:
            found = self.inner.minimize_each(objective, points, linear)
        self.seconds.append(watch.seconds)
        return found

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        return self.inner.predict(functions, points)
