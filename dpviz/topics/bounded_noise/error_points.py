"""The least private radius along one parameter: the points through which the error curves run."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dpviz.maths import dagan_kur as published
from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import radii, radius_search
from dpviz.maths.accounting.starts import likely_radius
from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.results.caching import Cache, cached
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.refining import Steps, coarse_to_fine, whole

# Figure 1 of the paper shows k from 100 and ε up to 1; a little more lies around it.
_RANGES = {"queries": (10.0, 1e10), "epsilon": (1e-7, 10.0), "delta": (1e-250, 1e-2)}
# A line between two neighbouring points is off by less than 2% (tested); all points are exact.
POINTS = 31
_STRIDE = 10  # of the first points
_NEAR = 0.3  # difference of log R/σ between two points up to which the ones between are foreseen
DRAFT = 2e-2
"""About the relative width of the certified bounds on a radius while a figure follows a slider."""
OWN_DRAFT = 1e-3
"""The same where the reader stands, whose radius is given to three digits."""
_ANY = Bracket(0.0, math.inf)
_FEW = 30  # queries below which a search that begins close by takes no fewer steps


@dataclass(frozen=True)
class Point:
    """What is known at one x: the privacy parameters, the least σ and the least radius.

    slope: of the search that found the radius, for searches near by. published: Dagan & Kur's
    bound on the radius, NaN while it is not known.
    """

    x: float
    epsilon: float
    delta: float
    queries: float
    sigma: float
    radius: Bracket
    slope: float
    published: float = math.nan

    @property
    def log_ratio(self) -> float:
        """Log R/σ, which varies slowly."""
        return math.log(self.radius.upper / self.sigma)


@dataclass(frozen=True)
class Line:
    """The line in parameter space along which the curves run."""

    against: str
    fixed: dict[str, float]
    noise: BoundedNoise
    failure_probability: float

    @property
    def depends(self) -> tuple[object, ...]:
        """All that curves along the line depend on: not where on it the reader is."""
        others = {name: value for name, value in self.fixed.items() if name != self.against}
        return self.against, others, self.noise, self.failure_probability

    def grid(self) -> FloatArray:
        """Return the x-values."""
        low, high = _RANGES[self.against]
        grid: FloatArray = np.geomspace(low, high, POINTS)
        if self.against == "queries":  # bent where there are few, then nearly straight
            grid = low * (high / low) ** (np.linspace(0, 1, POINTS) ** 1.5)
        if self.against == "delta":  # errors change with √ln(1/δ): most where δ is large
            first, last = math.sqrt(-math.log(low)), math.sqrt(-math.log(high))
            grid = np.exp(-(np.geomspace(first, last, POINTS) ** 2))
        grid[[0, -1]] = low, high
        return np.round(grid) if self.against == "queries" else grid

    def point(self, x: float, *near: Point, width: float = 0.0) -> Point:
        """Compute the point at x; a known one on either side, if given, shortens the search.

        width: of the bounds on the radius, where they may be wider than usual.
        """
        return whole(self.point_steps(x, *near, width=width))

    def point_steps(self, x: float, *near: Point, width: float = 0.0) -> Steps[Point]:
        """Compute `point` with pauses."""
        at = self.fixed | {self.against: float(x)}
        sigma = float(gaussian.minimal_sigma(**at))
        guess = None if at["queries"] < _FEW else _foreseen(float(x), near)
        radius, slope = yield from _radius_steps(
            self.noise, **at, sigma=sigma, guess=guess, width=width
        )
        return Point(float(x), **at, sigma=sigma, radius=radius, slope=slope)

    def draft(self, here: Point) -> list[Point]:
        """Return `here` and the two ends, their radii between wide certified bounds."""
        ends = [self.point(x, width=DRAFT) for x in self.grid()[[0, -1]]]
        return in_order([*ends, here])

    def without_radii(self, x: FloatArray) -> list[Point]:
        """Return the points at these x with σ alone, which takes no search."""
        sigmas = gaussian.minimal_sigma(**self.fixed | {self.against: x})
        return [
            Point(
                each, **self.fixed | {self.against: each}, sigma=sigma, radius=_ANY, slope=math.nan
            )
            for each, sigma in zip(x.tolist(), sigmas.tolist(), strict=True)
        ]

    def points(self, here: Point) -> Iterator[list[Point] | None]:
        """Yield the points known so far and `here`, in order, whenever there is one more.

        None is yielded at pauses on the way to the next.
        """
        x = self.grid()
        computed: dict[int, Point] = {}
        for i in coarse_to_fine(POINTS, _STRIDE):
            left, right = [j for j in computed if j < i], [j for j in computed if j > i]
            near = [computed[max(left)], computed[min(right)]] if left and right else []
            computed[i] = yield from self.point_steps(x[i], *near)
            yield in_order([here, *computed.values()])

    def with_published(self, point: Point) -> Point:
        """Return the point with Dagan & Kur's bound on the radius."""
        at = {"epsilon": point.epsilon, "delta": point.delta, "queries": point.queries}
        return replace(point, published=_published_radius(self.noise, **at))


def in_order(points: list[Point]) -> list[Point]:
    """Return the points by ascending x, each x once."""
    return sorted({point.x: point for point in points}.values(), key=lambda point: point.x)


def _foreseen(x: float, near: tuple[Point, ...]) -> tuple[float, float] | None:
    """Return what log R/σ and the search's slope are between two points that differ little."""
    if len(near) < 2 or abs(near[0].log_ratio - near[1].log_ratio) > _NEAR:
        return None
    left, right = near
    share = math.log(x / left.x) / math.log(right.x / left.x)
    log_ratio = left.log_ratio + share * (right.log_ratio - left.log_ratio)
    return log_ratio, left.slope + share * (right.slope - left.slope)


# A reader who moves along the x-axis leaves the curve as it is: only the first time costs.
_RADII = Cache[tuple[Bracket, float]](16 * 2**20)


def _radius_steps(
    noise: BoundedNoise,
    *,
    epsilon: float,
    delta: float,
    queries: float,
    sigma: float,
    guess: tuple[float, float] | None,
    width: float,
) -> Steps[tuple[Bracket, float]]:
    """Return certified bounds on the least radius, and the slope of the search."""
    key = (noise, epsilon, delta, queries, sigma, guess, width)
    found = _RADII.get(key)
    if found is None:
        search = radius_search(noise, epsilon, delta, queries, width)
        if guess is None:
            privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
            start = likely_radius(noise, sigma, **privacy, search=search)
        else:
            start, search.slope = sigma * math.exp(guess[0]), guess[1]
        ends = yield from search.steps(start)
        found = Bracket(*radii(ends)), search.slope
        _RADII.add(key, found)
    return found


_published_radius = cached(8 * 2**20)(published.dagan_kur_radius)
