"""A number that was asked for, with bounds, evidence and source: printed, in HTML, as a mapping."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, localcontext
from html import escape
from numbers import Real
from typing import Any

from dpviz.results.ends import within
from dpviz.results.evidence import Evidence, Source
from dpviz.results.version import VERSION

Parameters = Mapping[str, float | str]
"""Parameters by their names, with their values."""


def digits(value: float, *, rounding: str = ROUND_HALF_EVEN, count: int = 7) -> str:
    """Write a number so that a reader can copy it: with `count` significant digits.

    rounding: as in `decimal`; a number that must keep a promise of privacy is not rounded down.
    """
    if math.isinf(value):
        return "none"
    if value == 0:
        return "0"
    rounded = Context(prec=count, rounding=rounding).create_decimal(repr(value)).normalize()
    if 1e-4 <= abs(rounded) < 1e15:
        return f"{rounded:,f}"
    return f"{float(rounded):.{count}g}"


@dataclass(frozen=True)
class Beside:
    """What a formula of a textbook gives for the same; holds: whose it is, and where it holds."""

    formula: str
    value: float
    holds: str

    def __str__(self) -> str:
        return f"{self.formula} = {digits(self.value)} ({self.holds})"


@dataclass(frozen=True, eq=False)
class Answer:
    """A number that was asked for; where one is expected, `value` is taken.

    name, symbol, unit, meaning: what it is. lower, upper: bounds on the truth, which is known
    exactly if they are equal; 0 and infinity where a range, a search or floating point ended on
    that side. value: the bound to use, at which the promise holds; infinity for none. evidence,
    source: how it is known. parameters: what it holds for. how: the noise or mechanism that reaches
    it, by its own parameters. beyond: whether the one end that is known is not reached.
    rounds_down: whether the promise holds below the value, as of how many answers fit. beside:
    what formulas of textbooks give.
    """

    name: str
    symbol: str
    unit: str
    meaning: str
    lower: float
    upper: float
    value: float
    evidence: Evidence
    source: Source
    parameters: Parameters
    how: Mapping[str, float] | None = None
    beyond: bool = False
    rounds_down: bool = False
    beside: tuple[Beside, ...] = ()

    def __float__(self) -> float:
        """Return the end to be used."""
        return self.value

    def __format__(self, spec: str) -> str:
        """Write the end to be used as a format of numbers has it, rounded to the private side."""
        if not spec:
            return repr(self)
        if not math.isfinite(self.value):
            return format(self.value, spec)
        with localcontext() as context:
            context.rounding = ROUND_FLOOR if self.rounds_down else ROUND_CEILING
            try:
                return format(Decimal(repr(self.value)), spec)
            except ValueError:
                raise ValueError(f"{spec!r} is no format of a number, as .3f is") from None

    def _compared(self, other: object) -> tuple[float, float] | None:
        if isinstance(other, Answer):
            if other.name != self.name:
                raise TypeError(f"{self.name} and {other.name} differ in kind: compare .value")
            return self.value, other.value
        return (self.value, float(other)) if isinstance(other, Real) else None

    def __eq__(self, other: object) -> bool:
        """Compare the ends to be used."""
        if isinstance(other, Answer) and other.name != self.name:
            return False
        pair = self._compared(other)
        return NotImplemented if pair is None else pair[0] == pair[1]

    __hash__ = None  # type: ignore[assignment]  # equal to a number, and yet no number

    def __lt__(self, other: "Answer | float") -> bool:
        pair = self._compared(other)
        return NotImplemented if pair is None else pair[0] < pair[1]

    def __le__(self, other: "Answer | float") -> bool:
        pair = self._compared(other)
        return NotImplemented if pair is None else pair[0] <= pair[1]

    def __gt__(self, other: "Answer | float") -> bool:
        pair = self._compared(other)
        return NotImplemented if pair is None else pair[0] > pair[1]

    def __ge__(self, other: "Answer | float") -> bool:
        pair = self._compared(other)
        return NotImplemented if pair is None else pair[0] >= pair[1]

    @property
    def equation(self) -> str:
        """The number with its symbol and its unit; rounded, if at all, to the private side.

        Of one end alone it says on which side the truth is: ``ε is at most 1e-07``.
        """
        unit = f" {self.unit}" if self.unit else ""
        if self._one_sided:
            return f"{self.symbol} is {self._ends}{unit}"
        rounding = ROUND_FLOOR if self.rounds_down else ROUND_CEILING
        return f"{self.symbol} = {digits(self.value, rounding=rounding)}{unit}"

    @property
    def _one_sided(self) -> bool:
        return self.lower < self.upper and (self.lower <= 0 or math.isinf(self.upper))

    @property
    def _two_sided(self) -> bool:
        return self.lower < self.upper and not self._one_sided

    @property
    def _ends(self) -> str:
        return within(self.lower, self.upper, _with_digits, 7, beyond=self.beyond)

    @property
    def _conditions(self) -> str:
        return _listed({**self.parameters, **(self.how or {})})

    def __repr__(self) -> str:
        bounds = f", {self._ends}" if self._two_sided else ""
        return (
            f"{self.equation} at {self._conditions} "
            f"({self.evidence.value}{bounds}; {self.source}; dpviz {VERSION})"
            + (f"\n  {moves}" if (moves := what_moves(self.parameters)) else "")
            + "".join(f"\n  beside it: {formula}" for formula in self.beside)
        )

    def _repr_html_(self) -> str:
        rows = {"At": self._conditions} | ({"Known": self._ends} if self._two_sided else {})
        rows |= {"Known by": self.evidence.value, "Source": f"{self.source}; dpviz {VERSION}"}
        rows |= {"Sensitivity": moves} if (moves := what_moves(self.parameters)) else {}
        rows |= {f"Beside it {i}": str(formula) for i, formula in enumerate(self.beside, 1)}
        body = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in rows.items()
        )
        first_line = f"{escape(self.meaning)}: <b>{escape(self.equation)}</b>"
        return f"<p>{first_line}</p><table>{body}</table>"

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as JSON has it; infinity is None. known: what is known, in words."""
        return {
            "name": self.name,
            "known": self._ends,
            "value": _plain(self.value),
            "lower": _plain(self.lower),
            "upper": _plain(self.upper),
            "unit": self.unit,
            "meaning": self.meaning,
            "evidence": self.evidence.value,
            "source": str(self.source),
            "parameters": dict(self.parameters),
            "how": dict(self.how or {}),
            "moves": what_moves(self.parameters),
            "beside": [str(formula) for formula in self.beside],
            "version": VERSION,
        }


def what_moves(parameters: Parameters) -> str:
    """Return what the sensitivity means for several answers, or nothing."""
    queries, unit = parameters.get("queries", 1), parameters.get("sensitivity")
    if unit is None or isinstance(queries, str) or isinstance(unit, str) or queries <= 1:
        return ""
    return (
        f"one person may move each of the {digits(queries)} answers by {digits(unit)}, "
        f"together by {digits(math.sqrt(queries) * unit)} in ℓ₂; "
        "if only some of them, count those: dpviz sensitivity"
    )


def _with_digits(value: float, count: int) -> str:
    return digits(value, count=count)


def _listed(parameters: Parameters) -> str:
    return ", ".join(
        f"{name} = {value if isinstance(value, str) else digits(value)}"
        for name, value in parameters.items()
    )


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


@dataclass(frozen=True)
class ComparedNoise:
    """One row of a comparison, in the unit of the sensitivity.

    deviation: the standard deviation of one error. bound: what no error exceeds, inf for none.
    likely: what the largest of the k errors exceeds with the probability asked for. All three NaN
    where the noise is not calibrated; remark: why, or what else to know.
    """

    key: str
    name: str
    deviation: float
    bound: float
    likely: float
    evidence: Evidence
    source: Source
    remark: str = ""

    @property
    def known(self) -> bool:
        """Whether this noise is calibrated here."""
        return not math.isnan(self.deviation)


@dataclass(frozen=True)
class Comparison:
    """Noises of equal privacy side by side: a row each, for its parameters."""

    rows: tuple[ComparedNoise, ...]
    parameters: Parameters

    def row(self, key: str) -> ComparedNoise:
        """Return the row of one noise. Raises `KeyError`, with the names there are."""
        rows = {row.key: row for row in self.rows}
        if key not in rows:
            raise KeyError(f"there is no row {key!r}; there are {', '.join(rows)}")
        return rows[key]

    def columns(self) -> dict[str, list[Any]]:
        """Return it as equally long columns; NaN where nothing is known, inf for no bound."""
        return {
            "noise": [row.key for row in self.rows],
            "name": [row.name for row in self.rows],
            "standard_deviation": [row.deviation for row in self.rows],
            "hard_bound": [row.bound for row in self.rows],
            "likely_bound": [row.likely for row in self.rows],
            "evidence": [row.evidence.value for row in self.rows],
            "source": [str(row.source) for row in self.rows],
            "remark": [row.remark for row in self.rows],
        }

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as JSON has it; what is unknown or infinite is None."""
        columns = {
            name: [_plain(v) if isinstance(v, float) else v for v in column]
            for name, column in self.columns().items()
        }
        lines = zip(*columns.values(), strict=True)
        rows = [dict(zip(columns, line, strict=True)) for line in lines]
        moves = what_moves({"sensitivity": 1.0, **self.parameters})
        return {
            "rows": rows,
            "parameters": dict(self.parameters),
            "moves": moves,
            "version": VERSION,
        }

    @property
    def _head(self) -> tuple[str, ...]:
        sure = f"{100 * (1 - float(self.parameters['failure_probability'])):.6g} %"
        largest = (
            digits(float(self.parameters["released"])) if "released" in self.parameters else "k"
        )
        return (
            "noise",
            "standard deviation",
            "hard bound",
            f"largest of {largest}, {sure}",
            "evidence",
        )

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (
                row.name,
                *(
                    digits(value, rounding=ROUND_CEILING, count=4) if row.known else "-"
                    for value in (row.deviation, row.bound, row.likely)
                ),
                row.evidence.value if row.known else row.remark,
            )
            for row in self.rows
        ]

    def __repr__(self) -> str:
        lines = [self._head, *self._cells()]
        wide = [max(len(line[i]) for line in lines) for i in range(4)]
        body = "\n".join(
            "  ".join(
                [line[0].ljust(wide[0]), *(line[i].rjust(wide[i]) for i in (1, 2, 3)), line[4]]
            )
            for line in lines
        )
        return f"{body}\n{self._foot}"

    @property
    def _foot(self) -> str:
        unit = (
            "the unit of the answers"
            if "sensitivity" in self.parameters
            else "units of the sensitivity"
        )
        moves = what_moves({"sensitivity": 1.0, **self.parameters})
        text = f"In {unit}; {_listed(self.parameters)}; dpviz {VERSION}"
        return f"{text}\n{moves[:1].upper()}{moves[1:]}" if moves else text

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(text)}</th>" for text in self._head)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in line) + "</tr>"
            for line in self._cells()
        )
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<p>{escape(self._foot)}</p>"
        )

    def table(self) -> Any:
        """Return it as a data frame of pandas."""
        from dpviz.results.data_frame import data_frame

        return data_frame(self.columns())
