"""What only the browser knows or can do: see browser.js."""

from pathlib import Path

import streamlit as st

_browser = st.components.v2.component(
    "dpviz.browser", js=Path(__file__).with_name("browser.js").read_text(encoding="utf-8")
)
_KEY = "dpviz-narrow"


def is_narrow() -> bool:
    """Return whether the window is narrower than a figure beside its controls.

    To be called once on each page: it also keeps the old figure in sight until the new one stands.
    """
    narrow = bool(st.session_state.get(_KEY, False))
    reported = _browser(
        key="browser", data={"narrow": narrow}, height=0, on_narrow_change=lambda: None
    ).narrow
    if reported is not None:
        st.session_state[_KEY] = narrow = bool(reported)
    return narrow
