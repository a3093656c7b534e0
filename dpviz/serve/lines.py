"""What a figure's address says about its looks, and a result as a line of JSON."""

import itertools
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from types import MappingProxyType
from typing import Any

import orjson

from dpviz.plot.focus import Labels
from dpviz.plot.frames import frames, play
from dpviz.plot.legend import also_html, legend_html
from dpviz.plot.picture import picture
from dpviz.plot.readings import readings, scales
from dpviz.plot.schemes import inked
from dpviz.plot.spec import Figure
from dpviz.plot.steady import placed_name, places, places_in, ranges
from dpviz.plot.text import raised, unbroken
from dpviz.plot.theme import DARK, LIGHT, Range, Theme
from dpviz.results.evidence import Chart, Result, parts_of
from dpviz.scene.codec import Choice, in_words
from dpviz.scene.glossary import all_explained
from dpviz.scene.odds import odds_line
from dpviz.scene.pulled import marked
from dpviz.scene.scene import Scene
from dpviz.scene.view import Prediction, Rounds, View
from dpviz.serve.computing import Progress
from dpviz.serve.faults import spared
from dpviz.topics.classroom.sketches import is_sketch
from dpviz.topics.classroom.sketches_shown import plane_of, with_sketch

SCHEMA, DRAWN = 1, 2
"""The versions of what a line holds, DRAWN with a drawing: see assets/schemas/figure.json."""
LOOKS = (
    "theme",
    "narrow",
    "room",
    "low",
    "held",
    "left",
    "right",
    "places",
    "ask",
    "guess",
    "revealed",
    "told",
    "labels",
    "across",
    "frames",
    "unplayed",
)
_NARROWEST, _WIDEST_FIGURE = 200, 2400  # pixels of a drawing's width
STEP = 20  # pixels: windows of nearly the same width share their drawings
_LEAST, _MOST = 200, 4000  # pixels of a figure's height
_PLOT = 0.33  # share of the height that heading and legend must leave for the plot
_WIDEST, _WIDEST_RIGHT = 150, 300  # pixels of a margin
_MOST_ENDS = 6  # ends of axes to hold on to: of x and y, and of y in a second panel
_MOST_PLACES = 40  # of notes in a figure
_LONGEST_GUESS = 100  # characters: what is kept of answers holds it
_REVEALED = {"here": "here", "moved": "moved", "since": "moved"}  # as it was called once
_LABELS: dict[str, Labels] = {"few": "few", "all": "all", "only": "only"}
_BOLD = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True)
class Look:
    """How a figure is to be drawn.

    room: the height a projector leaves for it, 0 for the usual one; low: the height that a low
    window leaves. held: the ranges of the axes
    to hold on to while a control moves; left, right: the margins, in pixels; places: the names of
    notes that tell where they stand. ask: without what a reader is to predict. guess: with what one
    has predicted. revealed: "here" where the answer was, "moved" at other settings since.
    labels: of which curves, on a page; see `dpviz.plot.focus`.
    width: of the drawing, in pixels; 0 for a figure that is not drawn yet. frames: with what a
    button plays, and nothing to read off. unplayed: without the question of a round, where nobody
    can answer it.
    """

    dark: bool = False
    narrow: bool = False
    room: int = 0
    low: int = 0
    held: tuple[Range, ...] | None = None
    left: int = 0
    right: int = 0
    places: tuple[str, ...] = ()
    ask: bool = False
    guess: str = ""
    revealed: str = ""
    labels: Labels = ""
    width: int = 0
    frames: bool = False
    unplayed: bool = False

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Look":
        """Read the part of an address that is about looks; what cannot be read is left out."""
        width = stepped(_digits(query.get("across", "")) or 0)
        words = ("room", "low", "left", "right")
        room, low, left, right = (_digits(query.get(word, "")) for word in words)
        named = places_in(query.get("places", "").split(",", _MOST_PLACES)[:_MOST_PLACES])
        return cls(
            dark=query.get("theme") == "dark" and not width,
            narrow=query.get("narrow") == "1",
            room=0 if room is None else min(max(room, _LEAST), _MOST),
            low=0 if low is None else min(max(low, _LEAST), _MOST),
            held=_ranges(query.get("held", "")),
            left=min(left or 0, _WIDEST),
            right=min(right or 0, _WIDEST_RIGHT),
            places=tuple(itertools.starmap(placed_name, named.items())),
            ask=query.get("ask") == "1",
            guess=query.get("guess", "")[:_LONGEST_GUESS],
            revealed=_REVEALED.get(query.get("revealed", query.get("told", "")), ""),
            labels=_LABELS.get(query.get("labels", ""), ""),
            width=width,
            frames=query.get("frames") == "1",
            unplayed=query.get("unplayed") == "1",
        )

    def theme(
        self,
        *,
        in_parts: bool = False,
        partial: bool,
        before: tuple[Chart, ...] = (),
        moving: bool = False,
    ) -> Theme:
        """Return the theme that looks so, of a figure that is `partial` or the finest.

        in_parts: whether figures of this view come coarse to fine. before: the charts that stand in
        for what is not known yet. moving: whether the next figure comes at once.
        """
        theme = replace(DARK if self.dark else LIGHT, labels=self.labels)
        if self.narrow:
            theme = theme.narrow()
        if self.room:
            theme = theme.projected(self.room)
        elif self.low and not self.narrow:
            theme = theme.within(self.low)
        placed, sides = places_in(self.places), (self.held, self.left, self.right)
        return theme.holding(
            *sides,
            in_parts=in_parts,
            partial=partial,
            before=before,
            places=placed,
            unread=bool(self.width) and (moving or self.frames),
        )


def stepped(width: int) -> int:
    """Return the width of the drawing for a place so many pixels wide, 0 for none."""
    return min(max(STEP * round(width / STEP), _NARROWEST), _WIDEST_FIGURE) if width else 0


def _digits(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _ranges(text: str) -> tuple[Range, ...] | None:
    try:
        ends = list(map(float, text.split(",", _MOST_ENDS)))
    except ValueError:
        return None
    pairs = tuple(zip(ends[::2], ends[1::2], strict=False))
    sound = all(map(math.isfinite, ends)) and all(low < high for low, high in pairs)
    return pairs if sound and len(ends) in (4, _MOST_ENDS) else None


def adapted(scene: Scene, look: Look) -> View:
    """Return the view as it is shown: without the answer, or with the reader's guess."""
    view, prediction = scene.view, scene.prediction
    if look.unplayed and (rounds := view.rounds) is not None:
        view = _unplayed(view, rounds)
    if scene.sketch is not None and is_sketch(look.guess):
        return _sketched(view, look.guess)
    if prediction is None:
        return view
    if look.ask:
        hide, question = prediction.hide, prediction.question
        return replace(
            view,
            figure=lambda result, theme: view.figure(hide(result), theme),
            opening=lambda _: question,
            takeaway=lambda _: "",
            detail=lambda _: "",
        )
    if look.guess:
        return _guessed(view, prediction, look.guess)
    if look.revealed:
        tells = prediction.when_moved
        if look.revealed == "here":
            tells = partial(_answered, prediction)
        return replace(view, opening=lambda r: " ".join(filter(None, (tells(r), view.opening(r)))))
    return view


def _unplayed(view: View, rounds: Rounds) -> View:
    """Return the view without the question of a round."""

    def takeaway(result: Any) -> str:
        return view.takeaway(result).removesuffix(rounds.asks(result)).rstrip()

    return replace(view, takeaway=takeaway)


def _answered(prediction: Prediction, result: Result) -> str:
    """Tell the answer to who predicted nothing."""
    words = _it_is(prediction, result)
    return f"{words[0].upper()}{words[1:]}." if words else ""


def _it_is(prediction: Prediction, result: Result) -> str:
    answer, part = prediction.answer(result), result.so_far
    it_is = "the answer is" if part is None or part.ended or part.stopped else "so far it is"
    return f"{it_is} **{answer}**" if answer else ""


def _sketched(view: View, text: str) -> View:
    """Return the view with what one has drawn, over the axes that a class draws over."""

    def figure(result: Any, theme: Theme) -> Figure:
        plane = plane_of(result.drawn_chart, view.figure(result, LIGHT))
        return with_sketch(view.figure(result, theme), plane, text, theme)

    return replace(view, figure=figure)


def _guessed(view: View, prediction: Prediction, text: str) -> View:
    value, problem = prediction.guess.read(text, prediction.guess.default)
    if problem:
        return view
    option = prediction.guess.options[str(value)] if isinstance(prediction.guess, Choice) else None
    words = option or in_words(prediction.guess, value)

    def opening(result: Any) -> str:
        answer = _it_is(prediction, result)
        return f"You predicted **{words}**; {answer}." if answer else ""

    return replace(
        view,
        figure=lambda result, theme: view.figure(prediction.mark(result, value), theme),
        opening=opening,
    )


def headline(view: View, result: Result) -> str:
    """Return the sentence above a figure, "" where it cannot be made: the figure stands alone."""
    return spared(view.key, lambda: view.headline(result), "")


def exactly(view: View, result: Result) -> str:
    """Return the exact figures in words, "" where they cannot be said."""
    return spared(view.key, lambda: view.exactly(result), "")


def notes(view: View, result: Result) -> Collection[str]:
    """Return what is to be known about the curves, nothing where that cannot be said."""
    return spared(view.key, lambda: view.notes(result), ())


def odds(scene: Scene) -> str:
    """Return what ε promises in odds, "" where nothing is promised or it cannot be said."""
    return spared(scene.name, lambda: odds_line(scene), "")


@dataclass(frozen=True)
class Drawn:
    """A result as it is seen: its figure, and, as HTML, what is said above and below it.

    takeaway: the sentence; legend: that of a narrow figure; exact: the exact figures and where they
    come from, as text in `detail`. alt: what the figure shows, in words.
    """

    figure: Figure
    theme: Theme
    takeaway: str
    exact: str
    legend: str
    detail: str
    alt: str


def drawn(
    view: View,
    result: Result,
    look: Look,
    *,
    whole: bool,
    before: tuple[Chart, ...] = (),
    pulled: Mapping[str, tuple[str, float]] = MappingProxyType({}),
    moving: bool = False,
) -> Drawn:
    """Return a result as it is seen; the keywords are those of `line`."""
    parted = view.in_parts
    theme = look.theme(in_parts=parted, partial=not whole, before=before, moving=moving)
    sentence = headline(view, result)
    figure, theme = _fitting(view, result, theme, look.room or (0 if look.narrow else look.low))
    exact_figures = exactly(view, result)
    detail = "" if look.ask else _and_sources(exact_figures, view, result)
    legend = legend_html(figure) if theme.compact else ""
    bold = _BOLD.sub(r"<strong>\1</strong>", unbroken(marked(_html(sentence), pulled)))
    takeaway, exact, named = all_explained([bold, _html(detail), legend])
    alt = (exact_figures or sentence).replace("**", "")
    return Drawn(figure, theme, takeaway, exact, named, detail, alt)


def line(
    view: View,
    result: Result,
    look: Look,
    *,
    whole: bool,
    corrections: tuple[str, ...] = (),
    odds: str = "",
    before: tuple[Chart, ...] = (),
    pulled: Mapping[str, tuple[str, float]] = MappingProxyType({}),
    moving: bool = False,
) -> bytes:
    """Return a result as a line of JSON: sentence, figure, and how far it is.

    corrections: what was made of an address that could not be read. done: from 0 to 1, null where
    a result does not say. remark: what is to be said of a result that is not whole. axes, left,
    right, places: the ranges, margins and places of notes that the figure of the next value may
    hold on to. whole: whether there is nothing finer. before: the charts that stand in for what is
    not known yet. pulled: the numbers of the sentence that can be pulled, see `dpviz.scene.pulled`.
    moving: whether a control moves, and another figure is to come.
    """
    shown = drawn(view, result, look, whole=whole, before=before, pulled=pulled, moving=moving)
    figure = shown.figure
    ends = ranges(figure)
    words = {
        "schema": DRAWN if look.width else SCHEMA,
        "takeaway": shown.takeaway,
        "detail": shown.detail,
        "exact": shown.exact,
        "alt": shown.alt,
        "notes": [] if look.ask else all_explained(map(_html, notes(view, result))),
        "corrections": corrections,
        "odds": odds,
        "done": result.done,
        "whole": whole,
        "remark": Progress(result, whole).remark,
        "legend": shown.legend + also_html(figure),
        "axes": None if ends is None else [float(end) for part in ends for end in part],
        "left": figure.layout.get("margin", {}).get("l", 0),
        "right": figure.layout.get("margin", {}).get("r", 0),
        "places": list(itertools.starmap(placed_name, places(figure).items())),
    }
    if look.width:
        words["legend"] = inked(str(words["legend"]))
        return orjson.dumps(words | _in_ink(shown, look)) + b"\n"
    return orjson.dumps(words)[:-1] + b',"spec":' + figure.with_exponents().json() + b"}\n"


def _in_ink(shown: Drawn, look: Look) -> dict[str, Any]:
    """Return the drawing of a figure, and what a browser must know of it to answer to a hand."""
    figure = shown.figure.with_exponents()
    made = picture(figure, shown.theme, look.width, "live-")
    meta = figure.layout.get("meta", {})
    parts: dict[str, Any] = {
        "svg": inked(made.svg),
        "scales": scales(made),
        "drag": meta.get("drag"),
        "play": None if look.held else play(figure, made),
        "readings": [] if shown.theme.unread else readings(figure.data, made),
    }
    if look.frames:
        parts["frames"] = frames(figure, shown.theme, look.width, made)
    return parts


def charts_before(result: Result | None, look: Look) -> tuple[Chart, ...]:
    """Return the charts of a result, none where its answer is hidden."""
    hidden = result is None or look.ask
    return () if hidden else tuple(parts_of(result, Chart))


def _html(text: str) -> str:
    return raised(escape(text, quote=False))


def _fitting(view: View, result: Result, theme: Theme, most: int) -> tuple[Figure, Theme]:
    """Return the figure and its theme, in so many pixels of height if not 0.

    Nobody scrolls to see half of it; and where a legend for the last row leaves no room for what it
    names, its words are smaller, or stand below the figure.
    """
    figure = _within(view, result, theme, most)
    for smaller in (theme.crowded(), replace(theme, scale=1.0), replace(theme, scale=1.0).narrow()):
        if not most or _plot_height(figure) >= _PLOT * most:
            break
        theme = smaller
        figure = _within(view, result, theme, most)
    return figure, theme


def _within(view: View, result: Result, theme: Theme, most: int) -> Figure:
    """Return the figure, in so many pixels of height if not 0."""
    figure = view.figure(result, theme)
    height = figure.layout.get("height", 0)
    if not most or height <= most:
        return figure
    # Drawn again for less, its words know how much there is for them.
    less = replace(theme, room=max(theme.room + most - height, most // 2))
    return view.figure(result, less).update_layout(height=most)


def _plot_height(figure: Figure) -> float:
    """Return how many pixels the margins leave: in less than none plotly.js draws nothing."""
    margin = figure.layout.get("margin", {})
    return float(figure.layout.get("height", 0) - margin.get("t", 0) - margin.get("b", 0))


def _and_sources(exact_figures: str, view: View, result: Result) -> str:
    """Return the exact figures, and the papers they come from.

    Below a game its buttons come next.
    """
    if view.rounds is not None:
        return exact_figures
    papers = dict.fromkeys(origin.source.paper for origin in result.origins)
    named = [paper for paper in papers if not paper.startswith("dpviz")]
    sources = f"Source{'s' if len(named) > 1 else ''}: {'; '.join(named)}." if named else ""
    return " ".join(filter(None, (exact_figures, sources)))


def problem(words: str, *, grave: bool, busy: bool = False) -> bytes:
    """Return the line in place of a figure that cannot be computed.

    busy: it could be, if it were asked for again a little later.
    """
    parts = {"schema": SCHEMA, "problem": words, "grave": grave, "busy": busy, "whole": True}
    return orjson.dumps(parts) + b"\n"


def waiting(ahead: int) -> bytes:
    """Return the line that says how many others come first."""
    return orjson.dumps({"schema": SCHEMA, "ahead": ahead}) + b"\n"
