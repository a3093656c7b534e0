"""Messages in the shuffle: what users send, and what the analyser can conclude."""

import numpy as np

from dpviz.plot.marks import Bars, Line, Part, Rule, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, from_logarithm, readable
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import VOTE
from dpviz.topics.few_users.views.messages_in_the_shuffle import Messages, messages_in_the_shuffle

_SHOWN_USERS = 40  # whose messages are drawn
_MOST = (Part(0), Part(0.9))  # of the panel, where this run is


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
    return stacked(theme, _messages(result), _laws(result))


def _messages(result: Messages) -> Panel:
    """Return what the first users send: their own bit, and noise on top of it."""
    users = result.bits.size
    count = min(_SHOWN_USERS, users)
    bits, sent = result.bits[:count], result.counting_ones[:count]
    who = f"the first {count} of {users:,}" if count < users else "all"
    each = np.arange(1, count + 1)
    return Panel(
        Side(0.4, count + 0.6, "User"),
        Side(0.0, 1.1 * max(1.0, float(sent.max()))),
        [
            Bars(each, values, wide=0.85, about=about, said=f"user %{{x}}: %{{y}} messages, {name}")
            for values, about, name in ((bits, 0, "own bit"), (sent - bits, "muted", "noise"))
        ],
        above=f"Messages of {who} users: {tinted('own bit', 0)}, {tinted('noise', 'muted')}.<br>"
        f"The analyser sees {result.estimates[1]:,} messages, mixed.",
        stacked=True,
    )


def _laws(result: Messages) -> Panel:
    """Return the laws of both estimates, their values in this run (dotted), and the truth."""
    low, high = (value - result.truth for value in result.estimates)
    farthest = max(float(result.noise[-1]), float(result.counting_ones.sum() - result.truth))
    end = 1.02 * max(farthest, float(-low), 1.0)
    said = "estimate less truth %{x}: %{y:.3g}"
    above = (
        f"{tinted(f'Counting zeros: {_whole(low + result.truth)}, never above', 1)} the truth "
        f"{result.truth:,};<br>{tinted(f'counting ones: {high + result.truth:,}, never below', 0)}"
    )
    return Panel(
        Side(-end, end, "Estimate less truth"),
        Side(0.0, 1.1 * float(result.mass.max())),
        [
            Line(result.noise, result.mass, fill=0.2, about=0, said=said),
            Line(-result.noise, result.mass, fill=0.2, about=1, said=said),
            Rule(x=low, y=_MOST, wide=1.5, dash="dot", about=1),
            Rule(x=high, y=_MOST, wide=1.5, dash="dot", about=0),
            Rule(x=0),
        ],
        above=(f"{above} (laws exact, this run dotted)", above),
    )


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
