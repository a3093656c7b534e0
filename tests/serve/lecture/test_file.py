"""The file of a lecture holds what the figure route says, for every state it can be moved to."""

import re
from dataclasses import replace
from html import escape, unescape
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest

from dpviz.plot.formulas import mathml
from dpviz.results.refining import Pace
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import TEXT, Lecture, LectureScene, unpack
from dpviz.scene.poll import Poll
from dpviz.serve.lecture import file, scenes, share, states
from dpviz.serve.lecture.share import Share
from dpviz.serve.lecture.share_process import ShareProcess
from dpviz.serve.modules import modules
from dpviz.serve.topics import Topics
from tests.serve.asgi import ask
from tests.serve.lecture.files import agree, held, packed
from tests.support.examples import only_in_ci
from tests.support.pace import never

EPSILON = mathml(r"\varepsilon")

SITE = "https://dpviz.example.edu/"
LECTURE = Lecture(
    "Two <b>scenes</b>",
    (
        LectureScene(
            "promise", {"view": "odds", "epsilon": "2"}, "What <i>then</i>?", True, "Ask!"
        ),
        LectureScene("shared_darts", {"view": "board"}, "Darts"),
    ),
)


@pytest.fixture(scope="module")
def html():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(states, "_HALVINGS", 1)
        patch.setattr(scenes, "_BRIEF", 1e9)  # each figure goes as far as the route's
        patch.setattr(Pace, "due", never)  # what is known already is not waited for
        return file.made(LECTURE, Topics(), site=SITE, seconds=6000).decode()


def route(step, *, narrow=False, **changes):
    look = {"narrow": "1", "across": "360"} if narrow else {"room": "460", "across": "900"}
    query = dict(step.state) | changes | look
    answer = ask(f"/figure/{step.page}/{query.pop('view')}", query).last
    # In a file no number of a sentence is a slider.
    plain = re.sub(r'<span class="pull" data-pull="\w+">([^<]*)</span>', r"\1", answer["takeaway"])
    return answer | {"takeaway": plain}


def test_every_state_is_what_the_route_says(html, monkeypatch):
    monkeypatch.setattr(Pace, "due", never)
    for step, scene in zip(LECTURE.scenes, packed(html, 'class="scene"'), strict=True):
        first, states = scene["first"], scene["states"]
        assert len(states) >= 3
        named = [(key, name) for key, there in states.items() for name in there["names"][:2]]
        changes = held(*(("differing", states[key], name) for key, name in named))
        for narrow in (False, True):
            place = {"narrow": narrow}
            lines = held(*(("after", first, [part], place) for part in [None, *changes]))
            for line, state in zip(lines, [(), *([pair] for pair in named)], strict=True):
                said = route(step, narrow=narrow, **dict(state))
                plays = {"play": said["play"] and line["play"]}  # only some states have it
                agree(line, said | plays, within=0.02 if narrow else 0)


def test_every_control_has_a_figure_for_each_of_its_values(html):
    for scene in packed(html, 'class="scene"'):
        assert {control["key"] for control in scene["controls"]} == set(scene["states"])
        for control in scene["controls"]:
            values = control.get("grid") or control.get("values") or control["options"]
            there = scene["states"][control["key"]]
            known = {scene["query"][control["key"]], *there["names"]}
            assert set(values) == known


def test_what_is_to_be_predicted_is_not_shown_first(html):
    asked, plain = packed(html, 'class="scene"')
    [line] = held(("after", asked["first"], [asked["masked"]], {}))
    agree(line, route(LECTURE.scenes[0], ask="1"))
    assert plain["masked"] is None
    assert asked["notes"] == "<p>Ask!</p>"


def test_the_handout_has_figure_sentence_sources_and_a_code(html):
    [handouts] = packed(html, 'id="handouts"')
    for step, page in zip(LECTURE.scenes, handouts, strict=True):
        said = " ".join(t.text or "" for t in ET.fromstring(page["picture"]).iter() if t.text)
        takeaway = unescape(re.sub("<[^>]*>", "", route(step)["takeaway"]))
        assert takeaway.replace("\N{NO-BREAK SPACE}", " ")[:40] in said
        assert page["link"].startswith(f"{SITE}{step.page}?view=")
        assert ET.fromstring(page["code"]).tag.endswith("svg")


def test_nothing_of_a_lecture_is_markup_and_nothing_is_loaded(html):
    assert "<title>Two &lt;b&gt;scenes&lt;/b&gt;</title>" in html
    assert "<b>scenes" not in html
    policy = re.search(r'Content-Security-Policy"\s+content="([^"]+)"', html)[1]
    assert policy.startswith("default-src 'none'; script-src 'unsafe-inline';")
    assert not re.search(r'(?:src|href)="(?!data:)', html)
    assert not re.findall(r"/\* (?:style|script|range) \*/|<!-- [a-z]+ -->|export default", html)


def test_a_title_may_be_any_text():
    title = "/* script */ <!-- stage --> </title>"
    html = file.made(Lecture(title, LECTURE.scenes[1:]), Topics(), site=SITE, seconds=0).decode()
    usual = file.made(Lecture("", LECTURE.scenes[1:]), Topics(), site=SITE, seconds=0).decode()
    assert len(html) == len(usual) + 2 * len(escape(title))
    assert html.count("<script") == html.count("</script>")


def test_a_shipped_lecture_stays_small_however_much_is_drawn(html, monkeypatch):
    bare = len(html) - sum(map(len, re.findall(r'class="scene">([^<]*)<', html)))
    monkeypatch.setattr(file, "LARGEST", bare + 60_000)
    small = file.made(LECTURE, Topics(), site=SITE, seconds=6000)
    assert len(small) <= file.LARGEST < 6_000_000
    assert all(scene["states"] for scene in packed(small.decode(), 'class="scene"'))


def test_where_scenes_open_late_their_controls_move_all_the_same(monkeypatch):
    clock = [0.0]

    def late(*scene):
        clock[0] += 10_000
        return begun(*scene)

    begun = share.begun
    monkeypatch.setattr(share, "begun", late)
    monkeypatch.setattr(share, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    html = file.made(LECTURE, Topics(), site=SITE, seconds=6000).decode()
    assert all(scene["states"] for scene in packed(html, 'class="scene"'))


def test_without_time_scenes_open_and_have_no_controls():
    late = file.made(LECTURE, Topics(), site=SITE, seconds=0).decode()
    assert [scene["controls"] for scene in packed(late, 'class="scene"')] == [[], []]


def test_all_scenes_open_before_anything_else_is_computed_and_then_less_will_do(monkeypatch):
    progress, begun = [], []
    monkeypatch.setattr(share, "begun", lambda *a: begun.append(a) or scenes.begun(*a))
    ready = file.made(
        LECTURE,
        Topics(),
        site=SITE,
        seconds=6000,
        tell=lambda *far: progress.append((*far, len(begun))),
        enough=lambda: len(progress) > 4,
    ).decode()
    parts, words, computed = zip(*progress, strict=True)
    assert list(parts) == sorted(parts)
    assert 0 <= min(parts) <= max(parts) <= 1
    assert computed[:3] == (0, 1, 2)  # each once, for scene and handout
    assert words[0] == "The figure with which scene 1 of 2 opens."
    assert re.fullmatch("What the controls of scene [12] of 2 can reach.", words[2])
    both = packed(ready, 'class="scene"')
    states = [[*scene["states"].values()] for scene in both]
    assert sorted(sum(len(one["names"]) for one in all_of) for all_of in states) == [0, 2]
    assert all(scene["first"]["points"] for scene in both)


@only_in_ci
def test_a_process_beside_computes_the_same():
    quick = LectureScene("clipping", {"view": "user"}, "Clipped", control="threshold")
    # Of other noise the first scene would tell what a moment gives, which depends on what is kept.
    first = replace(LECTURE.scenes[0], control="epsilon")
    lecture = Lecture("x", (first, quick, LECTURE.scenes[1]))
    progress = []
    alone, shared = (
        file.made(
            lecture,
            Topics(),
            site=SITE,
            seconds=6000,
            processes=count,
            tell=lambda part, _: progress.append(part),
        ).decode()
        for count in (1, 2)
    )
    for mark in ('class="scene"', 'id="handouts"'):
        assert packed(shared, mark) == packed(alone, mark)
    assert max(progress) <= 1


def test_what_is_refused_beside_is_refused():
    late = Share({2: LectureScene("clipping", {"view": "real", "data": "own"}, "")}, 2, "", 1, 1)
    with ShareProcess(late) as beside, pytest.raises(LectureError, match="a reader's own data"):
        beside.result(lambda: None)


def test_a_process_beside_ends_with_whoever_waits_for_it():
    with (
        pytest.raises(KeyError),
        ShareProcess(Share({1: LECTURE.scenes[0]}, 1, SITE, 9, 9)) as beside,
    ):
        raise KeyError
    assert beside._process.returncode is not None
    with pytest.raises(RuntimeError):
        beside.result(lambda: None)


def test_a_file_has_scenes_without_figures():
    text = LectureScene(TEXT, {}, "Definition", text=r"$\varepsilon$")
    poll = LectureScene(TEXT, {}, "?", ask=True, poll=Poll("choice", ("a", "<b>"), "1"))
    made = file.made(Lecture("x", (text, poll)), Topics(), site=SITE, seconds=0).decode()
    first, second = packed(made, 'class="scene"')
    assert first["text"] == f"<p>{EPSILON}</p>"
    assert second["options"] == ["A. a", "B. &lt;b&gt;"]
    assert second["answer"].startswith("The answer: B. &lt;b&gt;.")
    [[page, asked]] = packed(made, 'id="handouts"')
    assert page["text"] == first["text"]
    assert asked["text"] == "<p>A. a</p><p>B. &lt;b&gt;</p>"
    for scene in (page, asked):
        lecture = unpack(parse_qs(urlsplit(scene["link"]).query)["lecture"][0])
        assert scene["prompt"] == lecture.title == lecture.scenes[0].prompt
        assert scene["code"].startswith("<svg")


def test_a_file_has_an_exercise_its_answer_its_solution_and_the_way_to_it():
    step = LectureScene(TEXT, {}, "Even?", ask=True, exercise="promise.a-suspicion-becomes-even")
    made = file.made(Lecture("x", (step,)), Topics(), site=SITE, seconds=0).decode()
    [scene] = packed(made, 'class="scene"')
    assert "10 in 100" in scene["text"]
    assert scene["answer"].startswith("The answer: 2.2.")
    assert f'href="{SITE}promise?view=' in scene["text"]
    assert "multiplies them by" in scene["solution"]
    [[page]] = packed(made, 'id="handouts"')
    assert page["link"] == f"{SITE}exercises?topic=promise&exercise=a-suspicion-becomes-even"
    assert "multiplies" not in page["text"]


def test_a_long_text_has_no_code_that_nobody_can_read():
    words = "".join(map(chr, range(0x4E00, 0x4E00 + 1400)))
    text = LectureScene(TEXT, {}, "Definition", text=words)
    made = file.made(Lecture("x", (text,)), Topics(), site=SITE, seconds=0).decode()
    [[page]] = packed(made, 'id="handouts"')
    assert "code" not in page


def test_what_no_file_can_carry_is_refused_in_words():
    own = LectureScene("clipping", {"view": "real", "data": "own"}, "Yours")
    with pytest.raises(LectureError, match="a reader's own data"):
        file.made(Lecture("x", (own,)), Topics(), site=SITE, seconds=0)


def test_the_app_s_scripts_are_those_it_carries(html):
    [player] = re.findall(r"<script>\n(.*?)</script>", html, re.DOTALL)
    carried = re.findall(r'^made\["(\w+\.js)"\]', player, re.MULTILINE)
    assert {"stage.js", "range_control.js", "drawing.js", "readout.js"} <= set(carried)
    lines = set(player.splitlines())
    for name in set(carried) & set(modules()):
        told = modules()[name].splitlines()
        assert {line for line in told if not line.startswith(("import ", "export "))} <= lines
    assert not re.search(r"^(?:import|export) ", player, re.MULTILINE)
    taken = re.findall(r'= made\["(\w+\.js)"\];$', player, re.MULTILINE)
    assert set(taken) == set(carried)
