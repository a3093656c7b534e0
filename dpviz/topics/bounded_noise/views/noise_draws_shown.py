"""The noise itself: both densities, and the errors drawn from each."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot import axes
from dpviz.plot.marks import Dots, Mark, Part, Rule, Span, Text, tinted
from dpviz.plot.panels import Handle, Panel, Plotted, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import hundredths, predicted, readable, spoken, upwards
from dpviz.plot.theme import Theme
from dpviz.results.ends import rounded_up
from dpviz.results.evidence import Subject, guessed
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY, SHAPE, idle_controls
from dpviz.topics.bounded_noise.numbers_shown import whole_count
from dpviz.topics.bounded_noise.views.noise_draws import CalibratedDraws, Draw, noise_draws

_FRAMES = 48
_FRAME = 130  # milliseconds: the first answers come one by one, slow enough to read
_ALL = -1  # the stop at which all answers are drawn
_LANE = 32  # pixels
_SCATTER = 0.5  # height of a lane of dots, so that answers close together can be told apart
_BEYOND = Limit("guess", "%", "of all times", 0, 100, 50, log=False, step=1)
_FLANKS = (0.93, 0.6)  # of the height of each density, where its name is: the higher one first
_NOTED = 0.7  # of the plot between its walls, above which words beyond them have no room
_AWAY = 8  # pixels from a wall to words
_TOP = Part(0.98)
_GRIP = 0.3  # of the higher density, where nothing is said at the wall
_TELLING = (  # why bounded noise is wide
    "within Δ of R an<br>answer is possible<br>with you, impossible<br>without: it must<br>be rare"
)
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
        "Each noise is the smallest of its shape for the same privacy. Of "
        f"{answers} drawn from each, the largest error is "
        f"{readable(abs(result.bounded.largest))} Δ for bounded noise, which never exceeds "
        f"{upwards(noise.radius)} Δ. For Gaussian noise it is "
        f"{readable(abs(result.gaussian.largest))} Δ; in a fresh draw it exceeds that "
        f"bound {often}.{together}"
    )


def figure(result: CalibratedDraws, theme: Theme) -> Figure:
    """Draw both densities, and below them the errors drawn, which a button plays one by one."""
    counts = np.geomspace(1, result.bounded.errors.size, _FRAMES).round().astype(int)
    stops = (*dict.fromkeys(counts.tolist()), _ALL)
    dots = f"{whole_count(result.bounded.errors.size)} of {whole_count(result.noise.queries)}"
    title = f"{axes.title(result.noise.x)}; {dots} as dots", f"Error (Δ), {dots} as dots"
    across = Side.around([-_span(result), _span(result)], title, held=True)
    densities = _densities(result, replace(across, title="", numbers=False))
    return played(
        theme, lambda count: (densities, _answers(result, count, across)), stops, each=_FRAME
    )


def _span(result: CalibratedDraws) -> float:
    return max(float(np.abs(curve.x).max()) for curve in result.noise.curves)


def _densities(result: CalibratedDraws, across: Side) -> Panel:
    """Return both densities, the walls, and why the bounded one is so wide."""
    noise, r = result.noise, result.noise.radius
    most = max(float(curve.y.max()) for curve in noise.curves)
    wall = f"R = {readable(r)} Δ"
    # Beyond the walls nothing is drawn but thin tails, if there is room.
    beyond = r < _NOTED * _span(result)
    right, left = ("SE", "SW") if beyond else ("SW", "SE")
    shift = _AWAY if beyond else -_AWAY
    guess = predicted(result.guess, "%").replace(": ", ":<br>")
    return Panel(
        across,
        Side.around([0.0, most], axes.title(noise.y), held=True),
        [
            # Here an answer is possible with a person, and impossible without.
            Span(x=(max(r - 1, -r), r), about=Subject.BOUNDED, seen=0.35),
            *_walls(result),
            *(Plotted(curve, noise) for curve in noise.curves),
            *_names(result),
            Text(
                (f"no bounded error beyond {wall}", wall),
                r,
                Part(1),
                to="NW",
                about=Subject.BOUNDED,
            ),
            Text(_TELLING, r, _TOP, to=right, shift=(shift, 0), small=True, roomy=True),
            Text(guess, -r, _TOP, to=left, shift=(-shift, 0), roomy=True),
        ],
        # The wall is dragged to as many answers as it is wide for, R ∝ √k.
        handle=Handle(
            "queries", r, _GRIP * most, {"value": noise.queries, "power": 2, "line": True}
        ),
    )


def _walls(result: CalibratedDraws) -> list[Rule]:
    """Return the walls of bounded noise."""
    r = result.noise.radius
    return [Rule(x=x, about=Subject.BOUNDED, wide=1, below=True) for x in (-r, r)]


def _names(result: CalibratedDraws) -> list[Text]:
    """Name both densities on their left: the higher one at its top, the other where it is wider.

    At their ends, where both are 0, nothing would tell them apart.
    """
    names = []
    curves = sorted(result.noise.curves, key=lambda curve: -float(curve.y.max()))
    for curve, share in zip(curves, _FLANKS, strict=False):
        left, high = curve.x <= 0, share * float(curve.y.max())
        x = float(np.interp(high, curve.y[left], curve.x[left]))
        name = curve.label, curve.label.removesuffix(" noise")
        names.append(Text(name, x, high, to="NW", shift=(-6, 0), about=curve, backed=True))
    return names


def _answers(result: CalibratedDraws, count: int, across: Side) -> Panel:
    """Return a lane for each noise: dots for the first `count` errors drawn, or all; the largest.

    How large these are is said above.
    """
    draws = (result.bounded, result.together, result.gaussian)
    lanes = [(*lane, draw) for lane, draw in zip(_LANES, draws, strict=True) if draw is not None]
    marks: list[Mark] = [*_walls(result)]
    said, short = [], []
    for level, (name, about, draw) in enumerate(lanes):
        if draw is result.together:
            ends, r = (level - _WALL, level + _WALL), result.together_radius
            marks += [Rule(x=x, y=ends, wide=1.5, about=about) for x in (-r, r)]
        if draw.errors.size:  # else it is still to be predicted
            errors = draw.errors[: None if count == _ALL else count]
            largest = draw.largest if count == _ALL else float(errors[np.argmax(np.abs(errors))])
            # The golden ratio spreads successive dots evenly over the lane.
            lane = level + _SCATTER * (np.arange(draw.errors.size) * 0.618034 % 1 - 0.5)
            x, y = errors.astype(np.float32), lane.astype(np.float32)
            marks.append(Dots(x, y, size=5, pale=0.5, about=about))
            dot: dict[str, Any] = {"size": 12, "edge": 1.5, "edged": "background"}
            marks.append(Dots([largest], [level], **dot, about=about))
            size = f"{readable(abs(largest))} Δ"
            said.append(tinted(f"{name} {size}", about))
            short.append(tinted(size, about))
    of = "all" if count == _ALL else str(count)
    return Panel(
        across,
        Side.rows([name for name, *_ in lanes]),
        marks,
        above=(f"Largest error of {of}: {', '.join(said)}", f"Largest of {of}: {', '.join(short)}"),
        pixels=_LANE * len(lanes),
    )


def hidden(result: CalibratedDraws) -> CalibratedDraws:
    """Return the result before the answer: bounded noise alone."""
    noise = replace(result.noise, curves=(result.noise.curve("bounded"),))
    return replace(result, noise=noise, gaussian=Draw(np.empty(0), math.nan))


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
        mark=guessed,
    ),
)
