"""The noise itself: both densities, and the errors drawn from each."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure, scatter
from dpviz.plot.text import hundredths, readable, spoken, upwards
from dpviz.plot.theme import Theme
from dpviz.results.ends import rounded_up
from dpviz.results.evidence import Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY, SHAPE, idle_controls
from dpviz.topics.bounded_noise.numbers_shown import whole_count
from dpviz.topics.bounded_noise.views.noise_draws import CalibratedDraws, Draw, noise_draws

_FRAMES = 48
_FRAME = 130  # milliseconds: the first answers come one by one, slow enough to read
_LANE = 65  # pixels
_SCATTER = 0.3  # height of a lane of dots, so that answers close together can be told apart
_BEYOND = Limit("guess", "%", "of all times", 0, 100, 50, log=False, step=1)
_FLANKS = (0.93, 0.6)  # of the height of each density, where its name is: the higher one first
_RIGHT = 30  # pixels beside the plot: half of the last number
_SPARE = 1.5  # times as wide as it must be an axis gets that gives way to a movement
_NOTED = 0.7  # of the plot between its walls, above which words beyond them have no room
_LARGEST = 11  # letters' heights that the words of the largest error are long
_GRIP = 0.3  # of the plot's height, where nothing is said at the wall
_LANES = (
    ("bounded", Subject.BOUNDED),
    ("together", Subject.USER_LEVEL),
    ("Gaussian", Subject.GAUSSIAN),
)
_WALL = 0.35  # of a lane, up and down, where noise drawn together ends


def takeaway(result: CalibratedDraws) -> str:
    """State the bound, and how often Gaussian noise breaks it."""
    noise = result.noise
    often = f"with probability {answer(result)}"
    if noise.exceeded > 0.9995:
        often = "almost certainly"
    elif noise.exceeded < 0.0005:
        often = "hardly ever"
    many = noise.queries > 1
    answers = f"Among {whole_count(noise.queries)} answers" if many else "In one answer"
    largest = "the largest Gaussian error exceeds" if many else "a Gaussian error exceeds"
    return (
        f"No error from bounded noise exceeds {spoken(rounded_up(noise.radius))} times what one "
        f"person can change (Δ). {answers}, {largest} that {often}."
    )


def detail(result: CalibratedDraws) -> str:
    """State the largest error of both draws, and how often Gaussian noise breaks the bound."""
    noise = result.noise
    often = f"with probability {readable(noise.exceeded)}"
    if noise.exceeded > 0.9995:
        often = "almost certainly"
    elif noise.exceeded == 0:
        often = "with a probability too small for a computer's numbers"
    answers = f"{whole_count(noise.queries)} answer{'s' if noise.queries > 1 else ''}"
    together = ""
    if result.together is not None:
        together = (
            " Drawn for all answers together, noise never exceeds "
            f"{upwards(result.together_radius)} Δ; its largest error here is "
            f"{readable(abs(result.together.largest))} Δ."
        )
    return (
        f"Both noises are as small as the same privacy allows. Of {answers} drawn from each, "
        f"the largest error is {readable(abs(result.bounded.largest))} Δ for bounded noise, "
        f"which never exceeds {upwards(noise.radius)} Δ. For Gaussian noise it is "
        f"{readable(abs(result.gaussian.largest))} Δ; in a fresh draw it exceeds that "
        f"bound {often}.{together}"
    )


def figure(result: CalibratedDraws, theme: Theme) -> Figure:
    """Draw both densities, and below them the errors drawn, which a button plays one by one."""
    theme = theme.crowded()
    drawn = draw(result.noise, _with_room(result, theme))
    margin, height = drawn.layout["margin"], drawn.layout["height"]
    if not theme.compact:  # no name is beside the plot
        margin = margin | {"r": theme.px(_RIGHT)}
    lanes = _lanes(result)
    strip = _LANE * len(lanes)
    share = strip / (height - margin["t"] - margin["b"] + strip)
    crowded = _crowded(theme)
    width = theme.width - margin["l"] - margin["r"]
    between = width * result.noise.radius / drawn.layout["xaxis"]["range"][1]
    beside = crowded and between < _LARGEST * theme.font_size
    looks, final = _strip_looks(result, theme), _strip(result, None, crowded, beside)
    # A frame that leaves out a trace of either panel would clear that panel.
    above: list[dict[str, Any]] = [{} for _ in drawn.data]
    drawn.add_traces(scatter(**look, **now) for look, now in zip(looks, final, strict=True))
    counts = np.geomspace(1, result.bounded.errors.size, _FRAMES).round().astype(int)
    # While a control moves nobody plays them, and they are half of what is drawn and sent.
    moving = theme.held is not None or theme.labels == "only"  # and a path has one control
    drawn.frames = [
        {
            "name": str(count),
            "traces": list(range(len(drawn.data))),
            "data": [*above, *_strip(result, count, crowded, beside)],
        }
        for count in (() if moving else (*dict.fromkeys(counts.tolist()), None))
    ]
    dots = f"{whole_count(result.bounded.errors.size)} of {whole_count(result.noise.queries)} "
    dots += "as dots" if crowded else "answers as dots"
    across = drawn.layout["xaxis"]
    # With little room the buttons stand below the title; a path has none.
    beneath = theme.px(56 if crowded and theme.labels != "only" else 20)
    if theme.labels:  # on a page
        drawn.update_layout(meta={"drag": _handle(result, drawn)}, dragmode=False)
    return drawn.update_layout(
        height=height + strip + beneath,
        margin={
            "b": margin["b"] + beneath,
            "r": margin["r"],
            "l": max(margin["l"], round(10 + 0.5 * theme.font_size * len("Gaussian"))),
        },
        hovermode="closest",
        xaxis={key: _ticks(across[key], theme) for key in ("tickvals", "ticktext")}
        | {"anchor": "y2", "title": {"text": f"{across['title']['text']}<br>{dots}"}},
        yaxis={"domain": [share, 1]},
        yaxis2={
            "domain": [0, 0.9 * share],
            "range": [-0.5, len(lanes) - 0.2],
            "tickvals": [level for *_, level in lanes],
            "ticktext": [name for name, *_ in lanes],
            "showgrid": False,
            "fixedrange": True,
        },
        shapes=[
            *(_wall(x, theme) for x in (-result.noise.radius, result.noise.radius)),
            *_walls_in_lanes(result, theme),
            *_telling(result, theme),
        ],
        annotations=[
            *(note for note in drawn.layout["annotations"] if not note["showarrow"]),
            *_names(result, theme),
            _wall_note(result.noise.radius, theme),
            *_telling_note(result, across["range"][1], theme),
            *_guess_note(result, across["range"][1], theme),
        ],
        updatemenus=[]
        if theme.labels == "only"
        else [play_button(theme, frame=_FRAME, pad=70 if crowded else 34, redraw=False)],
    )


def _with_room(result: CalibratedDraws, theme: Theme) -> Theme:
    """Return a theme whose axis, where a movement leaves it, has room for the steps to come."""
    if theme.held is None:
        return theme
    end = max(float(np.abs(curve.x).max()) for curve in result.noise.curves)
    (low, high), *others = theme.held
    if low <= -end and end <= high:
        return theme
    return replace(theme, held=((-_SPARE * end, _SPARE * end), *others))


def _handle(result: CalibratedDraws, drawn: Figure) -> dict[str, Any]:
    """Return what is dragged: the wall, for as many answers as it is wide for, R ∝ √k."""
    low, high = drawn.layout["yaxis"]["range"]
    noise = result.noise
    place = {"x": noise.radius, "y": low + _GRIP * (high - low), "line": True}
    return {"key": "queries", "value": noise.queries, "power": 2, **place}


def _ticks(values: Sequence[Any], theme: Theme) -> Sequence[Any]:
    """Return every second of the ticks, which lie about 0, where long numbers would collide."""
    return values[len(values) // 2 % 2 :: 2] if _crowded(theme) else values


def _crowded(theme: Theme) -> bool:
    """Say whether words have little room: on a phone, and where they are large."""
    return theme.compact or theme.scale > 1


def _wall(x: float, theme: Theme) -> dict[str, Any]:
    line = {"color": theme.subjects[Subject.BOUNDED], "width": 1}
    ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper"}
    return {"type": "line", "layer": "below", "line": line} | ends


def _lanes(result: CalibratedDraws) -> list[tuple[str, Subject, Draw, int]]:
    """Return the lanes of dots from above: name, subject, draw, and the place of each."""
    draws = (result.bounded, result.together, result.gaussian)
    known = [(*lane, draw) for lane, draw in zip(_LANES, draws, strict=True) if draw is not None]
    return [(*lane, len(known) - 1 - number) for number, lane in enumerate(known)]


def _walls_in_lanes(result: CalibratedDraws, theme: Theme) -> list[dict[str, Any]]:
    """Return the walls of noise drawn together, in its own lane."""
    return [
        {
            "type": "line",
            "line": {"color": theme.subjects[subject], "width": 1.5},
            "yref": "y2",
            "x0": x,
            "x1": x,
            "y0": level - _WALL,
            "y1": level + _WALL,
        }
        for _, subject, draw, level in _lanes(result)
        for x in (-result.together_radius, result.together_radius)
        if draw is result.together
    ]


def _names(result: CalibratedDraws, theme: Theme) -> list[dict[str, Any]]:
    """Name both densities on their left: the higher one at its top, the other where it is wider.

    At their ends, where both are 0, nothing would tell them apart. On a phone the lanes do.
    """
    if theme.compact:
        return []
    notes = []
    curves = sorted(result.noise.curves, key=lambda curve: -float(curve.y.max()))
    for curve, share in zip(curves, _FLANKS, strict=False):
        left, high = curve.x <= 0, share * float(curve.y.max())
        place = {"x": float(np.interp(high, curve.y[left], curve.x[left])), "y": high}
        look = {"xanchor": "right", "xshift": -6, "showarrow": False}
        words = {"text": curve.label, "font": {"color": theme.color(curve)}}
        notes.append(place | look | words)
    return notes


def _wall_note(radius: float, theme: Theme) -> dict[str, Any]:
    words = "R" if _crowded(theme) else "no bounded error beyond R"
    return {
        "text": f"{words} = {readable(radius)} Δ",
        "font": {"color": theme.subjects[Subject.BOUNDED]},
        "x": radius,
        "xanchor": "right",
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
    }


def _telling(result: CalibratedDraws, theme: Theme) -> list[dict[str, Any]]:
    """Shade where an answer is possible with a person, and impossible without."""
    r, color = result.noise.radius, theme.subjects[Subject.BOUNDED]
    look = {"type": "rect", "layer": "below", "fillcolor": color, "opacity": 0.35}
    ends = {"x0": max(r - 1, -r), "x1": r, "y0": 0, "y1": 1, "yref": "y domain"}
    return [look | ends | {"line": {"width": 0}}]


def _telling_note(result: CalibratedDraws, end: float, theme: Theme) -> list[dict[str, Any]]:
    """Say why bounded noise is wide: what is within Δ of the wall must be rare.

    Beyond the wall, where nothing is drawn but a thin tail; high inside it where the plot ends.
    """
    if _crowded(theme):
        return []
    if result.noise.radius < _NOTED * end:
        words = "within Δ of R<br>an answer is<br>possible with<br>you, impossible<br>"
        words += "without you:<br>it must be rare"
        place = {"xanchor": "left", "xshift": 8, "align": "left"}
    else:
        words = "within Δ of R an<br>answer is possible<br>with you, impossible<br>"
        words += "without: it must be rare"
        place = {"xanchor": "right", "xshift": -8, "align": "right"}
    place |= {"x": result.noise.radius, "y": 0.98, "yanchor": "top", "yref": "y domain"}
    return [place | {"showarrow": False, "font": {"size": theme.font_size - 1}, "text": words}]


def _guess_note(result: CalibratedDraws, end: float, theme: Theme) -> list[dict[str, Any]]:
    """Write what the reader predicted beyond the left wall; inside it where the plot ends.

    With little room the sentence alone says it.
    """
    if math.isnan(result.guess) or _crowded(theme):
        return []
    text = f"your prediction:<br>{readable(result.guess)}%"
    place = {"xanchor": "left", "xshift": 6, "align": "left"}
    if result.noise.radius < _NOTED * end:
        place = {"xanchor": "right", "xshift": -6, "align": "right"}
    place |= {"x": -result.noise.radius, "yref": "paper", "y": 0.99, "yanchor": "top"}
    return [place | {"text": text, "showarrow": False}]


def _strip_looks(result: CalibratedDraws, theme: Theme) -> list[dict[str, Any]]:
    """Return what stays the same while answers are drawn: lanes of dots, their largest."""
    lanes = _lanes(result)
    colors = [theme.subjects[subject] for _, subject, *_ in lanes]
    levels = np.array([level for *_, level in lanes], dtype=np.float32)
    common = {"yaxis": "y2", "hoverinfo": "skip", "showlegend": False}
    # The golden ratio spreads successive dots evenly over the lane.
    spread = _SCATTER * (np.arange(result.bounded.errors.size) * 0.618034 % 1 - 0.5)
    dots = [
        {
            "y": (level + spread).astype(np.float32),
            "mode": "markers",
            "marker": {"color": color, "size": 5, "opacity": 0.5},
        }
        for color, level in zip(colors, levels, strict=True)
    ]
    edge = {"color": theme.background, "width": 1.5}
    largest = {
        "y": levels,
        "mode": "markers",
        "marker": {"color": colors, "size": 12, "opacity": 1, "line": edge},
    }
    words = {"y": levels + 0.5, "mode": "text", "textfont": {"color": colors}}
    return [common | look for look in (*dots, largest, words)]


def _strip(
    result: CalibratedDraws, count: int | None, crowded: bool, beside: bool
) -> list[dict[str, Any]]:
    """Return what changes: the first `count` errors and the largest of them; all if None.

    What the largest are is said in the middle, where no wall strikes it, or beside them where there
    is no room between the walls.
    """
    draws = [draw for *_, draw, _ in _lanes(result)]
    shown = [drawn.errors[:count].astype(np.float32) for drawn in draws]
    if count is None:
        largest = [drawn.largest for drawn in draws]
        # With little room how many they are is said once, below.
        said = "" if crowded else f" {whole_count(result.noise.queries)}"
        words = f"largest of all{said}" if result.noise.queries > 1 else "largest of 1"
    else:
        largest = [
            float(errors[np.argmax(np.abs(errors))]) if errors.size else math.nan
            for errors in shown
        ]
        words = f"largest of {count}"
    sides = ["middle left" if error > 0 else "middle right" for error in largest]
    return [
        *({"x": errors} for errors in shown),
        {"x": largest},
        {
            "x": largest if beside else [0.0] * len(largest),
            "text": [
                "" if math.isnan(error) else f"{words}: {readable(abs(error))} Δ"
                for error in largest
            ],
            "textposition": sides if beside else "middle center",
        },
    ]


def hidden(result: CalibratedDraws) -> CalibratedDraws:
    """Return the result before the answer: bounded noise alone."""
    noise = replace(result.noise, curves=(result.noise.curve("bounded"),))
    return replace(result, noise=noise, gaussian=Draw(np.empty(0), math.nan))


def marked(result: CalibratedDraws, percent: float) -> CalibratedDraws:
    """Return the result with how often the reader thinks that Gaussian noise exceeds R."""
    return replace(result, guess=percent)


def answer(result: CalibratedDraws) -> str:
    """Return how often it does."""
    return f"{hundredths(result.noise.exceeded)}%"


VIEW = View(
    key="noise",
    title="The noise itself",
    compute=noise_draws,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=(*PRIVACY, *SHAPE, "seed"),
    in_sight=("queries", "epsilon", "seed"),
    pulled={"queries": "Among # answers"},
    why="Once answers are many, a hundred times as many need ten times the noise, of either kind. "
    "Gaussian noise has no largest value, so the worst of many lies far out; bounded noise ends at "
    "a wall. Near it an answer is impossible without you; that must be rare, so the bell is wider.",
    idle=idle_controls,
    prediction=Prediction(
        question="No error from bounded noise lies beyond its walls, R. Gaussian noise keeps "
        "the k answers as private. How often, in percent, does one of its k errors exceed R?",
        guess=Number(_BEYOND),
        hide=hidden,
        answer=answer,
        value=lambda result: 100 * result.noise.exceeded,
        mark=marked,
    ),
)
