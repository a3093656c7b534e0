"""A drawing as files hold it: a number is said once, whatever is drawn and read off by it.

A line of the figure route has the points of a curve twice, as a path and as places to point at, and
what is said at each in words that begin alike. At another width these are the same points on other
axes. dpviz/serve/lecture/held.js makes lines of what is made here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, pairwise, product, takewhile
from typing import Any

import numpy as np

from dpviz.plot.ink import Array
from dpviz.serve.lecture.delta import Difference, difference

JsonLine = Mapping[str, Any]
Points = list[Any]
"""Where parts of a drawing are that look alike, in columns, x and y by maps: each number is the
step from the one before, in hundredths of pixels. To those of a path come how many points each of
its parts has, and how each ends."""

AxisMaps = Mapping[str, tuple[float, float]]
"""By which axes lead from hundredths of pixels to those of another width: a ratio, an offset."""

NARROW = "narrow "
"""How the names of what a figure has for phones begin."""

_UNUSED = ("schema", "corrections", "done", "axes", "left", "right", "places")
_LONG = 8  # points from which on a path is taken out of the markup
_NEAR = 2  # hundredths of a pixel between two points that are the same, rounded twice
_NUMBER = r'"(-?[\d.]+)"'
_PLACED = {
    "circle": re.compile(f"circle cx={_NUMBER} cy={_NUMBER}"),
    "line": re.compile(f"line x1={_NUMBER} y1={_NUMBER} x2={_NUMBER} y2={_NUMBER}"),
    "rect": re.compile(f"rect x={_NUMBER} y={_NUMBER} width={_NUMBER} height={_NUMBER}"),
}
_END = r"(?:Z|h\.01)?"
_PATH = re.compile(f'path d="((?:M[^MLZh"]+(?:L[^MLZh"]+)*{_END})+)"')
_PART = re.compile(f"M([^Zh]+?)({_END})(?=M|$)")
_SPLIT = "\n"


def compact(line: JsonLine) -> dict[str, Any]:
    """Return a line with its markup in pieces, its points apart, and its words without repetition.

    A piece whose tag ends in @ stands for all that look so, at the next of the points.
    """
    pieces, points = _apart(line["svg"])
    ends = [_ends(part) for part in points]
    return {
        **{key: part for key, part in line.items() if key not in _UNUSED},
        "svg": pieces,
        "points": points,
        "readings": [_reading(reading, ends) for reading in line["readings"]],
    }


def played(frames: Sequence[Sequence[Sequence[Any]]]) -> list[list[list[Any]]]:
    """Return what a button plays, each change of a frame with its pieces and its points."""
    return [[[first, last, *_apart(svg)] for first, last, svg in frame] for frame in frames]


def both(wide: JsonLine, narrow: JsonLine) -> dict[str, Any]:
    """Return two compact lines of a figure as one: what the second has besides is named so.

    Of its points it has which of the first they are, and on which axes; of what is read off, what
    differs, without places that are the same on other axes.
    """
    changed = {key: part for key, part in narrow.items() if part != wide.get(key)}
    maps = _axis_maps(wide["scales"], narrow["scales"])
    changed["points"] = [next(_same(wide, maps, points), points) for points in narrow["points"]]
    if len(wide["readings"]) == len(narrow["readings"]):
        pairs = zip(wide["readings"], narrow["readings"], strict=True)
        changed["readings"] = [_read_beside(maps, *pair) for pair in pairs]
    return {**wide, **{NARROW + key: part for key, part in changed.items()}}


# --- Points ---------------------------------------------------------------------------------------


def _apart(markup: str) -> tuple[list[str], list[Points]]:
    """Return the pieces of a drawing, and the points that are taken out of them."""
    pieces: list[str] = []
    rows: list[Points | list[list[int]]] = []
    for piece in markup.split("<"):
        tag = piece.partition(" ")[0]
        if tag == "path" and (found := _PATH.match(piece)) and (points := _of_path(found[1])):
            rows.append(points)
            pieces.append(f"path@{piece[found.end() :]}")
        elif tag in _PLACED and (found := _PLACED[tag].match(piece)):
            x, y, *others = map(_hundredths, found.groups())
            row = [x, y, x + others[0], y + others[1]] if tag == "rect" else [x, y, *others]
            bare = f"{tag}@{piece[found.end() :]}"
            if pieces[-1] != bare:
                pieces.append(bare)
                rows.append([])
            rows[-1].append(row)
        else:
            pieces.append(piece)
    return pieces, [part if isinstance(part[-1], str) else _columns(part) for part in rows]


def _of_path(path: str) -> Points | None:
    """Return the points of a path, None for one that is short or of another kind."""
    parts = _PART.findall(path)
    ends = {end for _, end in parts}
    points = [point.split(",") for part, _ in parts for point in part.split("L")]
    if len(points) <= _LONG or len(ends) > 1:
        return None
    placed = [list(map(_hundredths, point)) for point in points]
    return [*_columns(placed), [part.count("L") + 1 for part, _ in parts], *ends]


def _hundredths(text: str) -> int:
    return round(100 * float(text))


def _columns(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    columns = zip(*rows, strict=True)
    return [[ends[0], *(now - before for before, now in pairwise(ends))] for ends in columns]


def _ends(points: Points) -> Array:
    """Return where points are, in columns."""
    numbers = points[:2] if isinstance(points[-1], str) else points
    return np.cumsum(numbers, axis=1).astype(float)


def _axis_maps(wide: JsonLine, narrow: JsonLine) -> AxisMaps:
    """Return what leads from the axes of one line to those of another that has them, too."""
    maps = {}
    for name in filter(narrow.__contains__, wide):
        (low, high, start, end, _), (below, above, begin, stop, _) = wide[name], narrow[name]
        if end != start and above != below:
            each = (stop - begin) / (above - below)
            ratio = (high - low) / (end - start) * each
            maps[name] = ratio, 100 * (begin + (low - below) * each - ratio * start)
    return maps


def _same(wide: JsonLine, maps: AxisMaps, points: Points) -> Iterator[str]:
    """Yield which points of another line these are, and on which axes."""
    for number, others in enumerate(wide["points"]):
        if _kind(others) == _kind(points):
            for axes in product(*(_near(maps, letter, others, points) for letter in "xy")):
                moved = _moved(maps, axes, _ends(others))
                if np.all(np.abs(moved - _ends(points)) <= _NEAR):
                    yield f"{number} {' '.join(axes)}"


def _kind(points: Points) -> tuple[object, ...]:
    """Return how many points there are, and how a path goes through them."""
    return (len(points), len(points[0]), *(points[2:] if isinstance(points[-1], str) else ()))


def _near(maps: AxisMaps, letter: str, others: Points, points: Points) -> list[str]:
    """Return the axes on which the first of some points is that of others."""
    first, ours = (part["xy".index(letter)][0] for part in (others, points))
    of_letter = ((name, each) for name, each in maps.items() if name[0] == letter)
    return [name for name, (ratio, more) in of_letter if abs(ratio * first + more - ours) <= _NEAR]


def _moved(maps: AxisMaps, axes: Sequence[str], columns: Array) -> Array:
    """Return points, in hundredths of pixels, where other axes have them."""
    parts = zip(cycle(maps[name] for name in axes), columns, strict=False)
    return np.array([ratio * column + more for (ratio, more), column in parts])


# --- What is read off -----------------------------------------------------------------------------


def _reading(reading: JsonLine, points: Sequence[Array]) -> dict[str, Any]:
    """Return a reading with the number of the points that are its places, or these in columns."""
    with_words = [number for number, words in enumerate(reading["said"]) if words is not None]
    rows = [reading["places"][number] for number in with_words]
    places = np.array(rows).T
    every = 2 if reading["way"] == "steps" else 1
    drawn = (
        number
        for number, ends in enumerate(points)
        if ends[:, ::every].shape == places.shape
        and np.all(np.abs(ends[:, ::every] / 10 - places) <= 1)
    )
    texts = {
        key: _texts([reading[key][number] for number in with_words])
        for key in ("said", "at")
        if key in reading
    }
    return {**reading, **texts, "places": next(drawn, _columns(rows))}


def _texts(texts: Sequence[str]) -> list[str]:
    """Return how all texts begin, how they end, and what is between."""
    first = _beginning(texts)
    last = _beginning([text[len(first) :][::-1] for text in texts])[::-1]
    return [first, last, _SPLIT.join(text[len(first) : len(text) - len(last)] for text in texts)]


def _beginning(texts: Sequence[str]) -> str:
    """Return how all texts begin: the first and the last of them in the order of letters."""
    ends = min(texts, default=""), max(texts, default="")
    count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*ends, strict=False)))
    return ends[0][:count]


def _read_beside(maps: AxisMaps, reading: JsonLine, same: JsonLine) -> Difference:
    """Return in what a reading differs, with its places if they are others."""
    if _at_the_same(maps, reading, same):
        return difference(reading, {**same, "places": reading["places"]})
    return difference({**reading, "places": None}, same)


def _at_the_same(maps: AxisMaps, reading: JsonLine, same: JsonLine) -> bool:
    places = reading["places"], same["places"]
    if any(isinstance(part, int) for part in places):
        return bool(places[0] == places[1])
    if [*map(len, places[0])] != [*map(len, places[1])]:
        return False
    if reading["axes"] != same["axes"] or not maps.keys() >= {*reading["axes"]}:
        return False
    if not places[0]:
        return True
    ours, theirs = (10 * np.cumsum(part, axis=1) for part in places)
    return bool(np.all(np.abs(_moved(maps, reading["axes"], ours) - theirs) <= 10))
