"""A page of a book, opened from disk without a network, moves, on a phone, too."""

import pytest

from dpviz.serve.book import contents, figures, site
from dpviz.serve.lecture import states
from dpviz.serve.topics import Topics
from tests.support.reader import Reader


@pytest.fixture
def page(tmp_path, monkeypatch, chromium):
    """A view in a book, at a reader whose network is off."""
    monkeypatch.setattr(states, "_HALVINGS", 1)
    monkeypatch.setattr(figures, "_PAIR", 3)
    site.write(contents.chosen(["shared_darts?view=board"], Topics()), tmp_path, live="https://x/")
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    with Reader.within(context, "") as reader:
        reader.page.goto((tmp_path / "figures" / "1.html").as_uri())
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
    tab, number = page.page, rest(page)
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
    assert "is the nearest" in tab.locator("#controls .note").first.text_content()
    assert "gap=0.123" in tab.locator("#live").get_attribute("href")
    assert "#gap=" in tab.url

    tab.set_viewport_size({"width": 390, "height": 844})
    number = rest(page, number)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.emulate_media(color_scheme="dark")
    rest(page, number)
    assert page.stage.get_attribute("data-scheme") == "dark"
