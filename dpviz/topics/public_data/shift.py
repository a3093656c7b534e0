"""Public and private distributions whose smoothness σ is exact.

ν is σ-smooth with respect to μ if dν/dμ ≤ 1/σ (Block et al. 2024, Definition 3). Here both have
piecewise constant densities on [0, 1], so that the supremum is a maximum over the pieces.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import elementwise
from scipy.special import rel_entr

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

FAMILIES = {
    "window": "Private data in a window",
    "rare": "Public data rarely there",
    "mixture": "A window on top",
}
"""Families of pairs (μ, ν), by name."""

CENTRE = math.sqrt(2) - 1
"""Windows shrink towards this place, where the functions to be learned change; off every grid."""
_RARE = 0.25


@dataclass(frozen=True, eq=False)
class Shift:
    """A public and a private distribution on [0, 1].

    edges: K + 1 ends of pieces; public, private: the K densities.
    """

    edges: FloatArray
    public: FloatArray
    private: FloatArray

    @property
    def smoothness(self) -> float:
        """The largest σ for which the private distribution is σ-smooth; 0 if for none."""
        seen = self.private > 0
        with np.errstate(divide="ignore"):
            return float(np.min(self.public[seen] / self.private[seen]))

    @property
    def reverse_smoothness(self) -> float:
        """The largest τ with dμ/dν ≤ 1/τ; 0 where public data lie that private ones never reach."""
        seen = self.public > 0
        return float(np.min(self.private[seen] / self.public[seen]))

    @property
    def relative_entropy(self) -> float:
        """KL(ν ‖ μ) in nats; infinite where σ is 0."""
        seen = self.private > 0
        masses = (self.private * np.diff(self.edges))[seen]
        with np.errstate(divide="ignore"):
            return float(masses @ np.log(self.private[seen] / self.public[seen]))

    @property
    def chi_square(self) -> float:
        """χ²(ν ‖ μ), the variance of dν/dμ under μ; infinite where σ is 0."""
        seen = self.private > 0
        masses = (self.private * np.diff(self.edges))[seen]
        with np.errstate(divide="ignore"):
            return max(float(masses @ (self.private[seen] / self.public[seen])) - 1, 0.0)

    def most_private_mass(self, public_mass: FloatArray) -> FloatArray:
        """Return the largest private mass of a set with this public mass, exactly.

        Such a set takes the places where dν/dμ is largest first (Neyman and Pearson).
        """
        widths = np.diff(self.edges)
        with np.errstate(divide="ignore", invalid="ignore"):
            order = np.argsort(-np.where(self.private > 0, self.private / self.public, 0.0))
        public = np.append(0.0, np.cumsum((self.public * widths)[order]))
        private = np.append(0.0, np.cumsum((self.private * widths)[order]))
        most: FloatArray = np.interp(public_mass, public, private)
        return most

    def draw(self, density: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
        """Return independent draws from a density on the pieces."""
        masses = density * np.diff(self.edges)
        ends = np.append(0.0, np.cumsum(masses))
        drawn: FloatArray = np.interp(rng.random(size) * ends[-1], ends, self.edges)
        return drawn

    def mass(self, x: FloatArray) -> FloatArray:
        """Return the private mass below x."""
        ends = np.append(0.0, np.cumsum(self.private * np.diff(self.edges)))
        below: FloatArray = np.interp(x, self.edges, ends)
        return below

    def quantiles(self, levels: FloatArray) -> FloatArray:
        """Return x with the given private mass below."""
        seen = self.private > 0
        ends = np.append(0.0, np.cumsum(self.private * np.diff(self.edges)))
        pieces = np.stack([ends[:-1], ends[1:]], axis=1)[seen].ravel()
        edges = np.stack([self.edges[:-1], self.edges[1:]], axis=1)[seen].ravel()
        places: FloatArray = np.interp(levels, pieces, edges)
        return places


def entropy_limit(public_mass: FloatArray, relative_entropy: float) -> FloatArray:
    """Return the most that KL(ν ‖ μ) lets the private mass of a set be, given its public mass p.

    The largest q with q·log(q/p) + (1 − q)·log((1 − q)/(1 − p)) ≤ KL (data processing), from
    above. relative_entropy: KL in nats, at least 0.
    """
    p = np.asarray(public_mass, dtype=float)

    def excess(q: FloatArray, p: FloatArray) -> FloatArray:
        return np.asarray(rel_entr(q, p) + rel_entr(1 - q, 1 - p) - relative_entropy)

    none = -np.log(np.maximum(p, 1e-300)) <= relative_entropy  # q = 1 is allowed
    low = np.where(none, 1.0, p)
    root = elementwise.find_root(excess, (np.minimum(low, 1 - 1e-16), np.ones_like(p)), args=(p,))
    limit: FloatArray = np.where(none, 1.0, np.minimum(root.x + 1e-9 * root.x, 1.0))
    return limit


def chi_square_limit(public_mass: FloatArray, chi_square: float) -> FloatArray:
    """Return the most that χ²(ν ‖ μ) lets the private mass of a set be, given its public mass p.

    (q − p)² ≤ χ²·p·(1 − p), by the Cauchy-Schwarz inequality.
    """
    p = np.asarray(public_mass, dtype=float)
    limit: FloatArray = np.minimum(p + np.sqrt(chi_square * p * (1 - p)), 1.0)
    return limit


def shifted(family: str, smoothness: float) -> Shift:
    """Return the pair of a family with exactly this σ, from 0.01 to 1 (1: no shift).

    "window": μ uniform, ν uniform on a window of length σ. "rare": ν uniform on a window of
    length 1/4, where μ has mass σ. "mixture": μ uniform, ν uniform but for a share (1 − σ)/(2 − σ)
    in a window of length σ/2. Raises `ParameterError`.
    """
    sigma = validate("smoothness", smoothness)
    if family == "window":
        edges, inside = _window(sigma)
        return _tidy(edges, np.ones(3), inside / sigma)
    if family == "rare":
        edges, inside = _window(_RARE)
        public = inside * sigma / _RARE + (1 - inside) * (1 - sigma) / (1 - _RARE)
        return _tidy(edges, public, inside / _RARE)
    if family == "mixture":
        edges, inside = _window(sigma / 2)
        share = (1 - sigma) / (2 - sigma)
        return _tidy(edges, np.ones(3), 1 - share + inside * share / (sigma / 2))
    raise ParameterError("family", f"one of {', '.join(FAMILIES)}", family)


def _window(length: float) -> tuple[FloatArray, FloatArray]:
    """Return the pieces that a window around the centre makes, and where it is."""
    start = CENTRE * (1 - length)
    return np.array([0.0, start, start + length, 1.0]), np.array([0.0, 1.0, 0.0])


def _tidy(edges: FloatArray, public: FloatArray, private: FloatArray) -> Shift:
    """Leave out pieces of no length."""
    kept = np.diff(edges) > 1e-15
    return Shift(np.append(edges[:-1][kept], edges[-1]), public[kept], private[kept])
