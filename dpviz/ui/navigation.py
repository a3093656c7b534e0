"""Links between the pages of `dpviz.scene.catalogue`."""

import streamlit as st

from dpviz.scene.catalogue import HOME, PAGES, Entry, groups
from dpviz.ui.session import session


def link(page: Entry, label: str | None = None) -> None:
    """Draw a link to a page, which takes along what the pages share."""
    st.page_link(page.path, label=label or page.title, query_params=session().carried_query)


def map_of_pages() -> None:
    """Draw all pages with their questions, by group."""
    with st.container(key="map"):
        for group, pages in groups().items():
            st.subheader(group, anchor=False)
            for page in pages:
                with st.container(key=f"map-{page.slug}", gap=None):
                    link(page)
                    st.markdown(f"*{page.question}* {page.summary}")


def header(here: Entry) -> None:
    """Draw the line at the top of every page: home, this page, all pages."""
    with st.container(key="header", horizontal=True, vertical_alignment="center", wrap=False):
        link(HOME, "dpviz")
        st.markdown(here.title if here.slug else "", width="stretch")
        if here in PAGES and not session().presenting:
            words, turn_on = "Large view for a class", lambda: session().enter("present")
            st.button("Present", key="enter", type="tertiary", help=words, on_click=turn_on)
        with st.popover("Pages", type="tertiary"):
            for group, pages in groups().items():
                st.caption(group)
                for page in pages:
                    link(page)
