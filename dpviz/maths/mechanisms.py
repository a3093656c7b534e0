r"""Mechanisms that can be composed, each with its parameters and how many answers it gives.

Every one is a pair of laws that dominates all neighbouring pairs of its kind. sensitivity: Δ, the
most by which one person moves one answer, for substituting or for adding and removing, whichever
all of the answers mean. A mechanism that is symmetric is the same in both directions.

Noise that is log-concave (all that is added to numbers here) is dominated by its shift by all of Δ.
A guarantee of (ε, δ)-DP is dominated by randomised response that reveals all with probability δ
(Kairouz, Oh & Viswanath 2015), one of μ-GDP by Gaussian noise (Dong, Roth & Su 2022). A Gaussian
answer about a Poisson sample, whose neighbours have one record more or less, is dominated by
(1 − q)·N(0, σ²) + q·N(Δ, σ²) against N(0, σ²), in each direction (Zhu, Dong & Wang 2022).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import log_ndtr

from dpviz.maths.accounting.answer import Problem
from dpviz.maths.bounded_noise import BoundedNoise, IteratedExponentialNoise, PowerNoise
from dpviz.maths.composed_losses import Losses, Rounded
from dpviz.maths.discrete_noise import GeometricNoise
from dpviz.maths.laplace_rivals import TruncatedLaplace
from dpviz.maths.logspace import log1mexp, log_sum_exp
from dpviz.maths.loss_laws import LossLaw, geometric_law, laplace_laws
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.evidence import FloatArray
from dpviz.results.limit import Limit
from dpviz.results.numbers import read_number
from dpviz.results.parameters import LIMITS, ParameterError

MOST_BINS = 2**15
"""Into how many bins the losses of one answer are cut, at most."""

_LONGEST = 400  # characters of a mechanism that is read
_MOST_ATOMS = 2.0**17
_NODES, _WEIGHTS = leggauss(8)
_SURVEY = 4096
_FULLY = 14.0  # more of the mass may be charged in full where losses have a heavy tail
_HIGHEST = 300.0  # losses above count as infinite, or below as the least
_WIDEST = 0.25  # of a panel of the quadrature
_CORE = 8.0  # typical losses
_GROWTH = 1 / 64
_CORRECTIONS, _MISSED, _HALVINGS = 4, 1e-6, 60
_RARE = 14.0  # e^−14 of the likeliest bin, over the answers: left out of the law from below

EXAMPLE = "gaussian:sigma=2,count=3"
"""A mechanism, as it is typed."""

RANGES: Mapping[str, Limit] = MappingProxyType(
    {
        **{name: LIMITS[name] for name in ("sensitivity", "sigma", "radius", "power", "barrier")},
        **{name: LIMITS[name] for name in ("bulk", "cut")},
        "count": Limit("count", "k", "answers of this kind", 1, 10**10, 1, integer=True),
        "scale": Limit("scale", "b", "scale of Laplace noise", 1e-12, 1e27, 1.0),
        "rate": Limit("rate", "q", "share of the records in a Poisson sample", 1e-9, 1.0, 1.0),
        "epsilon": Limit("epsilon", "ε", "privacy loss", 1e-7, 100.0, 1.0),
        "delta": Limit("delta", "δ", "slack added to every probability", 1e-300, 0.5, 1e-6),
        "mu": Limit("mu", "μ", "parameter of Gaussian DP", 1e-9, 100.0, 1.0),
        "values": Limit("values", "m", "values of an answer", 2, 10**9, 2, integer=True),
    }
)
"""The ranges of what a mechanism is told."""


class LossRegion(NamedTuple):
    """Where δ is sought, and thus which losses matter.

    depth: what has less than e^−depth of the mass may count as revealed. tilt: of the sum of all
    losses. cap: larger losses may count as infinite. forwards: from the data with the person to
    those without.
    """

    depth: float
    tilt: float = 0.0
    cap: float = math.inf
    forwards: bool = True


@dataclass(frozen=True, kw_only=True)
class Mechanism(ABC):
    """Answers of one kind; count: how many. Raises `ParameterError` for what is out of range."""

    kind: ClassVar[str] = ""

    count: int = 1

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = RANGES[entry.name].validate(getattr(self, entry.name))
            whole = RANGES[entry.name].integer
            object.__setattr__(self, entry.name, int(value) if whole else value)

    def __str__(self) -> str:
        """As it is typed."""
        given = [
            f"{entry.name}={getattr(self, entry.name):.12g}"
            for entry in fields(self)
            if getattr(self, entry.name) != entry.default
        ]
        return f"{self.kind}:{','.join(sorted(given, key=lambda word: word.startswith('count')))}"

    @property
    def symmetric(self) -> bool:
        """Whether both directions between neighbours are alike."""
        return True

    @property
    def gaussian_mu(self) -> float:
        """The μ of one answer, if it is as private as Gaussian noise; else 0."""
        return 0.0

    @property
    def largest(self) -> float:
        """The largest loss of one answer; infinity for noise that may reveal all."""
        return math.inf

    @property
    @abstractmethod
    def natural(self) -> float:
        """The step of the lattice its losses are on; 0 if they are on none."""

    @property
    @abstractmethod
    def typical(self) -> float:
        """About how large the loss of one answer is."""

    @abstractmethod
    def rounded(self, step: float, region: LossRegion) -> Rounded:
        """Return the losses on a lattice about so fine, or one of a multiple of it.

        region: where δ is sought.
        """


class _OnLattice(Mechanism):
    """Answers whose losses are few, or on a lattice of their own."""

    @property
    @abstractmethod
    def law(self) -> Losses:
        """The losses, as they are."""

    def rounded(self, step: float, region: LossRegion) -> Rounded:
        """Return the losses as they are, on their own lattice, wherever δ is sought."""
        del step, region
        return Rounded(self.law, self.law)


# ---- with atoms ----------------------------------------------------------------------------------


def _from_symmetric(law: LossLaw, log_infinite: float = -math.inf) -> Losses:
    log_masses = law.log_weights + law.losses / 2
    return Losses.dense(-law.largest, law.step, log_masses, log_infinite)


@dataclass(frozen=True, kw_only=True)
class Pure(_OnLattice):
    """Any answers that are ε-DP each, or randomised response to a question of two values."""

    kind = "pure"

    epsilon: float

    @property
    def largest(self) -> float:
        """It is ε."""
        return self.epsilon

    @property
    def natural(self) -> float:
        """Both losses, ε and −ε, are on a lattice of step 2ε."""
        return 2 * self.epsilon

    @property
    def typical(self) -> float:
        """It is ε."""
        return self.epsilon

    @property
    def law(self) -> Losses:
        """The losses, as they are."""
        return _from_symmetric(geometric_law(self.epsilon, 1))


@dataclass(frozen=True, kw_only=True)
class Approximate(Pure):
    """Any answers that are (ε, δ)-DP each."""

    kind = "approximate"

    delta: float

    @property
    def largest(self) -> float:
        """It is infinite, with probability δ."""
        return math.inf

    @property
    def law(self) -> Losses:
        """The losses, as they are; δ is infinite."""
        law = _from_symmetric(geometric_law(self.epsilon, 1))
        kept = law.log_masses + math.log1p(-self.delta)
        return replace(law, log_masses=kept, log_infinite=math.log(self.delta))


@dataclass(frozen=True, kw_only=True)
class RandomisedResponse(Pure):
    """The true value of m, e^ε times as likely to be told as each other one."""

    kind = "response"

    values: int = 2

    @property
    def natural(self) -> float:
        """Of more than two values, a third one tells nothing."""
        return 2 * self.epsilon if self.values == 2 else self.epsilon

    @property
    def law(self) -> Losses:
        """The losses, as they are."""
        if self.values == 2:
            return super().law
        log_all = float(np.logaddexp(self.epsilon, math.log(self.values - 1)))
        masses = np.array([-log_all, math.log(self.values - 2) - log_all, self.epsilon - log_all])
        return Losses.dense(-self.epsilon, self.epsilon, masses)


@dataclass(frozen=True, kw_only=True)
class DiscreteLaplace(_OnLattice):
    """Whole numbers with noise of masses ∝ e^(−|x|/scale); sensitivity: a whole number."""

    kind = "discrete_laplace"

    scale: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_whole(self.sensitivity)
        if self.sensitivity > MOST_BINS:
            raise ParameterError("sensitivity", f"at most {MOST_BINS:,} here", self.sensitivity)

    @property
    def largest(self) -> float:
        """It is Δ/b."""
        return self.sensitivity / self.scale

    @property
    def natural(self) -> float:
        """Losses lie 2/b apart."""
        return 2 / self.scale

    @property
    def typical(self) -> float:
        """About Δ/b."""
        return self.largest

    @property
    def law(self) -> Losses:
        """The losses, as they are."""
        return _from_symmetric(geometric_law(1 / self.scale, int(self.sensitivity)))


@dataclass(frozen=True, kw_only=True)
class TruncatedDiscreteLaplace(_OnLattice):
    """Whole numbers with noise of masses ∝ e^(−|x|/scale) from −radius to radius; Δ is 1."""

    kind = "truncated_discrete_laplace"

    scale: float
    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.radius != math.floor(self.radius):
            raise ParameterError("radius", "a whole number from 1 here", self.radius)

    @property
    def natural(self) -> float:
        """Losses are 1/b and −1/b."""
        return 2 / self.scale

    @property
    def typical(self) -> float:
        """About 1/b."""
        return 1 / self.scale

    @property
    def law(self) -> Losses:
        """The losses, as they are."""
        end = GeometricNoise(1 / self.scale, self.radius).log_end
        law = _from_symmetric(geometric_law(1 / self.scale, 1))
        kept = law.log_masses + float(log1mexp(end))
        return replace(law, log_masses=kept, log_infinite=end)


@dataclass(frozen=True, kw_only=True)
class DiscreteGaussian(Mechanism):
    """Whole numbers with noise of masses ∝ e^(−x²/2σ²); sensitivity: a whole number."""

    kind = "discrete_gaussian"

    sigma: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_whole(self.sensitivity)

    @property
    def natural(self) -> float:
        """Losses lie Δ/σ² apart."""
        return self.sensitivity / self.sigma**2

    @property
    def typical(self) -> float:
        """About Δ/σ."""
        return self.sensitivity / self.sigma

    def rounded(self, step: float, region: LossRegion) -> Rounded:  # noqa: ARG002
        """Return the losses, as they are; those beyond the depth count as infinite, or as −∞."""
        reach = math.ceil(2 + self.sigma * math.sqrt(2 * region.depth)) + self.sensitivity
        if reach > _MOST_ATOMS / 2:
            raise ParameterError("sigma", "smaller here; from there on use gaussian", self.sigma)
        x = np.arange(-reach, reach + 1)
        log_mass = -(x**2) / (2 * self.sigma**2)
        inside = log_sum_exp(log_mass)
        # what lies beyond is less than a geometric series
        ratio = -(2 * reach + 1) / (2 * self.sigma**2)
        beyond = float(log_mass[-1]) + ratio - float(log1mexp(ratio)) - float(inside)
        log_all = inside + math.log1p(2 * math.exp(beyond))
        lowest = self.natural * (-reach + self.sensitivity / 2)
        below = Losses.dense(lowest, self.natural, log_mass - log_all)
        log_beyond = min(beyond + math.log(2), 0.0)
        above = Losses.dense(lowest, self.natural, log_mass - inside, log_beyond)
        return Rounded(above, below)


def _check_whole(sensitivity: float) -> None:
    if sensitivity != math.floor(sensitivity):
        raise ParameterError("sensitivity", "a whole number for noise on counts", sensitivity)


# ---- with densities ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Laplace(Mechanism):
    """Numbers with Laplace noise, of density ∝ e^(−|x|/scale)."""

    kind = "laplace"

    scale: float
    sensitivity: float = 1.0

    @property
    def largest(self) -> float:
        """It is Δ/b."""
        return self.sensitivity / self.scale

    @property
    def natural(self) -> float:
        """Both atoms lie on a lattice that the bins can share."""
        return self.sensitivity / self.scale

    @property
    def typical(self) -> float:
        """About Δ/b."""
        return self.sensitivity / self.scale

    def rounded(self, step: float, region: LossRegion) -> Rounded:  # noqa: ARG002
        """Return the losses between two laws, each of them exact: D is 0."""
        below, above = laplace_laws(self.natural, self._bins(step))
        return Rounded(_from_symmetric(above), _from_symmetric(below))

    def _bins(self, step: float) -> int:
        return min(max(math.ceil(self.natural / step * (1 - 1e-12)), 1), MOST_BINS)


@dataclass(frozen=True, kw_only=True)
class TruncatedLaplaceAnswers(Laplace):
    """Numbers with Laplace noise cut off at the radius: density ∝ e^(−|x|/scale) up to there."""

    kind = "truncated_laplace"

    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.radius <= self.sensitivity:
            raise ParameterError("radius", "larger than the sensitivity here", self.radius)

    @property
    def largest(self) -> float:
        """It is infinite next to the ends."""
        return math.inf

    def rounded(self, step: float, region: LossRegion) -> Rounded:  # noqa: ARG002
        """Return the losses between two laws."""
        noise = TruncatedLaplace(self.natural, self.radius / self.sensitivity)
        infinite, laws = noise.laws(self._bins(step))
        below, above = (_from_symmetric(law, infinite) for law in laws)
        return Rounded(above, below)


@dataclass(frozen=True, kw_only=True)
class Gaussian(Mechanism):
    """Numbers with Gaussian noise; rate: the share q of a Poisson sample they are computed from.

    sensitivity: of the k answers each; where one person moves a vector by at most C in ℓ₂, the
    vector is one answer of sensitivity C. With a rate below 1, neighbours have one record more or
    less.
    """

    kind = "gaussian"

    sigma: float
    sensitivity: float = 1.0
    rate: float = 1.0

    @property
    def symmetric(self) -> bool:
        """Of a sample, one direction is worse, and not always the same."""
        return self.rate == 1

    @property
    def gaussian_mu(self) -> float:
        """Δ/σ, if all records are used."""
        return self.sensitivity / self.sigma if self.rate == 1 else 0.0

    @property
    def _shift(self) -> float:
        return self.sensitivity / self.sigma

    @property
    def natural(self) -> float:
        """None."""
        return 0.0

    @property
    def typical(self) -> float:
        """The root of χ² of the two laws, or what is left of it where that is large."""
        return min(self.rate * math.sqrt(math.expm1(min(self._shift**2, 10.0))), self._shift)

    def rounded(self, step: float, region: LossRegion) -> Rounded:
        """Return the losses of a sampled answer between two laws."""
        m, q = self._shift, self.rate
        reach = math.sqrt(2 * region.depth) + 1
        low, high = -reach, m + reach

        def loss(x: FloatArray) -> FloatArray:
            # ln(1 − q + q·e^(m·x − m²/2)), which may be large
            log_ratio = np.asarray(np.logaddexp(math.log1p(-q), math.log(q) + m * x - m**2 / 2))
            return log_ratio if region.forwards else -log_ratio

        def log_density(x: FloatArray) -> FloatArray:
            usual = -(x**2) / 2 - math.log(2 * math.pi) / 2
            return usual + loss(x) if region.forwards else usual

        def reached(losses: FloatArray) -> FloatArray:
            log_ratio = losses if region.forwards else -losses
            # e^log_ratio − (1 − q), without cancellation near its least
            grown = np.expm1(np.minimum(log_ratio, 700.0)) + q
            with np.errstate(divide="ignore", invalid="ignore"):
                x = (np.log(np.maximum(grown, 0.0)) - math.log(q) + m**2 / 2) / m
            return np.clip(x, low, high)

        ends = sorted(loss(np.array([low, high])).tolist())
        step, levels = _levels(ends[0], ends[1], step, self.typical)
        first, last = (low, high) if region.forwards else (high, low)
        edges = np.concatenate([[first], reached(step * levels[1:-1]), [last]])
        tails = {low: float(log_ndtr(low)), high: float(log_ndtr(-high))}
        if region.forwards:
            shifted = {low: float(log_ndtr(low - m)), high: float(log_ndtr(m - high))}
            for end in tails:
                kept = math.log1p(-q) + tails[end], math.log(q) + shifted[end]
                tails[end] = float(np.logaddexp(*kept))
        return _binned(
            edges,
            levels,
            step,
            loss,
            log_density,
            _Tails(tails[first], tails[last]),
            tilt=region.tilt,
            count=self.count,
        )


@dataclass(frozen=True, kw_only=True)
class GaussianPrivacy(Mechanism):
    """Any answers that are μ-GDP each: as private as Gaussian noise of σ = Δ/μ."""

    kind = "gdp"

    mu: float

    @property
    def gaussian_mu(self) -> float:
        """It is μ."""
        return self.mu

    @property
    def natural(self) -> float:
        """None."""
        return 0.0

    @property
    def typical(self) -> float:
        """It is μ."""
        return self.mu

    def rounded(self, step: float, region: LossRegion) -> Rounded:
        """Raise: Gaussian answers are never rounded."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class BoundedAnswers(Mechanism):
    """Numbers with bounded noise of a radius, that no error exceeds; shapes are its subclasses."""

    radius: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.radius <= self.sensitivity / 2:
            raise ParameterError("radius", "more than half the sensitivity", self.radius)

    @property
    @abstractmethod
    def noise(self) -> BoundedNoise:
        """The shape."""

    @property
    def natural(self) -> float:
        """None."""
        return 0.0

    @property
    def typical(self) -> float:
        """The root of the Fisher information of what is usual, times the shift."""
        return min(math.sqrt(self.noise.usual_information) * self.sensitivity / self.radius, 5.0)

    def rounded(self, step: float, region: LossRegion) -> Rounded:
        """Return the losses between two laws."""
        noise, shift = self.noise, self.sensitivity / self.radius
        problem = Problem(noise, shift, epsilon=1.0, queries=1)
        infinite = float(noise.log_tail_from_edge(shift))
        tail = float(np.logaddexp(infinite, _FULLY - region.depth))
        gap = max(float(noise.edge_from_log_tail(min(tail, -0.7))) - shift, 1e-12 * shift)
        low = -problem.coordinate(noise.edge_of_mass(-region.depth))
        y = np.linspace(low, problem.coordinate(gap), _SURVEY)
        losses = problem.losses(y)[0]
        seen = np.flatnonzero((losses >= -_HIGHEST) & (losses <= min(region.cap, _HIGHEST)))
        y, losses = y[seen], losses[seen]

        def loss(at: FloatArray) -> FloatArray:
            return problem.losses(at)[0]

        def log_density(at: FloatArray) -> FloatArray:
            return problem.losses(at)[1]

        step, levels = _levels(float(losses[0]), float(losses[-1]), step, self.typical)
        inner = _inverse(loss, y, losses, step * levels[1:-1], step)
        edges = np.concatenate([y[:1], inner, y[-1:]])
        below = float(log1mexp(min(problem.log_tails(float(y[0]))[0], -1e-300)))
        beyond = problem.log_tails(float(y[-1]))[0]
        tails = _Tails(below, beyond, infinite)
        return _binned(
            edges, levels, step, loss, log_density, tails, tilt=region.tilt, count=self.count
        )


@dataclass(frozen=True, kw_only=True)
class PowerAnswers(BoundedAnswers):
    """Numbers with bounded noise of density ∝ e^(−(1 − u²)^−power), u the error over the radius."""

    kind = "power"

    power: float = 2.0

    @cached_property
    def noise(self) -> BoundedNoise:
        """The shape."""
        return PowerNoise(self.power)


@dataclass(frozen=True, kw_only=True)
class IteratedAnswers(BoundedAnswers):
    """Numbers with bounded noise of density ∝ e^(−e^(e^(1/(1 − u²))))."""

    kind = "iterated"

    @cached_property
    def noise(self) -> BoundedNoise:
        """The shape."""
        return IteratedExponentialNoise()


@dataclass(frozen=True, kw_only=True)
class TunedAnswers(BoundedAnswers):
    """Numbers with tuned noise: its four parameters are those that `dpviz radius` prints."""

    kind = "tuned"

    barrier: float
    bulk: float
    power: float
    cut: float

    @cached_property
    def noise(self) -> BoundedNoise:
        """The shape."""
        return TunedNoise(self.barrier, self.bulk, self.power, self.cut)


Along = Callable[[FloatArray], FloatArray]


class _Tails(NamedTuple):
    """Log masses beyond the first bin and the last one; of the latter, how much is infinite."""

    low: float
    high: float
    infinite: float = -math.inf


def _levels(low: float, high: float, step: float, typical: float) -> tuple[float, FloatArray]:
    """Return a step, and whole multiples of it, ascending, around all losses from low to high.

    Near 0, where most losses are, they lie one step apart, and farther out as far as a share of
    their own size.
    """
    core = _CORE * typical
    step = step * max(math.ceil(2 * core / step / MOST_BINS), 1)
    inner = math.ceil(min(core, max(-low, high) + step) / step)
    outer = [inner]
    while outer[-1] * step < max(-low, high):
        outer.append(math.ceil(outer[-1] * (1 + _GROWTH)))
    sizes = np.concatenate([np.arange(0.0, inner), outer])
    levels = np.concatenate([-sizes[:0:-1], sizes])
    first = max(int(np.searchsorted(levels, low / step, side="right")) - 1, 0)
    last = min(int(np.searchsorted(levels, high / step)), levels.size - 1)
    return step, levels[first : max(last, first + 1) + 1]


def _inverse(
    loss: Along, x: FloatArray, losses: FloatArray, goals: FloatArray, step: float
) -> FloatArray:
    """Return where a rising loss, known at some places x, reaches each goal, within 1e-6 steps."""
    if not goals.size:
        return goals
    right = np.clip(np.searchsorted(losses, goals), 1, losses.size - 1)
    low, high = x[right - 1], x[right]
    rise = np.maximum(losses[right] - losses[right - 1], 1e-300)
    at = low + (goals - losses[right - 1]) * (high - low) / rise
    for _ in range(_CORRECTIONS):
        at = np.clip(at - (loss(at) - goals) * (high - low) / rise, low, high)
    off = np.abs(loss(at) - goals) > _MISSED * step
    low, high = low[off], high[off]
    for _ in range(_HALVINGS if off.any() else 0):
        middle = (low + high) / 2
        less = loss(middle) < goals[off]
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    at[off] = (low + high) / 2
    found: FloatArray = np.maximum.accumulate(at)
    return found


def _binned(
    edges: FloatArray,
    levels: FloatArray,
    step: float,
    loss: Along,
    log_density: Along,
    tails: _Tails,
    *,
    tilt: float,
    count: int,
) -> Rounded:
    """Return the losses between two laws, from a density and the places where bins end.

    edges: where the loss is that of `levels`, in steps. What is beyond the last edge counts as
    infinite in the law from above. Where the tilted law has next to nothing, the law from below has
    nothing.
    """
    lengths, sizes = np.abs(np.diff(edges)), step * np.diff(levels)
    panels = np.maximum(np.ceil(lengths / _WIDEST), 1).astype(int)
    first = np.cumsum(panels) - panels
    number = np.arange(int(panels.sum())) - np.repeat(first, panels)
    width = np.repeat(np.diff(edges) / panels, panels)
    at = np.repeat(edges[:-1], panels) + width * number + width * (_NODES[:, None] + 1) / 2
    with np.errstate(under="ignore"):
        mass = np.abs(width) * _WEIGHTS[:, None] / 2 * np.exp(log_density(at))
    size = np.repeat(sizes, panels)
    over = np.clip(loss(at) - step * np.repeat(levels[:-1], panels), 0.0, size)

    def of_bins(values: FloatArray) -> FloatArray:
        total: FloatArray = np.add.reduceat(values.sum(axis=0), first)
        return total

    whole = of_bins(mass)
    rise = of_bins(mass * np.expm1(-over)) / np.expm1(-sizes)
    above = np.append(whole - rise, 0.0) + np.append(0.0, rise)
    above[0] += math.exp(tails.low)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_above, log_whole = np.log(np.maximum(above, 0.0)), np.log(whole)
        near = -np.log1p(of_bins(mass * np.expm1(np.minimum(size / 2 - over, 1.0))) / whole)
        # of wide bins e^(size/2) is too large; who is told one knows no more than its upper end
        far = -np.log(of_bins(mass * np.exp(-over)) / whole) - sizes / 2
        off = np.where(sizes < 1, near, np.minimum(far, sizes / 2))
    # the loss of who is told the bin alone, and the nearest place of a lattice of middles
    losses = step * levels[:-1] + sizes / 2 + np.where(whole > 0, off, 0.0)
    weight = np.where(whole > 0, log_whole + tilt * losses, -math.inf)
    kept = weight > weight.max() - _RARE - math.log(count)
    start = step * (levels[0] + 0.5)
    # (of a wide bin, which is rare, the place below: so D is hardly ever far below its mean)
    beyond = (losses[kept] - start) / step
    nearest = np.where(np.diff(levels)[kept] > 1, np.floor(beyond), np.rint(beyond))
    nearest = nearest.astype(np.int64)
    share = whole[kept]
    apart = losses[kept] - (start + step * nearest)
    mean = float((share * apart).sum())
    variance = (
        float((share * (apart - mean) ** 2).sum()) + max(1 - float(share.sum()), 0.0) * mean**2
    )
    # what is finite beyond the last edge is lowered to the last bin
    rest = math.exp(tails.high) - math.exp(tails.infinite)
    share[-1] += max(rest * (1 - 1e-12), 0.0)
    first_place = int(nearest[0])
    places, of = np.unique(nearest - first_place, return_inverse=True)
    below = np.bincount(of, share)
    start += step * first_place
    there = log_above > -math.inf
    spots = (levels[there] - levels[there][0]).astype(np.int64)
    return Rounded(
        Losses(step * float(levels[there][0]), step, spots, log_above[there], tails.high),
        Losses(start, step, places, np.log(below), tails.infinite),
        mean,
        variance,
        max(mean - float(apart.min()), 0.0),
    )


KINDS: Mapping[str, type[Mechanism]] = MappingProxyType(
    {
        kind.kind: kind
        for kind in (
            Gaussian,
            Laplace,
            TruncatedLaplaceAnswers,
            DiscreteGaussian,
            DiscreteLaplace,
            TruncatedDiscreteLaplace,
            PowerAnswers,
            IteratedAnswers,
            TunedAnswers,
            RandomisedResponse,
            Pure,
            Approximate,
            GaussianPrivacy,
        )
    }
)
"""The mechanisms by the names that are typed."""


def read_mechanism(text: str) -> Mechanism:
    """Return the mechanism that a text names: ``gaussian:sigma=2,count=3``.

    Raises `ParameterError`, with what there is to name.
    """
    kind, _, rest = text[:_LONGEST].partition(":")
    made = KINDS.get(kind.strip().replace("-", "_"))
    if made is None or len(text) > _LONGEST:
        kinds = ", ".join(KINDS)
        raise ParameterError("mechanisms", f"one of {kinds}, as in {EXAMPLE}", text[:_LONGEST])
    names = {entry.name: entry for entry in fields(made)}
    given: dict[str, Any] = {}
    for word in rest.split(",") if rest.strip() else ():
        name, _, value = (part.strip() for part in word.partition("="))
        if name not in names or name in given or math.isnan(read_number(value)):
            raise ParameterError("mechanisms", f"{_form(made)} there", word)
        given[name] = read_number(value)
    if any(entry.default is MISSING and name not in given for name, entry in names.items()):
        raise ParameterError("mechanisms", f"{_form(made)} there", text)
    return made(**given)


def _form(made: type[Mechanism]) -> str:
    """Return what a mechanism is told: ``laplace:scale=...[,sensitivity=...]``."""
    entries = sorted(fields(made), key=lambda entry: entry.default is not MISSING)
    needed = [f"{entry.name}=..." for entry in entries if entry.default is MISSING]
    more = [f"[,{entry.name}=...]" for entry in entries if entry.default is not MISSING]
    return f"{made.kind}:{','.join(needed)}{''.join(more)}"
