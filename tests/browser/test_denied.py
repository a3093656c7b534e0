"""A reader, an embedded figure and a class whose browsers deny all that they may."""

from contextlib import ExitStack
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import running_app
from tests.browser.test_rooms import START, course, drawn, framed, tab
from tests.support.denied import DENY
from tests.support.examples import only_in_ci
from tests.support.reader import Reader

LABELS = ".dpviz-stage [role=switch]"
NAMED = "public_data", {"view": "noise", "noise_at": "points", "public_points": "20"}


@pytest.fixture
def denied(chromium, address):
    context = chromium.new_context()
    context.add_init_script(DENY)
    with Reader.within(context, address) as reader:
        yield reader
    context.close()


@only_in_ci
def test_labels_predictions_and_a_lecture_of_ones_own_need_nothing_kept(denied):
    denied.open(*NAMED)
    switch = denied.page.locator(LABELS)
    switch.press("Enter")
    expect(switch).to_have_attribute("aria-checked", "true")
    denied.open_evidence("Share")
    denied.key("collect-add").get_by_role("button").click()
    yours = denied.page.get_by_text("Your lecture: 1 scene")
    expect(yours).to_be_visible()
    denied.page.wait_for_function("() => window.name.includes('dpviz-lecture')")
    denied.page.reload()
    denied.settle()
    expect(switch).to_have_attribute("aria-checked", "true")
    denied.open_evidence("Share")
    expect(yours).to_be_visible()
    denied.open("promise", {"view": "odds", "ask": "1"})
    before = denied.takeaway.text_content()
    denied.key("reveal").get_by_role("button").click()
    expect(denied.takeaway).not_to_have_text(before)


@only_in_ci
def test_within_a_page_of_another_site_a_figure_moves_and_a_lecture_is_not_lost_in_silence(
    chromium,
):
    surroundings = {"DPVIZ_FRAME_ANCESTORS": "*"}
    with running_app(surroundings=surroundings) as address, course() as site, ExitStack() as stack:
        page = tab(stack, chromium, 1280, 1500)
        shown = framed(page, site, f"{address}/promise?view=odds&embed=true")
        stage = shown.locator(".dpviz-stage")
        expect(stage).to_have_attribute("data-state", "rest")
        said = stage.locator(".takeaway").text_content()
        slider = shown.get_by_role("slider").first
        slider.focus()
        slider.press("End")
        expect(stage.locator(".takeaway")).not_to_have_text(said)
        shown = framed(page, site, f"{address}/promise?view=odds")
        expect(stage).to_have_attribute("data-state", "rest")
        shown.locator(".st-key-at-figure summary").click()
        shown.get_by_role("tab", name="Share", exact=True).click()
        shown.locator(".st-key-collect-add button").click()
        expect(shown.get_by_text("This browser keeps nothing for dpviz")).to_be_visible()


@only_in_ci
def test_a_class_and_its_speaker_need_nothing_kept(chromium, address):
    with ExitStack() as stack:
        screen, phone = (tab(stack, chromium, width, 800) for width in (1280, 390))
        for each in (screen, phone):
            each.context.add_init_script(DENY)
        screen.goto(f"{address}/room?at={quote(START)}")
        screen.get_by_role("button", name="Open a room").click()
        code = screen.get_attribute("body", "data-code")
        phone.goto(f"{address}/room/{code}")
        expect(screen.locator("footer .count")).to_have_text("1 phone joined")
        with screen.context.expect_page() as opened:
            screen.locator(".speaker-button").click()
        speaker = opened.value
        expect(speaker.locator(".count")).to_have_text("1 phone joined")
        expect(screen.locator("footer")).to_be_hidden()
        speaker.keyboard.press("ArrowRight")
        drawn(phone, "1")
        phone.context.clear_cookies()
        phone.reload()  # the window's name has kept its place
        drawn(phone, "1")
        expect(screen.locator("footer .count")).to_have_text("1 phone joined")
        screen.reload()
        expect(speaker.locator(".missing")).to_be_hidden()
        speaker.close()
        expect(screen.locator("footer")).to_be_visible()
