"""Every page, every view and every control in a real browser, as the pages declare them."""

import pytest

from dpviz.limits import format_number
from dpviz.ui.codec import Choice, Flag, Number, Seed, encode
from dpviz.ui.controls import nearest
from dpviz.ui.navigation import PAGES
from tests.browser.conftest import running_app
from tests.browser.reader import Reader
from tests.declarations import SLUGS, page

every_page = pytest.mark.parametrize("slug", SLUGS)


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


@pytest.mark.parametrize("slug", SLUGS[:1])
def test_a_deep_link_is_the_first_request_of_a_fresh_server(chromium, slug):
    linked = unusual(slug)
    with running_app() as address, Reader.at(chromium, address) as reader:
        reader.open(slug, linked)
        first = reader.figure()
        assert reader.slug == slug
        assert reader.query == linked
        for parameter in page(slug).parameters:
            if isinstance(parameter, Number) and reader.key(parameter.key).count():
                assert reader.shown(parameter.key) == linked[parameter.key]
        reader.page.reload()
        reader.settle()
        assert reader.figure() == first


@every_page
def test_a_page_opens_with_its_question_a_takeaway_and_a_figure(reader, slug):
    reader.open(slug)
    [entry] = [entry for entry in PAGES if entry.slug == slug]
    assert reader.page.locator("h1").inner_text() == entry.question
    assert reader.figure()
    takeaway = reader.key("takeaway").inner_text()
    assert len(takeaway) > 20
    assert reader.page.get_by_role("figure").get_attribute("aria-label")
    reader.wait_for_query(**defaults(slug))


@every_page
def test_every_control_goes_through_the_address_bar_and_back(reader, slug):
    declared = page(slug)
    reader.open(slug)
    seen = set()
    for view in declared.views:
        if len(declared.views) > 1:
            reader.page.get_by_role("tab", name=view.title).click()
            reader.wait_for_query(view=view.key)
        for key in view.parameters:
            if key not in seen:
                seen.add(key)
                _drive(reader, declared.parameter(key))
    linked = reader.query
    reader.page.reload()
    reader.settle()
    reader.wait_for_query(**linked)


def _drive(reader, parameter):
    match parameter:
        case Seed(key=key):
            before = int(reader.query[key])
            reader.key(f"{key}-next").get_by_role("button").click()
            reader.wait_for_query(**{key: str(before + 1)})
            assert reader.shown(key) == str(before + 1)
        case Number(limit=limit, key=key):
            grid = [format_number(value) for value in limit.grid]
            for press, value in (("End", grid[-1]), ("Home", grid[0])):
                reader.slider(key).press(press)
                reader.wait_for_query(**{key: value})
                assert reader.shown(key) == value
            typed = unusual_text(limit)
            field = reader.key(f"{key}-exact").locator("input")
            field.fill(typed)
            field.press("Enter")
            reader.wait_for_query(**{key: typed})
            snapped = format_number(nearest(limit, float(typed)))
            assert reader.slider(key).get_attribute("aria-valuetext") == snapped
            field.fill(parameter.write(parameter.default))
            field.press("Enter")
            reader.wait_for_query(**{key: parameter.write(parameter.default)})
        case Choice(options=options, key=key):
            for option, words in [*options.items(), *list(options.items())[:1]]:
                reader.key(key).get_by_role("radio", name=words, exact=True).click()
                reader.wait_for_query(**{key: option})
        case Flag(key=key, default=default):
            for state in (not default, default):
                reader.key(key).locator("label").click()
                reader.wait_for_query(**{key: "1" if state else "0"})


def unusual_text(limit):
    """A valid value that is not on the slider, as a reader would type it."""
    value = limit.grid[len(limit.grid) // 2] * (1 if limit.integer else 1.0123)
    return format_number(round(value) + 1 if limit.integer else min(value, limit.maximum))


@every_page
def test_presets_and_back_and_forward(reader, slug):
    declared = page(slug)
    reader.open(slug, defaults(slug))
    for number, preset in enumerate(declared.presets):
        expected = encode(declared.preset_values(preset), declared.url_parameters)
        reader.key(f"preset-{number}").get_by_role("button").click()
        reader.wait_for_query(**expected)
    visited = [
        defaults(slug),
        *(encode(declared.preset_values(p), declared.url_parameters) for p in declared.presets),
    ]
    visited = [v for i, v in enumerate(visited) if i == 0 or v != visited[i - 1]]
    for earlier in reversed(visited[:-1]):
        reader.page.go_back()
        reader.wait_for_query(**earlier)
        _assert_fields(reader, declared, earlier)
    for later in visited[1:]:
        reader.page.go_forward()
        reader.wait_for_query(**later)
        _assert_fields(reader, declared, later)


def _assert_fields(reader, declared, query):
    for parameter in declared.parameters:
        field = reader.key(f"{parameter.key}-exact").locator("input")
        if isinstance(parameter, Number) and field.count():
            reader.page.wait_for_function(
                "([input, value]) => input.value === value",
                arg=[field.element_handle(), query[parameter.key]],
            )


@every_page
@pytest.mark.parametrize("garbage", ["1e999", "<img src=x onerror=alert(1)>", "‮٣,5%00", "a" * 3000])
def test_a_garbled_link_ends_in_a_working_page_with_a_note(reader, slug, garbage):
    declared = page(slug)
    reader.open(slug, dict.fromkeys((p.key for p in declared.url_parameters), garbage))
    assert reader.figure()
    note = reader.page.locator(".stAlert").inner_text()
    for parameter in declared.url_parameters:
        assert f"{parameter.key}:" in note
    reader.wait_for_query(**defaults(slug))


@every_page
def test_fast_keys_end_where_the_reader_stopped(reader, slug):
    declared = page(slug)
    reader.open(slug)
    key = next(k for k in declared.views[0].parameters if reader.slider(k).count())
    limit = declared.parameter(key).limit
    grid = [format_number(value) for value in limit.grid]
    start = grid.index(format_number(limit.default))
    step, end = ("ArrowLeft", start - 9) if start > 9 else ("ArrowRight", start + 9)
    for _ in range(9):
        reader.slider(key).press(step)
    reader.wait_for_query(**{key: grid[end]})
    reader.page.wait_for_timeout(500)
    assert reader.query[key] == grid[end] == reader.shown(key)


@every_page
def test_a_page_reads_well_on_a_phone(chromium, address, slug):
    with Reader.at(chromium, address, width=390, height=844) as reader:
        reader.open(slug)
        reader.page.locator("ul.legend li").first.wait_for()
        reader.figure()
        overflow = "document.querySelector('.stMain').scrollWidth - window.innerWidth"
        assert reader.page.evaluate(overflow) <= 0
        reader.key("controls").scroll_into_view_if_needed()
        last = reader.key(f"control-{page(slug).views[0].parameters[-1]}")
        last.scroll_into_view_if_needed()
        box = reader.key("figure").bounding_box()
        assert box["y"] >= 0
        assert last.bounding_box()["y"] >= box["y"] + box["height"]


def test_the_home_page_leads_to_every_page_and_the_shared_values_go_along(reader):
    reader.open(SLUGS[0], {"epsilon": "0.77"})
    for entry in PAGES:
        reader.page.get_by_role("link", name="dpviz", exact=True).first.click()
        reader.page.wait_for_url("**/?*")
        reader.settle()
        reader.page.get_by_role("link", name=entry.question).click()
        reader.page.wait_for_function("slug => location.pathname.endsWith(slug)", arg=entry.slug)
        reader.settle()
        if any(p.key == "epsilon" for p in page(entry.slug).parameters):
            reader.wait_for_query(epsilon="0.77")
