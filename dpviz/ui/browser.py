"""What only the browser can do for a page: see browser.js."""

from pathlib import Path

import streamlit as st

_browser = st.components.v2.component(
    "dpviz.browser", js=Path(__file__).with_name("browser.js").read_text(encoding="utf-8")
)


def keys() -> None:
    """Let keys press buttons; to be called once on each page."""
    _browser(key="browser", height=0)
