"""What a reader can take along, for every view of every page."""

import ast
import csv
import io
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from datetime import date
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from dpviz.plot.captioned import WIDTH, captioned
from dpviz.plot.standalone import standalone_html
from dpviz.plot.text import superscript
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Evidence
from dpviz.results.folders import ROOT
from dpviz.results.papers import bibtex
from dpviz.results.parameters import LIMITS
from dpviz.results.version import VERSION
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import Choice, Flag, Number, Seed, decode
from dpviz.scene.page import csv_text
from dpviz.scene.scene import Scene, snippet
from dpviz.serve import files
from dpviz.serve.alone import lively
from dpviz.serve.computing import Computation, Progress
from tests.support.declarations import SLUGS, every, first, last, opened, opening, page
from tests.support.examples import chosen, in_nightly
from tests.support.specs import checked

ADDRESS = "https://example.org/app"
SHORT = "what a short computation gives"
every_view = pytest.mark.parametrize(
    ("slug", "key"), [(slug, view.key) for slug in SLUGS for view in page(slug).views]
)


def defaults(slug, key, **changes):
    declared = page(slug)
    usual = {p.key: p.default for p in declared.url_parameters}
    return usual | ({"view": key} if "view" in usual else {}) | changes


@every_view
def test_every_figure_leaves_with_what_it_shows_and_where_it_comes_from(slug, key):
    declared, values, question = page(slug), defaults(slug, key), entry(slug).question
    found, view = opening(declared, key), declared.open_view(values)
    scene, result = Scene(declared, view, values), found.result
    link = f"{ADDRESS}/{slug}?{urlencode(scene.query)}"
    words = files.words(question, scene, found, link)
    drawn = view.figure(result, LIGHT)
    out = checked(captioned(drawn, words))
    below = [note for note in out.layout.annotations if note.yref == "paper" and note.y == 0]
    caption = re.sub("<[^>]+>", "", " ".join(note.text for note in below))
    assert words.origins
    for origin in words.origins:
        assert words.sources.count(str(origin.source)) >= 1
        assert origin.evidence.value.lower() in words.sources.lower()
    for parameter in map(declared.parameter, view.parameters):
        is_number = isinstance(parameter, Number) and not isinstance(parameter, Seed)
        if is_number and parameter.key not in view.idle(values):
            assert f"{parameter.limit.symbol} = " in words.state
    assert view.title in caption
    assert (found.remark in caption) if found.remark else (SHORT not in caption)
    assert f"dpviz {VERSION}: https://example.org/app" in caption
    assert out.layout.height > drawn.layout["height"]
    for mark in ("$", "**", "`"):
        assert mark not in words.sentence + words.state + words.sources
    page_text = standalone_html(drawn, words, lively())
    assert "</svg>" in page_text
    assert len(page_text) < 2_000_000
    assert (SHORT in page_text) == bool(found.remark)
    assert question.replace("'", "&#x27;") in page_text
    text = bibtex([origin.source for origin in words.origins], link, date(2026, 1, 1))
    assert text.count("\n@") + 1 >= 2
    assert link in text


LINKED = [("clipping", "people"), ("propose_test_release", "people")]
EACH_KIND = [("shared_darts", "joint"), ("bounded_noise", "compare"), ("few_users", "mistakes")]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def no_chromium(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("DPVIZ_CHROMIUM", raising=False)
    assert not any(map(shutil.which, ("chromium", "chromium-headless-shell", "google-chrome")))


@pytest.mark.usefixtures("no_chromium")
@pytest.mark.parametrize(
    ("slug", "key"),
    chosen([(slug, view.key) for slug in SLUGS for view in page(slug).views], LINKED + EACH_KIND),
)
def test_every_figure_becomes_a_picture_where_there_is_no_browser(slug, key):
    found, scene = opening(page(slug), key), Scene.opened(page(slug), defaults(slug, key))
    said = files.words(entry(slug).question, scene, found, ADDRESS)
    root = ET.fromstring(files.contents("svg", scene, found, ADDRESS))
    text = " ".join(" ".join("".join(part.itertext()) for part in root.iter(f"{SVG}text")).split())
    for part in (said.question, said.sentence, said.state, said.sources):
        assert superscript(" ".join(part.split())) in text
    shapes = {f"{SVG}{name}" for name in ("path", "rect", "line", "circle")}
    assert sum(1 for part in root.iter() if part.tag in shapes) > 8
    assert "data:font/woff2" in root.find(f"{SVG}style").text
    assert not list(root.iter(f"{SVG}image"))
    image = files.contents("png", scene, found, ADDRESS)
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", image[16:24])
    assert width == 2 * WIDTH == 2 * float(root.attrib["width"])
    assert abs(height - 2 * float(root.attrib["height"])) <= 2
    assert len(image) > 20_000


@every_view
def test_the_python_file_is_the_snippet_and_says_what_it_is(slug, key):
    scene = Scene.opened(page(slug), defaults(slug, key))
    code = files.script(entry(slug).question, scene, f"{ADDRESS}/{slug}?x=1")
    ast.parse(code)
    head = code.partition("\n\n")[0]
    assert all(line.startswith("#") for line in head.splitlines())
    assert entry(slug).question in head
    assert f"{ADDRESS}/{slug}?x=1" in head
    assert "pip install" in head
    assert snippet(scene) in code
    if scene.upload is None:  # who reads the numbers, `head` say, may close the pipe
        assert code.index("dpviz.figure(") < code.index("csv.writer(")


@every_view
def test_a_table_says_what_each_column_holds_and_where_it_comes_from(slug, key):
    found, scene = opening(page(slug), key), Scene.opened(page(slug), defaults(slug, key))
    result = found.result
    text, bare = (files.table(scene, found, ADDRESS, bare=bare) for bare in (False, True))
    assert bare == csv_text(result.columns())
    head = text.removesuffix(bare)
    assert all(line.startswith("# ") for line in head.splitlines())
    for column in result.columns():
        assert re.search(rf"^# {re.escape(column)}: \S", head, re.MULTILINE)
    for origin in result.origins:
        assert str(origin.source) in head
    assert (f"# {found.remark}\n" in head) if found.remark else (SHORT not in head)
    assert head.endswith(f"# dpviz {VERSION}: {ADDRESS}\n")


def test_the_python_file_prints_the_numbers(tmp_path):
    declared, values = page("shared_darts"), defaults("shared_darts", "joint", gap=1.5)
    file = tmp_path / "figure.py"
    file.write_text(files.script("?", Scene.opened(declared, values), ADDRESS), encoding="utf-8")
    drawn = tmp_path / "figure.svg"
    done = subprocess.run(
        [sys.executable, file, drawn],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert "gap=1.5" in drawn.read_text(encoding="utf-8")
    expected = csv_text(last(declared, "joint", gap=1.5).columns())
    assert list(csv.reader(io.StringIO(done.stdout))) == list(csv.reader(io.StringIO(expected)))


@every_view
def test_a_link_opens_the_state_it_was_made_in(slug, key):
    declared = page(slug)
    changes = {p.key: p.limit.maximum for p in declared.parameters if isinstance(p, Number)}
    values = defaults(slug, key, **changes)
    scene = Scene.opened(declared, values)
    found, notes = decode(parse_qs(urlencode(scene.query)), declared.url_parameters)
    assert Scene.opened(declared, found).about == scene.about
    assert not notes


def test_a_frame_for_another_page_holds_the_state_and_asks_to_be_embedded():
    class Frames(HTMLParser):
        def handle_starttag(self, tag, attributes):
            assert tag == "iframe"
            self.attributes = dict(attributes)

    frames = Frames()
    frames.feed(files.iframe(f"{ADDRESS}/a?x=1&y=2%26", 'A "question" < 3?'))
    assert frames.attributes["title"] == 'A "question" < 3?'
    url = urlsplit(frames.attributes["src"])
    assert parse_qs(url.query) == {"x": ["1"], "y": ["2&"], "embed": ["true"]}


@pytest.mark.parametrize(
    ("parameter", "value", "words"),
    [
        (Number(LIMITS["delta"]), 1.3e-7, "δ = 1.3 × 10⁻⁷"),
        (Number(LIMITS["epsilon"]), 0.1 + 0.2, "ε = 0.3"),
        (Number(LIMITS["queries"]), 1234567, "k = 1.234567 × 10⁶"),
        (Seed(), 41, "seed 41"),
        (Choice("x", "Along", {"a": "A", "b": "B"}, "a"), "b", "Along: B"),
        (Choice("x", "f(u) =", {"a": "A"}, "a"), "a", "f(u) = A"),
        (Flag("x", "Shown"), False, "Shown: no"),
    ],
)
def test_a_parameter_is_named_by_its_symbol(parameter, value, words):
    assert files.stated(parameter, value) == words


def test_parameters_without_effect_are_not_told():
    declared = page("bounded_noise")
    view = next(view for view in declared.views if view.key == "noise")
    values = defaults("bounded_noise", "noise", shape="iterated")
    assert "p = " not in files.state_text(Scene(declared, view, values))


def test_how_far_a_computation_is_is_told_where_a_view_says_it():
    declared = page("adaptive_analysis")
    view, values = declared.views[0], defaults("adaptive_analysis", "attack", runs=1000)
    first = next(view.compute(**declared.call(declared.arguments(view, values))))
    words = files.words("?", Scene(declared, view, values), Progress(first, False), ADDRESS)
    assert (
        words.caption[0]
        == f"This is {SHORT}, with {int(100 * first.done)}% of its points and runs."
    )


@every_view
def test_a_view_s_own_results_say_so_only_while_there_is_more_to_come(slug, key):
    """Whatever a view says or forgets to say of how far it is."""
    declared, scene = page(slug), opened(page(slug), key)
    computation = Computation(scene)
    computation.advance()
    progress = computation.progress
    if (
        not progress.remark and not progress.whole
    ):  # it says that it is done: then nothing else comes
        computation.advance()
        assert computation.whole
        assert computation.result is progress.result
    else:
        assert bool(progress.remark) == (not progress.whole)
    if in_nightly():
        *parts, whole = every(declared, scene.view, scene.values)
        coarser = [part for part in parts if part is not whole]  # that it is whole is learnt last
        assert all(Progress(part, whole=False).remark for part in coarser)
        assert not Progress(whole, whole=True).remark


def test_results_without_curves_declare_what_they_are():
    for slug, key in (("few_users", "messages"), ("shared_darts", "board")):
        assert Evidence.SIMULATED in {o.evidence for o in first(page(slug), key).origins}
