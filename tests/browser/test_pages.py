"""Pages in a real browser, as they declare themselves.

Each page is opened once in each theme and at each width. One control of each kind is driven; that
every control, link and preset of every page does its work, tests/ui/test_every_control.py shows.
"""

import itertools

import pytest
from playwright.sync_api import expect

from dpviz.results.parameters import format_number
from dpviz.scene.catalogue import PAGES, entry
from dpviz.scene.codec import Choice, Flag, Number, Seed, encode
from tests.browser.conftest import running_app
from tests.support.declarations import SLUGS, fields, first_slider, in_sight, page, state_showing
from tests.support.reader import Reader

# The home page comes first; what is the frame's own doing is tried on one page.
one_page = pytest.mark.parametrize("slug", SLUGS[1:2])
every_page = pytest.mark.parametrize("slug", SLUGS)
# A number, options side by side and a switch, in sight and folded; a list that opens, and a seed.
KINDS = {
    "bounded_noise": ("epsilon", "against", "quantile", "show_shapes"),
    "perfect_generalization": ("mechanism", "seed"),
}


def defaults(slug):
    declared = page(slug)
    return encode({p.key: p.default for p in declared.url_parameters}, declared.url_parameters)


def unusual(slug):
    """A state that is nowhere on the sliders' grids."""
    declared = page(slug)
    values = {}
    for parameter in declared.url_parameters:
        values[parameter.key] = parameter.default
        if isinstance(parameter, Number):
            low, high = parameter.limit.minimum, parameter.limit.maximum
            between = low + (min(parameter.limit.default * 1.37, high) - low) * 0.913
            values[parameter.key] = round(between) if parameter.limit.integer else between
    return encode(values, declared.url_parameters)


@one_page
def test_a_deep_link_is_the_first_request_of_a_fresh_server(chromium, slug):
    linked = unusual(slug)
    with running_app() as address, Reader.at(chromium, address) as reader:
        reader.open(slug, linked)
        first = reader.figure()
        assert reader.slug == slug
        assert reader.query == linked
        for parameter in fields(slug, linked):
            expect(reader.field(parameter.key)).to_have_value(linked[parameter.key])
        reader.page.reload()
        reader.settle()
        assert reader.figure() == first


@every_page
def test_a_page_opens_with_its_question_a_takeaway_and_a_figure(reader, slug):
    reader.open(slug)
    assert reader.page.locator("h1").inner_text() == entry(slug).question
    assert reader.figure()
    takeaway = reader.takeaway.inner_text()
    assert len(takeaway) > 20
    assert reader.page.locator(".dpviz-stage .plot").get_attribute("aria-label")
    reader.wait_for_query(**defaults(slug))


@pytest.mark.parametrize("slug", KINDS)
def test_every_kind_of_control_goes_through_the_address_bar_and_back(reader, slug):
    declared = page(slug)
    reader.open(slug)
    for key in KINDS[slug]:
        view = declared.open_view(state_showing(slug, key))
        if reader.query["view"] != view.key:
            reader.page.get_by_role("tab", name=view.title).click()
            reader.wait_for_query(view=view.key)
        if key in view.folded:
            reader.open_fold("fold-controls")
        _drive(reader, declared.parameter(key))
    linked = reader.query
    reader.page.reload()
    reader.settle()
    reader.wait_for_query(**linked)


def _drive(reader, parameter):
    """Move one control to where it can go, and back."""
    key, default = parameter.key, parameter.write(parameter.default)
    match parameter:
        case Seed():
            following = str(int(reader.query[key]) + 1)
            reader.key(f"{key}-next").get_by_role("button").click()
            reader.wait_for_query(**{key: following})
            expect(reader.field(key)).to_have_value(following)
        case Number(limit=limit):
            typed = unusual_text(limit)
            for text in (typed, default):
                reader.type(key, text)
                reader.wait_for_query(**{key: text})
                expect(reader.slider(key)).to_have_attribute("aria-valuetext", text)
        case Choice(options=options):
            for option in (*options, default):
                reader.choose(key, options[option])
                reader.wait_for_query(**{key: option})
        case Flag():
            for text in ("0", "1") if default == "1" else ("1", "0"):
                label = reader.key(key).locator("label")
                reader.steady(label)  # what comes or goes above it would move it from the click
                label.click()
                reader.wait_for_query(**{key: text})


def unusual_text(limit):
    """A valid value that is not on the slider, as a reader would type it."""
    value = limit.grid[len(limit.grid) // 2] * (1 if limit.integer else 1.0123)
    return format_number(round(value) + 1 if limit.integer else min(value, limit.maximum))


def _take_presets(reader, slug):
    """Take every preset of a page and return the states they led to."""
    declared, states = page(slug), []
    for number, preset in enumerate(declared.presets):
        states.append(encode(declared.preset_values(preset), declared.url_parameters))
        reader.key(f"preset-{number}").get_by_role("button").click()
        reader.wait_for_query(**states[-1])
        _assert_fields(reader, slug, states[-1])
    return states


@one_page
def test_back_and_forward_lead_through_what_was_seen(reader, slug):
    reader.open(slug, defaults(slug))
    visited = [defaults(slug), *_take_presets(reader, slug)]
    visited = [v for i, v in enumerate(visited) if i == 0 or v != visited[i - 1]]
    for earlier in reversed(visited[:-1]):
        reader.page.go_back()
        reader.wait_for_query(**earlier)
        _assert_fields(reader, slug, earlier)
    for later in visited[1:]:
        reader.page.go_forward()
        reader.wait_for_query(**later)
        _assert_fields(reader, slug, later)


def _assert_fields(reader, slug, query):
    for parameter in fields(slug, query):
        expect(reader.field(parameter.key)).to_have_value(query[parameter.key])


@one_page
def test_a_garbled_link_ends_in_a_working_page_with_a_note(reader, slug):
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
    start = grid.index(format_number(limit.default))
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
    expect(reader.field(limit.name)).to_have_value(last)


@every_page
def test_a_page_reads_well_on_a_phone_in_the_dark(chromium, address, slug):
    with Reader.at(chromium, address, width=390, height=844) as reader:
        reader.page.emulate_media(color_scheme="dark")
        with reader.page.expect_request(lambda request: "theme=dark" in request.url):
            reader.open(slug)
        reader.page.locator("ul.legend li").first.wait_for()
        reader.figure()
        overflow = "document.querySelector('.stMain').scrollWidth - window.innerWidth"
        assert reader.page.evaluate(overflow) <= 0
        reader.key("controls").scroll_into_view_if_needed()
        last = reader.key(f"control-{in_sight(slug)[-1].key}")
        last.scroll_into_view_if_needed()
        box = reader.stage.locator(".picture").bounding_box()
        # A figure that leaves no room for the controls goes out of sight with the page.
        assert (box["y"] >= 0) == (reader.stage.get_attribute("data-sticks") == "true")
        assert last.bounding_box()["y"] >= box["y"] + box["height"]


def test_the_home_page_leads_to_pages_and_the_shared_values_go_along(reader):
    reader.open(SLUGS[1], {"epsilon": "0.77"})
    for target in PAGES[1::5]:
        reader.page.get_by_role("link", name="dpviz", exact=True).first.click()
        reader.page.wait_for_selector(".st-key-map")
        reader.key(f"map-{target.slug}").get_by_role("link", name=target.title).click()
        reader.wait_for_page(target.slug)
        if any(p.key == "epsilon" for p in page(target.slug).parameters):
            reader.wait_for_query(epsilon="0.77")


def test_the_menu_leads_from_page_to_page(reader):
    reader.open(SLUGS[0])
    for target in PAGES[::4]:
        reader.page.get_by_role("button", name="Pages").click()
        reader.page.get_by_role("link", name=target.title).last.click()
        reader.wait_for_page(target.slug)
        reader.figure()
