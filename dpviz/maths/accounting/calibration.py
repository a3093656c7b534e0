r"""Exact privacy accounting for k answers with independent bounded noise.

The question. k adaptive queries of sensitivity Δ are answered with noise R·U, U of a density
e^(−f)/Z on (−1, 1). Neighbouring data sets (substitute one person) shift each answer by at most Δ.
Because the noise is log-concave, the pair (U, U shifted by v = Δ/R) dominates every smaller shift.
Therefore the k-fold product of that pair dominates k adaptive answers, and it is attained (this
sharpens Dagan & Kur, Lemma 10.3). So, exactly,

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

What is proven. These errors are bounded and moved to the safe side:

* cut: X above; the left end is truncated where the neglected mass is below e^−40/k.
* aliasing: with step h the trapezoid sum is δ_G(ε) + Σ_{j≠0} e^(jcP) δ_G(ε + jP), P = 2π/h,
  all terms positive; each is bounded by Chernoff, δ_G(x) ≤ M(a)^k e^(−ax) a^a/(1+a)^(1+a).
* truncation of the contour at height T: for the tilted law φ(t) = M(c+it)/M(c), and D the
  difference of two independent tilted losses, |φ(t)|² ≤ 1 − (2t²/π²)·E[D²; |D| ≤ π/t] since
  1 − cos x ≥ 2x²/π² for |x| ≤ π; and |φ(t)| ≤ (total variation of the tilted density)/t.
* quadrature of M in u, for 30 and more queries: composite Gauss-Legendre with 64 nodes a panel,
  whose error is bounded by the size of the integrand on Bernstein ellipses
  (`dpviz.maths.accounting.quadrature`), propagated through the k-th power; panels are halved until
  that is small.
* root finding: an end is accepted by its own bounds on δ, whatever led there.

What is estimated, with margins that tests find to suffice at odd parameters (mpmath, dense sums):

* the two numbers the height T rests on are sums over 192 nodes. The total variation found is
  doubled (its error is below 1%), of E[D²; ·] four fifths are used (it was never too large).
* Chernoff's bounds take M from such a survey of 192 nodes (error of k·log M at c: below 1e-9).
* the law of the noise itself, its normaliser and its tail, are quadratures whose error is below
  1e-13, as tests against 40 digits say; they are used like a function of a library.
* for fewer than 30 queries: what a coarser rule makes of the quadrature is charged as its error
  (48 nodes for 64; on a bin of the lattice 3 for 4).
* rounding: not interval arithmetic but a stated margin of 1e-15 times the magnitudes summed, and
  1e-13 of the nonuniform fast Fourier transform.

`minimal_radius` accepts an upper end only if the upper end of δ there is at most δ, and a
lower end only if the lower end of δ there exceeds δ.

Two refinements. Where a tiny δ meets heavy-tailed losses, the tilted law of Λ has two peaks and δ_G
drowns in rounding. The largest of the k losses then splits δ_G into bands, each with a contour of
its own (`dpviz.maths.accounting.band`). For fewer than 30 queries the contour would be long, and
the losses are moved to a lattice instead, in one way in which δ grows and one in which it falls
(`dpviz.maths.accounting.lattice`).
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths import gaussian
from dpviz.maths.accounting.answer import Problem
from dpviz.maths.accounting.composition import log_delta
from dpviz.maths.accounting.search import Accountant, RootSearch
from dpviz.maths.accounting.starts import likely_radius
from dpviz.maths.bounded_noise import BoundedNoise, named_noise
from dpviz.results.caching import Cache
from dpviz.results.evidence import Bracket, Brackets, Source
from dpviz.results.parameters import validate, validate_array
from dpviz.results.refining import Steps, in_steps

SOURCE = Source("dpviz.maths.accounting", "exact version of Dagan & Kur, Lemma 10.2")
"""Where the numbers of this package come from, for the curves that show them."""

_NO_PRIVACY = 0.5  # the radius, with Δ = 1, at which the two laws no longer overlap: δ = 1
# A new seed, or another unit, leaves the radius as it is.
_FOUND = Cache[tuple[float, float]](2**19)
_STEADY = 1.0  # change of log R/σ between two points of a sweep up to which it is extrapolated


def privacy_delta(
    noise: BoundedNoise,
    radius: float,
    *,
    epsilon: float,
    queries: float,
    sensitivity: float = 1.0,
    compared: float | None = None,
) -> Bracket:
    """Return certified bounds on the smallest δ for which noise of this radius is (ε, δ)-DP.

    noise: the shape U; an answer is the true value plus radius·U.
    radius: R > 0, in the units of the answers; epsilon: ε in [1e-7, 10]; queries: k, a whole
    number in [1, 1e10], asked adaptively; sensitivity: Δ, in the units of the answers;
    compared: a δ to compare the bounds with; it only saves time, as bounds far from it may be
    rough. Neighbouring data sets differ in one person's record (substitute).

    Returns a `Bracket` around the exact δ; (0, 0) where δ underflows. Every bracket is computed by
    itself: where δ falls by less than its width, an end may rise
    (`dpviz.maths.sweeps.privacy_deltas` orders those of a sweep). Raises `ParameterError`.
    Source: the exact version of Dagan & Kur, Lemma 10.2; see the module docstring.
    """
    shift = validate("sensitivity", sensitivity) / validate("radius", radius)
    problem = Problem(noise, shift, validate("epsilon", epsilon), validate("queries", queries))
    goal = None if compared is None else math.log(validate("delta", compared))
    bounds = log_delta(problem, 1e-6 if queries >= 30 else 1e-4, goal)
    return Bracket(math.exp(bounds.lower), min(1.0, math.exp(bounds.upper)))


@in_steps
def minimal_radius(
    noise: BoundedNoise,
    *,
    epsilon: float,
    delta: float,
    queries: float,
    sensitivity: float = 1.0,
    start: float | None = None,
    width: float = 0.0,
) -> Steps[Bracket]:
    """Return certified bounds on the smallest radius that is (ε, δ)-DP for k adaptive queries.

    Noise of radius `upper` is (ε, δ)-DP, and no radius below `lower` is. The relative width is
    at most 1e-4 for k ≥ 30 and 1e-3 below.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k, a whole number in
    [1, 1e10]; sensitivity: Δ, the most by which substituting one person moves an answer;
    start: a guess at the radius, such as that of a neighbouring point of a sweep; it only saves
    time. width: about how wide the bounds may be, relative to the radius, if wider than usual.
    Raises `ParameterError`. Source: Dagan & Kur, Section 10 asks the question and bounds it
    from above; the exact answer is described in the module docstring.
    """
    epsilon = validate("epsilon", epsilon)
    delta = validate("delta", delta)
    queries = validate("queries", queries)
    sensitivity = validate("sensitivity", sensitivity)
    parameters = noise, epsilon, delta, queries, width
    found = _FOUND.get(parameters) if start is None else None
    if found is None:
        search = radius_search(*parameters)
        if start is None:
            at = {"epsilon": epsilon, "delta": delta, "queries": queries}
            first = likely_radius(noise, float(gaussian.minimal_sigma(**at)), **at, search=search)
        else:
            first = search.approach(start / sensitivity)
        found = radii((yield from search.steps(first)))
        if start is None:
            _FOUND.add(parameters, found)
    low, high = found
    return Bracket(low * sensitivity, high * sensitivity)


def radius_search(
    noise: BoundedNoise, epsilon: float, delta: float, queries: float, width: float = 0.0
) -> RootSearch:
    """Return the search for the least radius, with Δ = 1, for parameters already validated.

    width: of the bounds, if they may be wider than those of `minimal_radius`.
    """
    return RootSearch(
        Accountant(lambda radius: Problem(noise, 1 / radius, epsilon, queries)),
        goal=math.log(delta),
        width=max(width, 1e-4 if queries >= 30 else 1e-3),
        too_little=_NO_PRIVACY,
    )


def radii(ends: tuple[float, float] | None) -> tuple[float, float]:
    """Return a radius that is too small and one that is large enough: there always is one."""
    private, broken = ends or (math.inf, _NO_PRIVACY)
    return broken, private


class RadiusSweep(Brackets):
    """Certified bounds on the smallest radii of a sweep."""


def minimal_radii(
    noise: BoundedNoise | str,
    *,
    epsilon: "ArrayLike",
    delta: "ArrayLike",
    queries: "ArrayLike",
    sensitivity: "ArrayLike" = 1.0,
) -> RadiusSweep:
    """Return `minimal_radius` for arrays of parameters, which broadcast.

    The ratio R/σ to the least Gaussian noise varies slowly along a curve, so each point starts
    where the ratios of the three before it point to. noise may be named as for
    `dpviz.radius`: "power" or "iterated". Raises `ParameterError`.
    """
    noise = named_noise(noise)
    at = np.broadcast_arrays(
        validate_array("epsilon", epsilon),
        validate_array("delta", delta),
        validate_array("queries", queries),
        validate_array("sensitivity", sensitivity),
    )
    epsilons, deltas, counts, units = (values.ravel() for values in at)
    sigma = np.atleast_1d(gaussian.minimal_sigma(epsilon=epsilons, delta=deltas, queries=counts))
    lower, upper = np.empty(sigma.size), np.empty(sigma.size)
    ratios: list[float] = []  # log R/σ
    slopes: list[float] = []
    for i, log_sigma in enumerate(np.log(sigma)):
        search = radius_search(noise, epsilons[i], deltas[i], counts[i])
        if len(ratios) > 1 and abs(ratios[-1] - ratios[-2]) < _STEADY:
            search.slope = min(max(_continued(slopes[-2:]), slopes[-1] / 2), 2 * slopes[-1])
            start = math.exp(log_sigma + _continued(ratios[-3:]))
        else:
            at_i = {"epsilon": epsilons[i], "delta": deltas[i], "queries": counts[i]}
            start = likely_radius(noise, math.exp(log_sigma), **at_i, search=search)
        low, high = radii(search.ends(start))
        slopes.append(search.slope)
        ratios.append(math.log(low * high) / 2 - log_sigma)
        lower[i], upper[i] = low * units[i], high * units[i]
    return RadiusSweep(lower.reshape(at[0].shape), upper.reshape(at[0].shape))


def _continued(values: list[float]) -> float:
    """Return the next value of a sequence, by the polynomial through the ones given."""
    signs = [(-1.0) ** i * math.comb(len(values), i + 1) for i in range(len(values))]
    return math.fsum(sign * value for sign, value in zip(signs, reversed(values), strict=True))
