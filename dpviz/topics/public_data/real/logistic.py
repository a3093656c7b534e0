r"""Private logistic regression that needs no public points: output and objective perturbation.

All minimise the average of log(1 + e^(−y⟨w, φ⟩)) over n examples, plus Λ/2·|w|², with |φ| ≤ 1;
an example may be the mean over several rows. Neighbouring data sets substitute one example.

The optimiser is Newton's method, until the gradient is shorter than `GRADIENT`. By strong
convexity w then lies within `GRADIENT`/Λ of the minimum w*, and the objective within
`GRADIENT`²/(2Λ) of the least. Both learners account for that distance.

Output perturbation (Chaudhuri, Monteleoni and Sarwate 2011, Algorithm 1): w* moves by at most
2/(nΛ), w by 2·`GRADIENT`/Λ more. The cheaper of two noises is added: of density ∝ e^(−ε|b|/Δ), for
pure ε; or normal, calibrated exactly (Balle and Wang 2018).

Objective perturbation (their Algorithm 2): ⟨b, w⟩/n is added to the objective, b with density
∝ e^(−ε′|b|/2), and the minimum is released. Each b is released as one w*, with a Jacobian that is
n times the matrix of second derivatives. One example changes b by a length of at most 2, and adds
to that matrix at most a matrix of trace s = 1/(4n(Λ + Λ′)), relative to what is there: a
determinant's logarithm moves by at most s. So ε′ = ε − s suffices; where that is less than ε/2,
Λ′ is raised until it is ε/2. (The paper has 2·ln(1 + s), which is more while s < 2.5, and speaks of
single rows.) The optimiser's distance is covered as in approximate minima perturbation (Iyengar
et al. 2019): a thousandth of ε pays for noise that hides it.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpviz.maths import gaussian
from dpviz.results.evidence import FloatArray
from dpviz.results.refining import pause
from dpviz.topics.public_data.algorithms import Labelled

GRADIENT = 1e-9
"""No answer of the optimiser has a longer gradient."""

_STEPS = 100
_CURVATURE = 0.25  # the most that the loss bends
_FOR_THE_OPTIMISER = 1e-3  # of ε
_MOST_NUMBERS = 1 << 20


@dataclass(frozen=True)
class Perturbed:
    """What objective perturbation needs.

    epsilon: ε′, which is left for the noise; more: Λ′, by which Λ is raised.
    """

    epsilon: float
    more: float


def minimise_each(private: Labelled, strengths: FloatArray, tilts: FloatArray) -> FloatArray:
    """Return the minimum w for each strength Λ, with ⟨tilt, w⟩ added to the objective.

    strengths: positive; tilts: a row for each of them. Raises `ArithmeticError` if a gradient
    stays longer than `GRADIENT`.
    """
    together = max(1, _MOST_NUMBERS // len(private.y))
    parts = []
    for start in range(0, len(strengths), together):
        rows = slice(start, start + together)
        parts.append(_newton(private, strengths[rows], tilts[rows]))
    return np.concatenate(parts)


def _newton(private: Labelled, strengths: FloatArray, tilts: FloatArray) -> FloatArray:
    signed = private.x * private.y[:, None]
    shares = private.parts / private.size
    d = signed.shape[1]
    squares = (signed[:, :, None] * signed[:, None, :]).reshape(-1, d * d)
    eye, w = np.eye(d), np.zeros(tilts.shape)

    def objective(at: FloatArray, rows: np.ndarray) -> FloatArray:
        losses = np.logaddexp(0.0, -at @ signed.T) @ shares
        bowl = strengths[rows] / 2 * np.sum(at**2, axis=1)
        total: FloatArray = losses + bowl + np.sum(tilts[rows] * at, axis=1)
        return total

    rows = np.arange(len(w))
    for _ in range(_STEPS):
        pause()
        miss = expit(-w[rows] @ signed.T)
        slope = strengths[rows, None] * w[rows] + tilts[rows] - (miss * shares) @ signed
        far = np.linalg.norm(slope, axis=1) > GRADIENT
        rows, slope, miss = rows[far], slope[far], miss[far]
        if not rows.size:
            return w
        bends = ((miss * (1 - miss) * shares) @ squares).reshape(-1, d, d)
        bends += strengths[rows, None, None] * eye
        step = np.linalg.solve(bends, slope[:, :, None])[:, :, 0]
        before, length = objective(w[rows], rows), np.ones(rows.size)
        descent = np.sum(step * slope, axis=1)
        for _ in range(40):
            after = objective(w[rows] - length[:, None] * step, rows)
            # Next to the minimum rounding decides, and the whole step is right.
            short = (after > before - length * descent / 4) & (descent > 1e-12)
            if not short.any():
                break
            length = np.where(short, length / 2, length)
        w[rows] -= length[:, None] * step
    raise ArithmeticError(f"Newton's method left a gradient of {np.linalg.norm(slope, axis=1)}")


def output_perturbation(
    private: Labelled,
    *,
    strength: float,
    epsilons: FloatArray,
    delta: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Return a private w for each ε, with the cheaper of pure and normal noise."""
    d = private.x.shape[1]
    minimiser = minimise_each(private, np.array([strength]), np.zeros((1, d)))
    moved = output_sensitivity(private.size, strength)
    normal = gaussian.minimal_sigma(epsilon=epsilons, delta=delta, queries=1, sensitivity=moved)
    pure = moved / epsilons
    # mean squares of the two noises: d(d + 1)·pure² and d·normal²
    takes_pure = (d + 1) * pure**2 <= normal**2
    directions = rng.standard_normal((epsilons.size, d))
    lengths = rng.gamma(d, size=epsilons.size) * pure / np.linalg.norm(directions, axis=1)
    return minimiser + directions * np.where(takes_pure, lengths, normal)[:, None]


def output_sensitivity(samples: int, strength: float) -> float:
    """Return how far one example moves the optimiser's answer, n = samples."""
    return 2 / (samples * strength) + 2 * GRADIENT / strength


def objective_perturbation(
    private: Labelled, *, strength: float, epsilons: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return a w for each ε that is ε-differentially private."""
    n, d = private.size, private.x.shape[1]
    objectives = [perturbed_objective(n, strength, float(e)) for e in epsilons]
    strengths = np.array([strength + one.more for one in objectives])
    tilts = _spherical(d, np.array([2 / one.epsilon for one in objectives]), rng) / n
    hiding = 2 * GRADIENT / strengths / (_FOR_THE_OPTIMISER * epsilons)
    released: FloatArray = minimise_each(private, strengths, tilts) + _spherical(d, hiding, rng)
    return released


def perturbed_objective(samples: int, strength: float, epsilon: float) -> Perturbed:
    """Return what is left of ε for the noise, and by how much Λ has to be raised."""
    epsilon *= 1 - _FOR_THE_OPTIMISER
    needed = 2 * _CURVATURE / (samples * epsilon)  # the Λ at which half of ε is left
    more = max(0.0, needed - strength)
    return Perturbed(epsilon - _CURVATURE / (samples * (strength + more)), more)


def _spherical(d: int, scales: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return vectors of density ∝ e^(−|b|/scale), a row for each scale."""
    directions = rng.standard_normal((scales.size, d))
    lengths = rng.gamma(d, size=scales.size) * scales
    vectors: FloatArray = directions * (lengths / np.linalg.norm(directions, axis=1))[:, None]
    return vectors
