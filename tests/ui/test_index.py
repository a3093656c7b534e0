"""The page of the index: it lists, searches, and takes any link."""

import pytest

from dpviz.plot.text import plain
from dpviz.scene.catalogue import entry
from dpviz.scene.index import LONGEST, MOST_FOUND
from dpviz.ui.index import index
from tests.support.declarations import SLUGS, page
from tests.ui.opening import opened, url


def links(app):
    """The links below the field, by what they say."""
    header = {"dpviz", *(element.proto.label for element in opened("glossary").get("page_link"))}
    return [e.proto for e in app.get("page_link") if e.proto.label not in header]


def field(app):
    return app.text_input(key="index-q")


def test_it_lists_every_view_under_its_page():
    app = opened("index")
    assert app.title[0].value == entry("index").question
    assert [head.value for head in app.header] == [entry(slug).title for slug in SLUGS]
    assert len(links(app)) == sum(len(page(slug).views) for slug in SLUGS)
    assert url(app) == {}


def test_a_link_restores_its_search_and_a_search_makes_a_link():
    app = opened("index", q="Theorem 13")
    assert field(app).value == "Theorem 13"
    first = links(app)[0]
    assert first.label.startswith(f"**{plain('Theorem 13, Ghazi, Kamath et al. 2023')}** · ")
    assert first.query_string == "view=growth"
    field(app).set_value("κ").run()
    assert url(app) == {"q": "κ"}
    assert links(app)[0].label.startswith("**κ** · ")
    field(app).set_value("").run()
    assert url(app) == {}
    assert len(app.header) == len(SLUGS)
    assert not app.exception


def test_a_view_opens_with_the_number_that_a_search_names():
    app = opened("index", q="what ε = 1 means")
    assert "view=odds&epsilon=1" in [link.query_string for link in links(app)]


def test_more_than_is_shown_is_counted():
    app = opened("index", q="privacy")
    assert len(links(app)) == MOST_FOUND
    more = index().search("privacy").more
    assert f"{more} more: add a word to find fewer." in [text.value for text in app.markdown]


@pytest.mark.parametrize(
    "text",
    [
        "<b>zz</b><script>alert(1)</script>",
        "**zz** [x](https://zz.example) :red[zz] $zz$ `zz`",
        "\u0000\ud7ff\u202ezz\nzz",
        "zz" * 500,
        "   ",
        "***",
    ],
)
def test_garbage_is_shown_as_text_only(text):
    app = opened("index", q=text)
    assert not app.error
    said = [line.value for line in app.markdown if "Nothing is found" in line.value]
    assert bool(said) == bool(text.strip())
    marks = ("<b>", "<script>", "**zz**", "](https", ":red[", "$zz$", "`zz`")
    assert not [(mark, line) for line in said for mark in marks if mark in line]
    assert len(field(app).value) <= LONGEST
    assert len(app.header) == len(SLUGS)


def test_who_works_on_it_is_led_here():
    app = opened("")
    [way] = [e.proto for e in app.get("page_link") if e.proto.label == "I work on it"]
    assert way.page == "index"
