"""The views of the page: queries against samples, and where α and β go."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.bounded_noise import PowerNoise
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace
from dpviz.topics.adaptive_analysis.baselines import (
    corollary_queries,
    log_nonadaptive_queries,
    split_sample_queries,
)
from dpviz.topics.adaptive_analysis.budget import Found, max_queries, search
from dpviz.topics.adaptive_analysis.mechanisms import Answers, BoundedAnswers, GaussianAnswers
from dpviz.topics.adaptive_analysis.transfer import ALPHA, BETA, SAMPLES, QueryBudget

PART_LABELS = {
    "sample_error": "error against the sample",
    "privacy": "privacy, e^ε − 1",
    "c": "c",
    "d": "2d",
}
"""What α is spent on."""
FAILURE_LABELS = {"sample_failure": "the sample's part, β′/c", "privacy_failure": "δ/d"}
"""What β is spent on."""

_GRID = tuple(float(n) for n in np.rint(np.geomspace(SAMPLES.minimum, SAMPLES.maximum, 21)))
_BEST_OF = (0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0)
_HIGHEST = math.log(1e12)  # where the curve of fixed queries leaves the chart
_TRANSFER = Source(
    "dpviz.topics.adaptive_analysis", "Dagan & Kur, Theorem 9.1, with exact accounting"
)
_AS_PUBLISHED = Source("Dagan & Kur", "Figure 2")


@dataclass(frozen=True, eq=False)
class QueryCurves:
    """How many adaptive queries n samples bear, as far as is known.

    chart: k against n; NaN where not even one query is borne, or not yet known. ratio: the same
    by the Gaussian count. here: the budgets at the reader's n, by curve; split: what a fresh part
    of the sample for each query bears there; done: from 0 to 1.
    """

    chart: Chart
    ratio: Chart
    samples: float
    alpha: float
    beta: float
    here: Mapping[str, QueryBudget]
    split: float
    done: float

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the plotted numbers."""
        return self.chart.columns()


def queries_against_samples(
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
) -> Iterator[QueryCurves]:
    """Yield Figure 2 of Dagan & Kur, live: queries against samples, one curve at a time.

    samples: the reader's n, a mark on the chart; powers: the p of the bounded noises drawn;
    show_best: the best of a few p at every n; show_published: Figure 2 as it is printed, Dagan
    & Kur's radius at sample_failure = 0; certain: hold our bounded noise to that, too;
    show_shape: Corollary 1.3 with the hidden constant. Raises `ParameterError`.
    """
    n, a, b = SAMPLES.validate(samples), ALPHA.validate(alpha), BETA.validate(beta)
    noises = [PowerNoise(power) for power in powers]
    scale = validate("constant", constant)
    lines: dict[str, tuple[str, Answers]] = {"gaussian": ("Gaussian", GaussianAnswers())}
    for noise in noises:
        label = f"Bounded, p = {noise.power:g}"
        lines[f"bounded_{noise.power:g}"] = label, BoundedAnswers(noise, certain=certain)
    if show_published:
        for noise in noises:
            lines[f"published_{noise.power:g}"] = (
                f"Bounded, p = {noise.power:g}, as published, β′ = 0",
                BoundedAnswers(noise, published=True, certain=True),
            )
    fixed, split = _baselines(a, b), split_sample_queries(samples=n, alpha=a, beta=b)
    if show_shape:
        fixed.append(_shape(a, b, scale))
    here: dict[str, QueryBudget] = {}
    counts: dict[str, FloatArray] = {}
    limits: dict[str, FloatArray] = {}
    best: list[Answers] = []
    if show_best:
        best += [BoundedAnswers(PowerNoise(p), certain=certain) for p in _BEST_OF]
    steps, step = (len(lines) + len(best)) * len(_GRID), 0

    def result() -> QueryCurves:
        curves = [
            curve
            for key, k in counts.items()
            for curve in _curves(
                key,
                lines[key][0] if key in lines else "Bounded, best p",
                k.copy(),
                limits[key].copy(),
            )
        ]
        chart = Chart(
            Axis("samples", "Samples n"),
            Axis("queries", "Adaptive queries k"),
            (*fixed, *curves),
            here=n,
        )
        return QueryCurves(chart, _ratio(curves, n), n, a, b, dict(here), split, step / steps)

    yield result()
    for key, (_, answers) in lines.items():  # what a reader asks, before what lies around it
        here[key] = _here(answers, n, a, b)
        yield result()
    pace = Pace()
    for key, (_, answers) in lines.items():
        counts[key], limits[key] = _nothing(), _nothing()
        for i in reversed(range(len(_GRID))):  # from where the radius is near its limit
            _enter(_at(answers, a, b, i)[0], i, counts[key], limits[key])
            step += 1
            if pace.due():
                yield result()
    if best:
        counts["best"], limits["best"] = _nothing(), _nothing()
        here["best"] = max((_here(x, n, a, b) for x in best), key=lambda found: found.queries)
        for i in reversed(range(len(_GRID))):
            found = max((_at(x, a, b, i)[0] for x in best), key=lambda found: found.queries)
            _enter(found, i, counts["best"], limits["best"])
            step += len(best)
            if pace.due():
                yield result()
    yield result()


# A reader who moves n leaves the curves as they are: only the first time costs.
_here = lru_cache(maxsize=1024)(
    lambda answers, n, alpha, beta: max_queries(answers, samples=n, alpha=alpha, beta=beta)
)


@lru_cache(maxsize=4096)
def _at(answers: Answers, alpha: float, beta: float, i: int) -> tuple[QueryBudget, Found]:
    """Return the budget at the i-th n of the grid, found from that at the next."""
    near = None
    if i < len(_GRID) - 1:
        budget, near = _at(answers, alpha, beta, i + 1)
        if budget.queries == 0:  # fewer samples bear no more
            return budget, near
    return search(answers, samples=_GRID[i], alpha=alpha, beta=beta, near=near)


def _nothing() -> FloatArray:
    return np.full(len(_GRID), math.nan)


def _enter(budget: QueryBudget, i: int, counts: FloatArray, limits: FloatArray) -> None:
    if budget.queries:
        (limits if budget.evidence is Evidence.ASYMPTOTIC else counts)[i] = budget.queries


def _curves(key: str, label: str, counts: FloatArray, limits: FloatArray) -> list[Curve]:
    """Return the curve of a mechanism, and its continuation by the limit of R/σ, if it has one."""
    subject = Subject.GAUSSIAN if key == "gaussian" else Subject.BOUNDED
    published = key.startswith("published")
    x = np.array(_GRID)
    curves = [
        Curve(
            key,
            label,
            subject,
            Evidence.PUBLISHED if published else Evidence.LOWER,
            _AS_PUBLISHED if published else _TRANSFER,
            x,
            counts,
        )
    ]
    if np.any(np.isfinite(limits)):
        source = Source("dpviz.topics.adaptive_analysis", "limit of R/σ for many queries")
        curves.append(
            Curve(
                f"{key}_limit",
                f"{label}, limit for many queries",
                subject,
                Evidence.ASYMPTOTIC,
                source,
                x,
                limits,
            )
        )
    return curves


def _ratio(curves: list[Curve], here: float) -> Chart:
    """Return how many times as many queries as with Gaussian noise."""
    base = next((c.y for c in curves if c.key == "gaussian"), _nothing())
    return Chart(
        Axis("samples", "Samples n"),
        Axis("ratio", "Times as many queries as with Gaussian noise", log=False),
        tuple(
            Curve(c.key, c.label, c.subject, c.evidence, c.source, c.x, c.y / base)
            for c in curves
            if c.key != "gaussian"
        ),
        here=here,
    )


def _baselines(alpha: float, beta: float) -> list[Curve]:
    x = np.array(_GRID)
    split = [split_sample_queries(samples=n, alpha=alpha, beta=beta) for n in _GRID]
    # steep and short: few points of the grid would lie on it
    at, most = (
        SAMPLES.minimum,
        log_nonadaptive_queries(samples=SAMPLES.minimum, alpha=alpha, beta=beta),
    )
    low, high = (at + max(log_k - most, 0.0) / (2 * alpha**2) for log_k in (0.0, _HIGHEST))
    n = np.unique(np.rint(np.clip(np.geomspace(low, high, 41), at, SAMPLES.maximum)))
    fixed = np.array([log_nonadaptive_queries(samples=x, alpha=alpha, beta=beta) for x in n])
    on_chart = (fixed >= 0) & (fixed <= _HIGHEST)
    return [
        Curve(
            "split",
            "A fresh part of the sample for each query",
            Subject.EARLIER,
            Evidence.LOWER,
            Source("Hoeffding 1963", "Theorem 2"),
            x,
            np.where(np.array(split) > 0, split, math.nan),
        ),
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
        "Corollary 1.3, constants dropped",
        Subject.BOUNDED,
        Evidence.ASYMPTOTIC,
        Source("Dagan & Kur", "Corollary 1.3"),
        np.array(_GRID),
        k,
        holds=holds,
        assumption="αβ ≥ 4·e^(−k/(log²k·(log log k)⁴))",
    )


@dataclass(frozen=True, eq=False)
class BudgetParts:
    """What the optimum spends α and β on, for several mechanisms at one n.

    budgets: by mechanism, in the order of x in both charts, which have a curve for every part.
    """

    alpha: float
    beta: float
    alpha_chart: Chart
    beta_chart: Chart
    budgets: Mapping[str, QueryBudget]

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the plotted numbers, a row for each mechanism."""
        budgets = self.budgets.values()
        table: dict[str, NDArray[Any]] = {
            "mechanism": np.array(list(self.budgets)),
            "queries": np.array([budget.queries for budget in budgets]),
        }
        for kind, chart in (("alpha", self.alpha_chart), ("beta", self.beta_chart)):
            table |= {f"{kind}_{curve.key}": curve.y for curve in chart.curves}
        return table


def budget_parts(
    *, samples: float, alpha: float, beta: float, powers: tuple[float, ...] = (1.0, 2.0)
) -> Iterator[BudgetParts]:
    """Yield the split of α and β at the optimum, mechanism by mechanism.

    Gaussian noise first; then each bounded noise, at its best and held to certainty
    (sample_failure = 0). Ranges as for `max_queries`; raises `ParameterError`.
    """
    n, a, b = SAMPLES.validate(samples), ALPHA.validate(alpha), BETA.validate(beta)
    mechanisms: dict[str, Answers] = {"Gaussian": GaussianAnswers()}
    for power in powers:
        noise = PowerNoise(power)
        mechanisms[f"Bounded, p = {noise.power:g}"] = BoundedAnswers(noise)
        mechanisms[f"Bounded, p = {noise.power:g}, certain"] = BoundedAnswers(noise, certain=True)
    budgets: dict[str, QueryBudget] = {}
    for name, answers in mechanisms.items():
        budgets[name] = _here(answers, n, a, b)
        yield _parts(a, b, dict(budgets))


def _parts(alpha: float, beta: float, budgets: dict[str, QueryBudget]) -> BudgetParts:
    x = np.arange(float(len(budgets)))

    def chart(kind: str, labels: dict[str, str], parts: list[dict[str, float]]) -> Chart:
        curves = tuple(
            Curve(
                key,
                label,
                Subject.BOUNDED,
                Evidence.EXACT,
                _TRANSFER,
                x,
                np.array([part[key] for part in parts]),
            )
            for key, label in labels.items()
        )
        return Chart(Axis("mechanism", "", log=False), Axis(kind, kind, log=False), curves)

    return BudgetParts(
        alpha,
        beta,
        chart("α", PART_LABELS, [budget.alpha_parts for budget in budgets.values()]),
        chart("β", FAILURE_LABELS, [budget.beta_parts for budget in budgets.values()]),
        budgets,
    )
