"""Every kind of control in a real browser, on one page that has them all.

That each control of each page writes its value into the link, tests/ui/test_every_control.py shows;
what a hand does to a slider, test_range_control.py.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import running_app
from tests.support.examples import only_in_ci
from tests.support.reader import Reader
from tests.support.synthetic_app import LONG, SHORT
from tests.support.typeset import typeset

START = {
    "x": "queries",
    "listed": "first",
    "epsilon": "1",
    "queries": "1000",
    "log": "1",
    "folded": "0",
    "seed": "0",
    "view": "all",
}


@pytest.fixture(scope="module")
def synthetic() -> Iterator[str]:
    with running_app(script="tests/support/synthetic_app.py") as address:
        yield address


@pytest.fixture(scope="module")
def tab(window, synthetic) -> Iterator[Reader]:
    with Reader.within(window, synthetic) as reader:
        yield reader


@pytest.fixture
def page(tab) -> Reader:
    """The page as it opens; a new visit where the tab is not in order."""
    if tab.at_home:
        tab.tidy()
    tab.open("", START)
    tab.at_home = True
    tab.figure()
    return tab


def changed(reader, change, **query):
    """Make a change; the address, the figure and the number in front of it follow."""
    before = reader.figure()
    change()
    reader.wait_for_query(**query)
    assert reader.figure_after(before)
    reader.settle()


def flip(reader, key):
    label = reader.key(key).locator("label")
    reader.steady(label)  # what comes or goes above it would move it from the click
    label.click()


def test_a_number_is_typed_and_moved_by_keys(page):
    changed(page, lambda: page.type("epsilon", "1.2345"), epsilon="1.2345")
    expect(page.slider("epsilon")).to_have_attribute("aria-valuetext", "1.2345")
    changed(page, lambda: page.slider("epsilon").press("End"), epsilon="10")
    expect(page.field("epsilon")).to_have_value("10")


@only_in_ci
def test_what_any_control_says_outlives_a_reload_and_the_figure_with_it(page):
    """Numbers in sight and in a fold, options side by side and in a list, a switch, a seed."""
    page.type("epsilon", "1.2345")
    page.wait_for_query(epsilon="1.2345")
    page.open_fold("fold-controls")
    expect(page.slider("queries")).to_have_attribute("aria-valuetext", "1,000")  # it listens
    changed(page, lambda: page.type("queries", "12,345"), queries="12345")
    expect(page.field("queries")).to_have_value(typeset("queries", "12345"))
    for option in ("epsilon", "queries", "epsilon"):
        page.choose("x", SHORT[option])
        page.wait_for_query(x=option)
    for option in ("third", "second"):
        changed(page, lambda option=option: page.choose("listed", LONG[option]), listed=option)
    changed(page, lambda: flip(page, "folded"), folded="1")
    changed(page, page.key("seed-next").get_by_role("button").click, seed="1")
    expect(page.field("seed")).to_have_value("1")
    figure, query = page.figure(), page.query
    page.page.reload()
    page.settle()
    page.wait_for_figure(figure)
    assert page.query == query
    assert not query.items() <= START.items()
    flip(page, "log")  # a switch hides what it leaves without effect
    page.wait_for_query(log="0")
    page.key("listed").wait_for(state="hidden")
    page.settle()
    figure = page.figure()
    page.page.reload()
    page.settle()
    page.wait_for_figure(figure)
    del query["listed"]  # it has no effect now
    assert page.query == query | {"log": "0"}
    flip(page, "log")
    page.wait_for_query(log="1")
    page.key("listed").wait_for()


def test_a_preset_a_tab_and_the_way_back(page):
    preset = START | {"queries": "100", "listed": "third"}
    changed(page, page.key("preset-0").get_by_role("button").click, **preset)
    page.tab("Refined").click()
    page.wait_for_query(view="refined")
    page.settle()
    page.page.go_back()
    page.wait_for_query(**preset)
    page.settle()
