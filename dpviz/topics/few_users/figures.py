"""Few users: the pictures of the votes, and of the messages in the shuffle model."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray, Subject
from dpviz.topics.few_users.models import MODELS
from dpviz.topics.few_users.views.messages import Messages
from dpviz.topics.few_users.views.votes import Votes
from dpviz.topics.few_users.words import whole

_NARROWEST = 40  # hypotheses on the axis of the votes
_SHOWN_USERS = 40  # whose messages are drawn
_BETWEEN = 100  # pixels from panel to panel, for words of the usual size
_LEFT = {"x": 0, "xref": "paper", "xanchor": "left", "showarrow": False, "align": "left"}


# ---- the votes -----------------------------------------------------------------------------


def votes_figure(result: Votes, theme: Theme) -> Figure:
    """Draw the votes on shared darts above those with own coins; good hypotheses are green."""
    theme = theme.crowded()
    size = result.errors.size
    places = np.arange(size)
    x = Scale.of(Axis("hypothesis", "hypothesis", log=False), _voted(result), 0.0)
    figure = Figure()
    notes: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    good = result.errors <= result.alpha
    colors = np.where(good, theme.subjects[Subject.USER_LEVEL], theme.muted)
    frame, panel = _frame(theme, theme.px(100 if theme.compact else 64))
    panels = (
        ("", "Shared darts", result.shared, result.released, [1 - panel.share, 1.0]),
        ("2", "Own coins", result.own, result.released_own, [0.0, panel.share]),
    )
    for suffix, name, counts, released, domain in panels:
        figure.add_bar(
            x=places,
            y=counts,
            xaxis=f"x{suffix}",
            yaxis=f"y{suffix}",
            marker={"color": colors.tolist(), "line": {"width": 0}},
            width=0.8,
            customdata=result.errors,
            showlegend=False,
            hovertemplate="hypothesis %{x}: %{y} votes, error %{customdata:.3g}<extra></extra>",
        )
        y = Scale.of(Axis("votes", "votes", log=False), np.array([0.0, 1.08 * counts.max()]), 0.0)
        layout[f"xaxis{suffix}"] = settings(x) | {
            "anchor": f"y{suffix}",
            "title": {"text": "hypothesis", "standoff": 2} if suffix else None,
        }
        layout[f"yaxis{suffix}"] = settings(y, panel.height) | {
            "domain": domain,
            "anchor": f"x{suffix}",
        }
        best = int(counts.argmax())
        head = (
            f"<b>{name}</b>: {counts.max():,} of {result.users:,} votes for hypothesis {best}"
            f"<br>{_released(result, released, theme)}"
        )
        look = {"y": domain[1], "yref": "paper", "yanchor": "bottom", "yshift": 6, "xshift": -40}
        notes.append(_LEFT | look | {"text": head})
    return figure.update_layout(
        **frame,
        hovermode="closest",
        showlegend=False,
        annotations=notes,
        **layout,
    )


@dataclass(frozen=True)
class _Panel:
    """One of two panels on top of each other: its height in pixels, and its share of the plot."""

    height: float
    share: float


def _frame(theme: Theme, top: int) -> tuple[dict[str, Any], _Panel]:
    """Return the layout of two panels with so many pixels above them, and what each has."""
    height = theme.height + (180 if theme.compact else 50 if theme.room else 100)
    margin = {"l": theme.px(60), "r": 16, "t": top, "b": theme.px(56)}
    plot = height - margin["t"] - margin["b"]
    each = (plot - theme.px(_BETWEEN)) / 2
    frame = {"template": theme.template(), "height": height, "margin": margin}
    return frame, _Panel(each, each / plot)


def _voted(result: Votes) -> FloatArray:
    """Return the ends of the axis: around what was voted for, and not too narrow."""
    voted = np.flatnonzero(result.shared + result.own)
    low, high, last = int(voted[0]), int(voted[-1]), result.errors.size - 1
    room = max(2, (_NARROWEST - (high - low)) // 2)
    return np.array([max(low - room, 0) - 0.7, min(high + room, last) + 0.7])


def _released(result: Votes, released: Mapping[str, int], theme: Theme) -> str:
    """Tell what each model releases, in red where it is no good hypothesis."""
    parts = []
    for model, chosen in released.items():
        name = model if theme.compact else MODELS[model]
        what = "nothing" if chosen < 0 else f"{chosen}"
        color = theme.text if result.is_good(chosen) else theme.subjects[Subject.DANGER]
        parts.append(f"<span style='color:{color}'>{name}: {what}</span>")
    half = len(parts) // 2
    if theme.compact:
        return f"{'; '.join(parts[:half])}<br>{'; '.join(parts[half:])}"
    return f"released: {'; '.join(parts)}"


# ---- messages in the shuffle ---------------------------------------------------------------


def messages_figure(result: Messages, theme: Theme) -> Figure:
    """Draw the messages of some users, and the exact laws of both estimates around the truth."""
    theme = theme.crowded()
    figure = Figure()
    count = min(_SHOWN_USERS, result.bits.size)
    _add_messages(figure, result, count, theme)
    _add_laws(figure, result, theme)
    frame, panel = _frame(theme, theme.px(60))
    return figure.update_layout(
        **frame,
        barmode="stack",
        bargap=0.15,
        hovermode="closest",
        showlegend=False,
        **_axes(result, count, panel),
        annotations=_headings(result, count, panel.share, theme),
    )


def _add_messages(figure: Figure, result: Messages, count: int, theme: Theme) -> None:
    """Draw what the first users send: their own bit, and noise on top of it."""
    bits, noise = result.bits[:count], (result.above - result.bits)[:count]
    for values, color, name in ((bits, theme.palette[0], "own bit"), (noise, theme.muted, "noise")):
        figure.add_bar(
            x=np.arange(1, count + 1),
            y=values,
            name=name,
            marker={"color": color, "line": {"width": 0}},
            showlegend=False,
            hovertemplate=f"user %{{x}}: %{{y}} messages, {name}<extra></extra>",
        )


def _add_laws(figure: Figure, result: Messages, theme: Theme) -> None:
    """Draw the laws of both estimates, their values in this run (dotted), and the truth."""
    ones, zeros = theme.palette[:2]
    for sign, color, name in ((1, ones, "counting ones"), (-1, zeros, "counting zeros")):
        figure.add_scatter(
            x=sign * result.noise,
            y=result.mass,
            mode="lines",
            name=name,
            line={"color": color, "width": 2.5},
            fill="tozeroy",
            fillcolor=f"{color}33",
            xaxis="x2",
            yaxis="y2",
            hovertemplate="estimate less truth %{x}: %{y:.3g}<extra></extra>",
        )
    low, high = (value - result.truth for value in result.estimates)
    dotted = {"width": 1.5, "dash": "dot"}
    _add_upright(figure, low, 0.9, {"color": zeros, **dotted})
    _add_upright(figure, high, 0.9, {"color": ones, **dotted})
    _add_upright(figure, 0, 1, {"color": theme.text, "width": 2})


def _add_upright(figure: Figure, x: int, top: float, line: dict[str, Any]) -> None:
    """Draw a line upright in the lower panel; top: its end, as a share of the panel."""
    where = {"xref": "x2", "yref": "y2 domain", "x0": x, "x1": x, "y0": 0, "y1": top}
    figure.add_shape(type="line", **where, line=line)


def _axes(result: Messages, count: int, panel: _Panel) -> dict[str, Any]:
    """Return the axes of users and messages, and below them those of errors and their chances."""
    low, _ = result.estimates
    farthest = max(float(result.noise[-1]), float(result.above.sum() - result.truth))
    end = 1.02 * max(farthest, float(result.truth - low), 1.0)
    most = max(1.0, float(result.above[:count].max()))
    users, messages, errors, chances = (
        settings(Scale(Axis(name, name, log=False), low, high), room)
        for name, low, high, room in (
            ("user", 0.4, count + 0.6, math.inf),
            ("messages", 0.0, 1.1 * most, panel.height),
            ("estimate less truth", -end, end, math.inf),
            ("probability", 0.0, 1.1 * float(result.mass.max()), panel.height),
        )
    )
    errors_title = {"text": "estimate less truth", "standoff": 2}
    return {
        "xaxis": users | {"anchor": "y", "title": {"text": "user", "standoff": 2}},
        "yaxis": messages | {"domain": [1 - panel.share, 1]},
        "xaxis2": errors | {"anchor": "y2", "title": errors_title},
        "yaxis2": chances | {"domain": [0, panel.share]},
    }


def _headings(result: Messages, count: int, share: float, theme: Theme) -> list[dict[str, Any]]:
    low, high = result.estimates
    first, second = theme.palette[:2]
    who = f"the first {count} of {result.bits.size:,}" if count < result.bits.size else "all"
    bit = f"<span style='color:{first}'>own bit</span>"
    noise = f"<span style='color:{theme.muted}'>noise</span>"
    top = f"Messages of {who} users: {bit}, {noise}.<br>The analyser sees {high:,} messages, mixed."
    exact = "" if theme.compact else " (laws exact, this run dotted)"
    below = (
        f"<span style='color:{second}'>Counting zeros: {whole(low)}, never above</span> the truth "
        f"{result.truth:,};<br><span style='color:{first}'>counting ones: {high:,}, never below"
        f"</span>{exact}"
    )
    look = {"yref": "paper", "yanchor": "bottom", "yshift": 6, "xshift": -48}
    return [
        _LEFT | look | {"y": 1, "text": top},
        _LEFT | look | {"y": share, "text": below},
    ]
