"""One bound of the papers' tables: what it adds up, when it holds, what it is called."""

from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.evidence import FloatArray, Source
from dpviz.topics.user_complexity.monomials import Monomial, monomial, read, short

_RELATIONS = {"<": (np.less, "<"), "<=": (np.less_equal, "≤"), ">=": (np.greater_equal, "≥")}


@dataclass(frozen=True)
class Condition:
    """An assumption that can be checked: a parameter compared with a product of powers."""

    symbol: str
    relation: str
    limit: Monomial

    @property
    def parameters(self) -> tuple[str, ...]:
        """The tables' symbols it depends on."""
        return tuple(dict.fromkeys((self.symbol, *self.limit.parameters)))

    @property
    def text(self) -> str:
        """Plain text, such as ``m ≥ d²/(ε²α²)``."""
        return f"{monomial(self.symbol).text} {_RELATIONS[self.relation][1]} {self.limit.text}"

    def evaluate(self, values: dict[str, FloatArray]) -> NDArray[np.bool_]:
        """Return where it is met, for parameters already validated by `read`."""
        met: NDArray[np.bool_] = _RELATIONS[self.relation][0](
            values[self.symbol], self.limit.evaluate(values)
        )
        return met


def below(symbol: str, limit: str, coefficient: float = 1.0) -> Condition:
    """Require that a parameter lies below coefficient · limit."""
    return Condition(symbol, "<", monomial(limit, coefficient))


def at_least_examples(limit: str) -> Condition:
    """Require that many examples per user."""
    return Condition("m", ">=", monomial(limit))


@dataclass(frozen=True)
class Row:
    """One bound on the number of users (of examples, for an item-level row).

    Constants and, under a tilde, polylogarithmic factors are dropped in the papers, so a row is a
    shape: it says how the number of users grows, not how many users there are.

    key: a stable name.
    problem: one of `PROBLEMS`; privacy: "pure" or "approximate"; model: "central" or "local".
    level: "item" or "user"; bound: "upper", "lower" or "tight".
    status: "prior" or "new", as the row's own table has it.
    table: where it stands; "" for the two rows outside the tables.
    summands: what the bound adds up or, if `least`, takes the minimum of.
    conditions: the assumptions that can be checked.
    premise: the assumptions that cannot, in words.
    neighbouring: "substitute" or "add/remove", the change of one user the bound protects.
    remark: what a reader should know before relying on the row.

    The methods take the tables' symbols (see `PARAMETERS`) as keywords, scalars or arrays that
    broadcast. They ignore parameters that the row does not need, and raise `ParameterError` for a
    value out of range or NaN and ``TypeError`` for a missing or unknown name.
    """

    key: str
    problem: str
    privacy: str
    model: str
    level: str
    bound: str
    status: str
    source: Source
    table: str
    summands: tuple[Monomial, ...]
    premise: str
    conditions: tuple[Condition, ...] = ()
    least: bool = False
    neighbouring: str = "substitute"
    remark: str = ""

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The symbols that the bound and its conditions depend on."""
        names = [s for summand in self.summands for s in summand.parameters]
        names += [s for condition in self.conditions for s in condition.parameters]
        return tuple(dict.fromkeys(names))

    @property
    def label(self) -> str:
        """What the curve is, in words, and the year if it comes from the paper of 2021."""
        theorem = "" if self.source.item.startswith("Table") else f", {self.source.item}"
        if self.level == "item":
            name = "item-level lower bound" if self.bound == "lower" else "item level"
        elif self.bound == "lower":
            name = "lower bound"
        else:
            name = "user level" if self.status == "new" else "earlier user-level bound"
        return f"{name}{theorem}{' (2021)' if '2021, Table' in self.table else ''}"

    @property
    def shape(self) -> str:
        """The sum, or the minimum, as it is printed."""
        terms = [summand.text for summand in self.summands]
        return f"min({', '.join(terms)})" if self.least else " + ".join(terms)

    @property
    def assumption(self) -> str:
        """All assumptions in words; `holds` checks those with a comparison sign."""
        return "; ".join([*(condition.text for condition in self.conditions), self.premise])

    @property
    def threshold(self) -> Monomial | None:
        """The m from which the bound holds, or None where it holds for every m."""
        limits = [c.limit for c in self.conditions if (c.symbol, c.relation) == ("m", ">=")]
        return limits[0] if limits else None

    def _read(self, parameters: dict[str, ArrayLike]) -> tuple[dict[str, FloatArray], FloatArray]:
        values = read(self.parameters, parameters)
        return values, np.zeros(np.broadcast_shapes(*(v.shape for v in values.values())))

    def terms(self, **parameters: ArrayLike) -> dict[str, FloatArray]:
        """Return every summand at the given parameters, under its printed name."""
        values, zeros = self._read(parameters)
        return {summand.text: zeros + summand.evaluate(values) for summand in self.summands}

    def value(self, **parameters: ArrayLike) -> FloatArray:
        """Return the number of users: the sum of the terms or, if `least`, their minimum."""
        combine = np.minimum if self.least else np.add
        total: FloatArray = reduce(combine, self.terms(**parameters).values())
        return total

    def holds(self, **parameters: ArrayLike) -> NDArray[np.bool_]:
        """Return where every assumption that can be checked is met."""
        values, zeros = self._read(parameters)
        met = (condition.evaluate(values) for condition in self.conditions)
        return reduce(np.logical_and, met, zeros == 0)

    def unmet(self, **parameters: ArrayLike) -> tuple[str, ...]:
        """Return, at scalar parameters, each failing assumption and the values behind it."""
        values, _ = self._read(parameters)
        return tuple(
            f"{c.text} fails: {monomial(c.symbol).text} is {short(values[c.symbol])}, "
            f"{c.limit.text} is {short(c.limit.evaluate(values))}"
            if c.limit.powers
            else f"{c.text} fails: {monomial(c.symbol).text} is {short(values[c.symbol])}"
            for c in self.conditions
            if not c.evaluate(values)
        )
