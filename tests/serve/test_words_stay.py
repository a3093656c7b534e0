"""Words in a figure stay where they are while a control moves, unless something is in the way."""

import re
from collections import Counter

import numpy as np
import pytest

from dpviz.plot.boxes import WordBox
from dpviz.plot.coordinates import Paper, axis_of
from dpviz.plot.theme import LIGHT
from tests.support.declarations import page
from tests.support.drags import dragged, sliders

STRETCHED = (1.0, 1.2, 1.5)  # times the least width of a figure, at which words keep off things
TOUCH = 5.0  # pixels
WIDE = 400  # of a plot
FAR = 0.05  # of its width


def noted(figure):
    """The notes in a plot, by what they say whatever the numbers in it."""
    found, count = {}, Counter()
    for note in figure.layout.get("annotations", ()):
        if "ax" in note and not ended(note):
            said = worded(note["text"])
            count[said] += 1
            paper = Paper(figure.layout, LIGHT.width)
            share = paper.axes[axis_of(note.get("xref", "x"))].share(note["x"])
            found[said, count[said]] = note | {"share": share}
    return found


def still(figure):
    """The words in a plot that have a place of their own, in the form of notes."""
    sides = {"left": 1, "right": -1, "bottom": -1, "top": 1}
    for note in figure.layout.get("annotations", ()):
        if "ax" not in note and "paper" not in (note.get("xref"), note.get("yref")):
            wide, up = half(note)
            right = note.get("xshift", 0) + wide * sides.get(note.get("xanchor"), 0)
            down = -note.get("yshift", 0) + up * sides.get(note.get("yanchor"), 0)
            yield note | {"ax": right, "ay": down}


def ended(note):
    """Whether words stand beside the plot, at the end of a curve."""
    return "ax" in note and note.get("xanchor") == "left"


def worded(text):
    return re.sub(r"<[^>]*>|[^A-Za-z ]", " ", text).strip()


def half(note):
    words = WordBox.of(max(note["text"].split("<br>"), key=len), note["font"].get("size", 15), 999)
    return words.width / 2, words.height * (1 + note["text"].count("<br>")) / 2


def hopped(old, new):
    """Whether words went elsewhere, seen from what they are about; longer ones begin elsewhere.

    Words beside a curve also keep their place along it.
    """
    wider, higher = np.abs(np.subtract(half(old), half(new)))
    along = 0 if new["arrowhead"] else WIDE * (old["share"] - new["share"])
    aside = abs(old["ax"] - new["ax"] + along)
    return aside > wider + 4 or abs(old["ay"] - new["ay"]) > higher + 4


def turned(now, said, old):
    """Whether a value, where it stood, would be on the side of its curve that the other one's has.

    Two values are written in the order of their curves, which may have crossed.
    """
    values = [note for (words, _), note in now.items() if not words and note is not now[said]]
    if said[0] or len(values) != 1:
        return False
    return old["ay"] * (now[said]["y"] - values[0]["y"]) > 0


def in_the_way(figure, note, old, others):
    """Whether words would touch something, or others that stay, if they stood as in an old note."""
    return any(
        _touches(figure, Paper(figure.layout, round(LIGHT.width * wide)), note, old, others)
        for wide in STRETCHED
    )


def _touches(figure, paper, note, old, others):
    refs = {k: note.get(f"{k}ref", k) for k in "xy"}
    pair = tuple(paper.axes[axis_of(ref)] for ref in refs.values())
    right, down = _anchor(figure, paper, note, old)
    x, y, (wide, up) = right + old["ax"], down + old["ay"], half(note)
    (low, high), (foot, top) = ((axis.start, axis.end) for axis in pair)
    if x - wide < low or x + wide > high or y - up < top or y + up > foot:
        return True
    here = [trace for trace in figure.data if trace["type"] == "scatter" and "fill" not in trace]
    lines = [line for trace in here if paper.pair(trace) == pair for line in _lines(trace, pair)]
    lines += [
        _finer([[paper.at(shape[end], refs["x"], "x") for end in ("x0", "x1")], [top, foot]])
        for shape in figure.layout.get("shapes", ())
        if shape.get("xref", "x") == refs["x"]
    ]
    leader = _finer([[right, x], [down, y]])
    for other in others:
        at, to = (paper.place(other[k], other.get(f"{k}ref", k), k) for k in "xy")
        box = at + other["ax"], to + other["ay"], *half(other)
        if abs(box[0] - x) < box[2] + wide + TOUCH and abs(box[1] - y) < box[3] + up + TOUCH:
            return True
        if _within(leader, *box):
            return True
        lines.append(_finer([[at, box[0]], [to, box[1]]]))
    return any(_within(line, x, y, wide, up) for line in lines)


def _anchor(figure, paper, note, old):
    """Where the line to the words begins: at a mark, or where it began along the curve."""
    if note["arrowhead"]:
        return tuple(paper.place(note[k], note.get(f"{k}ref", k), k) for k in "xy")
    named = [t for t in figure.data if worded(t.get("name", "")) == worded(note["text"])]
    for trace in named:
        pair = paper.pair(trace)
        right = pair[0].start + old["share"] * (pair[0].end - pair[0].start)
        x, y = _known(*(axis.pixels(trace[k]) for axis, k in zip(pair, "xy", strict=True)))
        if x.size and x.min() - 1 <= right <= x.max() + 1:
            return right, float(np.interp(right, x, y))
    return -1e9, 0.0  # there is no curve there any more


def _lines(trace, pair):
    """What words must not cover of a trace: its line, or its points and their intervals."""
    x, y = (axis.pixels(trace[k]) for axis, k in zip(pair, "xy", strict=True))
    if "lines" in trace["mode"]:
        return [_finer([x, y])]
    interval = trace.get("error_y")
    if interval is None:
        return [(x, y)]
    low, high = (
        pair[1].pixels(trace["y"] + sign * np.asarray(interval[end]))
        for sign, end in ((-1, "arrayminus"), (1, "array"))
    )
    return [(x, y), *(_finer([[at, at], ends]) for at, *ends in zip(x, low, high, strict=True))]


def _known(x, y):
    known = np.isfinite(x) & np.isfinite(y)
    return x[known], y[known]


def _finer(line):
    """The points of a line, a pixel or so from each other."""
    x, y = _known(*(np.asarray(part, dtype=float) for part in line))
    along = np.arange(x.size)
    finer = np.linspace(0, max(along.size - 1, 0), 1200 if along.size else 0)
    return [np.interp(finer, along, part) if along.size else finer for part in (x, y)]


def _within(line, x, y, across, up):
    near = np.abs(line[0] - x) < across + TOUCH
    return bool((near & (np.abs(line[1] - y) < up + TOUCH)).any())


@pytest.mark.parametrize(("declared", "view", "key"), list(sliders()))
def test_words_stand_where_they_stood_unless_something_is_in_the_way(declared, view, key):
    before = {}
    for figure in dragged(declared.slug, view.key, key):
        now = noted(figure)
        both = now.keys() & before.keys()
        gone = {said for said in both if hopped(before[said], now[said])}
        others = [*(now[said] for said in both - gone), *still(figure)]
        for said in gone:
            if not turned(now, said, before[said]):
                assert in_the_way(figure, now[said], before[said], others), said
        ends = {
            worded(note["text"]) for note in figure.layout.get("annotations", ()) if ended(note)
        }
        assert not {said for said, _ in before} & ends  # nor do they leave the plot
        before = now


@pytest.mark.parametrize(("declared", "view", "key"), list(sliders()))
def test_no_axis_jumps_when_a_control_is_let_go(declared, view, key):
    figures = dragged(declared.slug, view.key, key)
    if not figures:
        return
    *_, moving, still = figures
    for name in [name for name in still.layout if name[1:5] == "axis"]:
        was, now = (figure.layout[name].get("range") for figure in (moving, still))
        assert was == now or not _fits(still, name, was), name


_ENDS = ("array", "arrayminus")


def _fits(figure, name, ends):
    """Whether all that is drawn along an axis lies within these ends."""
    letter, low, high = name[0], *ends
    traces = [trace for trace in figure.data if axis_of(trace, letter) == name]
    drawn = [np.ravel(trace[letter]) for trace in traces]
    for trace in traces:
        interval = trace.get(f"error_{letter}", {"array": 0.0, "arrayminus": 0.0})
        at, more, less = map(np.asarray, (trace[letter], *map(interval.get, _ENDS)))
        drawn += [at + more, at - less]
    values = np.concatenate([np.empty(0), *map(np.ravel, drawn)]).astype(float)
    if figure.layout[name].get("type") == "log":
        values = np.log10(values[values > 0])
    values = values[np.isfinite(values)]
    return bool((values >= low - 1e-9).all() and (values <= high + 1e-9).all())


def and_of_errors_along_delta():
    """The sliders of a ring, and the one with which a note jumped."""
    yield from sliders()
    declared = page("bounded_noise")
    [view] = [view for view in declared.views if view.key == "errors"]
    yield pytest.param(declared, view, "delta", id="errors along delta")


@pytest.mark.parametrize(("declared", "view", "key"), list(and_of_errors_along_delta()))
def test_no_note_jumps_across_the_plot_when_a_control_is_let_go(declared, view, key):
    """It stood where a crossing had been before the drag, and then 70 pixels further right."""
    figures = dragged(declared.slug, view.key, key)
    if not figures:
        return
    *_, moving, still = map(noted, figures)
    for said in moving.keys() & still.keys():
        if said[0]:  # else a value, which may stand anywhere along its curve
            assert abs(moving[said]["share"] - still[said]["share"]) <= FAR, said
