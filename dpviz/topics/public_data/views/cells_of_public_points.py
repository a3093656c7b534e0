"""View: public points leave gaps, cells of the line, and a private learner cuts in one of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import PD
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.public_data import noise_levels
from dpviz.topics.public_data.algorithms import Labelled, separating_costs
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import Task

MOST_POINTS = 1000
"""Public points, at most."""

FEW, SOME = 3, 20
"""Public points beside those of the reader."""

REDRAWS = 1000
"""How often the noise is drawn."""

DRAWN = 12
"""The first redraws, which the figure shows one by one."""

_LABEL_NOISE = 0.1


@dataclass(frozen=True, eq=False, kw_only=True)
class Cut:
    """The line cut by so many public points, and the choice among its cells.

    edges: 0, the public points in order, 1. errors: how many of all new examples the threshold in
    the middle of each cell gets wrong, as a share; chosen: in how many of `REDRAWS` draws of the
    noise it is chosen, as a share; first: the thresholds released in the first `DRAWN`. scale: of
    the noise on each point, in examples. quiet: the error of the cell chosen without noise.
    """

    edges: FloatArray
    errors: FloatArray
    chosen: FloatArray
    first: FloatArray
    scale: float
    quiet: float

    @property
    def points(self) -> int:
        """How many public points there are."""
        return self.edges.size - 2

    @property
    def middles(self) -> FloatArray:
        """The threshold that each cell stands for."""
        return np.asarray(self.edges[:-1] + self.edges[1:]) / 2

    @property
    def mean(self) -> float:
        """The mean error of what is released, over the redraws."""
        return float(self.chosen @ self.errors)

    @property
    def sure_to(self) -> float:
        """How far that mean is from the true one, at most, with probability 0.95."""
        spread = float(self.chosen @ (self.errors - self.mean) ** 2)
        return float(1.96 * np.sqrt(spread / REDRAWS))


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells(Result):
    """Thresholds between the same two public points count as one, and one of these is chosen.

    cuts: the reader's `points`, among fewer and more. best: the error of the best threshold,
    `target`. samples: n private examples. epsilon: ε.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "points": "public points",
            "left": "where the gap begins",
            "right": "where it ends",
            "error": "share of new examples that the threshold in its middle gets wrong",
            "chosen": "share of redraws of the noise in which it is chosen",
        }
    )

    other_origins = (Origin(Evidence.SIMULATED, Source(PD, "Algorithm 4")),)

    samples: int
    points: int
    cuts: tuple[Cut, ...]
    target: float
    best: float
    epsilon: float

    @property
    def own(self) -> Cut:
        """The line cut by the reader's public points."""
        return next(cut for cut in self.cuts if cut.points == self.points)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a row for each cell."""
        of = {
            "points": [np.full(cut.errors.shape, float(cut.points)) for cut in self.cuts],
            "left": [cut.edges[:-1] for cut in self.cuts],
            "right": [cut.edges[1:] for cut in self.cuts],
            "error": [cut.errors for cut in self.cuts],
            "chosen": [cut.chosen for cut in self.cuts],
        }
        return {name: np.concatenate(parts) for name, parts in of.items()}


def cells_of_public_points(
    *, public_points: float, samples: float, epsilon: float, rng: np.random.Generator
) -> Cells:
    """Return which cells between public points RRSPM chooses as its noise is redrawn.

    public_points: m, at most `MOST_POINTS`; samples: n private examples of a threshold on [0, 1],
    every tenth label of which is wrong; epsilon: ε, which protects one example (substituted). The
    same is done with fewer points and with more: two of `FEW`, `SOME` and `MOST_POINTS`. With the
    same rng, more points are added to those there are. Raises `ParameterError`.
    """
    m, n = int(validate("public_points", public_points)), int(validate("samples", samples))
    eps = validate("epsilon", epsilon)
    if m > MOST_POINTS:
        raise ParameterError("public_points", f"at most {MOST_POINTS:,}", public_points)
    task = Task("thresholds", shifted("window", 1.0), _LABEL_NOISE)
    places, examples, weights = rng.spawn(3)
    private = task.private_data(n, examples)
    public = task.public_data(MOST_POINTS, places)
    others = (SOME, MOST_POINTS) if m <= FEW else (FEW, SOME if m == MOST_POINTS else MOST_POINTS)
    streams = dict(zip((FEW, SOME, MOST_POINTS), weights.spawn(3), strict=True))
    cuts = [
        _cut(task, private, np.sort(public[:count]), eps, streams.get(count, weights))
        for count in sorted((m, *others))
    ]
    return Cells(
        samples=n,
        points=m,
        cuts=tuple(cuts),
        target=float(task.target[0]),
        best=_LABEL_NOISE,
        epsilon=eps,
    )


def _cut(
    task: Task, private: Labelled, public: FloatArray, eps: float, rng: np.random.Generator
) -> Cut:
    """Return the line cut at sorted public points, and how often each cell is chosen."""
    edges = np.concatenate([[0.0], public, [1.0]])
    scale = float(noise_levels.laplace_weights(public.size, epsilon=eps))
    costs = separating_costs(public, scale, "laplace", REDRAWS, rng)
    wrong = fewest_wrong(private, public)
    middles = (edges[:-1] + edges[1:]) / 2
    errors = _LABEL_NOISE + task.excess(middles[:, None])
    cells = chosen_cells(wrong, costs)
    return Cut(
        edges=edges,
        errors=errors,
        chosen=np.bincount(cells, minlength=edges.size - 1) / REDRAWS,
        first=middles[cells[:DRAWN]],
        scale=scale,
        quiet=float(errors[np.argmin(wrong)]),
    )


def fewest_wrong(private: Labelled, points: FloatArray) -> FloatArray:
    """Return how many examples the best threshold of each cell between sorted points gets wrong."""
    order = np.argsort(private.x)
    above = private.y[order] > 0
    # With so many examples below the threshold, those with label 1 among them are wrong, and of
    # the others those with label −1.
    cuts = np.append(0, np.cumsum(above)) + np.append(np.cumsum(~above[::-1])[::-1], 0)
    ends = np.concatenate([[0], np.searchsorted(private.x[order], points), [above.size]])
    return np.array([cuts[a : b + 1].min() for a, b in pairwise(ends)], dtype=float)


def chosen_cells(wrong: FloatArray, costs: FloatArray) -> NDArray[np.intp]:
    """Return which cell is least for each row of costs of the sorted points.

    A cell is charged for its labels of the points, beside what it gets wrong: 1 from it on, −1
    before it. What is the same for all cells is left out.
    """
    before = np.concatenate([np.zeros((len(costs), 1)), np.cumsum(costs, axis=1)], axis=1)
    return np.asarray(np.argmin(wrong - 2 * before, axis=1))
