"""The figure while a control moves."""

import pytest
from playwright.sync_api import expect

from tests.support.declarations import SLUGS, first_slider

COUNT_EMPTY_FRAMES = """() => {
    window.emptyFrames = 0;
    const drawn = () => [...document.querySelectorAll(".dpviz-stage .main-svg .trace")].some(
        trace => trace.getClientRects().length && getComputedStyle(trace).visibility === "visible");
    const look = () => { if (!drawn()) window.emptyFrames += 1; requestAnimationFrame(look); };
    look();
}"""


@pytest.mark.parametrize("slug", SLUGS[1:2])
def test_the_old_figure_stays_until_the_new_one_stands(reader, slug):
    key = first_slider(slug).key
    reader.open(slug)
    before = reader.figure()
    reader.page.evaluate(COUNT_EMPTY_FRAMES)
    for _ in range(4):
        slider = reader.slider(key)
        slider.press("ArrowLeft")
        reader.wait_for_query(**{key: slider.get_attribute("aria-valuetext")})
        reader.settle()
    assert reader.figure() != before
    assert reader.page.evaluate("window.emptyFrames") == 0
    expect(reader.page.locator(".js-plotly-plot")).to_have_count(1)
