"""Where α and β go: what the largest number of queries costs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.bounded_noise import PowerNoise
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Result, Subject
from dpviz.results.refining import Pace, paused
from dpviz.topics.adaptive_analysis.baselines import split_sample_queries
from dpviz.topics.adaptive_analysis.kept_budgets import TRANSFER, budget_here
from dpviz.topics.adaptive_analysis.mechanisms import Answers, BoundedAnswers, GaussianAnswers
from dpviz.topics.adaptive_analysis.transfer import ALPHA, BETA, SAMPLES, QueryBudget
from dpviz.topics.adaptive_analysis.tuned import TunedAnswers

PART_LABELS = {
    "sample_error": "error against the sample",
    "privacy": "privacy, e^ε − 1",
    "c": "slack c",
    "d": "slack 2d",
}
"""What α is spent on."""
FAILURE_LABELS = {
    "sample_failure": "the sample's part, β′/c",
    "privacy_failure": "that of privacy, δ/d",
}
"""What β is spent on."""


@dataclass(frozen=True, eq=False)
class BudgetParts(Result):
    """What the optimum spends α and β on, for several mechanisms at one n.

    budgets: by mechanism, in the order of x in both charts, which have a curve for every part.
    mechanisms: the names of all, with those that are not computed yet. split: the questions that a
    fresh part of the sample for each answers, without noise.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "mechanism": "the noise on the answers",
            "queries": "adaptive questions k",
            "alpha_sample_error": "part of the error α that the sample takes",
            "alpha_privacy": "part of α that privacy takes",
            "alpha_c": "part of α: the term c of the transfer theorem",
            "alpha_d": "part of α: the term 2d of the transfer theorem",
            "beta_sample_failure": "part of the failure probability β that the sample takes",
            "beta_privacy_failure": "part of β that privacy takes",
        }
    )

    alpha: float
    beta: float
    alpha_chart: Chart
    beta_chart: Chart
    budgets: Mapping[str, QueryBudget]
    mechanisms: tuple[str, ...]
    split: float

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


def where_the_budget_goes(
    *, samples: float, alpha: float, beta: float, powers: tuple[float, ...] = (1.0, 2.0)
) -> Iterator[BudgetParts]:
    """Yield the split of α and β at the optimum, mechanism by mechanism.

    Gaussian noise first; then each bounded noise, at its best and held to certainty
    (sample_failure = 0); last, noise tuned for the question. Ranges as for `max_queries`; raises
    `ParameterError`.
    """
    n, a, b = SAMPLES.validate(samples), ALPHA.validate(alpha), BETA.validate(beta)
    mechanisms: dict[str, Answers | TunedAnswers] = {"Gaussian": GaussianAnswers()}
    for power in powers:
        noise = PowerNoise(power)
        mechanisms[f"Bounded, p = {noise.power:g}"] = BoundedAnswers(noise)
        mechanisms[f"Bounded, p = {noise.power:g}, certain"] = BoundedAnswers(noise, certain=True)
    mechanisms["Bounded, tuned"] = TunedAnswers()
    budgets = {"Gaussian": budget_here(mechanisms.pop("Gaussian"), n, a, b)}
    every = ("Gaussian", *mechanisms)
    split = split_sample_queries(samples=n, alpha=a, beta=b)
    shown, pace = _parts(a, b, dict(budgets), every, split), Pace()
    yield shown
    for name, answers in mechanisms.items():
        budgets[name] = yield from paused(budget_here.steps(answers, n, a, b), pace, shown)
        shown = _parts(a, b, dict(budgets), every, split)
        yield shown


def _parts(
    alpha: float,
    beta: float,
    budgets: dict[str, QueryBudget],
    mechanisms: tuple[str, ...],
    split: float,
) -> BudgetParts:
    x = np.arange(float(len(budgets)))

    def chart(kind: str, labels: dict[str, str], parts: list[dict[str, float]]) -> Chart:
        curves = tuple(
            Curve(
                key,
                label,
                Subject.BOUNDED,
                Evidence.EXACT,
                TRANSFER,
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
        mechanisms,
        split,
    )
