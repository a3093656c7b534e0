"""What there is to learn: a class, a target in it, data around it, and the error, exactly.

Features lie in [0, 1] (or in the unit square, its second coordinate uniform); a label is that of
the target but for noise. The excess error L(f) − inf L under the private distribution has a
closed form (half-planes: one coordinate by quadrature), so that no test sample blurs a comparison.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvalsh

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.oracles.half_planes import HalfPlanes
from dpviz.topics.public_data.oracles.intervals import Intervals
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from dpviz.topics.public_data.oracles.on_grid import OnGrid
from dpviz.topics.public_data.oracles.oracle import ERMOracle
from dpviz.topics.public_data.oracles.thresholds import Thresholds
from dpviz.topics.public_data.shift import CENTRE, Shift

TASKS = {
    "thresholds": "Thresholds",
    "intervals": "Intervals",
    "halfplanes": "Half-planes",
    "regression": "Linear regression",
}
"""The tasks by name."""

MOST_HALFPLANE_SAMPLES, MOST_HALFPLANE_POINTS = 10_000, 200
"""A call of the exact optimiser over half-planes takes a fifth of a second there."""

FEW_HALFPLANE_SAMPLES, FEW_HALFPLANE_POINTS = 500, 60
"""The same for Algorithm 2, which makes J calls for a single run."""

_INTERVAL = (CENTRE, math.sqrt(3) - 1)
_NORMAL, _OFFSET = (0.8, 0.6), 0.62
_WEIGHTS = (0.1, 0.8)
_NODES = 512  # in the first coordinate of the plane; the second is integrated exactly


def affine_features(x: FloatArray) -> FloatArray:
    """Return φ(x) = (1, 2x − 1)/√2, of norm at most 1 on [0, 1]."""
    return np.stack([np.ones_like(x), 2 * x - 1], axis=1) / math.sqrt(2)


@dataclass(frozen=True, eq=False)
class Task:
    """A class with a target on distributions of a `Shift`.

    name: one of `TASKS`; label_noise: the probability that a label is flipped, or for regression
    the noise ±0.8·label_noise on it.
    """

    name: str
    shift: Shift
    label_noise: float

    def __post_init__(self) -> None:
        if self.name not in TASKS:
            raise ParameterError("task", f"one of {', '.join(TASKS)}", self.name)
        validate("label_noise", self.label_noise)

    @property
    def classifies(self) -> bool:
        """Whether functions and labels are ±1."""
        return self.name != "regression"

    @property
    def plane(self) -> bool:
        """Whether features are points in the plane."""
        return self.name == "halfplanes"

    @property
    def dimension(self) -> int:
        """The VC dimension of the class, or for regression the number of weights."""
        return {"thresholds": 1, "intervals": 2, "halfplanes": 3, "regression": 2}[self.name]

    @property
    def label_spread(self) -> float:
        """How far a label of regression is from the target's value."""
        return 0.8 * self.label_noise

    @property
    def target(self) -> FloatArray:
        """The parameters of the best function."""
        return np.array(
            {
                "thresholds": [CENTRE],
                "intervals": _INTERVAL,
                "halfplanes": [*_NORMAL, _OFFSET],
                "regression": _WEIGHTS,
            }[self.name]
        )

    def oracle(self) -> ERMOracle:
        """Return an optimiser over the class, its calls at 0."""
        make: dict[str, Callable[[], ERMOracle]] = {
            "thresholds": lambda: Thresholds(0.0, 1.0),
            "intervals": lambda: Intervals(0.0, 1.0),
            "halfplanes": HalfPlanes,
            "regression": lambda: LinearFunctions(affine_features),
        }
        return make[self.name]()

    def grid_oracle(self, cells: int) -> OnGrid:
        """Return an optimiser over the class cut down to a grid, which RSPM needs.

        Raises `ParameterError` for a class without a small universal identification set.
        """
        if self.name == "thresholds":
            return OnGrid(Thresholds, cells)
        if self.name == "intervals":
            return OnGrid(Intervals, cells)
        raise ParameterError(
            "task", "thresholds or intervals, as RSPM needs a universal identification set",
            self.name,
        )  # fmt: skip

    def private_data(self, samples: int, rng: np.random.Generator) -> Labelled:
        """Draw n private examples."""
        x = self._features(self.shift.private, samples, rng)
        truth = self.oracle().predict(self.target[None], x)[0]
        if self.classifies:
            return Labelled(x, np.where(rng.random(samples) < self.label_noise, -truth, truth))
        return Labelled(x, truth + self.label_spread * rng.choice([-1.0, 1.0], samples))

    def public_data(self, points: int, rng: np.random.Generator) -> FloatArray:
        """Draw m public points, without labels."""
        return self._features(self.shift.public, points, rng)

    def _features(self, density: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
        first = self.shift.draw(density, size, rng)
        return np.stack([first, rng.random(size)], axis=1) if self.plane else first

    def excess(self, functions: FloatArray) -> FloatArray:
        """Return L(f) − L(target) under the private distribution, for each row of parameters."""
        kept = 1 - 2 * self.label_noise
        if self.name == "thresholds":
            mass = self.shift.mass
            return kept * np.abs(mass(functions[:, 0]) - mass(self.target[0]))
        if self.name == "intervals":
            a, b = self.shift.mass(functions.T)
            c, d = self.shift.mass(self.target)
            return kept * _apart(a, b, c, d)
        if self.name == "halfplanes":
            return kept * self._between_lines(functions)
        apart = functions - self.target
        moments = self._moments(self.shift.private)
        squares: FloatArray = np.einsum("ij,jk,ik->i", apart, moments, apart) / 4
        return squares

    def _between_lines(self, functions: FloatArray) -> FloatArray:
        """Integrate over x₁, at private quantiles, the length in x₂ where half-planes differ."""
        x = self.shift.quantiles((np.arange(_NODES) + 0.5) / _NODES)
        ends = _above_line(functions, x)
        goal = _above_line(self.target[None], x)
        lengths = _apart(*ends, *goal)
        mean: FloatArray = lengths.mean(axis=1)
        return mean

    @property
    def leverages(self) -> tuple[float, float]:
        """The largest φᵀ(E φφᵀ)⁻¹φ of regression: of private features, and of public ones."""
        shift = self.shift
        private, public = (
            _leverage(self._moments(density), shift.edges, density)
            for density in (shift.private, shift.public)
        )
        return private, public

    @property
    def widest(self) -> float:
        """The largest ‖g‖²_ν/‖g‖²_μ of linear functions g, at most 1/σ."""
        public = self._moments(self.shift.public)
        return float(eigvalsh(self._moments(self.shift.private), public)[-1])

    def _moments(self, density: FloatArray) -> FloatArray:
        """Return E[φφᵀ] under a distribution of the shift."""
        edges, masses = self.shift.edges, density * np.diff(self.shift.edges)
        a, b = 2 * edges[:-1] - 1, 2 * edges[1:] - 1
        first = float(masses @ (a + b) / 2)
        second = float(masses @ (a**2 + a * b + b**2) / 3)
        moments: FloatArray = np.array([[1.0, first], [first, second]]) / 2
        return moments


def _leverage(moments: FloatArray, edges: FloatArray, density: FloatArray) -> float:
    """Return the largest φᵀM⁻¹φ where the density is positive: convex in x, so at an end."""
    seen = density > 0
    ends = affine_features(np.append(edges[:-1][seen], edges[1:][seen]))
    return float(np.max(np.einsum("ij,jk,ik->i", ends, np.linalg.inv(moments), ends)))


def _apart(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> FloatArray:
    """Return the length of the symmetric difference of [a, b] and [c, d]."""
    both = np.maximum(np.minimum(b, d) - np.maximum(a, c), 0.0)
    length: FloatArray = (b - a) + (d - c) - 2 * both
    return length


def _above_line(functions: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of {x₂ in [0, 1]: u₁x₁ + u₂x₂ ≥ b}, a row for each function."""
    u, v, b = functions[:, :1], functions[:, 1:2], functions[:, 2:]
    rest = b - u * x
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.where(v == 0, np.where(rest <= 0, -np.inf, np.inf), rest / v)
    turn = np.clip(turn, 0.0, 1.0)
    upward = v >= 0
    return np.where(upward, turn, 0.0), np.where(upward, 1.0, turn)
