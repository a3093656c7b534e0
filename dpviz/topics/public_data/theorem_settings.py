r"""How Theorems 6, 7 and 10 set their algorithms, (127) to (132), and how many examples that takes.

All constants that the paper hides count as 1, its polylogarithms too; λ = 1. Then three numbers of
private examples belong to the same settings: the one that the theorem prints, the one for which the
paper's own condition on the noise holds, and one from which that noise is proved to be private, by
`noise_levels`: with all constants, at settings whose own hidden constants are 1.

They should agree, and do not. Theorem 7's (131) and (133) are what a stability ρ ~ 1/(ηn) would
give; Lemma 2 has 1/√(ηn), and so its condition (104) asks for α⁻⁹ where (131) prints α⁻⁵, and (105)
for α⁻¹¹ where (133) prints α⁻⁶. No better ρ is true: let f_w be w at one place and c·w, with
c = 1/(2√(ηn)), on the public points, |w| ≤ 1. If of n examples only one lies at that place, and all
others where every f_w is 0, then w̄ = y/(1 + 4ηc²n) = y/2, so its label moves f̄ by c. The rate
α⁻⁵ is right all the same, but with ε² for ε: normal noise calibrated exactly needs no more.
Theorem 6's (129) prints α⁻¹⁴, where (102) asks for α⁻¹³; the stability proved in
`noise_levels.averaged_stability` takes α⁻³.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpviz.maths import gaussian
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

THEOREMS = {
    "theorem_6": "Any class, Algorithm 2 (Theorem 6)",
    "theorem_7": "Convex class, Algorithm 3 (Theorem 7)",
    "theorem_7_pure": "Convex class, pure ε (Theorem 7)",
    "theorem_10": "Classification, RRSPM (Theorem 10)",
}
"""The theorems whose settings are known, by name."""


@dataclass(frozen=True)
class Demand:
    """d (VC dimension, or the square of the Gaussian complexity), ε, σ, log(1/δ), log(1/β)."""

    dimension: float
    epsilon: float
    sigma: float
    log_delta: float
    log_beta: float

    @classmethod
    def given(
        cls, *, vc_dimension: float, epsilon: float, delta: float, beta: float, smoothness: float
    ) -> "Demand":
        """Return what a reader asks for. Raises `ParameterError`."""
        return cls(
            dimension=validate("vc_dimension", vc_dimension),
            epsilon=validate("epsilon", epsilon),
            sigma=validate("smoothness", smoothness),
            log_delta=-math.log(validate("delta", delta)),
            log_beta=-math.log(validate("beta", beta)),
        )


@dataclass(frozen=True, eq=False)
class Settings:
    """Settings along the errors α.

    points: m; eta, gamma, averages: η, γ and J, None where the algorithm has none. asked: n for
    which the paper's condition on the noise holds. proved: n from which that noise is proved to be
    private, whatever the error; None where the privacy depends on no n, infinite where J is too
    small for any n.
    """

    points: FloatArray
    eta: FloatArray | None
    gamma: FloatArray | None
    averages: FloatArray | None
    asked: FloatArray
    proved: FloatArray | None


def theorem_settings(theorem: str, alpha: FloatArray, aim: Demand) -> Settings:
    """Return the settings of a theorem of `THEOREMS` for each α. Raises `ParameterError`."""
    settings = {
        "theorem_6": _theorem_6,
        "theorem_7": _theorem_7,
        "theorem_7_pure": _theorem_7_pure,
        "theorem_10": _theorem_10,
    }
    if theorem not in settings:
        raise ParameterError("theorem", f"one of {', '.join(THEOREMS)}", theorem)
    return settings[theorem](np.asarray(alpha, dtype=float), aim)


def _points(alpha: FloatArray, aim: Demand) -> FloatArray:
    """Return m of (127), (130) and (132)."""
    m: FloatArray = np.ceil(max(aim.dimension, aim.log_beta) / (aim.sigma * alpha) ** 2)
    return m


def _normal_rho(points: FloatArray, gamma: FloatArray, aim: Demand, share: float) -> FloatArray:
    """Return the largest ρ that noise γ is proved to cover with a share of δ."""
    one = float(
        gaussian.minimal_sigma(
            epsilon=aim.epsilon, delta=share * math.exp(-aim.log_delta), queries=1
        )
    )
    rho: FloatArray = gamma / (one * np.sqrt(points))
    return rho


def _condition_rho(points: FloatArray, gamma: FloatArray, aim: Demand) -> FloatArray:
    """Return ρ at which m/(2γ²)·(1 + γ·√log(2/δ))·ρ = ε, as in (102) and (104)."""
    root = math.sqrt(math.log(2) + aim.log_delta)
    rho: FloatArray = 2 * gamma**2 * aim.epsilon / (points * (1 + gamma * root))
    return rho


def _theorem_6(alpha: FloatArray, aim: Demand) -> Settings:
    d, sigma, epsilon = aim.dimension, aim.sigma, aim.epsilon
    m = _points(alpha, aim)
    gamma, eta = sigma * alpha / math.sqrt(aim.log_beta), alpha / math.sqrt(d)
    close = sigma * alpha
    averages = np.maximum.reduce(
        [
            d * aim.log_beta / alpha**2,
            d**2 * aim.log_beta**4 * aim.log_delta / (close**8 * epsilon**2),
            d**2 * aim.log_beta**3 * aim.log_delta**2 / (close**6 * epsilon**2),
        ]
    )
    # (102), of which J's part may take half
    rho = _condition_rho(m, gamma, aim) / 2
    asked = (4 * math.sqrt(d) / rho) ** 3 / eta
    chance = (2 + math.sqrt(8 * (math.log(2) + aim.log_delta))) / np.sqrt(averages)
    left = _normal_rho(m, gamma, aim, 0.5) - chance
    with np.errstate(divide="ignore"):
        proved = math.sqrt(2 / math.pi) / (eta * np.maximum(left, 0.0))
    return Settings(m, eta, gamma, averages, asked, proved)


def _theorem_7(alpha: FloatArray, aim: Demand) -> Settings:
    m, eta = _points(alpha, aim), alpha
    gamma = aim.sigma * alpha / math.sqrt(aim.log_beta)
    asked = (2 / _condition_rho(m, gamma, aim)) ** 2 / eta
    proved = 1 / (eta * _normal_rho(m, gamma, aim, 1.0) ** 2)
    return Settings(m, eta, gamma, None, asked, proved)


def _theorem_7_pure(alpha: FloatArray, aim: Demand) -> Settings:
    d, sigma, epsilon = aim.dimension, aim.sigma, aim.epsilon
    m, eta = _points(alpha, aim), alpha
    gamma = alpha**2 * sigma / min(d * math.sqrt(aim.log_beta), aim.log_beta)
    asked = (2 * m**1.5 / (gamma * epsilon)) ** 2 / eta
    proved = (m / (gamma * epsilon)) ** 2 / eta
    return Settings(m, eta, gamma, None, asked, proved)


def _theorem_10(alpha: FloatArray, aim: Demand) -> Settings:
    d, sigma, epsilon = aim.dimension, aim.sigma, aim.epsilon
    m = np.ceil((d + aim.log_beta) / (sigma * alpha) ** 2)
    # Lemma 23: the weights cost 4m²·log(m/β)/(εn)
    asked = 4 * m**2 * (np.log(m) + aim.log_beta) / (epsilon * alpha)
    return Settings(m, None, None, None, asked, None)
