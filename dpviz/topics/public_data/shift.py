"""Public and private distributions whose smoothness σ is exact.

ν is σ-smooth with respect to μ if dν/dμ ≤ 1/σ (Block et al. 2024, Definition 3). Here both have
piecewise constant densities on [0, 1], so that the supremum is a maximum over the pieces.
"""

import math
from dataclasses import dataclass

import numpy as np

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
