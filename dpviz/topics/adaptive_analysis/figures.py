"""Adaptive analysis: the attack, the questions that samples bear, and what they are paid with."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.chart import draw, traces
from dpviz.plot.panels import stacked
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure, Trace
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Evidence, Mark, Subject
from dpviz.topics.adaptive_analysis.overfitting import MECHANISMS, AttackResult
from dpviz.topics.adaptive_analysis.transfer import QueryBudget
from dpviz.topics.adaptive_analysis.views import BudgetParts, QueryCurves

_FRAMES = 20
_FRAME = 250  # milliseconds
_PLAY_ROOM = 30  # pixels
_SPARSE = 3  # one of so many simulated points is drawn: their intervals would touch
_PARTS = {  # places in the palette: what is not about a mechanism keeps off its colours
    "sample_error": 7,
    "privacy": 8,
    "c": 9,
    "d": 4,
    "sample_failure": 7,
    "privacy_failure": 8,
}
_FEWEST_RUNS = 5  # the mean of fewer says little, and its interval would fill the panel
_ROW = 0.42  # height of a bar, of 1 from bar to bar


# ---- the attack ----------------------------------------------------------------------------


def attack_figure(result: AttackResult, theme: Theme) -> Figure:
    """Draw claimed and true accuracy as the questions accumulate, a panel for each mechanism.

    A button plays the questions.
    """
    figure, notes, places = Figure(), [], {}
    across = Scale.of(result.chart.x, result.stops, 0.0)
    shown = [result.chart.curve("truth"), *result.chart.curves]
    up = Scale.of(result.chart.y, np.concatenate([c.y for c in shown]), 0.08)
    for number, (name, label) in enumerate(MECHANISMS.items()):
        subject = result.chart.curve(f"{name}_expected").subject
        axis, gap = str(number + 1) if number else "", 0.06 if theme.compact else 0.04
        width = (1 - 2 * gap) / len(MECHANISMS)
        left = number * (width + gap)
        ticks = settings(across)
        if theme.compact:
            ticks |= {key: ticks[key][::2] for key in ("tickvals", "ticktext")}
        places[f"xaxis{axis}"] = ticks | {
            "domain": [left, left + width],
            "title": {"text": "" if theme.compact and number != 1 else result.chart.x.label},
        }
        look = {"xaxis": f"x{axis}", "showlegend": not number}
        figure.add_traces(trace | look for trace in _panel(result, name, theme))
        notes.append(
            {
                "text": f"{label.capitalize()}:<br>{_percent(result.expected[name][-1])} claimed",
                "font": {"color": theme.subjects[subject]},
                "align": "left",
                "x": left,
                "xref": "paper",
                "xanchor": "left",
                "y": 1,
                "yref": "paper",
                "yanchor": "bottom",
                "showarrow": False,
            }
        )
    stops = np.unique(np.linspace(1, result.stops.size, _FRAMES).round().astype(int))
    truth = {
        i
        for i, trace in enumerate(figure.data)
        if trace["name"] == result.chart.curve("truth").label
    }
    moved = [i for i in range(len(figure.data)) if i not in truth]
    # While a control moves nobody plays them, and they are most of what is drawn and sent.
    moving = theme.held is not None
    figure.frames = [
        {
            "name": str(stop),
            "traces": moved,
            "data": [_until(figure.data[i], result.stops[stop - 1]) for i in moved],
        }
        for stop in (() if moving else stops.tolist())
    ]
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + _PLAY_ROOM,
        margin={"l": 44, "r": 16, "t": 56, "b": 66 + _PLAY_ROOM},
        hovermode="closest",
        showlegend=not theme.compact,
        yaxis=settings(up),
        annotations=notes,
        updatemenus=[play_button(theme, frame=_FRAME, pad=50)],
        **places,
    )


def _panel(result: AttackResult, name: str, theme: Theme) -> list[Trace]:
    """Return the true accuracy, the claimed one, what lies between, and the simulation."""
    chart = result.chart
    truth = traces(chart.curve("truth"), chart, theme)
    claimed = traces(chart.curve(f"{name}_expected"), chart, theme)
    color = claimed[0]["line"]["color"]
    claimed[0] |= {"fill": "tonexty", "fillcolor": f"{color}33", "name": "Claimed accuracy, exact"}
    if result.runs < _FEWEST_RUNS:
        return [*truth, *claimed]
    sparse = slice((result.stops.size - 1) % _SPARSE, None, _SPARSE)  # the last one among them
    curve = chart.curve(f"{name}_simulated")
    parts = {key: getattr(curve, key)[sparse] for key in ("x", "y", "lower", "upper")}
    simulated = traces(replace(curve, **parts), chart, theme)
    simulated[0]["name"] = f"Claimed, mean of {result.runs} simulated runs"
    return [*truth, *claimed, *simulated]


def _until(trace: Trace, stop: float) -> dict[str, Any]:
    """Return the points of a curve up to one number of questions."""
    shown = trace["x"] <= stop
    points: dict[str, Any] = {"x": trace["x"][shown], "y": trace["y"][shown]}
    if "error_y" in trace:
        points["error_y"] = {end: trace["error_y"][end][shown] for end in ("array", "arrayminus")}
    return points


def attack_takeaway(result: AttackResult) -> str:
    """State what the analyst is told at the end, beside the truth."""
    told = {name: _percent(curve[-1]) for name, curve in result.expected.items()}
    coins = "coin" if result.questions == 1 else "coins"
    return (
        f"After asking about {result.questions:,} useless {coins} on {result.sample_size:,} "
        f"samples, the analyst is told that the combined predictor is right {told['empirical']} "
        f"of the time; with Gaussian noise {told['gaussian']}, with bounded noise "
        f"{told['bounded']}. The truth is 50%."
    )


def attack_notes(result: AttackResult) -> Collection[str]:
    """Say what the points are, and how large the noise on one answer is."""
    notes = [
        f"The noise is the least that keeps all {result.questions + 1:,} answers private: "
        f"σ = {readable(result.sigma)} for Gaussian noise, R = {readable(result.radius)} for "
        "bounded noise, where an answer is a number from 0 to 1."
    ]
    if result.runs >= _FEWEST_RUNS:
        notes.append(
            f"Lines: the exact expectation of what the analyst is told. Points: the mean over "
            f"{result.runs:,} simulated analysts, with 95% intervals."
        )
    return notes


def _percent(share: float) -> str:
    """Write a probability; one that is not 1 never as 100%."""
    text = f"{100 * share:.1f}"
    if text == "100.0" and share < 1:
        return "more than 99.9%"
    return f"{text.removesuffix('.0')}%"


# ---- questions against samples ---------------------------------------------------------------


def queries_figure(result: QueryCurves, theme: Theme) -> Figure:
    """Draw the questions against the samples, and below by how much bounded noise is ahead."""
    known = tuple(curve for curve in result.chart.curves if np.isfinite(curve.y).any())
    ahead = tuple(curve for curve in result.ratio.curves if np.isfinite(curve.y).any())
    upper = replace(result.chart, curves=known)
    if not ahead:
        return draw(upper, theme)
    return stacked(upper, replace(result.ratio, curves=ahead, here=upper.here), theme)


def queries_takeaway(result: QueryCurves) -> str:
    """State the questions at the reader's n for the best noise, for Gaussian, and by splitting."""
    bounded = [(key, b) for key, b in result.here.items() if not _other(key)]
    n, within = readable(result.samples, 6), f"within α = {readable(result.alpha)}"
    sure = f"all but with probability β = {readable(result.beta)}"
    if not bounded:
        return (
            f"How many adaptive questions {n} samples answer {within}, {sure}, is not computed yet."
        )
    key, best = max(bounded, key=lambda item: item[1].queries)
    gaussian = result.here["gaussian"].queries
    noise = f"bounded noise with {_noise(key)}"
    if not max(best.queries, gaussian, result.split):
        return f"No mechanism here answers even one question {within}, {sure}, from {n} samples."
    if best.queries <= result.split:
        return (
            f"{n} samples answer {_count(result.split)} adaptive {_questions(result.split)} "
            f"{within}, {sure}, with a fresh part of the sample for each; with {noise} it would be "
            f"{_count(best.queries)}, with Gaussian noise {_count(gaussian)}."
        )
    ahead = f", where Gaussian noise answers {_count(gaussian)}"
    if gaussian:
        ahead = f": {readable(best.queries / gaussian)} times as many as by Gaussian noise "
        ahead += f"({_count(gaussian)})"
    return (
        f"{n} samples answer {_count(best.queries)} adaptive {_questions(best.queries)} {within}, "
        f"{sure}, by {noise}{ahead}. With a fresh part of the sample for each it would be "
        f"{_count(result.split)}.{_as_published(result, gaussian)}"
    )


def _as_published(result: QueryCurves, gaussian: float) -> str:
    """Say what the paper's radius bears, p by p, if it is shown."""
    times = [
        f"{readable(budget.queries / gaussian, 4)} times for {_noise(key)}"
        for key, budget in result.here.items()
        if key.startswith("published") and gaussian
    ]
    return f" As published, with β′ = 0: {' and '.join(times)}." if times else ""


def queries_notes(result: QueryCurves) -> Collection[str]:
    """Say what the curves bound, where they end and what is greyed out."""
    notes = [
        "Solid curves are proven lower bounds: the parameters found prove that many questions; a "
        "better choice of them, or a better transfer theorem, could bear more.",
        "The lower panel divides what is proven for bounded noise by what is proven for Gaussian "
        "noise: a comparison of two proofs, not a bound.",
    ]
    if any(c.evidence is Evidence.ASYMPTOTIC and c.key != "corollary" for c in result.chart.curves):
        notes.append(
            "Beyond 10¹⁰ questions R/σ is taken from its limit for many questions, hence dashed."
        )
    if any(c.key == "corollary" and not np.all(c.holds) for c in result.chart.curves):
        notes.append(f"Corollary 1.3 is grey where {_assumption(result.chart)} fails.")
    return notes


def _assumption(chart: Chart) -> str:
    return chart.curve("corollary").assumption


def _other(key: str) -> bool:
    return key == "gaussian" or key.startswith("published")


def _noise(key: str) -> str:
    return "the best p" if key == "best" else f"p = {key.partition('_')[2]}"


def _count(queries: float) -> str:
    if not queries:
        return "none"
    return f"{queries:,.0f}" if queries < 1e7 else readable(queries)


def _questions(queries: float) -> str:
    return "question" if queries == 1 else "questions"


def queries_unknown(result: QueryCurves) -> QueryCurves:
    """Return the curves before the answer: all but those of bounded noise."""
    known = tuple(c for c in result.chart.curves if c.subject is not Subject.BOUNDED)
    ratio = replace(result.ratio, curves=())
    return replace(result, chart=replace(result.chart, curves=known), ratio=ratio)


def queries_answer(result: QueryCurves) -> str:
    """Return in words how many times as many questions bounded noise answers."""
    most = max((b.queries for key, b in result.here.items() if not _other(key)), default=0.0)
    gaussian = result.here["gaussian"].queries if result.here else 0.0
    return f"{readable(most / gaussian)} times as many" if gaussian else ""


def queries_guessed(result: QueryCurves, times: float) -> QueryCurves:
    """Return the curves with a predicted ratio at the reader's n."""
    marks = (*result.ratio.marks, Mark(result.samples, times, "your prediction"))
    return replace(result, ratio=replace(result.ratio, marks=marks))


# ---- where the budget goes ---------------------------------------------------------------------


def budget_figure(result: BudgetParts, theme: Theme) -> Figure:
    """Draw what α and β are spent on: a bar for each mechanism, α above, β below."""
    figure = Figure()
    annotations: list[dict[str, Any]] = []
    panels = ((result.alpha_chart, "y", (0.56, 1.0)), (result.beta_chart, "y2", (0.0, 0.4)))
    for chart, axis, _ in panels:
        base = np.zeros(len(result.budgets))
        for curve in chart.curves:
            figure.add_bar(
                x=curve.y,
                y=-curve.x,
                base=base,
                orientation="h",
                width=_ROW,
                offset=-_ROW,
                marker={"color": theme.palette[_PARTS[curve.key]]},
                name=curve.label,
                legend="legend" if axis == "y" else "legend2",
                xaxis="x" if axis == "y" else "x2",
                yaxis=axis,
                hovertemplate=f"{curve.label}: %{{x:.3g}}<extra></extra>",
            )
            base = base + curve.y
        annotations += _rows(result.budgets, axis, theme)
    rows = {
        "range": [-len(result.budgets) + 0.4, 0.75],
        "showticklabels": False,
        "showgrid": False,
        "fixedrange": True,
    }
    legend = {"orientation": "h", "x": 0, "yref": "paper", "yanchor": "bottom"}
    return figure.update_layout(
        template=theme.template(),
        height=round(1.5 * theme.height),
        barmode="overlay",
        hovermode="closest",
        margin={"l": 16, "r": 24, "t": 44 if not theme.compact else 16, "b": 48},
        showlegend=not theme.compact,
        legend=legend | {"y": panels[0][2][1]},
        legend2=legend | {"y": panels[1][2][1]},
        xaxis={"title": {"text": "accuracy α", "standoff": 4}, "range": [0, result.alpha]},
        xaxis2={
            "title": {"text": "failure probability β", "standoff": 4},
            "range": [0, result.beta],
            "anchor": "y2",
        },
        yaxis=rows | {"domain": panels[0][2]},
        yaxis2=rows | {"domain": panels[1][2], "anchor": "x2"},
        annotations=annotations,
    )


def _rows(budgets: Mapping[str, QueryBudget], axis: str, theme: Theme) -> list[dict[str, Any]]:
    """Write above each bar which mechanism it is, and in the upper panel what it bears."""
    return [
        {
            "text": f"{name}: {_count(budget.queries)} {_questions(budget.queries)}"
            if axis == "y"
            else name,
            "x": 0,
            "xref": "x" if axis == "y" else "x2",
            "xanchor": "left",
            "y": -row,
            "yref": axis,
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": theme.font_size - 1},
        }
        for row, (name, budget) in enumerate(budgets.items())
    ]


def budget_takeaway(result: BudgetParts) -> str:
    """State what the best mechanism spends α and β on."""
    name, best = max(result.budgets.items(), key=lambda item: item[1].queries)
    if not best.queries:
        return (
            f"At n = {readable(best.samples)} no split of α = {readable(best.alpha)} bears a "
            "single question."
        )
    parts, failure = best.alpha_parts, best.beta_parts
    return (
        f"{name} bears most, {_count(best.queries)} {_questions(best.queries)}: of "
        f"α = {readable(best.alpha)} it spends {readable(parts['sample_error'], 2)} on noise, "
        f"{readable(parts['privacy'], 2)} on privacy (ε = {readable(best.epsilon, 2)}) and "
        f"{readable(parts['c'] + parts['d'], 2)} on what may go wrong; of β, "
        f"{readable(100 * failure['privacy_failure'] / best.beta, 3)}% on δ."
    )
