"""Messages in the shuffle: what users send, and what the analyser can conclude."""

import math

from dpviz.plot.marks import Line, People, Rule, Words, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, from_logarithm, readable, whole
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import VOTE
from dpviz.topics.few_users.views.messages_in_the_shuffle import Messages, messages_in_the_shuffle

_SIDE = 20  # dots in a row
_MOST_DOTS = 300  # beyond, a dot is several messages
_LAW = 54  # pixels, of the law of the noise
_ONES = 0  # the place of ones in the palette


def takeaway(result: Messages) -> str:
    """State how many messages the analyser sees, and what nobody can tell of them."""
    seen = int(result.counting_ones.sum())
    ones, noise = result.truth, seen - result.truth
    sees = f"The analyser sees {counted(seen, 'message', digits=7)}"
    if not min(ones, noise):
        return f"{sees}, and nobody can tell how many are noise."
    yes = f"{ones:,} that {agreeing(ones, 'says', 'say')} yes"
    return f"{sees}, all alike: nobody can tell the {yes} from the {noise:,} of noise."


def detail(result: Messages) -> str:
    """State the estimates, the exact δ, and the theorem's."""
    low, high = result.estimates
    users = counted(result.bits.size, "user", digits=7)
    exact = from_logarithm(result.log_privacy)
    return (
        f"{users} hold {counted(result.truth, 'one', digits=7)}. To count ones they send "
        f"{counted(high, 'message', digits=7)}, never fewer than there are ones; counting "
        f"zeros gives {whole(low)}, never more. At ε = {readable(result.protocol.epsilon)} "
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
    """Draw the messages as they are sent and as they are seen, and the law of the noise."""
    return stacked(
        theme, [_sent(result, mixed=False), _sent(result, mixed=True)], _law(result), tall=1.0
    )


def _sent(result: Messages, *, mixed: bool) -> Panel:
    """Return the messages as dots: ones and noise, or all alike once they are mixed."""
    seen, ones = int(result.counting_ones.sum()), result.truth
    each = max(1, math.ceil(seen / _MOST_DOTS))
    dots = round(seen / each)
    of = f" (● {each} messages)" if each > 1 else ""
    above: Words = f"<b>Mixed</b>: the analyser sees {seen:,}", f"<b>Mixed</b>: {seen:,}"
    if not mixed:
        yes, noise = tinted(f"{ones:,} yes", _ONES), tinted(f"{seen - ones:,} noise", "muted")
        kinds = f"<b>Sent</b>: {yes}, {noise}"
        above = f"{kinds}; who says no sends no answer{of}", kinds
    return Panel(
        Side.bare(-0.5, _SIDE - 0.5),
        Side.bare(-math.ceil(dots / _SIDE) + 0.5, 0.5),
        [
            People(dots, of=dots, side=_SIDE, about="text" if mixed else "muted", ringed=mixed),
            None if mixed else People(own := round(ones / each), of=own, side=_SIDE, about=_ONES),
        ],
        above=above,
    )


def _law(result: Messages) -> Panel:
    """Return the exact law of the noise of all users together, and that of this run."""
    noise = int(result.counting_ones.sum()) - result.truth
    end = max(float(result.noise[-1]), float(noise)) + 1
    said = "%{x} messages of noise: probability %{y:.3g}"
    return Panel(
        Side(0.0, end, "Messages of noise, of all users together"),
        Side(0.0, 1.1 * float(result.mass.max()), numbers=False, grid=False),
        [
            Line(result.noise, result.mass, fill=0.2, about="muted", said=said),
            Rule(x=noise, called=f"{noise:,} this time"),
        ],
        above=(
            "What hides any one answer: nobody knows how many are noise (height: how likely)",
            "Nobody knows how many are noise:",
        ),
        pixels=_LAW,
    )


VIEW = View(
    key="messages",
    title="Shuffled messages",
    compute=messages_in_the_shuffle,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("dispersion", *VOTE, "rate", "failure_probability", "seed"),
    in_sight=("users", "epsilon", "dispersion"),
    defaults={"seed": 3},  # about as much noise as most draws have
    why="The noise is messages that look like all others, and each user adds next to none of it. "
    "Once all messages are mixed, the noise of all together hides the bit of any one user.",
)
