"""The smallest radius, the smallest ε, the largest k: root finding on certified bounds on δ."""

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

from dpviz.maths.accounting.answer import NEARLY_ONE, Cut, LogBounds, Problem, one_query
from dpviz.maths.accounting.composition import composed, rough_log_delta
from dpviz.results.refining import Steps, pause, whole

T = TypeVar("T")

_MOST = 100  # evaluations: a handful is usual
_LONGEST = 1.0  # step
_ROUGH = 0.01  # error in log δ that is asked for at most
_WIDE = 1e-2  # bounds so far apart in t may do with
_ROUGHEST = 0.05  # errors up to this
_LEAST_SLOPE = 1e-3  # δ hardly depends on an ε far below 1/√k
_MOST_SLOPE = 1e3  # many answers: their loss hardly scatters, and δ falls from 1 to 0 within little


class _UnknownError(Exception):
    """A value that a solver asks for is not known yet."""

    def __init__(self, at: float) -> None:
        super().__init__(at)
        self.at = at


def solved_in_steps(
    solve: Callable[[Callable[[float], float]], T], value: Callable[[float], float]
) -> Steps[T]:
    """Return solve(value), with a pause before every value: for solvers that cannot be left.

    After each value `solve` begins anew, and gets those known at once. So it must ask for the same
    ones again, depend on nothing else, and take little time beside a value.
    """
    cache: dict[float, float] = {}

    def recall(at: float) -> float:
        if at not in cache:
            raise _UnknownError(at)
        return cache[at]

    while True:
        try:
            return solve(recall)
        except _UnknownError as missing:
            at = missing.at
        yield
        cache[at] = value(at)


class LogDelta(Protocol):
    """log δ as a function of x."""

    def bounds(self, x: float, goal: float, tolerance: float) -> Steps[LogBounds]:
        """Find certified bounds, near the goal with about this error if that is possible."""

    def rough(self, x: float, goal: float) -> float | None:
        """Return a rough value, quicker than bounds; None where there is none."""


class Accountant:
    """log δ of problems, by the accountant; a problem's contour serves the next one as a start."""

    def __init__(self, problem: Callable[[float], Problem]) -> None:
        self._problem = problem
        self._cut: Cut | None = None

    def bounds(self, x: float, goal: float, tolerance: float) -> Steps[LogBounds]:
        """Return bounds that are narrow near the goal."""
        problem = self._problem(x)
        if problem.is_apart:
            return LogBounds(NEARLY_ONE, 0.0)
        if problem.queries == 1:
            return one_query(problem)
        steps = composed.steps(problem, goal, tolerance, self._cut)
        bounds, self._cut = yield from steps
        return bounds

    def rough(self, x: float, goal: float) -> float | None:
        """Return an estimate; one query is bounded as quickly."""
        problem = self._problem(x)
        if problem.queries == 1:
            return None
        rough, self._cut = rough_log_delta(problem, goal, self._cut)
        return rough


class RootSearch:
    """Root finding in t for log δ(x) = log δ, where t = log x, or −log x where δ grows with x.

    Privacy grows with t. The secant method on h(t) = log(log δ(x)/log δ), which is nearly a line.
    Bounds are computed to be narrow near log δ; elsewhere their sign matters. Every evaluation is
    certified, so any of them may settle an end.

    log_delta: as a function of x; goal: log δ; width: about how far apart in t the two ends may
    stay; span: the least and the largest x, themselves tried; whole: x is a whole number, and δ
    grows with it; too_little: an x that is known not to be private; finest: the error in log δ
    below which bounds are narrowed only where they do not decide: where δ hardly depends on x.
    """

    def __init__(
        self,
        log_delta: LogDelta,
        *,
        goal: float,
        width: float,
        span: tuple[float, float] = (0.0, math.inf),
        whole: bool = False,
        too_little: float | None = None,
        finest: float = 0.0,
    ) -> None:
        self._log_delta, self._goal, self._width = log_delta, goal, width
        self._finest = finest
        self._sign, self._span = -1 if whole else 1, span
        self._first, self._last = sorted(self._t(x) for x in span)
        self._low = -math.inf if too_little is None else self._t(too_little)
        self._high = math.inf
        self.slope = 2.0

    def approach(self, x: float) -> float:
        """Return an x near the root, and set the slope of h there, by rough values of δ alone."""
        t = self._inside(max(self._t(x), self._low + 0.1))
        low, high, previous = self._low, math.inf, None
        for _ in range(30):
            pause()
            rough = self._log_delta.rough(self._x(t), self._goal)
            if rough is None:
                break
            h = self._height(rough)
            low, high = (t, high) if h < 0 else (low, t)
            root = self._inside(self._secant(t, h, previous, 1.5))
            if not low < root < high:
                root = (max(low, self._first) + min(high, self._last)) / 2
            previous = (t, h)
            t = root
            if abs(t - previous[0]) < 1e-2:
                break
        return self._x(t)

    def ends(self, x: float) -> tuple[float, float] | None:
        """Return an x that is private, and one next to it that is not, from a guess.

        Both are the least private x of the span if even that is private. None: no x is.
        """
        return whole(self.steps(x))

    def steps(self, x: float) -> Steps[tuple[float, float] | None]:
        """Do the same with pauses, one after every evaluation that is not the last."""
        half = 0.3 * self._width
        precision, is_lost, stride, side, beyond = 1.0, False, 0.1, 0, 0
        previous: tuple[float, float] | None = None
        t = self._inside(self._t(x) + half)  # a very good guess then settles one end at once
        for count in range(_MOST):
            t = self._whole(t, side)
            tolerance = self._tolerance(half) * precision
            bounds = yield from self._bounds(self._x(t), tolerance)
            # bounds too wide to show how far away the root is may still show in which direction
            narrow = bounds.upper - bounds.lower < 1 or self._high - self._low < 0.02
            if bounds.upper <= self._goal:
                self._high = min(self._high, t)
            elif bounds.lower > self._goal or t == self._first:
                self._low = max(self._low, t)
            elif narrow and precision > 0.02 and bounds.upper - bounds.lower < 30 * tolerance:
                precision /= 10  # the truth lies between these bounds: narrow them
            elif narrow:
                precision, half = 1.0, 2 * half  # or settle for less
            if self._is_settled(t, half):
                break
            yield
            h = self._height(bounds.nearest(self._goal))
            side = 0
            if narrow:
                noise = (bounds.upper - bounds.lower) / -self._goal
                slope = self.slope
                root, stride = self._secant(t, h, previous, _LONGEST, noise), 0.1
                now = 1 if t == self._high else -1 if t == self._low else 0
                if previous is not None and now == beyond != 0 and self.slope == slope:
                    self.slope = max(slope / 2, _LEAST_SLOPE)  # it creeps: δ depends less on x
                beyond = now
            elif is_lost:
                # δ is easier to bound where it is small: walk down from where it is small enough
                stride *= 2 if t == self._high else 0.25
                root = (self._high if self._high < math.inf else t + 1) - stride
            else:
                root, is_lost = self._t(self.approach(self._x(t))), True
            if (root - t) ** 2 < half / 2:  # the secant's error is of that order: settle the ends
                side = 1 if self._high > root + 2 * half else -1
                root += side * half
            root, side = self._between(root, side, count > 8 and count % 2 == 0)
            if not narrow:
                previous = None
            elif previous is None or abs(h - previous[1]) > 4 * noise:
                previous = t, h  # a nearer point would not show the slope
            t = root
        if self._high == self._first:
            return self._x(self._high), self._x(self._high)
        return None if self._high == math.inf else (self._x(self._high), self._x(self._low))

    @property
    def known_too_little(self) -> float:
        """The x nearest to the root that is known not to be private."""
        return self._x(self._low)

    def _is_settled(self, t: float, half: float) -> bool:
        """Return whether the two ends are next to each other, or the span has none on one side."""
        if self._high == self._first or (t == self._last and self._high != t):
            return True
        if self._sign < 0 and math.isfinite(self._high - self._low):
            return self._x(self._low) - self._x(self._high) <= 1 or self._is_narrow(half)
        return self._is_narrow(half)

    def _is_narrow(self, half: float) -> bool:
        return self._high - self._low <= 3 * half

    def _between(self, root: float, side: int, is_slow: bool) -> tuple[float, int]:
        """Return the next t, between the ends known, and the side of the root it is meant for.

        Where the secant is slow, an end of the span not yet tried is tried, or the middle.
        """
        low, high = max(self._low, self._first), min(self._high, self._last)
        if low < root < high and not (is_slow and 0.02 < high - low < math.inf):
            return root, side
        if self._low == -math.inf and (root <= low or is_slow):
            return self._first, 0
        if self._high == math.inf > self._last and (root >= high or is_slow):
            return self._last, 0
        return ((low + high) / 2 if high < math.inf else low + 0.5), 0

    def _secant(
        self,
        t: float,
        h: float,
        previous: tuple[float, float] | None,
        longest: float,
        noise: float = 1e-7,
    ) -> float:
        """Return the next t, and keep the slope, unless noise in h would swamp it."""
        if previous is not None and abs(h - previous[1]) > 4 * noise and t != previous[0]:
            self.slope = min(max((h - previous[1]) / (t - previous[0]), _LEAST_SLOPE), _MOST_SLOPE)
        return t + min(max(-h / self.slope, -longest), longest)

    def _tolerance(self, error: float) -> float:
        """Return what a fraction of an error in t makes in log δ."""
        most = _ROUGHEST if self._width >= _WIDE else _ROUGH
        return min(max(0.1 * error * self.slope * -self._goal, self._finest), most)

    def _bounds(self, x: float, tolerance: float) -> Steps[LogBounds]:
        """Return bounds on log δ."""
        return (yield from self._log_delta.bounds(x, self._goal, tolerance))

    def _height(self, log_delta: float) -> float:
        return math.log(max(-log_delta, 1e-12) / -self._goal)

    def _inside(self, t: float) -> float:
        return min(max(t, self._first), self._last)

    def _t(self, x: float) -> float:
        return self._sign * math.log(x) if x > 0 else -math.inf

    def _x(self, t: float) -> float:
        """Return the x at t, whole where it has to be."""
        for end in self._span:
            if t == self._t(end):
                return end
        x = math.exp(self._sign * t)
        return float(round(x)) if self._sign < 0 else x

    def _whole(self, t: float, side: int) -> float:
        """Return t; if x is whole, that of the whole x on this side of it, between the ends."""
        if self._sign > 0:
            return t
        x = (round, math.floor, math.ceil)[side](math.exp(-t))
        least = self._span[0] if self._high == math.inf else self._x(self._high) + 1
        most = self._span[1] if self._low == -math.inf else self._x(self._low) - 1
        return -math.log(min(max(x, least), most))
