"""Learning tasks on a finite domain: candidates, how two of them are compared, and the truth.

Ghazi, Kamath et al. 2023: PAC learning (Theorem 4), agnostic PAC learning (Theorem 40), hypothesis
selection (Theorem 41), discrete distributions (Theorem 43), Gaussians of known variance (Theorem
45, here in one dimension). The candidates distinguish only finitely many cells of the domain
apart, so users are counts of cells and every true error is known exactly.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from dpviz.maths.clipped_scores import largest_move, theorem_threshold
from dpviz.results.caching import cached
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.results.refining import pause
from dpviz.topics.clipping.covers import CANDIDATES, DOMAIN, cover, total_variation
from dpviz.topics.clipping.scores import (
    clipped_pairwise_scores,
    pairs,
    realizable_scores,
    worst,
)

TASKS = {
    "discrete": "Distribution on k categories",
    "gaussian": "Mean of a Gaussian",
    "selection": "Selection among shapes",
    "thresholds": "Threshold, labels correct",
    "noisy_thresholds": "Threshold, labels noisy",
    "intervals": "Interval, labels correct",
    "noisy_intervals": "Interval, labels noisy",
}
"""The tasks by name, and in words."""

FLIPPED = 0.2
"""Probability that a noisy label is wrong."""
DECAY = 0.6
"""How likely each of the k categories is, relative to the one before."""
MEAN = 0.3
"""The true mean of the Gaussian."""
CATEGORIES = 16
"""Size of the domain of the shapes."""

_SPAN = 2.0
_TRUE_THRESHOLD = 0.4
_TRUE_ENDS = (0.2, 0.6)
_OUTSIDE_FAMILY = 0.05
_BLOCK = 2**17  # counts drawn between two pauses


@dataclass(frozen=True, eq=False)
class Task:
    """One task on a domain of K cells.

    names: the candidates as readers see them. law: probability of each cell. errors: each
    candidate's true error, in terms of `metric`. psi[h, g, z]: the comparison, described in
    `comparison`. loss[h, z]: 1 where h errs, if labels are correct (realisable), else None.
    radius: the covering radius of the candidates, in terms of `metric`; see `radius_exact`.
    """

    names: tuple[str, ...]
    law: FloatArray
    errors: FloatArray
    psi: FloatArray
    metric: str
    comparison: str
    radius: float
    radius_exact: bool = True
    loss: FloatArray | None = None

    @property
    def optimum(self) -> float:
        """The least true error of a candidate."""
        return float(self.errors.min())

    @property
    def best(self) -> int:
        """The index of the candidate of least true error."""
        return int(self.errors.argmin())

    @property
    def excess(self) -> FloatArray:
        """By how much each candidate's true error exceeds the optimum."""
        return self.errors - self.optimum

    @property
    def least_expected_score(self) -> float:
        """The least expected score of a candidate on one example; Theorem 37 asks for 0.1α."""
        return float(self.collapse(self.rows @ self.law).min())

    def good(self, alpha: float) -> NDArray[np.bool_]:
        """Return which candidates are within alpha of the optimum, up to rounding."""
        return self.excess <= alpha * (1 + 1e-9)

    @cached_property
    def rows(self) -> FloatArray:
        """What is summed over a user's examples and then clipped: psi of all pairs, or loss."""
        return pairs(self.psi) if self.loss is None else self.loss

    def low(self, threshold: float) -> float:
        """Return the lower end of what one user may count; the upper end is the threshold τ."""
        return -threshold if self.loss is None else 0.0

    def collapse(self, totals: FloatArray) -> FloatArray:
        """Return the candidates' scores from the clipped sums of all `rows`."""
        return worst(totals) if self.loss is None else totals

    def scores(self, users: ArrayLike, *, threshold: float) -> FloatArray:
        """Return the score of each candidate, each user clipped at the threshold τ."""
        if self.loss is not None:
            return realizable_scores(users, self.loss, threshold=threshold)
        return clipped_pairwise_scores(users, self.psi, threshold=threshold)

    def sensitivity(self, threshold: float, *, examples_per_user: float) -> float:
        """Return the most a user of up to m examples can move a score clipped at the threshold τ.

        Exact for these candidates, under substitution of a user: at most min(2τ, m) for Scheffé
        scores, 2·min(τ, m) for noisy labels, min(τ, m) where errors are counted. Without clipping
        (τ = m): m, 2m, m. See `dpviz.maths.clipped_scores.largest_move`.
        """
        return float(self.sensitivities([threshold], examples_per_user=examples_per_user)[0])

    def sensitivities(self, thresholds: ArrayLike, *, examples_per_user: float) -> FloatArray:
        """Return `sensitivity` at each of several thresholds."""
        taus = np.asarray(thresholds, dtype=float)
        low = np.array([self.low(tau) for tau in taus.tolist()])
        return largest_move(self._extremes, examples_per_user=examples_per_user, low=low, high=taus)

    def full_threshold(self, *, examples_per_user: float) -> float:
        """Return the least τ whose sensitivity is that without clipping: more adds no noise."""
        low, high = self._extremes.T
        widest = np.isclose(high - low, (high - low).max())
        return float(examples_per_user * np.maximum(-low, high)[widest].min())

    def published_sensitivity(self, threshold: float) -> float:
        """Return what the paper divides by: 2τ for a pairwise score, τ where errors are counted."""
        return threshold - self.low(threshold)

    @cached_property
    def _extremes(self) -> FloatArray:
        """The least and the greatest value of every row, over all cells, each pair once."""
        return np.unique(np.stack([self.rows.min(axis=1), self.rows.max(axis=1)], axis=1), axis=0)

    def proposed_threshold(
        self, *, alpha: float, examples_per_user: float, constant: float = 1.0
    ) -> float:
        """Return the τ of the paper, at most m: Theorem 37's, or 1 where labels are correct."""
        if self.loss is not None:
            return 1.0
        tau = theorem_threshold(alpha=alpha, examples_per_user=examples_per_user, constant=constant)
        return min(max(tau, LIMITS["threshold"].minimum), float(examples_per_user))

    def draw(
        self, rng: np.random.Generator, *, users: int, examples_per_user: int
    ) -> NDArray[np.int64]:
        """Return users who hold independent examples each, as counts of cells."""
        drawn = np.empty((users, self.law.size), dtype=np.int64)
        size = max(1, _BLOCK // self.law.size)
        for start in range(0, users, size):
            pause()
            block = drawn[start : start + size]
            block[:] = rng.multinomial(examples_per_user, self.law, size=len(block))
        return drawn


@cached(16 * 2**20)  # up to 8 MB each
def make_task(task: str, *, candidates: int, domain_size: int = 2) -> Task:
    """Return the task of this name with at most `candidates` candidates.

    task: one of `TASKS`; candidates: at most 64; domain_size: k of "discrete". Raises
    `ParameterError`.
    """
    if task not in TASKS:
        raise ParameterError("task", f"one of {', '.join(TASKS)}", task)
    most = int(CANDIDATES.validate(candidates))
    match task:
        case "discrete":
            law = DECAY ** np.arange(int(DOMAIN.validate(domain_size)))
            return distribution_task(law / law.sum(), candidates=most)
        case "gaussian":
            return _gaussian(most)
        case "selection":
            return _shapes(most)
        case "thresholds" | "noisy_thresholds":
            ends = np.linspace(0, 1, most)
            predictions = np.arange(most - 1) >= np.arange(most)[:, None]
            names = [f"x ≥ {end:.3g}" for end in ends]
            true = round(_TRUE_THRESHOLD * (most - 1))
            radius = 0.5 / (most - 1)
        case _:
            predictions, names, true, radius = _intervals(most)
    flipped = FLIPPED if task.startswith("noisy") else 0.0
    return _classification(predictions, names=names, true=true, flipped=flipped, radius=radius)


def distribution_task(law: ArrayLike, *, candidates: int) -> Task:
    """Return the task of learning `law`, a distribution on k categories, from a cover of them all.

    The error is total variation distance. Raises `ParameterError`.
    """
    truth = np.asarray(law, dtype=float)
    covering = cover(truth.size, candidates)
    return _scheffe(
        covering.points,
        law=truth,
        errors=total_variation(covering.points, truth),
        names=[", ".join(f"{share:.2g}" for share in point) for point in covering.points],
        radius=covering.radius,
        radius_exact=covering.exact,
    )


def scheffe_comparisons(points: ArrayLike) -> FloatArray:
    """Return psi[h, g, z] = P_h(W) − 1[z ∈ W] with W = {P_h > P_g}, for distributions in rows.

    The Scheffé score of Theorem 41.
    """
    rows = np.asarray(points, dtype=float)
    return _comparisons_of(rows, rows[:, None, :] > rows[None, :, :])


def _comparisons_of(rows: FloatArray, wins: NDArray[np.bool_]) -> FloatArray:
    shares = np.einsum("hgz,hz->hg", wins, rows)
    return np.asarray(np.clip(shares, 0, 1)[:, :, None] - wins)


def _scheffe(
    points: FloatArray,
    *,
    law: FloatArray,
    errors: FloatArray,
    names: list[str],
    radius: float,
    radius_exact: bool = True,
    wins: NDArray[np.bool_] | None = None,
) -> Task:
    psi = scheffe_comparisons(points) if wins is None else _comparisons_of(points, wins)
    return Task(
        names=tuple(names),
        law=law,
        errors=errors,
        psi=psi,
        metric="total variation distance",
        comparison="P(W) − 1[z ∈ W], W = {P > P′} (Scheffé)",
        radius=radius,
        radius_exact=radius_exact,
    )


def _gaussian(candidates: int) -> Task:
    """Means on a grid from −2 to 2. Candidates are told apart by midpoints: cells lie between."""
    means = np.linspace(-_SPAN, _SPAN, candidates)
    place = np.arange(candidates)
    middles = np.linspace(-_SPAN, _SPAN, 2 * candidates - 1)[1:-1]
    edges = np.concatenate([[-np.inf], middles, [np.inf]])
    centres = np.append(means, MEAN)[:, None]
    shares = np.diff(ndtr(edges - centres), axis=1)
    # Cell z lies between the midpoints number z − 1 and z, so nearer to h than to g iff it is on
    # h's side of their midpoint, number h + g − 1.
    cells = np.arange(edges.size - 1)
    pairs = place[:, None, None] + place[None, :, None]
    below = place[:, None, None] < place[None, :, None]
    wins = (
        np.where(below, cells < pairs, cells >= pairs) & ~np.eye(candidates, dtype=bool)[..., None]
    )
    return _scheffe(
        shares[:-1],
        law=shares[-1],
        errors=_gaussian_distance(means - MEAN),
        names=[f"mean {mean:.3g}" for mean in means],
        radius=float(_gaussian_distance(_SPAN / (candidates - 1))),
        wins=wins,
    )


def _gaussian_distance(shift: ArrayLike) -> FloatArray:
    """Return the total variation distance of N(0, 1) and N(shift, 1): 2Φ(|shift|/2) − 1."""
    half = np.abs(np.asarray(shift, dtype=float)) / 2
    return np.asarray(ndtr(half) - ndtr(-half))


def _shapes(candidates: int) -> Task:
    """Peaks at 16 places in 4 widths; the truth is one of them with 5% spread evenly."""
    cells = np.arange(CATEGORIES)
    widths = np.array([1.0, 2.0, 4.0, 8.0])
    centres, spreads = np.meshgrid(cells, widths, indexing="ij")
    rows = np.exp(-np.abs(cells - centres.ravel()[:, None]) / spreads.ravel()[:, None])
    rows /= rows.sum(axis=1, keepdims=True)
    chosen = np.linspace(0, rows.shape[0] - 1, candidates).round().astype(int)
    points = rows[chosen]
    truth = points[candidates // 3] * (1 - _OUTSIDE_FAMILY) + _OUTSIDE_FAMILY / CATEGORIES
    errors = total_variation(points, truth)
    return _scheffe(
        points,
        law=truth,
        errors=errors,
        names=[f"peak at {centres.ravel()[i] + 1}, width {spreads.ravel()[i]:g}" for i in chosen],
        radius=float(errors.min()),
    )


def _intervals(
    candidates: int,
) -> tuple[NDArray[np.bool_], list[str], int, float]:
    """Return the predictions of all intervals with ends on a grid, and of the empty one."""
    parts = 1
    while 1 + (parts + 1) * (parts + 2) // 2 <= candidates:
        parts += 1
    ends = [(0, 0), *((a, b) for a in range(parts) for b in range(a + 1, parts + 1))]
    cells = np.arange(parts)
    predictions = np.array([(a <= cells) & (cells < b) for a, b in ends])
    names = ["never", *(f"{a / parts:.2g} ≤ x < {b / parts:.2g}" for a, b in ends[1:])]
    low, high = (round(end * parts) for end in _TRUE_ENDS)
    true = ends.index((low, high)) if low < high else 0
    return predictions, names, true, 1 / max(parts, 2)


def _classification(
    predictions: NDArray[np.bool_], *, names: list[str], true: int, flipped: float, radius: float
) -> Task:
    """Return the task of learning labels on equally likely parts of [0, 1].

    Cell 2x + y holds the examples of part x with label y; without noise, only one of them occurs.
    """
    parts = predictions.shape[1]
    labels = np.stack([np.zeros(parts, dtype=bool), np.ones(parts, dtype=bool)], axis=1).ravel()
    loss = (np.repeat(predictions, 2, axis=1) != labels).astype(float)
    right = np.repeat(predictions[true], 2) == labels
    law = np.where(right, 1 - flipped, flipped) / parts
    return Task(
        names=tuple(names),
        law=law,
        errors=loss @ law,
        psi=loss[:, None, :] - loss[None, :, :],
        metric="error",
        comparison="1[h(x) ≠ y] − 1[h′(x) ≠ y]",
        radius=radius * (1 - 2 * flipped),
        loss=loss if flipped == 0 else None,
    )
