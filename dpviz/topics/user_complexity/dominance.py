"""Which summand of a bound dominates, and where the next one takes over."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from numpy.typing import ArrayLike

from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.monomials import PARAMETERS, Monomial, monomial, read

# Quantities that a bound can be plotted against; each occurs in the tables as a plain power.
AXES = ("m", "epsilon", "alpha", "d", "k", "d_L", "d_VC")


@dataclass(frozen=True)
class Crossover:
    """The point at which the dominating term of a bound changes.

    axis: the symbol that moves; x: where it changes; value: the whole bound there.
    before, after: the terms that dominate below and above x, as printed.
    formula: x in the other parameters, such as ``1/α²``.
    falling: how the term in front depends on the axis, in words.
    """

    axis: str
    x: float
    value: float
    before: str
    after: str
    formula: str
    falling: str

    @property
    def text(self) -> str:
        """One phrase that names the crossover."""
        symbol = monomial(self.axis).text
        return f"{self.before}, {self.falling}, dominates until {symbol} = {self.formula}"


@dataclass(frozen=True)
class Regime:
    """A stretch of the axis on which one term dominates; the ends belong to it.

    course: how the term depends on the axis, in words.
    """

    start: float
    stop: float
    term: str
    course: str


def crossovers(row: Row, *, axis: str = "m", **parameters: ArrayLike) -> tuple[Crossover, ...]:
    """Return where the dominating term of a row changes along one axis, ascending.

    In closed form: the terms are products of powers, straight lines on log-log paper, and the
    dominating one follows their upper envelope (for a minimum, their lower envelope). The axis
    runs over its whole range in `LIMITS`; a value given for it is ignored. The other parameters of
    the row are scalars.
    """
    leaders = _leaders(row, axis, parameters)
    return tuple(
        Crossover(
            axis=axis,
            x=x,
            value=float(row.value(**{**parameters, axis: x})),
            before=before.text,
            after=after.text,
            formula=(before / after).solve_for(axis).text,
            falling=_course(before, axis),
        )
        for (_, before), (x, after) in pairwise(leaders)
    )


def regimes(row: Row, *, axis: str = "m", **parameters: ArrayLike) -> tuple[Regime, ...]:
    """Return the stretches on which each term dominates, covering the axis's whole range."""
    leaders = _leaders(row, axis, parameters)
    stops = [*(x for x, _ in leaders[1:]), float(LIMITS[PARAMETERS[axis]].maximum)]
    return tuple(
        Regime(start, stop, leader.text, _course(leader, axis))
        for (start, leader), stop in zip(leaders, stops, strict=True)
    )


def _leaders(
    row: Row, axis: str, parameters: Mapping[str, ArrayLike]
) -> list[tuple[float, Monomial]]:
    """Walk along the envelope: each dominating term, and the x from which it dominates."""
    if axis not in AXES:
        raise ParameterError("axis", f"one of {', '.join(AXES)}", axis)
    limit = LIMITS[PARAMETERS[axis]]
    values = read(row.parameters, {**parameters, axis: limit.minimum})
    # A minimum is governed by its smallest term: turn it over, and the same walk applies.
    sign = -1 if row.least else 1
    slopes = {term: sign * term.exponent(axis) for term in row.summands}
    leader = max(row.summands, key=lambda term: (sign * float(term.evaluate(values)), slopes[term]))
    walk = [(float(limit.minimum), leader)]
    while True:
        meets = {
            term: float((leader / term).solve_for(axis).evaluate(values))
            for term in row.summands
            if slopes[term] > slopes[leader]
        }
        if not meets:
            return walk
        # Where several lines meet in one point, the steepest is the one that leads behind it.
        leader = min(meets, key=lambda term: (meets[term], -slopes[term]))
        x = meets[leader]
        if x >= limit.maximum:
            return walk
        # Terms that meet at the end of the range never dominate inside it.
        if x <= limit.minimum:
            walk.clear()
        walk.append((max(x, float(limit.minimum)), leader))


def _course(term: Monomial, axis: str) -> str:
    """How a term depends on the axis: ``falling as 1/√m``, ``flat``, ``growing as k``."""
    alone = Monomial(tuple(power for power in term.powers if power[0] == axis))
    if not alone.powers:
        return f"flat in {monomial(axis).text}"
    return f"{'growing' if term.exponent(axis) > 0 else 'falling'} as {alone.text}"
