"""What follows from a page's declaration: results, snippet, CSV."""

import csv
import io

import numpy as np
import pytest

from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Number
from dpviz.scene.page import Page, csv_text
from dpviz.scene.scene import Scene, snippet
from tests.support import sample
from tests.support.declarations import results
from tests.support.sample import PAGE


@pytest.fixture(autouse=True)
def _forget():
    sample.calls.clear()


def view(key):
    return next(view for view in PAGE.views if view.key == key)


def state(**values):
    return {p.key: p.default for p in PAGE.url_parameters} | values


def test_compute_gets_exactly_the_keywords_of_its_view():
    list(results(PAGE, view("curve"), state(epsilon=0.123)))
    assert sample.calls == [{"epsilon": 0.123, "queries": 1000, "log": True, "x": "queries"}]


def test_a_view_whose_parameters_its_page_does_not_list_is_refused():
    with pytest.raises(ValueError, match=r"'curve'.*'sample'.*: x, queries, log$"):
        Page("sample", (Number(LIMITS["epsilon"]),), (view("curve"),))


def test_a_state_seen_lately_is_not_computed_again():
    for _ in range(3):
        list(results(PAGE, view("curve"), state(epsilon=0.456)))
    assert len(sample.calls) == 1


def test_a_change_that_does_not_concern_the_view_costs_nothing():
    list(results(PAGE, view("curve"), state(epsilon=0.789, seed=1)))
    list(results(PAGE, view("curve"), state(epsilon=0.789, seed=2)))
    assert len(sample.calls) == 1


def test_a_generator_shows_every_stage_and_is_remembered_by_its_last():
    first = list(results(PAGE, view("refined"), state(epsilon=0.321)))
    again = list(results(PAGE, view("refined"), state(epsilon=0.321)))
    assert [len(chart.curves[0].x) for chart in first] == [5, 9, 9, 5, 9]
    assert again == first[-1:]


def test_the_seed_becomes_a_generator():
    one, other, same = (
        next(results(PAGE, view("random"), state(seed=seed, epsilon=epsilon))).columns()["drawn"]
        for seed, epsilon in ((3, 0.11), (4, 0.11), (3, 0.11))
    )
    assert not np.array_equal(one, other)
    assert np.array_equal(one, same)


@pytest.mark.parametrize("key", ["curve", "refined", "random"])
def test_the_snippet_computes_the_table(key):
    values = state(epsilon=0.1 + 0.2, seed=7)
    *_, expected = results(PAGE, view(key), values)
    names: dict = {}
    exec(snippet(Scene(PAGE, view(key), values)), names)
    assert names["table"].keys() == expected.columns().keys()
    for name, column in expected.columns().items():
        np.testing.assert_array_equal(names["table"][name], column)


def test_the_csv_reads_back_exactly():
    columns = {
        "x": np.array([0.1 + 0.2, 1e-300]),
        "name": np.array(["a,b", 'c"']),
        "n": np.arange(2),
    }
    rows = list(csv.reader(io.StringIO(csv_text(columns))))
    assert rows[0] == ["x", "name", "n"]
    assert [float(row[0]) for row in rows[1:]] == [0.1 + 0.2, 1e-300]
    assert [row[1] for row in rows[1:]] == ["a,b", 'c"']
