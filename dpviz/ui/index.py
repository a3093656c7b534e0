"""The page of the index: a field to search, and what is found, or all views.

The glossary has the same field.
"""

import textwrap
from collections.abc import Iterable, Mapping
from functools import cache

import streamlit as st

from dpviz.plot.text import plain
from dpviz.results.folders import ROOT
from dpviz.scene.catalogue import HOME, PAGES, Entry, entry
from dpviz.scene.codec import FreeText, encode, quote
from dpviz.scene.index import LONGEST, Document, Index, build, settings
from dpviz.scene.page import Page
from dpviz.serve.topics import declared
from dpviz.ui.session import session, show

WORDS = FreeText("q", LONGEST)
"""What is looked for, in the address."""

_KEY = "index-q"  # of the field
_LONGEST_TEXT = 140  # characters beside a title


@cache
def pages() -> Mapping[str, Page]:
    """Return all pages, which are loaded by now: see `dpviz.ui.preload`."""
    return {page.slug: declared(ROOT / page.path) for page in (HOME, *PAGES)}


@cache
def index() -> Index:
    """Return the index of all pages."""
    return build(pages().values())


def field(text: str, label: str, examples: str) -> None:
    """Draw a field to search, which holds `text`; the address holds it, too."""
    show(_KEY, text)
    st.text_input(label, key=_KEY, max_chars=LONGEST, placeholder=examples, on_change=_take)
    session().commit(encode({WORDS.key: text}, (WORDS,)) if text else {})


def nothing(text: str, instead: str) -> None:
    """Say that nothing is found, and what is shown instead."""
    st.markdown(f"Nothing is found for {plain(quote(text, '“”'))}. {instead}:")


def draw(text: str) -> None:
    """Draw the page below its question, for a search for `text`, or for none."""
    examples = "Theorem 13, κ, truncated Laplace, why δ"
    field(text, "A theorem, a paper, a symbol or a word", examples)
    found = index().search(text)
    if text and not found.documents:
        nothing(text, "All views")
    if found.partly:
        st.markdown("No document has all of these words. These have most of them:")
    if found.documents:
        with st.container(key="found"):
            for document in found.documents:
                _link(document, _found(document), text)
    else:
        with st.container(key="index"):
            for page, places in index().views():
                _page(page, places)
    if found.more:
        st.markdown(f"{found.more} more: add a word to find fewer.")


def _take() -> None:
    """Take what is typed."""
    typed, _ = WORDS.read(str(st.session_state[_KEY] or ""), "")
    session().change({WORDS.key: typed})


def _page(page: Entry, views: Iterable[Document]) -> None:
    """Draw a page with its question and its views."""
    with st.container(key=f"index-{page.slug or 'home'}", gap=None):
        st.header(page.title, anchor=False)
        if page.question:
            st.markdown(page.question)
        for view in views:
            _link(view, "in depth" if view.deep else "")


def _link(document: Document, subtitle: str, text: str = "") -> None:
    """Draw a link, in which the title is told apart; what it holds is text only.

    A view opens with the numbers that the search names.
    """
    page, named = pages().get(document.slug), {}
    if page is not None and document.kind in ("everyone", "deep"):
        named = settings(text, page, page.open_view({"view": document.view}))
    label = f"**{plain(document.title)}**" + (f" · {plain(subtitle)}" if subtitle else "")
    query = session().carried_query | document.query | named
    st.page_link(entry(document.slug).path, label=label, query_params=query)


def _found(document: Document) -> str:
    """Return what is said of a document that was found: its page, and what it holds."""
    page = f"{entry(document.slug).title}{', in depth' if document.deep else ''}"
    shortened = textwrap.shorten(document.subtitle or document.why, _LONGEST_TEXT, placeholder=" …")
    return f"{page}: {shortened}" if shortened else page
