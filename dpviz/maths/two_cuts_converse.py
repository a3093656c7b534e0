r"""What no independent symmetric noise can do to two data sets: a bound by two thresholds.

The claim. Each of k answers is the true value plus noise, drawn independently from one law on
[−R, R] that is symmetric about 0. If one pair of neighbouring data sets moves all answers by
Δ = 1, and their answers are (ε, δ)-indistinguishable, then R is at least what `two_cuts_radius`
returns. `dpviz.maths.one_pair_converse` looks at one threshold, and asks for no symmetry.

The proof. Let u_j = P(X > R − j), so that u_0 = 0, and look at an answer of one of the data sets:
whether it is above R − j, below −(R − (j + 1)), or neither. For 2j + 1 ≤ 2R the first two exclude
each other. With the noise X they have, by symmetry, the probabilities (u_j, u_(j+1)); with X + 1
they have (u_(j+1), u_j). So k answers tell whether three outcomes have the probabilities
(p, q, rest) or (q, p, rest), with p = u_j and q = u_(j+1). The number m of answers with one of the
first two is Bin(k, p + q) under both, and given m the first has Bin(m, p/(p + q)) or
Bin(m, q/(p + q)): a randomised response, m times. Hence with r = q/(p + q), and t_m the least a
with (q/p)^(2a − m) > e^ε, privacy says that

    δ(p, q) = Σ_m P(Bin(k, p + q) = m)·[P(Bin(m, r) ≥ t_m) − e^ε·P(Bin(m, 1 − r) ≥ t_m)] ≤ δ.

δ(p, q) falls with p and rises with q, for p < q and p + q ≤ 1, as each time one pair of laws of
three outcomes is a post-processing of the other. That of (p′, q) is one of (p, q), p < p′ < q:
exchange the first two outcomes with probability (p′ − p)/(2(q − p)), and turn the third into each
of them with (p′ − p)/(2(1 − p − q)). That of (p, q) is one of (p, q′), q < q′: turn the first two
into the third with probability z = (q′ − q)/(p + q′), exchange them with probability
((q′ − q)/(q′ − p) − z)/2 = pz/(q′ − p), and else leave them. So u_(j+1) is at most ψ(u_j), ψ(p)
being the largest q ≤ 1 − p with δ(p, q) ≤ δ, or 1 if q = 1 − p is one, and ψ rises: u_j is at most
x_j = ψ^j(0), for all j ≤ J, the least whole J with R − J < 1/2. One order of the two data sets is
enough, as exchanging the first two outcomes exchanges the orders; x_1 = 1 − (1 − δ)^(1/k).

In the middle, with c = R − J: u_(J+1) = 1 − P(X ≥ 1 − c) ≥ 1 − P(X > c) = 1 − u_J, as 1 − c > c. By
one threshold u_(J+1) ≤ φ(u_J) ≤ φ(x_J), φ being that of `dpviz.maths.one_pair_converse`. If φ(x_n)
< 1 − x_n, then J = n is refuted. Noise on a smaller interval is on a larger one as well, so R is at
least n + 1/2, for the largest such n. And if x_n < 1/2, then R ≥ n: on [−R′, R′] with n − 1/2 ≤ R′
< n, J = n and c < 0, so that u_n ≥ P(X ≥ 0) ≥ 1/2.

What it is worth. Where counts are nearly normal, one threshold leaves a density of at most
√(G(1 − G))/σ at the level G, two leave √(G/2)/σ, σ being the Gaussian noise for all k answers:
R ≥ 2σ in place of πσ/2.
"""

import math

import numpy as np
from scipy.special import betainc, betaln, xlog1py, xlogy

from dpviz.maths.one_pair_converse import MOST_ANSWERS, after_one_step
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate
from dpviz.results.refining import pause

_REACH = 9.0  # deviations of Bin(k, p + q) that are summed over: to leave terms out is valid
_ROUNDED = 1e-9  # of every term, far above rounding
_CLOSE = 1e-7  # of log q
_MOST = 60


def two_cuts_radius(*, epsilon: float, delta: float, queries: float) -> float:
    """Return a radius such that no symmetric noise of one law and a smaller one is (ε, δ)-DP.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k answers, each moved by up to
    Δ = 1 when one person is substituted, and in all of them at once. A proven lower bound, in the
    unit of Δ, by one pair of neighbouring data sets. It takes as many steps as the radius has Δ; of
    more than `MOST_ANSWERS` answers that many are looked at. Raises `ParameterError`. Source: the
    module docstring.
    """
    loss, slack = validate("epsilon", epsilon), validate("delta", delta)
    count = min(math.floor(validate("queries", queries)), MOST_ANSWERS)
    after = -math.expm1(math.log1p(-slack) / count) * (1 + _ROUNDED)
    rate, growth, steps, best = 0.0, 2.0, 0, 0.5
    while after < 0.5:
        pause()
        growth, rate, steps = (after / rate if rate else growth), after, steps + 1
        best = float(steps)
        if after_one_step(rate, loss, slack, count) < 1 - rate:
            best = steps + 0.5
        after = _further(rate, growth, loss, slack, count)
    return best


def _further(rate: float, growth: float, epsilon: float, delta: float, queries: int) -> float:
    """Return q, hardly more than ψ(p), at which δ(p, q) is surely above δ; 1 for none below 1 − p.

    rate: p; growth: q/p of the step before, near which the search begins.
    """

    def refuted(log_growth: float) -> bool:
        return proven_delta(rate, rate * math.exp(log_growth), epsilon, queries) > delta

    most = math.log((1 - rate) / rate)
    low, high = 0.0, min(math.log(growth), most)
    while not refuted(high):
        if high >= most:
            return 1.0
        low, high = high, min(1.2 * high, most)
    guess = 0.9 * high
    for _ in range(_MOST):
        if high - low < _CLOSE * high:
            break
        if refuted(guess):
            high = guess
        else:
            low = guess
        guess = (low + high) / 2
    return rate * math.exp(high)


def proven_delta(low: float, high: float, epsilon: float, queries: int) -> float:
    """Return a lower bound on δ(p, q), p = low and q = high."""
    total = min(low + high, 1.0)  # at q = 1 − p a sum may be rounded up
    middle, spread = queries * total, math.sqrt(queries * total * max(1 - total, 0.0)) + 1
    first, last = math.floor(middle - _REACH * spread), math.ceil(middle + _REACH * spread)
    m = np.arange(max(first, 0), min(last, queries) + 1, dtype=float)
    least = epsilon / math.log(high / low)
    a = np.floor((m + least) / 2) + 1
    possible = a <= m
    m, a = m[possible], a[possible]
    log_weight = (
        xlogy(m, total)
        + xlog1py(queries - m, -total)
        - betaln(m + 1, queries - m + 1)
        - math.log(queries + 1)
    )
    r = high / total
    up: FloatArray = np.exp(log_weight) * betainc(a, m - a + 1, r)
    down: FloatArray = math.exp(epsilon) * np.exp(log_weight) * betainc(a, m - a + 1, low / total)
    return float((up * (1 - _ROUNDED) - down * (1 + _ROUNDED)).sum())
