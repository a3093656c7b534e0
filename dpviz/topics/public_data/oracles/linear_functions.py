"""Linear functions on a ball: a convex class."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import elementwise

from dpviz.results.evidence import FloatArray
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Objective


@dataclass
class LinearFunctions(ERMOracle):
    """f(x) = ⟨w, φ(x)⟩ with |w| ≤ radius: a convex class.

    The minimum of a convex quadratic on a ball: eigenvectors, then the multiplier by root-finding
    (SciPy). Convexity bounds the distance to the minimum by ⟨∇, w⟩ + radius·|∇|, which is checked
    against `tolerance`, relative to the size of the objective, for every answer.
    """

    features: Callable[[FloatArray], FloatArray]
    radius: float = 1.0
    tolerance: float = 1e-10
    calls: int = field(default=0, compare=False)
    gap: float = field(default=0.0, init=False, compare=False)

    def minimize_each(
        self, objective: Objective, points: FloatArray, linear: FloatArray
    ) -> FloatArray:
        """Return w for each row of costs. Raises `ArithmeticError` if the gap is too large."""
        self.calls += len(linear)
        phi = self.features(objective.points)
        matrix = (phi.T * objective.square) @ phi
        costs = objective.linear @ phi + linear @ self.features(points)
        curvature, directions = eigh(matrix)
        curvature = np.maximum(curvature, 0.0)
        w: FloatArray = self._on_ball(curvature, costs @ directions) @ directions.T
        slope = 2 * w @ matrix + costs
        gaps = np.sum(slope * w, axis=1) + self.radius * np.linalg.norm(slope, axis=1)
        size = np.linalg.norm(costs, axis=1) * self.radius + curvature[-1] * self.radius**2
        if np.any(gaps > self.tolerance * size):
            raise ArithmeticError(f"the optimiser missed the minimum by {gaps.max():.3g}")
        self.gap = max(self.gap, float(gaps.max(initial=0.0)))
        return w

    def _on_ball(self, curvature: FloatArray, costs: FloatArray) -> FloatArray:
        """Minimise Σ curvature·v² + costs·v for |v| ≤ radius, each row of costs by itself."""
        size = np.linalg.norm(costs, axis=1)

        def excess(multiplier: FloatArray, *row: FloatArray) -> FloatArray:
            parts = [c / (2 * (k + multiplier)) for c, k in zip(row, curvature, strict=True)]
            norm = np.linalg.norm(parts, axis=0)
            over: FloatArray = 1 / self.radius - 1 / norm
            return over

        # Flat directions without a cost stay at 0; with one, the minimum lies on the sphere.
        flat = curvature <= 1e-14 * max(float(curvature[-1]), 1e-300)
        costs = np.where(flat & (np.abs(costs) <= 1e-14 * size[:, None]), 0.0, costs)
        with np.errstate(divide="ignore", invalid="ignore"):
            free = np.where(flat & (costs == 0), 0.0, -costs / (2 * curvature))
        outside = ~(np.linalg.norm(free, axis=1) <= self.radius)
        v = np.where(outside[:, None], 0.0, free)
        if outside.any():
            most = size[outside] / (2 * self.radius) * (1 + 1e-9)
            found = elementwise.find_root(
                excess, (most * 1e-18, most), args=tuple(costs[outside].T)
            )
            v[outside] = -costs[outside] / (2 * (curvature + found.x[:, None]))
        norm = np.linalg.norm(v, axis=1, keepdims=True)
        shrunk: FloatArray = v * np.minimum(1.0, self.radius / np.maximum(norm, 1e-300))
        return shrunk

    def predict(self, functions: FloatArray, points: FloatArray) -> FloatArray:
        """Return f(x)."""
        values: FloatArray = functions @ self.features(points).T
        return values
