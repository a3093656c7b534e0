"""The reader's own lecture: scenes collected from views, in the session until they are a link."""

from dataclasses import replace

import streamlit as st

from dpviz.scene.catalogue import entry
from dpviz.scene.lectures import LectureScene
from dpviz.scene.poll import LONGEST_PROMPT
from dpviz.scene.scene import Scene
from dpviz.ui import browser, navigation
from dpviz.ui.session import session


def draw(scene: Scene) -> None:
    """Draw what adds the open view to the lecture."""
    with st.container(key="collect"):
        st.caption("Add this view to a lecture")
        st.text_input("What you will say about it", key="collect-prompt", max_chars=LONGEST_PROMPT)
        if scene.prediction is not None:
            st.toggle("Let the class predict before the figure shows all", key="collect-ask")

        def add() -> None:
            # The click may have brought along what was typed last.
            prompt = st.session_state["collect-prompt"] or scene.view.title
            ask = bool(st.session_state.get("collect-ask", False))
            step = LectureScene(scene.page.slug, scene.query, prompt, ask)
            lecture = session().lecture
            session().lecture = replace(lecture, scenes=(*lecture.scenes, step))
            st.session_state["collect-prompt"] = ""

        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Add", key="collect-add", on_click=add)
            if count := len(session().lecture.scenes):
                label = f"Your lecture: {count} scene{'s' if count > 1 else ''}"
                navigation.link(entry("lectures"), label)
        browser.note_forgetting()
