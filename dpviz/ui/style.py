"""The style of all pages, as one piece of HTML."""

from base64 import b64encode
from functools import cache
from pathlib import Path

from dpviz.results.files import ASSETS

_HERE = Path(__file__)
_FONT = ASSETS / "fonts" / "serif.woff2"


@cache
def style() -> str:
    """Return stage.css and style.css, with the font of headings and takeaways inside."""
    font = b64encode(_FONT.read_bytes()).decode()
    sheets = (_HERE.with_name(f"{name}.css") for name in ("stage", "style"))
    rules = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    return f"<style>{rules.replace('serif.woff2', f'data:font/woff2;base64,{font}')}</style>"
