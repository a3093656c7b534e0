"""The tasks of Table 1 in d dimensions: candidates, the truth, and what each candidate errs by.

Ghazi, Kamath et al. 2023: product distributions on {0, 1}^d (Theorem 44), Gaussians of known
(Theorem 45) and of bounded covariance (Theorem 46), learned by the clipped pairwise exponential
mechanism with Scheffé scores over a cover (Theorems 37, 41 and 42); all labellings of d points,
labels correct (Theorem 4) or noisy (Theorem 40). Users are substituted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.clipped_scores import largest_move, theorem_threshold
from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.results.caching import kept
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import pause
from dpviz.topics.user_complexity.covers import (
    BOUNDED_REACH,
    FREQUENT,
    KNOWN_REACH,
    GaussianCover,
    ProductCover,
    bounded_cover,
    known_cover,
    known_distance,
    product_cover,
    product_laws,
)
from dpviz.topics.user_complexity.example_rows import BLOCK, CellRows, ExampleRows, WallRows
from dpviz.topics.user_complexity.gaussian_pairs import log_ratio, mass_of_wins

LEARNED = {
    "product": "Product distribution on {0, 1}^d",
    "known": "Gaussian, covariance known",
    "bounded": "Gaussian, covariance bounded",
    "labels": "Labels of d points, correct",
    "noisy_labels": "Labels of d points, noisy",
}
"""What is learned, by key and in words."""

MOST_DIMENSIONS = {"product": 6, "known": 3, "bounded": 2, "labels": 6, "noisy_labels": 6}
"""The most dimensions in which each is run."""

COVER_SHARE, PAPER_SHARE = 0.5, 0.1
"""Covering radii, in units of the target error α; the paper's proofs take the latter."""
COVERS = {"half": "α/2", "paper": "0.1α, where it can be run"}
"""Which of the two is wished for, by key and in words."""

_MOST_EXAMPLES = 100  # up to which m one asks whether anything is clipped
_LEAN = 3.0  # how much of the mass, in units of α, the points hold on which labels matter
_MOST_LEAN = 0.9  # that mass at most
_SAME = 1e-6  # sums that differ by less, relative to each other, are the same
_ROUNDED = 1e9  # numbers that differ by less than its inverse are the same


@dataclass(frozen=True, eq=False)
class LearningTask:
    """A task: candidates, their true errors, and what users count in comparing them.

    radius: the proven covering radius, 0 for a class that is tried in full. rows: what is summed
    over a user's examples. row_of_pair[h, g]: the row of the score of h against g; None where the
    rows are the candidates' own errors (labels correct).
    """

    key: str
    dimension: int
    radius: float
    errors: FloatArray
    rows: ExampleRows
    row_of_pair: NDArray[np.intp] | None

    @property
    def candidates(self) -> int:
        """How many candidates there are."""
        return self.errors.size

    def good(self, alpha: float) -> NDArray[np.bool_]:
        """Return which candidates err by at most α, up to rounding."""
        return self.errors <= alpha * (1 + 1e-9)

    def threshold(self, *, alpha: float, examples: int, scale: float = 1.0) -> float:
        """Return τ: Theorem 37's with C = scale, at most m; 1 where labels are correct."""
        if self.row_of_pair is None:
            return 1.0
        tau = theorem_threshold(alpha=alpha, examples_per_user=examples)
        return min(scale * tau, float(examples))

    def low(self, threshold: float) -> float:
        """Return the least that one user may count."""
        return 0.0 if self.row_of_pair is None else -threshold

    def sensitivity(self, *, threshold: float, examples: int) -> float:
        """Return how far one user can move a clipped sum, and so a score: exact for the sums."""
        low = self.low(threshold)
        return float(
            largest_move(self._extremes, examples_per_user=examples, low=low, high=threshold)
        )

    def clips_from(self, alpha: float, scale: float = 1.0) -> float:
        """Return the least m at which clipping lowers the sensitivity; 1 where labels are correct.

        Below it, τ is more than a user's examples can count, either way. Infinity: not up to 100.
        """
        if self.row_of_pair is None:
            return 1.0
        width = float(np.diff(self._extremes, axis=1).max())

        def clips(m: int) -> bool:
            tau = self.threshold(alpha=alpha, examples=m, scale=scale)
            return self.sensitivity(threshold=tau, examples=m) < width * m * (1 - _SAME)

        return next((float(m) for m in range(1, _MOST_EXAMPLES + 1) if clips(m)), math.inf)

    @cached_property
    def _extremes(self) -> FloatArray:
        return np.unique(self.rows.extremes, axis=0)

    def totals(
        self, rng: np.random.Generator, *, users: int, examples: int, threshold: float
    ) -> FloatArray:
        """Return the clipped sums of fresh users, added up: (rows,)."""
        if threshold >= examples:
            pause()
            return self.rows.pooled(rng, users=users, examples=examples)
        for_user, for_example = self.rows.numbers
        size, low = max(1, BLOCK // (for_user + examples * for_example)), self.low(threshold)
        total = np.zeros(len(self.rows.extremes))
        for start in range(0, users, size):
            pause()
            sums = self.rows.sums(rng, users=min(size, users - start), examples=examples)
            total += np.clip(sums, low, threshold, out=sums).sum(axis=0)
        return total

    def scores(self, totals: FloatArray) -> FloatArray:
        """Return the candidates' scores: the worst comparison of each, or its count of users."""
        if self.row_of_pair is None:
            return totals
        compared = totals[self.row_of_pair]
        np.fill_diagonal(compared, -np.inf)
        return np.asarray(compared.max(axis=1))

    def successes(
        self,
        rng: np.random.Generator,
        *,
        sizes: NDArray[np.intp],
        examples: int,
        epsilon: float,
        alpha: float,
        threshold: float,
    ) -> FloatArray:
        """Return how likely the mechanism's answer errs by at most α, on one fresh data set.

        sizes: ascending numbers of users; each stands for the first so many users of the same data
        set. threshold: what a user may count, m for all. The mechanism's law given the data is
        computed, not drawn.
        """
        total = np.zeros(len(self.rows.extremes))
        scores = np.empty((sizes.size, self.candidates))
        for place, more in enumerate(np.diff(sizes, prepend=0).tolist()):
            total += self.totals(rng, users=more, examples=examples, threshold=threshold)
            scores[place] = self.scores(total)
        law = selection_probabilities(
            scores,
            epsilon=epsilon,
            sensitivity=self.sensitivity(threshold=threshold, examples=examples),
        )
        return np.asarray(np.minimum(law[:, self.good(alpha)].sum(axis=1), 1.0))


def most_dimensions(key: str, *, alpha: float) -> int:
    """Return up to which d the cover at radius α/2 has few enough candidates to be run.

    729 of the product distributions, 400 of the Gaussians. Raises `ParameterError`.
    """
    most = MOST_DIMENSIONS[_checked(key)]
    radius = COVER_SHARE * validate("target_error", alpha)
    if key not in _COVERS:
        return most
    return next((d for d in range(1, most) if _cover(key, d + 1, radius) is None), most)


def how_many_candidates(key: str, *, dimension: int, alpha: float, cover: str = "half") -> int:
    """Return how many candidates a task has, without making it. Raises `ParameterError`."""
    _check_dimension(key, dimension, alpha)
    if key not in _COVERS:
        return int(2**dimension)
    candidates = _cover_wished(key, dimension, alpha, cover)
    return len(candidates.rates if isinstance(candidates, ProductCover) else candidates.means)


@kept(36 * 2**20)  # up to 17 MB each, 19 for all of a figure
def learning_task(key: str, *, dimension: int, alpha: float, cover: str = "half") -> LearningTask:
    """Return the task of this key in d dimensions, with a cover at radius α/2.

    key: one of `LEARNED`; dimension: at most `most_dimensions`; cover: one of `COVERS`, "paper" for
    radius 0.1α where that has few enough candidates. Raises `ParameterError`.
    """
    _check_dimension(key, dimension, alpha)
    if key not in _COVERS:
        return _labels(key, dimension, alpha)
    candidates = _cover_wished(key, dimension, alpha, cover)
    return (
        _product(candidates) if isinstance(candidates, ProductCover) else _gaussian(key, candidates)
    )


def _cover_wished(key: str, dimension: int, alpha: float, cover: str) -> Any:
    if cover not in COVERS:
        raise ParameterError("cover", f"one of {', '.join(COVERS)}", cover)
    fine = _cover(key, dimension, PAPER_SHARE * alpha) if cover == "paper" else None
    return fine or _cover(key, dimension, COVER_SHARE * alpha)


def _check_dimension(key: str, dimension: int, alpha: float) -> None:
    most = most_dimensions(key, alpha=alpha)
    if not 1 <= dimension <= most:
        raise ParameterError("dimensions", f"a whole number from 1 to {most}", dimension)


def _checked(key: str) -> str:
    if key not in LEARNED:
        raise ParameterError("learned", f"one of {', '.join(LEARNED)}", key)
    return key


@kept(2 * 2**20)
def _cover(key: str, dimension: int, radius: float) -> Any:
    """Return the task's cover, or None if it has too many candidates to be run."""
    make, most = _COVERS[key]
    return make(dimension, radius, most)


_COVERS: dict[str, tuple[Callable[[int, float, int], Any], int]] = {
    "product": (product_cover, 729),
    "known": (known_cover, 400),
    "bounded": (bounded_cover, 400),
}


def _product(cover: ProductCover) -> LearningTask:
    """Return the task whose truth has all rates 0.7: as far from the cover as any member."""
    dimension = cover.rates.shape[1]
    laws = product_laws(cover.rates)
    truth = product_laws(np.full(dimension, FREQUENT))
    columns, row_of_pair = scheffe_rows(laws)
    return LearningTask(
        key="product",
        dimension=dimension,
        radius=cover.radius,
        errors=np.abs(laws - truth).sum(axis=1) / 2,
        rows=CellRows(truth, columns),
        row_of_pair=row_of_pair,
    )


def scheffe_rows(laws: FloatArray) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return the distinct rows P_h(W) − 1[z ∈ W], W = {P_h > P_g}, and which pair has which.

    laws: distributions on at most 64 cells in rows. Returns (cells, rows) and (h, g).
    """
    count, cells = laws.shape
    sets = np.zeros((count, count), dtype=np.uint64)
    shares = np.empty((count, count))
    for h, law in enumerate(laws):
        if h % 32 == 0:
            pause()
        wins = law > laws * (1 + 1e-12)  # equal up to rounding is no win
        shares[h] = wins @ law
        packed = np.zeros((count, 8), dtype=np.uint8)
        packed[:, : -(-cells // 8)] = np.packbits(wins, axis=1, bitorder="little")
        sets[h] = packed.view(np.uint64)[:, 0]
    distinct, which = np.unique(sets, return_inverse=True)
    pause()
    sizes, size = np.unique(np.rint(shares * _ROUNDED), return_inverse=True)
    pause()
    both = which.reshape(-1) * sizes.size + size.reshape(-1)
    rows, row = np.unique(both, return_inverse=True)
    pause()
    chosen = distinct[rows // sizes.size]
    inside = np.unpackbits(chosen.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    columns = (sizes[rows % sizes.size] / _ROUNDED)[None, :] - inside[:, :cells].T
    return columns.astype(np.float32), row.reshape(count, count)


def _gaussian(key: str, cover: GaussianCover) -> LearningTask:
    """Return the task whose truth has its mean at the rim, towards (1, …, 1), and covariance I."""
    count, d = cover.means.shape
    reach = KNOWN_REACH if key == "known" else BOUNDED_REACH
    truth = np.full(d, reach / np.sqrt(d))
    first, second = np.triu_indices(count, 1)
    if key == "known":
        apart = cover.means[first] - cover.means[second]
        level = (cover.means[second] ** 2 - cover.means[first] ** 2).sum(axis=1) / 2
        walls = np.concatenate([apart, level[:, None]], axis=1)
        by_first = (1 + known_distance(np.linalg.norm(apart, axis=1))) / 2
        by_second = 1 - by_first
        errors = known_distance(np.linalg.norm(cover.means - truth, axis=1))
    else:
        walls, by_first, by_second, errors = _quadrics(cover, truth)
    of_pair = np.arange(first.size)
    row_of_pair = np.zeros((count, count), dtype=np.intp)
    row_of_pair[first, second], row_of_pair[second, first] = of_pair, first.size + of_pair
    rows = WallRows(
        mean=truth,
        root=np.eye(d),
        walls=np.ascontiguousarray(walls.T, dtype=np.float32),
        of_row=np.concatenate([of_pair, of_pair]),
        shares=np.concatenate([by_first, by_second]).astype(np.float32),
        signs=np.repeat(np.array([1, -1], dtype=np.float32), first.size),
    )
    return LearningTask(
        key=key, dimension=d, radius=cover.radius, errors=errors, rows=rows, row_of_pair=row_of_pair
    )


def _quadrics(
    cover: GaussianCover, truth: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the walls of all pairs h < g, P_h and P_g of the inside W_hg, and all errors."""
    means, covariances = cover.means, cover.covariances
    precisions = np.linalg.inv(covariances).astype(float)
    walls, by_first, by_later, errors = [], [], [], np.empty(len(means))
    eye = np.eye(truth.size)
    truth_wins = mass_of_wins(truth, eye, means, precisions)
    for h, mean in enumerate(means):
        pause()
        later = slice(h + 1, None)
        slopes, level = log_ratio(mean, precisions[h], means[later], precisions[later])
        walls.append(np.concatenate([slopes, level[:, None]], axis=1))
        wins = mass_of_wins(mean, covariances[h], means, precisions)
        by_first.append(wins[later])
        by_later.append(wins[:h])
        wins_over_truth = mass_of_wins(mean, covariances[h], truth[None], eye[None])[0]
        errors[h] = wins_over_truth + truth_wins[h] - 1
    of_earlier = np.zeros((len(means), len(means)))  # P_g(W_gh) in row g, column h < g
    of_earlier[np.tril_indices(len(means), -1)] = np.concatenate(by_later)
    first, second = np.triu_indices(len(means), 1)
    by_second = 1 - of_earlier[second, first]  # W_hg is where h wins, all that W_gh leaves
    return np.concatenate(walls), np.concatenate(by_first), by_second, errors


def _labels(key: str, dimension: int, alpha: float) -> LearningTask:
    """Return the task of all labellings of d points, whose truth is 1 everywhere.

    Labels correct: the points hold 3α of the mass, a point that all agree on the rest. Noisy: the
    points hold all of it, and labels are 1 with probability ½ + 3α/2. (0.9 at most, for 3α.) Cell
    2i + y is point i with label y. Theorem 40's ψ is 1[h(x) ≠ y] − 1[g(x) ≠ y] here: printed the
    other way round, it would speak against the better one.
    """
    lean = min(_LEAN * alpha, _MOST_LEAN)
    labels = (np.arange(2**dimension)[:, None] >> np.arange(dimension)) & 1
    losses = np.stack([labels, 1 - labels], axis=2).reshape(len(labels), -1).astype(float)
    errors = lean * (1 - labels).mean(axis=1)
    if key == "labels":
        law = np.append(np.tile([0.0, lean / dimension], dimension), 1 - lean)
        columns = np.concatenate([losses, np.zeros((len(losses), 1))], axis=1).T
        row_of_pair = None
    else:
        law = np.tile([1 - lean, 1 + lean], dimension) / (2 * dimension)
        pairs = (losses[:, None] - losses[None]).reshape(-1, law.size)
        rows, row = np.unique(pairs, axis=0, return_inverse=True)
        columns, row_of_pair = rows.T, row.reshape(len(labels), len(labels))
    rows32 = np.ascontiguousarray(columns, dtype=np.float32)
    return LearningTask(key, dimension, 0.0, errors, CellRows(law, rows32), row_of_pair)
