"""Both picks together: three joint laws."""

import re

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Subject
from dpviz.topics.shared_darts.views import both_picks_together_shown
from tests.support.declarations import last, page, shown
from tests.support.specs import Checked

drawn = Checked(both_picks_together_shown)
VIEW = both_picks_together_shown.VIEW
PAGE = page("shared_darts")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])


def batched(traces):
    """Return the traces two by two."""
    return zip(traces[::2], traces[1::2], strict=True)


@THEMES
def test_the_joint_laws_are_drawn_as_they_are(theme):
    laws = last(PAGE, "joint")
    figure = drawn.figure(laws, theme)
    cells = [trace for trace in figure.data if trace.type == "heatmap"]
    tables, pairs = (laws.darts, laws.independent, laws.inverse), batched(cells)
    for (apart, same), law in zip(pairs, tables, strict=True):
        np.testing.assert_allclose(np.array(apart.customdata).T, law)
        assert law.sum() == pytest.approx(1)
        seen = [~np.isnan(np.array(trace.z, dtype=float)) for trace in (apart, same)]
        np.testing.assert_array_equal(seen[1], np.eye(len(law), dtype=bool))
        np.testing.assert_array_equal(seen[0], ~seen[1])
    columns = laws.columns()
    agree = columns["shared_darts"][columns["pick_p"] == columns["pick_q"]].sum()
    assert agree == pytest.approx(laws.agreement[0])
    assert f"agree in {100 * agree:.2g} of 100 games" in VIEW.takeaway(laws)
    assert f"{agree:.3g}" in VIEW.detail(laws)


def test_one_shared_number_is_not_enough():
    _, laws, _ = shown(PAGE, "One random number is not enough")
    darts, inverse, _ = laws.agreement
    assert darts > 0.75
    assert inverse < 0.1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {},
            ", in 14 if they share nothing, and in 8.9 with one shared random number.",
        ),
        (
            {"gap": 0.0},
            "all of 100 games with shared darts or one shared random number, and in 14 if they ",
        ),
        (
            {"gap": 0.1},
            "in 97 of 100 games with shared darts, in 14 if they share nothing, and in 91 with ",
        ),
        ({"gap": 20.0}, "However they draw, Ann and Ben agree in hardly any of 100 games."),
    ],
)
def test_the_sentence_tells_how_often_each_way_agrees(changes, said):
    assert said in VIEW.takeaway(last(PAGE, "joint", **changes))


@pytest.mark.parametrize(
    ("changes", "green"),
    [({}, 1), ({"gap": 0.0}, 2), ({"outcomes": 2}, 2), ({"gap": 20.0}, 3)],
)
def test_only_the_way_that_agrees_most_often_is_green(changes, green):
    laws = last(PAGE, "joint", **changes)
    notes = VIEW.figure(laws, LIGHT).layout["annotations"]
    inks = [note["font"]["color"] for note in notes if note["text"].startswith("<b>agree")]
    assert inks.count(LIGHT.subjects[Subject.USER_LEVEL]) == green
    assert len(inks) == 3


@pytest.mark.parametrize("gap", [0.0, 0.4, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("width_ratio", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("outcomes", [2, 10, 60])
def test_how_far_one_shared_number_sets_the_picks_apart_is_said_where_it_mostly_does(
    gap, width_ratio, outcomes
):
    laws = last(PAGE, "joint", gap=gap, width_ratio=width_ratio, outcomes=outcomes)
    said = " ".join(note["text"] for note in VIEW.figure(laws, LIGHT).layout["annotations"])
    found = re.search("mostly, Ben’s pick is ([0-9]+) higher", said)
    if found:
        step = int(found[1])
        assert step > 0
        assert np.trace(laws.inverse, offset=step) > 0.5
        places = np.arange(outcomes)
        assert places @ laws.inverse.sum(axis=0) > places @ laws.inverse.sum(axis=1)
    assert bool(found) or (gap, width_ratio, outcomes) != (1.0, 1.0, 10)


def test_picks_that_may_differ_are_nowhere_said_to_agree_with_probability_1():
    laws = last(PAGE, "joint", gap=0.001)
    assert 0.9995 < laws.agreement[0] < 1
    headings = [note["text"] for note in VIEW.figure(laws, LIGHT).layout["annotations"]]
    assert "<b>agree in nearly all of 100</b>" in headings
    assert "0.9997" in VIEW.detail(laws)


def test_of_two_outcomes_there_is_no_half():
    picks = VIEW.figure(last(PAGE, "joint", outcomes=2), LIGHT).layout["xaxis"]
    assert (picks["tickvals"], picks["ticktext"]) == ([1, 2], ["1", "2"])
    many = VIEW.figure(last(PAGE, "joint", outcomes=60), LIGHT).layout["xaxis"]
    assert [many["tickvals"][end] for end in (0, -1)] == [10, 60]


def test_headings_of_a_phone_stand_beside_each_other():
    """Two of "agree in hardly any of 100" did not."""
    laws = last(PAGE, "joint", gap=20)
    assert max(laws.agreement) < 0.005
    said = [note["text"] for note in VIEW.figure(laws, LIGHT.narrow()).layout["annotations"]]
    assert sum("hardly ever" in text for text in said) == 3
    assert not [text for text in said if "fewer than" in text]
