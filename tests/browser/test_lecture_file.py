"""A lecture in one file: opened without a network, by a browser that denies it all it may."""

import pytest

from dpviz.scene.lectures import Lecture, shipped
from dpviz.serve.lecture import file, states
from dpviz.serve.topics import Topics
from tests.support.denied import DENY
from tests.support.reader import Reader


@pytest.fixture
def opened(tmp_path, monkeypatch, chromium):
    """A shipped lecture's first scenes in a file, at a reader whose network is off."""
    monkeypatch.setattr(states, "_HALVINGS", 1)
    lecture = shipped()["what-epsilon-promises"]
    odds = [scene for scene in lecture.scenes if scene.state.get("view") == "odds"]
    few = Lecture(lecture.title, (odds[0], next(scene for scene in odds if scene.ask)))
    place = tmp_path / "lecture.html"
    place.write_bytes(file.made(few, Topics(), site="https://example.org/", seconds=6000))
    assert place.stat().st_size < 6_000_000
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    context.add_init_script(DENY)
    with Reader.within(context, "") as reader:
        reader.page.goto(place.as_uri())
        rest(reader)
        yield reader
    context.close()


def rest(reader, after=-1):
    """Wait for a figure after the one of this number, and for rest."""
    reader.page.wait_for_function(
        """after => {
            const { state, number } = document.querySelector(".dpviz-stage").dataset;
            return state === "rest" && Number(number) > after;
        }""",
        arg=after,
    )


def drag(reader, slider):
    """Pull a slider to its left end, and wait on the way for a figure that follows."""
    box, count = slider.bounding_box(), number(reader)
    mouse, middle = reader.page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + box["width"] / 2, middle)
    mouse.down()
    mouse.move(box["x"], middle, steps=10)
    reader.page.wait_for_function(
        """after => {
            const { state, number } = document.querySelector(".dpviz-stage").dataset;
            return state === "moving" && Number(number) > after;
        }""",
        arg=count,
    )
    mouse.up()


def number(reader):
    return int(reader.stage.get_attribute("data-number"))


def test_a_lecture_in_a_file_moves_without_a_network(opened):
    page = opened.page
    suspicion, epsilon = (page.locator("#controls").get_by_role("slider").nth(i) for i in range(2))
    start, figures, said = epsilon.get_attribute("aria-valuetext"), set(), set()
    for slider in (epsilon, suspicion):
        figures.add(opened.figure())
        said.add(opened.takeaway.text_content())
        count = number(opened)
        slider.focus()
        slider.press("Home")
        rest(opened, count)
    assert len({opened.figure(), *figures}) == len({opened.takeaway.text_content(), *said}) == 3
    assert epsilon.get_attribute("aria-valuetext") == start  # where the scene has it

    count = number(opened)
    drag(opened, suspicion)
    rest(opened, count + 1)

    count = number(opened)
    page.keyboard.press("Escape")
    page.locator("#next").click()
    rest(opened, count)
    hidden, count = opened.takeaway.text_content(), number(opened)
    assert page.locator("#place").text_content() == "2 of 2"
    page.locator("#prompt").click()
    page.keyboard.press("PageDown")  # reveals, and does not go on
    rest(opened, count)
    assert opened.takeaway.text_content() != hidden
    page.keyboard.press("PageDown")  # the end: nothing more is asked, and nothing again
    assert page.locator("#reveal").is_hidden()
    assert page.locator("#place").text_content() == "2 of 2"

    # The browser's own command to print waits for nothing, and finds the handout there.
    page.wait_for_function("() => document.querySelectorAll('#handout img').length === 2")
    page.evaluate("() => { window.print = () => (window.printed = true); }")  # kept, not called
    page.locator("#print").click()
    page.wait_for_function("() => window.printed")
    page.emulate_media(media="print")
    assert page.locator("#handout article img").count() == 2
    assert page.locator("#handout article svg").first.is_visible()
    assert page.locator("#handout section").count() == 1  # two scenes a page
    assert page.locator("#handout header").inner_text().split("\n")[-1] == "1 of 1"
    assert "https://" not in page.locator("#handout").inner_text()
    assert not page.locator("main").is_visible()
