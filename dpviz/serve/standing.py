"""A page as it stands before any script has run: question, sentence and figure, as HTML.

It stands beside the place that Streamlit fills, and goes when the live figure stands there
(dpviz/scripts/standing.js). The server does not know the window: so several drawings go along, and
the style, standing.css, shows the one that fits, in the place and the size of the live figure. What
it has to know to answer by itself goes along as well (dpviz/scripts/alive.js).
"""

import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import urlencode

import orjson

from dpviz.plot.known_parts import UnknownPartError
from dpviz.plot.picture import svg
from dpviz.plot.schemes import inked, variables
from dpviz.plot.text import plain
from dpviz.results.caching import Recent
from dpviz.scene.catalogue import HOME, PAGES, Entry, entry
from dpviz.scene.codec import CARRIED, Choice, Flag, Number, Parameter, Seed
from dpviz.scene.pulled import pulled_in
from dpviz.scene.ranges import description
from dpviz.scene.scene import Scene
from dpviz.scene.view import Prediction, View
from dpviz.scene.ways import ways
from dpviz.serve import places
from dpviz.serve.clients import TOKEN
from dpviz.serve.computing import Progress
from dpviz.serve.lines import Drawn, Look, adapted, drawn, odds
from dpviz.serve.places import NARROW, TALL, Place
from dpviz.serve.site import at
from dpviz.serve.version import version

FIGURES = Recent[bytes](4 * 2**20)
"""The drawings of links, packed, for all readers."""

# What address.js leaves for other things: pixels around a figure, of a second row of tabs, of the
# ways in, alone and with the words below a game, of the buttons of rounds and the words above them.
_AROUND, SECOND_ROW, WAYS, WAYS_TO_A_GAME, _ROUNDS = 260, 44, 120, 80, 160
BUTTONS = 90
"""Pixels of a window's height that the buttons of rounds need."""
_LEAST, _LEAST_OF_A_GAME = 300, 240
_MOST = 200_000  # characters of drawings, from which on another one is left out
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_PARTS = {"range": "range_control", "rounds": "rounds"}  # templates of controls, and their files
_UI = Path(__file__).parents[1] / "ui"
_NAME = re.compile(r'(?<=id=")[^"]+(?=")|(?<=url\(#)[^)]+(?=\))')


@dataclass(frozen=True)
class Window:
    """A window that drawings are made for: name, as the style has it; width: that of the figure.

    high: the window's height where it is low, else 0.
    """

    name: str
    width: int
    high: int = 0

    def look(self, around: int, height: int, least: int) -> Look:
        """Return how a figure so many pixels high looks there, in the light scheme.

        least: how high it is in a low window, at least.
        """
        free = max(20 * ((self.high - around) // 20), least) if self.high else height
        usual = NARROW if self.name == "narrow" else TALL
        return replace(usual, low=free if free < height else 0)


_WINDOWS = (
    Window("narrow", 358),
    Window("middle", 944, 800),
    Window("wide", 1104, 760),
    Window("tall", 1104),
)


@cache
def style() -> str:
    """Return the style, as a part of a page's head."""
    text = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    rules = re.sub(r"/\*.*?\*/|\s+", " ", text, flags=re.DOTALL)
    return f"<style>{variables()}{rules}</style>"


def kept(scene: Scene, progress: Progress, *, asks: bool) -> str | None:
    """Return what `figure` has made of a scene before, None if that is not known any more."""
    packed = FIGURES.get(_address(scene, progress, asks=asks))
    return None if packed is None else zlib.decompress(packed).decode()


def keep(scene: Scene, progress: Progress, *, asks: bool) -> None:
    """Draw a figure, and keep it for all readers."""
    packed = zlib.compress(figure(scene, progress, asks=asks).encode(), 1)
    FIGURES.add(_address(scene, progress, asks=asks), packed)


def _address(scene: Scene, progress: Progress, *, asks: bool) -> tuple[object, ...]:
    return (scene.page.slug, progress.remark, asks, *scene.query.items())


def sentence(scene: Scene, text: str, *, asks: bool = False) -> str:
    """Return a sentence, as HTML, and the place of a figure that is not here yet."""
    place = places.expected(scene, asks=asks)
    begin = f'<p class="said takeaway">{text}</p>{_picture(scene, place)}'
    legend = f'<div class="narrow" style="visibility:hidden">{place.legend}</div>{_named(place)}'
    return _stage(begin, "", legend, "")


def _picture(scene: Scene, place: Place) -> str:
    return f'<figure class="picture" style="{place.style(_around(scene))}"'


def _named(place: Place) -> str:
    room = ' style="min-height:28px"' if place.named else ""
    return f'<div class="named"{room}></div>'


def _around(scene: Scene) -> int:
    row = SECOND_ROW if len(scene.page.rows(scene.view)) > 1 else 0
    ways = 0 if scene.page.slug else WAYS_TO_A_GAME if scene.view.rounds else WAYS
    return _AROUND + row + ways + (_ROUNDS if scene.view.rounds else 0)


def _stage(begin: str, plot: str, legend: str, exact: str) -> str:
    """Return sentence, figure and legend, with the parts that the script of the stage looks for.

    begin: the sentence, and the figure's tag as far as it goes.
    """
    return (
        f'<div class="stands" data-number="0" data-state="fetching">{begin}>'
        f'<div class="plot" {plot}</div><div class="message" role="status" hidden></div></figure>'
        f'<div class="legend-place">{legend}</div><p class="exact detail">{exact}</p>'
        '<p class="printed"></p><div class="going-on" hidden><button type="button"></button>'
        '<progress max="1" hidden></progress><span class="words"></span></div>'
        '<div class="spoken" aria-live="polite"></div></div>'
    )


def figure(scene: Scene, progress: Progress, *, asks: bool = False) -> str:
    """Return the sentence of a scene and its figure, for every window and in both schemes.

    asks: without what a reader is to predict.
    """
    view = adapted(scene, Look(ask=True)) if asks else scene.view
    seen: dict[Look, Drawn] = {}
    pulled = pulled_in(scene)

    def drawn_as(look: Look) -> Drawn:
        if look not in seen:
            asked, whole = replace(look, ask=asks), progress.whole
            seen[look] = drawn(view, progress.result, asked, whole=whole, pulled=pulled)
        return seen[look]

    place = places.learn(scene, drawn_as, asks=asks)
    narrow = drawn_as(NARROW)
    least = _LEAST_OF_A_GAME if scene.view.rounds else _LEAST
    looks = {window: window.look(_around(scene), place.high, least) for window in _WINDOWS}
    try:
        pictures = drawings(looks, drawn_as)
    except UnknownPartError:
        return sentence(scene, narrow.takeaway, asks=asks)
    return _stage(
        f'<p class="said takeaway">{narrow.takeaway}</p>{_picture(scene, place)}',
        f'role="img" aria-label="{escape(narrow.alt)}">{pictures}',
        f'<div class="narrow">{place.legend}</div>{_named(place)}',
        narrow.exact,
    )


def drawings(looks: Mapping[Window, Look], drawn_as: Callable[[Look], Drawn]) -> str:
    """Return the drawings for all windows, as HTML; what is large goes along twice, not thrice."""
    made: dict[tuple[Look, int], list[str]] = {}  # the names of windows that have one in common
    texts: dict[tuple[Look, int], str] = {}
    for window, look in looks.items():
        which = (look, window.width)
        if len(texts) > 1 and which not in texts and sum(map(len, texts.values())) > _MOST:
            which = next(reversed(texts))
        elif which not in texts:
            texts[which] = _svg(drawn_as(look), window)
        made.setdefault(which, []).append(window.name)
    return "".join(
        f'<div class="{" ".join(names)}">{_own(texts[which], names[0])}</div>'
        for which, names in made.items()
    )


def _svg(seen: Drawn, window: Window) -> str:
    made = inked(svg(seen.figure.with_exponents(), seen.theme, window.width))
    # As the figure that moves: in a window of another height its curves are in their places.
    return made.replace("<svg ", '<svg preserveAspectRatio="none" ', 1)


def _own(text: str, name: str) -> str:
    """Return a drawing whose parts have names that no other drawing of the page has."""
    return _NAME.sub(lambda found: f"standing-{name}-{found[0]}", text)


def standing(
    here: Entry,
    scene: Scene,
    notes: Iterable[str],
    drawing: str,
    last: str,
    token: str,
    *,
    asks: bool = False,
) -> str:
    """Return the page as it stands.

    drawing: its figure, "" where none is known; last: its end; token: by which its reader is told
    from others of a network; asks: whether the reader is to predict first.
    """
    asked = scene.prediction if asks else None
    home = "" if here.slug else _ways()
    kind = "body asks" if asked else "body game" if scene.view.rounds else "body"
    said = "<br>".join(_BOLD.sub(r"<strong>\1</strong>", escape(note)) for note in notes)
    note = f'<div class="note">{said}</div>' if said else ""
    return (
        f'<div id="standing"><div>{_header(here, scene)}<h1>{escape(here.question)}</h1>'
        f'{home}{tabs(scene)}{note}<div class="{kind}">{drawing or sentence(scene, "", asks=asks)}'
        f"{_asking(scene, asked)}{_beside(scene, asked)}</div>{last}</div>"
        f"{_known(scene, token, asked)}</div>"
    )


def heading(here: Entry, last: str) -> str:
    """Return what stands of a page without a figure that everybody sees; last: its end."""
    question = escape(here.question)
    return f'<div id="standing"><div>{_header(here, None)}<h1>{question}</h1>{last}</div></div>'


def _asking(scene: Scene, asked: Prediction | None) -> str:
    """Return the place where a reader predicts, "" where nothing is asked."""
    if asked is None:
        return ""
    guess = asked.guess
    if isinstance(guess, Choice):
        options = "".join(
            f'<button type="button" aria-pressed="false" value="{escape(key)}">'
            f"{escape(plain(words))}</button>"
            for key, words in guess.options.items()
        )
        label = escape(plain(guess.label))
        name = f'<span aria-hidden="true">{label}</span>'
        control = f'<div class="choice" role="group" aria-label="{label}">{name}{options}</div>'
    else:
        key = escape(scene.guess_key())
        control = f'<div class="range-place" data-control="{key}">{_name(guess)}</div>'
    reveal = '<button type="button" class="reveal">Reveal</button>'
    return f'<div class="ask-place">{control}{reveal}</div>'


def _beside(scene: Scene, asked: Prediction | None) -> str:
    """Return places for the buttons of a game and for the controls in sight.

    Those that answer only when Streamlit does look so.
    """
    places = ""
    for key in scene.view.in_sight:
        if key in scene.idle:
            continue
        parameter = scene.parameter(key)
        if isinstance(parameter, Number) and not isinstance(parameter, Seed):
            places += f'<div class="range-place" data-control="{key}">{_name(parameter)}</div>'
        else:
            places += f'<div class="later {_kind(parameter)}">{_later(parameter, scene)}</div>'
        if key == "epsilon" and (said := odds(scene)):
            places += f'<div class="odds-place"><p class="odds">{escape(said)}</p></div>'
    rounds = '<div class="rounds-place"></div>' if scene.view.rounds and not asked else ""
    return f'{rounds}<div class="controls">{places}</div>'


def _name(parameter: Number) -> str:
    """Return the name of a slider, as high as with it."""
    about = description(parameter.slider)
    symbol, meaning, better = (escape(about[part]) for part in ("symbol", "meaning", "better"))
    base, _, index = symbol.partition("_")
    sign = f"<i>{base}{f'<sub>{index}</sub>' if index else ''}</i>" if symbol else ""
    hint = f'<span class="hint">{better}</span>' if better else ""
    return f'<div class="range-name"><div>{sign}{meaning}{hint}</div></div>'


def _kind(parameter: Parameter) -> str:
    return type(parameter).__name__.lower()


def _later(parameter: Parameter, scene: Scene) -> str:
    """Return what stands of a control until Streamlit has it."""
    if isinstance(parameter, Choice):
        now = plain(parameter.options[str(scene.values[parameter.key])])
        return f"{escape(plain(parameter.label))}<span>{escape(now)}</span>"
    if isinstance(parameter, Seed):
        return (
            f"<span>Draw again</span> {parameter.key} <span>{scene.values[parameter.key]:,}</span>"
        )
    return escape(plain(parameter.label if isinstance(parameter, Flag) else parameter.key))


def _known(scene: Scene, token: str, asked: Prediction | None) -> str:
    """Return what the script has to know: what it asks for, and the controls' ranges and parts."""
    view, page = scene.view, scene.page
    above = SECOND_ROW if len(page.rows(view)) > 1 else 0
    if not page.slug:
        above = WAYS_TO_A_GAME if view.rounds else WAYS
    sliders = {
        key: description(parameter.slider)
        for key in view.in_sight
        if key not in scene.idle
        and isinstance(parameter := scene.parameter(key), Number)
        and not isinstance(parameter, Seed)
    }
    guess = asked and asked.guess
    if isinstance(guess, Number):
        sliders[scene.guess_key()] = description(guess.slider)
    rounds = None if asked else view.rounds
    data = {
        "wanted": {
            "figure": f"/figure/{page.name}/{view.key}",
            "query": {**scene.movable, **scene.query},
            "numbers": {},
            "look": {"labels": "few", **({"ask": "1"} if asked else {})},
            "presenting": False,
            "above": above,
            "below": BUTTONS if view.rounds else 0,
            "own": [],
            "token": [TOKEN, token],
            "version": version(),
        },
        "controls": sliders,
        "carried": [key for key in CARRIED if key in scene.values and page.slug],
        "rounds": rounds
        and {
            "count": rounds.count,
            "answers": list(rounds.answers.items()),
            "again": rounds.again,
        },
        "guess": guess
        and {
            "key": scene.guess_key(),
            "stands": guess.write(guess.default) if isinstance(guess, Number) else "",
        },
    }
    text = orjson.dumps(data).decode().replace("<", "\\u003c")
    parts = _part("range") + (_part("rounds") if rounds else "")
    return f'<script type="application/json">{text}</script>{parts}'


@cache
def _part(name: str) -> str:
    """Return a template of a control as the live page has it: of a "range", or of "rounds"."""
    css, html = (
        (_UI / "controls" / f"{_PARTS[name]}{kind}").read_text(encoding="utf-8")
        for kind in (".css", ".html")
    )
    rules = re.sub(r"/\*.*?\*/|\s+", " ", css, flags=re.DOTALL)
    return f'<template class="{name}"><style>{rules}</style>{html}</template>'


def _header(here: Entry, scene: Scene | None) -> str:
    title = escape(here.title) if here.slug else ""
    query = scene.query if scene else {}
    present = _link(here.slug, {**query, "present": "1"}, "Present") if here in PAGES else ""
    pages = _link(entry("index").slug, {}, "Pages")
    return f"<header>{_link('', {}, 'dpviz')}<span>{title}</span>{present}{pages}</header>"


def _ways() -> str:
    parts = (
        f"<div>{_link(way.to.slug, way.query, way.label)}<p>{escape(way.words)}</p></div>"
        for way in ways()
    )
    return f'{said_first()}<div class="ways">{"".join(parts)}</div>'


def said_first() -> str:
    """Return what differential privacy is, as HTML: the home page begins with it."""
    return f'<p class="first">{escape(HOME.summary)}</p>'


def tabs(scene: Scene) -> str:
    """Return links to the views of a page, in the state of a scene, as HTML.

    The keys of arrows go from one to the next (dpviz/scripts/links.js).
    """
    rows = ""
    for row in scene.page.rows(scene.view):
        links = (turn(scene, view, title, here=view is scene.view) for title, view in row.items())
        rows += f'<nav class="views">{"".join(links)}</nav>'
    return rows


def turn(scene: Scene, view: View, label: str, *, here: bool = False) -> str:
    """Return a link to another view of a page, in the state of a scene, as HTML."""
    page, values = scene.page, scene.values
    turned = Scene.opened(page, {**values, **page.turned(values, view.key)})
    return _link(page.slug, turned.query, label, here=here)


def _link(slug: str, query: Mapping[str, str], label: str, *, here: bool = False) -> str:
    asked = f"?{urlencode(query)}" if query else ""
    current = ' aria-current="page"' if here else ""
    return f'<a href="{escape(at(slug + asked))}"{current}>{escape(label)}</a>'
