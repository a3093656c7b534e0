"""In front of a class: the scenes of a lecture, or the presets of a page, step by step."""

from functools import cache
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from dpviz.plot.written import line_markdown, markdown
from dpviz.scene import showing
from dpviz.scene.catalogue import entry
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.scene import Scene
from dpviz.scene.showing import LecturePosition
from dpviz.serve import solving
from dpviz.serve.site import at
from dpviz.ui import navigation
from dpviz.ui.index import pages
from dpviz.ui.session import session

_NOTES = "In a window of its own, for your screen: the class does not see it"
_PHONES = "Open a room: the phones of your class follow, predict and answer"


def lecture_position() -> LecturePosition | None:
    """Return where the link is in a lecture; one that can't be followed is dropped, with a note."""
    try:
        return showing.position(session().slug, session().modes)
    except LectureError as error:
        session().leave("lecture", "scene", note=f"{error} This page works without it.")
        return None


def only_control(scene: Scene) -> str:
    """Return the one parameter a reader moves in a scene of a lecture, "" on a page as it is."""
    position = lecture_position()
    return "" if position is None else position.control(scene)


def reason(scene: Scene) -> str:
    """Return what a scene of a lecture says below its figure, "" where its view says it."""
    position = lecture_position()
    return position.scene.after if position is not None and only_control(scene) else ""


def bar(scene: Scene | None, position: LecturePosition | None) -> None:
    """Draw where the class is, and the ways to the next step and back; keys press them too.

    scene: None on a page without figures.
    """
    if position is None and not session().presenting:
        return
    tab = session()
    alone = position is not None and position.alone
    hidden = tab.presenting and "controls" not in tab.opened
    notes = "" if position is None else position.notes
    names = {"presenting": tab.presenting, "hidden": hidden, "alone": alone}
    st.html(_style("steps", *(name for name, holds in names.items() if holds)))
    with (
        st.container(key="presenting" if session().presenting else "following"),
        st.container(key="steps", horizontal=True, vertical_alignment="center", wrap=False),
    ):
        if position is not None:
            _scenes(position)
        elif scene is not None and scene.page.presets:
            _presets(scene)
        if scene is not None and tab.presenting:
            _switch("controls", "Controls")
        if notes and tab.presenting:
            with st.container(key="step-notes", width="content"):
                st.link_button("Notes", at("/room/notes"), type="tertiary", help=_NOTES)
        elif notes:
            _switch("notes", "Notes")
        if not alone:
            _room(scene)
        mode = "present" if session().presenting else "lecture"
        leaving = ("present",) if mode == "present" else ("lecture", "scene")
        st.button(
            "Leave full view" if mode == "present" else "Leave" if alone else "Leave the lecture",
            key="step-leave",
            type="tertiary",
            on_click=lambda: session().leave(*leaving),
        )

    if position is not None and notes and not tab.presenting and "notes" in tab.opened:
        with st.container(key="speech"):
            st.markdown(markdown(notes))
            st.markdown(solving.given(position.scene, pages().get).solution)


def _switch(name: str, words: str) -> None:
    """Draw the button that brings a part of the page, and puts it away."""

    def turn() -> None:
        session().stay()
        session().opened = session().opened ^ {name}

    st.button(words, key=f"step-{name}", type="tertiary", on_click=turn)


def _room(scene: Scene | None) -> None:
    """Draw the way to a room for the phones of the class, which begins where this page is."""
    slug, query = ("", {}) if scene is None else (scene.page.slug, scene.query)
    link = f"/{slug or session().slug}?{urlencode({**query, **session().modes})}"
    with st.container(key="room", width="content"):
        where = f"{at('/room')}?{urlencode({'at': link})}"
        st.link_button("Phones", where, type="tertiary", help=_PHONES)


@cache
def _style(*names: str) -> str:
    """Return the rules of a page with steps: of one presented, without controls, or alone."""
    rules = (Path(__file__).with_name(f"{name}.css").read_text(encoding="utf-8") for name in names)
    return f"<style>{''.join(rules)}</style>"


def _scenes(position: LecturePosition) -> None:
    for key, words, number in (
        ("previous", "← Back", position.number - 1),
        ("next", "Next →", position.number + 1),
    ):
        with st.container(key=f"step-{key}", width="content"):
            if 1 <= number <= position.last:
                page, query = position.link(number)
                st.page_link(page.path, label=words, query_params=query)
    st.caption(f"{line_markdown(position.lecture.title)} · {position.how_far}")
    if position.text in session().ended and not position.at_end:
        with st.container(key="step-questions", width="content"):
            page, query = position.link(position.last)
            st.page_link(page.path, label="To the questions", query_params=query)
    # Not where keys look for the next: nobody leaves by accident.
    if position.number == position.last:
        with st.container(key="step-end", width="content"):
            navigation.link(entry("lectures"), "The end. All lectures")


def _presets(scene: Scene) -> None:
    presets = scene.page.presets
    states = [scene.page.preset_values(preset) for preset in presets]
    matching = [number for number, preset in enumerate(states) if preset == dict(scene.values)]
    # Once something is moved the class is still at the preset it came from.
    now = matching[0] if matching else session().preset
    session().preset = now

    def take(number: int) -> None:
        session().preset = number
        session().change(states[number])

    st.button("← Back", key="step-previous", disabled=now < 1, on_click=take, args=(now - 1,))
    final = now + 1 >= len(presets)
    st.button("Next →", key="step-next", disabled=final, on_click=take, args=(now + 1,))
    label = presets[now].label if 0 <= now < len(presets) else "before the first"
    st.caption(f"{label} · {now + 1} of {len(presets)}")
