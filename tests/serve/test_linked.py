"""Figures to brush: who gets them, with which scripts, and whose data stay whose."""

import re
from xml.etree import ElementTree

import pytest

from dpviz.results.caching import Recent
from dpviz.results.user_data import read_csv, user_data
from dpviz.serve import bundles, figures, files, scripts
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
    assert drawn["spec"]["data"]  # where Vega does not come, the other figure stands in
    assert "linked" not in ask("/figure/clipping/user").last


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


def test_the_scripts_are_kept_by_browsers_and_packed():
    vega, ours = scripts.linked_addresses()
    for address, file, most in ((vega, bundles.vega(), 260_000), (ours, bundles.linked(), 4_000)):
        answer = ask(address, accept_encoding="gzip")
        assert answer.content == file.read_bytes()
        assert "immutable" in answer.headers["cache-control"]
        assert sum(map(len, answer.pieces)) < most
    assert bundles.vega().with_name("vega-LICENSE").exists()


def test_our_script_computes_no_privacy():
    """It places, compares and looks up: no exponential, logarithm, sum or random number."""
    ours = bundles.linked().read_text(encoding="utf-8")
    assert set(re.findall(r"Math\.(\w+)", ours)) <= {"min", "max"}
    assert "fetch" not in ours
