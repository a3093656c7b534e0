"""The wage panel, and a reader's own data."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.text import percent
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.results.user_data import UserData, read_csv, user_data, wage_panel
from dpviz.topics.clipping.views import real_data_shown
from dpviz.topics.clipping.views.real_data import real_data
from dpviz.topics.clipping.views.real_data_shown import VIEW
from tests.support.declarations import last, page
from tests.support.examples import examples
from tests.support.specs import Checked

drawn = Checked(real_data_shown).figure
PAGE = page("clipping")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
few = examples(15)
OWN = {"bins": 4, "candidates": 64, "unequal": "cap", "epsilon": 1.0}


def expected_error(data, users, threshold, sensitivity, epsilon, candidates=64):
    """By hand: scores of all pairs, kind of user by kind, on a lattice of two categories."""
    shares = np.arange(candidates) / (candidates - 1)
    points = np.stack([shares, 1 - shares], axis=1)
    errors = np.abs(shares - data.law[0])
    kinds, held = np.unique(users, axis=0, return_counts=True)
    scores = []
    for h, own in enumerate(points):
        totals = []
        for g, other in enumerate(points):
            if g != h:
                wins = own > other
                given_ = [row.sum() * own[wins].sum() - row[wins].sum() for row in kinds]
                totals.append(np.clip(given_, -threshold, threshold) @ held)
        scores.append(max(totals))
    law = np.exp(-epsilon * (np.array(scores) - min(scores)) / (2 * sensitivity))
    return float(law @ errors / law.sum())


def test_the_error_on_the_panel_by_hand():
    data = wage_panel("union")
    chart = last(PAGE, "real", data="union", candidates=12, threshold=2.5, epsilon=1.0)
    users = np.zeros((data.users, 2))
    np.add.at(users, (data.user, data.value), 1)
    assert chart.error == pytest.approx(expected_error(data, users, 2.5, 5.0, 1.0, 12))
    assert chart.unclipped == pytest.approx(expected_error(data, users, 8.0, 8.0, 1.0, 12))
    place = int(np.searchsorted(chart.curve("published").x, 2.5))
    assert chart.curve("published").y[place] == pytest.approx(chart.error)
    stated = expected_error(data, users, 8.0, 16.0, 1.0, 12)
    assert chart.curve("published").y[-1] == pytest.approx(stated)
    rows = np.eye(2)[data.value]
    as_users = expected_error(data, rows, 1.0, 1.0, 1.0, 12)
    assert chart.item_level == pytest.approx(as_users)


def test_correlation_makes_a_tight_threshold_lie():
    result = last(PAGE, "real", data="union", candidates=64, threshold=1.0, epsilon=1.0)
    here = np.abs(result.curve("permuted").x - 1.0).argmin()
    assert result.error > 0.1
    assert result.curve("permuted").y[here] < 0.03
    assert result.least > 3
    assert result.permuted_least < 1.5


def test_one_row_a_person_is_item_level():
    result = last(PAGE, "real", data="union", examples_per_user=1, candidates=32)
    assert result.examples == 1
    assert result.item_level == pytest.approx(result.unclipped)


def own_data():
    lines = [f"p{i % 30},{'yes' if i % 3 else 'no'}" for i in range(150)]
    table = read_csv(("person,answer\n" + "\n".join(lines)).encode())
    return user_data(table, user="person", value="answer")


def test_a_readers_own_data():
    own = own_data()
    result = real_data(
        data="own", own=own, examples_per_user=10, threshold=2, rng=np.random.default_rng(0), **OWN
    )
    assert result.users == 30
    assert result.examples == 5
    assert any("“answer” over all rows: no: 0.33, yes: 0.67" in n for n in VIEW.notes(result))
    with pytest.raises(ParameterError, match="until a file is uploaded"):
        last(PAGE, "real", data="own")


def test_names_of_a_readers_categories_stand_in_notes_as_they_are():
    own = UserData("<b>", ("<img src=x>", "b"), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    result = real_data(
        data="own", own=own, examples_per_user=2, threshold=1, rng=np.random.default_rng(0), **OWN
    )
    notes = " ".join(VIEW.notes(result))
    assert "“<b>” over all rows: <img src=x>: 0.5" in notes  # notes.js shows them as text


@THEMES
@pytest.mark.parametrize("data", ["union", "occupation", "log_wage"])
def test_the_panel_is_drawn_and_told(theme, data):
    result = last(PAGE, "real", data=data)
    figure = drawn(result, theme)
    bars = [t for t in figure.data if t.type == "bar"]
    without = result.unclipped  # whoever has which row
    shown = [t.x[0] for t in bars]
    assert shown == pytest.approx([without, result.least_error, without, result.permuted_error])
    assert figure.layout.xaxis4.range == figure.layout.xaxis5.range, "one scale"
    helps = result.least_error <= 0.9 * result.unclipped
    hardly = percent(result.least_error) != percent(result.unclipped)
    not_at_all = "hardly helps here" if hardly else "does not help here"
    verdict = "helps on these data" if helps else not_at_all
    assert VIEW.takeaway(result).startswith(f"Clipping {verdict}")
    assert result.optimum <= result.radius + 1e-9


def test_the_people_drawn_are_all_alike_or_mixed_as_their_rows_are():
    """By hand: as they are, most men are in a union always or never; shuffled, hardly anyone."""
    result, panel = last(PAGE, "real", data="union"), wage_panel("union")
    out = 1 - np.bincount(panel.user, panel.value) / 8
    whole = np.mean((out == 0) | (out == 1))
    assert np.mean((result.alike == 0) | (result.alike == 1)) == pytest.approx(whole, abs=1 / 24)
    assert whole > 4 * np.mean((result.mixed == 0) | (result.mixed == 1))
    assert result.alike.mean() == pytest.approx(out.mean(), abs=0.02)
    figure = drawn(result, LIGHT)
    words = " ".join(note.text for note in figure.layout.annotations)
    boxes = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    for shares, box in zip((result.alike, result.mixed), boxes, strict=True):
        same = np.count_nonzero((shares == 0) | (shares == 1))
        assert (box.x0, box.x1) == (-0.5, same - 0.5)
        assert f"{same} of {shares.size} people: all rows alike" in words


@few
@given(st.floats(0.1, 3))
def test_a_tight_threshold_on_real_data_is_computed_as_it_is_typed(threshold):
    """300 rows a person or more, so that the grid begins above what is typed."""
    rng = np.random.default_rng(0)
    value = rng.integers(0, 2, size=20 * 1500)
    own = UserData("answer", ("a", "b"), np.repeat(np.arange(20), 1500), value)
    at = {"data": "own", "own": own, "examples_per_user": 1500} | OWN | {"candidates": 12}
    chart = real_data(**at, threshold=threshold, rng=np.random.default_rng(0))
    users = np.zeros((20, 2))
    np.add.at(users, (own.user, own.value), 1)
    by_hand = expected_error(own, users, threshold, 2 * threshold, 1.0, 12)
    assert chart.error == pytest.approx(by_hand)


def test_the_correlation_of_rows_is_the_share_of_pairs_that_agree():
    panel = last(PAGE, "real", data="union")
    data = wage_panel("union")
    pairs = [
        (a, b)
        for person in range(data.users)
        for a, b in itertools.combinations(data.value[data.user == person], 2)
    ]
    alike = np.mean([a == b for a, b in pairs])
    strangers = np.sum(data.law**2)
    assert panel.correlation == pytest.approx((alike - strangers) / (1 - strangers))


def test_union_membership_shows_what_correlation_does():
    result = last(PAGE, "real", **PAGE.usual("real") | {"threshold": 2.0})
    assert result.error > 4 * result.unclipped
    headline = VIEW.takeaway(result)
    assert headline.startswith("Clipping does not help here: ")
    assert headline.endswith("clipping would cut the error from 1.93% to 0.7%.")


@pytest.mark.parametrize("epsilon", [0.05, 0.2, 1.0, 3.0])
def test_no_threshold_helps_on_union_membership(epsilon):
    result = last(PAGE, "real", data="union", candidates=64, epsilon=epsilon)
    assert result.least_error > 0.9 * result.unclipped
    assert result.permuted_error < result.least_error or epsilon == 3.0
