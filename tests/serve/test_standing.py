"""The figure that stands in a page before any script runs: as HTML, without a browser."""

import json
import re
import threading
from dataclasses import replace
from functools import partial
from html import escape, unescape
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree as ET

import pytest

from dpviz.plot.picture import svg
from dpviz.plot.schemes import inked, variables
from dpviz.plot.text import unbroken
from dpviz.plot.written import line
from dpviz.scene.catalogue import GUIDES, PAGES, entry
from dpviz.scene.codec import Number
from dpviz.scene.lectures import FIRST, Lecture, LectureScene, pack, shipped
from dpviz.scene.ranges import description
from dpviz.scene.scene import Scene
from dpviz.serve import placeholders, previews, standing
from dpviz.serve.clients import Client
from dpviz.serve.computing import RESULTS, Computation
from dpviz.serve.lines import Look, adapted, drawn
from dpviz.serve.placeholders import Placeholder
from tests.serve.asgi import ask
from tests.support.declarations import page
from tests.support.examples import by_ring
from tests.support.inks import unset
from tests.support.loops import run

PREDICTED = [
    (slug, view.key)
    for slug in ("", *(named.slug for named in PAGES))
    for view in page(slug).views
    if view.prediction is not None and view.prediction.applies(page(slug).usual(view.key))
]
PROMISE = {"view": "odds", "epsilon": "2"}
STANDS = re.compile(r'<div id="standing"[^>]*>.*?(?=<div id="root">)', re.DOTALL)


def odds():
    """A scene, and what is computed of it."""
    declared = page("promise")
    scene = Scene.settled(declared, declared.usual("odds"))
    computation = Computation(scene)
    list(computation.first())
    return scene, computation.progress


def stands(slug, query=""):
    whole = ask(f"/{slug}", query).content.decode()
    found = STANDS.search(whole)
    assert not unset(whole, whole)
    return found[0] if found else ""


@pytest.fixture
def _patient(monkeypatch):
    """However busy the machine, the figure is waited for."""
    monkeypatch.setattr(previews, "_MOMENT", 600)


@pytest.fixture
def _nothing_known():
    RESULTS.clear()
    standing.FIGURES.clear()


@pytest.mark.usefixtures("_patient")
@pytest.mark.parametrize("slug", ["", *(named.slug for named in PAGES)])
def test_every_page_stands_with_its_question_its_sentence_and_its_figure(slug):
    made = stands(slug)
    shown = ask(f"/figure/{slug or 'home'}/{page(slug).views[0].key}").last
    assert f"<h1>{escape(entry(slug).question)}</h1>" in made
    assert f'<p class="said takeaway">{shown["takeaway"]}</p>' in made
    drawings = re.findall(r"<svg .*?</svg>", made, re.DOTALL)
    assert {ET.fromstring(one).attrib["width"] for one in drawings} >= {"358", "944"}
    named = re.findall(r'\bid="([^"]+)"', made)
    assert len(named) == len(set(named))
    assert set(re.findall(r"url\(#([^)]+)\)", made)) <= set(named)


@pytest.mark.usefixtures("_patient")
def test_a_link_stands_at_its_parameters():
    assert stands("promise", PROMISE) != stands("promise", PROMISE | {"epsilon": "1"})
    assert "is not" in stands("promise", PROMISE | {"epsilon": "<b>nan"})
    assert "<b>" not in stands("promise", PROMISE | {"epsilon": "<b>nan"})


@pytest.mark.usefixtures("_patient")
@pytest.mark.parametrize("slug", ["", *(named.slug for named in PAGES)])
def test_what_stands_knows_what_it_asks_for_and_its_sliders(slug):
    """What it asks for is what the live page asks for; its sliders are those in sight."""
    made = stands(slug)
    told = json.loads(re.search(r'<script type="application/json">(.*?)</script>', made)[1])
    declared = page(slug)
    scene = Scene.settled(declared, declared.usual())
    assert told["wanted"]["figure"] == f"/figure/{declared.name}/{scene.view.key}"
    assert told["wanted"]["query"] == scene.movable | scene.query
    live = [key for key in scene.view.in_sight if key not in scene.idle]
    places = re.findall(r'data-control="([^"]+)"', made)
    assert places == [key for key in live if key in told["controls"]]
    for key, about in told["controls"].items():
        assert about == json.loads(json.dumps(description(scene.parameter(key).slider)))
    assert made.count('class="later') == len(live) - len(places)
    assert bool(told["rounds"]) == bool(scene.view.rounds)


@pytest.mark.parametrize("slug", [guide.slug for guide in GUIDES])
def test_a_page_without_a_figure_stands_with_its_question(slug):
    assert f"<h1>{escape(entry(slug).question)}</h1>" in stands(slug)
    assert "<figure" not in stands(slug)
    assert ">Leave full view</a>" in stands(slug, {"present": "1"})


@pytest.mark.usefixtures("_patient")
@pytest.mark.parametrize(("slug", "key"), by_ring(PREDICTED[::4], PREDICTED, PREDICTED))
def test_a_page_that_asks_first_stands_without_the_answer(slug, key):
    """Figure, words and description are those of the question; no picture has the answer."""
    query = {"view": key, "ask": "1"}
    whole = ask(f"/{slug}", query).content.decode()
    made, scene = stands(slug, query), Scene.settled(page(slug), page(slug).usual(key))
    asked, computation = scene.prediction, Computation(scene)
    list(computation.first())
    result = computation.progress.result
    look = {"across": "1104", "labels": "few"}
    shown = ask(f"/figure/{slug or 'home'}/{key}", look | {"ask": "1"}).last
    assert shown["takeaway"] in made
    assert ask(f"/figure/{slug or 'home'}/{key}", look).last["takeaway"] not in made
    curves = re.compile(r'data-curve="([^"]*)"')
    assert set(curves.findall(made)) == set(curves.findall(shown["svg"]))
    seen = re.sub(r"<(style|script).*?</\1>|<[^>]*>", "", made, flags=re.DOTALL)
    for words in (scene.view.takeaway(result), asked.answer(result)):
        assert not words or escape(words.replace("**", "")) not in seen
    assert f'name="description" content="{escape(asked.question)}"' in whole
    assert 'property="og:image"' not in whole
    told = json.loads(re.search(r'<script type="application/json">(.*?)</script>', made)[1])
    assert told["wanted"]["look"]["ask"] == "1"
    assert 'class="reveal">' in made


@pytest.mark.usefixtures("_patient")
def test_a_readers_own_data_are_in_no_page():
    made = stands("clipping", {"view": "real", "data": "own"})
    assert "<h1>" in made
    assert "<figure" not in made


def test_answers_in_an_address_are_those_of_a_game_without_a_session():
    known = ask("/figure/home/play").last["takeaway"]
    one = ask("/figure/home/play", {"said": "i"}).last["takeaway"]
    assert "of 1 so far" not in known
    assert "of 1 so far" in one
    for garbage in ("x", "i" * 21, "<b>", "i x"):
        assert ask("/figure/home/play", {"said": garbage}).last["takeaway"] == known
    assert "said" not in str(ask("/figure/promise/odds", {"said": "i"}).last["notes"])


@pytest.mark.parametrize("narrow", [False, True])
def test_the_colours_of_both_schemes_are_in_one_drawing(narrow):
    scene, progress = odds()
    light, dark = (
        svg(seen.figure.with_exponents(), seen.theme, 358)
        for seen in (
            drawn(scene.view, progress.result, Look(dark=d, narrow=narrow), whole=True)
            for d in (False, True)
        )
    )
    one = inked(light)
    inks = re.findall(r"(--ink-[\w-]+):light-dark\((#\w+),(#\w+)\)", variables())
    for which, drawing in ((0, light), (1, dark)):
        worn = one
        for name, *both in inks:
            worn = worn.replace(f"var({name})", both[which])
        assert worn == drawing
    assert "#" not in re.sub(r"url\(#[^)]*\)", "", one)


@pytest.mark.usefixtures("_nothing_known")
def test_a_page_waits_for_no_drawing(monkeypatch):
    """The one whose drawing takes too long has the sentence, the next one the figure as well."""
    release, drawn_once, make = threading.Event(), threading.Event(), previews._draw

    def slowly(*given):
        release.wait()
        make(*given)
        drawn_once.set()

    scene, progress = odds()
    said = previews.Preview("", "", "", scene=scene, progress=progress)
    monkeypatch.setattr(previews, "_draw", slowly)

    async def two_visits():
        drawing = previews.StandingFigures()
        first = await drawing.of(said, Client("one"), seconds=0.01)
        release.set()
        second = await drawing.of(said, Client("two"), seconds=600)
        return first, second

    first, second = run(two_visits())
    assert first == ""
    assert "<svg" in second
    assert drawn_once.is_set()


PLACE = re.compile(r'<figure class="picture" style="([^"]*)"')


@pytest.mark.usefixtures("_nothing_known")
@pytest.mark.parametrize("asks", [{}, {"ask": "1"}])
def test_a_figure_that_is_late_has_its_place_before_it_is_there(monkeypatch, asks):
    """It is that of the view's last figure, whoever asked for it; at first, what a file tells."""
    link = {"view": "odds"} | asks
    other = Placeholder(413, 412, 311, "", False, "Words of another figure.")
    with monkeypatch.context() as late:
        late.setattr(previews, "_computed", lambda _: None)
        late.setattr(placeholders, "_LATEST", {})
        late.setattr(placeholders, "_opening", lambda: {"dpviz-promise-odds": other})
        unknown = stands("promise", link | {"epsilon": "0.5"})
        ask("/figure/promise/odds", link | {"epsilon": "0.7"})
        expected = stands("promise", link | {"epsilon": "0.6"})
    monkeypatch.setattr(previews, "_MOMENT", 600)
    there = stands("promise", link | {"epsilon": "0.6"})
    assert "<svg" not in unknown + expected
    assert "<svg" in there
    assert PLACE.search(unknown)[1].startswith("--high:413px;--free:412px;--low:311px;")
    if not asks:  # a question is known without a computation
        for early in (unknown, expected):  # never the words of who asked before
            assert f'<span style="visibility:hidden">{other.sentence}</span>' in early
    assert PLACE.search(expected)[1] == PLACE.search(there)[1] != PLACE.search(unknown)[1]
    below = re.compile(r'<div class="named"[^>]*>')
    assert below.search(expected)[0] == below.search(there)[0]


@pytest.mark.usefixtures("_nothing_known")
def test_a_page_without_time_stands_with_its_question(monkeypatch):
    monkeypatch.setattr(previews, "_MOMENT", 0)
    made = stands("bounded_noise", {"view": "noise", "epsilon": "0.37"})
    assert f"<h1>{entry('bounded_noise').question}</h1>" in made
    assert "<svg" not in made


@pytest.mark.usefixtures("_patient", "_nothing_known")
def test_a_drawing_counts_to_who_asked_for_it(monkeypatch):
    charged = []
    monkeypatch.setattr(previews.SCHEDULER, "charge", lambda *given: charged.append(given))
    stands("promise", PROMISE)
    stands("promise", PROMISE)  # kept from the first time
    [(client, seconds)] = charged
    assert client.network_id
    assert seconds > 0


@pytest.mark.usefixtures("_patient")
@pytest.mark.parametrize("number", by_ring((1, 2, 7), range(1, 10), range(1, 10)))
def test_a_scene_of_the_path_stands_with_its_question_one_control_and_no_answer(number):
    path = shipped()[FIRST]
    step, query = path.scenes[number - 1], path.query(number, FIRST)
    made = stands(step.page, query)
    assert f"<h1>{line(unbroken(step.prompt))}</h1>" in made
    told = json.loads(re.search(r'<script type="application/json">(.*?)</script>', made)[1])
    look = {"labels": "only", "ask": "1"}
    assert told["wanted"]["look"] == look
    assert told["wanted"]["step"] == str(number)
    scene = Scene.settled(page(step.page), page(step.page).usual(step.state["view"]))
    asked = [scene.guess_key(str(number))] if isinstance(scene.prediction.guess, Number) else []
    assert re.findall(r'data-control="([^"]+)"', made) == [*asked, step.control]
    state = dict(step.state)
    where, across = f"/figure/{step.page}/{state.pop('view')}", {"across": "940"}
    shown = ask(where, state | look | across).last
    answer = ask(where, state | across | {"labels": "only"}).last
    assert shown["takeaway"] in made
    assert answer["takeaway"] not in made
    curves = re.compile(r'data-curve="([^"]*)"')
    assert set(curves.findall(made)) == set(curves.findall(shown["svg"]))
    seen = re.sub(r"<(style|script).*?</\1>|<[^>]*>", "", made, flags=re.DOTALL)
    assert not step.after or escape(step.after) not in seen
    assert "views" not in re.findall(r'class="([^"]+)"', made)
    ways = dict(re.findall(r'<a class="(step on|leave)[^"]*" href="([^"]+)"', made))
    to = path.query(number + 1, FIRST) if number < len(path.scenes) else {"scene": "10"}
    assert to.items() <= dict(parse_qsl(urlsplit(unescape(ways["step on"])).query)).items()
    left = dict(parse_qsl(urlsplit(unescape(ways["leave"])).query))
    assert not left.keys() & {"lecture", "scene"}
    assert state.items() <= left.items()


@pytest.mark.usefixtures("_patient")
@pytest.mark.parametrize("lecture", [{}, {"lecture": "what-epsilon-promises", "scene": "2"}])
def test_a_page_before_a_class_stands_large_and_asks_for_the_height_it_has(lecture):
    """How high a projector is, only the browser knows; on a phone figures are as everywhere."""
    made = stands("promise", PROMISE | lecture | {"present": "1"})
    told = json.loads(re.search(r'<script type="application/json">(.*?)</script>', made)[1])
    assert told["wanted"]["presenting"]
    assert told["controls"] == {}
    assert '<div id="standing" class="presenting">' in made
    assert [ET.fromstring(one).attrib["width"] for one in re.findall(r"<svg .*?</svg>", made)] == [
        "358"
    ]
    assert "<header>" not in made
    modes = {"present": "1"} | lecture
    leave = re.search(r'<a class="leave" href="([^"]+)">Leave full view</a>', made)[1]
    left = dict(parse_qsl(urlsplit(unescape(leave)).query))
    assert left.items() >= (modes | PROMISE).items() - {("present", "1")}
    assert "present" not in left


@pytest.mark.usefixtures("_patient")
def test_a_scene_that_is_text_stands_with_its_question():
    query = {"lecture": "what-epsilon-promises", "scene": "6", "present": "1"}
    made = stands("lectures", query)
    scene = shipped()["what-epsilon-promises"].scenes[5]
    assert f"<h1>{line(unbroken(scene.prompt))}</h1>" in made
    assert ">Next →</a>" in made
    assert scene.text not in made


@pytest.mark.usefixtures("_patient")
def test_what_a_lecture_carries_is_text():
    scene = LectureScene("promise", {"view": "odds"}, "<b>one</b>", notes="<b>two</b>")
    made = stands("promise", {"lecture": pack(Lecture("<b>three</b>", (scene,))), "view": "odds"})
    assert "&lt;b&gt;one" in made
    assert "&lt;b&gt;three" in made
    assert "two" not in made
    assert "<b>" not in made


@pytest.mark.parametrize(
    ("slug", "query"),
    [
        ("promise", PROMISE | {"embed": "yes"}),
        ("promise", PROMISE | {"embed": "true", "embed_options": "show_padding"}),
        ("promise", PROMISE | {"embed": "true", "present": "1"}),
        ("promise", PROMISE | {"lecture": "nosuch", "scene": "1"}),
    ],
)
@pytest.mark.usefixtures("_patient")
def test_a_page_that_looks_otherwise_waits_for_its_script(slug, query):
    html = ask(f"/{slug}", query).content.decode()
    assert 'id="standing"' not in html
    assert '<div id="root"></div>' in html


@pytest.mark.usefixtures("_patient")
@pytest.mark.parametrize(
    ("options", "kind"),
    [({}, "within any"), ({"embed_options": "dark_theme"}, "within dark")],
)
def test_a_page_within_another_sites_stands_without_ways_out(options, kind):
    made = stands("promise", PROMISE | {"embed": "true"} | options)
    assert f'<div id="standing" class="{kind}">' in made
    assert "<header>" not in made
    assert '<div class="note">' not in made
    assert "<svg" in made


LOW = (300, 340, 440, 500, 540, 640)  # pixels that lower windows leave a figure


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize("slug", ["", *(named.slug for named in PAGES)])
def test_in_a_lower_window_a_figure_is_as_high_as_what_stands_for_it(slug, asks):
    """A figure that a lower window makes higher stood as low as in a high one."""
    for view in page(slug).views:
        scene = Scene.settled(page(slug), page(slug).usual(view.key))
        if asks and scene.prediction is None:
            continue
        computation = Computation(scene)
        list(computation.first())
        if computation.progress is None:
            continue
        look = Look(ask=asks, labels="few")
        view, result = adapted(scene, look), computation.progress.result
        drawn_as = partial(drawn, view, result, whole=True)
        place = Placeholder.of(drawn_as, look)
        for low in by_ring(LOW[2:4], LOW, LOW):
            figure = drawn_as(replace(look, low=low)).figure
            assert figure.layout["height"] == min(low, place.free)
