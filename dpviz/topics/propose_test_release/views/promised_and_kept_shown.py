"""Promised and kept: the ε that the test budgets, beside the ε that is lost."""

from dpviz.plot.marks import Mark, Rule, Text
from dpviz.plot.panels import Handle, stacked
from dpviz.plot.said_bars import Bar, said_bars
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.promised_and_kept import Kept, promised_and_kept

_ROOM = 0.6  # of what is promised, up to which a bar has room for words beside it
_PARTS = (
    ("the refusal", "refusal"),
    ("the number drawn", "number"),
    ("the answer", "answer"),
)
_ITEMS = {
    "sum": "one bit",
    "selection": "one of three categories",
    "histogram": "one of three categories",
}

_PROTECTED = {
    "sum": "a single 0 or 1 each and geometric noise",
    "selection": "one of three categories each and the exponential mechanism",
    "histogram": "one of three categories each and a noisy histogram, whose largest is named,",
}


def takeaway(result: Kept) -> str:
    """State what is promised, what is lost, and what the noise alone would lose."""
    lost, alone = readable(result.exact), readable(result.alone)
    promised = (
        f"With {_ITEMS[result.inside]} per user, the test promises ε = "
        f"{readable(result.promised)} and really loses {lost}"
    )
    if alone == lost:
        return f"{promised}, as the same noise does without a test."
    return f"{promised}. The same noise without a test loses {alone}."


def detail(result: Kept) -> str:
    """State the setting of the exact numbers."""
    return (
        f"For {result.users:,} users with {_PROTECTED[result.inside]} of ε′ = "
        f"{readable(result.loss)}, at δ = {readable(result.delta)}, the exact ε over all pairs of "
        f"neighbouring data sets is {readable(result.exact, 4)}. Lemma 18 promises "
        f"{readable(result.promised)}. On the data most often refused, ⊥ has probability "
        f"{chance(result.refusals)}."
    )


def notes(result: Kept) -> list[str]:
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
            if result.inside == "sum"
            else [
                "Whether a set is stable is decided as in Definition 16, from all pairs of "
                "counts that deletions can leave; the set is drawn uniformly from the stable "
                "ones, as printed."
            ]
        ),
    ]


def figure(result: Kept, theme: Theme) -> Figure:
    """Draw what is promised, lost, and lost without a test as bars; a hand drags the promise."""
    third = result.promised / 3
    bars = (
        Bar(_said("promised", result.promised), result.promised, Subject.USER_LEVEL, 0.35),
        Bar(_said("really lost, at worst", result.exact), result.exact, Subject.USER_LEVEL),
        Bar(_said("the same noise without a test", result.alone), result.alone, Subject.LAPLACE),
    )
    more: list[Mark] = [Text(part, (at + 0.5) * third, 0) for at, part in enumerate(_PARTS)]
    more += [Rule(x=at * third, y=(-0.21, 0.21), wide=1.5, about="background") for at in (1, 2)]
    part = result.exact / result.promised
    if part < _ROOM:
        of_it = (f"{percent(part, 2)} of the promise", "")
        more.append(Text(of_it, result.exact, 1, to="E", shift=(12, 0), large=True))
    handle = Handle("promised_epsilon", result.promised, 0.0)
    above = (
        "What one user may lose, ε: the shorter, the more private",
        "What one user may lose, ε",
    )
    bars_panel = said_bars(bars, 1.1 * result.promised, more, handle=handle, above=above)
    return stacked(theme, bars_panel, tall=0.85)


def _said(words: str, loss: float) -> str:
    """Say what is promised or lost."""
    return f"{words}: ε = {readable(loss)}"


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
        pulled={"promised_epsilon": "promises ε = # and"},
        why="The proof adds up three losses: of the refusal, of the number drawn and of the "
        "answer. No pair of neighbouring data sets spends all three at once here, so the test "
        "keeps more privacy than it promises. What it keeps is computed exactly, over all pairs.",
        parameters=("inside", "noise_epsilon", "bit_users", "promised_epsilon", "promised_delta"),
    )
)
