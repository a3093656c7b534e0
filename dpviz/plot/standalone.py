"""Files that need nothing else: a page has its scripts and its font inside, an SVG its font."""

import base64
from collections.abc import Sequence
from functools import cache
from html import escape

from dpviz.plot.framed import CAPTION, SENTENCE, TITLE, WIDTH, Words, framed, leading, named
from dpviz.plot.linked import Linked
from dpviz.plot.spec import Figure
from dpviz.plot.theme import LIGHT, Theme
from dpviz.results.folders import ASSETS

_HTML = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
{font}
body {{ background: {background}; margin: 0; }}
figure {{ margin: 0 auto; width: {width}px; }}
</style>
</head>
<body>
<figure role="figure" aria-label="{sentence}">
{figure}
</figure>
</body>
</html>
"""


def standalone_html(figure: Figure, words: Words, theme: Theme = LIGHT) -> str:
    """Return a page with the figure that needs nothing else: plotly.js and the font are in it."""
    from plotly.io import to_html  # takes a while, and is needed by a click only

    drawn = framed(figure, words, theme, still=False).plain()
    return _HTML.format(
        title=escape(words.question),
        font=_font_face(),
        background=theme.background,
        width=WIDTH,
        sentence=escape(words.sentence),
        figure=to_html(
            drawn,
            config={"displaylogo": False},
            include_plotlyjs=True,
            full_html=False,
            div_id="dpviz",
            validate=False,
        ),
    )


_LINKED = """<h1 style="font-size: {title}px">{question}</h1>
<p style="font-size: {size}px">{sentence}</p>
<div id="dpviz" tabindex="0"></div>
{caption}
{scripts}
<script>new dpvizLinked(document.getElementById("dpviz")).draw({drawn});</script>"""


def linked_html(linked: Linked, words: Words, scripts: Sequence[str], theme: Theme = LIGHT) -> str:
    """Return a page with a figure to brush that needs nothing else: the `scripts` are in it."""
    paragraphs = [escape(paragraph) for paragraph in words.caption]
    paragraphs.append(leading(words.link, escape(named(words.link))))
    look = f"color: {theme.muted}; font-size: {CAPTION}px; overflow-wrap: anywhere"
    figure = _LINKED.format(
        title=TITLE,
        question=escape(words.question),
        size=SENTENCE,
        sentence=escape(words.sentence),
        caption="\n".join(f'<p style="{look}">{paragraph}</p>' for paragraph in paragraphs),
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
        drawn=linked.json().decode().replace("<", "\\u003c"),
    )
    return _HTML.format(
        title=escape(words.question),
        font=_font_face() + f"\nbody {{ color: {theme.text}; font-family: {theme.font}; }}",
        background=theme.background,
        width=WIDTH,
        sentence=escape(words.sentence),
        figure=figure,
    )


@cache
def _font_face(name: str = "SourceSansVF-Upright.woff2") -> str:
    font = base64.b64encode((ASSETS / "fonts" / name).read_bytes()).decode()
    return (
        '@font-face { font-family: "Source Sans"; font-weight: 200 900; '
        f"src: url(data:font/woff2;base64,{font}) format('woff2'); }}"
    )


def carrying_font(svg: str) -> str:
    """Put the font into an SVG, so that its words fit on machines that lack it."""
    head, _, rest = svg.partition(">")
    return f"{head}><style>{_font_face('sans.woff2')}</style>{rest}"
