"""The reader's own lecture: scenes collected from views, in the session until they are a link."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from dpviz.scene.codec import Value, encode
from dpviz.scene.page import Page, View
from dpviz.ui import navigation
from dpviz.ui.classroom import predicting
from dpviz.ui.classroom.lectures import LONGEST_PROMPT, Lecture, Scene

_KEY = "own-lecture"


def own() -> Lecture:
    """Return the lecture that this session has collected."""
    lecture: Lecture = st.session_state.setdefault(_KEY, Lecture("My lecture", ()))
    return lecture


def keep(lecture: Lecture) -> None:
    """Put another lecture in its place."""
    st.session_state[_KEY] = lecture


def draw(page: Page, view: View, values: Mapping[str, Value]) -> None:
    """Draw the fold that adds the open view to the lecture."""
    with st.expander("Add this view to a lecture", key="fold-collect"):
        st.text_input("What you say to it", key="collect-prompt", max_chars=LONGEST_PROMPT)
        if predicting.possible(view, values) is not None:
            st.toggle("Let the class predict before the figure shows all", key="collect-ask")

        def add() -> None:
            # What was typed last may have come together with the click.
            prompt = st.session_state["collect-prompt"] or view.title
            ask = bool(st.session_state.get("collect-ask", False))
            scene = Scene(page.slug, encode(values, page.url_parameters), prompt, ask)
            keep(replace(own(), scenes=(*own().scenes, scene)))
            st.session_state["collect-prompt"] = ""

        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Add", key="collect-add", on_click=add)
            if count := len(own().scenes):
                navigation.link(
                    navigation.entry("lectures"),
                    f"Your lecture: {count} scene{'s' if count > 1 else ''}",
                )
