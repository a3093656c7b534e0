"""Again and again: what k answers promise together, by four theorems and exactly."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.maths import composition_bounds as bounds
from dpviz.maths import divergence, gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.results.caching import Cache
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
    span,
)
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import Pace, Steps, coarse_to_fine, paused, whole
from dpviz.topics.promise.calibrating import NOISES, least_epsilon
from dpviz.topics.promise.releases import (
    BoundedRelease,
    GaussianRelease,
    GeometricRelease,
    LaplaceRelease,
    Release,
    ResponseRelease,
)

MOST_ANSWERS = 10_000
_GRID = np.unique(np.round(np.geomspace(1, MOST_ANSWERS, 25))).astype(int).tolist()
_FEWEST = 4  # points, up to which each is shown as it comes
_BASIC = Source("Dwork & Roth 2014", "Theorem 3.16")
_ADVANCED = Source("Dwork, Rothblum & Vadhan 2010", "as Theorem 3.20 of Dwork & Roth 2014")
_ZCDP = Source("Bun & Steinke 2016", "with the conversion of Canonne, Kamath & Steinke 2020")
_OPTIMAL = Source("Kairouz, Oh & Viswanath 2015", "Theorem 3.3")


@dataclass(frozen=True, eq=False, kw_only=True)
class AgainAndAgain(Chart):
    """The ε of k answers at one δ, by each way to count.

    exact: bounds on the true ε at the reader's k; inf where no ε will do. others: what each
    theorem promises there, by the key of its curve; inf where it promises nothing. noise: of the
    answers, as `dpviz compose` reads it.
    """

    mechanism: str
    noise: str
    answer_epsilon: float
    delta: float
    queries: int
    exact: Bracket
    others: dict[str, float]


def again_and_again(
    *, mechanism: str, answer_epsilon: float, delta: float, queries: int, power: float
) -> Iterator[AgainAndAgain]:
    """Yield the ε of k answers for k from 1 to 10,000 at one δ, coarse to fine.

    answer_epsilon: ε₀ of one answer. Laplace, geometric noise and randomised response have it at
    δ = 0; Gaussian and bounded noise (power: p) are the least for one answer of (ε₀, δ).
    mechanism: one of `dpviz.topics.promise.calibrating.NOISES`. Neighbouring data sets
    substitute one person; answers may be adaptive. Raises `ParameterError`.
    """
    one = _One.of(
        mechanism, validate("answer_epsilon", answer_epsilon), validate("delta", delta), power
    )
    k = int(LIMITS["queries"].narrowed(maximum=MOST_ANSWERS).validate(queries))
    pace = Pace()
    curve, ends = whole(one.ends())
    own = {k: whole(one.point(k, curve))}
    planned = len({*_GRID, k})
    shown = _result(one, curve | own, k, ends, 1 / planned)
    yield shown
    for count in (_GRID[i] for i in coarse_to_fine(len(_GRID), 8)):
        if count not in curve:
            curve[count] = yield from paused(one.along(count, curve), pace, shown)
        known = curve | own
        if pace.due() or len(known) < _FEWEST:
            shown = _result(one, known, k, ends, len(known) / planned)
            yield shown
    yield _result(one, curve | own, k, ends, 1.0)


@dataclass(frozen=True)
class _Point:
    """The ε of so many answers: bounds on the true one, and what theorems promise."""

    exact: Bracket
    promised: dict[str, float]


@dataclass(frozen=True)
class _One:
    """One answer of a mechanism."""

    mechanism: str
    epsilon: float
    delta: float
    level: float  # μ or ε₀ or, for bounded noise, 1/R
    power: float

    @classmethod
    def of(cls, mechanism: str, epsilon: float, delta: float, power: float) -> "_One":
        if mechanism not in NOISES:
            raise ParameterError("mechanism", f"one of {', '.join(NOISES)}", mechanism)
        level = epsilon
        if mechanism == "gaussian":
            level = float(gaussian.largest_mu(np.array(epsilon), np.array(delta)))
        elif mechanism == "bounded":
            noise = PowerNoise(power)
            level = 1 / minimal_radius(noise, epsilon=epsilon, delta=delta, queries=1).upper
        return cls(mechanism, epsilon, delta, level, power)

    @property
    def is_pure(self) -> bool:
        return self.mechanism not in ("gaussian", "bounded")

    def composed(self, count: int) -> str:
        """Return so many answers as `dpviz compose` reads them."""
        noise = {
            "gaussian": f"gaussian:sigma={1 / self.level!r}",
            "bounded": f"power:radius={1 / self.level!r},power={self.power!r}",
            "laplace": f"laplace:scale={1 / self.level!r}",
            "geometric": f"discrete_laplace:scale={1 / self.level!r}",
            "response": f"response:epsilon={self.level!r}",
        }
        return f"{noise[self.mechanism]},count={count}"

    def release(self, count: int) -> Release:
        if self.mechanism == "gaussian":
            return GaussianRelease(math.sqrt(count) * self.level)
        if self.mechanism == "bounded":
            return BoundedRelease(PowerNoise(self.power), self.level, count)
        if self.mechanism == "laplace":
            return LaplaceRelease(self.level, count)
        kind = GeometricRelease if self.mechanism == "geometric" else ResponseRelease
        return kind(self.level, count)

    def along(self, count: int, known: dict[int, _Point]) -> Steps[_Point]:
        """Return a point of the curve, which is the same at whatever k a reader stands.

        known: those before it in the one order in which the curve is computed.
        """
        found = _CURVES.get((self, count))
        if found is None:
            found = yield from self.point(count, known)
            _CURVES.add((self, count), found)
        return found

    def point(self, count: int, known: dict[int, _Point]) -> Steps[_Point]:
        """Return all there is to say about so many answers, with pauses; those known save time."""
        release = self.release(count)
        start = _guess(count, {k: p.exact.upper for k, p in known.items()}, self.epsilon)
        exact = yield from least_epsilon.steps(release, self.delta, start)
        single = _guess(count, {k: p.promised["basic"] / k for k, p in known.items()}, self.epsilon)
        promised = yield from self._promised(count, single)
        if self.mechanism == "laplace":
            promised["optimal"] = float(
                divergence.randomized_response_epsilon(
                    count, bit_epsilon=self.epsilon, delta=self.delta
                )
            )
        return _Point(exact, promised)

    def ends(self) -> Steps[tuple[dict[int, _Point], tuple[float, float]]]:
        """Return what is known of one answer, and the least and the largest ε there will be.

        All grow with k, and adding up promises at least the exact ε.
        """
        first = yield from self.along(1, {})
        last = yield from self._promised(MOST_ANSWERS, self.epsilon)
        return {1: first}, span([first.exact.lower, *first.promised.values(), *last.values()])

    def _promised(self, count: int, start: float) -> Steps[dict[str, float]]:
        """Return what the theorems promise that need no search along k, with pauses."""
        once = yield from self._of_one(self.delta / count, start)
        shared = yield from self._of_one(self.delta / (2 * count), once)
        slack = self.delta if self.is_pure else self.delta / 2
        promised = {
            "basic": float(bounds.basic_epsilon(once, queries=count)),
            "advanced": float(bounds.advanced_epsilon(shared, queries=count, slack=slack)),
        }
        if self.mechanism != "bounded":
            # Gaussian noise has ρ = μ²/2 exactly
            rho = self.level**2 / 2 if not self.is_pure else bounds.zcdp_of_pure(self.level)
            promised["zcdp"] = bounds.zcdp_epsilon(count * rho, delta=self.delta)
        return promised

    def _of_one(self, delta: float, start: float) -> Steps[float]:
        """Return the ε of one answer at another δ, with pauses."""
        if self.is_pure:
            return self.epsilon
        found = yield from least_epsilon.steps(self.release(1), delta, start)
        return found.upper


# A reader who moves along k leaves the curve as it is: only the first time costs.
_CURVES = Cache[_Point](2**17)


def _guess(count: int, known: dict[int, float], otherwise: float) -> float:
    """Interpolate on logarithmic scales."""
    places = {k: math.log(e) for k, e in sorted(known.items()) if 0 < e < math.inf}
    if not places:
        return otherwise
    return math.exp(np.interp(math.log(count), np.log(list(places)), list(places.values())))


_LOOKS = {
    "basic": ("Adding up", Subject.ITEM_LEVEL, _BASIC),
    "advanced": ("Advanced composition", Subject.EARLIER, _ADVANCED),
    "zcdp": ("Concentrated privacy (zCDP)", Subject.USER_LEVEL, _ZCDP),
    "optimal": ("Knowing ε₀ alone", Subject.LOWER_BOUND, _OPTIMAL),
}


def _result(
    one: _One, known: dict[int, _Point], k: int, ends: tuple[float, float], done: float
) -> AgainAndAgain:
    points = [known[count] for count in sorted(known)]
    x = np.array(sorted(known), dtype=float)
    release = one.release(2)
    lower = np.array([point.exact.lower for point in points])
    upper = np.array([point.exact.upper for point in points])
    promised = {key: np.array([p.promised[key] for p in points]) for key in points[0].promised}
    curves = [
        Curve(
            key,
            _LOOKS[key][0],
            _LOOKS[key][1],
            Evidence.EXACT if key == "optimal" else Evidence.PUBLISHED,
            _LOOKS[key][2],
            x,
            _finite(values),
        )
        for key, values in promised.items()
    ]
    exact = release.evidence is Evidence.EXACT
    curves.append(
        Curve(
            "exact",
            f"Exact, {NOISES[one.mechanism]}",
            release.subject,
            release.evidence,
            release.source,
            x,
            _finite(upper),
            None if exact else _finite(lower),
            None if exact else _finite(upper),
            weight=1.4,
        )
    )
    return AgainAndAgain(
        x=Axis("queries", "Answers, k", base=1.0, reach=MOST_ANSWERS),
        y=Axis("epsilon", "ε of all answers together", base=ends[0], reach=ends[1]),
        curves=tuple(curves),
        here=float(k),
        in_headline=("exact", "basic"),
        mechanism=one.mechanism,
        noise=one.composed(k),
        answer_epsilon=one.epsilon,
        delta=one.delta,
        queries=k,
        exact=known[k].exact,
        others=known[k].promised,
        done=done,
    )


def _finite(values: FloatArray) -> FloatArray:
    """Return the values, NaN where there is none, and where a logarithmic axis has no place."""
    finite: FloatArray = np.where(np.isfinite(values) & (values > 0), values, math.nan)
    return finite
