"""View: public points as a net on the line, and the private choice of one of its meshes."""

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
from dpviz.topics.public_data.algorithms import Labelled, separated, separating_costs
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import Task

MOST_POINTS = 1000
"""Public points in the net, at most."""

_LABEL_NOISE = 0.1
_MOST_DOTS = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class Net(Result):
    """Thresholds between the same two public points count as one, and one of these is chosen.

    private: some of the `samples` examples, for drawing; edges: 0, the public points in order, 1.
    wrong: of each mesh, how many private examples its best threshold gets wrong; noise: what the
    weights on the public points add to that. chosen: the mesh with the least sum of both; released:
    the threshold; target: the best one. excess: of the released, in new examples; quiet: of what
    would be released without noise. scale: of the weights, in units of one example; epsilon: ε.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "left": "where the mesh begins",
            "right": "where it ends",
            "wrong": "private examples that its best threshold gets wrong",
            "noise": "what the noise on the public points adds to that",
            "chosen": "whether it is the one chosen",
        }
    )

    other_origins = (Origin(Evidence.SIMULATED, Source(PD, "Algorithm 4")),)

    private: Labelled
    samples: int
    edges: FloatArray
    wrong: FloatArray
    noise: FloatArray
    chosen: int
    released: float
    target: float
    excess: float
    quiet: float
    scale: float
    epsilon: float

    @property
    def points(self) -> int:
        """How many public points there are."""
        return self.edges.size - 2

    @property
    def noisy(self) -> FloatArray:
        """What the choice is the least of, moved so that its least is what the choice gets wrong.

        A constant that is added to all meshes changes no choice.
        """
        return np.asarray(self.wrong + self.noise - self.noise[self.chosen])

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a row for each mesh."""
        return {
            "left": self.edges[:-1],
            "right": self.edges[1:],
            "wrong": self.wrong,
            "noise": self.noise,
            "chosen": np.arange(self.wrong.size) == self.chosen,
        }


def net_of_public_points(
    *, public_points: float, samples: float, epsilon: float, rng: np.random.Generator
) -> Net:
    """Return which mesh of a net of public points RRSPM chooses, and what it is chosen by.

    public_points: m, at most `MOST_POINTS`; samples: n private examples of a threshold on [0, 1],
    every tenth label of which is wrong; epsilon: ε, which protects one example (substituted). With
    the same rng, more points are added to those there are. Raises `ParameterError`.
    """
    m, n = int(validate("public_points", public_points)), int(validate("samples", samples))
    eps = validate("epsilon", epsilon)
    if m > MOST_POINTS:
        raise ParameterError("public_points", f"at most {MOST_POINTS:,}", public_points)
    task = Task("thresholds", shifted("window", 1.0), _LABEL_NOISE)
    examples, places, weights = rng.spawn(3)
    private = task.private_data(n, examples)
    public = task.public_data(MOST_POINTS, places)[:m]
    scale = float(noise_levels.laplace_weights(m, epsilon=eps))
    costs = separating_costs(public, scale, "laplace", 1, weights)
    oracle, order = task.oracle(), np.argsort(public)
    learned, quiet = (separated(oracle, private, public, one) for one in (costs, 0 * costs))
    released = float(learned.released[0, 0])
    excess, without = (float(task.excess(one.released)[0]) for one in (learned, quiet))
    inner = public[order]
    return Net(
        private=Labelled(private.x[:_MOST_DOTS], private.y[:_MOST_DOTS]),
        samples=n,
        edges=np.concatenate([[0.0], inner, [1.0]]),
        wrong=fewest_wrong(private, inner),
        noise=_added(costs[0, order]),
        chosen=int(np.searchsorted(inner, learned.intermediate[0, 0, 0])),
        released=released,
        target=float(task.target[0]),
        excess=excess,
        quiet=without,
        scale=scale,
        epsilon=eps,
    )


def fewest_wrong(private: Labelled, points: FloatArray) -> FloatArray:
    """Return how many examples the best threshold of each mesh between sorted points gets wrong."""
    order = np.argsort(private.x)
    above = private.y[order] > 0
    # With so many examples below the threshold, those with label 1 among them are wrong, and of
    # the others those with label −1.
    cuts = np.append(0, np.cumsum(above)) + np.append(np.cumsum(~above[::-1])[::-1], 0)
    ends = np.concatenate([[0], np.searchsorted(private.x[order], points), [above.size]])
    return np.array([cuts[a : b + 1].min() for a, b in pairwise(ends)], dtype=float)


def _added(costs: FloatArray) -> FloatArray:
    """Return what each mesh is charged for its labels of the points: 1 from it on, before it −1."""
    return np.asarray(costs.sum() - 2 * np.append(0.0, np.cumsum(costs)))
