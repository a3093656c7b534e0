r"""Exact output laws of the algorithms on small classes, to check their privacy.

Perturb, RRSPM and one perturbed minimiser all return the argmin over k of a_k + ⟨b_k, u⟩ for
noise u with independent coordinates. On a class of k functions and m ≤ 2 points that law is a
one-dimensional integral of distribution functions; for k ≤ 3 and normal noise it is bivariate
normal, whatever m.
"""

import itertools
import math

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import gammaln, ndtr
from scipy.stats import multivariate_normal, norm

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data.algorithms import NOISES

_NODES, _WEIGHTS = leggauss(24)
_REACH = {"gaussian": 9.0, "laplace": 45.0}  # beyond lies less than 1e-18


def argmin_law(offsets: FloatArray, slopes: FloatArray, *, noise: str) -> FloatArray:
    """Return P(argmin_k a_k + ⟨b_k, u⟩ = k) for each of k functions.

    offsets: a, (k,); slopes: b, (k, m), no two rows equal; noise: u has independent standard
    normal or Laplace coordinates. m ≤ 2, or k ≤ 3 with normal noise. Within about 1e-12 for m ≤ 2.
    Raises `ParameterError`.
    """
    if noise not in NOISES:
        raise ParameterError("noise", f"one of {', '.join(NOISES)}", noise)
    k, m = slopes.shape
    if k == 1:
        return np.ones(1)
    if m == 1:
        return _on_a_line(offsets, slopes[:, 0], noise)
    if m == 2:
        return _in_the_plane(offsets, slopes, noise)
    if k <= 3 and noise == "gaussian":
        return _few_functions(offsets, slopes)
    raise ParameterError(
        "a class", "of at most 3 functions with normal noise, or on at most 2 points", (k, m)
    )


def perturb_law(
    on_public: FloatArray, table: FloatArray, *, gamma: float, noise: str
) -> FloatArray:
    """Return the law of Algorithm 1 over a finite class.

    on_public: f̄(Z), (m,); table: the functions on Z, (k, m), no two equal; gamma: γ > 0.
    ‖f − v‖² is least where Σ f(Z_i)² − 2·f(Z_i)·v_i is.
    """
    return argmin_law(
        np.sum(table**2, axis=1) - 2 * table @ on_public, -2 * gamma * table, noise=noise
    )


def rrspm_law(losses: FloatArray, table: FloatArray, *, scale: float, noise: str) -> FloatArray:
    """Return the law of f̃ in Algorithms 4 and 5 over a finite class.

    losses: Σ ℓ(f(X_i), Y_i) of each function, (k,); table: ±1 on the public points, (k, m), no
    two equal. The labels turn the sign of weights that are symmetric, so they do not matter.
    """
    return argmin_law(losses, scale * table / 2, noise=noise)


def perturbed_law(
    losses: FloatArray,
    table: FloatArray,
    *,
    eta: float,
    averages: int,
    gamma: float,
    noise: str,
) -> FloatArray:
    """Return the law of Algorithm 2 over a finite class, J up to 12.

    losses: the average private loss of each function. Which of the k functions the J minimisers
    are is multinomial; given how often, f̄ is known and `perturb_law` gives the rest.
    """
    m = table.shape[1]
    one = argmin_law(losses, eta / math.sqrt(m) * table, noise="gaussian")
    law = np.zeros(len(table))
    for counts in _compositions(averages, len(table)):
        counted = np.array(counts)
        with np.errstate(divide="ignore"):
            logs = np.where(counted > 0, counted * np.log(one), 0.0)
        weight = math.exp(gammaln(averages + 1) - gammaln(counted + 1).sum() + logs.sum())
        mean = counted @ table / averages
        law += weight * perturb_law(mean, table, gamma=gamma, noise=noise)
    return law


def hockey_stick(first: FloatArray, second: FloatArray, epsilon: float) -> float:
    """Return Σ max(P(o) − e^ε·Q(o), 0): the δ(ε) of this pair."""
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


def cut_off(mean: float, sigma: float, cells: int = 8000) -> FloatArray:
    """Return the law of a normal number cut off at ±1: the atom below, cells, the atom above."""
    ends = np.linspace(-1, 1, cells + 1)
    below, above = norm.cdf(ends, mean, sigma), norm.sf(ends, mean, sigma)
    # each cell from its nearer tail: the other one rounds it away
    inner = np.where(ends[1:] < mean, np.diff(below), -np.diff(above))
    return np.concatenate([below[:1], inner, above[-1:]])


def log_ratio(first: FloatArray, second: FloatArray) -> float:
    """Return the largest |ln P(o)/Q(o)|: the ε of pure differential privacy for this pair."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(np.log(first) - np.log(second))
    return float(np.nanmax(ratios))


def _compositions(total: int, parts: int) -> list[tuple[int, ...]]:
    """Return all ways to write `total` as an ordered sum of `parts` whole numbers from 0."""
    bars = itertools.combinations(range(total + parts - 1), parts - 1)
    edges = ((-1, *chosen, total + parts - 1) for chosen in bars)
    return [tuple(b - a - 1 for a, b in itertools.pairwise(e)) for e in edges]


def _cdf(noise: str, u: FloatArray) -> FloatArray:
    tail = np.exp(-np.abs(u)) / 2
    cdf: FloatArray = ndtr(u) if noise == "gaussian" else np.where(u < 0, tail, 1 - tail)
    return cdf


def _between(noise: str, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return P(low < u < high), without cancellation in the upper tail."""
    upper = low > 0
    a, b = np.where(upper, -high, low), np.where(upper, -low, high)
    return np.where(a < b, _cdf(noise, b) - _cdf(noise, a), 0.0)


def _density(noise: str, u: FloatArray) -> FloatArray:
    if noise == "gaussian":
        return np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi)
    return np.exp(-np.abs(u)) / 2


def _room(offsets: FloatArray, slopes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the interval of u where each a_k + b_k·u is least; offsets, slopes: (k, ...)."""
    gap = offsets[:, None] - offsets[None]
    tilt = np.broadcast_to(slopes[None] - slopes[:, None], gap.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = gap / tilt
        # a_k − a_l ≤ (b_l − b_k)·u for every l; equal slopes decide by the offset alone
        low = np.where(tilt > 0, turn, np.where((tilt == 0) & (gap > 0), np.inf, -np.inf))
        high = np.where(tilt < 0, turn, np.inf)
    return low.max(axis=1), high.min(axis=1)


def _on_a_line(offsets: FloatArray, slopes: FloatArray, noise: str) -> FloatArray:
    low, high = _room(offsets, slopes)
    return _between(noise, low, high)


def _in_the_plane(offsets: FloatArray, slopes: FloatArray, noise: str) -> FloatArray:
    """Integrate over u₁ the chance that u₂ lies where a function is best.

    Equal slopes in u₂ and corners of the cells make kinks in u₁; between them all is smooth.
    """
    reach = _REACH[noise]
    pieces = np.unique(np.clip(_kinks(offsets, slopes), -reach, reach))
    edges = np.unique(np.concatenate([pieces, np.linspace(-reach, reach, 61), [0.0]]))
    half = np.diff(edges) / 2
    u = (edges[:-1] + half)[:, None] + half[:, None] * _NODES
    weights = (half[:, None] * _WEIGHTS).ravel() * _density(noise, u.ravel())
    low, high = _room(
        offsets[:, None] + slopes[:, :1] * u.ravel(),
        np.broadcast_to(slopes[:, 1:], (len(slopes), u.size)),
    )
    return _between(noise, low, high) @ weights


def _kinks(offsets: FloatArray, slopes: FloatArray) -> FloatArray:
    """Return every u₁ where two boundaries meet, or where one meets u₂ = 0."""
    lines = [
        (slopes[k] - slopes[j], offsets[j] - offsets[k])
        for j, k in itertools.combinations(range(len(offsets)), 2)
    ]
    lines.append((np.array([0.0, 1.0]), np.float64(0.0)))
    found = [0.0]
    for (normal, height), (other, level) in itertools.combinations(lines, 2):
        determinant = normal[0] * other[1] - normal[1] * other[0]
        if abs(determinant) > 1e-300:
            found.append(float((height * other[1] - level * normal[1]) / determinant))
    found += [float(h / n[0]) for n, h in lines if n[1] == 0 and n[0] != 0]
    return np.array(found)


def _few_functions(offsets: FloatArray, slopes: FloatArray) -> FloatArray:
    """Return the law for two or three functions and normal noise on any number of points."""
    law = np.empty(len(offsets))
    for k in range(len(offsets)):
        others = np.arange(len(offsets)) != k
        normals, heights = slopes[k] - slopes[others], offsets[others] - offsets[k]
        size = np.linalg.norm(normals, axis=1)
        if len(heights) == 1:
            law[k] = ndtr(heights[0] / size[0])
            continue
        correlation = float(normals[0] @ normals[1] / (size[0] * size[1]))
        law[k] = multivariate_normal.cdf(
            heights / size, cov=[[1.0, correlation], [correlation, 1.0]], allow_singular=True
        )
    return law
