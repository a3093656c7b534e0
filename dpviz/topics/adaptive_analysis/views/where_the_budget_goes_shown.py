"""Where the budget goes: what α and β are spent on, mechanism by mechanism."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpviz.plot import filling
from dpviz.plot.marks import Bars, Text, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import hundredths, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart
from dpviz.scene.view import View
from dpviz.topics.adaptive_analysis.question_shown import ASKED, POWER, count, questions
from dpviz.topics.adaptive_analysis.views.where_the_budget_goes import (
    BudgetParts,
    where_the_budget_goes,
)

_PARTS = {  # places in the palette: what is not about a mechanism keeps off its colours
    "sample_error": 7,
    "privacy": 8,
    "c": 9,
    "d": 4,
    "sample_failure": 7,
    "privacy_failure": 8,
}
_Parts = Mapping[str, tuple[int, list[Bars]]]
_ROW = 0.42  # height of a bar, of 1 from bar to bar


def takeaway(result: BudgetParts) -> str:
    """State which noise answers most questions, and what its error is spent on, or splitting."""
    name, best = max(result.budgets.items(), key=lambda item: item[1].queries)
    n, far = readable(best.samples), "" if _is_whole(result) else " so far"
    if not max(best.queries, result.split):
        return f"From {n} samples neither splitting them nor noise answers one question so well."
    if best.queries <= result.split:
        return (
            f"Splitting the {n} samples, a fresh part for each question, answers most{far}, "
            f"{count(result.split)}; noise answers {count(best.queries)}."
        )
    share = best.alpha_parts["sample_error"] / best.alpha
    return (
        f"Of these noises {_in_a_sentence(name)} noise answers the most questions{far}, "
        f"{count(best.queries)}; {hundredths(share, digits=2)}% of the error allowed goes into it."
    )


def _in_a_sentence(name: str) -> str:
    first, _, kind = name.partition(", ")
    noise = first if first == "Gaussian" else first.lower()
    return f"tuned {noise}" if kind == "tuned" else noise


def _is_whole(result: BudgetParts) -> bool:
    return len(result.budgets) == len(result.mechanisms)


def detail(result: BudgetParts) -> str:
    """State what the best mechanism spends α and β on, and what splitting answers."""
    name, best = max(result.budgets.items(), key=lambda item: item[1].queries)
    split = f"A fresh part of the samples for each question answers {count(result.split)}."
    if not best.queries:
        return (
            f"At n = {readable(best.samples)} no split of α = {readable(best.alpha)} is found with "
            f"which noise answers a question. {split}"
        )
    parts, failure = best.alpha_parts, best.beta_parts
    return (
        f"Of these noises {name} answers most, {count(best.queries)} {questions(best.queries)}. Of "
        f"α = {readable(best.alpha)} it spends {readable(parts['sample_error'], 2)} on noise, "
        f"{readable(parts['privacy'], 2)} on privacy (ε = {readable(best.epsilon, 2)}) and "
        f"{readable(parts['c'] + parts['d'], 2)} on failures. Of β it spends "
        f"{hundredths(failure['privacy_failure'] / best.beta)}% on δ. {split}"
    )


def figure(result: BudgetParts, theme: Theme) -> Figure:
    """Draw what α and β are spent on, a bar for each mechanism, and what it answers."""
    answers = {
        name: f"{name}: {count(budget.queries)} {questions(budget.queries)}"
        for name, budget in result.budgets.items()
    }
    error, failure = (
        _spent(chart, filling.stand_in(chart, theme.before))
        for chart in (result.alpha_chart, result.beta_chart)
    )
    names = result.mechanisms
    alpha = _panel(error, "Error", "α", result.alpha, [answers.get(name, name) for name in names])
    beta = _panel(failure, "Failure probability", "β", result.beta, names)
    return stacked(theme, [alpha, beta], tall=0.75, beside=1)


def _panel(parts: _Parts, what: str, symbol: str, whole: float, names: Sequence[str]) -> Panel:
    """Return a row for each mechanism, and above what the colours mean."""
    colors = [tinted(f"■\N{NO-BREAK SPACE}{part}", about) for part, (about, _) in parts.items()]
    two = [" ".join(colors[at : at + 2]) for at in range(0, len(colors), 2)]
    said = [Text(name, 0, -row, to="NE", small=True) for row, name in enumerate(names)]
    return Panel(
        Side(0, whole),
        Side.bare(-len(names) + 0.4, 0.75),
        [*(bar for _, bars in parts.values() for bar in bars), *said],
        above=f"{what} allowed, {symbol}, goes into<br>{'<br>'.join(two)}",
    )


def _spent(chart: Chart, before: Chart | None) -> _Parts:
    """Return the parts of one budget, end to end, by their names, with their colours.

    For mechanisms that are not known yet the rows of the figure before, faded.
    """
    known = chart.curves[0].y.size
    known, ends, parts = chart.curves[0].y.size, np.zeros(0), dict[str, tuple[int, list[Bars]]]()
    for curve in chart.curves:
        then = curve if before is None else before.curve(curve.key)
        y = np.concatenate([curve.y, then.y[known:]])
        base = ends if ends.size else np.zeros(y.size)
        ends = base + y
        about, said = _PARTS[curve.key], f"{curve.label}: %{{x:.3g}}"
        look: dict[str, Any] = {"lying": True, "wide": _ROW, "beside": -_ROW, "about": about}
        rows, now, old = -np.arange(float(y.size)), slice(known), slice(known, None)
        bars = [Bars(rows[now], y[now], base=base[now], said=said, **look)]
        if y.size > known:
            bars.append(Bars(rows[old], y[old], base=base[old], seen=filling.FADED, **look))
        parts[curve.label] = about, bars
    return parts


VIEW = View(
    key="budget",
    title="Where the budget goes",
    compute=where_the_budget_goes,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=lambda _: [POWER],
    parameters=ASKED,
)
