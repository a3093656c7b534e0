"""Prose as HTML, with its formulas as MathML.

Streamlit's Markdown draws formulas by KaTeX, and lets no MathML through in what it takes as HTML.
What it loads for that was a seventh of a first visit, and stood between a reader and the figure.
"""

from pathlib import Path

import streamlit as st

from dpviz.plot.prose import html

_written = st.components.v2.component(
    "dpviz.written",
    html='<div class="prose"></div>',
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def draw(prose: str, key: str) -> None:
    """Draw what `as_html` has made."""
    _written(key=key, data=prose, height="content")


def as_html(markdown: str) -> str:
    """Return Markdown of ours as HTML; a link opens another tab, as all of Streamlit's texts do."""
    return html(markdown).replace("<a href=", '<a target="_blank" rel="noopener" href=')
