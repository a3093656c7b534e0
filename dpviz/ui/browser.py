"""What only the browser knows or can do: see browser.js."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from dpviz.ui import session

_browser = st.components.v2.component(
    "dpviz.browser", js=Path(__file__).with_name("browser.js").read_text(encoding="utf-8")
)
_KEY = "dpviz-window"


@dataclass(frozen=True)
class Window:
    """The reader's window: whether it is narrower than a figure beside its controls; its height.

    The height is that of the page in pixels, in steps; what it is before the browser has spoken
    is a guess.
    """

    narrow: bool = False
    height: int = 800


def window() -> Window:
    """Return the reader's window.

    To be called once on each page: it also keeps the old figure in sight until the new one stands,
    and lets keys press buttons.
    """
    known: Window = st.session_state.get(_KEY, Window())
    reported = _browser(
        key="browser",
        data={"narrow": known.narrow, "height": known.height, "exact": session.presenting()},
        height=0,
        on_narrow_change=lambda: None,
        on_height_change=lambda: None,
    )
    narrow = known.narrow if reported.narrow is None else bool(reported.narrow)
    height = known.height if reported.height is None else int(reported.height)
    st.session_state[_KEY] = now = Window(narrow, height)
    return now
