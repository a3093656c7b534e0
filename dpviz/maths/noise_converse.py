r"""What no bounded noise can do, independent or drawn together: a radius that is too small.

The claim. Each of k answers is the true value plus an error in [−R, R]. The k errors have any joint
law: they may depend on each other, and nothing else is asked of it: no symmetry, no log-concavity,
no density. One person can move each answer by Δ, up or down, in all combinations of the two. If
such neighbours are (ε, δ)-indistinguishable, in both directions, then R is at least what
`chain_radius` returns. The shifts add up: the proof goes along a chain of data sets, each a
neighbour of the next. So there must be as many people as it has steps, who move every answer the
same way. (For independent errors it is enough that they can move all answers up.) At ε = 0.1 and
k = 10⁶ that is 15 for δ = 0.01 and 382 for δ = 10⁻¹⁰ (`people_needed`). For data of fewer people it
proves nothing. `least_radius` is the largest of this bound and two others, for independent noise.
That of `dpviz.maths.one_pair_converse` needs one pair of neighbours, but noise of one law; that of
`dpviz.maths.score_converse` needs few people and many answers. Drawn together, errors may keep
within less than those two allow (`dpviz.maths.joint_optimality`).

The proof, in three steps. Let P be the joint law of the errors, P_j the same shifted by jΔs, where
s is a vector of k signs, and BC(P, Q) = ∫ √(dP·dQ) the Bhattacharyya coefficient.

* **Bounded noise is easy to tell from itself shifted**, in some direction s. For a shift by gΔs cut
  the cube [−R, R]^k into grids: the points that differ by multiples of gΔ in every coordinate. A
  grid has at most N = ⌊2R/(gΔ)⌋ + 1 points in each direction. Let w(x) be the masses that P puts
  on the points of one, or their densities. Its part of the coefficient is the sum of
  √(w(x)·w(x + gΔs)), and its mean over the 2^k vectors s is ⟨√w, (A ⊗ … ⊗ A)√w⟩, where A, half the
  adjacency matrix of a path of N points, is the mean of a step forwards and a step back. The norm
  of A is its largest eigenvalue, cos(π/(N + 1)), and that of the tensor product is the product of
  the norms. Summed over the grids the mean of BC(P_0, P_g) over s is at most cos(π/(N + 1))^k, and
  so is the least. (For independent errors each answer's factor is at most the cosine, whatever s.)

* **Private noise is hard to tell from itself shifted**, even by g steps. For a test that accepts
  with probabilities α_j under P_j, every pair of neighbours is a shift by Δ, so (ε, δ)-DP says
  α_(j+1) ≤ h(α_j), with h(α) = min(1, δ + e^ε·α, 1 − e^(−ε)·(1 − δ − α)): the power of a test of
  level α. After g steps the power is at most h∘…∘h(α). (Stronger than group privacy, which allows
  for gε twice, as if both errors could be small at no cost to each other; on δ = 0 it is the
  Laplace mechanism of distance gε.) The pair of laws with exactly this trade-off is a
  post-processing away from none, but every pair with a weaker trade-off is a post-processing of
  it (Blackwell), which only raises the coefficient: BC(P_0, P_g) ≥ B_g, the coefficient of that
  pair, ∫₀¹ √(h^g)′(α) dα. h^g is piecewise linear. With x = (1 − δ)/(1 + e^ε), where the two
  lines of h meet, and w_j = δ·(e^(jε) − 1)/(e^ε − 1), the largest power of j steps from level 0,

      B_g = e^(−gε/2)·Σ_j [b_j − a_j]₊,   a_j = w_j for j = g, max(x, w_j) for j < g,
                                          b_j = 1 − w_g for j = 0, min(1 − x, 1 − w_(g−j)) else,

  where j of the g steps climb with slope e^ε and the rest with e^(−ε). B_1 = (1 − δ)/cosh(ε/2).

* **Both**: cos(π/(N + 1))^k ≥ B_g, for every whole g ≥ 1. So N + 1 ≥ π/arccos(B_g^(1/k)),
  and as N is whole, R ≥ (N − 1)·gΔ/2 with the least such N. `chain_radius` takes the best g.

Where g steps are too many to add up, m steps at once are (mε, w_m)-DP, and g/m of those are taken.
All is moved to the safe side by more than rounding can do.

What it is worth. One answer: the best noise on steps of Δ attains it up to Δ/2; truncated Laplace
noise may lie farther above, at ε = 5, δ = 0.01 by 0.78Δ. Many answers: g = 1 alone loses a factor
of the order √(2 ln 1/δ); the chain of shifts keeps that factor. Next to σ, the Gaussian noise of
the same privacy, it is R ≥ 1.79σ at ε = 0.1, δ = 1e-10 and tends to πσ/2 as δ falls, where πσ is
about enough (`dpviz.maths.accounting.tuning`).

What is open. The last factor for many answers, from this bound to πσ: 1.2 to 2.1 where it was
computed, towards 2 as δ falls. It is the most that noise drawn together can gain there. It is lost
because a chain of (ε, δ)-DP steps knows the average slope of ln α_j, and Gaussian noise has twice
that slope at the end of the chain, where δ is. For 2 to 100 answers the bound is up to 5 times
below the independent noises we know: there one pair of neighbours proves more.
As k → ∞, πσ is the limit for independent noise, of shapes that may change with k as well:
`dpviz.maths.score_converse`, which proves more than this bound where δ is not tiny and k large.
Whether noise drawn together comes below πσ is open.
"""

from __future__ import annotations  # so that help() shows ArrayLike, not all it may be

import math
from functools import lru_cache

import numpy as np

from dpviz.maths.logspace import log1mexp
from dpviz.maths.one_pair_converse import MOST_ANSWERS, one_pair_radius
from dpviz.maths.score_converse import radius_above
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate

_MOST_STEPS = 4000
_GRID = 40
_SAFETY = 1e-9  # far above rounding, far below what any figure shows


def least_radius(
    *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> float:
    """Return a radius such that no independent noise of one law and a smaller one is (ε, δ)-DP.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k answers, each moved by up to
    sensitivity (Δ) when one person is substituted, and in all of them at once. The noise of each
    answer has the same law, which needs no density. A proven lower bound, in the unit of Δ: the
    largest of `chain_radius`, of `dpviz.maths.one_pair_converse.one_pair_radius` and of
    `dpviz.maths.score_converse.score_radius`, whose assumptions it then has. Raises
    `ParameterError`.
    """
    unit = validate("sensitivity", sensitivity)
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    least = chain_radius(**privacy)
    if queries <= MOST_ANSWERS:  # one pair looks at no more, and is left behind
        least = max(least, one_pair_radius(**privacy))
    scores = radius_above(least, **privacy)
    return unit * (least if scores is None else scores[0])


def chain_radius(
    *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> float:
    """Return a radius such that no additive noise of a smaller one is (ε, δ)-DP, whatever its law.

    Parameters and errors as `least_radius`. The errors may be drawn one by one or together, each
    from a law of its own, and need no density. Proven for data of `people_needed` people or more; 0
    where it says nothing. Source: the module docstring; its first step for g = 1 and k = 1 is the
    spectrum of a path.
    """
    unit = validate("sensitivity", sensitivity)
    radius, _ = _best_chain(*_validated(epsilon, delta, queries))
    return unit * radius  # its number of points is on the safe side


def people_needed(*, epsilon: float, delta: float, queries: float) -> int:
    """Return how many people the data must hold for the proof of `chain_radius`: its steps.

    Parameters and errors as there; 0 where that bound says nothing.
    """
    _, steps = _best_chain(*_validated(epsilon, delta, queries))
    return steps


def _validated(epsilon: float, delta: float, queries: float) -> tuple[float, float, float]:
    return validate("epsilon", epsilon), validate("delta", delta), validate("queries", queries)


def _best_chain(epsilon: float, delta: float, queries: float) -> tuple[float, int]:
    """Return the largest radius, in units of Δ, that a chain asks for, and its steps."""
    # Where w of half the steps is 1/2, the trade-off allows perfect tests: B is 0 beyond.
    farthest = 2 * math.ceil(_steps_to_half(epsilon, delta)) + 2
    low, high = 1, farthest
    # the last steps before it decide where there are few answers
    tried = set(range(max(farthest - 6, 1), farthest))
    radii = {g: _radius(g, epsilon, delta, queries) for g in tried}
    for _ in range(4):
        steps = [int(g) for g in np.unique(np.rint(np.geomspace(low, high, _GRID)))]
        radii |= {g: _radius(g, epsilon, delta, queries) for g in steps if g not in radii}
        i = max(range(len(steps)), key=lambda place: radii[steps[place]])
        low, high = steps[max(i - 1, 0)], steps[min(i + 1, len(steps) - 1)]
        if high - low < 3:
            break
    best = max(radii.values())
    return best, min(g for g, radius in radii.items() if radius == best) if best > 0 else 0


def _radius(steps: int, epsilon: float, delta: float, queries: float) -> float:
    """Return the radius, in units of Δ, that the shift by this many steps asks for."""
    at_once = math.ceil(steps / _MOST_STEPS)
    count = steps // at_once
    distance = count * at_once
    log_b = log_coefficient(count, epsilon=at_once * epsilon, delta=_level(at_once, epsilon, delta))
    if log_b == -math.inf:
        return 0.0
    one = -math.expm1((log_b - _SAFETY) / queries)  # 1 − B^(1/k)
    angle = 2 * math.asin(math.sqrt(min(one, 1.0) / 2))
    points = max(math.ceil(math.pi / angle * (1 - _SAFETY) - 1), 2)  # with one point B is 0
    return (points - 1) * distance / 2


# It does not depend on k: along the number of queries, most are wanted again and again.
@lru_cache(maxsize=4096)
def log_coefficient(steps: int, *, epsilon: float, delta: float) -> float:
    """Return log B_g: the least Bhattacharyya coefficient that g steps of (ε, δ)-DP allow.

    steps: g ≥ 1; epsilon: ε > 0; delta: δ ≥ 0, both of one step. −inf where perfect tests are
    allowed. Symmetric in the two directions.
    """
    if delta >= 1:
        return -math.inf
    j = np.arange(steps + 1.0)
    level = _first_levels(1 << steps.bit_length(), epsilon, delta)[: steps + 1]
    x = (1 - delta) / (1 + math.exp(epsilon))
    low = np.maximum(level, np.where(j < steps, x, 0.0))
    high = 1 - np.maximum(level[::-1], np.where(j > 0, x, 0.0))
    total = float(np.maximum(high - low, 0.0).sum())
    return math.log(total) - steps * epsilon / 2 if total > _SAFETY else -math.inf


def _levels(steps: FloatArray, epsilon: float, delta: float) -> FloatArray:
    """Return w: the largest power, after so many steps, of a test of level 0; inf above 1."""
    log_growth = log1mexp(-np.maximum(steps, 1) * epsilon) + steps * epsilon
    log_w = math.log(delta) + log_growth - math.log(math.expm1(epsilon))
    w: FloatArray = np.where(steps > 0, np.exp(np.minimum(log_w, 1.0)), 0.0)
    return w


@lru_cache(maxsize=64)
def _level(steps: int, epsilon: float, delta: float) -> float:
    """Return w after so many steps."""
    return float(_levels(np.array([float(steps)]), epsilon, delta)[0])


@lru_cache(maxsize=16)
def _first_levels(count: int, epsilon: float, delta: float) -> FloatArray:
    """Return w after 0, 1, … steps: the same for paths of every length."""
    levels = _levels(np.arange(float(count)), epsilon, delta)
    levels.flags.writeable = False
    return levels


def _steps_to_half(epsilon: float, delta: float) -> float:
    """Return how many steps it takes until w is 1/2."""
    return float(np.logaddexp(0.0, math.log(math.expm1(epsilon)) - math.log(2 * delta))) / epsilon
