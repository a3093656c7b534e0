"""The noise itself: the errors drawn from each noise, and both densities."""

from dataclasses import replace

import numpy as np

from dpviz.plot.marks import Dots, Line, Mark, Part, Rule, Span, Text, Words
from dpviz.plot.panels import Handle, Panel, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, percent, predicted, readable, upwards, whole
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject, guessed
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY, SHAPE, idle_controls
from dpviz.topics.bounded_noise.views.noise_draws import CalibratedDraws, Draw, noise_draws

_FRAMES = 48
_FRAME = 130  # milliseconds: the first answers come one by one, slow enough to read
_ALL = -1  # the stop at which all answers are drawn
_BETWEEN = 0.4  # between both lanes, where no dots are
_SCATTER = 0.5  # height of a lane of dots, so that answers close together can be told apart
_BEYOND = Limit("guess", "of k", "errors beyond R", 0.01, 1e7, 100)
_ROOM = 0.72  # of the plot between its walls, above which words beyond them have no room
_HARDLY = 0.0005
_MANY = 1.5  # errors beyond the walls on average, from which on they are counted
_LANES = (("bounded", Subject.BOUNDED), ("Gaussian", Subject.GAUSSIAN))


def takeaway(result: CalibratedDraws) -> str:
    """State the bound, and how often Gaussian noise breaks it."""
    noise = result.noise
    radius = upwards(noise.radius)
    rarely = noise.exceeded < _HARDLY
    if noise.queries == 1:
        breaks = "it hardly ever does" if rarely else f"it does {_often(result)}"
        exceeds = f"exceeds {radius} Δ; with Gaussian noise"
        return f"With bounded noise the error of one answer never {exceeds} {breaks}."
    breaks = "hardly ever one does" if rarely else f"one does, {_often(result)}"
    if noise.beyond >= _MANY:
        breaks = f"about {_count(result)} do"
    exceeds = f"exceeds {radius} Δ with bounded noise; with Gaussian noise"
    return f"None of {whole(noise.queries)} errors {exceeds} {breaks}."


def _often(result: CalibratedDraws) -> str:
    return f"with probability {percent(result.noise.exceeded)}"


def _count(result: CalibratedDraws) -> str:
    return whole(float(f"{result.noise.beyond:.2g}"))


def detail(result: CalibratedDraws) -> str:
    """State the largest error of both draws, and how often Gaussian noise breaks the bound."""
    noise = result.noise
    often = f"with probability {readable(noise.exceeded)}"
    if noise.exceeded > 0.9995:
        often = "almost certainly"
    elif noise.exceeded == 0:
        often = "with a probability too small for a computer's numbers"
    answers = f"{whole(noise.queries)} {agreeing(noise.queries, 'answer', 'answers')}"
    return (
        "Each noise is the smallest of its shape for the same privacy. Of "
        f"{answers} drawn from each, the largest error is "
        f"{readable(abs(result.bounded.largest))} Δ for bounded noise, which never exceeds "
        f"{upwards(noise.radius)} Δ. For Gaussian noise it is "
        f"{readable(abs(result.gaussian.largest))} Δ; in a fresh draw it exceeds that "
        f"bound {often}."
    )


def figure(result: CalibratedDraws, theme: Theme) -> Figure:
    """Draw the errors between the walls and beyond, played one by one, and why one is so wide."""
    counts = np.geomspace(1, result.bounded.errors.size, _FRAMES).round().astype(int)
    stops = (*dict.fromkeys(counts.tolist()), _ALL)
    title = "Error (Δ: what one person can change)", "Error (Δ)"
    across = Side.around([-_span(result), _span(result)], title, held=True)
    densities = _densities(result, across)
    answers = replace(across, title="", numbers=False)
    return played(
        theme, lambda count: (_answers(result, count, answers), densities), stops, each=_FRAME
    )


def _span(result: CalibratedDraws) -> float:
    return max(float(np.abs(curve.x).max()) for curve in result.noise.curves)


def _walls(result: CalibratedDraws) -> list[Mark]:
    """Return the walls of bounded noise, and what is beyond them."""
    r, end = result.noise.radius, 2 * _span(result)
    return [
        *(Span(x=x, about=Subject.BOUNDED, seen=0.08) for x in ((-end, -r), (r, end))),
        *(Rule(x=x, about=Subject.BOUNDED, wide=2, below=True) for x in (-r, r)),
    ]


def _answers(result: CalibratedDraws, count: int, across: Side) -> Panel:
    """Return a lane for each noise: the first `count` errors drawn, or all."""
    noise, r = result.noise, result.noise.radius
    marks: list[Mark | None] = [*_walls(result)]
    for level, (_, about) in enumerate(_LANES):
        draw = (result.bounded, result.gaussian)[level]
        if draw.errors.size:  # else it is still to be predicted
            every = count == _ALL
            errors = draw.errors[: None if every else count]
            known = draw.drawn if every else errors
            largest = float(known[np.argmax(np.abs(known))])
            lane = _lane(level, errors.size)
            lane[errors == largest] = level
            x, y = errors.astype(np.float32), lane.astype(np.float32)
            marks.append(Dots(x, y, size=5, pale=0.5, about=about))
            outside = known[(np.abs(known) > r) & (known != largest)]
            dots = [largest, *outside.tolist()]
            at, sizes = [level, *_lane(level, outside.size)], 7.0
            marks.append(Dots(dots, at, size=sizes, edge=1, edged="background", about=about))
            if every and not level and errors.size < noise.queries:
                to = "W" if largest > 0 else "E"
                marks.append(Text(("outermost", ""), largest, _BETWEEN, to=to, about=about))
    end = _span(result)
    if r < _ROOM * end:
        middle = (r + end) / 2
        never = ("<b>never here</b>", "<b>never</b>")
        marks.append(Text(never, middle, 0, about=Subject.BOUNDED))
        if noise.beyond >= _MANY and result.gaussian.errors.size:
            many = f"<b>about {_count(result)}</b><br>of {whole(noise.queries)}"
            words = many, f"<b>{_count(result)}</b>"
            marks.append(Text(words, Part(0.99), 1, to="W"))
    guess = predicted(result.guess).replace(": ", ":<br>")
    marks.append(Text(guess, -r, 0, to="E", shift=(6, 0), roomy=True))
    marks.append(Text(f"wall: {upwards(r)} Δ", r, Part(1), to="N", about=0))
    return Panel(
        across,
        Side.rows([name for name, _ in _LANES]),
        marks,
        above=_seen(result),
        # The wall is dragged to as many answers as it is wide for, R ∝ √k.
        handle=Handle("queries", r, more={"value": noise.queries, "power": 2}),
    )


def _seen(result: CalibratedDraws) -> Words:
    """Say whose dots there are."""
    count, drawn = result.noise.queries, result.bounded.errors.size
    errors = f"{whole(count)} {agreeing(count, 'error', 'errors')} from each noise"
    if drawn == count:
        return errors
    return f"{drawn} of {errors}, and the outermost", errors


def _lane(level: int, count: int) -> FloatArray:
    """Return heights of so many dots; the golden ratio spreads successive ones evenly."""
    heights: FloatArray = level + _SCATTER * (np.arange(float(count)) * 0.618034 % 1 - 0.5)
    return heights


def _densities(result: CalibratedDraws, across: Side) -> Panel:
    """Return both densities: what it costs that one of them ends."""
    noise = result.noise
    most = max(float(curve.y.max()) for curve in noise.curves)
    lines = [
        Line(curve.x, curve.y, about=curve, said=f"{curve.label}: %{{y:.3g}}")
        for curve in noise.curves
    ]
    return Panel(
        across,
        replace(Side.around([0.0, most], held=True), grid=False, numbers=False),
        [*_walls(result), *lines],
        above=(
            f"The price: a wider bell and, with a chance of at most δ = {readable(noise.delta)}, "
            "answers that give you away",
            f"The price: a wider bell, and δ = {readable(noise.delta)}",
        ),
        share=0.45,
    )


def hidden(result: CalibratedDraws) -> CalibratedDraws:
    """Return the result before the answer: bounded noise alone."""
    noise = replace(result.noise, curves=(result.noise.curve("bounded"),))
    return replace(result, noise=noise, gaussian=Draw(np.empty(0)))


def answer(result: CalibratedDraws) -> str:
    """Return how many Gaussian errors exceed the bound, on average."""
    return readable(result.noise.beyond)


VIEW = View(
    key="noise",
    title="The noise itself",
    compute=noise_draws,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=(*PRIVACY, *SHAPE, "seed"),
    in_sight=("queries", "epsilon", "delta"),
    pulled={"queries": "None of # errors"},
    why="Once answers are many, a hundred times as many need ten times the noise, of either kind. "
    "Gaussian noise has no largest value, so the worst of many lies far out; bounded noise ends at "
    "a wall. Near it an answer is impossible without you; that must be rare, so the bell is wider.",
    idle=idle_controls,
    prediction=Prediction(
        question="No error from bounded noise lies beyond its walls, R. Gaussian noise keeps "
        "the k answers as private. How many of its k errors exceed R, on average?",
        guess=Number(_BEYOND),
        hide=hidden,
        answer=answer,
        value=lambda result: result.noise.beyond,
        mark=guessed,
    ),
)
