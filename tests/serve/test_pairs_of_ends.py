"""Every two ends of a view's controls, met in some state: no figure fails there, nor what is said.

And where one does fail, that costs the part that failed, never the page.
"""

import itertools
import logging

import pytest

from dpviz import __main__ as command
from dpviz.scene.view import View
from dpviz.serve import answer_cache, files, pictures, previews, standing
from dpviz.serve.computing import RESULTS
from tests.serve.asgi import ask
from tests.support.covering import covering, links
from tests.support.declarations import SLUGS, page
from tests.support.examples import chosen, only_in_nightly

VIEWS = [(slug, view.key) for slug in SLUGS for view in page(slug).views]
FIRST = {"view": "compare", "epsilon": "4", "delta": "1e-5", "queries": "1"}
# One answer with the largest ε, where what is likely is no error at all, and other corners.
SAMPLE = [
    ("bounded_noise", FIRST),
    ("bounded_noise", FIRST | {"epsilon": "10", "delta": "1e-300", "failure_probability": "0.5"}),
    ("bounded_noise", {"view": "noise", "epsilon": "10", "delta": "0.5", "queries": "1"}),
    ("promise", {"view": "odds", "epsilon": "1e-7", "delta": "0.5"}),
]


def no_fault(caplog):
    assert not [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("sizes", [(2, 2), (3, 3, 3, 2), (4, 3, 2, 2, 2, 1), (3,), ()])
def test_a_covering_has_every_pair_and_few_rows(sizes):
    values = {str(key): [(key, i) for i in range(size)] for key, size in enumerate(sizes)}
    rows = covering(values)
    for one, other in itertools.combinations(values, 2):
        met = {(row[one], row[other]) for row in rows}
        assert met == set(itertools.product(values[one], values[other]))
    assert len(rows) <= 2 * max([a * b for a, b in itertools.combinations(sizes, 2)], default=3)


def figure_stands(slug, key, link):
    """Ask for a figure; own data, which are refused without a file, and limits are no faults."""
    shown = ask(f"/figure/{slug or 'home'}/{key}", {**link, "moving": "1"}).last
    assert not shown.get("grave"), (key, link)
    assert "problem" in shown or shown["spec"]["data"], (key, link)


@only_in_nightly
@pytest.mark.parametrize(("slug", "key"), VIEWS)
def test_no_pair_of_ends_is_without_a_figure(slug, key, caplog):
    declared = page(slug)
    [view] = [view for view in declared.views if view.key == key]
    for link in links(declared, view):
        figure_stands(slug, key, link)
        no_fault(caplog)


@pytest.mark.parametrize(("slug", "key"), chosen(VIEWS, VIEWS[::7]))
def test_a_state_of_ends_has_a_figure(slug, key, caplog):
    declared = page(slug)
    [view] = [view for view in declared.views if view.key == key]
    figure_stands(slug, key, links(declared, view)[-1])
    no_fault(caplog)


@pytest.mark.parametrize(("slug", "link"), chosen(SAMPLE, SAMPLE[::3]))
def test_ends_have_a_page_a_picture_and_a_file(slug, link, caplog, tmp_path, monkeypatch):
    monkeypatch.setattr(previews, "_MOMENT", 600)
    figure_stands(slug, link["view"], link)
    assert '<div id="standing">' in ask(f"/{slug}", link).content.decode()
    assert ask(f"/picture/{slug}/{link['view']}.svg", link).status == 200
    query = "&".join(f"{key}={text}" for key, text in link.items())
    for kind in ("svg", "csv"):
        file = str(tmp_path / f"x.{kind}")
        assert command.main(["figure", f"{slug}?{query}", "--lenient", "-o", file]) == 0
    no_fault(caplog)


def fails(*_, **__):
    raise ArithmeticError("secret 0.25")


@pytest.fixture
def _nothing_known(monkeypatch):
    monkeypatch.setattr(previews, "_MOMENT", 600)
    for known in (RESULTS, standing.FIGURES, answer_cache.ANSWERS, pictures.PICTURES):
        known.clear()


@pytest.mark.usefixtures("_nothing_known")
@pytest.mark.parametrize("part", ["headline", "exactly"])
def test_a_sentence_that_fails_costs_itself_alone(part, caplog, monkeypatch):
    monkeypatch.setattr(View, part, fails)
    whole = ask("/promise", {"view": "odds"}).content.decode()
    assert "<h1>" in whole
    assert "<svg" in whole
    shown = ask("/figure/promise/odds").last
    assert (shown["takeaway"] == "") == (part == "headline")
    assert shown["spec"]["data"]
    assert ask("/picture/promise/odds.svg").status == 200
    assert "ArithmeticError" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.usefixtures("_nothing_known")
@pytest.mark.parametrize(
    ("module", "name"),
    [(files, "words"), (previews, "opened"), (standing, "figure"), (standing, "standing")],
)
def test_a_preview_that_fails_costs_no_page(module, name, caplog, monkeypatch):
    monkeypatch.setattr(module, name, fails)
    answer = ask("/promise", {"view": "odds"})
    assert answer.status == 200
    assert '<div id="root">' in answer.content.decode()
    assert "ArithmeticError" in caplog.text
    assert "secret" not in caplog.text


def test_a_picture_that_fails_says_so_in_plain_words(caplog, monkeypatch):
    monkeypatch.setattr(files, "contents", fails)
    answer = ask("/picture/promise/odds.png", {"epsilon": "0.123"})
    assert answer.status == 500
    assert answer.content.decode().startswith("This figure could not be computed.")
    assert "secret" not in caplog.text
