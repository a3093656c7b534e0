"""Promised and kept: the ε that the test budgets, beside the ε that is lost."""

from typing import Any

from dpviz.plot.marks import Bars, Mark, Rule, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, counted, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.promised_and_kept import Kept, promised_and_kept

_GRIP, _BESIDE = 26, 10  # pixels from the end of a bar to its number
_THICK = 0.5  # of a row
_SEEN = 0.3  # of the promise, from which the margin has room for its name
_WORST = "ε of the worst pair of neighbouring data sets", "ε of the worst pair"
_PROTECTED = {
    "sum": "a single 0 or 1 each and geometric noise",
    "selection": "one of three categories each and the exponential mechanism",
    "histogram": "one of three categories each and a noisy histogram, whose largest is named,",
}


def takeaway(result: Kept) -> str:
    """State what is promised, and what is lost."""
    return (
        f"The proof promises privacy loss ε = {readable(result.promised)} at δ = "
        f"{readable(result.delta)}; the loss for the worst pair of neighbouring data sets is at "
        f"most {upwards(result.exact)}."
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
    """Draw what is promised and what is lost as bars on one axis; a hand drags the promise."""
    kept, promised, most = result.exact, result.promised, max(result.promised, result.exact)
    rows = (
        (1, promised, readable(promised), "ε that the proof promises", 0.35, _GRIP),
        (0, kept, upwards(kept), _WORST, 1.0, _BESIDE),
    )
    marks: list[Mark | None] = []
    for row, loss, said, words, pale, beside in rows:
        looks: dict[str, Any] = {"lying": True, "wide": _THICK, "about": Subject.USER_LEVEL}
        number: dict[str, Any] = {"to": "E", "shift": (beside, 0), "large": True}
        marks += [
            Bars([row], [loss], pale=pale, **looks),
            Text(words, 0.0, row + _THICK / 2, to="NE"),
            Text(f"<b>{said}</b>", loss, row, about=Subject.USER_LEVEL, **number),
        ]
    level = -_THICK / 2
    margin: dict[str, Any] = {"about": "muted", "backed": True, "shift": (0, 4)}
    if promised - kept > _SEEN * promised:
        marks += [
            Rule(x=(kept, promised), y=(level, level), about="muted"),
            *(Rule(x=x, y=(level - 0.06, level + 0.06), about="muted") for x in (kept, promised)),
            Text(("margin in the proof", "margin"), (kept + promised) / 2, level, to="N", **margin),
        ]
    at = f"ε, at δ = {readable(result.delta)}"
    panel = Panel(
        Side(0.0, 1.15 * most, held=True),
        Side.bare(-0.4, 1.6),
        marks,
        above=(
            f"Privacy loss of one of {counted(result.users, 'user')}, {at}",
            f"Privacy loss, {at}",
        ),
        handle=Handle("promised_epsilon", promised, 1.0),
    )
    return stacked(theme, panel, tall=0.7)


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
        pulled={"promised_epsilon": "privacy loss ε = # at"},
        why="The proof adds up three losses: of the refusal, of the number drawn and of the "
        "answer. No pair of neighbouring data sets spends all three at once here, so the test "
        "keeps more privacy than it promises. What it keeps is computed exactly, over all pairs.",
        parameters=("inside", "noise_epsilon", "bit_users", "promised_epsilon", "promised_delta"),
    )
)
