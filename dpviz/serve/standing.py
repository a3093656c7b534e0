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

from dpviz.plot.drawable import UnknownPartError
from dpviz.plot.picture import svg
from dpviz.plot.schemes import inked, variables
from dpviz.plot.text import plain, unbroken
from dpviz.plot.written import line
from dpviz.results.caching import Cache
from dpviz.scene.catalogue import HOME, PAGES, Entry, entry
from dpviz.scene.codec import CARRIED, Choice, Flag, Number, Parameter, Seed
from dpviz.scene.pulled import pulled_in
from dpviz.scene.ranges import description
from dpviz.scene.scene import Scene
from dpviz.scene.showing import AS_IT_IS, Showing
from dpviz.scene.view import Prediction, View
from dpviz.scene.ways import ways
from dpviz.serve import placeholders, standing_steps
from dpviz.serve.clients import TOKEN
from dpviz.serve.computing import Progress
from dpviz.serve.lines import Drawn, Look, adapted, drawn, odds
from dpviz.serve.modules import rules
from dpviz.serve.placeholders import Placeholder
from dpviz.serve.site import at
from dpviz.serve.version import version

FIGURES = Cache[bytes](4 * 2**20)
"""The drawings of links, packed, for all readers."""

# What address.js leaves for other things: pixels around a figure, of a second row of tabs, of the
# ways in, alone and with the words below a game, of the buttons of rounds and the words above them.
_AROUND, _SECOND_ROW, _WAYS, _WAYS_TO_A_GAME, _ROUNDS = 260, 44, 120, 80, 110
# Pixels that a path needs for its steps and for what is said below its figure; below a game there
# are its buttons.
_PATH, _PATH_OF_A_GAME = 100, 50
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

    def look(self, usual: Look, around: int, placeholder: Placeholder, least: int) -> Look:
        """Return how a figure looks there, in the light scheme.

        usual: how it looks in a high window. least: how high it is in a low one, at least.
        """
        free = max(20 * ((self.high - around) // 20), least) if self.high else 0
        same = placeholder.free == placeholder.high <= free  # as in a high window
        return replace(usual, narrow=self.name == "narrow", low=0 if same else free)


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
    return f"<style>{variables()}{rules(text)}</style>"


def cached(scene: Scene, progress: Progress, shown: Showing = AS_IT_IS) -> str | None:
    """Return what `figure` has made of a scene before, None if that is not known any more."""
    packed = FIGURES.get(_address(scene, progress, shown))
    return None if packed is None else zlib.decompress(packed).decode()


def keep(scene: Scene, progress: Progress, shown: Showing = AS_IT_IS) -> None:
    """Draw a figure, and keep it for all readers."""
    packed = zlib.compress(figure(scene, progress, shown).encode(), 1)
    FIGURES.add(_address(scene, progress, shown), packed)


def _address(scene: Scene, progress: Progress, shown: Showing) -> tuple[object, ...]:
    return (scene.page.slug, progress.remark, _look(shown), shown.presenting, *scene.query.items())


def _look(shown: Showing) -> Look:
    """Return the usual look of the figures of a page."""
    return Look(ask=shown.asks, labels=shown.labels)


def sentence(scene: Scene, text: str, shown: Showing = AS_IT_IS) -> str:
    """Return a sentence, as HTML, and the place of a figure that is not here yet.

    A sentence that is not known either, "", has as many lines as the view's last one.
    """
    placeholder = placeholders.expected(scene, _look(shown))
    words = text or f'<span style="visibility:hidden">{placeholder.sentence}</span>'
    begin = f'<p class="said takeaway">{words}</p>{_picture(scene, placeholder, shown)}'
    legend = f'<div class="narrow" style="visibility:hidden">{placeholder.legend}</div>'
    return _stage(begin, "", legend + _named(placeholder), _exactly(placeholder, ""))


def _picture(scene: Scene, placeholder: Placeholder, shown: Showing) -> str:
    around = f"{_around(scene, shown)}px;--least:{_least(scene)}px"
    return f'<figure class="picture" style="{placeholder.style};--around:{around}"'


def _named(placeholder: Placeholder) -> str:
    room = ' style="min-height:24px"' if placeholder.named else ""
    return f'<div class="named"{room}></div>'


def _exactly(placeholder: Placeholder, text: str) -> str:
    """Return what a figure says exactly, folded as in the live page; text: as HTML.

    It is in the line of a switch that stands alone there.
    """
    wide = "-32px" if placeholder.named else "-8px"
    low = "0px" if placeholder.legend else wide
    style = f"--up:{wide};--up-low:{low}"
    return (
        f'<details class="told-exactly" style="{style}"><summary>In detail</summary>'
        f'<p class="detail">{text}</p></details>'
    )


def above(scene: Scene, shown: Showing) -> int:
    """Return how many pixels of a low window its figure leaves besides those of every page."""
    if shown.only:
        return _PATH if scene.view.rounds is None else _PATH_OF_A_GAME
    if not scene.page.slug:
        return _WAYS if scene.view.rounds is None else _WAYS_TO_A_GAME
    return _SECOND_ROW if len(scene.page.rows(scene.view)) > 1 else 0


def _least(scene: Scene) -> int:
    return _LEAST_OF_A_GAME if scene.view.rounds else _LEAST


def _around(scene: Scene, shown: Showing) -> int:
    return _AROUND + above(scene, shown) + (_ROUNDS if scene.view.rounds else 0)


def _stage(begin: str, plot: str, legend: str, exact: str) -> str:
    """Return sentence, figure and legend, with the parts that the script of the stage looks for.

    begin: the sentence, and the figure's tag as far as it goes.
    """
    return (
        f'<div class="stands" data-number="0" data-state="fetching">{begin}>'
        f'<div class="plot" {plot}</div><div class="message" role="status" hidden></div></figure>'
        f'<div class="legend-place">{legend}</div>{exact}'
        '<p class="printed"></p><div class="going-on" hidden><button type="button"></button>'
        '<progress max="1" hidden></progress><span class="words"></span></div>'
        '<div class="spoken" aria-live="polite"></div></div>'
    )


def figure(scene: Scene, progress: Progress, shown: Showing = AS_IT_IS) -> str:
    """Return the sentence of a scene and its figure, for every window and in both schemes.

    Without what a reader is to predict. Before a class a figure is as high as the window leaves,
    and is asked for when that is known.
    """
    view = adapted(scene, Look(ask=True)) if shown.asks else scene.view
    seen: dict[Look, Drawn] = {}
    pulled = pulled_in(scene)

    def drawn_as(look: Look) -> Drawn:
        if look not in seen:
            whole = progress.whole
            seen[look] = drawn(view, progress.result, look, whole=whole, pulled=pulled)
        return seen[look]

    usual = _look(shown)
    placeholder = placeholders.learn(scene, drawn_as, usual)
    narrow = drawn_as(replace(usual, narrow=True))
    around, least = _around(scene, shown), _least(scene)
    windows = _WINDOWS[:1] if shown.presenting else _WINDOWS
    looks = {window: window.look(usual, around, placeholder, least) for window in windows}
    try:
        pictures = drawings(looks, drawn_as)
    except UnknownPartError:
        return sentence(scene, narrow.takeaway, shown)
    return _stage(
        f'<p class="said takeaway">{narrow.takeaway}</p>{_picture(scene, placeholder, shown)}',
        f'role="img" aria-label="{escape(narrow.alt)}">{pictures}',
        f'<div class="narrow">{placeholder.legend}</div>{_named(placeholder)}',
        _exactly(placeholder, narrow.exact),
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
        f'<div class="{" ".join(names)}">{_in_window(texts[which], names[0])}</div>'
        for which, names in made.items()
    )


def _svg(seen: Drawn, window: Window) -> str:
    made = inked(svg(seen.figure.with_exponents(), seen.theme, window.width))
    # As the figure that moves: in a window of another height its curves are in their places.
    return made.replace("<svg ", '<svg preserveAspectRatio="none" ', 1)


def _in_window(text: str, name: str) -> str:
    """Return a drawing whose parts have names that no other drawing of the page has."""
    return _NAME.sub(lambda found: f"standing-{name}-{found[0]}", text)


def standing(
    here: Entry,
    scene: Scene,
    notes: Iterable[str],
    drawing: str,
    last: str,
    token: str,
    shown: Showing = AS_IT_IS,
) -> str:
    """Return the page as it stands.

    drawing: its figure, "" where none is known; last: its end; token: by which its reader is told
    from others of a network.
    """
    prediction = scene.prediction if shown.asks else None
    home = "" if here.slug or shown.within else _ways()
    views = "" if shown.only or shown.presenting else tabs(scene)
    kind = "body asks" if prediction else "body game" if scene.view.rounds else "body"
    lines = "<br>".join(_BOLD.sub(r"<strong>\1</strong>", escape(note)) for note in notes)
    note = f'<div class="note">{lines}</div>' if lines else ""
    body = (
        f'{home}{views}{note}<div class="{kind}">{drawing or sentence(scene, "", shown)}'
        f"{_asking(scene, prediction, shown)}{_beside(scene, shown)}</div>"
    )
    return _page(here, scene, shown, body, last, _script_data(scene, token, prediction, shown))


def heading(here: Entry, last: str, shown: Showing = AS_IT_IS) -> str:
    """Return what stands of a page without a figure that everybody sees; last: its end."""
    return _page(here, None, shown, "", last, "")


def _page(here: Entry, scene: Scene | None, shown: Showing, body: str, last: str, data: str) -> str:
    """Return what stands, around its body; data: what its script has to know, as HTML."""
    position = shown.position
    question = line(unbroken(position.heading)) if position else escape(here.question)
    header = "" if shown.presenting or shown.within else _header(here, scene, shown)
    return (
        f'{standing_steps.style(shown)}<div id="standing"{standing_steps.kind(shown)}><div>'
        f"{header}<h1>{question}</h1>{body}{last}</div>"
        f"{standing_steps.bar(here, scene, shown)}{data}</div>"
    )


def _asking(scene: Scene, prediction: Prediction | None, shown: Showing) -> str:
    """Return the place where a reader predicts, "" where nothing is asked."""
    if prediction is None:
        return ""
    guess = prediction.guess
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
        key = escape(scene.guess_key(shown.step))
        control = f'<div class="range-place" data-control="{key}">{_name(guess)}</div>'
    reveal = '<button type="button" class="reveal">Reveal</button>'
    return f'<div class="ask-place">{control}{reveal}</div>'


def _in_sight(scene: Scene, shown: Showing) -> list[str]:
    """Return the parameters whose controls are there: before a class none, until it asks."""
    if shown.presenting:
        return []
    keys = (shown.only,) if shown.only else scene.view.in_sight
    return [key for key in keys if key not in scene.idle]


def _beside(scene: Scene, shown: Showing) -> str:
    """Return places for the buttons of a game and for the controls in sight.

    Those that answer only when Streamlit does look so.
    """
    places = ""
    for key in _in_sight(scene, shown):
        parameter = scene.parameter(key)
        if isinstance(parameter, Number) and not isinstance(parameter, Seed):
            places += f'<div class="range-place" data-control="{key}">{_name(parameter)}</div>'
        else:
            places += f'<div class="later {_kind(parameter)}">{_later(parameter, scene)}</div>'
        if key == "epsilon" and not shown.only and (words := odds(scene)):
            places += f'<div class="odds-place"><p class="odds">{escape(words)}</p></div>'
    rounds = '<div class="rounds-place"></div>' if scene.view.rounds else ""
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


def _script_data(scene: Scene, token: str, prediction: Prediction | None, shown: Showing) -> str:
    """Return what the script has to know: what it asks for, and the controls' ranges and parts."""
    view, page = scene.view, scene.page
    sliders = {
        key: description(parameter.slider)
        for key in _in_sight(scene, shown)
        if isinstance(parameter := scene.parameter(key), Number) and not isinstance(parameter, Seed)
    }
    guess = prediction and prediction.guess
    if isinstance(guess, Number):
        sliders[scene.guess_key(shown.step)] = description(guess.slider)
    rounds = view.rounds
    # A slider stands somewhere. Before a class that is no guess until somebody moves it.
    stands = guess.write(guess.default) if isinstance(guess, Number) else ""
    data = {
        "wanted": {
            "figure": f"/figure/{page.name}/{view.key}",
            "step": shown.step,
            "query": {**scene.movable, **scene.query},
            "numbers": {},
            "look": {"labels": shown.labels, **({"ask": "1"} if prediction else {})},
            "presenting": shown.presenting,
            "above": above(scene, shown),
            "below": BUTTONS if view.rounds else 0,
            "varies": [],
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
            "key": scene.guess_key(shown.step),
            "stands": stands,
            "counts": not shown.presenting,
            "revealed": "" if "class" in shown.modes else "here",
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
    return f'<template class="{name}"><style>{rules(css)}</style>{html}</template>'


def _header(here: Entry, scene: Scene | None, shown: Showing) -> str:
    title = escape(here.title) if here.slug else ""
    query = {**(scene.query if scene else {}), **shown.modes, "present": "1"}
    presents = here in PAGES and not shown.alone
    present = _link(here.slug, query, "Present") if presents else ""
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
        links = (
            turn(scene, view, title, current=view is scene.view) for title, view in row.items()
        )
        rows += f'<nav class="views">{"".join(links)}</nav>'
    return rows


def turn(scene: Scene, view: View, label: str, *, current: bool = False) -> str:
    """Return a link to another view of a page, in the state of a scene, as HTML."""
    page, values = scene.page, scene.values
    turned = Scene.opened(page, {**values, **page.turned(values, view.key)})
    return _link(page.slug, turned.query, label, current=current)


def _link(slug: str, query: Mapping[str, str], label: str, *, current: bool = False) -> str:
    query_text = f"?{urlencode(query)}" if query else ""
    marked = ' aria-current="page"' if current else ""
    return f'<a href="{escape(at(slug + query_text))}"{marked}>{escape(label)}</a>'
