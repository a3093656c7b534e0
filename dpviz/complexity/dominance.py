"""Which summand of a bound dominates, and where the next one takes over."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.complexity.bounds import Row
from dpviz.complexity.monomials import PARAMETERS, Monomial, monomial, read
from dpviz.limits import LIMITS, ParameterError

# Quantities that a bound can be plotted against; each occurs in the tables as a plain power.
AXES = ("m", "epsilon", "alpha", "d", "k", "d_L", "d_VC")


@dataclass(frozen=True)
class Crossover:
    """The point at which the dominating term of a bound changes.

    axis: the symbol that moves; x: where it changes; value: the whole bound there.
    before, after: the terms that dominate below and above x, as printed.
    formula: x in the other parameters, such as ``1/α²``; latex: the same as LaTeX.
    falling: how the term in front depends on the axis, in words.
    """

    axis: str
    x: float
    value: float
    before: str
    after: str
    formula: str
    latex: str
    falling: str

    @property
    def text(self) -> str:
        """One phrase that names the crossover."""
        symbol = monomial(self.axis).text
        return f"{self.before}, {self.falling}, dominates until {symbol} = {self.formula}"


@dataclass(frozen=True)
class Regime:
    """A stretch of the axis on which one term dominates; the ends belong to it."""

    start: float
    stop: float
    term: str


def crossovers(row: Row, *, axis: str = "m", **parameters: ArrayLike) -> tuple[Crossover, ...]:
    """Return where the dominating term of a row changes along one axis, ascending.

    In closed form: the terms are products of powers, straight lines on log-log paper, and the
    dominating one follows their upper envelope (for a minimum, their lower envelope). The axis
    runs over its whole range in `LIMITS`; a value given for it is ignored. The other parameters of
    the row are scalars.
    """
    if axis not in AXES:
        raise ParameterError("axis", f"one of {', '.join(AXES)}", axis)
    limit = LIMITS[PARAMETERS[axis]]
    values = read(row.parameters, {**parameters, axis: limit.minimum})
    if len(row.summands) == 1:
        return ()
    # A minimum is governed by its smallest term: turn it over, and the same walk applies.
    sign = -1 if row.least else 1
    heights = {s: sign * float(np.log(s.evaluate(values))) for s in row.summands}
    slopes = {s: sign * s.exponent(axis) for s in row.summands}
    leader = max(row.summands, key=lambda s: (heights[s], slopes[s]))
    found: list[Crossover] = []
    while True:
        roots = {
            s: (leader / s).solve_for(axis) for s in row.summands if slopes[s] > slopes[leader]
        }
        if not roots:
            return tuple(found)
        at = {s: float(root.evaluate(values)) for s, root in roots.items()}
        # Where several lines meet in one point, the steepest is the one that leads behind it.
        follower = min(at, key=lambda s: (at[s], -slopes[s]))
        x = at[follower]
        if x > limit.maximum:
            return tuple(found)
        if x > limit.minimum:
            found.append(
                Crossover(
                    axis=axis,
                    x=x,
                    value=float(row.value(**{**parameters, axis: x})),
                    before=leader.text,
                    after=follower.text,
                    formula=roots[follower].text,
                    latex=roots[follower].latex,
                    falling=_course(leader, axis),
                )
            )
        leader = follower


def regimes(row: Row, *, axis: str = "m", **parameters: ArrayLike) -> tuple[Regime, ...]:
    """Return the stretches on which each term dominates, covering the axis's whole range."""
    changes = crossovers(row, axis=axis, **parameters)
    limit = LIMITS[PARAMETERS[axis]]
    borders = [limit.minimum, *(c.x for c in changes), limit.maximum]
    if changes:
        names = [changes[0].before, *(c.after for c in changes)]
    else:
        terms = row.terms(**{**parameters, axis: limit.minimum})
        names = [(min if row.least else max)(terms, key=lambda name: float(terms[name]))]
    return tuple(
        Regime(start, stop, name)
        for start, stop, name in zip(borders[:-1], borders[1:], names, strict=True)
    )


def _course(term: Monomial, axis: str) -> str:
    """How a term depends on the axis: ``falling as 1/√m``, ``flat``, ``growing as k``."""
    alone = Monomial(tuple(power for power in term.powers if power[0] == axis))
    if not alone.powers:
        return f"flat in {monomial(axis).text}"
    return f"{'growing' if term.exponent(axis) > 0 else 'falling'} as {alone.text}"
