"""Pages in a real browser, as they declare themselves.

Each page is looked at in each theme and at each width, and axe-core looks at it there. Every
kind of control is driven on a page made for it (test_every_control.py); that every control, link
and preset of every page does its work, tests/ui/test_every_control.py shows.
"""

import itertools
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from dpviz.plot.legend import legend_html
from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import format_number
from dpviz.scene.catalogue import PAGES, entry
from dpviz.scene.codec import decode
from dpviz.scene.scene import Scene
from tests.support.axe import violations
from tests.support.declarations import SLUGS, fields, first_slider, in_sight, opening, page
from tests.support.examples import by_ring, chosen
from tests.support.typeset import typeset

DRAWN = "word => document.querySelector('.dpviz-stage').dataset.address.includes(word)"

# The home page comes first; what is the frame's own doing is tried on one page.
one_page = pytest.mark.parametrize("slug", SLUGS[1:2])
every_page = pytest.mark.parametrize("slug", by_ring(SLUGS[1:3], SLUGS, SLUGS))


def defaults(slug):
    declared = page(slug)
    return Scene.opened(declared, declared.usual()).query


def has_legend(slug):
    """Whether curves are named below the figure that a page opens with, on a phone."""
    view = page(slug).views[0]
    result = opening(page(slug), view.key).result
    return "<li" in legend_html(view.figure(result, replace(LIGHT, compact=True)))


@pytest.fixture
def network_of(request, slug, shared):  # noqa: ARG001, that it needs a browser is seen by `shared`
    """Whom a link brings to the first page, at night to all; others are reached from within."""
    linked = slug in chosen(SLUGS, SLUGS[:1])
    return request.getfixturevalue("fresh" if linked else "reader")


@every_page
def test_a_page_reads_well_on_a_phone_in_the_dark_and_on_a_desk_in_the_light(network_of, slug):
    reader = network_of
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.page.emulate_media(color_scheme="dark")
    reader.open(slug)
    assert reader.page.locator(".stMain h1").inner_text() == entry(slug).question
    reader.wait_for_query(**defaults(slug))
    _look_at(reader)
    if has_legend(slug):
        reader.page.locator("ul.legend li").first.wait_for()
    overflow = "document.querySelector('.stMain').scrollWidth - window.innerWidth"
    assert reader.page.evaluate(overflow) <= 0
    reader.key("controls").scroll_into_view_if_needed()
    last = reader.key(f"control-{in_sight(slug)[-1].key}")
    last.evaluate("part => part.scrollIntoView({ block: 'end' })")
    box = reader.stage.locator(".picture").bounding_box()
    # A figure that leaves no room for the controls goes out of sight with the page.
    assert (box["y"] >= 0) == (reader.stage.get_attribute("data-sticks") != "false")
    assert last.bounding_box()["y"] >= box["y"] + box["height"]
    reader.page.emulate_media(color_scheme="light")
    reader.page.set_viewport_size({"width": 1280, "height": 800})
    reader.settle()
    _look_at(reader)


def _look_at(reader):
    assert reader.figure()
    assert len(reader.takeaway.inner_text()) > 20
    assert reader.page.locator(".dpviz-stage .plot").get_attribute("aria-label")
    assert not violations(reader.page)


def _take_presets(reader, slug):
    """Take the presets of a page's first view and return the states they led to."""
    declared, states = page(slug), []
    first = [
        (number, preset)
        for number, preset in enumerate(declared.presets)
        if declared.shown_by(preset) is declared.views[0]
    ]
    for number, preset in first:
        states.append(Scene.opened(declared, declared.preset_values(preset)).query)
        reader.key(f"preset-{number}").get_by_role("button").click()
        reader.wait_for_query(**states[-1])
        _assert_fields(reader, slug, states[-1])
    return states


# Lets the server's messages wait from `waiting = []` on, until `arrive()`.
LATE = """
    window.waiting = null;
    window.arrive = () => { const all = waiting; waiting = null; all.forEach(([hear]) => hear()); };
    const { addEventListener } = WebSocket.prototype;
    WebSocket.prototype.addEventListener = function (name, hear, ...options) {
        const late = event => {
            if (name !== "message" || !waiting) return hear(event);
            waiting.push([() => hear(event), new TextDecoder().decode(event.data)]);
        };
        return addEventListener.call(this, name, late, ...options);
    };
"""
WAITS = "() => waiting.length > 0"


@one_page
def test_back_and_forward_lead_through_what_was_seen(fresh, slug):
    reader = fresh
    reader.page.add_init_script(LATE)
    reader.open(slug, defaults(slug))
    entries = reader.page.evaluate("history.length")
    before = (defaults(slug), *_take_presets(reader, slug))[-1]
    # The theme becomes another while an answer is on its way, which knows the one before.
    reader.settle()
    reader.page.evaluate("() => { waiting = []; }")
    reader.key("controls").locator(".slider").first.press("Home")
    reader.page.wait_for_function(WAITS)
    reader.page.set_viewport_size({"width": 1280, "height": 720})
    reader.page.wait_for_function(DRAWN, arg="low=")
    reader.page.evaluate("arrive()")
    reader.settle()
    assert "low=" in str(reader.stage.get_attribute("data-address"))
    visited = [reader.query]
    assert visited[0] != before
    for _ in page(slug).for_everyone[2:]:
        visited.append(_turn(reader, slug))
        reader.wait_for_query(**visited[-1])
        reader.settle()
    assert reader.page.evaluate("history.length") == entries + len(visited) - 1
    for earlier in reversed(visited[:-1]):
        reader.page.go_back()
        reader.wait_for_query(**earlier)
        _assert_fields(reader, slug, earlier)
    for later in visited[1:]:
        reader.page.go_forward()
        reader.wait_for_query(**later)
        _assert_fields(reader, slug, later)
    # Twice back while the answer to a key is on its way: it brings an address, too.
    reader.settle()
    reader.page.evaluate("() => { waiting = []; }")
    reader.key("controls").locator(".slider").first.press("Home")
    reader.page.wait_for_function(WAITS)
    for earlier in visited[-2::-1]:
        reader.page.go_back()
        reader.wait_for_query(**earlier)
    _assert_fields(reader, slug, visited[0])
    reader.settle()
    assert reader.query == visited[0]


def _turn(reader, slug):
    """Go on to the next view of a page; return the state that leads to."""
    declared = page(slug)
    texts = {key: [text] for key, text in reader.query.items()}
    now, _ = decode(texts, declared.url_parameters)
    reader.page.locator(".next a").click()
    after = declared.views[declared.views.index(declared.open_view(now)) + 1]
    turned = now | declared.turned(now, after.key)
    return Scene.opened(declared, turned).query


def _assert_fields(reader, slug, query):
    for parameter in fields(slug, query):
        expect(reader.field(parameter.key)).to_have_value(
            typeset(parameter.key, query[parameter.key])
        )


@one_page
def test_a_garbled_link_ends_in_a_working_page_with_a_note(fresh, slug):
    reader = fresh
    garbage = ["1e999", "<img src=x onerror=alert(1)>", "\u202e٣,5%00", "![](//x)", "a" * 3000]
    keys = [p.key for p in page(slug).url_parameters]
    reader.open(slug, dict(zip(keys, itertools.cycle(garbage), strict=False)))
    assert reader.figure()
    note = reader.page.locator(".stAlert").inner_text()
    assert all(f"{key}:" in note for key in keys)
    assert not reader.page.locator(".stAlert img").count()
    reader.wait_for_query(**defaults(slug))


@one_page
def test_fast_keys_end_where_the_reader_stopped(reader, slug):
    reader.open(slug)
    limit = first_slider(slug).limit
    grid = [format_number(value) for value in limit.grid]
    start = grid.index(defaults(slug)[limit.name])  # A page may open elsewhere than a limit says.
    step, way, room = ("ArrowLeft", -1, start)
    if room < len(grid) / 2:
        step, way, room = ("ArrowRight", 1, len(grid) - 1 - start)
    presses = min(9, room)
    for _ in range(presses):
        reader.slider(limit.name).press(step)
    last = grid[start + way * presses]
    reader.wait_for_query(**{limit.name: last})
    reader.settle()
    assert reader.query[limit.name] == last
    expect(reader.field(limit.name)).to_have_value(typeset(limit.name, last))


@one_page
def test_on_a_phone_the_open_tab_is_in_sight(fresh, slug):
    fresh.page.set_viewport_size({"width": 390, "height": 844})
    fresh.open(slug, {"view": page(slug).views[-1].key})
    opened = fresh.page.locator(".stMain .views [aria-current]")
    expect(opened).to_have_count(2)  # In depth, and below it the view
    for tab in opened.all():
        expect(tab).to_be_in_viewport(ratio=0.9)


def test_the_home_page_leads_to_pages_and_the_shared_values_go_along(reader):
    reader.open(SLUGS[1], {"epsilon": "0.77"})
    for target in PAGES[1::5]:
        reader.settle()  # a session knows what was changed; what only stands does not
        reader.page.get_by_role("link", name="dpviz", exact=True).first.click()
        reader.page.wait_for_selector(".st-key-map")
        reader.key(f"map-{target.slug}").get_by_role("link", name=target.title).click()
        reader.wait_for_page(target.slug)
        if any(p.key == "epsilon" for p in page(target.slug).parameters):
            reader.wait_for_query(epsilon="0.77")


def test_the_menu_leads_from_page_to_page(reader):
    reader.open(SLUGS[0])
    for target in PAGES[::6]:
        reader.page.get_by_role("button", name="Pages").click()
        reader.page.get_by_role("link", name=target.title).last.click()
        reader.wait_for_page(target.slug)
        reader.figure()
