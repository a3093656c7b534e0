r"""Exact privacy accounting for k answers with independent bounded noise.

The question. k adaptive queries of sensitivity Δ are answered with noise R·U, U of a density
e^(−f)/Z on (−1, 1). Neighbouring data sets (substitute one person) shift each answer by at most
Δ. Because the noise is log-concave, the pair (U, U shifted by v = Δ/R) dominates every smaller
shift, hence k adaptive answers are dominated by the k-fold product of that pair (this sharpens
Dagan & Kur, Lemma 10.3), and it is attained. So, exactly,

    δ(ε) = E[(1 − e^(ε − Λ))₊],   Λ = l(U₁) + … + l(U_k),   l(u) = f(u + v) − f(u),

where l increases from −∞ and is +∞ for u ≥ 1 − v. δ falls as R grows: a larger radius is a
smaller shift.

The method. Call an answer cut if u > L, let G be the event that none is, and split δ there.

* On G the losses are at most B = l(L) and δ_G is a contour integral on Re s = c > 0,

      δ_G = (1/2πi) ∫ M(s)^k e^(−sε) / (s(s + 1)) ds,   M(s) = E[e^(s·l(U)); U ≤ L],

  taken through the saddle point c by the trapezoid rule.
* Off G, (1 − x)₊ ≥ 1 − x bounds the contribution from both sides:

      P(not G) − e^ε·Q(not G) ≤ δ − δ_G ≤ P(not G) − e^ε·Q(not G) + X,

  with Q the law under the shifted data, Q(U > L) = P(U > L + v), and, when B ≥ ε,
  X ≤ e^ε·Q(not G) and X ≤ e^(ε−B)·kτ·min(1, P(not G) + inf_a M(a)^(k−1) e^(−a(B−ε))),
  τ = P(U > L): X pays for a cut answer whose other k − 1 answers lower Λ to below ε.

  So the infinite losses, and the heavy tail of losses just below them, are settled in closed
  form, and L may be chosen so low that the tilted law of Λ stays narrow.

Why it is certified. Every error is bounded and moved to the safe side:

* cut: X above; the left end is truncated where the neglected mass is below e^−40/k.
* aliasing: with step h the trapezoid sum is δ_G(ε) + Σ_{j≠0} e^(jcP) δ_G(ε + jP), P = 2π/h,
  all terms positive; each is bounded by Chernoff, δ_G(x) ≤ M(a)^k e^(−ax) a^a/(1+a)^(1+a).
* truncation of the contour at height T: for the tilted law φ(t) = M(c+it)/M(c), and D the
  difference of two independent tilted losses, |φ(t)|² ≤ 1 − (2t²/π²)·E[D²; |D| ≤ π/t] since
  1 − cos x ≥ 2x²/π² for |x| ≤ π; and |φ(t)| ≤ (total variation of the tilted density)/t.
* quadrature in u: composite Gauss-Legendre with 64 nodes a panel; what the 48-node rule
  differs from it, propagated through the k-th power, is charged to the 64-node rule, and the
  number of panels grows until that is small.
* rounding: not interval arithmetic but a stated margin of 1e-15 times the magnitudes summed.

The total variation and E[D²; ·] are sums over the same nodes and enter with margins of 5% and
10%. `minimal_radius` accepts an upper end only if the upper end of δ there is at most δ, and a
lower end only if the lower end of δ there exceeds δ.
"""

import math
from dataclasses import dataclass

import finufft
import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike, NDArray
from scipy.special import log1p

from dpviz import gaussian
from dpviz.evidence import Bracket, FloatArray
from dpviz.limits import validate, validate_array
from dpviz.logspace import log1mexp
from dpviz.noise import BoundedNoise

_FINE, _COARSE = leggauss(64), leggauss(48)
_MOST_PANELS = 2000
_RADIANS_A_PANEL = 40.0
_TRANSFORM = 1e-13  # absolute error of the fast transform, for a law of total mass 1
_MOST_CONTOUR_NODES = 400_000
_MOST_DIRECT = 300_000  # pairs of nodes; above, the fast transform is faster
_ROUNDING = 1e-15
_CUT_CANDIDATES = 40


def privacy_delta(
    noise: BoundedNoise, radius: float, *, epsilon: float, queries: float, sensitivity: float = 1.0
) -> Bracket:
    """Return certified bounds on the smallest δ for which noise of this radius is (ε, δ)-DP.

    noise: the shape U; an answer is the true value plus radius·U.
    radius: R > 0, in the units of the answers; epsilon: ε in [1e-7, 10]; queries: k, a whole
    number in [1, 1e10], asked adaptively; sensitivity: Δ, in the units of the answers.
    Neighbouring data sets differ in one person's record (substitute).

    Returns a `Bracket` around the exact δ; (0, 0) where δ underflows. Raises `ParameterError`.
    Source: the exact version of Dagan & Kur, Lemma 10.2; see the module docstring.
    """
    problem = _problem(noise, radius, epsilon=epsilon, queries=queries, sensitivity=sensitivity)
    bounds = _log_delta(problem)
    return Bracket(_exp(bounds.log_lower), min(1.0, _exp(bounds.log_upper)))


def minimal_radius(
    noise: BoundedNoise,
    *,
    epsilon: float,
    delta: float,
    queries: float,
    sensitivity: float = 1.0,
    start: float | None = None,
) -> Bracket:
    """Return certified bounds on the smallest radius that is (ε, δ)-DP for k adaptive queries.

    Noise of radius `upper` is (ε, δ)-DP, and no radius below `lower` is. The relative width is
    at most 1e-4 for k ≥ 30 and 1e-3 below.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k, a whole number in
    [1, 1e10]; sensitivity: Δ, the most by which substituting one person moves an answer;
    start: a guess at the radius, for speed only (a neighbouring point of a sweep).
    Raises `ParameterError`. Source: Dagan & Kur, Section 10 asks the question and bounds it
    from above; the exact answer is described in the module docstring.
    """
    epsilon = validate("epsilon", epsilon)
    delta = validate("delta", delta)
    queries = validate("queries", queries)
    sensitivity = validate("sensitivity", sensitivity)
    if start is None:
        sigma = gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=queries)
        start = max(float(sigma) * math.sqrt(noise.fisher_information), 0.6)
    else:
        start = start / sensitivity
    search = _RadiusSearch(noise, epsilon, queries, math.log(delta))
    lower, upper = search.bracket(start)
    return Bracket(lower * sensitivity, upper * sensitivity)


@dataclass(frozen=True, eq=False)
class RadiusSweep:
    """Certified bounds on the smallest radii of a sweep: two arrays of its shape."""

    lower: FloatArray
    upper: FloatArray


def minimal_radii(
    noise: BoundedNoise,
    *,
    epsilon: ArrayLike,
    delta: ArrayLike,
    queries: ArrayLike,
    sensitivity: ArrayLike = 1.0,
) -> RadiusSweep:
    """Return `minimal_radius` for arrays of parameters, which broadcast.

    The ratio R/σ to the least Gaussian noise varies slowly along a curve, so each point starts
    from the ratio of the one before. Raises `ParameterError`.
    """
    points = np.broadcast_arrays(
        validate_array("epsilon", epsilon),
        validate_array("delta", delta),
        validate_array("queries", queries),
        validate_array("sensitivity", sensitivity),
    )
    lower, upper = np.empty(points[0].shape), np.empty(points[0].shape)
    sigma = np.asarray(
        gaussian.minimal_sigma(
            epsilon=points[0], delta=points[1], queries=points[2], sensitivity=points[3]
        )
    )
    start = None
    for i in np.ndindex(lower.shape):
        epsilon_i, delta_i, queries_i, sensitivity_i = (float(values[i]) for values in points)
        bracket = minimal_radius(
            noise,
            epsilon=epsilon_i,
            delta=delta_i,
            queries=queries_i,
            sensitivity=sensitivity_i,
            start=None if start is None else start * float(sigma[i]),
        )
        lower[i], upper[i] = bracket.lower, bracket.upper
        start = bracket.upper / float(sigma[i])
    return RadiusSweep(lower, upper)


# ---- one value of δ ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Problem:
    """One pair of output laws: the noise, the shift v = Δ/R, and the (ε, k) it is judged by."""

    noise: BoundedNoise
    shift: float
    epsilon: float
    queries: float
    precision: float = 1.0

    @property
    def log_queries(self) -> float:
        return math.log(self.queries)

    def tolerance(self, log_delta: float) -> float:
        """Return the relative error in δ that each source of error may contribute.

        log δ changes by about |log δ| times as much as log R, hence the same precision in R
        allows more error in a smaller δ.
        """
        base = 1e-6 if self.queries >= 30 else 1e-5
        return base * self.precision * (1 + abs(log_delta))

    def distances(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return 1 + u and (1 − v) − u for the coordinate y, in which both ends are at ±∞."""
        span = 2 - self.shift
        return span / (1 + np.exp(-2 * y)), span / (1 + np.exp(2 * y))

    def coordinate(self, gap: float) -> float:
        """Return the y whose distance to the edge of finite loss, (1 − v) − u, is `gap`."""
        return 0.5 * math.log((2 - self.shift) / gap - 1)

    def losses(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the loss l(u) and the log density of y, for U at the coordinate y."""
        above, gap = self.distances(y)
        loss = self.noise.loss(gap + self.shift, above, self.shift)
        exponent = self.noise.exponent(gap + self.shift, above)
        jacobian = np.log(above * gap / (1 - self.shift / 2))
        return loss, jacobian - exponent - self.noise.log_normaliser


@dataclass(frozen=True)
class _LogBounds:
    """Certified bounds on log δ."""

    log_lower: float
    log_upper: float

    @property
    def middle(self) -> float:
        if self.log_lower == -math.inf:
            return self.log_upper
        return (self.log_lower + self.log_upper) / 2


def _problem(
    noise: BoundedNoise, radius: float, *, epsilon: float, queries: float, sensitivity: float
) -> _Problem:
    shift = validate("sensitivity", sensitivity) / validate("radius", radius)
    return _Problem(noise, shift, validate("epsilon", epsilon), validate("queries", queries))


def _log_delta(problem: _Problem, log_scale: float | None = None) -> _LogBounds:
    """Certified bounds on log δ; log_scale is a guess at it that saves time."""
    if problem.shift >= 2:
        return _LogBounds(0.0, 0.0)
    if problem.queries == 1:
        return _one_query(problem)
    if log_scale is None:
        log_scale = _rough_log_delta(problem, -20.0)
    for _ in range(8):
        bounds = _composed(problem, log_scale)
        if bounds.log_lower > log_scale - 3 or log_scale < -2000:
            break
        # δ is smaller than was guessed: the same absolute errors would drown it.
        log_scale = bounds.middle if bounds.log_lower > -math.inf else bounds.log_upper - 3
    return bounds


def _rough_log_delta(problem: _Problem, log_scale: float) -> float:
    """Return log δ up to a few units, by Laplace's approximation at the saddle point."""
    for _ in range(8):
        cut = _choose_cut(problem, log_scale, problem.tolerance(log_scale))
        found = cut.log_any
        if problem.queries * cut.loss > problem.epsilon:
            nodes = _Nodes(problem, cut, _FINE, _whole_range(problem, cut, 1))
            c = _saddle(problem, nodes)
            width = math.sqrt(problem.queries * nodes.cumulants(c)[1] + c**-2 + (1 + c) ** -2)
            log_peak = problem.queries * float(nodes.log_mgf(np.array([c]))[0])
            log_laplace = log_peak - c * problem.epsilon - math.log(c * (1 + c) * width) - 0.92
            found = min(0.0, float(np.logaddexp(log_laplace, cut.outside(problem.epsilon))))
        if abs(found - log_scale) < 4:
            return found
        log_scale = found
    return log_scale


def _one_query(problem: _Problem) -> _LogBounds:
    """δ for k = 1: the integral of 1 − e^(ε − l) over the answers whose loss exceeds ε."""
    # Where f exceeds 740 the density underflows: no need to look beyond.
    edge = min(float(problem.noise.edge_from_exponent(740.0)), 0.4 * (2 - problem.shift))
    low, high = -problem.coordinate(edge), problem.coordinate(edge)
    for _ in range(80):
        middle = (low + high) / 2
        loss, _density = problem.losses(np.array(middle))
        low, high = (middle, high) if loss < problem.epsilon else (low, middle)
    values = []
    for nodes, weights in (_FINE, _COARSE):
        x, w = _panels(nodes, weights, 6)
        y = low + 20.0 * x**2
        loss, log_density = problem.losses(y)
        loss = np.where(log_density > -1e300, loss, math.inf)
        with np.errstate(divide="ignore"):
            terms = log_density + np.log(w * 40 * x) + np.log(-np.expm1(problem.epsilon - loss))
        _, last_gap = problem.distances(y[-1:])
        rest = problem.noise.log_tail_from_edge(problem.shift + last_gap)
        values.append(_log_sum(np.concatenate([terms, rest])))
    margin = abs(values[0] - values[1]) + _ROUNDING * (100 + abs(values[0]))
    return _LogBounds(values[0] - margin, values[0] + margin)


@dataclass(frozen=True)
class _Cut:
    """Where the losses are cut, and what the answers beyond the cut contribute to δ."""

    gap: float  # (1 − v) − L
    loss: float  # B = l(L)
    log_mass: float  # log τ = log P(U > L)
    log_sum: float  # log kτ
    log_any: float  # log P(not G)
    log_any_shifted: float  # log Q(not G)

    def outside(self, epsilon: float) -> float:
        """Return log of the part P(not G) − e^ε·Q(not G) of δ (−inf where it is negative)."""
        return _log_difference(self.log_any, epsilon + self.log_any_shifted)

    def log_excess(self, epsilon: float, log_chance: float) -> float:
        """Return log X; log_chance: log of the chance that the other answers undo a cut one."""
        if self.loss < epsilon:
            return self.log_any
        by_shift = epsilon + self.log_any_shifted
        return min(by_shift, epsilon - self.loss + self.log_sum + min(0.0, log_chance))


def _choose_cut(problem: _Problem, log_scale: float, tolerance: float) -> _Cut:
    """Cut as low as the price X ≤ tolerance·δ allows: a low cut keeps the tilted law narrow."""
    noise, epsilon, log_k = problem.noise, problem.epsilon, problem.log_queries
    goal = math.log(tolerance) + log_scale
    # Beyond this gap e^ε·Q(not G) is small enough for certain: P(U > 1 − d) ≤ e^(−f)/Z.
    safe = float(noise.edge_from_exponent(epsilon + log_k - goal - noise.log_normaliser))
    first, last = 0.0, problem.coordinate(min(safe, 0.4 * (2 - problem.shift)))
    spread = problem.shift * math.sqrt(problem.queries * noise.fisher_information)
    for _ in range(2):
        y = np.linspace(first, last, _CUT_CANDIDATES)
        loss, _density = problem.losses(y)
        _, gap = problem.distances(y)
        log_tail = noise.log_tail_from_edge(np.concatenate([gap + problem.shift, gap]))
        log_mass, log_shifted = log_tail[: y.size], log_tail[y.size :]
        over = loss - epsilon
        if first == 0.0:
            all_losses, all_masses = loss, log_mass
        with np.errstate(over="ignore", divide="ignore"):
            jump = np.interp(over, all_losses, all_masses)
            bulk = -0.5 * (over / spread) ** 2
            chance = np.minimum(np.logaddexp(bulk, log_k + np.logaddexp(log_mass, jump)), 0.0)
        price = np.where(
            over < 0, log_mass, np.minimum(epsilon + log_shifted, chance - over + log_mass)
        )
        good = np.flatnonzero(log_k + price <= goal)
        i = int(good[0]) if good.size else y.size - 1
        first, last = y[max(i - 1, 0)], y[i]
    return _Cut(
        gap=float(gap[i]),
        loss=float(loss[i]),
        log_mass=float(log_mass[i]),
        log_sum=log_k + float(log_mass[i]),
        log_any=_log_any(float(log_mass[i]), problem.queries),
        log_any_shifted=_log_any(float(log_shifted[i]), problem.queries),
    )


class _Nodes:
    """Quadrature nodes in u below the cut: losses, and the masses they stand for."""

    def __init__(
        self, problem: _Problem, cut: _Cut, rule: tuple[FloatArray, FloatArray], edges: FloatArray
    ) -> None:
        x, w = rule
        lengths = np.diff(edges)
        self.y = (edges[:-1, None] + lengths[:, None] * (x + 1) / 2).ravel()
        self.loss, self.log_density = problem.losses(self.y)
        self.log_mass = self.log_density + np.log(np.multiply.outer(lengths, w / 2).ravel())
        self.cut_mass = math.exp(cut.log_mass)

    def cumulants(self, tilt: float) -> tuple[float, float]:
        """Return the mean and the variance of the loss under the law tilted by e^(tilt·l)."""
        law = self.tilted(tilt)
        mean = float(law @ self.loss)
        return mean, float(law @ (self.loss - mean) ** 2)

    def log_mgf(self, tilts: FloatArray) -> FloatArray:
        """Return log M at several real points.

        M − 1 is the sum of e^(sl) − 1, less the mass cut off: accurate when M is within 1e-15
        of 1, as it is for k = 1e10.
        """
        exponent = np.multiply.outer(tilts, self.loss)
        if float(exponent.max()) < 600:
            total = np.expm1(exponent) @ np.exp(self.log_mass) - self.cut_mass
            return np.log1p(total)
        exponent += self.log_mass
        top = exponent.max(axis=1)
        result: FloatArray = top + np.log(np.exp(exponent - top[:, None]).sum(axis=1))
        return result

    def mgf_rounding(self, tilt: float) -> float:
        """Return a margin for the rounding errors in log M."""
        exponent = tilt * self.loss
        if float(exponent.max()) > 600:
            return _ROUNDING * (1 + float(np.abs(exponent).max()))
        return _ROUNDING * float(np.exp(self.log_mass) @ np.abs(np.expm1(exponent)))

    def tilted(self, tilt: float) -> FloatArray:
        """Return the probabilities of the nodes under the law tilted by e^(tilt·l)."""
        exponent = self.log_mass + tilt * self.loss
        mass: FloatArray = np.exp(exponent - exponent.max())
        mass /= mass.sum()
        return mass


def _whole_range(problem: _Problem, cut: _Cut, panels: int) -> FloatArray:
    """Return the edges of equal panels in y, from negligible mass on the left up to the cut."""
    floor = 45 + problem.log_queries - problem.noise.log_normaliser
    above = min(float(problem.noise.edge_from_exponent(floor)), 0.4 * (2 - problem.shift))
    return np.linspace(-problem.coordinate(above), problem.coordinate(cut.gap), panels + 1)


def _saddle(problem: _Problem, nodes: _Nodes) -> float:
    """Minimise the convex k·log M(s) − sε − log s − log(1 + s) over s > 0, by Newton's method."""
    k, epsilon = problem.queries, problem.epsilon
    spread = problem.shift * math.sqrt(k * problem.noise.fisher_information)
    s = min(max(epsilon / spread**2, 1 / spread), 100 / max(float(nodes.loss[-1]), 1e-300))
    # Any tilt is valid; one far beyond the losses' own scale would only underflow.
    low, high = 0.0, 5e3 / max(float(nodes.loss[-1]), 1e-300)
    s = min(s, high / 2)
    for _ in range(100):
        mean, variance = nodes.cumulants(s)
        slope = k * mean - epsilon - 1 / s - 1 / (1 + s)
        curvature = k * variance + s**-2 + (1 + s) ** -2
        low, high = (low, s) if slope > 0 else (s, high)
        trial = s - slope / curvature if curvature > 0 else high
        if not low < trial < high:
            trial = s / 4 if low == 0 else math.sqrt(low * high)
        if abs(trial - s) <= 1e-3 * s:
            return trial
        s = trial
    return s


def _composed(problem: _Problem, log_scale: float) -> _LogBounds:
    """Certified bounds on log δ for k ≥ 2."""
    tolerance = problem.tolerance(log_scale)
    paid = tolerance
    for _ in range(12):
        cut = _choose_cut(problem, log_scale, paid)
        if problem.queries * cut.loss <= problem.epsilon:  # then Λ ≤ ε on G, and δ_G = 0
            return _LogBounds(cut.outside(problem.epsilon), cut.log_any)
        contour = _Contour(problem, cut, log_scale)
        excess = cut.log_excess(problem.epsilon, contour.log_chance())
        # The price of the cut was an estimate when it was chosen; now it is certain.
        missed = excess - log_scale - math.log(tolerance)
        if missed < 1:
            break
        paid *= math.exp(-missed - 1)
    for work in (1, 2, 4, 8):
        inside, settled = contour.log_bounds(work)
        if settled:
            break
    outside = cut.outside(problem.epsilon)
    upper = min(
        float(np.logaddexp(inside.log_upper, cut.log_any)),
        float(np.logaddexp(np.logaddexp(inside.log_upper, outside), excess)),
    )
    return _LogBounds(float(np.logaddexp(inside.log_lower, outside)), min(upper, 0.0))


class _Contour:
    """δ_G by the contour integral, in units of the integrand's peak e^(k·log M(c) − cε)."""

    def __init__(self, problem: _Problem, cut: _Cut, log_scale: float) -> None:
        self._problem, self._cut = problem, cut
        self._edges = _whole_range(problem, cut, 3)
        # A survey: real tilts need few nodes. Only e^(itl) at large t needs many.
        self._nodes = nodes = _Nodes(problem, cut, _FINE, self._edges)
        k, epsilon = problem.queries, problem.epsilon
        self._c = c = _saddle(problem, nodes)
        self._log_mgf = float(nodes.log_mgf(np.array([c]))[0])
        self._law = nodes.tilted(c)
        self._mean, variance = nodes.cumulants(c)
        self._width = math.sqrt(k * variance + c**-2 + (1 + c) ** -2)
        self._peak = k * self._log_mgf - c * epsilon
        settled = max(cut.outside(epsilon), log_scale) - self._peak
        self._target = problem.tolerance(log_scale) * math.exp(min(max(settled, -600.0), 600.0))
        self._spacing = 2 * math.pi / self._choose_period()
        self._height = self._choose_height()

    def log_bounds(self, work: int) -> tuple[_LogBounds, bool]:
        """Return certified bounds on log δ_G, and whether the quadrature in u has converged."""
        k, c, epsilon = self._problem.queries, self._c, self._problem.epsilon
        edges = self._better_edges(work)
        fine = _Nodes(self._problem, self._cut, _FINE, edges)
        coarse = _Nodes(self._problem, self._cut, _COARSE, edges)
        phi = self._turned_law(fine)
        other = self._turned_law(coarse)
        s = c + 1j * self._spacing * np.arange(phi.size)
        integrand = np.exp(k * log1p(phi)) / (s * (s + 1))
        integrand[0] /= 2
        scale = self._spacing / math.pi
        total = scale * float(integrand.real.sum())
        sizes = scale * float(np.abs(integrand).sum())
        # |a^k − b^k| ≤ k·|a − b|·max(|a|, |b|)^(k − 1)
        largest = np.maximum(np.abs(1 + phi), np.abs(1 + other))
        wrong = np.abs(other - phi) + self._transform_error(fine)
        change = k * wrong * largest ** (k - 1) / np.abs(s) ** 2
        log_mgf, other_mgf = (float(n.log_mgf(np.array([c]))[0]) for n in (fine, coarse))
        quadrature = scale * float(change.sum()) + k * abs(other_mgf - log_mgf) * sizes
        peak = k * log_mgf - c * epsilon
        rounding = k * fine.mgf_rounding(c) + _ROUNDING * (abs(peak) + c * epsilon + 99)
        error = self._target + quadrature + sizes * rounding
        # aliasing only adds: at most 1.2 targets (see _choose_period)
        lower, upper = total - error - 1.2 * self._target, total + error
        return _LogBounds(peak + _log(lower), peak + _log(upper)), quadrature <= 3 * self._target

    def _better_edges(self, work: int) -> FloatArray:
        """Return panel edges such that e^(itl) turns equally little on each, up to t = T."""
        nodes, edges = self._nodes, self._edges
        ends = np.concatenate([edges[:1], nodes.y, edges[-1:]])
        loss = np.concatenate([nodes.loss[:1], nodes.loss, nodes.loss[-1:]])
        mass = np.concatenate([[0.0], self._law, [0.0]])
        negligible = 1e-3 * self._target * self._c * self._width / nodes.loss.size
        seen = np.maximum(mass[1:], mass[:-1]) > negligible
        turns = self._height * np.diff(loss) * seen / _RADIANS_A_PANEL
        demand = np.cumsum(turns + 2 * np.diff(ends) / (ends[-1] - ends[0]))
        demand = np.concatenate([[0.0], demand])
        count = min(math.ceil(work * demand[-1]), _MOST_PANELS)
        better: FloatArray = np.interp(np.linspace(0.0, demand[-1], count + 1), demand, ends)
        return better

    def _turned_law(self, nodes: _Nodes) -> NDArray[np.complex128]:
        """Return φ(t) − 1 at the equidistant t of the trapezoid rule, for centred losses.

        Small cases by products of baby and giant steps, formed from e^(itl) − 1 so that nothing
        is lost when φ^k is a power of 1e10; large ones, which have small k, by a nonuniform
        fast Fourier transform.
        """
        law = nodes.tilted(self._c)
        count = self._count
        angle = self._spacing * (nodes.loss - self._problem.epsilon / self._problem.queries)
        if self._is_direct(nodes):
            baby = math.isqrt(count)
            small = _turn(np.arange(baby), angle)
            large = _turn(np.arange(math.ceil(count / baby)), baby * angle)
            weighted = small * law
            phi: NDArray[np.complex128] = (
                large @ weighted.T + (large @ law)[:, None] + weighted.sum(axis=1)
            )
            return phi.ravel()[:count]
        middle = count // 2  # the transform centres its frequencies
        strength = law * np.exp(1j * middle * angle)
        points = np.remainder(angle, 2 * math.pi)
        turned: NDArray[np.complex128] = finufft.nufft1d1(
            points, strength.astype(complex), count, eps=1e-14, isign=1, nthreads=1
        )
        turned -= 1
        return turned

    @property
    def _count(self) -> int:
        return min(int(self._height / self._spacing) + 2, _MOST_CONTOUR_NODES)

    def _is_direct(self, nodes: _Nodes) -> bool:
        return self._count * nodes.loss.size < _MOST_DIRECT or self._problem.queries > 1e6

    def _transform_error(self, nodes: _Nodes) -> FloatArray:
        """Return a margin for the rounding errors in φ(t), at each t."""
        if not self._is_direct(nodes):
            return np.full(self._count, _TRANSFORM)
        deviation = float(self._law @ np.abs(self._nodes.loss - self._mean)) + abs(
            self._mean - self._problem.epsilon / self._problem.queries
        )
        angle: FloatArray = self._spacing * np.arange(self._count) * deviation
        return _ROUNDING * np.minimum(angle, 2.0)

    def log_chance(self) -> float:
        """Return log of a bound on P(the other k − 1 answers exceed B − ε, or one is cut)."""
        over = self._cut.loss - self._problem.epsilon
        if over <= 0:
            return 0.0
        a = self._c * np.array([0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0])
        chernoff = (self._problem.queries - 1) * self._nodes.log_mgf(a) - a * over
        return float(np.logaddexp(self._cut.log_any, chernoff.min()))

    def _choose_period(self) -> float:
        """Return P with aliasing at most 1.2 targets.

        With Chernoff's bound at a = c ± Δ, the aliases on one side form a geometric series of
        ratio e^(−PΔ); PΔ ≥ 1 and a first term of at most target/e bound it by 0.6 targets.
        """
        c, k, epsilon = self._c, self._problem.queries, self._problem.epsilon
        step = min(c, 1 / self._width, 1 / max(self._cut.loss, 1e-300))
        offsets = step * np.array([0.3, 1, 2, 3, 5, 8, 12, 20, 40, 80, 200])
        below = offsets[offsets < c]
        a = np.concatenate([c + offsets, c - below])
        log_bound = k * self._nodes.log_mgf(a) - a * epsilon - self._peak
        log_bound += a * np.log(a) - (1 + a) * np.log1p(a)
        log_bound = np.append(log_bound, -self._peak)  # a = 0: δ_G ≤ 1
        distance = np.concatenate([offsets, below, [c]])
        needed = np.maximum(log_bound - math.log(self._target) + 1, 1) / distance
        return float(max(needed[: offsets.size].min(), needed[offsets.size :].min()))

    def _choose_height(self) -> float:
        """Return T such that the trapezoid sum beyond T is at most one target.

        On each of a chain of intervals of t, |φ| is bounded in three ways: by the truncated
        second moment, by its value at one end plus its slope (at most E|l − mean|) times the
        length, and by the total variation of the tilted density, which also ends the chain.
        """
        nodes, law, k = self._nodes, self._law, self._problem.queries
        density = np.exp(nodes.log_density + self._c * nodes.loss - self._log_mgf)
        rise = np.diff(nodes.loss) / np.diff(nodes.y)
        density = (density[1:] + density[:-1]) / 2 / rise
        variation = 1.05 * float(np.abs(np.diff(density)).sum() + density[0] + density[-1])
        start = 1 / self._width
        octaves = math.log2(max(variation / start, 1)) + (14 if k < 30 else 3)
        ends = start * np.exp2(np.arange(math.ceil(octaves * 8) + 1) / 8)
        t, following = ends[:-1], ends[1:]
        reach = math.pi / following
        centred = nodes.loss - self._mean
        first = np.arange(0, nodes.loss.size, max(1, nodes.loss.size // 32))
        last = np.searchsorted(nodes.loss, nodes.loss[first, None] + reach, side="right")
        sums = [np.concatenate([[0.0], np.cumsum(law * centred**i)]) for i in range(3)]
        mass, one, two = (total[last] - total[first, None] for total in sums)
        # E[D²; both losses in one interval no longer than the reach] is part of E[D²; |D| ≤ reach]
        square = 0.9 * np.maximum(2 * (mass * two - one**2), 0).max(axis=0)
        log_phi = 0.5 * np.log1p(-np.minimum(2 * (t / math.pi) ** 2 * square, 1 - 1e-12))
        slope = 1.1 * float(law @ np.abs(centred))
        sampled = t * slope > 0.05
        value = np.abs(np.exp(1j * np.multiply.outer(t[sampled], centred)) @ law)
        beyond_value = np.log(value + slope * (following - t)[sampled])
        log_phi[sampled] = np.minimum(log_phi[sampled], beyond_value)
        log_phi = np.minimum(log_phi, np.log(np.minimum(variation / t, 1.0)))
        weights = np.append(1 / t - 1 / following, 1 / following[-1])
        weights += self._spacing / np.append(t, following[-1]) ** 2
        between = np.exp(k * np.append(log_phi, log_phi[-1])) * weights / math.pi
        left_out = np.cumsum(between[::-1])[::-1]
        enough = np.flatnonzero(left_out <= self._target)
        return float(ends[enough[0]] if enough.size else ends[-1])


# ---- the smallest radius -------------------------------------------------------------------


class _RadiusSearch:
    """Root finding in x = log R (with Δ = 1) for log δ(R) = log δ.

    The secant method on h(x) = log(log δ(R)/log δ), which is nearly a line: log δ falls like a
    power of R. Every evaluation is certified, hence every one may settle an end.
    """

    def __init__(
        self, noise: BoundedNoise, epsilon: float, queries: float, log_delta: float
    ) -> None:
        self._noise, self._epsilon, self._queries = noise, epsilon, queries
        self._goal = log_delta
        self._half_width = 2e-5 if queries >= 30 else 2e-4

    def bracket(self, start: float) -> tuple[float, float]:
        """Return a radius that is too small and one that is large enough, from a guess."""
        half = self._half_width
        low, high = math.log(0.5), math.inf  # at R = Δ/2 the two laws no longer overlap: δ = 1
        x, slope = self._approach(math.log(start))
        known: tuple[float, float] | None = None
        precision, scale = 1.0, None
        for _ in range(100):
            bounds = _log_delta(self._problem(x, precision), scale)
            if bounds.log_upper <= self._goal:
                high = min(high, x)
            elif bounds.log_lower > self._goal:
                low = max(low, x)
            else:
                precision /= 10  # the truth lies between these bounds: narrow them
                half *= 1 if precision > 1e-5 else 2
            if high - low <= 2.5 * half:
                break
            h = self._height(bounds.middle)
            if known is not None and abs(x - known[0]) > 1e-7:
                slope = min(max((h - known[1]) / (x - known[0]), 0.05), 50.0)
            known = (x, h)
            step = min(max(-h / slope, -1.0), 1.0)
            root = x + step
            if step**2 < half / 2:  # the secant's error is of that order: settle the ends
                root = root + half if high > root + 2 * half else root - half
            if not low < root < high:
                root = (low + high) / 2 if high < math.inf else low + 0.5
            scale = self._goal * math.exp(h + slope * (root - x))
            x = root
        return math.exp(low), math.exp(high)

    def _approach(self, x: float) -> tuple[float, float]:
        """Return x near the root, and the slope of h there, by the rough values of δ alone."""
        slope = 2.0
        if self._queries == 1:
            return x, slope
        scale, h_before, x_before = self._goal, math.nan, math.nan
        for _ in range(20):
            scale = _rough_log_delta(self._problem(x), scale)
            h = self._height(scale)
            if abs(x - x_before) > 1e-9:
                slope = min(max((h - h_before) / (x - x_before), 0.3), 10.0)
            x_before, h_before = x, h
            x = max(x + min(max(-h / slope, -1.0), 1.0), math.log(0.5) + 1e-3)
            if abs(x - x_before) < 1e-3:
                break
        return x, slope

    def _height(self, log_delta: float) -> float:
        return math.log(max(-log_delta, 1e-12) / -self._goal)

    def _problem(self, x: float, precision: float = 1.0) -> _Problem:
        return _Problem(self._noise, math.exp(-x), self._epsilon, self._queries, precision)


# ---- small helpers -------------------------------------------------------------------------


def _panels(nodes: FloatArray, weights: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights on (0, 1) of a rule repeated on `count` equal panels."""
    x = (np.arange(count)[:, None] + (nodes + 1) / 2) / count
    return x.ravel(), np.tile(weights / (2 * count), count)


def _turn(t: FloatArray | NDArray[np.int_], angle: FloatArray) -> NDArray[np.complex128]:
    """Return e^(i·t·angle) − 1 for all pairs, accurate for small angles."""
    turned = np.multiply.outer(t, angle)
    result: NDArray[np.complex128] = -2 * np.sin(turned / 2) ** 2 + 1j * np.sin(turned)
    return result


def _log_any(log_p: float, count: float) -> float:
    """Return log(1 − (1 − p)^count): at least one of `count` independent events of chance p."""
    if log_p + math.log(count) < -40:
        return log_p + math.log(count)
    return float(log1mexp(count * log1mexp(min(log_p, 0.0))))


def _log_difference(log_a: float, log_b: float) -> float:
    """Return log(a − b), or −inf where b ≥ a."""
    return log_a + float(log1mexp(log_b - log_a)) if log_b < log_a else -math.inf


def _log_sum(logs: FloatArray) -> float:
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum()))


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def _exp(x: float) -> float:
    return math.exp(x) if x > -745 else 0.0
