"""What is on the wire: nothing of anybody's answer before it is revealed; and garbage, refused."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.scene.poll import Poll
from dpviz.serve.computing import Progress
from dpviz.serve.rooms import modes
from dpviz.serve.rooms.asking import Predicted
from dpviz.serve.rooms.own import Own
from dpviz.serve.rooms.room import Room
from dpviz.serve.rooms.sketching import sketched
from dpviz.topics.classroom.sketches import COLUMNS
from tests.serve.rooms.test_room import CHOICE, NUMBER, Clock, scene
from tests.serve.rooms.test_routes import SLOW, Site
from tests.support.declarations import first, opened, page
from tests.support.examples import examples
from tests.support.loops import run


def to_draw():
    return sketched(
        opened(page("promise"), "again"), Progress(first(page("promise"), "again"), whole=True)
    )


# What is asked, and two ways in which a class of two may answer it.
ASKED = {
    "number": (lambda: Predicted("How often?", NUMBER), ("51", "62"), ("93", "93")),
    "choice": (lambda: Predicted("It grows", CHOICE), ("slow", "slow"), ("fast", "slow")),
    "sketch": (to_draw, ("00" * COLUMNS, "hr" * COLUMNS), ("zz" * COLUMNS, "--aabb" + "c" * 76)),
    "survey": (lambda: modes.Surveyed("Do you?", 1.0), ("0", "0"), ("1", "0")),
    "shuffle": (lambda: modes.Shuffled("Do you?", 1.0, 3, 2.0), ("0", "3"), ("9", "1")),
    "worlds": (lambda: modes.Attacked(1.0, 7), ("iiiii", "ooooo"), ("ioioi", "iiiii")),
    "own": (lambda: Own("Which?", Poll("choice", ("fi", "fo"), "1")), ("fi", "fi"), ("fo", "fi")),
}


def sent(kind, answers, steps=()):
    """All that a third phone and the screen get, in a room where two have answered so."""
    make, *_ = ASKED[kind]
    room = Room("bcdfgh", Clock(), secret="s")
    for phone in ("a", "b", "c"):
        room.admit(phone)
    room.go(scene(), "/promise")
    room.ask(make())
    for phone, text in zip("ab", answers, strict=True):
        room.answer(phone, 1, 1, text)
    for step in steps:
        room.act(step)
    return orjson.dumps([room.for_phones(), room.for_phone("c")]), orjson.dumps(room.for_screen())


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("steps", [(), ("show",)], ids=["open", "shown"])
def test_a_phone_is_told_the_same_whatever_others_answer(kind, steps):
    _, some, others = ASKED[kind]
    assert sent(kind, some, steps)[0] == sent(kind, others, steps)[0]


@pytest.mark.parametrize("kind", ["number", "choice", "sketch", "own"])
def test_the_screen_is_told_the_same_until_answers_are_shown(kind):
    _, some, others = ASKED[kind]
    assert sent(kind, some)[1] == sent(kind, others)[1]


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("steps", [(), ("show",)], ids=["open", "shown"])
def test_the_answer_itself_is_told_to_nobody_before_it_is_revealed(kind, steps):
    phone, screen = sent(kind, ASKED[kind][1], steps)
    for word in (b'"exactly"', b'"truth":"', b'"worlds":"', b'"curve"', b'"sentence"', b'"seed"'):
        assert word not in phone + screen


WHOLE = st.integers(-(2**63), 2**63 - 1)  # orjson writes no others
JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)
WORDS = st.sampled_from(
    [
        "go",
        "predict",
        "sketch",
        "ask",
        "reveal",
        "show",
        "again",
        "over",
        "pause",
        "countdown",
        "sing",
        "",
    ]
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "question": st.integers(-2, 3) | JSON,
        "round": st.integers(-2, 3) | JSON,
        "answer": st.sampled_from(["31", "nan", "1e999", "-1"]) | st.text(max_size=120) | JSON,
    },
)
ACTS = st.fixed_dictionaries(
    {"word": WORDS | JSON},
    optional={
        "figure": st.just(SLOW["figure"]) | st.text(max_size=30) | JSON,
        "heading": JSON,
        "link": st.just("/promise?class=survey") | JSON,
        "kind": st.sampled_from(["survey", "shuffle", "worlds", "own"]) | JSON,
        "text": JSON,
        "epsilon": JSON,
    },
)


@examples(80, usual=8)  # of up to six messages each
@given(st.lists(st.tuples(st.sampled_from(["answer", "do"]), ANSWERS | ACTS | JSON), max_size=6))
def test_no_message_breaks_a_room(messages):
    async def lesson():
        site = Site()
        lecturer = await site.open()
        phone = await site.join()
        await site.do(lecturer, word="go", **SLOW)
        for path, said in messages:
            site.clock.now += 1
            sender = phone if path == "answer" else lecturer
            answer = await site.post(f"/room/{site.code}/{path}", orjson.dumps(said), sender)
            assert answer.status in (200, 400, 403, 404, 409)
            assert answer.status == 200 or answer.last["refused"].endswith(".")
        await site.do(lecturer, word="ask", kind="survey", text="Do you?", epsilon="1")
        room = await site.rooms.store.find(site.code)
        assert (await site.answer(phone, "1", question=room.question.number)).status == 200
        assert orjson.dumps([room.for_phones(), room.for_screen()])

    run(lesson())
