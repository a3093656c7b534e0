"""People are brushed and τ is dragged in the figure: the browser looks up, and asks no server."""

import pytest
from playwright.sync_api import expect

from dpviz.__main__ import main
from tests.support.declarations import last, page
from tests.support.examples import only_in_ci
from tests.support.reader import Reader

LINK = {"view": "people", "data": "union", "threshold": "4", "epsilon": "0.2"}
# Where a panel of the linked figure is on the screen.
PANEL = """name => {
    const { x, y, width, height } =
        document.querySelector(`g.${name}_group path.background`).getBoundingClientRect();
    return { x, y, width, height };
}"""
CHOICE_SAYS = "words => document.querySelector('[data-told]')?.dataset.told.includes(words)"


@pytest.fixture(scope="module")
def result():
    return last(page("clipping"), "people", data="union", threshold=4.0, epsilon=0.2)


def across(tab, panel, first, end, height=0.5):
    """Drag over a part of a panel; hold on at the end."""
    box = tab.evaluate(PANEL, panel)
    x, y = (lambda part: box["x"] + part * box["width"]), box["y"] + height * box["height"]
    tab.mouse.move(x(first), y)
    tab.mouse.down()
    for step in (1, 2, 3, 4):
        tab.mouse.move(x(first + (end - first) * step / 4), y)


def people_of(result, first, end):
    """What is told of the groups from the first to the last, at the reader's τ."""
    low, high = result.edges[first], result.edges[end + 1]
    some = (result.scores >= low) & (result.scores < high)
    cut = int((some & (abs(result.scores) > result.threshold)).sum())
    return (
        f"{int(some.sum())} of 545 people, {result.counts[some].sum()} rows; τ = 4 cuts off {cut}"
    )


def asked_by(reader):
    """The scripts and figures that a reader's tab asks for from now on."""
    asked = []
    kinds = ("/figure/", "/scripts/")
    reader.page.on(
        "request", lambda r: asked.append(r.url) if any(k in r.url for k in kinds) else 0
    )
    return asked


def test_people_are_brushed_and_the_threshold_is_dragged_in_the_figure(fresh, result):
    reader = fresh  # whom one brushed stays brushed
    reader.open("clipping", LINK)
    tab = reader.page
    tab.wait_for_function(CHOICE_SAYS, arg="All 545 people, 4,360 rows")
    asked = asked_by(reader)
    step = 1 / result.groups
    across(tab, "people", 0.2 * step, 2.9 * step)
    tab.mouse.up()
    tab.wait_for_function(CHOICE_SAYS, arg=people_of(result, 0, 2))
    across(tab, "curves", 0.8, 0.5)
    tab.wait_for_function(
        "() => !document.querySelector('.linked').textContent.includes('τ = 4 cuts')"
    )
    assert not asked
    tab.mouse.up()
    stops = [float(stop) for stop in result.taus if 0.5 < stop < 2]
    tab.wait_for_function(
        "stops => stops.includes(Number(new URLSearchParams(location.search).get('threshold')))",
        arg=stops,
    )
    reader.settle()
    chosen = reader.query["threshold"]
    assert reader.number("threshold") == chosen
    # The figure of the new τ has come, and those brushed are brushed still.
    tab.wait_for_function(CHOICE_SAYS, arg=f"τ = {chosen} cuts off")
    assert tab.locator(".linked").get_attribute("data-told").startswith("89 of 545 people")


def test_keys_brush_one_group_after_the_other(reader, result):
    reader.open("clipping", LINK)
    reader.page.locator(".linked").focus()
    reader.page.keyboard.press("ArrowRight")
    reader.page.wait_for_function(CHOICE_SAYS, arg=people_of(result, 0, 0))
    reader.page.keyboard.press("Shift+ArrowRight")
    reader.page.wait_for_function(CHOICE_SAYS, arg=people_of(result, 0, 1))
    said = reader.page.locator(".dpviz-stage .spoken")
    assert said.inner_text() == people_of(result, 0, 1)
    # Who hears the page hears the figures behind the sentence, and not every dot.
    figure = reader.page.get_by_role("group", name="the likeliest answer, with probability")
    expect(figure).to_be_visible()
    expect(figure.locator("> [aria-hidden=true] svg")).to_have_count(1)
    reader.page.keyboard.press("Escape")
    reader.page.wait_for_function(CHOICE_SAYS, arg="All 545 people")


@only_in_ci
def test_other_views_load_no_vega(fresh):
    asked = asked_by(fresh)
    fresh.open("clipping", {"view": "user"})
    assert fresh.figure()
    assert not [url for url in asked if "vega" in url or "linked" in url]
    assert not [url for url in asked if "plotly" in url]


@only_in_ci
def test_an_exported_figure_is_as_lively(chromium, tmp_path, result):
    file = tmp_path / "people.html"
    main(["figure", "clipping?view=people&data=union&threshold=4&epsilon=0.2", "-o", str(file)])
    tab = chromium.new_page()
    faults = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.goto(file.as_uri())
    tab.wait_for_function(CHOICE_SAYS, arg="All 545 people")
    step = 1 / result.groups
    across(tab, "people", 0.2 * step, 2.9 * step)
    tab.mouse.up()
    tab.wait_for_function(CHOICE_SAYS, arg=people_of(result, 0, 2))
    tab.close()
    assert not faults


@only_in_ci
def test_a_finger_brushes_users_and_drags_what_chance_draws(chromium, address):
    """Propose, test, release on a phone: R₁ is moved in the figure alone, the noise on the page."""
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    with Reader.within(context, address) as phone:
        phone.open("propose_test_release", {"view": "people", "outliers": "60"})
        tab = phone.page
        tab.wait_for_function(CHOICE_SAYS, arg="All 1,000 users; answered")
        finger = context.new_cdp_session(tab)
        swipe(finger, tab, "people", 0.93, 0.99)
        tab.wait_for_function(CHOICE_SAYS, arg="60 of 1,000 users; without them answered")
        before = tab.locator(".linked").inner_text()
        swipe(finger, tab, "curves", 0.5, 0.9)
        tab.wait_for_function(
            "old => document.querySelector('.linked').innerText !== old", arg=before
        )
        assert "noise_factor" not in phone.query or phone.query["noise_factor"] == "1.2"
        swipe(finger, tab, "chances", 0.3, 0.7)
        tab.wait_for_function(
            "() => Number(new URLSearchParams(location.search).get('noise_factor')) > 2"
        )
        phone.settle()
        tab.wait_for_function(CHOICE_SAYS, arg="60 of 1,000 users")
    context.close()


def swipe(finger, tab, panel, first, end):
    """Move a finger over a part of a panel."""
    show = "name => document.querySelector(`g.${name}_group`).scrollIntoView({ block: 'center' })"
    tab.evaluate(show, panel)
    box = tab.evaluate(PANEL, panel)
    y = box["y"] + box["height"] / 2

    def touch(kind, *parts):
        places = [{"x": box["x"] + part * box["width"], "y": y} for part in parts]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", first)
    for step in (1, 2, 3, 4, 5, 6):
        touch("touchMove", first + (end - first) * step / 6)
    touch("touchEnd")


@pytest.mark.parametrize("width", [1280, 1024])
def test_the_headings_of_the_panels_stay_inside_the_figure(fresh, width):
    fresh.page.set_viewport_size({"width": width, "height": 768})
    fresh.open("clipping", LINK)
    fresh.page.wait_for_function(CHOICE_SAYS, arg="All 545 people, 4,360 rows")
    fresh.steady(fresh.stage)
    beyond = fresh.page.evaluate(
        """() => {
            const edge = document.querySelector(".dpviz-stage .linked").getBoundingClientRect();
            return [...document.querySelectorAll(".linked .role-title-text text")]
                .filter(words => words.getBoundingClientRect().right > edge.right + 1)
                .map(words => words.textContent);
        }"""
    )
    assert beyond == []
