"""Few users: what is sent in the shuffle model, in a picture and in words."""

import math
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.spec import Figure
from dpviz.plot.text import power_of_ten, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis
from dpviz.topics.few_users.views.messages import Messages

_SHOWN_USERS = 40
_PANEL = 0.36  # of the height
_LEFT = {"x": 0, "xref": "paper", "xanchor": "left", "showarrow": False, "align": "left"}


def messages_figure(result: Messages, theme: Theme) -> Figure:
    """Draw the messages of some users, and the exact laws of both estimates around the truth."""
    first, second, grey = theme.palette[0], theme.palette[1], theme.muted
    count = min(_SHOWN_USERS, result.bits.size)
    users = np.arange(1, count + 1)
    bits, noise = result.bits[:count], (result.above - result.bits)[:count]
    figure = Figure()
    for values, color, name in ((bits, first, "own bit"), (noise, grey, "noise")):
        figure.add_bar(
            x=users,
            y=values,
            name=name,
            marker={"color": color, "line": {"width": 0}},
            showlegend=False,
            hovertemplate=f"user %{{x}}: %{{y}} messages, {name}<extra></extra>",
        )
    for sign, color, name in ((1, first, "counting ones"), (-1, second, "counting zeros")):
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
    low, high = result.estimates
    for value, color in ((low, second), (high, first)):
        figure.add_shape(
            type="line",
            xref="x2",
            yref="y2 domain",
            x0=value - result.truth,
            x1=value - result.truth,
            y0=0,
            y1=0.9,
            line={"color": color, "width": 1.5, "dash": "dot"},
        )
    figure.add_shape(
        type="line",
        xref="x2",
        yref="y2 domain",
        x0=0,
        x1=0,
        y0=0,
        y1=1,
        line={"color": theme.text, "width": 2},
    )
    farthest = max(float(result.noise[-1]), float(result.above.sum() - result.truth))
    ends = 1.02 * max(farthest, float(result.truth - low), 1.0)
    xs = Scale.of(Axis("user", "user", log=False), np.array([0.4, count + 0.6]), 0.0)
    most = max(1.0, float(result.above[:count].max()))
    ys = Scale.of(Axis("messages", "messages", log=False), np.array([0.0, 1.1 * most]), 0.0)
    errors = Scale.of(Axis("error", "estimate less truth", log=False), np.array([-ends, ends]), 0.0)
    high_mass = Scale.of(
        Axis("probability", "probability", log=False),
        np.array([0.0, 1.1 * float(result.mass.max())]),
        0.0,
    )
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + (180 if theme.compact else 100),
        margin={"l": 64, "r": 16, "t": 56, "b": 56},
        barmode="stack",
        bargap=0.15,
        hovermode="closest",
        showlegend=False,
        xaxis=settings(xs) | {"anchor": "y", "title": {"text": "user", "standoff": 2}},
        yaxis=settings(ys) | {"domain": [1 - _PANEL, 1]},
        xaxis2=settings(errors)
        | {"anchor": "y2", "title": {"text": "estimate less truth", "standoff": 2}},
        yaxis2=settings(high_mass) | {"domain": [0, _PANEL]},
        annotations=_message_words(result, count, first, second, theme),
    )


def _message_words(
    result: Messages, count: int, first: str, second: str, theme: Theme
) -> list[dict[str, Any]]:
    low, high = result.estimates
    who = f"the first {count} of {result.bits.size:,}" if count < result.bits.size else "all"
    bit = f"<span style='color:{first}'>own bit</span>"
    noise = f"<span style='color:{theme.muted}'>noise</span>"
    top = f"Messages of {who} users: {bit}, {noise}.<br>The analyser sees {high:,} messages, mixed."
    exact = "" if theme.compact else " (laws exact, this run dotted)"
    below = (
        f"<span style='color:{second}'>Counting zeros: {_whole(low)}, never above</span> the truth "
        f"{result.truth:,};<br><span style='color:{first}'>counting ones: {high:,}, never below"
        f"</span>{exact}"
    )
    look = {"yref": "paper", "yanchor": "bottom", "yshift": 6, "xshift": -48}
    return [
        _LEFT | look | {"y": 1, "text": top},
        _LEFT | look | {"y": _PANEL, "text": below},
    ]


def messages_takeaway(result: Messages) -> str:
    """State the estimates, the exact δ, and the theorem's."""
    low, high = result.estimates
    tiny = result.log_privacy < -690  # below what a double holds
    power = power_of_ten(round(max(result.log_privacy, -1e6) / math.log(10)))
    exact = f"about {power}" if tiny else readable(math.exp(result.log_privacy))
    return (
        f"{result.bits.size:,} users hold {result.truth:,} ones. Counting ones they send "
        f"{high:,} messages, never fewer; counting zeros gives {_whole(low)}, never more. At "
        f"ε = {readable(result.protocol.epsilon)} this r = {readable(result.protocol.dispersion)} "
        f"gives each count δ = {exact}, exactly; allowed is {readable(result.delta)}."
    )


def messages_notes(result: Messages) -> list[str]:
    """Say what is sent, seen and protected."""
    protocol = result.protocol
    return [
        f"Each user adds NB(r/n, p) messages of noise, p = e^(−0.2ε); together that is NB(r, p), "
        f"on average {readable(protocol.mean_noise)} messages. It exceeds {result.quantile:,} with "
        f"probability at most β = {readable(result.beta)}: the error bound, exactly.",
        "The exact δ is the larger hockey-stick divergence between the totals of two inputs that "
        "differ in one user's bit (substitution). It is that of one count: who makes both spends "
        "it twice. Theorem 39 is stated for ε < 1; the exact δ needs no limit.",
        "Selection (Lemma 36) counts every item by its zeros, with ε/2 and δ/2 each: for every "
        "item a user does not hold they send a message, and noise, all marked with the item. What "
        "is missing to n is the estimate, so an item that nobody holds never gets a positive one.",
    ]


def _whole(value: int) -> str:
    """Return a whole number with a proper minus sign."""
    return f"{value:,}".replace("-", "−")
