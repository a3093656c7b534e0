"""People are brushed in the figure and τ is dragged there: what it shows of them comes along."""

import pytest

from tests.support.declarations import last, page
from tests.support.examples import only_in_ci
from tests.support.reader import Reader

LINK = {"view": "people", "data": "union", "threshold": "4", "epsilon": "0.2"}
HEADLINE_SAYS = """words => document.querySelector(".takeaway").textContent
    .replaceAll("\\u00a0", " ").startsWith(words)"""
DOTS, HANDLE = ".here-brush", ".here-handle:visible"


@pytest.fixture(scope="module")
def result():
    return last(page("clipping"), "people", data="union", threshold=4.0, epsilon=0.2)


def across(tab, box, first, end, height=0.5):
    """Drag over a part of a box; hold on at the end."""
    x, y = (lambda part: box["x"] + part * box["width"]), box["y"] + height * box["height"]
    tab.mouse.move(x(first), y)
    tab.mouse.down()
    for step in (1, 2, 3, 4):
        tab.mouse.move(x(first + (end - first) * step / 4), y)


def plain(place):
    """A text without the spaces at which no line breaks."""
    return place.inner_text().replace("\u00a0", " ")


def chosen_of(result, first, end):
    """What the headline says of the groups from the first to the last, at the reader's τ."""
    some = (result.scores >= result.edges[first]) & (result.scores < result.edges[end + 1])
    cut = int((some & (abs(result.scores) > result.threshold)).sum())
    clips = f"{cut} of them" if cut else "none of them"
    return f"You chose {int(some.sum())} of 545 people; the threshold τ = 4 clips {clips}."


def test_people_are_brushed_and_the_threshold_is_dragged_in_the_figure(fresh, result):
    reader = fresh  # whom one brushed stays brushed
    asked = []
    reader.page.on("request", lambda request: asked.append(request.url))
    reader.open("clipping", LINK)
    tab = reader.page
    reader.figure()
    step = 1 / result.groups
    across(tab, tab.locator(DOTS).bounding_box(), 0.2 * step, 2.9 * step)
    tab.wait_for_function(HEADLINE_SAYS, arg=chosen_of(result, 0, 2))  # the hand holds on still
    tab.mouse.up()
    reader.settle()
    assert plain(tab.locator(".takeaway")) == chosen_of(result, 0, 2)
    across(tab, tab.locator(HANDLE).bounding_box(), 0.5, -3)
    tab.mouse.up()
    tab.wait_for_function("() => Number(new URLSearchParams(location.search).get('threshold')) < 4")
    reader.settle()
    chosen = reader.query["threshold"]
    assert reader.number("threshold") == chosen
    # Those brushed are brushed still.
    words = f"You chose 89 of 545 people; the threshold τ = {chosen} clips"
    tab.wait_for_function(HEADLINE_SAYS, arg=words)
    assert not [url for url in asked if any(part in url for part in ("vega", "linked", "plotly"))]


def test_keys_brush_one_group_after_the_other(reader, result):
    reader.open("clipping", LINK)
    tab = reader.page
    tab.locator(DOTS).focus()
    tab.keyboard.press("ArrowRight")
    tab.wait_for_function(HEADLINE_SAYS, arg=chosen_of(result, 0, 0))
    tab.keyboard.press("Shift+ArrowRight")
    tab.wait_for_function(HEADLINE_SAYS, arg=chosen_of(result, 0, 1))
    reader.settle()
    assert plain(tab.locator(".dpviz-stage .spoken")) == chosen_of(result, 0, 1)
    dots = tab.get_by_role("slider", name="People, group by group")
    assert dots.get_attribute("aria-valuetext") == f"groups 1 to 2 of {result.groups}"
    tab.keyboard.press("Escape")
    tab.wait_for_function(HEADLINE_SAYS, arg="This threshold τ clips")


@only_in_ci
def test_a_finger_brushes_users_and_drags_what_chance_draws(chromium, address):
    """Propose, test, release on a phone: R₁ is moved in the figure alone, the noise on the page."""
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    with Reader.within(context, address) as phone:
        phone.open("propose_test_release", {"view": "people", "outliers": "60"})
        tab = phone.page
        phone.figure()
        finger = context.new_cdp_session(tab)
        swipe(finger, tab, DOTS, 0.93, 0.99)
        without = "Without these 60 of 1,000 users the test answers"
        tab.wait_for_function(HEADLINE_SAYS, arg=without)
        phone.settle()
        before = tab.locator(".plot").inner_text()
        swipe(finger, tab, f"{HANDLE}:has([aria-label^='R₁'])", 0.5, 3)
        phone.settle()
        assert tab.locator(".plot").inner_text() != before
        assert phone.query.get("noise_factor", "1.2") == "1.2"
        swipe(finger, tab, f"{HANDLE}:not(:has([aria-label^='R₁']))", 0.5, 3)
        tab.wait_for_function(
            "() => Number(new URLSearchParams(location.search).get('noise_factor')) > 2"
        )
        phone.settle()
        tab.wait_for_function(HEADLINE_SAYS, arg=without)
    context.close()


def swipe(finger, tab, part, first, end):
    """Move a finger over a part of the figure."""
    place = tab.locator(part).first
    place.evaluate("part => part.scrollIntoView({ block: 'center' })")
    box = place.bounding_box()
    y = box["y"] + box["height"] / 2

    def touch(kind, *parts):
        places = [{"x": box["x"] + part * box["width"], "y": y} for part in parts]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", first)
    for step in (1, 2, 3, 4, 5, 6):
        touch("touchMove", first + (end - first) * step / 6)
    touch("touchEnd")
