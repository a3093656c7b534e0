"""Promised and kept: the ε that the test budgets, beside the ε that is lost."""

from dpviz.plot.marks import Mark, Rule, Text, Words
from dpviz.plot.panels import Handle, stacked
from dpviz.plot.said_bars import Bar, said_bars
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.promised_and_kept import Kept, promised_and_kept

_GRIP = 26  # pixels
_PROMISED = "promised: the proof adds up three parts", "promised: three parts"
_PARTS = (
    ("the refusal", "refusal"),
    ("the number drawn", "number"),
    ("the answer", "answer"),
)
_PROTECTED = {
    "sum": "a single 0 or 1 each and geometric noise",
    "selection": "one of three categories each and the exponential mechanism",
    "histogram": "one of three categories each and a noisy histogram, whose largest is named,",
}


def takeaway(result: Kept) -> str:
    """State what is promised, and what is lost."""
    return (
        f"The test promises ε = {readable(result.promised)} at δ = {readable(result.delta)}; no "
        f"user here loses more than {upwards(result.exact)}."
    )


def detail(result: Kept) -> str:
    """State the setting of the exact numbers."""
    return (
        f"For {result.users:,} users with {_PROTECTED[result.inside]} of ε′ = "
        f"{readable(result.loss)}, at δ = {readable(result.delta)}, the exact ε over all pairs of "
        f"neighbouring data sets is {readable(result.exact, 4)}. Lemma 18 promises "
        f"{readable(result.promised)}; the noise alone, without a test, would lose "
        f"{readable(result.alone, 2)}. On the data most often refused, ⊥ has probability "
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
    """Draw what is promised and what is lost as bars; a hand drags the promise."""
    third = result.promised / 3
    rows: tuple[tuple[Words, float, Subject, float], ...] = (
        (_PROMISED, result.promised, Subject.USER_LEVEL, 0.35),
        ("lost at most, computed over all data", result.exact, Subject.USER_LEVEL, 1.0),
    )
    bars = [Bar(words, loss, about, pale) for words, loss, about, pale in rows]
    more: list[Mark] = [Text(part, (at + 0.5) * third, 0) for at, part in enumerate(_PARTS)]
    more += [Rule(x=at * third, y=(-0.21, 0.21), wide=1.5, about="background") for at in (1, 2)]
    for row, (_, loss, about, _) in enumerate(rows):
        said = f"<b>{upwards(loss) if row else readable(loss)}</b>"
        right = (_GRIP if row == 0 else 10, 0)  # beside what a hand drags
        more.append(Text(said, loss, row, to="E", shift=right, large=True, about=about))
    handle = Handle("promised_epsilon", result.promised, 0.0)
    above = f"What one user may lose, ε, at δ = {readable(result.delta)}"
    most = 1.15 * max(result.promised, result.exact)
    return stacked(theme, said_bars(bars, most, more, handle=handle, above=above), tall=0.6)


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
        pulled={"promised_epsilon": "promises ε = # at"},
        why="The proof adds up three losses: of the refusal, of the number drawn and of the "
        "answer. No pair of neighbouring data sets spends all three at once here, so the test "
        "keeps more privacy than it promises. What it keeps is computed exactly, over all pairs.",
        parameters=("inside", "noise_epsilon", "bit_users", "promised_epsilon", "promised_delta"),
    )
)
