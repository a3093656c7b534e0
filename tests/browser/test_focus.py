"""Curves that are named when pointed at, and a line that is a slider, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.support.reader import LAYOUT, STAGE_FIGURE

STATE = {"view": "noise", "noise_at": "points", "public_points": "20"}
KEY = "public_points"
# A place on a curve that the figure is not about, in the window; and how wide are those seen.
ASIDE = f"""key => {{
    const {{ drawing, plot }} = ({STAGE_FIGURE})();
    const {{ places }} = drawing.line.readings.find((reading) => reading.key === key);
    const {{ left, top }} = plot.getBoundingClientRect();
    const [x, y] = places.at(-8);
    return [left + drawing.ratio * x / 10, top + y / 10];
}}"""
WIDTHS = f"""() => {{
    const {{ drawing }} = ({STAGE_FIGURE})();
    const widths = {{}};
    for (const part of drawing.svg.querySelectorAll("[data-curve] > path"))
        widths[part.parentNode.dataset.curve] = getComputedStyle(part).visibility === "visible"
            && parseFloat(getComputedStyle(part).strokeWidth);
    return widths;
}}"""
# How far the reader's line is from where it belongs at 100.
ACROSS = f"""() => {{
    const {{ x, drag }} = ({LAYOUT})();
    return x(100) - x(drag.x);
}}"""
LABELS = """() => [...document.querySelectorAll(".dpviz-stage .note")]
    .map(part => part.textContent)"""


def seen(reader):
    """Which of the curves that the figure is not about are seen, each as wide as the others."""
    return {key for key, width in reader.page.evaluate(WIDTHS).items() if width > 1.5}


@pytest.fixture
def opened(reader):
    reader.open("public_data", STATE)
    return reader


def test_a_curve_is_seen_and_named_where_it_is_pointed_at(opened):
    tag = opened.page.locator(".read-off")
    assert not seen(opened)
    [*others, key] = opened.page.evaluate(WIDTHS)
    assert len(others) == 4
    opened.page.mouse.move(*opened.page.evaluate(ASIDE, key))
    expect(tag).to_be_visible()
    assert seen(opened) == {key}
    opened.page.mouse.move(0, 0)
    expect(tag).to_be_hidden()
    assert not seen(opened)


def test_all_curves_are_a_switch_that_the_tab_remembers(opened):
    switch = opened.page.locator(".also-drawn [role=switch]")
    few = opened.page.evaluate(LABELS)
    expect(switch).to_have_text("5 more curves")
    assert switch.bounding_box()["height"] >= 24
    switch.press("Enter")
    expect(switch).to_have_attribute("aria-checked", "true")
    expect(switch).to_be_focused()
    full = opened.page.evaluate(LABELS)
    assert len(full) >= len(few) + 5
    opened.page.reload()
    opened.settle()
    expect(switch).to_have_attribute("aria-checked", "true")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "false")
    expect(switch).to_be_focused()
    opened.settle()
    opened.page.mouse.move(0, 0)
    assert not seen(opened)
    assert opened.page.evaluate(LABELS) == few


def test_the_readers_line_is_dragged_and_nothing_else_goes(opened):
    knob = opened.page.locator(".here-handle .knob")
    box = knob.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    count = opened.page.locator(".dpviz-stage .plot g").count()
    labels = len(opened.page.evaluate(LABELS))
    opened.page.mouse.move(x + 10, y - 60)  # beside the line, far from the handle
    opened.page.mouse.down()
    across = opened.page.evaluate(ACROSS)
    opened.page.mouse.move(x + 40, y)
    opened.page.mouse.move(x + 10 + across, y)
    expect(knob).to_have_attribute("aria-valuetext", "100")
    opened.page.wait_for_selector(".dpviz-stage[data-query*='public_points=100&']")
    assert opened.page.locator(".dpviz-stage .plot g").count() == count
    assert len(opened.page.evaluate(LABELS)) == labels
    opened.page.mouse.up()
    opened.wait_for_query(public_points="100")
    opened.settle()
    assert knob.bounding_box()["x"] + box["width"] / 2 == pytest.approx(x + across, abs=2)


def test_the_readers_line_has_the_keys_of_a_slider(opened):
    knob = opened.page.locator(".here-handle .knob")
    expect(knob).to_have_attribute("aria-valuetext", "20")
    own = opened.slider(KEY)
    for name in ("aria-label", "aria-valuemax", "aria-valuenow"):
        expect(knob).to_have_attribute(name, own.get_attribute(name))
    knob.focus()
    for key in ("ArrowRight", "PageUp", "Home", "End"):
        opened.page.keyboard.press(key)
        expect(knob).to_have_attribute("aria-valuetext", opened.field(KEY).input_value())
    opened.wait_for_query(public_points=opened.number(KEY))
    expect(knob).to_be_focused()


def test_a_line_without_its_control_is_no_slider(reader):
    reader.open("user_complexity", {"view": "representation"})
    reader.page.wait_for_selector(".dpviz-stage[data-whole]")
    assert reader.page.locator(".here-handle:visible").count() == reader.key("domain_size").count()


def test_a_finger_drags_the_line_to_the_side_and_scrolls_the_page_upwards(opened):
    opened.tidy(390, 844)
    opened.settle()
    knob = opened.page.locator(".here-handle .knob")
    finger = opened.page.context.new_cdp_session(opened.page)

    def swipe(across, up):
        opened.steady(knob)
        box = knob.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for part in (0, 0.25, 0.5, 0.75, 1):
            places = [{"x": x + part * across, "y": y - part * up}]
            kind = "touchMove" if part else "touchStart"
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
            opened.frames(3)
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(opened.page.evaluate(ACROSS), 3)
    opened.wait_for_query(public_points="100")
    opened.settle()
    scrolled = "document.querySelector('.stMain').scrollTop"
    before = opened.page.evaluate(scrolled)
    swipe(2, 120)
    opened.page.wait_for_function(f"before => {scrolled} > before", arg=before)
    opened.settle()
    assert opened.query[KEY] == "100"
    finger.detach()
