r"""Where no bounded noise is better than noise drawn together: a theorem, its dual in fractions.

In units of Δ. The k errors have any law P on the closed cube [−N, N]^k, N whole, the same for all
data; they may depend on each other, and the law need have no density. One person, replaced by
another, moves each answer by up to 1, all at once, some of them up and others down. Let δ_N be the
δ of joint noise of radius N (`dpviz.maths.joint_noise`), q = e^ε > 1, n_L = L^k − (L − 1)^k, and

    μ = 2^k·δ_N = n_2N/(n_N + q·n_(N−1) + … + q^(N−1)·n_1).

**Theorem.** If N = 1, or if q ≥ 2^k(1 − δ_N) − 1 and δ_N ≤ 1/2, then P is (ε, δ)-DP only if δ ≥
δ_N. So joint noise of such a radius is the best bounded noise there is. For ε ≥ ln(2^k − 1) that
holds for every whole radius, as δ_N ≤ δ_2 ≤ (4^k − 3^k)/(2^(k+1)·(2^k − 1)) < 1/2 from N = 2 on,
and for k = 1 it does for every ε.

All 2^k directions are needed. Where one person moves all answers the same way, as one more person
moves counts, less is asked of the noise, and the theorem says nothing: for k = 2, q = 3.2 and N = 4
a program over cells finds .0256 in place of δ_4 = .0434 (computed, in the tests).

**Cells and tests.** Suppose that P has a density; its other part is dealt with at the end. Cut the
cube into (2N)^k cells c of width 1, whose centres have the coordinates ±1/2, …, ±(N − 1/2). The
shell of a cell is the L with max |c_i| = L − 1/2. For each vector s of signs take a test φ_s that
is constant on cells, with 0 ≤ φ_s ≤ 1. Privacy for the shift s says that the sum of
φ_s(c)·(P(c) − q·P(c + s)) over all cells is at most δ. If on every cell

    T(c) − q·Σ_s φ_s(c − s) = μ,   T = Σ_s φ_s,                                             (1)

then the sum over all 2^k vectors s is μ ≤ 2^k·δ, which is the theorem. Such tests are built now.

**Shells.** Let φ_s(c) = 1 where c + s leaves the cube. Elsewhere let φ_s(c) > 0 only where c + s is
one shell further out. By flips of signs it is enough to say φ for cells c_i = L − 1/2 − 2u_i on
shell L: each |c_i| has one such u_i in {0, …, L − 1}, some u_i is 0, and the number m of zeros is
the class of the cell. A step adds e in {0, 1}^k to u, and leads outwards if a zero stays a zero. So
φ is a flow from the cells u′ of shell L − 1 to the cells u′ + e of shell L. Where T and the demand
D = (T − μ)/q depend on the class alone, (1) says that on each shell the flow that arrives in a cell
of class m is D_L(m), and that what leaves a cell of class m adds up to T_L(m), where

    T_N(m) = 2^k − 2^(k−m).

On shell 1, which nothing enters, T_1(k) = μ remains to be had. As each shell sends what the next
one demands, ΣT over shell L − 1 is Σ(T − μ)/q over shell L: it follows from ΣT = n_2N on shell N.

**The flow.** From shell L − 1 to L each coordinate moves as in Pólya's urn: j goes on to j + 1 with
weight (j + 1)/(L − 1), and stays with weight 1 − j/(L − 1). Into each value flows 1 in all, out of
each L/(L − 1). Let the flow from u′ to u be D_L(class of u) times the product of the weights. It
meets the demand, lies between 0 and max D_L, and leaves

    T_(L−1)(m) = Σ_j C(m, j)·D_L(j)·L^(k−m)/(L − 1)^(k−j),   j = 1, …, m,

and if all shells do so down to M, then, with G(L) = L^k·(1 − (1 − M/L)^m),

    T_M(m) = ( q^(M−N)·G(2N) − μ·Σ_(M < L ≤ N) q^(M−L)·G(L) )/M^k.                          (2)

For k ≥ 3 there is one exception. From shell 2 to 3 only two thirds flow so. In the other third each
coordinate 0 stays, and 1 sends the weight 1 to both 1 and 2; that keeps classes, and leaves
2^(k−m)·D_3(m). So T_2(m) is 2/3 of what (2) says and 2^(k−m)·D_3(m)/3.

It remains to show that 0 ≤ D_L ≤ 1 on the shells L = 2, …, N, for q as in the theorem. For N = 1
there is none of them. For k = 1 that is plain: D_N = (1 − μ)/q, and T falls inwards from 1 to μ.
Let k ≥ 2 and N ≥ 2.

**D ≤ 1.** On shell N, D is largest in the corner, (2^k − 1 − μ)/q ≤ 1, which is the condition. From
shell L ≥ 3 inwards the urn leaves at most (L/(L − 1))^k·max D_L ≤ (3/2)^k, and what keeps classes
at most 2^(k−1); both are at most 2^k − 1 ≤ q + μ. So D ≤ 1 on the next shell, too.

**D ≥ 0**, that is T_M(m) ≥ μ for 2 ≤ M ≤ N. On shell N it is T_N ≥ 2^(k−1) ≥ μ, as δ_N ≤ 1/2. So
let M < N, N ≥ 3. Then q ≥ q₀, where q₀ = 2.3 for k = 2, 6 for k = 3, and 0.9·2^k − 1 for k ≥ 4:
with a = 2^k and x = δ_N, the condition is q ≥ a(1 − x) − 1 ≥ a/2 − 1, and as δ falls with N,
ax ≤ μ_3 = (6^k − 5^k)/(q² + q·n_2 + n_3). For k = 2 and 3, q + μ_3 grows with q ≥ a/2 − 1, and at
q₀ it is still below a − 1. For k ≥ 4 the denominator is at least a²(1 − x)(2 − x), as 3^k ≥ 5a, so
that x(1 − x)(2 − x) ≤ (3/4)^k − (5/8)^k < 0.171; so x, at most 1/2, is below 0.1.

*From (2).* (1 − (1 − y)^m)/y falls with y, so that G(L) ≤ (L/2N)^(k−1)·G(2N); and n_2N is at most
k(2N)^(k−1). With μ put in, and with a_L = kL^(k−1) − n_L ≥ 0, (2) becomes

    T_M(m)/μ ≥ γ·M^(−k)·( Σ_(L ≤ M) q^(M−L)·n_L − Σ_(L > M) q^(M−L)·a_L ),
    γ = G(2N)/n_2N = (1 − (1 − M/2N)^m)/(1 − (1 − 1/2N)^k),

if the bracket, which grows with q, is positive. γ grows with m, and is at least M/k at m = 1. It is
at least min(1, Mm/k), as 1 − M/2N ≤ (1 − 1/2N)^M.

*M ≥ 3.* By γ ≥ M/k, T_M(m) ≥ μ if k·Σ_(L ≥ M) q^(−L)·L^(k−1) is at most q^(−1)·n_1 + q^(−2)·n_2
+ q^(−3)·n_3. It is enough for M = 3 and q = q₀.

*M = 2.* Call the bracket times M^(−k) A for M = 2, and B for M = 3, where for N = 3 it is more. For
k = 2, T_2(m)/μ ≥ A = (q + 3 − 1/(q − 1))/4 > 1. For k ≥ 3, as A and B are positive,

    T_2(m)/μ ≥ (2/3)·min(1, 2m/k)·A + (1/3)·2^(k−m)·(min(1, 3m/k)·B − 1)/q,                    (3)

which grows with q, as n_3 < 3^k, and has to be at least 1 at q₀. For k from 3 to 29 that, and
M = 3, are checked in fractions (`tests/maths/test_joint_optimality.py`, where the sums go on to
infinity). For k ≥ 30, as a_L ≤ C(k, 2)·L^(k−2), the sum of a_L in A is less than 0.02, so that
A > 1.85, and B > 1.7·(4/3)^k. Where m ≥ 0.41k the first summand of (3) is more than 1. Where
k/3 ≤ m < 0.41k it is more than 0.8, and the second more than 0.5·2^(−m)·(4/3)^k > 0.5. Where
m < k/3 the second is more than 0.5·(3m/k)·2^(−m)·(4/3)^k, which is least at one of the ends, and
more than 1 at both. For M = 3, k·(3/4)^k < 0.1 is more than enough. ∎

**The part of P without a density.** Let σ be its mass. It lives on a null set, and for almost every
shift v the shifted law gives that set the mass 0; so it counts in full: δ ≥ σ + δ′(v), with δ′(v)
that of the density part. As v → s, δ′(v) tends to δ′(s), since translation is continuous in L¹, and
by the theorem for densities δ′(s) averaged over s is at least (1 − σ)·δ_N. So δ ≥ δ_N. ∎

**Smaller ε, by groups.** What is (ε, δ)-DP is (gε, δ(e^(gε) − 1)/(e^ε − 1))-DP for data sets g
people apart, whose answers may differ by g. In units of g that is the theorem again, for radii gN:
if its conditions hold for gε, and δ_N at gε is larger than that δ, no noise of radius gN or less is
(ε, δ)-DP. gε may be anything above ln(2^k − 1), so that this says something at every ε. Answers may
be left out: what holds for fewer of them holds for k.

**How near that is.** If joint noise of radius N is not (ε, δ)-DP, no bounded noise of radius N or
less is. So where the theorem holds at the whole N next below joint noise's least R, the least R of
all bounded noise lies between N and R, at most Δ apart. Between whole numbers there are better laws
(docs/notes/bounded-noise.md, section 5). For k = 2, g = ln 3/ε and large N the two δ differ by a
factor of about g·tanh(ε/2)/tanh(gε/2) < 1.1, hence the radii by about Δ/(10ε), if g and R/g are
whole.

Source: our own. For δ = 0 and expected costs staircases are optimal in every norm: Kulesza, Suresh
& Wang 2025; Melbourne, Diaz & Asoodeh 2026 (arXiv 2601.14597).
"""

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from dpviz.maths.joint_noise import MOST_QUERIES, JointNoise, joint_radius
from dpviz.maths.joint_program import programmed_radius
from dpviz.maths.noise_converse import chain_radius
from dpviz.maths.optimal_noise import optimal_noise
from dpviz.results.evidence import Bracket
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Steps, in_steps

_KEPT = Fraction(1, 3)  # of the flow from shell 2 to 3, what keeps its class
_EDGE = 1e-9  # from an edge, where rounding may leave it open
_LOG_2 = math.log(2)
_MOST_DELTA = 0.5
_BEYOND = 8.0  # answers that may help, more than log₂(1/δ)
# Which of them are tried: the same for every k, so that what is excluded never shrinks as k grows.
_COUNTS = np.union1d(np.arange(1, 73), np.round(np.geomspace(72, 1024, 40))).astype(int).tolist()
_LARGER = np.linspace(1.0, 2.0, 21)  # groups, as multiples of the smallest


@dataclass(frozen=True)
class ShellDual:
    """The tests that prove δ ≥ δ_N for every bounded noise of radius N, in fractions.

    radius: N ≥ 1, whole, in units of Δ; queries: k ≥ 1; ratio: q = e^ε > 1. `holds` says whether
    the tests lie in [0, 1]; if so `delta` is a lower bound on δ, whatever the theorem says, and
    for every ε ≤ ln q as well. Source: the module docstring.
    """

    radius: int
    queries: int
    ratio: Fraction

    def __post_init__(self) -> None:
        for name in ("radius", "queries"):
            if getattr(self, name) < 1:
                raise ParameterError(name, "a whole number from 1 on", getattr(self, name))
        if self.ratio <= 1:
            raise ParameterError("ratio", "e^ε, above 1", self.ratio)

    @cached_property
    def delta(self) -> Fraction:
        """δ_N, that of joint noise: μ/2^k."""
        sums = Fraction(0)
        for shell in range(1, self.radius + 1):
            sums = self.ratio * sums + self._cells(shell)
        return self._cells(2 * self.radius) / sums / Fraction(2) ** self.queries

    @cached_property
    def demands(self) -> tuple[tuple[Fraction, ...], ...]:
        """D_L(m): what flows into a cell of class m = 1, …, k, of the shells L = N, …, 2."""
        k, mu = self.queries, self.delta * 2**self.queries
        sent = [Fraction(2**k - 2 ** (k - m)) for m in range(1, k + 1)]
        demands = []
        for shell in range(self.radius, 1, -1):
            flows = tuple((total - mu) / self.ratio for total in sent)
            demands.append(flows)
            sent = [self._sent(shell, flows, m) for m in range(1, k + 1)]
        return tuple(demands)

    @property
    def holds(self) -> bool:
        """Whether all demands lie in [0, 1], and so do all tests."""
        return all(0 <= demand <= 1 for flows in self.demands for demand in flows)

    def test(self, cell: Sequence[int], signs: Sequence[int]) -> Fraction:
        """Return φ_s(c). cell: 2c, odd whole numbers within 2N; signs: s, each 1 or −1."""
        shell = (max(abs(x) for x in cell) + 1) // 2
        steps = []
        for x, sign in zip(cell, signs, strict=True):
            way = 1 if (2 * shell - 1 - x) % 4 == 0 else -1
            u = (2 * shell - 1 - way * x) // 4
            steps.append((u, u if way == sign else u + 1))
        left = sum(there == 0 for _, there in steps)
        if left == 0:  # it does not lead outwards
            return Fraction(0)
        if shell == self.radius:
            return Fraction(1)
        shell += 1
        share = math.prod(_urn(shell, *step) for step in steps)
        kept = self._kept(shell)
        if kept:
            share = (1 - kept) * share + kept * math.prod(_keeping(*step) for step in steps)
        return self.demands[self.radius - shell][left - 1] * share

    def _sent(self, shell: int, flows: Sequence[Fraction], m: int) -> Fraction:
        """Return what a cell of class m sends to a shell whose cells ask for this, by class."""
        k, kept = self.queries, self._kept(shell)
        urn = sum(
            math.comb(m, j) * flows[j - 1] * Fraction(shell ** (k - m), (shell - 1) ** (k - j))
            for j in range(1, m + 1)
        )
        return (1 - kept) * urn + kept * Fraction(2) ** (k - m) * flows[m - 1]

    def _kept(self, shell: int) -> Fraction:
        return _KEPT if shell == 3 and self.queries >= 3 else Fraction(0)

    def _cells(self, shell: int) -> int:
        """n_L: how many cells shell L has, up to signs."""
        cells: int = shell**self.queries - (shell - 1) ** self.queries
        return cells


def _urn(shell: int, start: int, end: int) -> Fraction:
    """Return the weight with which a coordinate moves on its way to this shell."""
    return Fraction(start + 1 if end > start else shell - 1 - start, shell - 1)


def _keeping(start: int, end: int) -> int:
    """Return the same where 0 stays 0, from shell 2 to 3."""
    return int(start > 0 or end == 0)


def excluded_radius(*, epsilon: float, delta: float, queries: float) -> float:
    """Return the largest whole R/Δ found at which the theorem excludes every bounded noise, or 0.

    No noise of this radius or less is (ε, δ)-DP for k answers, whatever its law, drawn together or
    not, if one person moves each answer by up to Δ, all at once. epsilon: ε in [1e-7, 10]; delta: δ
    in [1e-300, 0.5]; queries: k from 1 to `joint_noise.MOST_QUERIES`, with which it never falls.
    Tries some numbers of answers up to k, and of people. Raises `ParameterError`. Source: the
    module docstring.
    """
    loss, goal = validate("epsilon", epsilon), validate("delta", delta)
    most = _validated(queries)
    # the δ of groups is about 2^−k beyond the first, and one person needs e^ε ≥ 2^k/2 − 1
    useful = min(most, max(_BEYOND - math.log2(goal), loss / _LOG_2 + 2))
    return _excluded_by_first(loss, goal, bisect.bisect_right(_COUNTS, useful))


@lru_cache(maxsize=4096)
def _excluded_by_first(loss: float, goal: float, counts: int) -> float:
    """Return the largest radius that the first of `_COUNTS` exclude, or 0."""
    if not counts:
        return 0.0
    before, k = _excluded_by_first(loss, goal, counts - 1), _COUNTS[counts - 1]
    return _groups(loss, goal, k, max(before, _one_person(loss, goal, k)))


def _one_person(loss: float, goal: float, k: int) -> float:
    """Return the largest whole radius that the theorem excludes as it stands, or 0."""
    alone = 1.0 if k > 1 else 0.0  # N = 1 needs no condition, and has δ = 1 − 2^−k
    # what δ has to be at least, by the condition
    threshold = 1 - math.exp(loss - k * _LOG_2) - 2.0**-k + _EDGE
    least = max(threshold, goal)
    if least > _MOST_DELTA:
        return alone
    radius = float(math.floor(joint_radius(epsilon=loss, delta=least, queries=k).lower))
    if radius < 1 or JointNoise(loss, k, radius).delta.upper > _MOST_DELTA:
        return alone
    return radius


def _groups(loss: float, goal: float, k: int, excluded: float) -> float:
    """Return the largest radius excluded by groups of at least two people, or the known one."""
    enough = (k * _LOG_2 + math.log1p(-(2.0**-k)) if k > 1 else 0.0) / loss
    if enough <= 1:
        return excluded
    first = math.ceil(enough)
    sizes = {max(first - i, 2) for i in range(3)} | {math.ceil(first * x) for x in _LARGER}
    for size in sizes:
        excluded = max(excluded, size * _steps(loss, goal, k, size, math.floor(excluded / size)))
    return excluded


def _steps(loss: float, goal: float, k: int, size: int, least: int = 0) -> float:
    """Return the largest N for which groups of this size exclude the radius N times their size.

    0 if that is not more than `least`: most of what is tried ends with one look.
    """
    together = size * loss
    lowest = math.log(goal) + _log_expm1(together) - _log_expm1(loss) + _EDGE

    def is_excluded(radius: int) -> bool:
        found = _log_delta(radius, k, together)
        needed = k * _LOG_2 + math.log1p(-math.exp(found)) + _EDGE  # log(q + 1), by the condition
        return found > lowest and together + math.log1p(math.exp(-together)) >= needed

    low = max(least, 1)
    high = low + 1
    while is_excluded(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_excluded(middle) else (low, middle)
    return low if low > max(least, 1) and _log_delta(low, k, together) < -_LOG_2 - _EDGE else 0


def _log_delta(radius: int, k: int, loss: float) -> float:
    """Return log δ_N of a small N."""
    shells = np.arange(1.0, radius + 1)
    with np.errstate(divide="ignore"):
        shares = np.log(-np.expm1(k * np.log1p(-1 / shells)))
    logs = loss * (radius - shells) + k * np.log(shells / radius) + shares
    top = float(logs.max())
    sums = math.log(float(np.exp(logs - top).sum())) + top
    return math.log(-math.expm1(k * math.log1p(-0.5 / radius))) - sums


def _log_expm1(x: float) -> float:
    return x + math.log(-math.expm1(-x))


def _validated(queries: float) -> float:
    k = validate("queries", queries)
    if k > MOST_QUERIES:
        raise ParameterError("queries", f"at most {MOST_QUERIES:,} here", queries)
    return k


@in_steps
def bounded_radius(*, epsilon: float, delta: float, queries: float) -> Steps[Bracket]:
    """Return certified bounds in units of Δ on the least radius of all bounded noise, of any law.

    lower: no such noise is (ε, δ)-DP, by `excluded_radius`, by a chain of people
    (`dpviz.maths.noise_converse`), which grows like √k, by the program for up to three answers
    (`dpviz.maths.joint_program`), or by the bound of a single one (`dpviz.maths.optimal_noise`);
    upper: joint noise is. Independent noise of a smaller radius may be, too, where answers are
    many (`dpviz.maths.least_noise`). Parameters and errors as `excluded_radius`.
    """
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    above = joint_radius(**privacy).upper
    yield
    below = max(excluded_radius(**privacy), chain_radius(**privacy), programmed_radius(**privacy))
    yield
    alone = yield from optimal_noise.steps(epsilon=epsilon, delta=delta)
    return Bracket(max(below, alone.radius.lower), above)
