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


# Draws the figure a few times, its notes somewhere else each time.
REDRAW = """times => {
    const plot = document.querySelector(".dpviz-stage .js-plotly-plot");
    const { data, layout } = plot;
    for (let shift = 1; shift <= times; shift++) {
        const annotations = layout.annotations.map(note => ({ ...note, ax: note.ax + shift }));
        window.Plotly.react(plot, { data, layout: { ...layout, annotations } });
    }
}"""
# Lengths and points of a line from a note to its curve, and of a path the browser measures itself.
MEASURED = """() => ["M1,-2L4,2e0", "M 1 -2 L 4 2"].map(d => {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", d);
    const points = [-1, 0, 2, 9].map(along => path.getPointAtLength(along));
    return [path.getTotalLength(), ...points.flatMap(({ x, y }) => [x, y])];
})"""


def test_notes_do_not_make_the_browser_lay_out_the_page_again(reader, window):
    reader.open("promise", "view=attackers")
    session = window.new_cdp_session(reader.page)
    session.send("Performance.enable")

    def layouts():
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "LayoutCount")

    before = layouts()
    reader.page.evaluate(REDRAW, 5)
    assert layouts() - before < 5 * 4  # with a layout for each note, 5 * 8 and more
    ours, theirs = reader.page.evaluate(MEASURED)
    assert ours == pytest.approx(theirs, abs=1e-4)
