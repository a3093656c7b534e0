"""Figures that leave the app: with a question above, and below what is shown and where from.

A picture is drawn by a Chromium on this machine, without the network; see `pictures`.
"""

import asyncio
import base64
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

from dpviz.plot.linked import Linked
from dpviz.plot.spec import Figure
from dpviz.plot.theme import LIGHT, Theme
from dpviz.results.evidence import Origin
from dpviz.results.files import ASSETS

if TYPE_CHECKING:  # see `_drawn`
    from kaleido import Kaleido

Format = Literal["svg", "png"]

WIDTH = 1000  # pixels, of every exported figure
_SCALE = 2  # pixels of a PNG for each of these
_EDGE = 16
_TITLE, _SENTENCE, _CAPTION = 21, 16, 13  # pixels, sizes of type
_LINE = 1.35
_CHARACTER, _LETTER = 0.48, 0.56  # of the size of type: the mean width in prose, and in links
_FONTS = ASSETS / "fonts"
_STARTING, _DRAWING, _ENDING = 20.0, 20.0, 5.0  # seconds, at most, for each


class ExportError(RuntimeError):
    """No picture could be drawn; the message says why, in words for a reader."""


@dataclass(frozen=True)
class Words:
    """What a figure says about itself outside the app.

    question: of its page. sentence: its takeaway. state: the parameters and their values.
    origins: what the curves are and where they come from. link: where the figure is found.
    remark: what else a reader must know. unfinished: what to say of a computation that has not
    ended, "" for one that has.
    """

    question: str
    sentence: str
    state: str
    origins: Sequence[Origin]
    link: str
    remark: str = ""
    unfinished: str = ""

    @property
    def sources(self) -> str:
        """The kinds of evidence shown, each with its sources."""
        kinds: dict[str, list[str]] = {}
        for origin in self.origins:
            named = kinds.setdefault(origin.evidence.value, [])
            if str(origin.source) not in named:
                named.append(str(origin.source))
        parts = [
            f"{kind[0].upper()}{kind[1:]}: {'; '.join(named)}." for kind, named in kinds.items()
        ]
        return " ".join(parts)

    @property
    def caption(self) -> tuple[str, ...]:
        """The paragraphs below the figure, the link aside."""
        return tuple(filter(None, (self.unfinished, self.state, self.sources, self.remark)))


def framed(figure: Figure, words: Words, theme: Theme = LIGHT, *, still: bool = True) -> Figure:
    """Return `figure` at a fixed size, between its question and its caption.

    still: without the buttons and frames of an animation, which a picture can't play.
    """
    out = Figure(figure.data).update_layout(**figure.layout)
    if still:
        out.layout.pop("updatemenus", None)
    else:
        out.frames = figure.frames
    left, right, upper, lower = (out.layout["margin"][side] for side in "lrtb")
    height = out.layout["height"]
    top = [
        *((f"<b>{line}</b>", _TITLE, theme.text) for line in _lines(words.question, _TITLE)),
        *((line, _SENTENCE, theme.text) for line in _lines(words.sentence, _SENTENCE)),
    ]
    below = [
        *(
            (line, _CAPTION, theme.muted)
            for paragraph in words.caption
            for line in _lines(paragraph, _CAPTION)
        ),
        *((line, _CAPTION, theme.muted) for line in _linked(words.link)),
    ]
    above, under = (_EDGE + _LINE * sum(size for _, size, _ in part) for part in (top, below))
    legends = {
        name: {"y": under / (height + above + under)}
        for name in ("legend",)
        if out.layout.get(name, {}).get("yref") in (None, "container")
    }
    out.update_layout(
        template=theme.template(),
        autosize=False,
        width=WIDTH,
        height=height + above + under,
        margin={"l": left, "r": right, "t": upper + above, "b": lower + under},
        **legends,
    )
    _write(out, top, {"y": 1}, upper + above - _EDGE / 2, left)
    _write(out, below, {"y": 0}, -lower, left)
    return out


def _lines(text: str, size: float) -> list[str]:
    """Break a paragraph into lines that fit, as plotly reads them."""
    room = int((WIDTH - 2 * _EDGE) / (_CHARACTER * size))
    return [escape(line, quote=False) for line in wrap(text, room)]


def _linked(link: str) -> list[str]:
    """Break a link into lines, each of which leads there."""
    room = int((WIDTH - 2 * _EDGE) / (_LETTER * _CAPTION))
    href = escape(link)
    return [
        f'<a href="{href}">{escape(line, quote=False)}</a>'
        for line in wrap(f"dpviz: {link}", room, break_on_hyphens=False)
    ]


def _write(
    figure: Figure,
    lines: Iterable[tuple[str, float, str]],
    place: Mapping[str, float],
    start: float,
    left: float,
) -> None:
    """Write lines of text from `start` on downwards, in pixels above a place in the figure."""
    shift = start
    for text, size, color in lines:
        figure.add_annotation(
            place,
            text=text,
            font={"size": size, "color": color},
            x=0,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="top",
            xshift=_EDGE - left,
            yshift=shift,
            borderpad=0,
            align="left",
            showarrow=False,
        )
        shift -= _LINE * size


# ---- HTML -----------------------------------------------------------------------------------

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
    link = escape(words.link)
    paragraphs = [escape(paragraph) for paragraph in words.caption]
    paragraphs.append(f'<a href="{link}">dpviz: {link}</a>')
    look = f"color: {theme.muted}; font-size: {_CAPTION}px; overflow-wrap: anywhere"
    figure = _LINKED.format(
        title=_TITLE,
        question=escape(words.question),
        size=_SENTENCE,
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
    font = base64.b64encode((_FONTS / name).read_bytes()).decode()
    return (
        '@font-face { font-family: "Source Sans"; font-weight: 200 900; '
        f"src: url(data:font/woff2;base64,{font}) format('woff2'); }}"
    )


# ---- pictures -------------------------------------------------------------------------------

_PLACE = threading.Lock()  # one Chromium at a time for all readers


def chromium_path() -> str | None:
    """Return the Chromium that draws pictures, None if this machine has none.

    It is the one that the environment variable DPVIZ_CHROMIUM names, or an installed one.
    """
    named = os.environ.get("DPVIZ_CHROMIUM")
    candidates = [named] if named else ["chromium", "google-chrome", "google-chrome-stable"]
    return next((found for name in candidates if (found := shutil.which(name))), None)


def pictures(
    wanted: Sequence[tuple[Figure, Format]],
    *,
    path: str | None = None,
    patience: float = 60.0,
    starting: float = _STARTING,
) -> list[bytes]:
    """Return figures that are `framed` as pictures, all drawn by one Chromium.

    path: the Chromium, else that of `chromium_path`. patience: seconds to wait while others draw
    theirs; starting: seconds until the Chromium must be up. Raises `ExportError`.
    """
    found = path or chromium_path()
    if found is None:
        raise ExportError("This server has no Chromium to draw pictures with.")
    if not _PLACE.acquire(timeout=patience):
        raise ExportError("Others are having pictures drawn; please try again in a minute.")
    try:
        with ThreadPoolExecutor(1) as thread:  # the caller's may run an event loop already
            return thread.submit(asyncio.run, _drawn(wanted, found, starting)).result()
    except Exception as error:
        raise ExportError("Drawing this picture failed, or took too long.") from error
    finally:
        _PLACE.release()


def picture(figure: Figure, kind: Format) -> bytes:
    """Return one figure that is `framed` as a picture; see `pictures`."""
    return pictures([(figure, kind)])[0]


async def _drawn(
    wanted: Sequence[tuple[Figure, Format]], path: str, starting: float
) -> list[bytes]:
    import kaleido  # takes an eighth of a second, and is needed by a click only
    from choreographer.browsers.chromium import Chromium

    class WithFont(Chromium):
        """A Chromium that knows the font of the figures."""

        def get_env(self) -> dict[str, str]:
            return {**super().get_env(), "FONTCONFIG_FILE": str(_FONTS / "fonts.conf")}

    browser = kaleido.Kaleido(path=path, browser_cls=WithFont, mathjax=False, timeout=_DRAWING)
    try:
        await _opened(browser, starting)
        drawn = []
        for figure, kind in wanted:
            options = {
                "format": kind,
                "width": figure.layout["width"],
                "height": figure.layout["height"],
                "scale": _SCALE if kind == "png" else 1,
            }
            drawn.append(await browser.calc_fig(figure.plain(), options))
        return [
            carrying_font(data.decode()).encode() if data.startswith(b"<svg") else data
            for data in drawn
        ]
    except BaseException:
        # One that hangs would be asked to end for half a minute. It leads a process group, and is
        # waited for: whoever closes it below would not know yet that it has ended.
        with suppress(AttributeError, ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(browser.subprocess.pid, signal.SIGKILL)
            browser.subprocess.wait(_ENDING)
        raise
    finally:
        with suppress(TimeoutError):
            await asyncio.wait_for(browser.close(), _ENDING)


async def _opened(browser: "Kaleido", seconds: float) -> None:
    """Wait until a Chromium is up, so long at most, and until its process can be ended."""
    opening = asyncio.ensure_future(browser.open())
    await asyncio.wait({opening}, timeout=seconds)
    while not opening.done() and not hasattr(browser, "subprocess"):
        await asyncio.sleep(0.1)
    await asyncio.wait_for(opening, 0)


def carrying_font(svg: str) -> str:
    """Put the font into an SVG, so that its words fit on machines that lack it."""
    head, _, rest = svg.partition(">")
    return f"{head}><style>{_font_face('sans.woff2')}</style>{rest}"
