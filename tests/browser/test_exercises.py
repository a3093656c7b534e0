"""A curve as an answer, drawn and typed, and the file of the answers, in a real browser."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.support.examples import only_in_ci

TOPIC, NAME = "shared_darts", "each-with-coins-of-their-own"
VALUES = ("0.5", "0,511", "109/200", "60%", "1-0.35")
REFUSED = {"113 000": "The axis goes from", "12kk": "cannot be read", "e*": "cannot be read"}


@only_in_ci
def test_a_curve_is_drawn_typed_checked_and_saved(fresh):
    page = fresh.page
    page.goto(f"{fresh.address}/exercises?set={TOPIC}.{NAME}&topic={TOPIC}&exercise={NAME}")
    canvas, fields = page.locator(".canvas"), page.locator(".fields input")
    verdict = page.locator(".st-key-exercise")
    expect(fields).to_have_count(5)
    expect(fields.first).to_have_value("")
    canvas.scroll_into_view_if_needed()
    fresh.steady(canvas)  # what comes above it moves it from under the pointer
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
    for value, said in REFUSED.items():  # nothing else is judged in its place
        fields.nth(1).fill(value)
        page.get_by_role("button", name="Check").click()
        expect(verdict).to_contain_text(f"Nothing was checked: {said}".split(" cannot")[0])
        expect(page.locator(".fields output").nth(1)).to_contain_text(said)
        expect(fields.nth(1)).to_have_value(value)
    for place, value in enumerate(VALUES):
        fields.nth(place).fill(value)
    expect(page.locator(".fields output").nth(2)).to_have_text("= 0.545")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(verdict).to_contain_text("Right. It is within 0.038 of the exact curve at all 5 places.")
    expect(page.locator(".verdict")).to_be_in_viewport()
    expect(fields.nth(2)).to_have_value("109/200")  # as it was typed
    expect(page.locator(".canvas .exact")).to_have_attribute("d", re.compile("^M"))
    solution = page.get_by_role("button", name="Solution")
    solution.press("Enter")
    expect(verdict).to_contain_text("Solution: TV = 0: 0.5;")
    expect(page.get_by_role("button", name="Hide the solution")).to_be_focused()
    page.get_by_role("link", name="Homework").click()
    page.get_by_label("Your name").fill("Ada Lovelace")
    with page.expect_download() as waiting:  # nothing but the click has sent the name
        page.get_by_role("button", name="Save your answers").click()
    saved = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert waiting.value.suggested_filename == "answers-Ada-Lovelace.md"
    assert "Name: Ada Lovelace" in saved
    assert "1 of 1 answer that the app checks is right." in saved
    assert "State: right after 2 tries. Tries: 2. Solution: opened after the right answer." in saved
    assert "Answer: TV = 0: 0.5; TV = 0.15: 0.51; TV = 0.3: 0.55; TV = 0.45: 0.6;" in saved
    page.goto(f"{fresh.address}/exercises")
    page.locator(".st-key-fold-handed-in summary").click()
    hand = {"mimeType": "text/markdown", "buffer": saved.encode()}
    others = [
        hand | {"name": f"{name}.md", "buffer": saved.replace("Ada", name).encode()}
        for name in ("Bea", "Cem", "Dan", "Eva", "Fay", "Gil", "Hal", "Ivo", "Jan", "Kim", "Leo")
    ]
    page.locator(".st-key-fold-handed-in input[type=file]").set_input_files(
        [*others, hand | {"name": "a.md"}, hand | {"name": "b.md"}]
    )
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV with tries and answers").click()
    rows = Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 12  # twice the same file is one
    assert rows[1].startswith("Ada Lovelace,b.md,1,")
