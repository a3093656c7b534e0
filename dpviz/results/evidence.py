"""What a number is and where it comes from: the vocabulary every result is written in."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from html import escape
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
_Kind = TypeVar("_Kind")


class Evidence(Enum):
    """What a curve is; each kind is drawn the same way on every page.

    Certified bounds have two ends. A proven bound has one: the truth lies below it (UPPER) or above
    it (LOWER), and nothing says how far. A limit has all its constants, and the truth tends to it.
    An asymptotic shape has lost its constants.
    """

    EXACT = "exact"
    CERTIFIED = "certified bounds"
    UPPER = "proven upper bound"
    LOWER = "proven lower bound"
    LIMIT = "limit, constants kept"
    ASYMPTOTIC = "asymptotic shape, constants dropped"
    SIMULATED = "simulation"
    PUBLISHED = "as published"


class Subject(Enum):
    """What a curve is about; a subject keeps its colour on all pages."""

    BOUNDED = "bounded noise"
    GAUSSIAN = "Gaussian noise"
    USER_LEVEL = "user-level"
    ITEM_LEVEL = "item-level"
    EARLIER = "earlier work"
    LOWER_BOUND = "lower bound"
    DANGER = "failed assumption"
    LAPLACE = "Laplace noise"
    PERTURBED = "perturbed loss"
    RESPONSE = "randomised response"
    ATTACKER = "best attacker"


@dataclass(frozen=True)
class Source:
    """A paper and the item in it, such as ``Source("Dagan & Kur", "Lemma 10.2")``."""

    paper: str
    item: str = ""

    def __str__(self) -> str:
        return f"{self.paper}, {self.item}" if self.item else self.paper


@dataclass(frozen=True)
class Origin:
    """What a part of a figure is, and where it comes from: for results that are not all curves."""

    evidence: Evidence
    source: Source


@dataclass(frozen=True)
class Bracket:
    """A certified interval: the true value lies between `lower` and `upper`, ends included."""

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise ValueError(f"lower must not exceed upper; got {self.lower!r} > {self.upper!r}")

    @property
    def midpoint(self) -> float:
        """The centre, the single number to print."""
        return self.lower + (self.upper - self.lower) / 2

    @property
    def relative_width(self) -> float:
        """(upper − lower) / upper, or 0 for an empty interval at 0."""
        return (self.upper - self.lower) / self.upper if self.upper else 0.0


@dataclass(frozen=True, eq=False)
class Brackets:
    """Certified intervals at the points of a sweep: two arrays of its shape."""

    lower: FloatArray
    upper: FloatArray

    @property
    def midpoint(self) -> FloatArray:
        """The centres, the numbers to print."""
        centres: FloatArray = self.lower + (self.upper - self.lower) / 2
        return centres


@dataclass(frozen=True)
class Axis:
    """One axis of a chart: what it measures, in which unit, and on which scale.

    least: no value below it is shown, unless all are; base, reach: values that the axis shows in
    any case, so that a chance of nearly nothing is not drawn as a cliff. NaN for none. chance:
    whether it is a probability: written in per cent, and never as 100% if it is below 1. relative:
    whether it counts in what one of the curves is, 1 everywhere. parts: whether its ticks below 1
    are 1/2, 1/5, 1/10.
    """

    name: str
    label: str
    log: bool = True
    unit: str = ""
    least: float = math.nan
    base: float = math.nan
    reach: float = math.nan
    chance: bool = False
    relative: bool = False
    parts: bool = False


def span(*values: ArrayLike) -> tuple[float, float]:
    """Return the least and the largest positive finite number: what an axis is to hold, or NaN."""
    every = np.concatenate([np.ravel(value) for value in values])
    seen = every[np.isfinite(every) & (every > 0)]
    return (float(seen.min()), float(seen.max())) if seen.size else (math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class Curve:
    """One labelled curve.

    key: a stable identifier (table column, test handle).
    label: what it is, in words, as written at its end.
    x, y: equally long arrays; NaN in y where the curve is not defined.
    lower, upper: the certified band or the interval of a simulation, or None.
    holds: False where an assumption of the theorem fails; drawn greyed out. None: everywhere.
    assumption: the assumption that `holds` tests, in words.
    weight: of the line, times the usual one. second: whether it is drawn in the second shade of its
    subject's colour, as one of several curves about the same. steps: whether it keeps each value up
    to the next x, where it jumps: a count, or a function of one; else lines join its points.
    ended: the value at which a range, a search or floating point ended, and 0 or inf, the other end
    of what is known there. Drawn is the value; the table has both.
    stated_part: which of its `parts` the headline and the number in the plot are about, such as
    "_upper".
    depends: all that it depends on but x, in words that only a program reads; where they are those
    of the figure before, its curve is this one. "" if nobody says it.
    """

    key: str
    label: str
    subject: Subject
    evidence: Evidence
    source: Source
    x: FloatArray
    y: FloatArray
    lower: FloatArray | None = None
    upper: FloatArray | None = None
    holds: NDArray[np.bool_] | None = None
    assumption: str = ""
    weight: float = 1.0
    second: bool = False
    steps: bool = False
    ended: tuple[float, float] | None = None
    stated_part: str = ""
    depends: str = ""

    @property
    def interval(self) -> tuple[FloatArray, FloatArray]:
        """Both ends of what is known of y; y itself where it has none."""
        return (
            self.y if self.lower is None else self.lower,
            self.y if self.upper is None else self.upper,
        )

    def __post_init__(self) -> None:
        for name in ("y", "lower", "upper", "holds"):
            values = getattr(self, name)
            if values is not None and np.shape(values) != np.shape(self.x):
                raise ValueError(
                    f"{name} must have the shape of x, {np.shape(self.x)}; got {np.shape(values)}"
                )

    def parts(self) -> dict[str, NDArray[Any]]:
        """Return what is known besides x, by the suffix of its column in a table."""
        low, high = self.lower, self.upper
        if self.ended is not None:
            at = self.y == self.ended[0]
            low, high = (
                np.where(at, end(self.ended), columns)
                for end, columns in zip((min, max), self.interval, strict=True)
            )
        columns = {"": self.y, "_lower": low, "_upper": high, "_holds": self.holds}
        return {suffix: values for suffix, values in columns.items() if values is not None}

    def part(self, suffix: str) -> NDArray[Any]:
        """Return one of `parts`: unknown bounds are NaN, and an assumption nobody states holds."""
        unknown = np.full(self.x.shape, True if suffix == "_holds" else math.nan)
        return self.parts().get(suffix, unknown)


@dataclass(frozen=True)
class Landmark:
    """A point worth a word on the chart: a crossing, an optimum, a limit.

    roomy: whether a phone and a projector have no room for it.
    """

    x: float
    y: float
    text: str
    subject: Subject = Subject.LOWER_BOUND
    roomy: bool = False


@dataclass(frozen=True)
class SoFar:
    """Of a simulation that goes on: what its sentences rest on until it has ended.

    made: how many runs are in, 0 if the sentences do not speak of them yet; thing: what a run is
    called. planned: how many there will be, 0 if that is not known beforehand. stopped: whether no
    more will come, as in a file.
    """

    made: int
    thing: str
    planned: int = 0
    stopped: bool = False

    @property
    def ended(self) -> bool:
        """Whether all that were planned are in."""
        return 0 < self.planned <= self.made


@dataclass(frozen=True)
class Claim:
    """What a sentence claims of a simulation: the name of a quantity, and what is known of it.

    what: the quantity, in the same words whatever was drawn. value: its estimate. lower, upper: its
    95% interval; both infinite where nothing is known, as before the third run. proven: between
    which ends it lies for certain; the interval is cut off there.
    """

    what: str
    value: float
    lower: float
    upper: float
    proven: Bracket = Bracket(-math.inf, math.inf)

    def __post_init__(self) -> None:
        for name in ("value", "lower", "upper"):
            end = getattr(self, name)
            if name == "lower" and math.isnan(end):
                end = -math.inf
            if name == "upper" and math.isnan(end):
                end = math.inf
            if not math.isnan(end):
                end = min(max(end, self.proven.lower), self.proven.upper)
            object.__setattr__(self, name, end)

    @property
    def is_known(self) -> bool:
        """Whether runs, or proofs, give it two ends."""
        return math.isfinite(self.lower) and math.isfinite(self.upper)

    def is_below(self, other: "Claim") -> bool:
        """Whether it is less than another, whatever in the two intervals is the truth."""
        return self.upper < other.lower

    def is_apart(self, other: "Claim") -> bool:
        """Whether the two intervals have nothing in common, so that one is known to be larger."""
        return self.is_below(other) or other.is_below(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(ABC):
    """What a view computes: frozen, with a table, and with the origin of everything in it.

    done: the part of the whole computation that is made, from 0 to 1; None if a view does not say.
    so_far: the runs that its sentences rest on while a simulation goes on; None if they do not
    change. other_origins: what the parts that are not curves are, and where they come from. words:
    what columns hold that are neither an axis of a chart nor a curve, with the unit.
    """

    done: float | None = None
    so_far: SoFar | None = None
    other_origins: ClassVar[tuple[Origin, ...]] = ()
    words: ClassVar[Mapping[str, str]] = MappingProxyType({})

    @property
    def going_on(self) -> bool:
        """Whether it rests on runs of a simulation that has not ended."""
        return self.so_far is not None and not self.so_far.ended

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What its headline may claim of a simulation: what changes with what was drawn."""
        return ()

    @abstractmethod
    def columns(self) -> Mapping[str, NDArray[Any]]:
        """Return the plotted numbers as a table: equally long columns."""

    def __init_subclass__(cls, **rest: Any) -> None:
        """Keep `dataclass` from giving each kind a `repr` that lists every number."""
        super().__init_subclass__(**rest)
        type.__setattr__(cls, "__repr__", Result.__repr__)

    def __repr__(self) -> str:
        """Return, for a console, how large the table is, and what is known of what, in lines."""
        columns = self.columns()
        rows = max(map(len, columns.values()), default=0)
        lines = [f"{type(self).__name__}: {rows} rows of {', '.join(columns)}"]
        for table in self._tables():
            wide = [max(map(len, column)) for column in zip(*table, strict=True)]
            lines += [
                "  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)).rstrip()
                for row in table
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        return "".join(map(_html_table, self._tables()))

    def _tables(self) -> Iterator[list[tuple[str, ...]]]:
        """Yield the curves of each chart, and what else there is, each under a head."""
        origins = set()
        for chart in parts_of(self, Chart):
            origins |= {Origin(curve.evidence, curve.source) for curve in chart.curves}
            yield chart._in_words
        others = [(o.evidence.value, str(o.source)) for o in self.origins if o not in origins]
        if others:
            yield [("known by", "source"), *others]

    @property
    def drawn_chart(self) -> "Chart | None":
        """The one chart that it draws; None where it draws something else."""
        return None

    @property
    def origins(self) -> tuple[Origin, ...]:
        """What the parts are and where they come from, each once: the curves, then what else."""
        drawn = [Origin(curve.evidence, curve.source) for curve in parts_of(self, Curve)]
        return tuple(dict.fromkeys([*drawn, *self.other_origins]))

    @property
    def meanings(self) -> dict[str, str]:
        """What each column holds, in words with its unit; a curve's also what it is and its source.

        A column about which nothing is known is left out.
        """
        meanings = {"curve": "the key of the curve"}
        for chart in parts_of(self, Chart):
            for axis in (chart.x, chart.y):
                meanings[axis.name] = axis.label + (f" ({axis.unit})" if axis.unit else "")
            for curve in chart.curves:
                text = f"{curve.label}; {curve.evidence.value}; {curve.source}"
                meanings[curve.key] = f"{meanings[chart.y.name]}: {text}"
        meanings |= self.words
        found = {}
        for column in self.columns():
            ends = {column.removesuffix(end): words for end, words in _ENDS.items()}
            stem = next((stem for stem in ends if stem != column and stem in meanings), "")
            if words := meanings.get(column) or (f"{ends[stem]} of {stem}" if stem else ""):
                found[column] = words
        return found

    @property
    def headings(self) -> dict[str, str]:
        """What the figure calls what is in each column; the column's own name where it has none."""
        headings = {"curve": "curve"}
        for chart in parts_of(self, Chart):
            for axis in (chart.x, chart.y):
                headings[axis.name] = axis.label + (f" ({axis.unit})" if axis.unit else "")
            headings |= {curve.key: curve.label for curve in chart.curves}
        found = {}
        for column in self.columns():
            end = next((end for end in _ENDS if column.removesuffix(end) in headings), "")
            stem = column if column in headings else column.removesuffix(end)
            if stem not in headings:
                found[column] = column.replace("_", " ")
            elif stem == column:
                found[column] = headings[stem]
            else:  # with a column for the curves, there is only one quantity with ends
                whose = "" if "curve" in self.columns() else f"{headings[stem]}, "
                found[column] = f"{whose}{_ENDS[end]}"
        return found

    @property
    def curve_labels(self) -> dict[str, str]:
        """What the figure calls each curve, by its key."""
        return {curve.key: curve.label for curve in parts_of(self, Curve)}


@dataclass(frozen=True, eq=False)
class Chart(Result):
    """Everything one view draws, tabulates and talks about.

    here: the reader's own place along x, which is dragged where x has the name of a parameter.
    in_headline: the keys of the one or two curves that the headline is about. They are strong, with
    their labels and their values there; where there are more curves, the others are thin and grey.
    nowhere: what is said where no curve has a value.
    """

    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    landmarks: tuple[Landmark, ...] = ()
    here: float = math.nan
    in_headline: tuple[str, ...] = ()
    nowhere: str = "no value lies within the range of this page"

    @property
    def drawn_chart(self) -> "Chart":
        """Itself."""
        return self

    @classmethod
    def of(cls, chart: "Chart", **more: Any) -> Self:
        """Return a chart as one of this kind, which knows more about it."""
        names = {part.name for part in fields(cls)}
        shared = {part.name for part in fields(chart)} & names
        return cls(**{name: getattr(chart, name) for name in shared} | more)

    def curve(self, key: str) -> Curve:
        """Return the curve named `key`."""
        for curve in self.curves:
            if curve.key == key:
                return curve
        raise KeyError(f"no curve {key!r}; there are {[c.key for c in self.curves]}")

    def value(self, key: str) -> float:
        """Return the y of the curve named `key` at the reader's place, `here`, or next to it."""
        curve = self.curve(key)
        return float(curve.y[np.abs(curve.x - self.here).argmin()])

    def claim(self, key: str, what: str = "", at: int | None = None) -> Claim:
        """Return what is known of the curve named `key` at the reader's place, or at another.

        An interval without width tells nothing: it stands before the third run. what: the name of
        the claim, the label of the curve by default.
        """
        curve = self.curve(key)
        place = int(np.abs(curve.x - self.here).argmin()) if at is None else at
        low, high = (float(end[place]) for end in curve.interval)
        if low == high:
            low, high = -math.inf, math.inf
        return Claim(what or curve.label, float(curve.y[place]), low, high)

    @property
    def _in_words(self) -> list[tuple[str, ...]]:
        """What each curve is, and its value at the reader's place, under a head."""
        place = "" if math.isnan(self.here) else f" at {self.x.label} = {self.here:.6g}"
        head = ("curve", f"{self.y.label}{place}", "known by", "source")
        return [
            head,
            *(
                (c.label, self._value_in_words(c), c.evidence.value, str(c.source))
                for c in self.curves
            ),
        ]

    def _value_in_words(self, curve: Curve) -> str:
        """Return the value of a curve at the reader's place, with its bounds; "" for no place."""
        if math.isnan(self.here) or not curve.x.size:
            return ""
        near = int(np.abs(curve.x - self.here).argmin())
        value = f"{curve.y[near]:.6g} {self.y.unit}".strip()
        if curve.ended is not None and curve.y[near] == curve.ended[0]:
            return f"{'at most' if curve.ended[1] < curve.ended[0] else 'at least'} {value}"
        if curve.lower is None or curve.upper is None:
            return value
        return f"{value}, between {curve.lower[near]:.6g} and {curve.upper[near]:.6g}"

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the plotted numbers as a table.

        One row for each x if all curves share theirs; otherwise one row for each point, with
        the key of its curve. Bands are in ``_lower`` and ``_upper``, assumptions in ``_holds``.
        """
        if all(np.array_equal(c.x, self.curves[0].x) for c in self.curves):
            table: dict[str, NDArray[Any]] = {self.x.name: self.curves[0].x} if self.curves else {}
            for curve in self.curves:
                table |= {f"{curve.key}{part}": values for part, values in curve.parts().items()}
            return table
        parts = {part for curve in self.curves for part in curve.parts()}
        return {
            "curve": np.concatenate([np.full(c.x.shape, c.key) for c in self.curves]),
            self.x.name: np.concatenate([c.x for c in self.curves]),
        } | {
            f"{self.y.name}{part}": np.concatenate([c.part(part) for c in self.curves])
            for part in ("", "_lower", "_upper", "_holds")
            if part in parts
        }


_ENDS = {
    "_lower": "lower end",
    "_upper": "upper end",
    "_holds": "whether the assumption holds",
}


def _html_table(rows: list[tuple[str, ...]]) -> str:
    head, *body = rows
    lines = (f"<td>{'</td><td>'.join(map(escape, row))}</td>" for row in body)
    return (
        f"<table><tr><th>{'</th><th>'.join(map(escape, head))}</th></tr>"
        f"{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
    )


def parts_of(value: object, kind: type[_Kind]) -> Iterator[_Kind]:
    """Yield all of a kind that a result holds, from the outside inwards."""
    if isinstance(value, kind):
        yield value
    if type(value) in _WITHOUT_PARTS:  # most of what there is
        return
    if isinstance(value, tuple | list):
        for item in value:
            yield from parts_of(item, kind)
    elif isinstance(value, Mapping):
        yield from parts_of(list(value.values()), kind)
    elif is_dataclass(value):
        for entry in fields(value):
            yield from parts_of(getattr(value, entry.name), kind)


_WITHOUT_PARTS = {type(None), bool, int, float, str, np.ndarray, np.float64}


def guessed(result: Any, guess: Any) -> Any:
    """Return a result with what a reader thinks, as its `guess`."""
    return replace(result, guess=guess)
