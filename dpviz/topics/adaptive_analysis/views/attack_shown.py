"""The attack: what an analyst who asks adaptively is told of useless coins.

A few coins are drawn one by one: how often each is right in this sample, the sign it gets, and what
they add up to. Many are a curve for each noise.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot import filling
from dpviz.plot.axes import Scale, settings
from dpviz.plot.chart import traces
from dpviz.plot.ink import LINE
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure, Trace
from dpviz.plot.text import hundredths, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart, Curve, Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number, Value
from dpviz.scene.view import Prediction, View
from dpviz.topics.adaptive_analysis.overfitting import MECHANISMS
from dpviz.topics.adaptive_analysis.views.attack import FEW, AttackChart, attack

_FRAMES = 20
_FRAME = 250  # milliseconds
_PLAY_ROOM = 30  # pixels
_AROUND = (56, 66)  # pixels of the usual size above the panels, and below without the button
_POINT = 0.015  # share of a panel's height, half of a point
_SPARSE = 3  # one of so many simulated points is drawn: their intervals would touch
_FEWEST_RUNS = 5  # the mean of fewer says little, and its interval would fill the panel
_ACCURACIES = (0.0, 1.0)  # what the axis shows: what noise claims of a tiny sample may be beyond
_BESIDE = 0.02  # share of the axis at both ends, for the last interval
_LOW = 0.75  # below this claim there is room above the curve
_CLAIMED = Limit("guess", "%", "of the time, it seems", 50, 100, 55, log=False, step=1)
_RARE = ("shape", "power", "runs")


def takeaway(result: AttackChart) -> str:
    """State what the analyst is told at the end, without noise and with it, beside the truth."""
    claimed = {name: _percent(curve[-1]) for name, curve in result.expected.items()}
    without = (
        "Without noise the analyst is told that a useless predictor is right "
        f"{claimed['empirical']} of the time"
    )
    if claimed["bounded"] == "50%":
        return f"{without}; with bounded noise, 50%, which is the truth."
    return f"{without}; with bounded noise, {claimed['bounded']}. The truth is 50%."


def detail(result: AttackChart) -> str:
    """State how much was asked of how many samples, and what each noise tells the analyst."""
    claimed = {name: _percent(curve[-1]) for name, curve in result.expected.items()}
    coins = "coin" if result.questions == 1 else "coins"
    samples = "sample" if result.sample_size == 1 else "samples"
    return (
        f"After {result.questions:,} useless {coins} on {result.sample_size:,} {samples} the "
        f"combined predictor seems right {claimed['empirical']} of the time; with Gaussian noise "
        f"{claimed['gaussian']}, with bounded noise {claimed['bounded']}."
    )


def notes(result: AttackChart) -> Collection[str]:
    """Say what the points are, and how large the noise on one answer is."""
    notes = [
        f"The noise is the least that keeps all {result.questions + 1:,} answers private: σ = "
        f"{readable(result.sigma)} for Gaussian noise, R = {readable(result.radius)} for "
        "bounded noise. An answer is a number from 0 to 1."
    ]
    if result.runs >= _FEWEST_RUNS:
        notes.append(
            "Lines are the exact expectation of what the analyst is told; points are the mean "
            f"over {result.runs:,} simulated analysts, with 95% intervals."
        )
    return notes


def _percent(share: float) -> str:
    """Write a probability; one that is not 1 never as 100%."""
    text = f"{100 * share:.1f}"
    if text == "100.0" and share < 1:
        return "more than 99.9%"
    return f"{text.removesuffix('.0')}%"


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: p, where the noise has another shape."""
    return set() if values["shape"] == "power" else {"power"}


def figure(result: AttackChart, theme: Theme) -> Figure:
    """Draw claimed and true accuracy as the questions accumulate, a panel for each mechanism.

    A button plays the questions. Few coins, and those that come before what is to be predicted, are
    drawn one by one.
    """
    names = _panels(result, theme)
    if result.questions <= FEW or not names:
        return _coins(result, theme, summed=bool(names) or result.questions > FEW)
    theme = theme.crowded()
    figure, lefts, places = Figure(), {}, {}
    across = Scale.of(result.x, result.stops, _BESIDE)
    up = Scale.of(result.y, np.array(_ACCURACIES), 0.02)
    for number, name in enumerate(names):
        axis, gap = str(number + 1) if number else "", 0.06 if theme.compact else 0.04
        width = (1 - 2 * gap) / len(names)
        left = lefts[name] = number * (width + gap)
        ticks = settings(across)
        if theme.compact:
            # The last would run into the first of the next panel.
            ticks |= {key: ticks[key][:-1:2] for key in ("tickvals", "ticktext")}
        places[f"xaxis{axis}"] = ticks | {
            "domain": [left, left + width],
            "title": {"text": "" if theme.compact and name != names[1] else result.x.label},
        }
        look = {"xaxis": f"x{axis}", "showlegend": not number}
        figure.add_traces(trace | look for trace in _panel(result, name, theme))
    figure.update_layout(shapes=_guess_line(result, theme))
    # While a control moves nobody plays them, and they are most of what is drawn and sent; a path
    # has one control.
    plays = theme.labels != "only"
    still = theme.held is not None or not plays
    figure.frames = [] if still else _frames(figure, result, lefts, theme)
    if theme.labels:  # on a page, where a hand moves the last coin itself
        asked = {"key": "questions", "x": result.questions}
        drag = asked | {"y": float(result.expected[names[0]][-1])}
        figure.update_layout(meta={"drag": drag}, dragmode=False)
    above, below = map(theme.px, _AROUND)
    play_room = 0 if theme.compact and not plays else theme.px(_PLAY_ROOM)  # or the legend's
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + play_room,
        margin={"l": theme.px(44), "r": 16, "t": above, "b": below + play_room},
        hovermode="closest",
        showlegend=not theme.compact,
        yaxis=_in_percent(settings(up)),
        annotations=[*_headings(result, -1, lefts, theme), *_words(result, theme)],
        updatemenus=[play_button(theme, frame=_FRAME, pad=50)] if plays else [],
        **places,
    )


def _headings(
    result: AttackChart, stop: int, lefts: Mapping[str, float], theme: Theme
) -> list[dict[str, Any]]:
    """Write above each panel what it is, and what is claimed at one of the stops."""
    short = ("more than", ">" if theme.compact else "more than")  # a phone has no room for more
    return [
        {
            "text": f"{MECHANISMS[name].capitalize()}:<br>{said} claimed",
            "font": {"color": theme.subjects[result.curve(f"{name}_expected").subject]},
            "align": "left",
            "x": left,
            "xref": "paper",
            "xanchor": "left",
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "showarrow": False,
        }
        for name, left in lefts.items()
        for said in (_percent(result.expected[name][stop]).replace(*short),)
    ]


def _words(result: AttackChart, theme: Theme) -> list[dict[str, Any]]:
    """Say in the first panel what is true, and where there is room how the analyst is fooled."""
    look = {"x": 0.03, "xref": "x domain", "xanchor": "left", "align": "left", "showarrow": False}
    small = {"size": theme.font_size - 1}
    words = [
        look
        | {"text": "true: 50%", "y": 0.5, "yref": "y", "yanchor": "top"}
        | {"font": small | {"color": theme.text}}
    ]
    words += _beyond(result, theme)
    if not math.isnan(result.guess):
        # In the last panel, where the claims stay low.
        last = str(len(_panels(result, theme)))
        text = f"your prediction: {readable(100 * result.guess)}%"
        there = {"xref": f"x{last if last != '1' else ''} domain", "x": 0.97, "xanchor": "right"}
        place = {"y": result.guess, "yref": "y", "yanchor": "bottom"}
        words.append(look | there | place | {"text": text})
    claimed = result.expected["empirical"]
    if theme.compact or theme.scale > 1 or claimed[(2 * claimed.size) // 3] > _LOW:
        return words
    how = "Each coin gets the sign<br>that fits this sample;<br>then all coins vote."
    return [
        *words,
        look | {"text": how, "y": 0.97, "yref": "y domain", "yanchor": "top", "font": small},
    ]


def _beyond(result: AttackChart, theme: Theme) -> list[dict[str, Any]]:
    """Say in each panel how many simulated means are no accuracies, and so are not drawn."""
    if result.runs < _FEWEST_RUNS or theme.labels == "only":
        return []
    notes = []
    for number, name in enumerate(_panels(result, theme)):
        points = _sparse(result.curve(f"{name}_simulated"))
        beyond = int((~_inside(points)).sum())
        if beyond:
            axis = str(number + 1) if number else ""
            text = f"{beyond} of {points.x.size}{'' if theme.compact else ' points'} outside"
            look = {
                "xref": f"x{axis} domain",
                "x": 0.5,
                "yref": "y domain",
                "y": _free(points, theme),
            }
            small = {"size": theme.font_size - 1}
            notes.append(
                look | {"text": text, "yanchor": "bottom", "showarrow": False, "font": small}
            )
    return notes


def _sparse(curve: Curve) -> Curve:
    """Return the points of a simulation that are drawn, the last one among them."""
    some = slice((curve.x.size - 1) % _SPARSE, None, _SPARSE)
    low, high = (None if end is None else end[some] for end in (curve.lower, curve.upper))
    return replace(curve, x=curve.x[some], y=curve.y[some], lower=low, upper=high)


def _free(points: Curve, theme: Theme) -> float:
    """Return the lowest height of the panel at which a line of words covers fewest points.

    Nor do they cover the line of what is true.
    """
    words = LINE * theme.font_size / (theme.height - sum(map(theme.px, _AROUND)))
    at = np.append(points.y[_inside(points)], 0.5)
    heights = np.linspace(_POINT, 1 - words, 40)
    covered = (at > heights[:, None] - _POINT) & (at < heights[:, None] + words + _POINT)
    return float(heights[np.argmin(covered.sum(axis=1))])


def _inside(curve: Curve) -> NDArray[np.bool_]:
    low, high = _ACCURACIES
    return np.asarray((low <= curve.y) & (curve.y <= high))


def _panels(result: AttackChart, theme: Theme) -> list[str]:
    """Return whose claims are drawn: nobody's before they are predicted, else all or the few."""
    keys = {curve.key for curve in result.curves}
    if theme.labels == "only":
        keys &= set(result.in_headline)
    return [name for name in MECHANISMS if f"{name}_expected" in keys]


def _guess_line(result: AttackChart, theme: Theme) -> list[dict[str, Any]]:
    if math.isnan(result.guess):
        return []
    line = {"color": theme.text, "width": 1.5 * theme.scale, "dash": "dash"}
    ends = {"xref": "paper", "x0": 0, "x1": 1, "y0": result.guess, "y1": result.guess}
    return [{"type": "line", "line": line} | ends]


def _coins(result: AttackChart, theme: Theme, *, summed: bool) -> Figure:
    """Draw coins one by one: how often each is right, its sign, and what they add up to."""
    coins, figure = result.coins, Figure()
    count = coins.alone.size
    danger, plain = theme.subjects[Subject.DANGER], theme.subjects[Subject.ITEM_LEVEL]
    rows = -np.arange(count + summed, dtype=float)
    signed = np.append(coins.signed, coins.together) if summed else coins.signed
    ends = 100 * np.concatenate([coins.alone, signed, [0.5], [result.guess]])
    x = Scale.of(Axis("right", "Right in this sample (%)", log=False), ends, 0.12)
    figure.add_scatter(
        x=100 * coins.alone,
        y=rows[:count],
        mode="markers",
        marker={"color": plain, "symbol": "circle-open", "size": 11, "line": {"width": 2}},
        name="a coin",
        hovertemplate="right %{x:.4~g}% of the time<extra></extra>",
        showlegend=False,
    )
    figure.add_scatter(
        x=100 * signed,
        y=rows,
        mode="markers",
        marker={
            "color": [plain] * count + [danger] * summed,
            "size": [11] * count + [15] * summed,
        },
        name="with the sign that fits",
        hovertemplate="with its sign, %{x:.4~g}%<extra></extra>",
        showlegend=False,
    )
    words = [_said_of_coin(result, number) for number in range(count)]
    if summed:
        words.append(f"<b>{'Its' if count == 1 else 'Their'} vote: {_percent(coins.together)}</b>")
    notes = [
        {
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": row + 0.18,
            "yanchor": "bottom",
            "text": text,
            "font": {"size": theme.font_size - 1},
            "bgcolor": theme.background,  # no line runs through words
            "showarrow": False,
        }
        for row, text in zip(rows.tolist(), words, strict=True)
    ]
    turned = [
        {
            "x": 100 * kept,
            "y": row,
            "ax": 100 * alone,
            "ay": row,
            **{"xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": ""},
            **{"showarrow": True, "arrowhead": 2, "arrowcolor": plain, "standoff": 6},
        }
        for row, alone, kept in zip(rows.tolist(), coins.alone, coins.signed, strict=False)
        if alone < kept
    ]
    truth = {"type": "line", "x0": 50, "x1": 50, "yref": "paper", "y0": 0, "y1": 1}
    top = {"x": 50, "y": 1, "yref": "paper", "yanchor": "bottom", "text": "true: 50%"}
    shapes = [truth | {"line": {"color": theme.text, "width": 1.5 * theme.scale}}]
    if not math.isnan(result.guess):
        at = 100 * result.guess
        dashed = {"color": theme.text, "width": 1.5 * theme.scale, "dash": "dash"}
        shapes.append(truth | {"x0": at, "x1": at, "line": dashed})
        guessed = {"x": at, "y": 0, "yref": "paper", "yanchor": "bottom", "showarrow": False}
        notes.append(guessed | {"text": f"your prediction: {readable(at)}%"})
    return figure.update_layout(
        template=theme.template(),
        height=theme.height,
        margin={"l": 16, "r": 16, "t": theme.px(40), "b": theme.px(60)},
        hovermode="closest",
        xaxis=settings(x) | {"title": {"text": x.axis.label}},
        yaxis={"visible": False, "fixedrange": True, "range": [rows[-1] - 0.6, 0.9]},
        shapes=shapes,
        annotations=[*notes, *turned, top | {"showarrow": False}],
    )


def _said_of_coin(result: AttackChart, number: int) -> str:
    """Say how often a coin is right, and which sign it gets."""
    alone, signed = result.coins.alone[number], result.coins.signed[number]
    sign = f"turned round: {_percent(signed)}" if alone < signed else "kept as it is"
    return f"Coin {number + 1}: {_percent(alone)}, {sign}"


def hidden(result: AttackChart) -> AttackChart:
    """Return the result before the answer: what is true, alone."""
    return replace(result, curves=(result.curve("truth"),), in_headline=("truth",))


def marked(result: AttackChart, percent: float) -> AttackChart:
    """Return the result with what the reader thinks is claimed."""
    return replace(result, guess=percent / 100)


def answer(result: AttackChart) -> str:
    """Return what is claimed without noise."""
    return f"{hundredths(result.expected['empirical'][-1])}%"


def _in_percent(axis: dict[str, Any]) -> dict[str, Any]:
    """Write the ticks of an axis of probabilities as the sentence has them."""
    return axis | {"ticktext": [f"{readable(100 * value)}%" for value in axis["tickvals"]]}


def _frames(
    figure: Figure, result: AttackChart, lefts: Mapping[str, float], theme: Theme
) -> list[dict[str, Any]]:
    """Return what a button plays: all curves up to more and more questions, and what they claim.

    The truth grows along: what is filled between two curves begins and ends with both.
    """
    stops = np.unique(np.linspace(1, result.stops.size, _FRAMES).round().astype(int))
    return [
        {
            "name": str(stop),
            "traces": list(range(len(figure.data))),
            "data": [_until(trace, result.stops[stop - 1]) for trace in figure.data],
            "layout": {
                "annotations": [*_headings(result, stop - 1, lefts, theme), *_words(result, theme)]
            },
        }
        for stop in stops.tolist()
    ]


def _panel(result: AttackChart, name: str, theme: Theme) -> list[Trace]:
    """Return the true accuracy, the claimed one, what lies between, and the simulation.

    That of the figure before, faded, while there are too few runs.
    """
    chart: Chart = result
    truth = traces(chart.curve("truth"), chart, theme)
    claimed = traces(chart.curve(f"{name}_expected"), chart, theme)
    color = claimed[0]["line"]["color"]
    claimed[0] |= {"fill": "tonexty", "fillcolor": f"{color}33", "name": "Claimed accuracy, exact"}
    said, look = f"Claimed, mean of {result.runs} simulated runs", {}
    if theme.labels == "only":
        return [*truth, *claimed]
    if result.runs < _FEWEST_RUNS:
        before = filling.stand_in(chart, theme.before)
        if before is None or f"{name}_simulated" not in {c.key for c in before.curves}:
            return [*truth, *claimed]
        said = "Claimed, mean of simulated runs"
        chart, look = before, {"opacity": filling.FADED, "hoverinfo": "skip"}
    points = _sparse(chart.curve(f"{name}_simulated"))
    simulated = traces(replace(points, y=np.where(_inside(points), points.y, np.nan)), chart, theme)
    simulated[0] |= look | {"name": said}
    return [*truth, *claimed, *simulated]


def _until(trace: Trace, stop: float) -> dict[str, Any]:
    """Return the points of a curve up to one number of questions."""
    shown = trace["x"] <= stop
    points: dict[str, Any] = {"x": trace["x"][shown], "y": trace["y"][shown]}
    if "error_y" in trace:
        points["error_y"] = {end: trace["error_y"][end][shown] for end in ("array", "arrayminus")}
    return points


VIEW = View(
    key="attack",
    title="The attack",
    compute=attack,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("sample_size", "questions", "epsilon", "delta", *_RARE, "seed"),
    in_sight=("questions", "sample_size", "epsilon"),
    why="By accident each coin matches the label a little more, or a little less, than half of the "
    "time in this sample. The analyst keeps the sign that fits, and thousands of small accidents "
    "add up to a rule that fits this sample and nothing else, which is why one data set can't "
    "answer everything. Noise hides the accidents.",
    idle=idle_controls,
    first_seconds=2.0,
    prediction=Prediction(
        question="Each of k coins guesses everybody's yes or no blindly. Coins that are wrong more "
        "often than right are turned round; then all vote. How often is the vote right in this "
        "sample, in percent?",
        guess=Number(_CLAIMED),
        hide=hidden,
        answer=answer,
        value=lambda result: 100 * float(result.expected["empirical"][-1]),
        mark=marked,
    ),
)
