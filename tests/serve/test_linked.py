"""Figures to brush: who gets them, with which scripts, and whose data stay whose."""

import re
from xml.etree import ElementTree

import pytest

from dpviz.results.caching import Recent
from dpviz.results.user_data import read_csv, user_data
from dpviz.serve import bundles, figures, files
from dpviz.serve.computing import RECENT
from dpviz.serve.figures import TOKEN
from dpviz.serve.guests import welcome
from dpviz.serve.links import finest, scene_of
from tests.serve.asgi import ask
from tests.support.declarations import page

PATH = "/figure/clipping/people"


def test_only_some_views_are_brushed():
    drawn = ask(PATH, {"data": "union", "threshold": "4"}).last
    assert drawn["linked"]["values"]["who"][0] == "All 545 people, 4,360 rows"
    assert drawn["spec"]["data"]  # where there is no Vega
    assert "linked" not in ask("/figure/clipping/user").last


def test_what_is_chosen_is_drawn_and_said():
    everybody = ask(PATH, {"data": "union", "threshold": "4", "across": "960"}).last
    chosen = ask(PATH, {"data": "union", "threshold": "4", "across": "960", "brush": "0-2"}).last
    edges = chosen["brush"]["edges"]
    assert edges == everybody["brush"]["edges"]
    assert "You chose 89 of 545 people" in chosen["takeaway"].replace("\u00a0", " ")
    for words in ("89 of 545 people, 712 rows", "Answer without them", "line: all rows"):
        assert words in chosen["svg"]
        assert words not in everybody["svg"]
    assert chosen["alt"] == everybody["alt"]
    assert chosen["scales"] == everybody["scales"]


@pytest.mark.parametrize(
    "brush", ["", "3", "2-1", "-1-2", "a-b", "0-", "1-2-3", 9000 * "1", "40-41"]
)
def test_what_cannot_be_chosen_is_everybody(brush):
    answer = ask(PATH, {"across": "960", "brush": brush, "spot": "9999"}).last
    assert answer["svg"] == ask(PATH, {"across": "960"}).last["svg"]


def test_a_line_that_no_control_moves_is_moved_in_the_figure():
    path, sizes = "/figure/propose_test_release/people", {"across": "960"}
    usual = ask(path, sizes).last
    slide = usual["brush"]["slide"]
    assert slide["said"] == "48" == str(slide["stops"][slide["now"]])
    moved = ask(path, sizes | {"spot": "0", "brush": "0-99"}).last
    assert moved["brush"]["slide"]["now"] == 0
    assert "What the test does at R₁ = 0" in moved["svg"]
    assert "too few would be left" in moved["takeaway"]  # all of them are gone


def test_too_few_users_are_drawn_without_vega():
    few = ask("/figure/propose_test_release/people", {"users": "150"}).last
    assert "linked" not in few
    assert few["spec"]["data"]


def test_a_file_has_all_panels_of_a_figure_to_brush():
    scene = scene_of(page("propose_test_release"), {"view": ["people"]})
    text = files.contents("svg", scene, finest(scene, 60), "https://example.org").decode()
    root = ElementTree.fromstring(text)
    said = " ".join(root.itertext())
    for words in ("All 1,000 users", "dropped first", "Users dropped first, R", "Noise, c"):
        assert words in said
    assert scene.view.title in said


@pytest.mark.parametrize("theme", ["", "dark"])
def test_it_comes_in_the_colours_of_the_page(theme):
    drawn = ask(PATH, {"theme": theme}).last["linked"]["specification"]
    assert drawn["config"]["background"] == ("#171614" if theme else "#fdfcfa")


def test_people_of_a_readers_file_go_by_the_token_and_are_never_kept(monkeypatch):
    lines = [f"p{i % 30},{'often' if i % 4 else 'seldom'}" for i in range(150)]
    table = read_csv(("person,answer\n" + "\n".join(lines)).encode())
    guest = welcome()
    guest.own = {"own": user_data(table, user="person", value="answer")}
    kept = Recent(2**20)
    monkeypatch.setattr(figures, "ANSWERS", kept)
    RECENT.forget()
    answer = ask(PATH, {"data": "own"}, **{TOKEN: guest.token})
    assert "All 30 people, 150 rows" in answer.content.decode()
    assert answer.headers["cache-control"] == "no-store"
    assert not len(kept)
    assert not RECENT.bytes
    for token in ("", "guessed"):
        other = ask(PATH, {"data": "own"}, **{TOKEN: token})
        assert "until a file is uploaded" in other.last["problem"]
        assert "often" not in other.content.decode()


def test_our_script_computes_no_privacy():
    """It places, compares and looks up: no exponential, logarithm, sum or random number."""
    ours = bundles.linked().read_text(encoding="utf-8")
    assert set(re.findall(r"Math\.(\w+)", ours)) <= {"min", "max"}
    assert "fetch" not in ours
