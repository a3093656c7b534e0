"""Lectures in links: they read back, and whatever else a link carries is refused in words."""

import base64
import contextlib
import json
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.scene.codec import decode
from dpviz.ui.classroom import lectures
from dpviz.ui.classroom.lectures import Lecture, LectureError, LectureScene, pack, shipped, unpack
from tests.support.declarations import SLUGS, page

words = st.text(max_size=60)
scenes = st.builds(
    LectureScene,
    page=st.sampled_from(SLUGS),
    state=st.dictionaries(words, words, max_size=4),
    prompt=words,
    ask=st.booleans(),
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
        ("2.abc", "newer version"),
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


@pytest.mark.parametrize("name", SHIPPED)
def test_the_lectures_that_ship_are_valid(name):
    lecture = SHIPPED[name]
    assert unpack(name) == unpack(pack(lecture)) == lecture
    assert 6 <= len(lecture.scenes) <= 12
    assert any(scene.ask for scene in lecture.scenes)
    for scene in lecture.scenes:
        declared = page(scene.page)
        query = {key: [text] for key, text in scene.state.items()}
        values, notes = decode(query, declared.url_parameters)
        assert not notes
        assert set(scene.state) <= {p.key for p in declared.url_parameters}
        view = declared.open_view(values)
        assert set(scene.state) - {"view"} <= set(view.parameters)
        if scene.ask:
            assert view.prediction is not None
            assert view.prediction.applies(values)


def test_four_lectures_and_a_path_for_beginners_ship():
    assert len(SHIPPED) == 5
    assert len({scene.page for scene in SHIPPED["first-steps"].scenes}) == 6
