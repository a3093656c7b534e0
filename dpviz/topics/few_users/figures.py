"""Few users: the pictures of votes and messages, and what all views say."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.spec import Figure
from dpviz.plot.text import power_of_ten, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray, Subject
from dpviz.topics.few_users.models import MODELS
from dpviz.topics.few_users.stability import Measured
from dpviz.topics.few_users.views.agreement import AgreementChart
from dpviz.topics.few_users.views.messages import Messages
from dpviz.topics.few_users.views.parity import ParityChart
from dpviz.topics.few_users.views.success import SuccessChart
from dpviz.topics.few_users.views.votes import Votes

_SHOWN_USERS = 40
_NARROWEST = 40  # hypotheses on the axis of the votes
_PANEL = 0.36  # of the height
_LEFT = {"x": 0, "xref": "paper", "xanchor": "left", "showarrow": False, "align": "left"}


# ---- agreement against m -------------------------------------------------------------------


def agreement_takeaway(chart: AgreementChart) -> str:
    """State how often two users agree, the stability measured, and what the proof requires."""
    return (
        f"With m = {readable(chart.here, 7)} examples each, two users pick the same hypothesis "
        f"with probability {_measured(chart.shared)} on shared darts, and {_measured(chart.own)} "
        f"with coins of their own. Practical setting; the proof would ask for "
        f"m = {readable(chart.proof_examples, 2)}."
    )


def agreement_notes(chart: AgreementChart) -> list[str]:
    """Set the measured stability beside what the theorems require."""
    gammas = (
        f"γ = {readable(chart.gamma)} (practical), where the proof takes "
        f"{readable(chart.proof_gamma)}. "
        if math.isfinite(chart.gamma)
        else ""
    )
    return [
        f"Pseudo-global stability at m = {readable(chart.here, 7)}: on a share "
        f"ν = {_measured(chart.stability)} of the boards at least η = {readable(chart.eta)} of 20 "
        "users pick what most of 20 others do. Theorems 25, 29 and 30 ask for η = 0.9 and "
        f"ν = {readable(chart.wanted, 4)}.",
        f"{gammas}Nothing here runs with the constants of the proof: at those "
        f"m = {readable(chart.proof_examples, 2)} examples for each user would be needed. What is "
        "measured holds for the practical setting alone.",
        "Both ways of drawing use the same examples.",
        "Every board has new darts, a new target (no hypothesis is good for two of those drawn "
        "from) and new examples; intervals are Clopper-Pearson at 95%, one by one.",
    ]


# ---- the votes -----------------------------------------------------------------------------


def votes_figure(result: Votes, theme: Theme) -> Figure:
    """Draw the votes on shared darts above those with own coins; good hypotheses are green."""
    size = result.errors.size
    places = np.arange(size)
    x = Scale.of(Axis("hypothesis", "hypothesis", log=False), _voted(result), 0.0)
    figure = Figure()
    notes: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    good = result.errors <= result.alpha
    colors = np.where(good, theme.subjects[Subject.USER_LEVEL], theme.muted)
    panels = (
        ("", "Shared darts", result.shared, result.released, [1 - _PANEL, 1.0]),
        ("2", "Own coins", result.own, result.released_own, [0.0, _PANEL]),
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
        layout[f"yaxis{suffix}"] = settings(y) | {"domain": domain, "anchor": f"x{suffix}"}
        best = int(counts.argmax())
        head = (
            f"<b>{name}</b>: {counts.max():,} of {result.users:,} votes for hypothesis {best}"
            f"<br>{_released(result, released, theme)}"
        )
        look = {"y": domain[1], "yref": "paper", "yanchor": "bottom", "yshift": 6, "xshift": -40}
        notes.append(_LEFT | look | {"text": head})
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + (180 if theme.compact else 100),
        margin={"l": 56, "r": 16, "t": 100 if theme.compact else 64, "b": 56},
        hovermode="closest",
        showlegend=False,
        annotations=notes,
        **layout,
    )


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


def votes_takeaway(result: Votes) -> str:
    """State how many users agree, and in which models a good hypothesis comes out."""
    right = sum(result.is_good(chosen) for chosen in result.released.values())
    alone = sum(result.is_good(chosen) for chosen in result.released_own.values())
    return (
        f"On shared darts {result.shared.max():,} of {result.users:,} users vote for one "
        f"hypothesis, and {right} of 4 private votes release one of error at most "
        f"α = {readable(result.alpha)}; with own coins the largest group has "
        f"{result.own.max():,}, and {alone} of 4 do."
    )


def votes_notes(_: Votes) -> list[str]:
    """Say what is private, and what the colours mean."""
    return [
        "Green: error at most α. Red: what a model released is no such hypothesis, or nothing.",
        "The votes are not protected: you see them as an analyser does whom nobody should trust. "
        "Released is one hypothesis.",
        "Central models protect a user who is added or removed; the local and the shuffle model "
        "one whose examples are all exchanged.",
    ]


# ---- success against n ---------------------------------------------------------------------


def success_takeaway(chart: SuccessChart) -> str:
    """State the users from which each model succeeds, and the lower bound."""
    parts = []
    for model, name in MODELS.items():
        n = chart.enough[model]
        parts.append(f"{name}: {readable(n, 5)}" if math.isfinite(n) else f"{name}: more")
    return (
        f"Users from which a share 1 − β = {readable(1 - chart.beta, 4)} of the simulated runs "
        f"succeeds: {'; '.join(parts)}. No private learner does with fewer than "
        f"{chart.least:,}, by the argument of Lemma 4."
    )


def success_notes(chart: SuccessChart) -> list[str]:
    """Give the measured probabilities at the reader's n, and say what the shapes are."""
    told = [
        f"{name}: success {_measured(chart.measured[model])} at n = {readable(chart.here, 5)} "
        f"({chart.measured[model].trials:,} runs, 95%)."
        for model, name in MODELS.items()
    ]
    return [
        *told,
        "Dashed: the theorems' numbers of users with C for the hidden constant: "
        "ln(1/(δβ))/ε (Theorems 1 and 35), (d + ln(1/β))/ε (3), (d + ln(1/β))/ε² (2).",
        "The black line holds for (ε, δ)-privacy, averaged over the targets drawn, for learners "
        "that output a hypothesis of the class: e^(nε)/N + δ(e^(nε) − 1)/(e^ε − 1) for N targets.",
        "The theorems are stated for ε < 1 and α, β < 0.1; what is simulated needs neither.",
        "Every run draws target, darts and examples anew. Groups of more than 300 users come in "
        f"every second run. In the shuffle model r = {readable(chart.dispersion)}, for ε/2, δ/2.",
    ]


# ---- parity --------------------------------------------------------------------------------


def parity_takeaway(chart: ParityChart) -> str:
    """State the users that suffice at the reader's d, and how the two shapes grow."""
    d = int(chart.here)
    if math.isfinite(chart.needed):
        upper = readable(chart.most, 4) if math.isfinite(chart.most) else "more"
        found = (
            f"{readable(chart.needed, 4)} users ({readable(chart.fewest, 4)} to {upper}) suffice"
        )
    else:
        found = "no group simulated suffices so far"
    return (
        f"For the {2**d} parities on d = {d} bits {found} in the local model when each holds many "
        f"examples; the number grows like d. With one example each it grows like 2^Ω(d)."
    )


def parity_notes(chart: ParityChart) -> list[str]:
    """Say what is simulated and what is a shape."""
    return [
        f"Points: the least group from which on a share 1 − β = {readable(1 - chart.beta, 4)} of "
        "the runs releases the right parity. Intervals: from the least group for which that can't "
        "be excluded to the least for which it is certain, by Clopper-Pearson at 95% for each "
        "group.",
        "Dashed: shapes, times C. The exponent of 2^Ω(d) is not known; 2^(d/2) is drawn. Where the "
        "dashed lines cross says nothing, how steep they are does.",
        "Parities other than the target err on half of all examples, so a few dozen examples "
        "make all users sure: here shared darts are needed by the theorem, not by the data.",
    ]


# ---- messages ------------------------------------------------------------------------------


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
        f"{result.bits.size:,} users hold {result.truth:,} ones and send {high:,} messages; "
        f"counted from below the estimate is {_whole(low)}. At "
        f"ε = {readable(result.protocol.epsilon)} this r = {readable(result.protocol.dispersion)} "
        f"gives δ = {exact}, exactly; allowed is {readable(result.delta)}."
    )


def messages_notes(result: Messages) -> list[str]:
    """Say what is sent, seen and protected."""
    protocol = result.protocol
    return [
        f"Each user adds NB(r/n, p) messages of noise, p = e^(−0.2ε); together that is NB(r, p), "
        f"on average {readable(protocol.mean_noise)} messages. It exceeds {result.quantile:,} with "
        f"probability at most β = {readable(result.beta)}: the error bound, exactly.",
        "The exact δ is the larger hockey-stick divergence between the totals of two inputs that "
        "differ in one user's bit. Theorem 39 is stated for ε < 1; the exact δ needs no limit.",
        "Selection counts every item this way, from below, with ε/2 and δ/2 each: an item that "
        "nobody holds never gets a positive count.",
    ]


def _whole(value: int) -> str:
    """Return a whole number with a proper minus sign."""
    return f"{value:,}".replace("-", "−")


def _measured(value: Measured) -> str:
    """Return a simulated probability with its interval."""
    if math.isnan(value.value):
        return "unknown as yet"
    low, high = readable(value.lower), readable(value.upper)
    return f"{readable(value.value)} ({low} to {high})"
