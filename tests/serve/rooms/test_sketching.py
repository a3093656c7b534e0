"""Draw the curve first: axes alone on the wire, then sketches, then the curve."""

import csv
import io
import re
from dataclasses import replace

import numpy as np
import orjson
import pytest

from dpviz.plot.text import unbroken
from dpviz.results.refining import Pace
from dpviz.scene.codec import Choice
from dpviz.serve.computing import Progress
from dpviz.serve.rooms.sketching import sketched
from dpviz.topics.classroom.sketches import COLUMNS, STEPS
from tests.serve.rooms.test_routes import Listening, Site, events
from tests.support.declarations import SLUGS, every, opened, page
from tests.support.loops import run
from tests.support.pace import always

AGAIN = "/figure/promise/again?mechanism=laplace&answer_epsilon=0.1&queries=100"
GO = {"figure": AGAIN, "heading": "", "link": "/promise?view=again"}
LOW, MIDDLE, HIGH = "00" * COLUMNS, "hr" * COLUMNS, "zz" * COLUMNS
DRAWN = [(slug, view.key) for slug in SLUGS for view in page(slug).views if view.sketch]


def telling(values):
    """The numbers among these that no tick of an axis can be."""
    texts = [b"%.7g" % value for value in values]
    return [text for text in texts if len(text.strip(b"0.")) >= 5]


def to_be_drawn(slug, key):
    """A view as it opens, or with another option, where its question makes sense."""
    scene = opened(page(slug), key)
    choices = [p for p in scene.page.parameters if isinstance(p, Choice)]
    others = [{choice.key: option} for choice in choices for option in choice.options]
    states = [{**scene.values, **other} for other in ({}, *others)]
    values = next(values for values in states if scene.view.sketch.applies(values))
    return replace(scene, values=values)


@pytest.mark.parametrize(("slug", "key"), DRAWN)
def test_every_curve_to_draw_is_in_its_figure(slug, key, monkeypatch):
    monkeypatch.setattr(Pace, "due", always)  # the first that will do, and nothing after it
    scene = to_be_drawn(slug, key)
    results = every(scene.page, scene.view, scene.values)
    finer = (sketched(scene, Progress(result, whole=True)) for result in results)
    asked = next(asked for asked in finer if asked is not None and len(asked.curve[0]) >= 5)
    x, y = map(np.array, asked.curve)
    for side, values in ((asked.plane.x, x), (asked.plane.y, y)):
        drawn = np.log10(values) if side.log else values
        assert side.low - 1e-9 <= drawn.min() <= drawn.max() <= side.high + 1e-9
        assert side.title
        assert len(side.ticks) >= 2
    state = orjson.dumps(asked.for_phones())
    assert asked.sentence.encode() not in state
    assert not [text for text in telling(y) if text in state]


def test_most_pages_have_a_curve_to_draw():
    assert len({slug for slug, _ in DRAWN}) >= 8


async def sealed_lesson(site):
    """A lesson in which two of three phones have drawn; the lecturer and the phones."""
    lecturer = await site.open()
    phones = [await site.join() for _ in range(3)]
    await site.do(lecturer, word="go", **GO)
    await site.do(lecturer, word="sketch")
    for phone, text in zip(phones, (LOW, MIDDLE), strict=False):
        assert (await site.answer(phone, text)).status == 200
    return lecturer, phones


async def shown_figure(site, lecturer):
    return (await site.get(f"/room/{site.code}/sketches", lecturer, query={"across": 700})).last


def drawn_in(figure):
    """How many curves and clouds of points a drawing has."""
    return len(set(re.findall(r'class="part(\d+)', figure["svg"])))


def test_nothing_but_axes_is_told_before_the_curve_is_revealed():
    async def lesson():
        site = Site()
        lecturer, phones = await sealed_lesson(site)
        asked = site.rooms.store.rooms.find(site.code).question.prompt
        for phase in ("open", "shown"):
            phone = await Listening(site, phones[2]).heard()
            screen = await Listening(site, lecturer, screen=True).heard()
            room = dict(events(phone))["room"]
            assert set(room["question"]) == {
                "number", "kind", "phase", "round", "question", "state", "axes", "columns",
                "steps", "typeset",
            }  # fmt: skip
            assert (room["question"]["phase"], room["scene"]["ask"]) == (phase, True)
            figure = await shown_figure(site, lecturer)
            assert re.sub(r"<.*?>", "", figure["takeaway"]) == unbroken(asked.state)
            assert asked.state == "Laplace noise, ε₀ = 0.1."
            sent = phone.content + screen.content + orjson.dumps(figure)
            assert not [text for text in telling(asked.curve[1]) if text in sent]
            assert asked.sentence[:40].encode() not in sent
            assert LOW.encode() not in phone.content + screen.content
            assert drawn_in(figure) == (0 if phase == "open" else 3)
            assert ("median" in figure["svg"]) == (phase == "shown")
            assert asked.label not in figure["svg"]
            await site.do(lecturer, word="show")
        answered = dict(events(screen))["room"]["question"]
        assert (answered["answered"], answered["counts"]) == (2, [{"sketches": 2}])
        await site.do(lecturer, word="reveal")
        figure = await shown_figure(site, lecturer)
        assert drawn_in(figure) == 4
        assert asked.label in figure["svg"]
        assert figure["takeaway"] != asked.state
        assert (
            dict(events(await Listening(site, phones[2]).heard()))["room"]["scene"]["ask"] is False
        )

    run(lesson())


def test_a_curve_may_be_drawn_again_until_it_closes():
    async def lesson():
        site = Site()
        lecturer, phones = await sealed_lesson(site)
        assert (await site.answer(phones[0], HIGH)).status == 200
        question = site.rooms.store.rooms.find(site.code).question
        assert sorted(question.rounds[0].values()) == sorted([HIGH, MIDDLE])
        await site.do(lecturer, word="show")
        late = await site.answer(phones[0], LOW)
        assert (late.status, late.last["refused"]) == (409, "This question is closed.")
        assert (await site.answer(phones[0], HIGH)).status == 200  # a confirmation that was lost
        assert (await site.answer(phones[2], LOW)).status == 409
        await site.do(lecturer, word="again")
        assert (await site.answer(phones[0], LOW, given=2)).status == 200
        figure = await shown_figure(site, lecturer)
        assert drawn_in(figure) == 3
        for text in ("", "00" * (COLUMNS + 1), "<b>", "--" * COLUMNS):
            assert (await site.answer(phones[1], text, given=2)).status == 400

    run(lesson())


def test_sketches_are_taken_along_once_they_are_shown():
    async def lesson():
        site = Site()
        lecturer, phones = await sealed_lesson(site)
        path = f"/room/{site.code}/sketches"
        for address in (f"{path}.csv", f"{path}.png"):
            assert (await site.get(address, lecturer)).status == 404
            assert (await site.get(address, phones[0])).status == 403
        await site.do(lecturer, word="show")
        rows = list(
            csv.DictReader(io.StringIO((await site.get(f"{path}.csv", lecturer)).content.decode()))
        )
        assert len(rows) == 2 * COLUMNS
        asked = site.rooms.store.rooms.find(site.code).question.prompt
        side = asked.plane.y
        height = side.low + (17 * 36 + 27) / STEPS * (side.high - side.low)
        assert float(rows[-1][side.name]) == pytest.approx(10**height)
        picture = await site.get(f"{path}.png", lecturer)
        assert picture.content.startswith(b"\x89PNG")
        assert (await site.get(f"{path}.exe", lecturer)).status == 404
        await site.do(lecturer, word="over")
        assert (await site.get(path, lecturer)).status == 404
        assert (await site.get(f"{path}.csv", lecturer)).status == 200

    run(lesson())


def test_a_scene_of_a_lecture_asks_for_its_curve_before_anybody_is_led_to_it():
    async def lesson():
        site = Site()
        lecturer, phone = await site.open(), await site.join()
        listening = Listening(site, phone)
        asking = GO | {"figure": f"{AGAIN}&ask=1", "link": "/promise?view=again&class=sketch"}
        await site.do(lecturer, word="go", **asking)
        rooms = [room for name, room in events(await listening.heard()) if name == "room"]
        assert not [room for room in rooms if "scene" in room and not room["scene"]["ask"]]
        room = site.rooms.store.rooms.find(site.code)
        assert (room.question.prompt.kind, len(room.past)) == ("sketch", 0)
        await site.do(lecturer, word="over")
        await site.do(lecturer, word="go", **asking)
        assert room.question is None

    run(lesson())


def test_where_there_is_nothing_to_draw_nothing_is_asked():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        refused = await site.post(f"/room/{site.code}/do", {"word": "sketch"}, lecturer)
        assert refused.status == 409
        odds = GO | {"figure": "/figure/promise/odds?epsilon=2"}
        await site.do(lecturer, word="go", **odds)
        site.clock.now += 1
        refused = await site.post(f"/room/{site.code}/do", {"word": "sketch"}, lecturer)
        assert refused.last["refused"] == "There is no curve to draw here."

    run(lesson())


def test_ones_own_sketch_lies_over_the_figure_that_follows():
    async def lesson():
        site = Site()
        path, _, query = AGAIN.partition("?")
        query += "&across=360&narrow=1"
        plain = await site.get(path, query=query)
        drawn = await site.get(path, query=f"{query}&guess={HIGH}")
        # Not the number of curves: on a busy machine one of the two is a first, coarse result.
        assert "as you drew it" not in plain.last["legend"]
        assert "as you drew it" in drawn.last["legend"]
        last = drawn.last["svg"].rpartition('class="part')[2]
        assert re.search(r'stroke="var\(--ink-muted\)" [^>]*stroke-dasharray', last)

    run(lesson())
