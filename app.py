"""The home page: what dpviz is, and the map of the pages."""

import streamlit as st

from dpviz.ui import navigation
from dpviz.ui.frame import open_page

open_page(navigation.HOME)
for group, pages in navigation.groups().items():
    st.header(group, anchor=False)
    for page in pages:
        navigation.link(page, page.question)
        st.caption(page.summary)
