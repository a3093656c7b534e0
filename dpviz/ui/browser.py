"""What only the browser can do for a page: see dpviz/scripts/page.js."""

import streamlit as st

from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import pack, unpack
from dpviz.serve import scripts
from dpviz.ui import inside
from dpviz.ui.session import session

_KEY = "browser"
_browser = st.components.v2.component("dpviz.browser", js=scripts.module("page.js"))


def draw() -> None:
    """Let keys press buttons, and keep the reader's lecture; to be called once on each page."""
    tab = session()
    tab.lecture_known = tab.lecture_known or bool(tab.lecture.scenes)
    _browser(
        key=_KEY,
        data={"lecture": _kept(), "known": tab.lecture_known, "session": _session()},
        height=0,
        on_lecture_change=lambda: _take(str(st.session_state[_KEY].get("lecture") or "")),
        on_forgets_change=_warn,
    )


def _session() -> str:
    """Return by which name the server knows the session, with which the next page goes on."""
    context = inside.running()
    return "" if context is None else context.session_id


def note_forgetting() -> None:
    """Say beside a reader's lecture if the browser would not have it after a reload."""
    if session().lecture_forgotten:
        st.caption(
            "This browser keeps nothing for dpviz within this page: save the link of your lecture "
            "before you load the page again."
        )


def _warn() -> None:
    tab = session()
    tab.stay()
    tab.lecture_forgotten = True


def _kept() -> str | None:
    """Return the lecture as links carry it, None for one that no link can carry."""
    try:
        return pack(session().lecture) if session().lecture.scenes else ""
    except LectureError:
        return None


def _take(text: str) -> None:
    """Take the lecture that the browser kept when the page was loaded again."""
    tab = session()
    tab.stay()
    if tab.lecture_known:
        return
    tab.lecture_known = True
    try:
        tab.lecture = unpack(text)
    except LectureError as error:
        tab.refusal = str(error)
