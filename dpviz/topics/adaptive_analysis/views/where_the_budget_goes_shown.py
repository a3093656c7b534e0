"""Where the budget goes: what α and β are spent on, mechanism by mechanism."""

from typing import Any

import numpy as np

from dpviz.plot import filling
from dpviz.plot.axes import from_zero
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
_CERTAIN = "certain"
# Margins left and right of the bars, in sizes of letters: the names, and seven digits with commas.
_BESIDE = 7.2, 5.3
_TINY = 1e-3  # the end of an axis whose ticks are powers of ten
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
    """Draw what α and β are spent on: a bar for each mechanism, α above, β below.

    On a projector, which is low, they are side by side.
    """
    figure = Figure()
    annotations: list[dict[str, Any]] = []
    beside = bool(theme.room) and theme.scale > 1 and not theme.compact
    across = ((0.0, 0.46), (0.54, 1.0)) if beside else ((0.0, 1.0),) * 2
    up = (
        ((0.0, 1.0),) * 2
        if beside
        else ((0.57 if theme.compact else 0.61, 1.0), (0.0, 0.43 if theme.compact else 0.36))
    )
    for chart, axis in ((result.alpha_chart, "y"), (result.beta_chart, "y2")):
        _add_bars(figure, chart, axis, theme)
        annotations += _rows(result, axis, theme, named=axis == "y" or not beside)
    rows = {
        "range": [-len(result.mechanisms) + 0.4, 0.75],
        "showticklabels": False,
        "showgrid": False,
        "fixedrange": True,
    }
    legend = {"orientation": "v" if beside else "h", "yref": "paper", "yanchor": "bottom"}
    above = (5 if beside else 0) * theme.font_size  # for the longer legend
    return figure.update_layout(
        template=theme.template(),
        height=round((1.5 if theme.compact else 1.0 if theme.room else 1.25) * theme.height),
        barmode="overlay",
        hovermode="closest",
        margin={"l": 16, "r": 24, "t": 16, "b": 48}
        if theme.compact
        else {
            "l": round(_BESIDE[0] * theme.font_size),
            "r": round(_BESIDE[1] * theme.font_size),
            "t": 44 + above,
            "b": theme.px(48),
        },
        showlegend=not theme.compact,
        legend=legend | {"x": across[0][0], "y": up[0][1]},
        legend2=legend | {"x": across[1][0], "y": up[1][1]},
        xaxis=from_zero(result.alpha, most=5)
        | {"title": {"text": "Error allowed, α", "standoff": 4}, "domain": across[0]},
        xaxis2=from_zero(result.beta, most=2 if result.beta < _TINY else 5)
        | {"title": {"text": "Failure probability allowed, β", "standoff": 4}}
        | {"domain": across[1], "anchor": "y2"},
        yaxis=rows | {"domain": up[0]},
        yaxis2=rows | {"domain": up[1], "anchor": "x2"},
        annotations=annotations,
    )


def _add_bars(figure: Figure, chart: Chart, axis: str, theme: Theme) -> None:
    """Draw the parts of one budget, end to end, a row for each mechanism.

    For those that are not known yet the rows of the figure before, faded.
    """
    before = filling.stand_in(chart, theme.before) if theme.partial else None
    known = chart.curves[0].y.size
    base = np.zeros(known)
    faded = np.zeros(0 if before is None else max(before.curves[0].y.size - known, 0))
    for curve in chart.curves:
        look = {
            "orientation": "h",
            "width": _ROW,
            "offset": -_ROW,
            "marker": {"color": theme.palette[_PARTS[curve.key]]},
            "name": curve.label,
            "legend": "legend" if axis == "y" else "legend2",
            "xaxis": "x" if axis == "y" else "x2",
            "yaxis": axis,
        }
        hover = f"{curve.label}: %{{x:.3g}}<extra></extra>"
        figure.add_bar(**look, x=curve.y, y=-curve.x, base=base, hovertemplate=hover)
        base = base + curve.y
        if before is not None and faded.size:
            then = before.curve(curve.key)
            rows = {"x": then.y[known:], "y": -then.x[known:], "base": faded}
            old = {"opacity": filling.FADED, "hoverinfo": "skip", "showlegend": False}
            figure.add_bar(**look, **rows, **old)
            faded = faded + then.y[known:]


def _rows(result: BudgetParts, axis: str, theme: Theme, *, named: bool) -> list[dict[str, Any]]:
    """Write which mechanism each bar is, and in the upper panel what it answers.

    On a phone above the bar, else beside it, where they are `named`.
    """
    look = {"yref": axis, "showarrow": False, "font": {"size": theme.font_size - 1}}
    notes = []
    for row, name in enumerate(result.mechanisms):
        budget = result.budgets.get(name) if axis == "y" else None
        answers = f"{count(budget.queries)} {questions(budget.queries)}" if budget else ""
        if theme.compact:
            text = f"{name}: {answers}" if answers else name
            above = {"x": 0, "xref": f"x{axis[1:]}", "xanchor": "left", "yanchor": "bottom"}
            notes.append(look | above | {"text": text, "y": -row})
            continue
        beside = look | {"xref": "paper", "yanchor": "middle", "y": -row - _ROW / 2}
        if named:
            # The same noise with certainty stands below the one without.
            short = _CERTAIN.capitalize() if name.endswith(_CERTAIN) else name
            notes.append(beside | {"text": short, "x": 0, "xanchor": "right", "xshift": -8})
        if budget:
            right = {"x": 1, "xanchor": "left", "xshift": 6}
            notes.append(beside | right | {"text": count(budget.queries)})
    if axis == "y" and not theme.compact:
        above = {"x": 1, "y": 0.6, "xref": "paper", "xanchor": "right", "yanchor": "middle"}
        shift = round(_BESIDE[1] * theme.font_size) - 2
        notes.append(look | above | {"text": "questions", "xshift": shift})
    return notes


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
