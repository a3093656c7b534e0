"""Numbers of the sentence that are settings are sliders, in a real browser."""

import pytest
from playwright.sync_api import expect

KEY = "queries"


@pytest.fixture
def number(reader):
    reader.open("bounded_noise", {"view": "errors", KEY: "1000000"})
    found = reader.page.locator(f".takeaway .pull[data-pull={KEY}]")
    expect(found).to_have_attribute("role", "slider")
    return found


def test_a_number_is_pulled_with_the_mouse(reader, number):
    before = number.inner_text()
    box = number.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    reader.page.mouse.move(x, y)
    reader.page.mouse.down()
    reader.page.mouse.move(x + 40, y)
    expect(number).not_to_have_text(before)
    reader.page.wait_for_selector(".dpviz-stage[data-state=moving]")
    moved = reader.number(KEY)
    assert float(moved) > 1e6
    expect(number).to_have_attribute("aria-valuetext", reader.field(KEY).input_value())
    reader.page.mouse.move(x - 40, y)
    reader.page.mouse.up()
    reader.wait_for_query(queries=reader.number(KEY))
    assert float(reader.number(KEY)) < 1e6
    reader.settle()
    # A click alone changes nothing.
    kept = reader.number(KEY)
    number.click()
    reader.frames(2)
    assert reader.number(KEY) == kept


def test_a_number_has_the_keys_of_its_slider_and_keeps_them(reader, number):
    own = reader.slider(KEY)
    for name in ("aria-label", "aria-valuemax", "aria-valuenow", "aria-valuetext"):
        expect(number).to_have_attribute(name, own.get_attribute(name))
    number.focus()
    for key in ("ArrowRight", "PageDown", "ArrowLeft"):
        reader.page.keyboard.press(key)
        expect(number).to_have_attribute("aria-valuetext", reader.field(KEY).input_value())
        reader.settle()
        expect(number).to_be_focused()
    reader.wait_for_query(queries=reader.number(KEY))
    # A sentence that has no such number leaves the keys to the slider itself.
    reader.page.keyboard.press("Home")
    expect(number).to_have_count(0)
    reader.settle()
    expect(own).to_be_focused()


def test_a_finger_pulls_to_the_side(reader, number):
    reader.tidy(390, 844)
    reader.settle()
    reader.steady(number)
    finger = reader.page.context.new_cdp_session(reader.page)
    box = number.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for index, across in enumerate((0, 12, 24, 48)):
        kind = "touchMove" if index else "touchStart"
        points = [{"x": x + across, "y": y}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        reader.frames(1)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    reader.wait_for_query(queries=reader.number(KEY))
    assert float(reader.number(KEY)) > 1e6


def test_where_no_control_is_a_number_is_a_word(reader):
    reader.page.goto(f"{reader.address}/bounded_noise?view=errors&embed=true&ask=1")
    reader.page.wait_for_selector(".dpviz-stage[data-whole]")
    assert (
        reader.page.locator(".pull[role=slider]").count()
        == reader.page.locator(".pull[aria-valuetext]").count()
    )
