r"""A formula that a lecturer writes is set wherever a class or the lecturer reads it.

In a question, its answers, the reason, the unit, the notes and the title, on projector, room,
phone, speaker's view, report, file, handout and book: one lecture has a formula in all of them.
"""

import re
from urllib.parse import urlencode

import orjson
import pytest

from dpviz.plot.formulas import mathml
from dpviz.plot.written import line_markdown
from dpviz.scene.lectures import TEXT, Lecture, LectureScene, pack
from dpviz.scene.poll import Poll
from dpviz.serve.book.contents import _lecture
from dpviz.serve.book.page import Book, written_page
from dpviz.serve.lecture.file import _page
from dpviz.serve.lecture.scenes import written_data, written_handout
from dpviz.serve.rooms.report import report
from dpviz.serve.rooms.speaking import plan
from dpviz.serve.solving import Given
from dpviz.serve.topics import Topics
from tests.serve.rooms.test_routes import Site, room_of
from tests.support.loops import run
from tests.ui.opening import opened

LATEX = [rf"\alpha_{{{number}}}" for number in range(8)]
TITLE, PROMPT, ONE, OTHER, BECAUSE, NOTES, UNIT, COUNT = (f"So ${latex}$" for latex in LATEX)
CHOICE = Poll("choice", (ONE, OTHER), "1", because=BECAUSE)
NUMBER = Poll("number", right="4", unit=UNIT, because=BECAUSE)
SCENES = (
    LectureScene(TEXT, {}, PROMPT, ask=True, poll=CHOICE, notes=NOTES),
    LectureScene(TEXT, {}, COUNT, ask=True, poll=NUMBER, notes=NOTES),
)
LECTURE = Lecture(TITLE, SCENES)
TOPICS = Topics()


def link(number):
    return f"/{TEXT}?{urlencode({'lecture': pack(LECTURE), 'scene': number})}"


def assert_set(page, *texts):
    """All of these stand there as formulas, and none of all as it was typed."""
    said = page if isinstance(page, str) else orjson.dumps(page).decode().replace('\\"', '"')
    for text in texts:
        drawn = mathml(text.removeprefix("So $").removesuffix("$"))
        assert drawn in said.replace("\\\\", "\\"), text
    assert "$" not in said


def test_in_a_file_and_on_its_handout():
    for scene, texts in zip(SCENES, ((PROMPT, ONE, OTHER), (COUNT,)), strict=True):
        said = [PROMPT if scene is SCENES[0] else COUNT, BECAUSE, NOTES, *texts]
        said += [UNIT] if scene is SCENES[1] else []
        assert_set(written_data(Given(scene)), *said)
        handout = written_handout(Given(scene), "https://dp.example/")
        assert_set(handout["prompt"] + handout["text"], *texts)
    page = _page(LECTURE)
    assert mathml(LATEX[0]) in page
    assert "<title>So α_0</title>" in page


def test_in_a_book():
    chapter = _lecture("mine", LECTURE)
    for leaf, said in zip(chapter.leaves, ((PROMPT, ONE, OTHER), (COUNT, UNIT)), strict=True):
        page = written_page(Book((chapter,), {"style": "x.css"}), chapter, leaf, Given(leaf.step))
        [main] = re.findall("<main.*</main>", page, re.DOTALL)
        assert_set(main, *said, BECAUSE)
        assert "α_0" in page


def test_in_a_room_on_phones_the_speakers_view_and_the_report():
    async def lesson():
        site = Site()
        lecturer = await site.open(link(1))
        phone, room = await site.join(), room_of(site)
        for number, right in ((1, OTHER), (2, "4")):
            there = link(number)
            await site.do(lecturer, word="go", figure=there, heading="So α₀", link=there)
            told = room.for_phones()
            question, typeset = told["question"], told["question"]["typeset"]
            words = [question["question"], *question["guess"].get("options", {}).values()]
            words += [question["guess"]["label"]] if number == 2 else []
            assert set(typeset) == set(words)
            assert_set("".join(typeset.values()))
            assert set(told["scene"]["typeset"]) == {question["question"]}
            assert (await site.answer(phone, right, number)).status == 200
            await site.do(lecturer, word="show")
            await site.do(lecturer, word="reveal")
            exactly = room.for_screen()["question"]["exactly"]
            assert_set(exactly, OTHER if number == 1 else UNIT)
            await site.do(lecturer, word="over")
        page = report(room.questions, link(1), "https://dp.example", TOPICS)
        assert_set(page, TITLE, PROMPT, ONE, OTHER, COUNT, UNIT)

    run(lesson())
    first = plan(link(1), TOPICS)
    assert_set(first["notes"] + first["next"]["prompt"], NOTES, COUNT)


@pytest.mark.parametrize("number", [1, 2])
def test_on_a_projector(number):
    app = opened(TEXT, lecture=pack(LECTURE), scene=str(number), present="1", ask="1")
    assert app.title[0].value == line_markdown(SCENES[number - 1].prompt)
    assert any(TITLE in caption.value for caption in app.caption)
    if number == 1:
        assert app.radio[0].options == [f"A\\. {ONE}", f"B\\. {OTHER}"]
    else:
        assert UNIT in app.text_input[0].label
    app.button("reveal").click().run()
    [said] = [m.value for m in app.markdown if "The answer" in m.value]
    assert BECAUSE in said
    assert (OTHER if number == 1 else UNIT) in said
