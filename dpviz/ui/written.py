"""Prose as HTML, with its formulas as MathML.

Streamlit's Markdown draws formulas by KaTeX, and lets no MathML through in what it takes as HTML.
What it loads for that was a seventh of a first visit, and stood between a reader and the figure.
"""

from functools import cache
from pathlib import Path

import streamlit as st

from dpviz.serve.book.parts import html

_written = st.components.v2.component(
    "dpviz.written",
    html='<div class="prose"></div>',
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def draw(markdown: str, key: str) -> None:
    """Draw Markdown of ours; a link opens another tab, as all links of Streamlit's texts do."""
    _written(key=key, data=_as_html(markdown), height="content")


@cache
def _as_html(markdown: str) -> str:
    return html(markdown).replace("<a href=", '<a target="_blank" rel="noopener" href=')
