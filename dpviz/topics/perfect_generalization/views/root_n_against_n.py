"""View: how the ε′ that suffices grows with the number of samples."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dpviz.maths.finite_exponential import MOST_SAMPLES, FiniteExponential, Mechanism
from dpviz.maths.gaussian_samples import GaussianMean, difference_variance
from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.maths.sum_mechanisms import GaussianCount
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Source,
    Subject,
    span,
)
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import Pace, coarse_to_fine
from dpviz.topics.perfect_generalization.closeness import divergence_quantiles
from dpviz.topics.perfect_generalization.item_privacy import (
    bound_curves,
    item_privacy,
    slope_around,
)
from dpviz.topics.perfect_generalization.named_mechanisms import check_samples, named_mechanism

_PATIENCE = 0.05  # seconds; one more n takes as long
_NEAR = 0.05  # to one half, a power that is told as the root
_STRICT = LIMITS["failure_probability"].minimum


@dataclass(frozen=True, eq=False, kw_only=True)
class GrowthChart(Chart):
    """The exact ε′ along n, and the theorems.

    failure_probability: β. needed: at the reader's n. strict: the same for β = 1e-12. slope:
    d ln ε′/d ln n, over the decade around the reader's n, as far as computed. bends_at: the n
    from which the mean of the privacy loss, of order n, outweighs its spread, of order √n, for
    randomised response and Gaussian noise; NaN for other mechanisms.
    """

    failure_probability: float
    needed: float
    strict: float
    slope: float
    bends_at: float

    @property
    def tenfold(self) -> int:
        """About how many times as far apart outputs are of ten times as many examples.

        It is that over the decade around the reader's n, and nearly so over the next.
        """
        return round(10**self.slope)


def root_n_against_n(
    *,
    mechanism: str,
    samples: float,
    epsilon: float,
    sigma: float,
    delta: float,
    rate: float,
    closeness_delta: float,
    failure_probability: float,
    constant: float,
) -> Iterator[GrowthChart]:
    """Yield `growth` for a named mechanism.

    delta: the δ at which the theorems read the ε of Gaussian noise off its exact curve; the other
    mechanisms are pure. closeness_delta: δ′.
    """
    check_samples(mechanism, samples)

    def with_samples(n: float) -> Mechanism:
        return named_mechanism(mechanism, samples=n, epsilon=epsilon, sigma=sigma)

    yield from growth(
        with_samples,
        samples=samples,
        rate=rate,
        delta=closeness_delta,
        failure_probability=failure_probability,
        constant=constant,
        item_delta=delta,
    )


def growth(
    mechanism: Mechanism | Callable[[float], Mechanism],
    *,
    samples: float,
    rate: float,
    delta: float,
    failure_probability: float,
    constant: float = 1.0,
    item_delta: float | None = None,
) -> Iterator[GrowthChart]:
    """Yield the ε′ that suffices with probability 1 − β along n, exactly, coarse to fine.

    mechanism: one for all n, or a function that returns the one for n samples; samples: the
    reader's n, computed first; delta: δ′; failure_probability: β; constant: of Theorem 13;
    item_delta: the δ of Gaussian noise (see `item_privacy`). A partial result at least every
    0.1 s; the last is complete. Raises `ParameterError`.
    """
    one = mechanism if callable(mechanism) else lambda _: mechanism
    view = _View(
        one,
        validate("samples", samples),
        validate("rate", rate),
        validate("closeness_delta", delta),
        validate("failure_probability", failure_probability),
        validate("constant", constant),
        item_delta,
    )
    pace = Pace(_PATIENCE)
    grid = view.grid()
    known = {n: view.needed(n) for n in dict.fromkeys((*grid[:3], 1.0, view.most))}
    ends = view.ends(known)
    for n in grid:
        if n not in known:
            known[n] = view.needed(n)
        if pace.due() and len(known) < len(grid):
            yield view.chart(known, ends)
    yield view.chart(known, ends)


@dataclass(frozen=True)
class _View:
    mechanism_at: Callable[[float], Mechanism]
    samples: float
    rate: float
    delta: float
    failure_probability: float
    constant: float
    item_delta: float | None

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism for the reader's n."""
        return self.mechanism_at(self.samples)

    @property
    def most(self) -> float:
        """The largest n."""
        exponential = isinstance(self.mechanism, FiniteExponential)
        return MOST_SAMPLES if exponential else LIMITS["samples"].maximum

    def grid(self) -> list[float]:
        """Return the n to compute: the reader's, its neighbours, then coarse to fine."""
        most = self.most
        around = [self.samples * f for f in (10**-0.5, 10**0.5)]
        values = np.rint(np.geomspace(1, most, 25))
        asked = [self.samples, *map(round, around), *values[coarse_to_fine(values.size, 4)]]
        return list(dict.fromkeys(float(n) for n in asked if 1 <= n <= most))

    def needed(self, n: float) -> tuple[float, float]:
        """Return the exact ε′ for β and for the strictest β."""
        at, strict = divergence_quantiles(
            self.mechanism_at(n),
            samples=n,
            rate=self.rate,
            delta=self.delta,
            failure_probabilities=(self.failure_probability, _STRICT),
        )
        return float(at), float(strict)

    def ends(self, known: dict[float, tuple[float, float]]) -> tuple[float, float]:
        """Return the least and the largest ε′ of the chart, as all grow with n; NaN without any."""
        n = np.array([1.0, self.most])
        return span(*(known[x] for x in n.tolist()), *(curve.y for curve in self._promised(n)))

    def _promised(self, n: FloatArray) -> tuple[Curve, ...]:
        privacy = item_privacy(self.mechanism, n, delta=self.delta, item_delta=self.item_delta)
        return tuple(
            bound_curves(
                n,
                privacy,
                delta=self.delta,
                log_failure=math.log(self.failure_probability),
                constant=self.constant,
            )
        )

    def chart(
        self, known: dict[float, tuple[float, float]], ends: tuple[float, float]
    ) -> GrowthChart:
        """Return what is known so far; ends: of the axis."""
        n = np.array(sorted(known))
        exact, strict = (np.array([known[x][i] for x in n]) for i in (0, 1))
        bends_at = self._bends_at()
        at = known.get(self.samples, (math.nan, math.nan))
        inside = 1 <= bends_at <= n[-1]
        slope = slope_around(self.samples, n, exact)
        like = ", like √n" if abs(slope - 0.5) < _NEAR else ""
        return GrowthChart(
            x=Axis("samples", "Examples in one data set, n", base=1.0, reach=self.most),
            y=Axis(
                "epsilon",
                "How far apart outputs on two data sets are: privacy loss ε′",
                base=ends[0],
                reach=ends[1],
            ),
            curves=(
                self._exact("exact", f"fresh data{like}", n, exact, 1.4),
                self._exact("strict", "fresh data, all but 10⁻¹²", n, strict, 0.6),
                *self._promised(n),
            ),
            landmarks=(
                Landmark(
                    bends_at,
                    float(np.interp(bends_at, n, exact)),
                    "from here on the mean of the loss outweighs its spread",
                    Subject.DANGER,
                ),
            )
            if inside
            else (),
            here=self.samples,
            in_headline=("exact", "group"),
            failure_probability=self.failure_probability,
            needed=at[0],
            strict=at[1],
            slope=slope,
            bends_at=bends_at,
        )

    def _exact(self, key: str, label: str, n: FloatArray, y: FloatArray, weight: float) -> Curve:
        return Curve(
            key=key,
            label=label,
            subject=Subject.ITEM_LEVEL,
            evidence=Evidence.EXACT,
            source=Source("dpviz.topics.perfect_generalization", "all pairs of samples"),
            x=n,
            y=np.where(y > 0, y, np.nan),
            weight=weight,
        )

    def _bends_at(self) -> float:
        """Return the n at which the mean of the privacy loss and its spread agree.

        ε′ lies about z standard deviations above the mean, with z the normal quantile of 1 − δ′.
        Gaussian noise, sums D apart: mean D²/(2σ²), deviation D/σ, and D is at most its quantile,
        about z(1 − β/2)·√(2p(1 − p)n); for samples from a Gaussian their variance is that of the
        difference of two items. Randomised response, h answers apart: mean h·ε·tanh(ε/2),
        deviation ε·√h/cosh(ε/2), and h ≈ 2p(1 − p)n.
        """
        z = float(-ndtri(self.delta))
        coins = 2 * self.rate * (1 - self.rate)
        variance = difference_variance() if isinstance(self.mechanism, GaussianMean) else coins
        match self.mechanism:
            case GaussianCount(sigma=sigma):
                apart = (2 * z * sigma / float(-ndtri(self.failure_probability / 2))) ** 2
            case RandomizedResponse(epsilon=epsilon):
                apart = (z / math.sinh(epsilon / 2)) ** 2
            case _:
                return math.nan
        return apart / variance
