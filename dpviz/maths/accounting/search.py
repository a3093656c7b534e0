"""The smallest radius: root finding on certified bounds on δ."""

import math

from dpviz.maths.accounting.answer import Cut, LogBounds, Problem, one_query
from dpviz.maths.accounting.composition import composed, rough_log_delta
from dpviz.maths.bounded_noise import BoundedNoise

_NO_PRIVACY = math.log(0.5)  # log R, with Δ = 1, at which the two laws no longer overlap: δ = 1


class RadiusSearch:
    """Root finding in x = log R (with Δ = 1) for log δ(R) = log δ.

    The secant method on h(x) = log(log δ(R)/log δ), which is nearly a line: log δ falls like a
    power of R. Bounds are computed to be narrow near log δ; elsewhere their sign matters. Every
    evaluation is certified, hence every one may settle an end.
    """

    def __init__(
        self, noise: BoundedNoise, *, epsilon: float, delta: float, queries: float
    ) -> None:
        self._noise, self._epsilon, self._queries = noise, epsilon, queries
        self._goal = math.log(delta)
        self._width = 1e-4 if queries >= 30 else 1e-3
        self.slope = 2.0
        self._cut: Cut | None = None

    def approach(self, x: float) -> float:
        """Return an x near the root, and set the slope of h there, by rough values of δ alone."""
        x = max(x, _NO_PRIVACY + 0.1)
        if self._queries == 1:
            return x
        low, high, known = _NO_PRIVACY, math.inf, None
        for _ in range(30):
            h = self._height(rough_log_delta(self._problem(x), self._goal))
            low, high = (x, high) if h < 0 else (low, x)
            root = self._secant(x, h, known, 1.5)
            if not low < root < high:
                root = (low + high) / 2
            known = (x, h)
            x = root
            if abs(x - known[0]) < 1e-2:
                break
        return x

    def bracket(self, x: float) -> tuple[float, float]:
        """Return a log radius that is too small and one that is large enough, from a guess."""
        low, high, half = _NO_PRIVACY, math.inf, 0.3 * self._width
        precision, is_lost, stride = 1.0, False, 0.1
        known: tuple[float, float] | None = None
        x += half  # a very good guess then settles the upper end at once
        for count in range(40):
            tolerance = self._tolerance(half * precision)
            bounds = self._bounds(x, tolerance)
            # bounds that are too wide to tell how far it is to the root may still tell which way
            narrow = bounds.upper - bounds.lower < 1 or high - low < 0.02
            if bounds.upper <= self._goal:
                high = min(high, x)
            elif bounds.lower > self._goal:
                low = max(low, x)
            elif narrow and precision > 0.02 and bounds.upper - bounds.lower < 30 * tolerance:
                precision /= 10  # the truth lies between these bounds: narrow them
            elif narrow:
                precision, half = 1.0, 2 * half  # or settle for less
            if high - low <= 3 * half:
                break
            h = self._height(bounds.nearest(self._goal))
            if narrow:
                noise = (bounds.upper - bounds.lower) / -self._goal
                root, stride = self._secant(x, h, known, 1.0, noise), 0.1
            elif is_lost:
                # δ is easier to bound where it is small: walk down from where it is small enough
                stride *= 2 if x == high else 0.25
                root = (high if high < math.inf else x + 1) - stride
            else:
                root, is_lost = self.approach(x), True
            if (root - x) ** 2 < half / 2:  # the secant's error is of that order: settle the ends
                root = root + half if high > root + 2 * half else root - half
            is_slow = count > 8 and count % 2 == 0 and 0.02 < high - low < math.inf
            if is_slow or not low < root < high:
                root = (low + high) / 2 if high < math.inf else low + 0.5
            if not narrow:
                known = None
            elif known is None or abs(h - known[1]) > 4 * noise:
                known = x, h  # a nearer point would not tell the slope
            x = root
        return low, high

    def _secant(
        self,
        x: float,
        h: float,
        known: tuple[float, float] | None,
        longest: float,
        noise: float = 1e-7,
    ) -> float:
        """Return the next x, and keep the slope, unless noise in h would swamp it."""
        if known is not None and abs(h - known[1]) > 4 * noise and x != known[0]:
            self.slope = min(max((h - known[1]) / (x - known[0]), 0.05), 50.0)
        return x + min(max(-h / self.slope, -longest), longest)

    def _tolerance(self, error: float) -> float:
        """Return what a fraction of an error in x makes in log δ."""
        return min(0.1 * error * self.slope * -self._goal, 0.01)

    def _bounds(self, x: float, tolerance: float) -> LogBounds:
        """Return bounds on log δ."""
        problem = self._problem(x)
        if problem.shift >= 2:
            return LogBounds(0.0, 0.0)
        if problem.queries == 1:
            return one_query(problem)
        bounds, self._cut = composed(problem, self._goal, tolerance, self._cut)
        return bounds

    def _height(self, log_delta: float) -> float:
        return math.log(max(-log_delta, 1e-12) / -self._goal)

    def _problem(self, x: float) -> Problem:
        return Problem(self._noise, math.exp(-x), self._epsilon, self._queries)
