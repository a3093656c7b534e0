"""A curve as an answer, drawn and typed, and the file of the answers, in a real browser."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.support.examples import only_in_ci

TOPIC, NAME = "shared_darts", "each-with-coins-of-their-own"
VALUES = ("0.5", "0,511", "0.545", "0.6", "0.65")


@only_in_ci
def test_a_curve_is_drawn_typed_checked_and_saved(fresh):
    page = fresh.page
    page.goto(f"{fresh.address}/exercises?set={TOPIC}.{NAME}&topic={TOPIC}&exercise={NAME}")
    canvas, fields = page.locator(".canvas"), page.locator(".fields input")
    verdict = page.locator(".st-key-exercise")
    expect(fields).to_have_count(5)
    expect(fields.first).to_have_value("")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    for step, across in enumerate((0.14, 0.4, 0.65, 0.94)):
        page.mouse.move(box["x"] + across * box["width"], box["y"] + 0.43 * box["height"])
        if not step:
            page.mouse.down()
    page.mouse.up()
    expect(fields.nth(2)).to_have_value("0.51")
    page.get_by_role("button", name="Check").click()
    expect(verdict).to_contain_text("Not yet. It is too low at TV = 0.45 and 0.55.")
    assert not page.locator(".canvas .exact").get_attribute("d")
    for place, value in enumerate(VALUES):
        fields.nth(place).fill(value)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(verdict).to_contain_text("Right. It is within 0.038 of the exact curve at all 5 places.")
    expect(page.locator(".canvas .exact")).to_have_attribute("d", re.compile("^M"))
    solution = page.get_by_role("button", name="Solution")
    solution.press("Enter")
    expect(verdict).to_contain_text("Solution: TV = 0: 0.5;")
    expect(page.get_by_role("button", name="Hide the solution")).to_be_focused()
    page.get_by_role("link", name="Homework").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save your answers").click()
    saved = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert "1 of 1 checked answers are right." in saved
    assert "State: right after 2 tries." in saved
    assert "Answer: TV = 0: 0.5; TV = 0.15: 0.51; TV = 0.3: 0.55; TV = 0.45: 0.6;" in saved
