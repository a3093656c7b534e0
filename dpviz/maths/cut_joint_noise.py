r"""Noise drawn together, its edges cut off: the best noise for two answers at small ε looks so.

In units of Δ. The depth of a number x in [−R, R] is ⌊R − |x|⌋. *Cut joint noise* has the density of
joint noise (`dpviz.maths.joint_noise`), proportional to e^(ε·m) with m the least depth of the k
errors, on the part D of the cube [−R, R]^k where the two least depths add up to at least c, whole,
and 0 elsewhere. c = 0 is joint noise.

**Its δ, adaptive or not, is the probability that x + (1, …, 1) leaves D** (*proved*). The density
is symmetric in each error and does not grow with its size, so that no choice of shifts is worse
than (1, …, 1), by `dpviz.maths.nested_noise`. Where x + (1, …, 1) stays in D, the least depth
changes by at most 1, and so the density by at most the factor e^ε; elsewhere all of it counts.

In numbers, for c ≥ 1 and R ≥ c + 3. Call an error high if it is positive. Shifted, the depth of a
high error falls by 1, that of another grows by 1; near 0 it may stay or fall by 1, but is more than
c there. So x in D leaves D if its least depth is 0 at a high error, or if two high errors have
depths whose sum is c or c + 1. By the least depth m, and with p = 1/(2V) the chance that an error
of depth at least d, R − d = V, is high and of depth d, the part of D and what leaves it have the
volumes, if

* m < c/2: one error has it, the others are at least c − m deep, V = R − c + m: 2k(2V)^(k−1); if
  that error is high and m = 0, all leaves; if it is high and m > 0, all but the share
  (1 − 2p)^(k−1), where no other high error is c − m or c − m + 1 deep; if it is not high and m =
  (c − 1)/2, where at least two of the others are high and c − m deep: P(Bin(k − 1, p) ≥ 2);
* m = c/2, V = R − m: (2V)^k − (2V − 2)^k; the share of (2V)^k that leaves is P(Bin(k, p) ≥ 2) +
  kp((1 − p)^(k−1) − (1 − 2p)^(k−1)): two high errors of depth m, or one and one of m + 1;
* m = (c + 1)/2: the same volume, and P(Bin(k, p) ≥ 2) of (2V)^k; beyond, the volume, and nothing.

All these count with the weight e^(εm). For k = 2 it is

    δ = (4(R − c) + S)/(Σ_j e^(εj)·n_j − 4·Σ_(a + b < c) e^(ε·min(a, b))),

where n_j is the area of joint noise's shell j and S the sum of e^(ε·min(a, b)) over a, b ≥ 1 with
a + b = c or c + 1.

**What it is worth.** To cut off an edge saves what leaves it, by three of the four directions of
its two errors, and costs what enters it, by one: for k = 2 it pays where e^ε < 3 or so, which is
where the theorem of `dpviz.maths.joint_optimality` ends. That ends at e^ε = 2^k − 1 or so, but to
cut pays, at δ = 1e-10, up to e^ε = 3.1, 3.4 and 5.7 for k = 3, 10 and 100 (computed); between the
two nothing is gained here. For k = 2 it is as good as the best of all laws on
cells of width 1 wherever that was computed, down to the bound that `dpviz.maths.joint_program`
proves in whole numbers (`tests/maths/test_cut_joint_noise.py`).

Source: our own.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc

from dpviz.maths.joint_noise import JointNoise, joint_radius
from dpviz.maths.logspace import log1mexp, log_sum_exp
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

MOST_STEPS = 50_000
"""R/Δ, at most, for noise that is cut."""
MOST_ANSWERS = 10_000

_ROUNDING = 1e-9  # added to log δ, far above rounding
_TRIES = 12  # of c, at once
_BISECTIONS = 60
_MOST_CUT = 3.0  # c, at most, over k·ln 2/ε


@dataclass(frozen=True)
class CutJointNoise:
    """The noise of k answers, drawn together from a cube whose edges are cut off; in units of Δ.

    epsilon: ε in [1e-7, 10]; queries: k, whole, from 2 to `MOST_ANSWERS`; radius: R, at most
    `MOST_STEPS`; cut: c, whole, from 0 to R − 3. Raises `ParameterError`. Neighbours: one person is
    substituted, and each answer moves by up to Δ. Source: the module docstring.
    """

    epsilon: float
    queries: int
    radius: float
    cut: int

    def __post_init__(self) -> None:
        validate("epsilon", self.epsilon)
        if not 2 <= self.queries <= MOST_ANSWERS or self.queries % 1:
            raise ParameterError("queries", f"whole, from 2 to {MOST_ANSWERS:,}", self.queries)
        if not 0 < self.radius <= MOST_STEPS:
            raise ParameterError("radius", f"above 0 and at most {MOST_STEPS:,} Δ", self.radius)
        if not 0 <= self.cut <= max(self.radius - 3, 0) or self.cut % 1:
            raise ParameterError("cut", "whole, from 0 to R/Δ − 3", self.cut)

    @cached_property
    def log_delta(self) -> float:
        """An upper bound on the logarithm of its δ, above it by rounding alone."""
        if self.radius <= 0.5:
            return 0.0
        found = log_sum_exp(np.array(self._leaving)) - self._log_volume
        return min(float(found) + _ROUNDING, 0.0)

    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the logarithm of the density at x, whose last axis holds the k errors; or −inf."""
        depth = np.floor(self.radius - np.abs(np.asarray(x, dtype=float)))
        least = np.partition(depth, 1, axis=-1)[..., :2]
        inside = (least[..., 0] >= 0) & (least.sum(axis=-1) >= self.cut)
        height = self.epsilon * least[..., 0] - self._log_volume
        return np.where(inside, height, -math.inf)

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw the k errors `size` times, a row each: joint noise, until it is in D.

        Floating-point numbers keep no promise of privacy by themselves.
        """
        whole = JointNoise(self.epsilon, self.queries, self.radius)
        drawn = np.empty((0, self.queries))
        while len(drawn) < size:
            more = whole.sample(rng, size)
            drawn = np.append(drawn, more[np.isfinite(self.log_density(more))], axis=0)
        return drawn[:size]

    # ---- volumes, by the least depth -----------------------------------------------------

    @cached_property
    def _outer(self) -> FloatArray:
        """The m below c/2."""
        return np.arange(math.ceil(self.cut / 2), dtype=float)

    def _log_outer(self) -> FloatArray:
        """Return the logarithms of e^(εm)·k·(2V)^(k−1) for them: of one of two sides."""
        v = self.radius - self.cut + self._outer
        return np.asarray(
            self.epsilon * self._outer + math.log(self.queries) + (self.queries - 1) * np.log(2 * v)
        )

    @cached_property
    def _log_volume(self) -> float:
        """The logarithm of the integral of e^(εm) over D."""
        k, m = self.queries, np.arange(math.ceil(self.cut / 2), math.ceil(self.radius), dtype=float)
        v = self.radius - m
        with np.errstate(divide="ignore"):
            inner = np.log1p(-np.minimum(1 / v, 1.0))
        logs = self.epsilon * m + k * np.log(2 * v) + log1mexp(k * inner)
        return float(log_sum_exp(np.append(logs, math.log(2) + self._log_outer())))

    @property
    def _leaving(self) -> list[float]:
        """The logarithms of what leaves D."""
        k, c, r = self.queries, self.cut, self.radius
        if c == 0:
            return [k * math.log(2 * r) + float(log1mexp(k * math.log1p(-0.5 / r)))]
        outer = self._log_outer()
        high = outer[1:] + log1mexp((k - 1) * np.log1p(-1 / (r - c + self._outer[1:])))
        terms = [float(outer[0]), *high.tolist()]
        m = (c + 1) // 2
        p = 0.5 / (r - m)
        share = float(betainc(2, k - 1, p))
        if c % 2 == 0:
            once = (k - 1) * (math.log1p(-2 * p) - math.log1p(-p))
            share += k * p * math.exp((k - 1) * math.log1p(-p)) * -math.expm1(once)
        elif k > 2:
            # the error at the least depth, (c − 1)/2, is not high
            terms.append(float(outer[-1]) + math.log(betainc(2, k - 2, p)))
        terms.append(self.epsilon * m + k * math.log(2 * (r - m)) + math.log(share))
        return terms


def cut_joint_noise(*, epsilon: float, delta: float, queries: float) -> CutJointNoise:
    """Return the noise drawn together of least radius found that is (ε, δ)-DP, edges cut or not.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k adaptive answers, from 2 to
    `MOST_ANSWERS`, each moved by up to Δ = 1 when one person is substituted, all at once. Its
    radius is at most joint noise's. Some of the possible c are tried. Raises `ParameterError`, also
    where joint noise needs more than `MOST_STEPS`. Source: the module docstring.
    """
    loss, goal = validate("epsilon", epsilon), math.log(validate("delta", delta))
    k = validate("queries", queries)
    if not 2 <= k <= MOST_ANSWERS:
        raise ParameterError("queries", f"from 2 to {MOST_ANSWERS:,} here", queries)
    joint = joint_radius(epsilon=loss, delta=delta, queries=k).upper * (1 + _ROUNDING)
    best = CutJointNoise(loss, int(k), joint, 0)
    for _ in range(2):
        best = _narrowest(best, goal, _best_cut(best))
    return best


def _best_cut(noise: CutJointNoise) -> int:
    """Return the c with which δ is nearly least at this radius."""
    most = min(_MOST_CUT * noise.queries * math.log(2) / noise.epsilon, noise.radius / 2 - 3)
    low, high = 0, max(math.floor(most), 0)
    while True:
        tried = np.unique(np.rint(np.linspace(low, high, _TRIES))).astype(int).tolist()
        cuts = [CutJointNoise(noise.epsilon, noise.queries, noise.radius, c) for c in tried]
        i = min(range(len(cuts)), key=lambda place: cuts[place].log_delta)
        if high - low < _TRIES:
            return int(tried[i])
        low, high = tried[max(i - 1, 0)], tried[min(i + 1, len(tried) - 1)]


def _narrowest(noise: CutJointNoise, goal: float, cut: int) -> CutJointNoise:
    """Return the noise of least radius with this c, or the one given if that is narrower."""
    low, best = float(cut + 3), noise
    for _ in range(_BISECTIONS):
        middle = (low + best.radius) / 2
        if not low < middle < best.radius:
            break
        tried = CutJointNoise(noise.epsilon, noise.queries, middle, cut)
        if tried.log_delta <= goal:
            best = tried
        else:
            low = middle
    return best
