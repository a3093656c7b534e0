"""Hashing first: how many users hashing the domain first saves a private learner."""

import math

import numpy as np

from dpviz.plot.marks import Dots, Line, Mark, Part, Rule, Span, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve
from dpviz.scene.view import View
from dpviz.topics.user_complexity.views.users_against_domain import (
    RepresentationChart,
    users_against_domain,
)

_END = 0.1  # of the axis, at whose ends numbers stand inwards
_MIDDLE = 0.55  # of the axis, on whose other half words have room
_LEFT = 0.35  # of the axis, that a name takes
_UP = 0.96  # of the height, where the reader's line ends below words
_LAST, _NAMED = 0.85, 0.78  # of the axis: beyond the first, names end at the second, not at its end


def takeaway(chart: RepresentationChart) -> str:
    """State how many users both ways need."""
    listed, hashed = chart.value("points"), chart.value("hashed")
    task = f"To find a common one of {readable(chart.here)} points privately"
    hashing = "the points are first hashed into random buckets"
    least = min(hashed, listed)
    enough = f"{task}, {counted(least, 'user')} {agreeing(least, 'is', 'are')} enough"
    if hashed == listed:
        return f"{enough}, whether or not {hashing}."
    if hashed < listed:
        return f"{enough} if {hashing}, and {readable(listed)} if not."
    return f"{enough}, and {readable(hashed)} if {hashing}."


def detail(chart: RepresentationChart) -> str:
    """State the d that the hash proves, what the lemmas ask for, and what thresholds do."""
    least = chart.value("thresholds")
    return (
        "d is the logarithm of the size of a random set of hypotheses that suffices: at most "
        f"{readable(chart.size)} for points, whatever the domain. Thresholds on as many points "
        f"have Littlestone dimension {chart.depth}; to learn them privately takes at least "
        f"{counted(least, 'user')}, however many examples each holds. Users are counted for a "
        "point just heavier than α, found with probability 2/3; the proof of Theorem 4, good "
        f"for every input, asks for {readable(chart.value('proof'))} (Lemma 22)."
    )


def notes(chart: RepresentationChart) -> list[str]:
    """Say what Lemmas 21 and 22 are worth here, in numbers."""
    made, needed, asked = chart.boosted, chart.value("hashed"), chart.value("proof")
    return [
        "“points, hashed: by the proof” is Lemma 22 with exact binomial tails, then the "
        "exponential mechanism "
        f"within the score that this leaves. It takes {readable(asked)} users, where the "
        f"mechanism itself needs {readable(needed)}.",
        "“points, boosted” is Lemma 21. It makes a representation for α out of one for an "
        "error of 1/4, "
        f"here of {made.weak} hypotheses: each hypothesis of the new one is a majority of "
        f"{made.rounds} votes, each taken from {made.copies} copies put together. That works "
        "for every class, but ln |H| becomes "
        f"{readable(made.log_size)}, where hashing for α directly has {readable(chart.size)}. "
        "These users are proven to be enough; they are not the fewest.",
    ]


def figure(chart: RepresentationChart, theme: Theme) -> Figure:
    """Draw the users of both ways along the domain's size, and on which side which needs fewer."""
    listed, hashed = chart.curve("points"), chart.curve("hashed")
    first, last = float(listed.x[0]), float(listed.x[-1])
    most = 1.2 * max(float(listed.y[-1]), float(hashed.y[-1]))
    turn = _crossing(listed, hashed)
    ends = [chart.value(key) for key in ("points", "hashed")]
    about = readable(turn, 2)

    def place(x: float) -> float:
        return (math.log(x) - math.log(first)) / (math.log(last) - math.log(first))

    here = place(chart.here)
    towards = "NE" if here < _END else "NW", "SW" if here > 1 - _END else "SE"
    sides = [(to, 8.0 if to[1] == "E" else -8.0) for to in towards]
    named = last if here < _LAST else first ** (1 - _NAMED) * last**_NAMED
    fewer = (f"from about {about} points on, fewer are enough if hashed first", f"from {about} on")
    left = here > _LEFT and place(min(turn, last)) > _LEFT  # nothing else is there
    marks: list[Mark | None] = [
        Span(x=(turn, last), about=hashed, seen=0.03) if turn < last else None,
        Text(fewer, turn, Part(1), to="NW" if place(turn) > _MIDDLE else "NE")
        if turn < last
        else None,
        *(Line(c.x, c.y, about=c, wide=3.0) for c in (listed, hashed)),
        Rule(x=chart.here, y=(0.0, _UP * most), wide=1.5),
        Rule(x=chart.here, y=(min(ends), max(ends)), about=hashed, wide=4.0),
        Dots([chart.here] * 2, ends, about=[listed, hashed], size=10),
        Dots([turn], [float(hashed.y[-1])], size=12, symbol="circle-open", edge=2.5)
        if first < turn < last
        else None,
        *(
            Text(f"<b>{readable(y)}</b>", chart.here, y, to=to, shift=(by, 0), large=True)
            for y, (to, by) in zip(sorted(ends, reverse=True), sides, strict=True)
        ),
        Text(
            ("choose among all points", "all points"),
            named,
            float(np.interp(math.log(named), np.log(listed.x), listed.y)),
            to="NW",
            shift=(-8, 4),
            about=listed,
        ),
        Text(
            ("hash the points first", "hashed first"),
            first if left else named,
            float(hashed.y[-1]),
            to="NE" if left else "SW",
            shift=(8, 4) if left else (-8, -4),
            about=hashed,
        ),
    ]
    return stacked(
        theme,
        Panel(
            Side(math.log10(first), math.log10(last), "Points in the domain, k", log=True),
            Side(0.0, most, chart.y.label),
            marks,
            handle=Handle("domain_size", chart.here, max(ends), {"line": True}),
        ),
    )


def _crossing(listed: Curve, hashed: Curve) -> float:
    """Return about where hashing begins to need fewer users: infinity where it never does."""
    ahead = np.flatnonzero(listed.y > hashed.y)
    if not ahead.size or not ahead[0]:
        return float(listed.x[0]) if ahead.size else math.inf
    before = int(ahead[0]) - 1
    gap = (hashed.y - listed.y)[before : before + 2]
    part = gap[0] / (gap[0] - gap[1])
    x = np.log(listed.x[before : before + 2])
    return float(np.exp(x[0] + part * (x[1] - x[0])))


VIEW = View(
    key="representation",
    title="Hashing first",
    compute=users_against_domain,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("domain_size", "alpha", "epsilon", "examples_per_user"),
    in_sight=("domain_size", "alpha", "epsilon"),
    defaults={"domain_size": 10**6},
    pulled={"domain_size": "one of # points"},
)
