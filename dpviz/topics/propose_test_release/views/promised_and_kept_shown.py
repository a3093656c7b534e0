"""Promised and kept: the ε that the test promises, beside the ε that it keeps."""

from dpviz.plot.marks import Mark, Rule, Text
from dpviz.plot.panels import Charted, Handle, stacked
from dpviz.plot.said_bars import BARS, Bar, said_bars
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, readable
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.promised_and_kept import (
    PromiseChart,
    promised_and_kept,
)

_PROTECTED = {
    "sum": "a single 0 or 1 each and geometric noise",
    "selection": "one of three categories each and the exponential mechanism",
    "histogram": "one of three categories each and a noisy histogram, whose largest is named,",
}


def takeaway(chart: PromiseChart) -> str:
    """State what is promised, what is kept, and what the noise alone would keep."""
    kept, alone = readable(chart.exact), readable(chart.alone)
    promised = f"The test is proved to cost at most ε = {readable(chart.promised)}; it costs {kept}"
    if alone == kept:
        return f"{promised}, as the same noise does without a test."
    return f"{promised}. The same noise without a test costs {alone}."


def detail(chart: PromiseChart) -> str:
    """State the setting of the exact numbers."""
    return (
        f"For {chart.users:,} users with {_PROTECTED[chart.inside]} of ε′ = "
        f"{readable(chart.here)}, at δ = {readable(chart.delta)}, the exact ε over all pairs of "
        f"neighbouring data sets is {readable(chart.exact, 4)}. Lemma 18 promises "
        f"{readable(chart.promised)}. On the data most often refused, ⊥ has probability "
        f"{chance(chart.refusals)}."
    )


def notes(chart: PromiseChart) -> list[str]:
    """Say why what is kept has the shape it has."""
    return [
        "If the noise is large enough that every set of users is stable on all data, the test "
        "never refuses. Then the ε kept is that of the noise, diluted by the random choice of "
        "users. If the test refuses on some data, the noise on the threshold R₁ decides: its "
        "loss is ε̄ = ε/3.",
        "Lemma 18 adds up three losses of ε̄; no pair of these data sets spends all three.",
        "Neighbouring data sets: one user is substituted. With one item each, the noise alone "
        "is private on all data; with m examples each it would not be.",
        *(
            []
            if chart.inside == "sum"
            else [
                "Whether a set is stable is decided as in Definition 16, from all pairs of "
                "counts that deletions can leave; the set is drawn uniformly from the stable "
                "ones, as printed."
            ]
        ),
    ]


def figure(chart: PromiseChart, theme: Theme) -> Figure:
    """Draw what is promised, kept and lost without a test as bars, and below it the true loss."""
    promised, kept, alone = (chart.curve(key) for key in ("promised", "exact", "alone"))
    third = chart.promised / 3
    parts = ("the refusal", "the number drawn", "the answer")
    said = f"promised: ε = {readable(chart.promised)}, a third each for"
    bars = (
        Bar(said, chart.promised, promised, 0.35),
        Bar(f"kept, exactly: ε = {readable(chart.exact)}", chart.exact, kept),
        Bar(f"the same noise without a test: ε = {readable(chart.alone)}", chart.alone, alone),
    )
    more: list[Mark] = [Text(part, (at + 0.5) * third, 0) for at, part in enumerate(parts)]
    more += [Rule(x=at * third, y=(-0.21, 0.21), wide=1.5, about="background") for at in (1, 2)]
    handle = Handle(chart.x.name, chart.here)
    bars_above = said_bars(bars, more=more, pixels=BARS)
    return stacked(theme, bars_above, Charted(chart, handle=handle))


VIEW = or_users_needed(
    View(
        key="promise",
        title="Promised and kept",
        compute=promised_and_kept,
        figure=figure,
        takeaway=takeaway,
        detail=detail,
        notes=notes,
        in_sight=("noise_epsilon", "inside", "bit_users"),
        pulled={"promised_epsilon": "at most ε = #; it"},
        why="The proof adds up three losses: of the refusal, of the number drawn and of the "
        "answer. No pair of neighbouring data sets spends all three at once here, so the test "
        "keeps more privacy than it promises. What it keeps is computed exactly, over all pairs.",
        parameters=("inside", "noise_epsilon", "bit_users", "promised_epsilon", "promised_delta"),
    )
)
