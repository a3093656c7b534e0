"""A figure outside the app: its question above it, and below what is shown and where from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from dpviz.plot.margins import laid_out
from dpviz.plot.spec import Figure
from dpviz.plot.theme import LIGHT, Theme
from dpviz.results.evidence import Origin
from dpviz.results.version import VERSION

WIDTH = 1000  # pixels, of every picture with a caption
CELL = 720  # the least that a live figure has in a notebook, where it is as wide as its cell
TITLE, SENTENCE, CAPTION = 21, 16, 13  # pixels, sizes of type
_EDGE = 16
_LINE = 1.35
_CHARACTER, _LETTER = 0.48, 0.56  # of the size of type: the mean width in prose, and in links


@dataclass(frozen=True)
class Caption:
    """What a figure says about itself outside the app.

    question: of its page. sentence: its takeaway. state: the parameters and their values.
    origins: what the curves are and where they come from. link: where the figure is found, or what
    leads there in any copy of the app: "promise?epsilon=2".
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


def captioned(
    figure: Figure, words: Caption, theme: Theme = LIGHT, *, still: bool = True
) -> Figure:
    """Return `figure` between its question and its caption.

    still: at a fixed size, and without the buttons and frames of an animation, which a picture
    can't play; else as wide as where it is shown.
    """
    across = WIDTH if still else CELL
    out = Figure(figure.data).update_layout(**figure.layout)
    if still:
        out.layout.pop("updatemenus", None)
    else:
        out.frames = figure.frames
    margin = laid_out(figure, theme, across)[1]["margin"]  # before a caption stands below
    left, right, upper, lower = (margin[side] for side in "lrtb")
    height = out.layout["height"]
    top = [
        *((f"<b>{line}</b>", TITLE, theme.text) for line in _lines(words.question, TITLE, across)),
        *((line, SENTENCE, theme.text) for line in _lines(words.sentence, SENTENCE, across)),
    ]
    below = [
        *(
            (line, CAPTION, theme.muted)
            for paragraph in words.caption
            for line in _lines(paragraph, CAPTION, across)
        ),
        *((line, CAPTION, theme.muted) for line in _linked(words.link, across)),
    ]
    above, under = (_EDGE + _LINE * sum(size for _, size, _ in part) for part in (top, below))
    legend = {"legend": {"y": under / (height + above + under)}}
    if out.layout.get("legend", {}).get("yref") not in (None, "container"):
        legend = {}
    out.update_layout(
        template=theme.template(),
        autosize=not still,
        **({"width": WIDTH} if still else {}),
        height=height + above + under,
        margin={"l": left, "r": right, "t": upper + above, "b": lower + under},
        **legend,
    )
    _write(out, top, {"y": 1}, upper + above - _EDGE / 2, left)
    _write(out, below, {"y": 0}, -lower, left)
    return out


def named(link: str) -> str:
    """Return a link with the version that drew what it leads to."""
    return f"dpviz {VERSION}: {link}"


def leading(link: str, words: str) -> str:
    """Return words of HTML that lead where a link does, if it says at which copy."""
    return f'<a href="{escape(link)}">{words}</a>' if "://" in link else words


def _lines(text: str, size: float, across: int) -> list[str]:
    """Break a paragraph into lines that fit, as plotly reads them."""
    room = int((across - 2 * _EDGE) / (_CHARACTER * size))
    return [escape(line, quote=False) for line in wrap(text, room)]


def _linked(link: str, across: int) -> list[str]:
    """Break a link into lines, each of which leads there."""
    room = int((across - 2 * _EDGE) / (_LETTER * CAPTION))
    lines = wrap(named(link), room, break_on_hyphens=False)
    return [leading(link, escape(line, quote=False)) for line in lines]


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
