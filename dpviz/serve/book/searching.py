"""The index of a book, which its own script searches without a server."""

from collections.abc import Iterator, Mapping
from typing import Any

from dpviz.plot.text import unbroken
from dpviz.scene.catalogue import PAGES, entry
from dpviz.scene.glossary import entries
from dpviz.scene.index import (
    CALLED,
    GREEK,
    KINDS,
    MOST_FOUND,
    OPENS,
    QUESTION,
    Document,
    Index,
    build,
)
from dpviz.serve.book.contents import Chapter
from dpviz.serve.topics import Topics

Anchors = Mapping[str, str]


def anchor(number: int) -> str:
    """Return the name of the place of a word in the glossary's page."""
    return f"word-{number}"


def index_of(chapters: tuple[Chapter, ...], topics: Topics) -> dict[str, Any]:
    """Return all that a search of a book has to know: its documents, and where words stand.

    What the book does not have is left out. See `dpviz.scene.index` for the search itself, which
    search.js does as well.
    """
    pages = [page for each in PAGES if (page := topics.page(each.slug)) is not None]
    ways = _ways(chapters)
    words = entry("glossary")
    found_at = [
        *_chapters(chapters),
        (Document(words.title, "", subtitle=words.question), "glossary.html"),
    ]
    found_at += [(one, way) for one in build(pages).documents if (way := _way(one, ways))]
    alone = {(one.title, way): one for one, way in reversed(found_at)}  # the first of each
    found_at = [(one, way) for one, way in found_at if alone[one.title, way] is one]
    found = Index(tuple(one for one, _ in found_at))
    return {
        "documents": [[one.title, _text(one), way, one.kind] for one, way in found_at],
        "words": {
            word: [list(worths), list(worths.values())]
            for word, worths in sorted(found.postings.items())
        },
        "most": MOST_FOUND,
        "opens": OPENS,
        "question": sorted(QUESTION),
        "called": CALLED,
        "greek": GREEK,
        "kinds": KINDS,
    }


def _chapters(chapters: tuple[Chapter, ...]) -> Iterator[tuple[Document, str]]:
    """Yield the chapters of a book, and the scenes of its lectures, with where they are."""
    for chapter in chapters:
        about = chapter.lecture.about if chapter.lecture else ""
        about = entry(chapter.name).question if chapter.topic else about
        yield Document(chapter.title, "", subtitle=about, first="chapter"), chapter.leaves[0].path
        for leaf in () if chapter.topic else chapter.leaves:
            title = unbroken(leaf.title)
            yield Document(title, "", subtitle=chapter.title, words=leaf.step.text), leaf.path


def _text(document: Document) -> str:
    """Return what a search says beside a title: of which page it is, where that isn't said yet."""
    text = document.subtitle or document.why
    if document.slug in {"", "glossary"} or "“" in text:
        return text
    return f"{entry(document.slug).title}{': ' if document.why else ', '}{text}"


def _ways(chapters: tuple[Chapter, ...]) -> dict[tuple[str, str], str]:
    """Return where views are, and, without a view, the first leaf of each topic."""
    ways: dict[tuple[str, str], str] = {}
    for chapter in chapters:
        if chapter.topic:
            for leaf in chapter.leaves:
                ways[chapter.name, leaf.step.state["view"]] = leaf.path
            ways[chapter.name, ""] = chapter.leaves[0].path
    return ways


def _way(document: Document, ways: Mapping[tuple[str, str], str]) -> str:
    """Return where a document is in a book, "" where it is not in it."""
    if document.slug == "glossary":
        heads = list(entries())
        return (
            f"glossary.html#{anchor(heads.index(document.title))}"
            if document.title in heads
            else ""
        )
    way = ways.get((document.slug, document.view), "")
    section = document.query.get("read", "")
    return f"{way}#{section}" if way and section else way
