"""The most adaptive queries for given n, α and β: optimisation over Theorem 9.1's parameters.

α is split into sample error, e^ε − 1, c and 2d, and β into sample_failure/c and δ/d; any split
determines ε, δ, c, d and the sample's part, and then k, by

    log scale(ε, δ, k) + log share(k, sample_failure) = log(sample_error·n),

with scale = r·σ. For Gaussian noise r = 1. For bounded noise log r is replaced by the plane
through measured values (in log ε, log δ and log k); the optimum of this model is found, r is
measured there again, and so on: the model has the right value and slopes at the point where
this ends, hence the optimum is that of the true problem. What is returned rests on none of
that: k is counted anew at the parameters found, with the accountant.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from dpviz.maths import gaussian
from dpviz.results.evidence import FloatArray
from dpviz.results.refining import Steps, in_steps, pause
from dpviz.topics.adaptive_analysis.noisy_answers import MOST_QUERIES, Answers, BoundedAnswers
from dpviz.topics.adaptive_analysis.transfer import ALPHA, BETA, SAMPLES, QueryBudget

_STEPS = np.array([math.log(1.1), math.log(2.0), math.log(1.25)])  # for slopes of log r
_ROUNDS = 6
_FEW = math.log(30)
_TRUSTED = 1.0  # change of a logit
_GOOD = 2e-3  # error of the plane
_LEAST_SLOPE = -0.4  # of log r in a logarithm: k would grow beyond bounds at −1/2
_HOPELESS = -2.0  # one query needs e times the radius there is
_WORTH_A_LOOK = math.log(1.02)
# Where logits of a split stay: ε does not leave the table of limits, nothing overflows.
_LEAST, _MOST = np.array([-8.0, -25.0, -25.0, -25.0]), np.array([1.0, 1.0, 1.0, 25.0])


def max_queries(mechanism: Answers, *, samples: float, alpha: float, beta: float) -> QueryBudget:
    """Return the largest number of adaptive statistical queries that n samples can answer.

    All answers to queries with values in [0, 1] are within α of the distribution's expectation,
    but for a probability β. Optimised over all parameters of Theorem 9.1, which are returned as
    the certificate (see `QueryBudget`). A statistical query has sensitivity 1/n when one sample
    is substituted.

    samples: n from 1e3 to 1e8; alpha: from 0.005 to 0.5; beta: from 1e-9 to 0.5.
    Raises `ParameterError`. Source: Dagan & Kur, Section 5 (Figure 2) and Theorem 9.1.
    """
    return search(mechanism, samples=samples, alpha=alpha, beta=beta)[0]


@dataclass(frozen=True, eq=False)
class SearchEnd:
    """Where a search ended: the start for the next one, at other n."""

    ratio: "_Ratio"
    splits: dict[bool, FloatArray] = field(default_factory=dict)


@in_steps
def search(
    mechanism: Answers, *, samples: float, alpha: float, beta: float, near: SearchEnd | None = None
) -> Steps[tuple[QueryBudget, SearchEnd]]:
    """Return `max_queries`, and where it was found; near: the same for similar parameters.

    Between two pauses it asks for one radius at most, or for one count of private queries.
    """
    problem = _Problem(
        mechanism, SAMPLES.validate(samples), ALPHA.validate(alpha), BETA.validate(beta)
    )
    hard = mechanism.certain_too
    ratio = _Ratio(mechanism.log_ratio_of_many) if near is None else near.ratio
    splits = {} if near is None else dict(near.splits)
    if hard:
        ratio = yield from problem.measured(ratio, splits)
    else:
        splits[False] = problem.best_split(ratio, splits.get(False, _start(False)))
    yield
    if hard and not (isinstance(mechanism, BoundedAnswers) and mechanism.certain):
        splits[False] = problem.best_split(ratio, splits.get(False, _start(False)))
    points = {certain: problem.points(split[None, :], ratio) for certain, split in splits.items()}
    best = max(float(point.log_queries[0]) for point in points.values())
    budgets = []
    for point in points.values():
        if float(point.log_queries[0]) > best - _WORTH_A_LOOK:
            yield
            budgets.append(problem.budget(point))
    return max(budgets, key=lambda budget: budget.queries), SearchEnd(ratio, splits)


def _start(certain: bool) -> FloatArray:
    """Return a split to start from: logits against the sample's part of α; of β the half."""
    return np.array([0.0, -3.0] if certain else [0.0, -3.0, -3.0, 0.0])


@dataclass(frozen=True, eq=False)
class _Ratio:
    """The plane log r = value + slopes·(x − at), x = (log ε, log δ, log k)."""

    value: float = 0.0
    slopes: FloatArray = field(default_factory=lambda: np.zeros(3))
    at: FloatArray = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True, eq=False)
class _Points:
    """Parameters of Theorem 9.1 in arrays, and the k they allow, by the model."""

    epsilon: FloatArray
    delta: FloatArray
    c: FloatArray
    d: FloatArray
    sample_error: FloatArray
    sample_failure: FloatArray
    log_queries: FloatArray  # below 0: by how much one query misses


@dataclass(frozen=True)
class _Problem:
    mechanism: Answers
    samples: float
    alpha: float
    beta: float

    def points(self, splits: FloatArray, ratio: _Ratio) -> _Points:
        """Return what splits of α and β amount to, one in each row."""
        size = splits.shape[1]
        logits, certain = np.clip(splits, _LEAST[:size], _MOST[:size]), size == 2
        parts = np.exp(logits if certain else logits[:, :3])
        sample_error, *others = (
            self.alpha * np.vstack([np.ones(len(parts)), parts.T]) / (1 + parts.sum(axis=1))
        )
        epsilon, d = np.log1p(others[0]), others[1] / 2
        c = np.zeros_like(d) if certain else others[2]
        spent = np.ones_like(d) if certain else 1 / (1 + np.exp(logits[:, 3]))
        delta = d * spent * self.beta
        failure = c * (1 - spent) * self.beta
        sigma = 1 / gaussian.largest_mu(epsilon, delta)
        slope = 0.5 + ratio.slopes[2]
        at_one = (
            np.log(sigma)
            + ratio.value
            + ratio.slopes[0] * (np.log(epsilon) - ratio.at[0])
            + ratio.slopes[1] * (np.log(delta) - ratio.at[1])
            - ratio.slopes[2] * ratio.at[2]
        )
        room = np.log(sample_error * self.samples) - at_one
        log_k = room / slope if certain else self._solved(room, slope, failure)
        return _Points(epsilon, delta, c, d, sample_error, failure, log_k)

    def _solved(self, room: FloatArray, slope: float, failure: FloatArray) -> FloatArray:
        """Solve slope·log k + log share(k) = room for log k, by Newton's method.

        log share increases in log k, and is concave but where k is small: from log k = 0 the
        iterates ascend. Below log k = 0 the value is only a measure of what is missing.
        """
        log_k = np.zeros_like(room)
        missing = (self.mechanism.log_share(log_k, failure) - room) / slope
        step = 1e-4
        for _ in range(30):
            both = self.mechanism.log_share(
                np.stack([log_k, log_k + step]), np.broadcast_to(failure, (2, room.size))
            )
            excess = slope * log_k + both[0] - room
            move = excess / (slope + np.maximum(both[1] - both[0], 0.0) / step)
            log_k = np.maximum(log_k - move, 0.0)
            if np.all((np.abs(move) < 1e-11 * (1 + log_k)) | (log_k == 0)):
                break
        return np.where(missing > 0, -missing, log_k)

    def best_split(self, ratio: _Ratio, start: FloatArray) -> FloatArray:
        """Return the split that allows the most queries by the model."""
        size, step = len(start), 1e-4
        moves = step * np.vstack([np.zeros(size), np.eye(size), -np.eye(size)])

        def negated(split: FloatArray) -> tuple[float, FloatArray]:
            pause()
            values = self.points(split + moves, ratio).log_queries
            return -float(values[0]), (values[1 + size :] - values[1 : 1 + size]) / (2 * step)

        found = minimize(negated, start, jac=True, method="BFGS", options={"gtol": 1e-5})
        return np.asarray(found.x)

    def measured(self, ratio: _Ratio, splits: dict[bool, FloatArray]) -> Steps[_Ratio]:
        """Measure r at the best split with certainty, until this stays; update that split."""
        before = math.inf
        split = splits.get(True, _start(True))
        for _ in range(_ROUNDS):
            better = self.best_split(ratio, split)
            if before < math.inf:  # far from where r was measured the plane means little
                better = split + np.clip(better - split, -_TRUSTED, _TRUSTED)
            split = better
            point = self.points(split[None, :], ratio)
            now = float(point.log_queries[0])
            if abs(now - before) < 1e-3 or (now < _HOPELESS and before < math.inf):
                break
            before = now
            yield
            ratio = yield from self._ratio(point, ratio)
        splits[True] = split
        return ratio

    def _ratio(self, point: _Points, ratio: _Ratio) -> Steps[_Ratio]:
        """Measure the plane at a point; its slopes only if the old ones do not hold there."""
        log_k = min(max(float(point.log_queries[0]), 0.0), math.log(MOST_QUERIES))
        if log_k < _FEW and not np.any(ratio.at):
            log_k = 0.0  # has a closed form, and may show that no query is answered
        at = np.array([math.log(point.epsilon[0]), math.log(point.delta[0]), log_k])
        at[2] = math.log(round(math.exp(log_k)))
        expected = ratio.value + float(ratio.slopes @ (at - ratio.at))
        value = self._log_ratio(at, ratio.value)
        if abs(value - expected) < _GOOD and np.any(ratio.at):
            return _Ratio(value, ratio.slopes, at)
        slopes = np.zeros(3)
        for i, step in enumerate(_STEPS):
            moved = at.copy()
            moved[i] += step
            if i == 2:
                moved[2] = math.log(max(round(math.exp(moved[2])), round(math.exp(at[2])) + 1))
            # where one query is too many, and where k is beyond the accountant, k stays
            if i < 2 or 0 < log_k < math.log(MOST_QUERIES):
                yield
                slopes[i] = (self._log_ratio(moved, value) - value) / (moved[i] - at[i])
        return _Ratio(value, np.maximum(slopes, _LEAST_SLOPE), at)

    def _log_ratio(self, at: FloatArray, near: float) -> float:
        epsilon, delta, queries = (math.exp(x) for x in at)
        return self.mechanism.log_ratio(
            epsilon=epsilon, delta=delta, queries=min(round(queries), MOST_QUERIES), near=near
        )

    def budget(self, point: _Points) -> QueryBudget:
        """Count the queries at a point, certified."""
        epsilon, delta, failure = (
            float(x[0]) for x in (point.epsilon, point.delta, point.sample_failure)
        )
        sample_error = float(point.sample_error[0])
        queries, evidence = self.mechanism.count(
            sample_error * self.samples,
            epsilon=epsilon,
            delta=delta,
            sample_failure=failure,
            guess=math.exp(max(float(point.log_queries[0]), 0.0)) * (1 + 1e-9),
        )
        return QueryBudget(
            queries=queries,
            epsilon=epsilon,
            delta=delta,
            c=float(point.c[0]),
            d=float(point.d[0]),
            sample_error=sample_error,
            sample_failure=failure,
            evidence=evidence,
            samples=self.samples,
            alpha=self.alpha,
            beta=self.beta,
        )
