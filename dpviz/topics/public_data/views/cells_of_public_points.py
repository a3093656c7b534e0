"""View: a private learner cuts between public points, and too few or too many of them hurt."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import PD
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.public_data import noise_levels
from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import Task

MOST_POINTS = 1000
"""Public points, at most."""

COUNTS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, MOST_POINTS)
"""Public points beside those of the reader."""

DRAWS = 120
"""How often the public points are drawn."""

REDRAWS = 12
"""How often the noise is drawn for each of these."""

_LABEL_NOISE = 0.1
_SURE = 1.981  # standard errors: Student's t for so many draws, rounded up


@dataclass(frozen=True, kw_only=True)
class Cut:
    """What the choice among the cells between so many public points gets wrong, on average.

    points: how many there are. mean: the share of all new examples that the threshold in the middle
    of the cell gets wrong, over all draws; sure_to: how far that is from the true mean, at most,
    with probability 0.95. quiet: the same without noise; gaps: of the cell with the best threshold.
    scale: of the noise on each point, in examples.
    """

    points: int
    mean: float
    sure_to: float
    quiet: float
    gaps: float
    scale: float

    @property
    def noise(self) -> float:
        """What the noise adds to the mean."""
        return self.mean - self.quiet


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells(Result):
    """Thresholds between the same two public points count as one, and one of these is chosen.

    cuts: for the reader's `points`, among fewer and more. public: the reader's points, as they were
    drawn first; released: the thresholds released for them. best: the error of the best threshold,
    `target`. samples: n private examples. epsilon: ε.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "points": "public points",
            "error": "share of new examples that the learner gets wrong, on average",
            "within": "how far that is from the true average, with probability 0.95",
            "quiet": "the same without noise",
            "gaps": "the same without noise, for endlessly many private examples",
        }
    )

    other_origins = (Origin(Evidence.SIMULATED, Source(PD, "Algorithm 4")),)

    samples: int
    points: int
    cuts: tuple[Cut, ...]
    public: FloatArray
    released: FloatArray
    target: float
    best: float
    epsilon: float

    @property
    def own(self) -> Cut:
        """What the reader's public points lead to."""
        return next(cut for cut in self.cuts if cut.points == self.points)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a row for each number of points."""
        rows = [(cut.points, cut.mean, cut.sure_to, cut.quiet, cut.gaps) for cut in self.cuts]
        return dict(zip(self.words, np.array(rows, dtype=float).T, strict=True))


def cells_of_public_points(
    *, public_points: float, samples: float, epsilon: float, rng: np.random.Generator
) -> Cells:
    """Return what RRSPM gets wrong with so many public points, and with fewer and more.

    public_points: m, at most `MOST_POINTS`; samples: n private examples of a threshold on [0, 1],
    every tenth label of which is wrong; epsilon: ε, which protects one example (substituted). The
    public points are drawn `DRAWS` times, and the noise `REDRAWS` times for each. With the same
    rng, more points are added to those there are. Raises `ParameterError`.
    """
    m, n = int(validate("public_points", public_points)), int(validate("samples", samples))
    eps = validate("epsilon", epsilon)
    if m > MOST_POINTS:
        raise ParameterError("public_points", f"at most {MOST_POINTS:,}", public_points)
    task = Task("thresholds", shifted("window", 1.0), _LABEL_NOISE)
    places, examples, weights = rng.spawn(3)
    ranked = wrong_at_each(task.private_data(n, examples))
    public = task.public_data(DRAWS * MOST_POINTS, places).reshape(DRAWS, MOST_POINTS)
    finest = np.array([fewest_wrong(ranked, np.sort(points)) for points in public])
    ranks = np.argsort(np.argsort(public, axis=1), axis=1)
    streams = dict(zip(COUNTS, weights.spawn(len(COUNTS)), strict=True))
    cuts, released = [], np.zeros(0)
    for count in sorted({m, *COUNTS}):
        points = np.sort(public[:, :count], axis=1)
        wrong = fewest_among(finest, np.sort(ranks[:, :count], axis=1) + 1)
        cut, thresholds = _cut(task, wrong, points, eps, streams.get(count, weights))
        cuts.append(cut)
        released = thresholds if count == m else released
    return Cells(
        samples=n,
        points=m,
        cuts=tuple(cuts),
        public=np.sort(public[0, :m]),
        released=released,
        target=float(task.target[0]),
        best=_LABEL_NOISE,
        epsilon=eps,
    )


def _cut(
    task: Task,
    wrong: FloatArray,
    public: FloatArray,
    eps: float,
    rng: np.random.Generator,
) -> tuple[Cut, FloatArray]:
    """Return what is got wrong with rows of sorted public points, and the first row's releases.

    wrong: what the best threshold of each cell gets wrong of the private examples.
    """
    draws, count = public.shape
    scale = float(noise_levels.laplace_weights(count, epsilon=eps))
    # A weight of Laplace noise times a random label is Laplace noise: two exponentials apart.
    ends = rng.standard_exponential((2, draws, REDRAWS, count))
    cells = chosen_cells(wrong[:, None], scale / 2 * (ends[0] - ends[1]))
    edges = np.concatenate([np.zeros((draws, 1)), public, np.ones((draws, 1))], axis=1)
    middles = (edges[:, :-1] + edges[:, 1:]) / 2
    errors = _LABEL_NOISE + task.excess(middles.reshape(-1, 1)).reshape(middles.shape)
    means = np.take_along_axis(errors, cells, axis=1).mean(axis=1)
    around = (public < task.target[0]).sum(axis=1)
    cut = Cut(
        points=count,
        mean=float(means.mean()),
        sure_to=float(_SURE * means.std(ddof=1) / np.sqrt(draws)),
        quiet=float(errors[np.arange(draws), np.argmin(wrong, axis=1)].mean()),
        gaps=float(errors[np.arange(draws), around].mean()),
        scale=scale,
    )
    return cut, middles[0, cells[0]]


def wrong_at_each(private: Labelled) -> tuple[FloatArray, FloatArray]:
    """Return the examples' places in order, and how many are wrong with so many below a threshold.

    Those with label 1 below it are wrong, and of the others those with label −1.
    """
    order = np.argsort(private.x)
    above = private.y[order] > 0
    wrong = np.append(0.0, np.cumsum(above)) + np.append(np.cumsum(~above[::-1])[::-1], 0.0)
    return private.x[order], wrong


def fewest_wrong(ranked: tuple[FloatArray, FloatArray], points: FloatArray) -> FloatArray:
    """Return how many examples the best threshold of each cell between sorted points gets wrong.

    ranked: what `wrong_at_each` returns.
    """
    places, wrong = ranked
    ends = np.concatenate([[0], np.searchsorted(places, points)])
    inner = np.minimum.reduceat(wrong, ends)  # each without the last threshold of its cell
    found: FloatArray = np.minimum(inner, wrong[np.append(ends[1:], places.size)])
    return found


def fewest_among(finest: FloatArray, starts: NDArray[np.intp]) -> FloatArray:
    """Return the least number of each run of cells in a row, from 0 and each of its starts on."""
    rows = np.arange(len(finest))[:, None]
    firsts = np.concatenate([np.zeros_like(rows), starts], axis=1) + finest.shape[1] * rows
    found: FloatArray = np.minimum.reduceat(finest.ravel(), firsts.ravel())
    return found.reshape(firsts.shape)


def chosen_cells(wrong: FloatArray, costs: FloatArray) -> NDArray[np.intp]:
    """Return which cell is least for each row of costs of the sorted points.

    A cell is charged for its labels of the points, beside what it gets wrong: 1 from it on, −1
    before it. What is the same for all cells is left out.
    """
    first = np.zeros((*costs.shape[:-1], 1))
    before = np.concatenate([first, np.cumsum(costs, axis=-1)], axis=-1)
    return np.asarray(np.argmin(wrong - 2 * before, axis=-1))
