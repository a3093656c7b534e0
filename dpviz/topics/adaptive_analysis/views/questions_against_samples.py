"""How many adaptive queries a sample can answer: Figure 2 of Dagan & Kur, live."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.maths.bounded_noise import PowerNoise
from dpviz.results.caching import Cache
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
)
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace, Steps, paused, whole
from dpviz.topics.adaptive_analysis.baselines import (
    corollary_queries,
    log_nonadaptive_queries,
    split_sample_queries,
)
from dpviz.topics.adaptive_analysis.budget_cache import (
    TRANSFER,
    Searched,
    budget_here,
    searched_steps,
)
from dpviz.topics.adaptive_analysis.noisy_answers import Answers, BoundedAnswers, GaussianAnswers
from dpviz.topics.adaptive_analysis.transfer import ALPHA, BETA, SAMPLES, QueryBudget
from dpviz.topics.adaptive_analysis.tuned import TunedAnswers

TUNED = Source("dpviz.topics.adaptive_analysis.tuned", "Dagan & Kur, Theorem 9.1, with tuned noise")
_AS_PUBLISHED = Source("Dagan & Kur", "Figure 2")
_GRID = tuple(float(n) for n in np.rint(np.geomspace(SAMPLES.minimum, SAMPLES.maximum, 21)))
_BEST_OF = (0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0)
_SEARCHED = Cache[Searched](16 * 2**20)
_HIGHEST = 1e12  # where the curve of fixed queries leaves the chart
_TIMES = 10.0  # as many as Gaussian noise, at most, are answered by any noise here


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryCurves(Chart):
    """How many adaptive queries n samples can answer, as far as is known.

    k against n: NaN where not even one query is answered, or not yet known. budgets: those at the
    reader's n, by curve; split: what a fresh part of the sample for each query answers there.
    more: whether other curves than those of the paper's noises were asked for. guess: how many
    times as many as Gaussian noise a reader predicted; NaN for no prediction.
    """

    alpha: float
    beta: float
    budgets: Mapping[str, QueryBudget]
    split: float
    more: bool = False
    guess: float = math.nan

    @property
    def best_bounded(self) -> tuple[str, QueryBudget] | None:
        """The bounded noise that answers most at the reader's n, as far as any is known."""
        own = [
            (key, budget)
            for key, budget in self.budgets.items()
            if key != "gaussian" and not key.startswith("published")
        ]
        return max(own, key=lambda item: item[1].queries, default=None)


def questions_against_samples(
    *,
    samples: float,
    alpha: float,
    beta: float,
    powers: tuple[float, ...] = (1.0, 2.0),
    show_best: bool = False,
    show_published: bool = False,
    certain: bool = False,
    show_shape: bool = False,
    constant: float = 1.0,
    show_tuned: bool = False,
) -> Iterator[QueryCurves]:
    """Yield how many queries so many samples answer, and Figure 2 of Dagan & Kur if asked for more.

    Along other n are curves, one at a time, only where more than the powers are asked for.
    samples: the reader's n, a mark on the chart; powers: the p of the bounded noises drawn;
    show_best: also the best of a few p at every n; show_published: also Figure 2 as it is printed,
    Dagan & Kur's radius at sample_failure = 0; certain: whether our bounded noise is held to that,
    too; show_shape: also Corollary 1.3 with the hidden constant; show_tuned: also noise tuned anew
    at every n.
    Raises `ParameterError`.
    """
    n, a, b = SAMPLES.validate(samples), ALPHA.validate(alpha), BETA.validate(beta)
    noises = [PowerNoise(power) for power in powers]
    scale = validate("constant", constant)
    lines = {"gaussian": _Line("Gaussian", (GaussianAnswers(),))} | {
        f"bounded_{noise.power:g}": _Line(
            f"Bounded, p = {noise.power:g}", (BoundedAnswers(noise, certain=certain),)
        )
        for noise in noises
    }
    if show_published:
        lines |= {
            f"published_{noise.power:g}": _Line(
                f"Bounded, p = {noise.power:g}, as published, β′ = 0",
                (BoundedAnswers(noise, published=True, certain=True),),
            )
            for noise in noises
        }
    if show_best:
        best = tuple(BoundedAnswers(PowerNoise(p), certain=certain) for p in _BEST_OF)
        lines["best"] = _Line("Bounded, best p", best)
    if show_tuned:
        lines["tuned"] = _Line("Bounded, tuned", (TunedAnswers(certain),))
    more = show_published or show_best or show_tuned or show_shape
    fixed = _baselines(n, a, b) if more else [_split([n], a, b)]
    if show_shape:
        fixed.append(_shape(a, b, scale))
    yield from _Growing(n, a, b, lines, fixed, more).results()


def _at(answers: Answers | TunedAnswers, alpha: float, beta: float, i: int) -> Steps[Searched]:
    """Compute the budget at the i-th n of the grid, from that at the next, or return what is kept.

    With a pause between two searches, and in them.
    """
    asked = (answers, alpha, beta, i)
    known = _SEARCHED.get(asked)
    if known is None:
        known = yield from _searched_at(*asked)
        _SEARCHED.add(asked, known)
    return known


def _searched_at(
    answers: Answers | TunedAnswers, alpha: float, beta: float, i: int
) -> Steps[Searched]:
    near = None
    if i < len(_GRID) - 1:
        budget, near = yield from _at(answers, alpha, beta, i + 1)
        if budget.queries == 0:  # fewer samples answer no more
            return budget, near
        yield
    return (yield from searched_steps(answers, _GRID[i], alpha, beta, near))


@dataclass(frozen=True)
class _Line:
    """A curve of the chart: the best of these answers at every n."""

    label: str
    answers: tuple[Answers | TunedAnswers, ...]


class _Growing:
    """The curves as they grow: what is known of them so far."""

    def __init__(
        self,
        samples: float,
        alpha: float,
        beta: float,
        lines: Mapping[str, _Line],
        fixed: list[Curve],
        more: bool,
    ) -> None:
        self._more = more
        self._samples, self._alpha, self._beta = samples, alpha, beta
        self._lines, self._fixed = lines, fixed
        self._split = split_sample_queries(samples=samples, alpha=alpha, beta=beta)
        self._x = np.unique([*_GRID, samples]) if more else np.array([samples])
        self._budgets: dict[str, QueryBudget] = {}
        self._counts = {key: self._nothing() for key in lines}
        self._limits = {key: self._nothing() for key in lines}  # the same, but for many queries
        self._most = 0.0  # of the largest n, which ends the axis
        self._steps = sum(len(line.answers) for line in lines.values()) * len(_GRID)
        self._step = 0

    def results(self) -> Iterator[QueryCurves]:
        """Yield what is known, curve by curve, whenever it is time.

        What a reader asks comes before what lies around it, and where the axes end.
        """
        pace = Pace()
        if self._more:
            most = whole(_at(GaussianAnswers(), self._alpha, self._beta, len(_GRID) - 1))
            self._most = most[0].queries
        self._own("gaussian", whole(self._budget(GaussianAnswers())))
        shown = self._result()
        yield shown
        rest = [pair for pair in self._lines.items() if pair[0] not in self._budgets]
        alone = {key: line.answers[0] for key, line in rest if not line.answers[1:]}
        for key, answers in alone.items():
            self._own(key, (yield from paused(self._budget(answers), pace, shown)))
            shown = self._result()
            yield shown
        if self._more:
            yield from self._along(pace, shown)

    def _along(self, pace: Pace, shown: QueryCurves) -> Iterator[QueryCurves]:
        """Yield the same with what is known along n, and of the best of several noises."""
        headline = self._result().in_headline
        for key in sorted(self._lines, key=lambda key: key not in headline):
            line, budgets = self._lines[key], []
            for answers in line.answers:
                budget = yield from paused(self._budget(answers), pace, shown)
                budgets.append(budget)
            self._own(key, _most(budgets))
            for i in reversed(range(len(_GRID))):  # from where the radius is near its limit
                budgets.clear()
                for answers in line.answers:
                    at = _at(answers, self._alpha, self._beta, i)
                    budgets.append((yield from paused(at, pace, shown))[0])
                    self._step += 1
                    if pace.due():
                        shown = self._result()
                        yield shown
                self._enter(key, _GRID[i], _most(budgets))
        yield self._result()

    def _nothing(self) -> FloatArray:
        return np.full(self._x.size, math.nan)

    def _own(self, key: str, budget: QueryBudget) -> None:
        self._budgets[key] = budget
        self._enter(key, self._samples, budget)

    def _budget(self, answers: Answers | TunedAnswers) -> Steps[QueryBudget]:
        return budget_here.steps(answers, self._samples, self._alpha, self._beta)

    def _enter(self, key: str, samples: float, budget: QueryBudget) -> None:
        if budget.queries:
            many = budget.evidence is Evidence.LIMIT
            kept = self._limits if many else self._counts
            kept[key][np.searchsorted(self._x, samples)] = budget.queries

    @property
    def _done(self) -> float:
        if self._more:
            return self._step / self._steps
        return float(len(self._budgets) == len(self._lines))

    def _result(self) -> QueryCurves:
        curves = [
            curve
            for key, line in self._lines.items()
            if key in self._budgets
            for curve in _curves(
                key, line.label, self._x, self._counts[key].copy(), self._limits[key].copy()
            )
        ]
        most = _TIMES * self._most
        found = QueryCurves(
            x=Axis("samples", "Samples in one data set, n"),
            y=Axis("queries", "Questions answered, k", base=1.0, reach=max(most, _HIGHEST)),
            curves=(*self._fixed, *curves),
            here=self._samples,
            alpha=self._alpha,
            beta=self._beta,
            budgets=dict(self._budgets),
            split=self._split,
            more=self._more,
            done=self._done,
        )
        return replace(found, in_headline=_in_headline(found))


def _in_headline(found: QueryCurves) -> tuple[str, ...]:
    """Return the best bounded noise, and what it is compared with: Gaussian noise, or splitting."""
    best = found.best_bounded
    bounded = best[0] if best else "bounded_1"
    most = max((budget.queries for budget in found.budgets.values()), default=math.inf)
    return (bounded, "gaussian") if most > found.split else ("split", bounded)


def _most(budgets: list[QueryBudget]) -> QueryBudget:
    """Return the budget of the most queries."""
    return max(budgets, key=lambda budget: budget.queries)


def _curves(
    key: str, label: str, x: FloatArray, counts: FloatArray, limits: FloatArray
) -> list[Curve]:
    """Return the curve of a mechanism, and its continuation by the limit of R/σ, if it has one."""
    subject = Subject.GAUSSIAN if key == "gaussian" else Subject.BOUNDED
    published = key.startswith("published")
    source = TUNED if key == "tuned" else TRANSFER
    # Bounded noises lie close together: two shades, and wide lines where one lies on another.
    looks: dict[str, Any] = {
        "second": key.endswith("_2") or key == "tuned",
        "weight": 1.8 if key in ("best", "tuned") else 1.0,
    }
    curves = [
        Curve(
            key,
            label,
            subject,
            Evidence.PUBLISHED if published else Evidence.LOWER,
            _AS_PUBLISHED if published else source,
            x,
            counts,
            **looks,
        )
    ]
    if np.any(np.isfinite(limits)):
        source = Source("dpviz.topics.adaptive_analysis", "limit of R/σ for many queries")
        curves.append(
            Curve(
                f"{key}_limit",
                f"{label}, limit for many queries",
                subject,
                Evidence.LIMIT,
                source,
                x,
                limits,
                **looks,
            )
        )
    return curves


def _split(along: Sequence[float], alpha: float, beta: float) -> Curve:
    split = [split_sample_queries(samples=n, alpha=alpha, beta=beta) for n in along]
    return Curve(
        "split",
        "A fresh part of the sample for each query",
        Subject.EARLIER,
        Evidence.LOWER,
        Source("Hoeffding 1963", "Theorem 2"),
        np.array(along),
        np.where(np.array(split) > 0, split, math.nan),
    )


def _baselines(samples: float, alpha: float, beta: float) -> list[Curve]:
    # steep and short: few points of the grid would lie on it
    at, most = (
        SAMPLES.minimum,
        log_nonadaptive_queries(samples=SAMPLES.minimum, alpha=alpha, beta=beta),
    )
    low, high = (
        at + max(log_k - most, 0.0) / (2 * alpha**2) for log_k in (0.0, math.log(_HIGHEST))
    )
    n = np.unique(np.rint(np.clip(np.geomspace(low, high, 41), at, SAMPLES.maximum)))
    fixed = np.array([log_nonadaptive_queries(samples=x, alpha=alpha, beta=beta) for x in n])
    on_chart = (fixed >= 0) & (fixed <= math.log(_HIGHEST))
    return [
        _split(np.unique([*_GRID, samples]).tolist(), alpha, beta),
        Curve(
            "nonadaptive",
            "Queries fixed in advance, no noise",
            Subject.ITEM_LEVEL,
            Evidence.LOWER,
            Source("Hoeffding 1963", "Theorem 2 and the union bound"),
            n,
            np.where(on_chart, np.floor(np.exp(np.clip(fixed, 0, 50))), math.nan),
        ),
    ]


def _shape(alpha: float, beta: float, constant: float) -> Curve:
    k, holds = corollary_queries(samples=_GRID, alpha=alpha, beta=beta, constant=constant)
    return Curve(
        "corollary",
        "Corollary 1.3, up to constants",
        Subject.BOUNDED,
        Evidence.ASYMPTOTIC,
        Source("Dagan & Kur", "Corollary 1.3"),
        np.array(_GRID),
        k,
        holds=holds,
        assumption="αβ ≥ 4·e^(−k/(log²k·(log log k)⁴))",
    )
