"""How small the largest error can be, along k: what is open above what is impossible."""

import math
from collections.abc import Iterator

import numpy as np

from dpviz.plot import axes
from dpviz.plot.chart import BAND
from dpviz.plot.marks import Band, Dots, Line, Mark, Part, Rule, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, downwards, listed, readable, upwards, whole
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.topics.bounded_noise.limits_along_queries import WALLS, Limits, NoiseLimits

_TOGETHER, _APART = Subject.USER_LEVEL, Subject.BOUNDED
_WALL = Subject.LOWER_BOUND
_ROOM = 1.35  # times, from which a corridor has room for a word
_WAYS = ("together", "apart")
_DRAWN = {"together": "drawn together", "apart": "drawn one by one"}
_FAR = 0.3  # of the axis, from the reader's place on, where its numbers do not stand
_NAME = 0.25  # of the axis, that a name needs left of its place
_ALONG = 0.7  # of where a line is free, that its name stands
_INSIDE = 2.0  # times the ends of the axis, between which the corridor is named
_FOOT = 0.2  # of the height, below which what is impossible is named
_EDGE = 0.15  # of the axis, that a number needs beside its place
_HOVER = "k = %{{x:.3g}}: {}, %{{y:.4g}} Δ"


def takeaway(result: NoiseLimits) -> str:
    """State between what the least hard bound lies at the reader's k."""
    at, many = result.at, whole(result.here)
    if result.here == 1:
        return (
            "For one answer little is left to find: noise keeps the error within "
            f"{_up(at.reached, at.least)} Δ, and none this private can within {_down(at.least)} Δ."
        )
    if not at.name and at.together > at.floor:
        none = f"No noise this private keeps all errors of {many} answers within {_down(at.least)}"
        return f"{none} Δ; noise that needs little more is being looked for."
    if result.here <= result.settled:
        ends = _up(at.together, at.least), _down(at.least)
        return (
            f"Noise drawn together for {many} answers is proven the best, to within Δ: it "
            "keeps all errors within {} Δ, and none this private can within {} Δ.".format(*ends)
        )
    drawn = f"together for {many} answers, not one by one,"
    if at.together > at.apart:
        drawn = f"one by one for {many} answers"
    return (
        f"Noise drawn {drawn} keeps all errors within {_up(at.reached, at.least)} Δ; no noise this "
        f"private can keep them within {_down(at.least)} Δ."
    )


def detail(result: NoiseLimits) -> str:
    """State what is proven at the reader's k, and how."""
    at = result.at
    reached = []
    if at.together < math.inf:
        reached.append(f"drawn together, {_up(at.together, at.least)} Δ")
    if at.name:
        reached.append(f"drawn one by one, {_up(at.apart, at.least)} Δ with {at.name}")
    people = counted(at.people, "person", "people", write=whole)
    any_law = listed(
        [f"{_down(at.groups)} Δ by groups of people"] * (at.groups > 0)
        + [f"{_down(at.chain)} Δ by a chain of {people}"]
    )
    reaches = f"no error exceeds, {listed(reached)}. No" if reached else "no"
    return (
        f"At k = {whole(result.here)} {reaches} noise at all, "
        f"whatever its law, keeps within {any_law}. Up to k = {whole(result.settled)} joint "
        "noise is proven the best of all, to within Δ; elsewhere cut and nested noise are smaller "
        "in places. No noise of one law, drawn independently for each answer, keeps within "
        f"{_down(at.floor)} Δ{_proofs(at)}. As k grows the limit for such noise is "
        f"less than πσ, here {readable(result.limit)} Δ."
    )


def _proofs(at: Limits) -> str:
    """Return what proves more for noise drawn one by one."""
    if at.scores > np.fmax(at.pair, at.least):
        apart = counted(at.steps, "person", "people") if at.steps > 1 else "one person"
        return f", by sums of scores of data {apart} apart"
    return ", by two neighbouring data sets" if at.pair > at.least else ""


def _down(bound: float) -> str:
    """Write what is proven."""
    return downwards(bound)


def _up(bound: float, beside: float) -> str:
    """Write what nothing exceeds, in as many digits as tell it from what is impossible."""
    return next((s for d in range(3, 10) if (s := upwards(bound, d)) != _down(beside)), "")


def figure(result: NoiseLimits, theme: Theme) -> Figure:
    """Draw the wall of what is impossible, what is reached above it, and what is open between."""
    (left, low), (right, high) = (tuple(map(math.log10, end)) for end in result.ends)
    across = Side(left, right, (axes.title(result.x), "Answers, k"), log=True, held=True)
    up = Side(low, high, (axes.title(result.y), "Largest error (Δ)"), log=True)
    marks = [*_corridor(result), *_here(result)]
    return stacked(theme, Panel(across, up, marks, handle=Handle("queries", result.here)))


def _corridor(result: NoiseLimits) -> Iterator[Mark]:
    """Yield the wall, what is reached, each way where it is the best, and the names of all."""
    k, limits = result.along()
    floor, ways = limits["least"], [way for way in _WAYS if way in limits]
    best: FloatArray = np.fmin.reduce([np.full_like(k, math.nan), *(limits[way] for way in ways)])
    there, ((_, low), (_, high)) = np.isfinite(best), result.ends
    about = result.curve(ways[0]) if ways else _APART
    yield Band(k, np.full_like(k, low), np.maximum(floor, low), about=_WALL, seen=0.15)
    if (result.done or 0.0) >= WALLS:  # between two far k the shade would cover the truth
        yield Band(k[there], floor[there], best[there], about=about, seen=BAND)
    yield Line(k, floor, about=_WALL, wide=2, said=_HOVER.format("no noise at all below"))
    far = abs(np.log(k) - math.log(result.here)) > _FAR * math.log(k[-1])  # of its numbers
    for way in ways:
        least = limits[way] <= best
        least[1:] |= least[:-1]  # up to the next point, so that two lines meet
        own = np.where(least & (limits[way] <= high), limits[way], math.nan)
        name = f"possible: {_DRAWN[way]}", _DRAWN[way].removeprefix("drawn ")
        yield Line(k, own, about=result.curve(way), wide=3, said=_HOVER.format(_DRAWN[way]))
        if (free := np.flatnonzero(np.isfinite(own) & far)).size:
            place = free[round(_ALONG * (free.size - 1))]
            at = float(k[place]), float(own[place])
            about = result.curve(way)
            if math.log(at[0]) > _NAME * math.log(k[-1]):
                yield Text(name, *at, to="NW", shift=(-4.0, 4.0), about=about)
            else:  # from the edge on, above where the rising line is by its end
                up = float(np.interp(_NAME * math.log(k[-1]), np.log(k[there]), best[there]))
                if math.log(up / low) > _FOOT * math.log(high / low):  # above what is impossible
                    yield Text(name, float(k[0]), up, to="NE", shift=(6.0, 4.0), about=about)
    first = result.here**2 < k[-1]  # where the handle is not, which is at the foot
    edge, side, by = (k[-1], "W", -8.0) if first else (k[0], "E", 8.0)
    privacy = f"ε = {readable(result.epsilon)}, δ = {readable(result.delta)}"
    words = f"proven impossible for any noise at {privacy}", "impossible"
    yield Text(words, float(edge), Part(0.05), to=f"N{side}", shift=(by, 0.0))
    gap = np.where(there & far & (k > _INSIDE) & (k < k[-1] / _INSIDE), best / floor, 0.0)
    widest = int(gap.argmax())
    if gap[widest] > _ROOM:
        yield Text(("not known", "open"), float(k[widest]), math.sqrt(best[widest] * floor[widest]))


def _here(result: NoiseLimits) -> Iterator[Mark]:
    """Yield both ends of what is open at the reader's k, with their numbers."""
    x, at = result.here, result.at
    yield Rule(x=x, wide=1, about="muted")
    # The lines rise: left of the upper end there is room above them, right of the lower one below.
    along = math.log(x) / math.log(result.ends[1][0])
    last = along >= 1 - _EDGE
    side, by = ("W", -8.0) if last else ("E", 8.0)
    words = f"<b>{_down(at.least)} Δ</b>"
    yield Text(words, x, at.least, to=f"S{side}", shift=(by, -4.0), backed=last, large=True)
    if at.reached < math.inf:
        about = _TOGETHER if at.reached == at.together else _APART
        yield Rule(x=x, y=(at.least, at.reached), wide=5)
        yield Dots([x], [at.reached], size=11, about=about)
        words = f"<b>{_up(at.reached, at.least)} Δ</b>"
        to, shift = ("NW", (-8.0, 4.0)) if along > _EDGE else ("N", (0.0, 12.0))
        yield Text(words, x, at.reached, to=to, shift=shift, about=about, backed=True, large=True)
