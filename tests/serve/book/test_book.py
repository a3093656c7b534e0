"""A book holds what the figure route says, in plain files that lead only to each other."""

import base64
import gzip
import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dpviz.results.refining import Pace
from dpviz.scene.catalogue import HOME
from dpviz.scene.lectures import TEXT, EndQuestion, Lecture, LectureScene, Onward, Poll
from dpviz.serve.book import contents, figures, page, site
from dpviz.serve.book.contents import Chapter, Leaf
from dpviz.serve.book.page import Book
from dpviz.serve.computing import Computation
from dpviz.serve.lecture import scenes, states
from dpviz.serve.topics import Topics
from tests.serve.asgi import ask
from tests.serve.lecture.files import agree, held
from tests.support.examples import only_in_ci
from tests.support.inks import unset
from tests.support.links import broken
from tests.support.pace import never

ODDS = {"view": "odds", "mechanism": "laplace", "epsilon": "2"}
SCENES = (
    LectureScene("promise", ODDS, "What <i>then</i>?", ask=True, control="epsilon"),
    LectureScene("shared_darts", {"view": "board"}, "Darts"),
    LectureScene(
        TEXT,
        {},
        "And <now>?",
        text="Say $x^2$.",
        poll=Poll("choice", ("A", "B"), "1", because="So."),
    ),
)
LEAVES = tuple(Leaf(f"told/{n}.html", step, step.prompt) for n, step in enumerate(SCENES, 1))
LECTURE = Lecture(
    "A & b",
    SCENES,
    questions=(EndQuestion("Which <b>one</b>?", ("This", "That"), 1, ("It is not.", "It is."), 2),),
    onward=(Onward("Go on", "nowhere", {}),),
)
CHAPTERS = (
    Chapter("told", "A & b", LEAVES, lecture=LECTURE),
    *contents.chosen(["promise?view=again&queries=10", "promise?view=play"], Topics()),
)
LIVE = "https://dpviz.example.edu/"


@pytest.fixture(scope="module", autouse=True)
def few():
    """Few values of each control."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(states, "_HALVINGS", 1)
        patch.setattr(figures, "_PAIR", 2)
        patch.setattr(figures, "_GUESSES", 3)
        patch.setattr(figures, "GAMES", 1)
        yield


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    site.write(CHAPTERS, folder, live=LIVE)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """What a reader may see of a book, by its place."""
    found = (file for file in folder.rglob("*") if file.is_file())
    return {
        place: file.read_bytes()
        for file in found
        if not (place := file.relative_to(folder).as_posix()).startswith(site.CACHE)
    }


def chunk(folder: Path, name: str):
    """What a chunk registers."""
    text = (folder / "held" / f"{name}.js").read_text()
    [said, packed] = re.fullmatch(r'.*\["(.*)"\]="(.*)";\n', text).groups()
    assert said == name
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def opening(folder: Path, path: str):
    """What the script of a page reads first."""
    return chunk(folder, re.search(r'data-first="([^"]+)"', (folder / path).read_text())[1])


def line(page, *changes, narrow=False):
    """A figure as the script of the page makes it of the first, with what differs from it."""
    [made] = held(("after", page["first"], changes, {"narrow": narrow}))
    return made


def route(step: LectureScene, state: dict[str, str], *, narrow: bool):
    look = {"narrow": "1", "across": "360"} if narrow else {"low": "480", "across": "940"}
    query = {**step.state, **state, **look, "labels": "only" if step.control else "few"}
    return ask(f"/figure/{step.page}/{query.pop('view')}", query).last


def test_controls_behind_more_move_a_page_that_shows_all_controls(book):
    alone, whole = (opening(book, leaf.path) for leaf in LEAVES[:2])
    assert alone["more"] == []
    assert whole["more"] == ["width_ratio", "outcomes"]
    reached = {state for part in whole["chunks"] for state in part["states"]}
    assert {state.partition("=")[0] for state in reached} >= set(whole["more"])
    assert not any(key in state for key in whole["more"] for state in reached if "&" in state)
    assert {about["key"] for about in whole["controls"]} >= set(whole["more"])


@pytest.mark.parametrize("leaf", LEAVES[:2], ids=lambda leaf: leaf.step.page)
def test_every_state_is_what_the_route_says(book, monkeypatch, leaf):
    monkeypatch.setattr(Pace, "due", never)
    page = opening(book, leaf.path)
    found = {}
    for part in page["chunks"]:
        there = chunk(book, part["name"])
        assert there["names"] == part["states"]
        found |= dict.fromkeys(part["states"], there)
    controls = [state for state in found if not state.startswith("guess=")]
    assert any("&" in state for state in controls) is (leaf.step.control == "")
    for state in ["", controls[0], controls[-1]]:
        moved = dict(part.split("=") for part in state.split("&")) if state else {}
        changes = held(("differing", found[state], state)) if state else []
        for narrow in (False, True):
            said = route(leaf.step, moved, narrow=narrow)
            agree(line(page, *changes, narrow=narrow), said, within=0.02 if narrow else 0)


def test_a_drawing_is_as_wide_as_its_place_and_no_word_wider_than_high(book):
    first = opening(book, LEAVES[1].path)["first"]
    usual, near, half = held(*(("lineOf", first, {"across": wide}) for wide in (940, 960, 470)))
    assert near == usual
    sizes = (re.search(r'width="(\d+)" height="(\d+)"', line["svg"]) for line in (usual, half))
    (wide, high), small = (tuple(map(int, size.groups())) for size in sizes)
    assert small == (wide / 2, high / 2)
    for name in ("x", "y"):
        assert half["scales"][name][2:4] == [end / 2 for end in usual["scales"][name][2:4]]
    reading, same = half["readings"][0], usual["readings"][0]
    assert reading["places"] == [[place / 2 for place in row] for row in same["places"]]
    assert half["play"]["right"] == usual["play"]["right"] / 2


def test_what_is_to_be_predicted_is_not_there_first(book):
    page, text = opening(book, LEAVES[0].path), (book / LEAVES[0].path).read_text()
    assert line(page, page["masked"])["takeaway"] in text
    assert page["first"]["takeaway"] not in text
    assert 'id="standing"' not in text
    assert '<details id="why">' in text
    names = [state for part in page["chunks"] for state in part["states"]]
    guesses = [name for name in names if name.startswith("guess=")]
    assert guesses[0] == "guess="
    assert [name.removeprefix("guess=") for name in guesses[1:]] == page["guess"]["grid"]


@only_in_ci
def test_what_is_known_in_part_asks_for_no_prediction(tmp_path, monkeypatch):
    """Which curve is lower was answered "nowhere on this axis", as one was still to be computed."""
    step = LectureScene("bounded_noise", {"view": "errors"}, "Which?", ask=True)
    leaf = Leaf("1.html", step, "Which?")
    for pauses, is_asked in ((1, False), (10**6, True)):
        monkeypatch.setattr(figures, "_OPENING", pauses)
        monkeypatch.setattr(figures, "_MOVED", 1)
        monkeypatch.setattr(figures, "_ALL_MOVED", 1 - pauses)
        folder = tmp_path / str(pauses)
        site.write((Chapter("one", "One", (leaf,)),), folder)
        assert bool(opening(folder, leaf.path)["masked"]) is is_asked
        assert ('id="standing"' in (folder / leaf.path).read_text()) is not is_asked


def test_what_a_control_moves_along_is_said_with_the_state():
    """The box of the threshold said 20 beside "Yours, 15", as 15 rows were all that users had."""
    step = LectureScene("clipping", {"view": "threshold", "threshold": "20"}, "?")
    scene = scenes.opened(step, Topics())
    state = (("examples_per_user", "15"),)
    assert figures._along(scene, figures._at(scene, state), state) == {"threshold": "15"}
    assert figures._along(scene, scene, ()) == {}


def test_a_state_that_is_known_in_part_is_known_well_enough_to_say_something(monkeypatch):
    """A view of the book had two points for a curve, and an empty panel."""
    monkeypatch.setattr(figures, "_BRIEF", 1)
    step = LectureScene("few_users", {"view": "rich"}, "?")
    scene = scenes.opened(step, Topics())
    little, _ = figures.settled(scene, 1)
    enough, _ = figures.settled(scene, 10**6, figures._BRIEF)
    assert little is not None
    assert not figures.tells(little)
    assert enough is not None
    assert figures.tells(enough)
    assert not enough.whole
    said = scene.view.headline(enough.result)  # a book computes nothing more
    assert said.startswith("From ")


def test_a_scene_of_words_is_a_page(book):
    text = (book / LEAVES[2].path).read_text()
    assert "<h1>And &lt;now&gt;?</h1>" in text
    assert "<math" in text
    assert "<li>A</li><li>B</li>" in text
    assert "<details><summary>Reveal</summary><p>The answer: B. So.</p></details>" in text


@pytest.mark.parametrize("outcomes", ["1", "0", "1101", "00100", "1" * 19, "01" * 10, "0" * 20])
def test_a_game_stands_however_it_was_played(book, outcomes):
    page = opening(book, "figures/2.html")
    known, about = chunk(book, page["game"]["chunks"][""]), page["game"]
    won = [outcome == "1" for outcome in outcomes]
    other = {"i": "o", "o": "i"}
    said = "".join(
        letter if right else other[letter]
        for letter, right in zip(known["right"], won, strict=False)
    )
    step = CHAPTERS[1].leaves[1].step
    scene = scenes.opened(step, Topics())
    computation = Computation(scene, {"guesses": said})
    computation.advance()
    for look, narrow in zip(figures.looks(step), (False, True), strict=True):
        if len(won) == about["count"]:
            pairs = [*zip(known["right"], won, strict=True)]
            ends = (sum(right and one == letter for one, right in pairs) for letter in "oi")
            over = known["over"][",".join(map(str, ends))]
            shown = line(page, known["end"], over, narrow=narrow)
        else:
            after = known["rounds"][len(won) - 1]
            both = (line(page, after[way], narrow=narrow) for way in ("right", "wrong"))
            [shown] = held(("mixed", *both, won))
            shown |= after["words"][sum(won)][won[-1]]
        said = scenes.final_line(scene, computation.progress, look, pulled=True)
        agree(shown, said, within=0.02 if narrow else 0)


def test_a_figure_stands_before_any_script_runs_within_sixty_kilobytes(book):
    text = (book / LEAVES[1].path).read_bytes()
    assert text.count(b"<svg") >= 2
    assert len(gzip.compress(text)) < 60_000


def test_what_a_drawing_is_coloured_by_is_in_the_style_of_the_book(book):
    """All of it was black."""
    own = (book / "own").glob("*.css")
    text = (book / LEAVES[1].path).read_text()
    assert "var(--ink-" in text
    assert not unset(text, *(sheet.read_text() for sheet in own))


def test_a_lecture_ends_with_its_questions(book):
    text = (book / "told" / "end.html").read_text()
    assert "Which &lt;b&gt;one&lt;/b&gt;?" in text
    assert re.findall(r"<summary>(.*?)</summary><p><strong>(.*?)</strong> (.*?)</p>", text) == [
        ("This", "No.", "It is not."),
        ("That", "Yes.", "It is."),
    ]
    assert 'href="../told/2.html"' in text
    assert 'rel="next"' in (book / LEAVES[1].path).read_text()


def test_where_it_will_be_is_said_with_a_picture_that_tells_no_answer(tmp_path):
    site.write(CHAPTERS[:1], tmp_path, site="https://example.edu/book/")
    asked, plain = ((tmp_path / leaf.path).read_text() for leaf in LEAVES[:2])
    assert '<link rel="canonical" href="https://example.edu/book/told/2.html">' in plain
    assert 'content="https://example.edu/book/told/2.png"' in plain
    assert (tmp_path / "told" / "2.png").read_bytes().startswith(b"\x89PNG")
    assert "og:image" not in asked
    assert not (tmp_path / "told" / "1.png").exists()
    missing = (tmp_path / "404.html").read_text()
    assert 'href="https://example.edu/book/index.html"' in missing
    assert 'href="https://example.edu/book/own/book-' in missing


def test_the_first_page_says_what_it_is_about_and_shows_its_topics(book):
    names = {kind: name for kind, (name, _) in site._shared().items()} | {"search": "s"}
    topic = Chapter("promise", "The promise", LEAVES, topic=True)
    first = page.index_page(Book((topic,), names))
    assert HOME.summary in html.unescape(first)
    pictures = re.findall(r'(?:src|srcset)="own/([^"]+[.]svg)"', first)
    assert {*pictures} == site._tiles([topic]).keys()
    assert all(content.startswith(b"<svg") for content in site._tiles([topic]).values())
    kept = (book / "_headers").read_text().splitlines()
    assert kept[:2] == ["/held/*", "  Cache-Control: public, max-age=31536000, immutable"]


def test_hosts_take_a_book_as_it_is_without_what_is_kept(book):
    said = files(book)
    assert said[".nojekyll"] == b""
    assert said[".gitignore"].decode().split() == [f"/{site.CACHE}/"]
    assert b"/held/*\n  Cache-Control: public" in said["_headers"]


def test_every_link_leads_somewhere_in_the_book(book):
    assert sum(".html" in name for name in files(book)) == 8
    assert broken(book, LIVE) == []


def test_prose_says_where_a_view_is_that_is_not_in_the_book():
    chapters = tuple(contents.chosen(["promise"], Topics()))
    scene = scenes.opened(chapters[0].leaves[0].step, Topics())
    for live, there in (
        ("", "<em>Every attacker</em>"),
        (LIVE, f'<a href="{LIVE}promise?view=attackers"><em>Every attacker</em></a>'),
    ):
        said = page._leading(
            "<em>Odds</em>, <em>Every attacker</em>", Book(chapters, {}, live), scene
        )
        assert said == f'<a href="../promise/odds.html"><em>Odds</em></a>, {there} (in the app)'


@pytest.mark.parametrize(
    ("step", "moves"),
    [
        (LectureScene("perfect_generalization", {"view": "pairs", "samples": "10"}, "?"), False),
        (LectureScene("shared_darts", {"view": "board"}, "?"), True),
    ],
    ids=["long", "short"],
)
def test_what_is_played_is_held_with_each_state_or_with_the_first(step, moves):
    """What takes some bytes can be played at all values of a slider."""
    scene = scenes.opened(step, Topics())
    progress, _ = figures.settled(scene, 10**6)
    wide, narrow = looks = figures.looks(step)
    first, plays = scenes.first_figure(scene, progress, looks)
    assert bool(plays) is not moves
    for look, small in ((wide, False), (narrow, True)):
        [played] = held(("playOf", plays or first, {"narrow": small}))
        said = scenes.final_line(scene, progress, replace(look, frames=True))
        assert played["frames"] == said["frames"]
    change = scenes.next_figure(first, scene, progress, looks)
    assert (change is None) is moves  # elsewhere nothing else is there to play
    [there] = held(("changed", first, change))
    assert bool(there["play"]) is moves


def test_nothing_comes_from_elsewhere(book):
    for name, content in files(book).items():
        if name.endswith((".css", ".html")):
            text = content.decode()
            assert not re.search(r"url\((?!data:|#|[a-z0-9.]+\))|@import|<iframe", text), name
            assert not re.search(r'<(?:script|link|img)[^>]*(?:src|href)="(?:https?:|/)', text), (
                name
            )
    assert "A &amp; b" in (book / LEAVES[0].path).read_text()
    assert "What &lt;i&gt;then" in (book / LEAVES[0].path).read_text()


@only_in_ci
def test_the_same_contents_give_the_same_bytes(book, tmp_path):
    site.write(CHAPTERS[::-1], tmp_path, live=LIVE)
    known, again = (
        {
            name: text
            for name, text in files(one).items()
            if "index" not in name and "search" not in name
        }
        for one in (book, tmp_path)
    )
    assert known == again


def test_it_goes_on_where_it_stopped_and_leaves_nothing_of_an_earlier_book(tmp_path):
    class StopError(Exception):
        pass

    def stop(part: float, _: str) -> None:
        if part > 0.4:
            raise StopError

    with pytest.raises(StopError):
        site.write(CHAPTERS[:1], tmp_path, tell=stop)
    parts = []
    done = site.write(CHAPTERS[:1], tmp_path, tell=lambda part, _: parts.append(part))
    assert (done.pages, done.new, parts[0]) == (3, 1, 0.5)
    twice = (Chapter("again", "B", (Leaf("again/1.html", LEAVES[1].step, "C"),)),)
    assert site.write(twice, tmp_path).new == 0  # it shows what another page showed
    assert not any(name.startswith(("told/", "held/promise")) for name in files(tmp_path))


def test_the_usual_book_has_the_lectures_and_what_is_for_everyone():
    chapters = contents.usual(Topics())
    paths = [leaf.path for chapter in chapters for leaf in chapter.leaves]
    assert len(set(paths)) == len(paths)
    assert paths[0] == "first-steps/1.html"
    assert "promise/play.html" in paths
    assert "promise/rows.html" not in paths  # in depth
    assert not any(path.startswith("a-class-takes-part/") for path in paths)  # on its phones


def test_what_cannot_be_in_a_book_is_refused_in_words():
    garbled = ("promise?epsilon=nan", "promise?epsilom=1")
    for named in ("nowhere?x=1", "no-such.json", "promise?lecture=1.broken", *garbled):
        with pytest.raises(contents.ContentsError):
            contents.chosen([named], Topics())
