"""What is read off a drawing by mouse, by finger and by keys; the button that plays; Explore."""

from playwright.sync_api import expect

from tests.support.reader import STAGE_FIGURE

# A known point of the first reading, in the window, and what it says.
POINT = f"""() => {{
    const {{ drawing, plot }} = ({STAGE_FIGURE})();
    const [{{ places, said }}] = drawing.line.readings;
    const known = said.flatMap((words, index) => words === null ? [] : [index]);
    const index = known[Math.floor(known.length / 2)];
    const {{ left, top }} = plot.getBoundingClientRect();
    return [left + drawing.ratio * places[index][0] / 10, top + places[index][1] / 10];
}}"""
INSIDE = """() => {
    const [box, figure] = [".read-off", ".picture"].map(
        name => document.querySelector(`.dpviz-stage ${name}`).getBoundingClientRect());
    return box.left >= figure.left - 1 && box.right <= figure.right + 1
        && box.top >= figure.top - 1 && box.bottom <= figure.bottom + 1;
}"""

OTHER = """whole => document.querySelector(".dpviz-stage .plot > svg").innerHTML !== whole"""


def test_values_are_read_by_mouse_and_by_keys(reader):
    reader.open("bounded_noise", {"view": "errors"})
    words = reader.page.locator(".dpviz-stage .read-off")
    expect(words).to_be_hidden()
    reader.page.mouse.move(*reader.page.evaluate(POINT))
    expect(words).to_be_visible()
    assert reader.page.evaluate(INSIDE)
    reader.page.keyboard.press("Escape")
    expect(words).to_be_hidden()
    keys = reader.page.get_by_role("slider", name="Values in the figure")
    first = keys.get_attribute("aria-valuetext")
    assert first  # also for whoever comes by and does not stop
    keys.focus()
    assert keys.get_attribute("aria-valuetext") == first
    keys.press("End")
    assert keys.get_attribute("aria-valuenow") == keys.get_attribute("aria-valuemax")
    assert keys.get_attribute("aria-valuetext") != first
    expect(words).to_be_visible()
    assert reader.page.evaluate(INSIDE)
    keys.press("Escape")
    expect(words).to_be_hidden()


def test_explore_brings_plotly_and_nothing_else_does(reader):
    asked = []
    reader.page.on("request", lambda request: asked.append(request.url.lower()))
    reader.open("bounded_noise", {"view": "errors"})
    assert not [address for address in asked if "plotly" in address]
    reader.open_evidence("Explore")
    expect(reader.page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert [address for address in asked if "plotly" in address]


def test_a_button_that_plays_can_be_pressed_again_when_there_was_no_time(reader):
    reader.open("shared_darts", {"view": "board", "seed": "3"})
    reader.page.route("**/*frames=1*", lambda route: route.fulfill(body='{"busy":true}\n'))
    button = reader.page.locator(".dpviz-stage .play")
    button.click()
    expect(button).to_have_text("Play")
    reader.page.unroute_all()
    button.click()
    expect(button).to_have_text("Pause")


def test_play_ends_with_the_whole_drawing(reader):
    reader.open("shared_darts", {"view": "board"})
    drawn = reader.page.locator(".dpviz-stage .plot > svg")
    whole = drawn.inner_html()
    button = reader.page.locator(".dpviz-stage .play")
    button.click()
    expect(button).to_have_text("Pause")
    reader.page.wait_for_function(OTHER, arg=whole)
    expect(button).to_have_text("Play", timeout=60_000)
    assert drawn.inner_html() == whole
