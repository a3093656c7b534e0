"""How small the largest error can be, along k: what is open above what is impossible."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpviz.plot import axes
from dpviz.plot.chart import BAND
from dpviz.plot.marks import Band, Dots, Line, Mark, Part, Rule, Span, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, downwards, listed, readable, upwards, whole
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.topics.bounded_noise.limits_along_queries import WALLS, Limits, NoiseLimits

_TOGETHER, _APART = Subject.USER_LEVEL, Subject.BOUNDED
_WALL = Subject.LOWER_BOUND
_ROOM = 1.35  # times, from which a corridor has room for a word
_LABELS = {
    "together": "drawn together",
    "apart": "drawn one by one",
    "least": "no noise at all below",
    "floor": "none drawn one by one below",
}
_SAID = "k = %{{x:.3g}}: {}, %{{y:.4g}} Δ"


def takeaway(result: NoiseLimits) -> str:
    """State between what the least hard bound lies at the reader's k."""
    at, many = result.at, whole(result.here)
    if result.here == 1:
        return (
            "For one answer little is left to find: noise keeps every error within "
            f"{_up(at.reached, at.least)} Δ, and none does within {_down(at.least)} Δ."
        )
    if not at.name and at.together > at.floor:
        none = f"For {many} answers no bounded noise at all keeps within {_down(at.least)} Δ"
        return f"{none}; noise that needs little more is being looked for."
    if result.here <= result.settled:
        ends = _up(at.together, at.least), _down(at.least)
        return (
            f"For {many} answers noise drawn together is proven the best, to within Δ: no error "
            "exceeds {} Δ, and no noise at all keeps within {} Δ.".format(*ends)
        )
    if at.together <= at.apart:
        beats = ", less than is possible one by one" if at.together < at.floor else ""
        return (
            f"For {many} answers, noise drawn together keeps within {_up(at.together, at.least)} Δ"
            f"{beats}; no bounded noise at all keeps within {_down(at.least)} Δ."
        )
    enough = _up(at.apart, at.floor)
    reached = f"For {many} answers, noise drawn one by one keeps within {enough} Δ"
    if at.floor > at.least:
        none = f"no noise so drawn keeps within {_down(at.floor)} Δ"
        return f"{reached}, and {none}; some drawn together may."
    return f"{reached}; no bounded noise at all keeps within {_down(at.least)} Δ."


def detail(result: NoiseLimits) -> str:
    """State what is proven at the reader's k, and how."""
    at = result.at
    reached = []
    if at.together < math.inf:
        reached.append(f"drawn together, {upwards(at.together, 4)} Δ")
    if at.name:
        reached.append(f"drawn one by one, {upwards(at.apart, 4)} Δ with {at.name}")
    people = counted(at.people, "person", "people", write=whole)
    any_law = listed(
        [f"{_down(at.groups)} Δ by groups of people"] * (at.groups > 0)
        + [f"{_down(at.chain)} Δ by a chain of {people}"]
    )
    return (
        f"At k = {whole(result.here)} no error exceeds, {listed(reached)}. No noise at all, "
        f"whatever its law, keeps within {any_law}. Up to k = {whole(result.settled)}, where "
        "e^ε ≥ 2^k(1 − δ) − 1, joint noise is proven the best of all, to within Δ; elsewhere cut "
        "and nested noise are smaller in places. No noise of one law, drawn independently "
        f"for each answer, keeps within {_down(at.floor)} Δ{_proofs(at)}. As k grows the limit for "
        f"such noise is less than πσ, here {readable(result.limit)} Δ."
    )


def _proofs(at: Limits) -> str:
    """Return what proves more for noise drawn one by one."""
    if at.scores > np.fmax(at.pair, at.least):
        apart = counted(at.steps, "person", "people") if at.steps > 1 else "one person"
        return f", by sums of scores of data {apart} apart"
    return ", by two neighbouring data sets" if at.pair > at.least else ""


def _down(bound: float) -> str:
    """Write what is proven."""
    return downwards(bound, 4)


def _up(bound: float, beside: float) -> str:
    """Write what nothing exceeds, in as many digits as tell it from what is impossible."""
    return next((s for d in range(4, 10) if (s := upwards(bound, d)) != _down(beside)), "")


def figure(result: NoiseLimits, theme: Theme) -> Figure:
    """Draw the wall of what is impossible, what is reached above it, and what is open between."""
    (left, low), (right, high) = (tuple(map(math.log10, end)) for end in result.ends)
    across = Side(left, right, (axes.title(result.x), "Answers, k"), log=True, held=True)
    up = Side(low, high, (axes.title(result.y), "Largest error (Δ)"), log=True)
    until = f"k = {whole(result.settled)}"
    settled = f"Settled up to {until}: exp ε ≥ 2^k(1 − δ) − 1"
    heads = (
        (f"<b>Drawn together</b>, any law<br>{settled}", "<b>Together</b>"),
        ("<b>Drawn one by one</b>,<br>one law for all answers", "<b>One by one</b>"),
    )
    at = result.at
    together = [
        Span(x=(1.0, float(result.settled)), about=_TOGETHER, seen=0.12),
        *_corridor(result, "least", ("together", "apart")),
        *_here(result, at.least, at.reached),
    ]
    apart = [
        *_corridor(result, "floor", ("apart",)),
        *_beside(result),
        *_here(result, at.floor, at.apart),
    ]
    handle = Handle("queries", result.here)
    return stacked(
        theme,
        [
            Panel(across, up, together, above=heads[0], handle=handle, wide=1.08),
            Panel(across, replace(up, title=" ", numbers=False), apart, above=heads[1]),
        ],
    )


def _corridor(result: NoiseLimits, wall: str, ways: tuple[str, ...]) -> Iterator[Mark]:
    """Yield a wall, what is reached in these ways, of which the best counts, and their names."""
    k, known = result.along()
    floor, reached = known[wall], [known[way] for way in ways if way in known]
    best: FloatArray = np.fmin.reduce([np.full_like(k, math.nan), *reached])
    there, (_, low) = np.isfinite(best), result.ends[0]
    about = result.curve(ways[0]) if ways[0] in known else _APART
    yield Band(k, np.full_like(k, low), np.maximum(floor, low), about=_WALL, seen=0.15)
    if (result.done or 0.0) >= WALLS:  # between two far k the shade would cover the truth
        yield Band(k[there], floor[there], best[there], about=about, seen=BAND)
    yield Line(k, floor, about=_WALL, wide=2, said=_SAID.format(_LABELS[wall]))
    for way in ways:
        if way in known:
            least = known[way] <= best
            least[1:] |= least[:-1]  # up to the next point, so that two lines meet
            own = np.where(least, known[way], math.nan)
            yield Line(k, own, about=result.curve(way), wide=3, said=_SAID.format(_LABELS[way]))
    end = float(k[-1])
    yield Text(("proven impossible", "impossible"), end, Part(0.03), to="NW", shift=(-6.0, 0.0))
    far = end ** (0.9 if result.here**2 < end else 0.5)  # where the reader's numbers are not
    high, deep = (math.exp(np.interp(math.log(far), np.log(k), np.log(y))) for y in (best, floor))
    if high > _ROOM * deep:
        yield Text("open", far, math.sqrt(high * deep), small=True)
    if len(reached) > 1 and reached[-1][-1] == best[-1] and result.here**2 < end:
        words = ("one by one", "")
        yield Text(words, end, float(best[-1]), to="NW", shift=(-40.0, 2.0), about=_APART)


def _beside(result: NoiseLimits) -> Iterator[Mark]:
    """Yield what noise drawn together reaches, next to what none drawn one by one does."""
    at, (k, known) = result.at, result.along()
    below = np.where(known["together"] <= known["floor"], known["together"], math.nan)
    yield Line(k, below, about=_TOGETHER, wide=1.5, dash="dot", said=_SAID.format("drawn together"))
    if at.queries > 1 and at.together < at.floor:
        yield Dots([at.queries], [at.together], size=9, about=_TOGETHER)
        side, by = ("E", 8.0) if at.queries**2 < result.ends[1][0] else ("W", -8.0)
        words = ("drawn together", "")
        place = at.queries, at.together
        yield Text(words, *place, to=f"S{side}", shift=(by, 4.0), about=_TOGETHER, small=True)


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
