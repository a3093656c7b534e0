"""The page of the index: a field to search, and what is found, or all views."""

import textwrap
from collections.abc import Iterable
from functools import cache

import streamlit as st

from dpviz.plot.text import plain
from dpviz.results.folders import ROOT
from dpviz.scene.catalogue import HOME, PAGES, Entry, entry
from dpviz.scene.codec import Words, quote
from dpviz.scene.index import LONGEST, Index, Place, build
from dpviz.serve.topics import declared
from dpviz.ui.session import session, show

WORDS = Words("q", LONGEST)
"""What is looked for, in the address."""

_KEY = "index-q"
_SAID = 110  # characters beside a title


@cache
def known() -> Index:
    """Return the index of all pages, which are loaded by now: see `dpviz.ui.preload`."""
    return build(declared(ROOT / page.path) for page in (HOME, *PAGES))


def draw(text: str) -> None:
    """Draw the page below its question, for a search for `text`, or for none."""
    show(_KEY, text)
    st.text_input(
        "A theorem, a paper, a symbol or a word",
        key=_KEY,
        max_chars=LONGEST,
        placeholder="Theorem 13, κ, truncated Laplace, why δ",
        on_change=_take,
    )
    session().commit((WORDS,) if text else ())
    found = known().search(text)
    if text and not found.pages:
        st.markdown(f"Nothing is found for {plain(quote(text, '“”'))}. All views:")
    with st.container(key="index"):
        for page, places in found.pages or known().views():
            _page(page, places, whole=not found.pages)
    if found.more:
        st.markdown(f"{found.more} more: add a word to find fewer.")


def _take() -> None:
    """Take what is typed."""
    typed, _ = WORDS.read(str(st.session_state[_KEY] or ""), "")
    session().change({WORDS.key: typed})


def _page(page: Entry, places: Iterable[Place], *, whole: bool) -> None:
    """Draw a page and places on it; where all views are listed, with its question."""
    with st.container(key=f"index-{page.slug or 'home'}", gap=None):
        st.subheader(page.title, anchor=False)
        if whole and page.question:
            st.markdown(page.question)
        for place in places:
            path = entry(place.slug).path
            query = session().carried_query | place.query
            st.page_link(path, label=_label(place), query_params=query)


def _label(place: Place) -> str:
    """Return what a link says, one line: its title told apart; what it holds is text only."""
    said = "in depth" if place.deep else textwrap.shorten(place.said, _SAID, placeholder=" …")
    return f"**{plain(place.title)}**" + (f" · {plain(said)}" if said else "")
