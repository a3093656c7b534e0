"""A page of a book moves, opened from disk without a network, and denied all that may be."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_reading import POINT
from tests.support import small_books
from tests.support.denied import DENY
from tests.support.reader import Reader


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A view and a game in a book."""
    links = "shared_darts?view=board", "promise?view=play"
    return small_books.write(tmp_path_factory.mktemp("book"), *links)


@pytest.fixture
def page(book, chromium):
    """A page of it, at a reader whose network is off."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    context.add_init_script(DENY)
    with Reader.within(context, (book / "figures").as_uri()) as reader:
        yield reader
    context.close()


def rest(reader, after=-1):
    """Wait for a figure after the one of this number, and for rest; return its number."""
    reader.page.wait_for_function(
        """after => {
            const { state, number } = document.querySelector(".dpviz-stage").dataset;
            return state === "rest" && Number(number) > after;
        }""",
        arg=after,
    )
    return int(reader.stage.get_attribute("data-number"))


def test_a_page_of_a_book_moves_without_a_network(page):
    tab = page.page
    tab.goto(f"{page.address}/1.html")
    number = rest(page)
    assert tab.locator("#standing").count() == 0  # the live figure has taken its place
    said = [page.takeaway.text_content()]
    for slider in (tab.get_by_role("slider", name="distance"), tab.locator("#controls input")):
        slider.first.focus()
        if slider.first.get_attribute("role") == "slider":
            slider.first.press("End")
        else:
            slider.first.fill("0.123")
            slider.first.press("Enter")
        number = rest(page, number)
        said.append(page.takeaway.text_content())
    assert len(set(said)) == 3
    expect(tab.locator("#controls .note").first).to_contain_text("is the nearest")
    expect(tab.locator("#live")).to_have_attribute("href", re.compile("gap=0.123"))
    assert "#gap=" in tab.url
    tab.locator("#controls input").first.fill("abc")
    tab.locator("#controls input").first.press("Enter")
    expect(tab.locator("#controls .note").first).to_have_text("That was not read as a number.")
    assert "#gap=" in tab.url

    width = tab.get_by_role("slider", name="spread of the bell P")
    width.focus()
    width.press("Home")  # one of the few values that the book has together with the first's
    number = rest(page, number)
    tab.wait_for_url(lambda url: "#gap=0&width=" in url)
    expect(tab.locator("#hint")).to_contain_text("another control goes back")
    expect(tab.locator("#live")).not_to_have_attribute("href", re.compile("gap=0.123"))

    tab.locator("#more summary").click()
    tab.locator("#more").get_by_role("slider").first.press("Home")
    number = rest(page, number)
    tab.wait_for_url(lambda url: "#width_ratio=" in url)
    tab.goto("about:blank")
    tab.go_back()  # the fold is open where a control in it has been moved
    expect(tab.locator("#more")).to_have_attribute("open", "")
    number = rest(page)
    width.press("Home")
    number = rest(page, number)

    tab.mouse.move(*tab.evaluate(POINT))
    expect(tab.locator(".read-off")).to_be_visible()
    whole = page.figure()
    tab.get_by_role("button", name="Play").click()
    page.figure_after(whole)
    page.wait_for_figure(whole)

    tab.set_viewport_size({"width": 390, "height": 844})
    rest(page, number)
    tab.evaluate("document.querySelectorAll('details').forEach(part => (part.open = true))")
    tab.wait_for_function("document.documentElement.scrollWidth <= 390")
    ground = "getComputedStyle(document.querySelector('.plot rect')).fill"
    light = tab.evaluate(ground)
    tab.emulate_media(color_scheme="dark")
    assert tab.evaluate(ground) != light


def test_a_game_of_a_book_is_played_with_keys_and_buttons(page):
    tab = page.page
    tab.goto(f"{page.address}/2.html")
    number = rest(page)
    tab.keyboard.press("i")
    rest(page, number)
    expect(page.takeaway).to_contain_text("of 1 so far. Now")
    tab.get_by_role("button", name="Without you").click()
    expect(page.takeaway).to_contain_text("of 2 so far. Now")
    tab.locator("#controls select").select_option(index=0)
    tab.get_by_role("button", name="Play where this page begins").click()
    expect(tab.locator(".rounds .far")).to_have_text("Round 1 of 20")
    expect(tab.get_by_role("button", name="With you", exact=False).last).to_be_visible()
