"""Lectures in links: they read back, and whatever else a link carries is refused in words."""

import base64
import contextlib
import json
import zlib
from dataclasses import replace
from types import MappingProxyType
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit import page_link

from dpviz.plot.theme import LIGHT
from dpviz.scene import lectures
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import LONGEST_LINK, MODES, decode
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import (
    Lecture,
    LectureScene,
    pack,
    pasted,
    shipped,
    unpack,
)
from dpviz.scene.poll import Poll
from dpviz.scene.scene import Scene
from dpviz.serve import solving
from dpviz.serve.rooms.modes import prompt_of
from tests.support.declarations import SLUGS, every, page
from tests.support.examples import examples

words = st.text(max_size=60)
scenes = st.builds(
    LectureScene,
    page=st.sampled_from(SLUGS[1:]),
    state=st.dictionaries(
        st.from_regex(r"s_[a-z0-9]{1,20}", fullmatch=True), st.text(max_size=20), max_size=4
    ),
    prompt=words,
    ask=st.booleans(),
    notes=st.just("") | words,
    control=st.just("") | st.from_regex(r"s_[a-z0-9]{1,20}", fullmatch=True),
    minutes=st.integers(0, 60),
)
SHIPPED = shipped()


@given(words, st.lists(scenes, min_size=1, max_size=6))
def test_what_is_packed_reads_back(title, some):
    lecture = Lecture(title, tuple(some))
    text = pack(lecture)
    assert unpack(text) == lecture
    assert text.isascii()
    assert len(text) <= lectures.LONGEST


@given(st.text(max_size=200))
def test_any_text_is_a_lecture_or_a_reason(text):
    with contextlib.suppress(LectureError):
        assert unpack(text).scenes


@given(st.data())
def test_a_damaged_lecture_is_refused(data):
    text = pack(SHIPPED["why-bounded-noise"])
    at = data.draw(st.integers(2, len(text) - 2))
    for damaged in (text[:at], text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]):
        with pytest.raises(LectureError):
            unpack(damaged)


def packed(value):
    data = json.dumps(value).encode()
    return "1." + base64.urlsafe_b64encode(zlib.compress(data)).decode()


# What an attacker puts into a link is built before it is packed: else nothing gets past zlib.
hostile_text = st.text(
    st.characters() | st.characters(categories=["Cs"]) | st.sampled_from("<>&[]()*_`$:@\\\n\0"),
    max_size=30,
)
keys = hostile_text | st.sampled_from([*MODES, "embed", "EMBED", "embed_options", "view", "k"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | hostile_text,
    lambda parts: st.lists(parts, max_size=5) | st.dictionaries(keys, parts, max_size=3),
    max_leaves=8,
)
states = st.dictionaries(keys, hostile_text | anything, max_size=3)
pages = st.sampled_from(SLUGS) | hostile_text
more = st.lists(hostile_text | anything, max_size=6)
steps = (
    st.tuples(pages, states, hostile_text, st.booleans() | anything)
    | st.builds(
        lambda text, more: ["lectures", {}, "?", 0, "", "", "", 0, text, more], hostile_text, more
    )
    | anything
)
hostile = st.tuples(hostile_text, st.lists(steps, max_size=4)) | anything


def followed(text):
    """Do all that the app does with a link's lecture, if there is one."""
    with contextlib.suppress(LectureError):
        lecture = unpack(text)
        assert unpack(pack(lecture)) == lecture
        for number, scene in enumerate(lecture.scenes, 1):
            page_link(entry(scene.page).path, label=".", query_params=lecture.query(number, text))
            assert len(urlencode(lecture.query(number, text))) < LONGEST_LINK - 100
            for words in (scene.prompt, lecture.title, *scene.state.values()):
                words.encode()


@examples(300)
@given(hostile)
def test_what_is_not_refused_can_be_shown_and_followed(value):
    followed(packed(value))


def whole(page="clipping", state=MappingProxyType({}), prompt="words", title="title", ask=0):
    return packed([title, [[page, dict(state), prompt, ask]]])


@pytest.mark.parametrize(
    "text",
    [
        whole(title="\ud83d"),
        whole(prompt="cut \ude00 off"),
        whole(state={"x": "\udfff"}),
        whole(state={"embed": "true"}),
        whole(state={"EMBED_OPTIONS": "light_theme"}),
        whole(state={"lecture": "1.x"}),
        whole(state={"x": "9" * 65}),
        whole(state={f"x{n}": "1" for n in range(400)}),
        whole(ask="no"),
        packed(["title", ["abcd"]]),
        packed(["title", [["clipping", ["k"], "words", 0]]]),
    ],
)
def test_halves_of_characters_and_words_of_streamlit_are_refused(text):
    with pytest.raises(LectureError, match="damaged"):
        unpack(text)


def test_a_page_that_is_not_here_is_named_as_text():
    with pytest.raises(LectureError, match="not here: `x\N{REPLACEMENT CHARACTER}y`"):
        unpack(whole(page="x`y"))


@pytest.mark.parametrize("link", ["http://[", "http://[::1?lecture=x", "//[x]/?lecture=y", " "])
def test_what_is_pasted_need_not_be_an_address(link):
    with pytest.raises(LectureError):
        pasted(link)


@pytest.mark.parametrize(
    "text",
    [
        packed(["title", []]),
        packed(["title", [["bounded_noise", {}, "words"]]]),
        packed(["title", [["bounded_noise", {"k": 1}, "words", 0]]]),
        packed(["title", [["bounded_noise", {}, "x" * 401, 0]]]),
        packed({"title": "t"}),
        packed("x" * 10**6),
        "1.",
        "1." + base64.urlsafe_b64encode(b"no zlib").decode(),
    ],
)
def test_what_is_no_lecture_is_called_damaged(text):
    with pytest.raises(LectureError, match="damaged"):
        unpack(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4.abc", "newer version"),
        ("1." + "A" * 7000, "longer than"),
        ("no-such-lecture", "no lecture named"),
        ("../lectures/why-bounded-noise", "no lecture named"),
        ("", "no lecture named"),
    ],
)
def test_the_reason_is_told(text, reason):
    with pytest.raises(LectureError, match=reason):
        unpack(text)


def test_a_lecture_too_long_for_a_link_is_not_packed():
    scene = LectureScene("bounded_noise", {"k": "1"}, "words")
    with pytest.raises(LectureError, match="too long"):
        pack(Lecture("many", (scene,) * 41))
    rng = np.random.default_rng(0)
    some = tuple(replace(scene, prompt=rng.bytes(200).hex()) for _ in range(30))
    with pytest.raises(LectureError, match="too long"):
        pack(Lecture("long", some))


def test_a_scene_takes_the_minutes_it_is_planned_for_and_else_two_and_two_to_predict():
    plain = LectureScene("promise", {}, "words")
    some = (plain, replace(plain, ask=True), replace(plain, ask=True, minutes=7))
    assert Lecture("t", some).minutes == 2 + 4 + 7
    for wrong in (-1, 61, 1.5, True, "3"):
        with pytest.raises(LectureError, match="damaged"):
            unpack(packed(["t", [["promise", {}, "words", 0, "", "", "", wrong]]]))


CHOICE = {"kind": "choice", "answers": ["a", "b"], "right": "1", "because": "it is"}


def own(**changes):
    scene = {"page": lectures.TEXT, "prompt": "words", "text": r"$\varepsilon$"} | changes
    return lectures.read(json.dumps({"title": "t", "scenes": [scene]}))


def test_scenes_of_text_and_questions_of_ones_own_are_packed():
    number = {"kind": "number", "right": "0.5", "within": 0.1, "seconds": 30}
    in_percent = {"kind": "number", "right": "50", "unit": "%", "words": "fifty"}
    for poll in (None, CHOICE, number, {"kind": "words"}, in_percent):
        lecture = own(poll=poll, minutes=5, notes="n")
        assert unpack(pack(lecture)) == lecture
        assert pack(lecture).startswith("2.")  # an older app says that it is too old
        [scene] = lecture.scenes
        assert scene.is_written
        assert scene.ask == (poll is not None and "right" in poll)
    poll = own(poll=number).scenes[0].poll
    assert [poll.is_right(text) for text in ("0.45", "0.39", "0.6")] == [True, False, True]
    choice = own(poll=CHOICE).scenes[0].poll
    assert (choice.answer, choice.is_right("b"), choice.is_right("a")) == ("b", True, False)
    assert choice.lettered() == {"a": "A. a", "b": "B. b"}
    assert Poll("choice", ("A", "B")).lettered() == {"A": "A", "B": "B"}
    assert (choice.right_in_words, poll.right_in_words) == ("B. b", "0.5")
    assert own(poll=in_percent).scenes[0].poll.right_in_words == "fifty %"


def test_a_scene_names_an_exercise():
    lecture = own(text="", exercise="promise.a-suspicion-becomes-even")
    assert unpack(pack(lecture)) == lecture
    assert pack(lecture).startswith("3.")
    [scene] = lecture.scenes
    assert scene.is_written
    assert (scene.ask, scene.planned) == (True, 4)


@pytest.mark.parametrize(
    "change",
    [
        {"text": ""},
        {"text": r"$\href{a}{b}$"},
        {"text": "x" * 1501},
        {"state": {"k": "1"}},
        {"control": "k"},
        {"page": "clipping", "state": {}},
        *(
            {"poll": CHOICE | wrong}
            for wrong in (
                *({"kind": "all"}, {"answers": ["a"]}, {"answers": ["a", "a"]}, {"answers": 3}),
                *({"right": "2"}, {"right": 1}, {"kind": "words"}, {"more": 1}, {"seconds": -1}),
                *({"answers": list("abcdefghi")}, {"within": True}, {"within": float("inf")}),
            )
        ),
        {"poll": {"kind": "number", "right": "many"}},
        {"poll": {"kind": "number", "right": "inf"}},
        {"poll": "choice"},
        {"exercise": "promise.a-suspicion-becomes-even"},  # beside a text
        *({"text": "", "exercise": name} for name in ("no_topic.a", "promise", "promise.A", 3)),
    ],
)
def test_a_text_or_a_question_that_cannot_be_is_refused(change):
    with pytest.raises(LectureError):
        own(**change)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_lectures_that_ship_are_valid(name):
    lecture = SHIPPED[name]
    assert unpack(name) == unpack(pack(lecture)) == lecture
    assert 6 <= len(lecture.scenes) <= 13
    assert any(scene.ask for scene in lecture.scenes)
    for scene in lecture.scenes:
        if scene.is_written:
            shown = solving.given(scene, page)
            assert scene.text or scene.poll or shown.solution
            continue
        declared = page(scene.page)
        state = dict(scene.state)
        kind = state.pop("class", "")
        values, notes = decode({k: [text] for k, text in state.items()}, declared.url_parameters)
        assert not notes
        assert set(state) <= {p.key for p in declared.url_parameters}
        view = declared.open_view(values)
        assert set(state) - {"view"} <= set(view.parameters)
        if kind == "sketch":
            assert view.sketch is not None
            assert view.sketch.applies(values)
        elif kind:
            assert prompt_of({"kind": kind, "text": scene.prompt, "epsilon": state["epsilon"]}, 30)
        if scene.ask:
            assert Scene.opened(declared, values).prediction is not None


@pytest.mark.parametrize(
    ("name", "predictions"), [("from-items-to-users", 3), ("few-users-agree", 2)]
)
def test_the_stories_go_through_the_newest_views(name, predictions):
    scenes = SHIPPED[name].scenes
    assert sum(scene.ask for scene in scenes) == predictions
    views = {f"{scene.page}/{scene.state['view']}" for scene in scenes}
    newest = {
        "from-items-to-users": {
            "propose_test_release/naming",
            "propose_test_release/noise",
            "user_complexity/truth",
        },
        "few-users-agree": {
            f"few_users/{key}" for key in ("mistakes", "stability", "models", "parity")
        },
    }
    assert newest[name] <= views


def test_seven_lectures_and_a_path_for_beginners_ship():
    assert len(SHIPPED) == 8
    assert len({scene.page for scene in SHIPPED["first-steps"].scenes}) == 6


def test_the_first_path_has_nine_scenes_of_one_control_that_ask_and_five_questions():
    path = SHIPPED["first-steps"]
    assert next(iter(SHIPPED)) == lectures.FIRST == "first-steps"
    assert len(path.scenes) == 9
    for scene in path.scenes:
        view = page(scene.page).open_view(dict(scene.state))
        assert scene.control in view.parameters
        assert scene.ask
    assert len(path.questions) == 5
    for question in path.questions:
        assert len(set(question.answers)) == len(question.answers) >= 3
    assert len({question.scene for question in path.questions}) == 5
    for way in path.onward:
        declared = page(way.page)
        state = {key: [text] for key, text in way.state.items()}
        values, notes = decode(state, declared.url_parameters)
        assert not notes
        assert declared.open_view(values).key == way.state["view"]


@pytest.mark.parametrize("scene", SHIPPED["first-steps"].scenes, ids=lambda scene: scene.prompt)
def test_a_scene_of_the_path_has_two_curves_in_sight_at_most(scene):
    declared = page(scene.page)
    query = {key: [text] for key, text in scene.state.items()}
    opened = Scene.opened(declared, decode(query, declared.url_parameters)[0])
    results = list(every(declared, opened.view, opened.values))
    for result in (*results, opened.prediction.hide(results[-1])):
        figure = opened.view.figure(result, replace(LIGHT, labels="only"))
        lines = {
            trace["name"]
            for trace in figure.data
            if trace.get("mode") == "lines" and trace.get("name")
        }
        assert len(lines) <= 2
        assert not figure.layout.get("updatemenus")  # buttons would be more controls
        assert not figure.frames
    assert len(opened.view.figure(results[-1], replace(LIGHT, labels="only")).data) > 0


def test_lectures_are_in_the_order_of_who_they_are_for():
    audiences = [lecture.audience for lecture in SHIPPED.values()]
    assert audiences == sorted(audiences, key=list(lectures.AUDIENCES).index)
    assert set(audiences) == set(lectures.AUDIENCES)


@pytest.mark.parametrize(
    "change",
    [
        {"audience": "nobody"},
        {"questions": [{"right": 3}]},
        {"questions": [{"scene": 2}]},
        {"questions": [{"because": ["of one alone"]}]},
        {"onward": [{"words": "w", "page": "no-page", "state": {}}]},
    ],
)
def test_a_file_with_an_end_that_leads_nowhere_is_refused(change):
    scene = {"page": "promise", "state": {}, "prompt": "words"}
    reasons = ["because", "because not"]
    whole = {"question": "q", "answers": ["a", "b"], "right": 0, "because": reasons, "scene": 1}
    changed = dict(change)
    if "questions" in changed:
        changed["questions"] = [whole | one for one in changed["questions"]]
    sound = {"title": "t", "scenes": [scene], "questions": [whole]}
    assert lectures.read(json.dumps(sound)).questions[0].answers == ("a", "b")
    with pytest.raises(LectureError):
        lectures.read(json.dumps(sound | changed))


def test_the_question_of_both_lectures_for_newcomers_has_one_answer_and_names_its_noise():
    known = [lecture for lecture in shipped().values() if lecture.audience == "newcomers"]
    asked = [scene for one in known for scene in one.scenes if scene.state.get("view") == "again"]
    assert len(asked) == len(known) == 2
    assert len({tuple(sorted(scene.state.items())) for scene in asked}) == 1
    for scene in asked:
        assert f"{scene.state['mechanism'].capitalize()} noise" in scene.prompt
