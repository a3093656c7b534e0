"""Links between the pages of `dpviz.scene.catalogue`."""

from collections.abc import Callable, Mapping
from html import escape

import streamlit as st

from dpviz.scene.catalogue import GUIDES, HOME, PAGES, Entry, groups
from dpviz.scene.page import Page
from dpviz.scene.ways import ways
from dpviz.serve import standing
from dpviz.serve.site import at
from dpviz.serve.tiles import address
from dpviz.ui.session import session

_SEARCH = """<form class="search" role="search" action="index">
<input type="search" name="q" maxlength="100" aria-label="Search the views, theorems and words"
placeholder="Search: Theorem 13, κ, why δ"><button>Search</button></form>"""
LINKS = "links"  # what runs again when the links to other pages carry other values


@st.fragment(key=LINKS)
def carrying(draw: Callable[[], None]) -> None:
    """Draw links to other pages, which carry what the pages share as it is now."""
    session().linked = dict(session().carried)
    draw()


def link(page: Entry, label: str | None = None) -> None:
    """Draw a link to a page, which takes along what the pages share."""
    st.page_link(page.path, label=label or page.title, query_params=session().carried_query)


def ways_in() -> None:
    """Say what differential privacy is, and draw the ways into the app."""
    st.html(standing.said_first())
    with st.container(key="ways"):
        for way in ways():
            query = way.query or session().carried_query
            with st.container(key=f"way-{way.key}", gap=None):
                st.page_link(way.to.path, label=way.label, query_params=query)
                st.markdown(way.words)


def map_of_pages(declared: Mapping[str, Page]) -> None:
    """Draw all topics, each with a picture of its own result and its question, and the guides.

    declared: all pages, by their slugs.
    """
    dark = st.context.theme.type == "dark"
    st.header("The topics", anchor=False)
    st.html(_SEARCH)
    with st.container(key="map"):
        for page in PAGES:
            with st.container(key=f"map-{page.slug}", gap=None):
                shown = escape(declared[page.slug].open_view({"view": page.picture}).title)
                tile = at(address(page.slug, dark=dark))
                st.html(f'<img src="{tile}" alt="" loading="lazy"><span>{shown}</span>')
                link(page)
                st.markdown(page.question)
    with st.container(key="guides", horizontal=True):
        for page in GUIDES:
            link(page)


def _present() -> None:
    session().enter("present")
    st.rerun()


def header(current: Entry, *, alone: bool = False) -> None:
    """Draw the line at the top of every page: home, this page, all pages.

    alone: for a reader on a path, who shows it to nobody.
    """
    with st.container(key="header", horizontal=True, vertical_alignment="center", wrap=False):
        if current.slug:
            link(HOME, "dpviz")
        else:
            st.markdown("**dpviz**", width="content")
        st.markdown(current.title if current.slug else "", width="stretch")
        if current in PAGES and not session().presenting and not alone:
            words = "Large view for a class"
            st.button("Present", key="enter", type="tertiary", help=words, on_click=_present)
        with st.popover("Pages", type="tertiary"), st.container(key="pages", gap=None):
            for group, pages in groups().items():
                st.caption(group)
                for page in pages:
                    link(page)
