"""Files that need nothing else: a page has its script and its font inside, an SVG its font."""

import base64
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape

import orjson

from dpviz.plot.captioned import CAPTION, SENTENCE, TITLE, WIDTH, Caption, leading, named
from dpviz.plot.frames import frames, play
from dpviz.plot.picture import picture
from dpviz.plot.readings import readings, scales
from dpviz.plot.schemes import inked, variables
from dpviz.plot.spec import Figure
from dpviz.plot.text import raised
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.folders import ASSETS

_FONT = "sans.woff2"
_NAME = "dpviz-figure"

_HTML = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body {{ background: {background}; margin: 0; }}</style>
</head>
<body>
{figure}
</body>
</html>
"""

_FIGURE = """<figure class="{name}" style="color-scheme: {scheme}">
<style>{style}</style>
<{heading} class="question">{question}</{heading}>
<p class="takeaway">{sentence}</p>
<div class="dpviz-stage">
<div class="picture"><div class="plot" role="figure" aria-label="{alt}">{svg}</div></div>
</div>
<figcaption>
{caption}
</figcaption>
<script type="application/json">{known}</script>
<script>{script}</script>
</figure>"""

_LOOK = """
background: var(--ink-background); color: var(--ink-text); font-family: {font};
margin: 0 auto; max-width: {width}px;
.question, .takeaway, figcaption p {{ line-height: 1.35; margin: 0; }}
.question {{ font-size: {title}px; font-weight: bold; padding: 16px 16px 0; }}
.takeaway {{ font-size: {sentence}px; padding: 4px 16px 8px; }}
.dpviz-stage {{ overflow-x: auto; }}
.picture {{ width: {width}px; }}
figcaption {{ font-size: {caption}px; overflow-wrap: anywhere; padding: 8px 16px 16px; }}
figcaption, figcaption a {{ color: var(--ink-muted); }}
@media print {{ .dpviz-stage {{ overflow: visible; zoom: 0.68; }} }}
"""


@dataclass(frozen=True)
class Lively:
    """What makes a drawing answer to a hand: a script, and the style of what it adds."""

    script: str
    style: str


def figure_html(
    figure: Figure, words: Caption, lively: Lively, *, dark: bool = False, heading: str = "p"
) -> str:
    """Return a figure as a part of a page that needs nothing else.

    figure: in the light theme. It says what it shows, is drawn already, and tells by `lively` the
    values that are pointed at; where no scripts run it stands still. heading: the tag of its
    question, which is no heading of a page that has others.
    """
    mark = sha256(f"{words.link} {words.sentence}".encode()).hexdigest()[:10]
    made = picture(figure, LIGHT, WIDTH, f"d{mark}-")  # no other drawing of a page has these names
    button = play(figure, made)
    data = {
        "scales": scales(made),
        "play": button,
        "readings": readings(figure.data, made),
        "frames": frames(figure, LIGHT, WIDTH, made) if button else None,
    }
    sizes = {"title": TITLE, "sentence": SENTENCE, "caption": CAPTION}
    look = _LOOK.format(font=LIGHT.font, width=WIDTH, **sizes)
    style = f"{font_face(_FONT)}{variables(f'.{_NAME}')}.{_NAME} {{{look}{lively.style}}}"
    link = leading(words.link, escape(named(words.link)))
    caption = [*map(_html, words.caption), link]
    return _FIGURE.format(
        name=_NAME,
        scheme="dark" if dark else "light",
        heading=heading,
        alt=escape(words.remark or words.sentence),
        style=style,
        question=_html(words.question),
        sentence=_html(words.sentence),
        svg=inked(made.svg),
        caption="\n".join(f"<p>{paragraph}</p>" for paragraph in caption),
        known=orjson.dumps(data).decode().replace("<", "\\u003c"),
        script=lively.script,
    )


def _html(text: str) -> str:
    return raised(escape(text))


def standalone_html(figure: Figure, words: Caption, lively: Lively, *, dark: bool = False) -> str:
    """Return a page with a figure of the light theme that needs nothing else."""
    return _HTML.format(
        title=escape(words.question),
        background=(DARK if dark else LIGHT).background,
        figure=figure_html(figure, words, lively, dark=dark, heading="h1"),
    )


@cache
def font_face(name: str = "SourceSansVF-Upright.woff2", family: str = "Source Sans") -> str:
    """Return the rule that brings one of our fonts into a page that has no other file."""
    font = base64.b64encode((ASSETS / "fonts" / name).read_bytes()).decode()
    return (
        f'@font-face {{ font-family: "{family}"; font-weight: 200 900; '
        f"src: url(data:font/woff2;base64,{font}) format('woff2'); }}\n"
    )


def carrying_font(svg: str) -> str:
    """Put the font into an SVG, so that its words fit on machines that lack it."""
    head, _, rest = svg.partition(">")
    return f"{head}><style>{font_face(_FONT)}</style>{rest}"
