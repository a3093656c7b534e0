"""How small the largest error can be, along k: a corridor between two walls, for two kinds of noise."""

import math
from collections.abc import Iterator

import numpy as np

from dpviz.plot import axes
from dpviz.plot.chart import BAND
from dpviz.plot.marks import Band, Dots, Line, Mark, Rule, Span, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.topics.bounded_noise.limits_along_queries import Limits, NoiseLimits
from dpviz.topics.bounded_noise.numbers_shown import rounded_up, whole_count

_TOGETHER, _APART = Subject.USER_LEVEL, Subject.BOUNDED
_WALL = Subject.LOWER_BOUND
_ROOM = 1.35  # times, from which a corridor has room for a word
_LABELS = {
    "together": "drawn together",
    "apart": "drawn one by one",
    "least": "no bounded noise below",
    "floor": "none drawn one by one below",
}
_SAID = "k = %{{x:.3g}}: {}, %{{y:.4g}} Δ"


def takeaway(result: NoiseLimits) -> str:
    """State between what the least hard bound lies at the reader's k."""
    at, many = result.at, whole_count(result.here)
    if result.here == 1:
        return (
            f"For one answer the least hard bound is known: noise keeps every error within "
            f"{_up(at.reached, at.least)} Δ, and none does within {_down(at.least)} Δ."
        )
    none = f"For {many} answers no bounded noise keeps within {_down(at.least)} Δ"
    if not at.name and at.together > at.floor:
        return f"{none}; noise that keeps within little more is being looked for."
    if at.together <= at.apart:
        return f"{none}; drawn together, {_up(at.together, at.least)} Δ is reached{_beats(at)}."
    return (
        f"For {many} answers no noise drawn one by one keeps within {_down(at.floor)} Δ, and "
        f"{_up(at.apart, at.floor)} Δ is reached; whether noise drawn together does better is open."
    )


def _beats(at: Limits) -> str:
    """State where noise drawn together is, next to what none drawn one by one reaches."""
    if at.together < at.floor:
        return ", which none drawn one by one reaches"
    return ", less than is known of noise drawn one by one" if at.name else ""


def detail(result: NoiseLimits) -> str:
    """State what is proven at the reader's k, and how."""
    at, many = result.at, whole_count(result.here)
    reached = [f"together, {rounded_up(at.together, 4)} Δ"] if at.together < math.inf else []
    reached += [f"one by one, {rounded_up(at.apart, 4)} Δ by {at.name}"] if at.name else []
    until = whole_count(result.settled)
    return (
        f"At k = {many} no error exceeds, drawn {' and, '.join(reached)}. Of noise of any law none "
        f"keeps within {_down(at.least)} Δ. Up to k = {until}, where e^ε ≥ 2^k(1 − δ) − 1, joint "
        "noise is the best there is, to within Δ; beyond, that says something of groups of people. "
        f"Of noise of one law, drawn independently for each answer, none keeps within "
        f"{_down(at.floor)} Δ{_proofs(at)}."
    )


def _proofs(at: Limits) -> str:
    """Return which proofs there are for noise drawn one by one."""
    parts = []
    if math.isfinite(at.pair):
        parts.append(f"two neighbouring data sets prove {_down(at.pair)} Δ")
    people = "one person proves"
    if at.people > 1:
        people = f"{whole_count(at.people)} people, replaced one by one, prove"
    parts.append(f"data of {people} {_down(at.chain)} Δ, also if the law changes")
    if at.steps:
        apart = "neighbouring data sets" if at.steps == 1 else f"data sets {at.steps} people apart"
        parts.append(f"sums of scores of two {apart} prove {_down(at.scores)} Δ")
    return f": {'; '.join(parts)}"


def _down(bound: float) -> str:
    """Write what is proven, rounded down."""
    unit = _unit(bound, 4)
    return readable(math.floor(bound / unit + 1e-9) * unit, 4) if bound else "0"


def _up(bound: float, beside: float) -> str:
    """Write what nothing exceeds, rounded up, in so many digits that it is more than what is below."""
    digits = next((d for d in range(4, 9) if bound - beside > _unit(bound, d) / 2), 9)
    return rounded_up(bound, digits)


def _unit(value: float, digits: int) -> float:
    """Return one of the last of so many digits of a number."""
    return 10.0 ** (math.floor(math.log10(value)) + 1 - digits)


def figure(result: NoiseLimits, theme: Theme) -> Figure:
    """Draw the wall of what is impossible, what is reached above it, and what is open between."""
    (left, low), (right, high) = (tuple(map(math.log10, end)) for end in result.ends)
    across = Side(left, right, (axes.title(result.x), "Answers, k"), log=True, held=True)
    up = Side(low, high, (axes.title(result.y), "Largest error (Δ)"), log=True)
    until = f"k = {whole_count(result.settled)}"
    settled = f"settled up to {until}, where e^ε ≥ 2^k(1 − δ) − 1"
    heads = (
        (f"<b>Drawn together</b>: {settled}", f"<b>Together</b>: settled up to {until}"),
        ("<b>Drawn one by one</b>", "<b>One by one</b>"),
    )
    at = result.at
    together = [
        Span(x=(1.0, float(result.settled)), about=_TOGETHER, seen=0.12),
        *_corridor(result, "least", ("together", "apart")),
        *_here(result, at.least, at.reached),
    ]
    apart = [*_corridor(result, "floor", ("apart",)), *_here(result, at.floor, at.apart)]
    panels = [
        Panel(across, up, marks, above=head, handle=Handle("queries", result.here))
        for marks, head in zip((together, apart), heads, strict=True)
    ]
    return stacked(theme, panels, beside=1)


def _corridor(result: NoiseLimits, wall: str, ways: tuple[str, ...]) -> Iterator[Mark]:
    """Yield a wall, what is reached in these ways, of which the best counts, and their names."""
    k, known = result.along()
    floor, reached = known[wall], [known[way] for way in ways if way in known]
    best: FloatArray = np.fmin.reduce([np.full_like(k, math.nan), *reached])
    there, (_, low) = np.isfinite(best), result.ends[0]
    about = result.curve(ways[0]) if ways[0] in known else _APART
    yield Band(k, np.full_like(k, low), np.maximum(floor, low), about=_WALL, seen=0.15)
    # Where something is still looked for, what is open is not known.
    yield Band(k[there], floor[there], best[there], about=about, seen=BAND, late=True)
    yield Line(k, floor, about=_WALL, wide=2, said=_SAID.format(_LABELS[wall]))
    for way in ways:
        if way in known:
            own = np.where(known[way] <= best, known[way], math.nan)
            yield Line(k, own, about=result.curve(way), wide=3, said=_SAID.format(_LABELS[way]))
    end, of = float(k[-1]), {"to": "W", "shift": (-6.0, 0.0)}
    yield Text(("proven impossible", "impossible"), end, math.sqrt(low * floor[-1]), **of)
    if best[-1] > _ROOM * floor[-1]:
        yield Text("open", end, math.sqrt(best[-1] * floor[-1]), **of)


def _here(result: NoiseLimits, proven: float, reached: float) -> Iterator[Mark]:
    """Yield both ends of what is open at the reader's k, with their numbers."""
    x = result.here
    yield Rule(x=x, wide=1, about="muted")
    side, by = ("E", 8.0) if x * x < result.ends[1][0] else ("W", -8.0)
    yield Text(f"{_down(proven)} Δ", x, proven, to=f"S{side}", shift=(by, -2.0), backed=True)
    if reached < math.inf:
        about = _TOGETHER if reached == result.at.together else _APART
        yield Rule(x=x, y=(proven, reached), wide=5)
        yield Dots([x], [reached], size=11, about=about)
        words = f"<b>{_up(reached, proven)} Δ</b>"
        yield Text(words, x, reached, to=f"N{side}", shift=(by, 2.0), about=about, backed=True)
