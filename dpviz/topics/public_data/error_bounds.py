r"""How large the error of Algorithms 2 and 3 can be, with all constants: bounds proved here.

Lemmas 4, 5, 8 and 12 to 16 of Block et al. 2024 bound it by shapes: the constant C is not given,
and Lemma 8, (85), compares f̂ with f̄ as if f̄ were in the class. In Algorithm 3 it is. In Algorithm
2 it is a mean of functions of the class, which need not be in it, and Lemma 15 is false if the
class is not convex. Let labels be 1 on three blocks of a third of all data each, the class f_0, −1
everywhere, and f_1, f_2, f_3, each 1 on one block and −1 elsewhere. With many data and a small η
each f_j is one of the last three, each a third of the time, so f̄ is about −1/3 on all blocks, and
nearest to it is f_0 (‖f_0 − f̄‖² = 4/9, ‖f_1 − f̄‖² = 8/9): an excess error of 1/3, however large n,
m and J are. What follows takes the lemmas' steps in the setting of this page, where that cannot be.

Setting. The loss is (f − y)²/4, and the class has a function f* with E[y | x] = k·f*(x): k = 1 for
regression, k = 1 − 2p for functions ±1 whose labels are wrong with probability p. For functions f
of the class then L(f) − inf L = k ‖f − f*‖²_ν/4; for functions ±1, ‖f − f*‖²/4 is the probability
of f ≠ f*, in every norm. Norms: ‖·‖_D on the n private examples, ‖·‖_ν under their distribution,
‖·‖_m on the public points, ‖·‖_μ under theirs; dν/dμ ≤ 1/σ, so ‖·‖²_ν ≤ ‖·‖²_μ/σ, where the paper
has ‖·‖_ν ≤ ‖·‖_μ/σ. Each step fails with a part of β; all hold for all functions of the class at
once, so it does not matter how f̄ and f̂ depend on the data. |f*| ≤ 1 throughout.

**Norms carried over (Lemmas 4 and 12).**
Linear functions ⟨v, φ⟩ in d dimensions, on N points: let K be the largest φᵀΣ⁻¹φ, Σ = E φφᵀ. The
matrices Σ^(−1/2) φφᵀ Σ^(−1/2) have the identity as their mean and K as bound; by the matrix
Chernoff bound (Tropp 2012, Theorem 1.1) the mean of N of them is at least 1 − t but for a chance of
d·exp(−N r(t)/K), r(t) = t + (1 − t) ln(1 − t). So, with that t for which the chance is β,
‖g‖² ≤ ‖g‖²_N/(1 − t) for all of them; nothing if r(t) would have to exceed 1.
Functions ±1: let S(N) be in how many ways the class labels N points. The sets {f ≠ f*} are in one
to one with the functions. With e = 2√(ln(4 S(2N)/β)/N), each with probability 1 − β for all of them
(Vapnik and Chervonenkis; Boucheron, Bousquet and Lugosi 2005, Theorem 5.1),

    P ≤ P_N + e√P,  so  P ≤ P_N + e√P_N + e²;    P_N ≤ P + e√P_N,  so  P_N ≤ P + e√P + e².

**Sampling (Lemma 13).**
Regression, y = f* + u, |u| ≤ s, E[u | x] = 0: with h = f − f* = ⟨v, φ⟩ and c the mean of u·φ over
the sample, L_D(f) − L_D(f*) = ‖h‖²_D/4 − ⟨v, c⟩/2, and ⟨v, c⟩ ≤ ‖h‖_ν |Σ^(−1/2) c|. That length
has a mean of at most s√(d/n), and one example moves it by 2s√K/n at most: it is below
C = s√(d/n) + s√(2K ln(1/β)/n) (McDiarmid).
Functions ±1: with D = ν(f ≠ f*), the loss exceeds that of f* on f ≠ f*, y = f*, of probability
(1 − p)D, and falls short of it on f ≠ f*, y ≠ f*, of pD. Both kinds of sets have at most S(2n)
traces; one tail of the last display for each, with e = e_n:
k D ≤ L_D(f) − L_D(f*) + e(√(1 − p) + √p)√D + e².

**What is minimised (Lemmas 5 and 14).**
Algorithm 3, regression. Q = L_D + η‖·‖²_m is quadratic, its minimum f̄ over the convex class has
Q(f*) − Q(f̄) ≥ ‖h‖²_D/4 + η‖h‖²_m, h = f̄ − f*. Written out,
‖h‖²_D/2 ≤ ⟨v, c⟩/2 − 2η(⟨f*, h⟩_m + ‖h‖²_m) ≤ C‖h‖_ν/2 + η‖f*‖²_m/2, so (1 − t)‖h‖²_ν ≤ C‖h‖_ν + η.
Algorithm 2, regression: for f_j in the same way ‖h_j‖²_D ≤ C‖h_j‖_ν + 2η(ω_j(f*) − ω_j(f_j)), and
that difference is at most 2|Σ ξ_i φ(Z_i)|/√m, as the v of f* and f_j have length 1 at most.
This length over √m is 1-Lipschitz in ξ and 1 at most on average; its mean over j is 1/√J-Lipschitz
in all ξ. With H² the mean over j of ‖h_j‖²_ν, for f̄ ‖h‖_ν ≤ H, and
(1 − t)H² ≤ C H + 4η(1 + √(2 ln(1/β)/J)).
Algorithm 2, functions ±1: L_D(f_j) − L_D(f*) ≤ η(ω_j(f*) − ω_j(f_j)) ≤ η q_j ‖f_j − f*‖_m, where
q_j is the largest ⟨ξ_j, u⟩ over the at most S(m) directions u of f* − f on the public points, or 0.
Let D, Y be the means over j of ν(f_j ≠ f*) and of its share of the public points. By Cauchy and
Schwarz the mean of q_j‖f_j − f*‖_m is at most 2q√Y, q² the mean of q_j². q is 1/√J-Lipschitz, and
E q² ≤ 2 ln S(m) + 1, as the variance of q_j is at most 1: q ≤ √(2 ln S(m) + 1) + √(2 ln(1/β)/J).
So, with Jensen's inequality for √D,

    k D ≤ 2ηq√Y + e_n(√(1 − p) + √p)√D + e_n²,    Y ≤ D/τ + e_m√(D/τ) + e_m²,

where dμ/dν ≤ 1/τ: what is known of f_j is known where private data are, and the projection looks
where public ones are. If there is no such τ, Y ≤ 1 is all. Put D = 1 on the right, then what comes
out, and so on: each is a bound.

**Projection (Lemma 8).**
Convex class in d dimensions: f̂ is what is nearest to f̄ + γΠζ, Π the projection on the values of
linear functions, and to project on a convex set brings nothing further apart:
‖f̂ − f̄‖_m ≤ γ|Πζ|/√m, and |Πζ|² has the χ² law with d degrees of freedom for normal ζ.
Functions ±1: ‖f − f̄‖²_m and the mean of ‖f − f_j‖²_m differ by a constant, so with
G = ‖f̂ − f*‖²_m/4, which is at most Y plus the mean over j of ‖f̂ − f_j‖²_m/4, and as f̂ is no worse
than f*, G ≤ 2Y + γ⟨ζ, f̂ − f*⟩_m/2 ≤ 2Y + γT√(G/m), T the largest ⟨ζ, u⟩ of at most S(m) directions.
For Laplace noise E e^(s⟨ζ, u⟩) = Π 1/(1 − s²u_i²) ≤ 1/(1 − s²), as −ln(1 − x) is superadditive.

The optimiser over linear functions stops a certified gap g above the minimum of these quadratics:
2√g from it in ‖·‖_D, √g from it in ‖·‖_m, which is added.

**Together (Lemmas 15 and 16).** Regression: L(f̂) − L* ≤ (‖f̄ − f*‖_ν + √w ‖f̂ − f̄‖_μ)²/4, with
w ≤ 1/σ the largest ‖g‖²_ν/‖g‖²_μ. Functions ±1: k (G + e_m√G + e_m²)/σ.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtri, lambertw, ndtri_exp

from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.topics.public_data.learners import Budget, perturbation_scale, stability
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from dpviz.topics.public_data.tasks import Task

_SHARES = np.linspace(0.02, 0.98, 49)  # of s for Laplace noise: any is right
_EVENTS = 6  # among which β is shared; regression has five
_FARTHEST = 100.0  # of ‖ζ‖_m, and of |ξ|/√m: beyond with a chance below 1e-38
_ROUNDS = 200
_POINTS = (300, 10_000)
_ETAS = np.geomspace(0.1, 4, 8)  # times α


@dataclass(frozen=True)
class ErrorBound:
    """What the excess error does not exceed, with probability 1 − β; infinite if that is nothing.

    total: of f̂; without_noise: the same for γ = 0, where f̂ is what is nearest to f̄.
    """

    total: float
    without_noise: float


def error_bound(
    learner: str, task: Task, *, samples: int, points: int, budget: Budget, beta: float
) -> ErrorBound:
    """Return what the excess error of Algorithm 2 or 3 does not exceed, but with chance β.

    learner: "perturbation" or "regularization", the latter for regression only. The probability is
    over private and public data and the noise, which is that of `learners.learn`. Infinite where
    nothing is proved: of functions ±1 where public data lie that private ones never reach. Raises
    `ParameterError`.
    """
    allowed = {"perturbation"} if task.classifies else {"perturbation", "regularization"}
    if learner not in allowed:
        raise ParameterError("learner", f"one of {', '.join(sorted(allowed))}", learner)
    n, m = int(validate("samples", samples)), int(validate("public_points", points))
    share = validate("failure_probability", beta) / _EVENTS
    rho = stability(learner, task, samples=n, budget=budget)
    gamma = perturbation_scale(learner, rho=rho, points=m, budget=budget)
    total, quiet = (
        _of_labels(task, n, m, budget, gamma=scale, beta=share)
        if task.classifies
        else _of_regression(learner, task, n, m, budget, gamma=scale, beta=share)
        for scale in (gamma, 0.0)
    )
    return ErrorBound(total, quiet)


@dataclass(frozen=True)
class Enough:
    """From how many private examples an error is proved, with η and m; infinite if from none."""

    samples: float
    eta: float
    points: int


def enough_samples(
    learner: str, task: Task, *, budget: Budget, alpha: float, beta: float
) -> Enough:
    """Return how many private examples are proved to be enough for an excess error of α.

    But with chance β, and private as `budget` says, whose η is replaced: η and m are the best of a
    few, n is rounded up to about 5%, and at most a million. Raises `ParameterError`.
    """
    most, best = LIMITS["samples"].maximum, Enough(math.inf, math.nan, 0)
    sizes = np.unique(np.rint(np.geomspace(LIMITS["samples"].minimum, most, 280))).astype(int)

    def reaches(n: int, eta: float, points: int) -> bool:
        given = replace(budget, eta=eta)
        bound = error_bound(learner, task, samples=n, points=points, budget=given, beta=beta)
        return bound.total <= alpha

    for points in _POINTS:
        for eta in alpha * _ETAS:
            low, high = 0, sizes.size - 1
            if not reaches(int(min(best.samples, most)), float(eta), points):
                continue
            while low < high:
                middle = (low + high) // 2
                if reaches(int(sizes[middle]), float(eta), points):
                    high = middle
                else:
                    low = middle + 1
            if sizes[high] < best.samples:
                best = Enough(float(sizes[high]), float(eta), points)
    return best


# ---- linear functions ------------------------------------------------------------------------


def norm_factor(leverage: float, *, size: int, dimension: int, beta: float) -> float:
    """Return what ‖g‖²/‖g‖²_N does not exceed for linear g, but with chance β.

    Lemmas 4 and 12 for linear functions, with constants. leverage: K; size: N. Infinite where N is
    too small for any.
    """
    rate = leverage * math.log(dimension / beta) / size
    if rate >= 1:
        return math.inf
    # r(1 − x) = 1 − x + x·ln x = rate, for x = 1 − t: x = e^(1 + W(−(1 − rate)/e))
    return math.exp(-1 - float(lambertw((rate - 1) / math.e, -1).real))


def _of_regression(
    learner: str, task: Task, n: int, m: int, budget: Budget, *, gamma: float, beta: float
) -> float:
    d, log_beta, tolerance = task.dimension, -math.log(beta), LinearFunctions.tolerance
    k_private, k_public = task.leverages
    of_sample = norm_factor(k_private, size=n, dimension=d, beta=beta)
    of_public = norm_factor(k_public, size=m, dimension=d, beta=beta)
    if math.isinf(of_sample) or math.isinf(of_public):
        return math.inf
    noisy = task.label_spread * (math.sqrt(d) + math.sqrt(2 * k_private * log_beta)) / math.sqrt(n)
    pull = budget.eta
    if learner == "perturbation":
        pull *= 4 * (1 + math.sqrt(2 * log_beta / budget.averages))
    near = of_sample * (noisy + math.sqrt(noisy**2 + 4 * pull / of_sample)) / 2
    near += 2 * math.sqrt(of_sample * tolerance * (1 + budget.eta * _FARTHEST))
    moved = gamma * _length(budget.noise, d, beta) / math.sqrt(m)
    moved += math.sqrt(tolerance * (3 + 2 * gamma * _FARTHEST))
    excess = (near + math.sqrt(of_public * task.widest) * moved) ** 2 / 4
    return excess if excess < 1 else math.inf


def _length(noise: str, dimension: int, beta: float) -> float:
    """Return what |Πζ| exceeds with chance β at most."""
    if noise == "gaussian":
        return math.sqrt(float(chdtri(dimension, beta)))
    return math.sqrt(dimension) * _largest(noise, math.log(2 * dimension), beta)


def _largest(noise: str, log_number: float, beta: float) -> float:
    """Return what the largest of so many ⟨ζ, u⟩, |u| = 1, exceeds with chance β at most."""
    if noise == "gaussian":
        return -float(ndtri_exp(math.log(beta) - log_number))
    return float(np.min((log_number - math.log(beta) - np.log1p(-(_SHARES**2))) / _SHARES))


# ---- functions ±1 ----------------------------------------------------------------------------

_LABELINGS: dict[str, Callable[[int], int]] = {
    "thresholds": lambda n: n + 1,
    "intervals": lambda n: n * (n + 1) // 2 + 1,
    "halfplanes": lambda n: n * n - n + 2,
}


def labelings(task: Task, points: int) -> int:
    """Return S(N), in how many ways at most the class labels so many points."""
    return _LABELINGS[task.name](points)


def relative_deviation(task: Task, size: int, *, beta: float) -> float:
    """Return e for which P ≤ P_N + e√P for all sets f ≠ f*, but with chance β; or P_N for P."""
    return 2 * math.sqrt((math.log(4 * labelings(task, 2 * size)) - math.log(beta)) / size)


def _of_labels(task: Task, n: int, m: int, budget: Budget, *, gamma: float, beta: float) -> float:
    p, log_beta = task.label_noise, -math.log(beta)
    kept, reach = 1 - 2 * p, task.shift.reverse_smoothness
    on_private, on_public = (relative_deviation(task, size, beta=beta) for size in (n, m))
    log_ways = math.log(labelings(task, m))
    width = math.sqrt(2 * log_ways + 1) + math.sqrt(2 * log_beta / budget.averages)
    apart, public = 1.0, 1.0  # D and Y
    for _ in range(_ROUNDS):
        if reach:
            public = min(_from_other(apart / reach, on_public), 1.0)
        sampling = on_private * (math.sqrt(1 - p) + math.sqrt(p)) * math.sqrt(apart)
        within = (2 * budget.eta * width * math.sqrt(public) + sampling + on_private**2) / kept
        if within >= apart * (1 - 1e-9):
            break
        apart = within
    shaken = gamma * _largest(budget.noise, log_ways, beta) / math.sqrt(m)
    root = (shaken + math.sqrt(shaken**2 + 8 * public)) / 2
    wrong = _from_other(root**2, on_public) / task.shift.smoothness
    return kept * wrong if wrong < 1 else math.inf


def _from_other(share: float, deviation: float) -> float:
    """Return what one of P and P_N does not exceed, given the other."""
    return share + deviation * math.sqrt(share) + deviation**2
