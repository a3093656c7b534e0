"""The figure while a control moves."""

import pytest
from playwright.sync_api import expect

from tests.support.declarations import SLUGS, first_slider
from tests.support.typeset import linked

COUNT_EMPTY_FRAMES = """() => {
    window.emptyFrames = 0;
    const drawn = () => [...document.querySelectorAll(".dpviz-stage .plot svg path")].some(
        trace => trace.getClientRects().length && getComputedStyle(trace).visibility === "visible");
    const look = () => {
        if (window.emptyFrames === null) return;
        if (!drawn()) window.emptyFrames += 1;
        requestAnimationFrame(look);
    };
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
        reader.wait_for_query(**{key: linked(slider.get_attribute("aria-valuetext"))})
        reader.settle()
    assert reader.figure() != before
    counted = "() => { const all = window.emptyFrames; window.emptyFrames = null; return all; }"
    assert reader.page.evaluate(counted) == 0
    expect(reader.page.locator(".dpviz-stage .plot > svg")).to_have_count(1)


def test_the_odds_are_said_while_epsilon_is_pointed_at_and_nothing_else_moves(reader):
    reader.open("bounded_noise", {"view": "errors"})
    fold, odds = (reader.page.locator(one) for one in (".st-key-fold-controls", ".odds"))
    clip = "part => getComputedStyle(part).clipPath"
    before = fold.bounding_box()
    assert odds.evaluate(clip) != "none"
    reader.slider("epsilon").hover()
    assert odds.evaluate(clip) == "none"
    assert odds.inner_text().startswith("A suspicion of 10 in 100")
    assert fold.bounding_box() == before


def test_a_figure_keeps_its_height_when_the_window_gets_wider(reader):
    """Else what stands below the figure would slide over it."""
    reader.page.set_viewport_size({"width": 1280, "height": 820})
    reader.open("few_users", {"view": "agreement"})
    plot = reader.page.locator(".dpviz-stage .plot > svg")
    before = plot.bounding_box()
    reader.page.set_viewport_size({"width": 1440, "height": 820})
    reader.page.wait_for_function(
        "old => document.querySelector('.dpviz-stage .plot > svg').clientWidth > old",
        arg=before["width"],
    )
    reader.steady(plot)
    assert plot.bounding_box()["height"] == before["height"]


def test_a_figure_follows_the_theme_of_the_system_and_a_low_window(reader):
    reader.page.set_viewport_size({"width": 1280, "height": 920})
    reader.open("few_users", {"view": "votes"})
    ground = "() => getComputedStyle(document.querySelector('.plot > svg > rect')).fill"
    assert reader.page.evaluate(ground) == "rgb(253, 252, 250)"
    number = reader.stage.get_attribute("data-number")
    reader.page.emulate_media(color_scheme="dark")
    reader.page.wait_for_function(f"() => ({ground})() === 'rgb(23, 22, 20)'")
    assert reader.stage.get_attribute("data-number") == number  # one drawing serves both schemes
    drawn = "word => document.querySelector('.dpviz-stage').dataset.address.includes(word)"
    reader.page.set_viewport_size({"width": 1280, "height": 720})
    reader.page.wait_for_function(drawn, arg="low=")
    reader.settle()
    plot = reader.page.locator(".dpviz-stage .plot > svg")
    reader.steady(plot)
    box = plot.bounding_box()
    assert box["y"] + box["height"] <= 720
    reader.page.emulate_media(color_scheme="light")


def test_a_figure_on_narrow_paper_keeps_its_shape(reader):
    reader.open("promise", {"view": "odds"})
    reader.page.emulate_media(media="print")
    shape = """svg => {
        svg.parentNode.style.width = "300px";
        const { width, height } = svg.getBoundingClientRect();
        svg.parentNode.style.width = "";
        return [width / height, svg.getAttribute("width") / svg.getAttribute("height")];
    }"""
    drawn, meant = reader.page.locator(".dpviz-stage .plot > svg").evaluate(shape)
    reader.page.emulate_media(media="null")
    assert drawn == pytest.approx(meant, rel=0.01)
