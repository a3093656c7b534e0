r"""What theorems promise about k answers together, each of known privacy.

All are upper bounds on the least ε, at a δ of choice, for adaptive answers. Neighbouring data sets
are those of the single answer.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from dpviz.results.evidence import FloatArray


def basic_epsilon(epsilon: ArrayLike, *, queries: ArrayLike) -> FloatArray:
    """Return k·ε for k answers of ε-DP each; an (ε, δ₀) each adds its kδ₀.

    Source: Dwork & Roth 2014, Theorem 3.16.
    """
    total: FloatArray = np.asarray(queries, dtype=float) * np.asarray(epsilon, dtype=float)
    return total


def advanced_epsilon(epsilon: ArrayLike, *, queries: ArrayLike, slack: float) -> FloatArray:
    """Return √(2k ln 1/δ′)·ε + k·ε·(e^ε − 1), where k answers of (ε, δ₀) have δ = kδ₀ + δ′.

    slack: δ′. Source: Dwork, Rothblum & Vadhan 2010 (Dwork & Roth 2014, Theorem 3.20).
    """
    k, eps = np.asarray(queries, dtype=float), np.asarray(epsilon, dtype=float)
    total: FloatArray = np.sqrt(2 * k * math.log(1 / slack)) * eps + k * eps * np.expm1(eps)
    return total


def zcdp_of_pure(epsilon: float) -> float:
    """Return the ρ of concentrated privacy that ε-DP promises: ε²/2.

    Source: Bun & Steinke 2016.
    """
    return epsilon**2 / 2


def zcdp_epsilon(rho: float, *, delta: float) -> float:
    """Return the ε at δ of a ρ-zCDP mechanism; ρ adds up over answers, Gaussian noise has μ²/2.

    The least over α > 1 of αρ + (ln(1/δ) + (α − 1)·ln(1 − 1/α) − ln α)/(α − 1), which is below
    the ρ + 2√(ρ ln 1/δ) of Bun & Steinke 2016. Source: Canonne, Kamath & Steinke 2020, whose
    conversion is the best for Rényi divergences.
    """

    def at(log_gap: float) -> float:
        gap = math.exp(log_gap)  # α − 1
        a = 1 + gap
        return a * rho + (math.log(1 / delta) - math.log(a)) / gap + math.log(gap / a)

    centre = 0.5 * math.log(math.log(1 / delta) / rho)
    found = minimize_scalar(at, bounds=(centre - 6, centre + 6), options={"xatol": 1e-9})
    return max(float(found.fun), 0.0)
