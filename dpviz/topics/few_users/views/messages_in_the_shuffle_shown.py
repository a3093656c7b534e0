"""Messages in the shuffle: what users send, and what the analyser can conclude."""

import math
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, from_logarithm, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import VOTE
from dpviz.topics.few_users.two_panels_shown import HEADING, Panel, two_panels
from dpviz.topics.few_users.views.messages_in_the_shuffle import Messages, messages_in_the_shuffle

_SHOWN_USERS = 40  # whose messages are drawn


def takeaway(result: Messages) -> str:
    """State between what numbers the analyser knows the count."""
    low, high = (min(max(end, 0), result.bits.size) for end in result.estimates)
    users = f"{result.bits.size:,} users"
    if (low, high) == (0, result.bits.size):
        return f"So much noise hides everything: of {users}, any number may hold a one."
    return (
        f"From the mixed messages the analyser learns that {low:,} to {high:,} users hold a one; "
        f"{result.truth:,} {'does' if result.truth == 1 else 'do'}."
    )


def detail(result: Messages) -> str:
    """State the estimates, the exact δ, and the theorem's."""
    low, high = result.estimates
    users = counted(result.bits.size, "user", digits=7)
    exact = from_logarithm(result.log_privacy)
    return (
        f"{users} hold {counted(result.truth, 'one', digits=7)}. To count ones they send "
        f"{high:,} message{'' if high == 1 else 's'}, never fewer than there are ones; counting "
        f"zeros gives {_whole(low)}, never more. At ε = {readable(result.protocol.epsilon)} "
        f"this r = {readable(result.protocol.dispersion)} gives each count δ = {exact}, "
        f"exactly; {readable(result.delta)} is allowed."
    )


def notes(result: Messages) -> list[str]:
    """Say what is sent, seen and protected."""
    protocol = result.protocol
    return [
        "Each user adds NB(r/n, p) messages of noise, p = e^(−0.2ε); together that is NB(r, p), "
        f"on average {readable(protocol.mean_noise)} messages. The exact error bound: the noise "
        f"exceeds {result.quantile:,} messages with probability at most β = "
        f"{readable(result.beta)}.",
        "The exact δ is the larger hockey-stick divergence between the totals of two inputs "
        "that differ in one user's bit (substitution). It is for one count; making both spends "
        "it twice. Theorem 39 is stated for ε < 1; the exact δ needs no limit.",
        "Selection (Lemma 36) counts every item by its zeros, with ε/2 and δ/2 each. Users send a "
        "message for every item they do not hold, and noise for every item. Each message is "
        "marked with its item. The estimate is n less the messages, so an item that nobody "
        "holds never gets a positive one.",
    ]


def figure(result: Messages, theme: Theme) -> Figure:
    """Draw the messages of some users, and the exact laws of both estimates around the truth."""
    theme = theme.crowded()
    drawn = Figure()
    count = min(_SHOWN_USERS, result.bits.size)
    _add_messages(drawn, result, count, theme)
    _add_laws(drawn, result, theme)
    frame, panel = two_panels(theme, theme.px(60))
    return drawn.update_layout(
        **frame,
        barmode="stack",
        bargap=0.15,
        hovermode="closest",
        showlegend=False,
        **_axes(result, count, panel),
        annotations=_headings(result, count, panel.share, theme),
    )


def _add_messages(drawn: Figure, result: Messages, count: int, theme: Theme) -> None:
    """Draw what the first users send: their own bit, and noise on top of it."""
    bits, noise = result.bits[:count], (result.counting_ones - result.bits)[:count]
    for values, color, name in ((bits, theme.palette[0], "own bit"), (noise, theme.muted, "noise")):
        drawn.add_bar(
            x=np.arange(1, count + 1),
            y=values,
            name=name,
            marker={"color": color, "line": {"width": 0}},
            showlegend=False,
            hovertemplate=f"user %{{x}}: %{{y}} messages, {name}<extra></extra>",
        )


def _add_laws(drawn: Figure, result: Messages, theme: Theme) -> None:
    """Draw the laws of both estimates, their values in this run (dotted), and the truth."""
    ones, zeros = theme.palette[:2]
    for sign, color, name in ((1, ones, "counting ones"), (-1, zeros, "counting zeros")):
        drawn.add_scatter(
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
    _add_upright(drawn, low, 0.9, {"color": zeros, **dotted})
    _add_upright(drawn, high, 0.9, {"color": ones, **dotted})
    _add_upright(drawn, 0, 1, {"color": theme.text, "width": 2})


def _add_upright(drawn: Figure, x: int, top: float, line: dict[str, Any]) -> None:
    """Draw a line upright in the lower panel; top: its end, as a share of the panel."""
    where = {"xref": "x2", "yref": "y2 domain", "x0": x, "x1": x, "y0": 0, "y1": top}
    drawn.add_shape(type="line", **where, line=line)


def _axes(result: Messages, count: int, panel: Panel) -> dict[str, Any]:
    """Return the axes of users and messages, and below them those of errors and their chances."""
    low, _ = result.estimates
    farthest = max(float(result.noise[-1]), float(result.counting_ones.sum() - result.truth))
    end = 1.02 * max(farthest, float(result.truth - low), 1.0)
    most = max(1.0, float(result.counting_ones[:count].max()))
    users, messages, errors, chances = (
        settings(Scale(Axis(name, name, log=False), low, high), room)
        for name, low, high, room in (
            ("user", 0.4, count + 0.6, math.inf),
            ("messages", 0.0, 1.1 * most, panel.height),
            ("estimate less truth", -end, end, math.inf),
            ("probability", 0.0, 1.1 * float(result.mass.max()), panel.height),
        )
    )
    errors_title = {"text": "Estimate less truth", "standoff": 2}
    return {
        "xaxis": users | {"anchor": "y", "title": {"text": "User", "standoff": 2}},
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
        f"<span style='color:{second}'>Counting zeros: {_whole(low)}, never above</span> the truth "
        f"{result.truth:,};<br><span style='color:{first}'>counting ones: {high:,}, never below"
        f"</span>{exact}"
    )
    look = {"yref": "paper", "yanchor": "bottom", "yshift": 6, "xshift": -48}
    return [
        HEADING | look | {"y": 1, "text": top},
        HEADING | look | {"y": share, "text": below},
    ]


def _whole(value: int) -> str:
    """Write a _whole number with a proper minus sign."""
    return f"{value:,}".replace("-", "−")


VIEW = View(
    key="messages",
    title="Messages in the shuffle",
    compute=messages_in_the_shuffle,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("dispersion", *VOTE, "rate", "failure_probability", "seed"),
    in_sight=("users", "epsilon", "dispersion"),
    why="The noise is messages that look like all others, and each user adds next to none of it. "
    "Once all messages are mixed, the noise of all together hides the bit of any one user.",
)
