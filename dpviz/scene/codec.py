"""The parameters of a page, and how they are read from and written to the text of a URL.

No Streamlit here: every function is pure, so any text can be tried on it.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dpviz.plot.text import in_full
from dpviz.results.numbers import LONGEST, normal
from dpviz.results.parameters import LIMITS, Limit, format_number

Value = int | float | str | bool

# The parameters that mean the same on every page follow the reader from page to page.
CARRIED = ("examples_per_user", "users", "epsilon", "delta", "seed")
# What a link says about how a page is shown; a page keeps it in its URL, and has no say in it.
# class: what a room asks the phones there. tab: which tab at the figure is open. read: which part
# of the prose.
MODES = ("present", "lecture", "scene", "ask", "guess", "class", "tab", "read")
# Characters of the path and the query of an address; lectures, which are longest, keep to it.
LONGEST_LINK = 8000

_EITHER = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")  # a number, or one with a group
_NAMED = 3  # unknown keys that a note names
_SHOWN = 32


class Parameter(Protocol):
    """One named value of a page: a key in the URL, a keyword of the core, a control."""

    @property
    def key(self) -> str:
        """The URL key, which is also the Python keyword."""

    @property
    def default(self) -> Value:
        """The value of a page opened without one."""

    def read(self, text: str, otherwise: Value) -> tuple[Value, str]:
        """Return the value `text` stands for, and what was wrong with it ("" if nothing)."""

    def write(self, value: Value) -> str:
        """Return the text that reads back as exactly `value`."""


@dataclass(frozen=True)
class Number:
    """A number with a range: read exactly, and moved to the nearest end from outside.

    reach: where its slider ends, if the range goes on far beyond what figures are usually drawn
    for; what is typed or linked may lie there.
    """

    limit: Limit
    reach: float = math.inf

    @property
    def key(self) -> str:
        """The name of the limit."""
        return self.limit.name

    @property
    def default(self) -> Value:
        """The default of the limit, an int where only whole numbers are allowed."""
        return self._typed(self.limit.default)

    @property
    def slider(self) -> Limit:
        """The part of the range that its slider has."""
        if self.reach >= self.limit.maximum:
            return self.limit
        return self.limit.narrowed(maximum=self.reach)

    def read(self, text: str, otherwise: Value) -> tuple[Value, str]:
        """Read a decimal number; `dpviz.results.numbers` says which slips are forgiven."""
        compact = normal(text, whole=self.limit.integer)
        number = float(compact) if compact else math.nan
        if not math.isfinite(number):
            advice = ", write a decimal point" if "," in text[:LONGEST] else ""
            return otherwise, f"is not a finite number{advice}"
        low, high = self.limit.minimum, self.limit.maximum
        if not low <= number <= high:
            return self._typed(min(max(number, low), high)), self._outside
        if self.limit.integer and _EITHER.fullmatch(compact):
            either, whole = compact.partition(".")[0], compact.replace(".", "")
            return otherwise, f"may be {either} or {whole}; write one of them"
        if self.limit.integer and number != math.floor(number):
            return self._typed(round(number)), "is not a whole number"
        return self._typed(number), ""

    def write(self, value: Value) -> str:
        """Write the shortest text that reads back as the same number."""
        return format_number(float(value))

    @property
    def _outside(self) -> str:
        return f"is not {self.limit.kind} from {' to '.join(map(in_full, self.limit.ends))}"

    def _typed(self, number: float) -> Value:
        return int(number) if self.limit.integer else float(number)


@dataclass(frozen=True)
class Seed(Number):
    """The seed of a page's random draws; views that use it receive a Generator as `rng`."""

    limit: Limit = LIMITS["seed"]


@dataclass(frozen=True)
class Choice:
    """One of a few named options; `options` maps the value to the words a reader sees.

    defaults: by option, what other parameters are where a link does not name them. opens: the
    option of an address that names nothing of its page, if that is not `default`. formerly: what
    options that links may still name have become: values, of which one is that of this choice.
    gone: keys of parameters that options of former times had, which links may still name.
    """

    key: str
    label: str
    options: Mapping[str, str]
    default: str
    defaults: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    opens: str = ""
    formerly: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    gone: Sequence[str] = ()

    def read(self, text: str, otherwise: Value) -> tuple[Value, str]:
        """Accept the options, and nothing else."""
        if text in self.options:
            return text, ""
        return otherwise, f"is not one of {', '.join(self.options)}"

    def write(self, value: Value) -> str:
        """Write the option itself."""
        return str(value)


@dataclass(frozen=True)
class Flag:
    """Something switched on or off, written 1 or 0."""

    key: str
    label: str
    default: bool = False

    def read(self, text: str, otherwise: Value) -> tuple[Value, str]:
        """Accept 1, 0, and the words people write instead."""
        meanings = {"1": True, "true": True, "on": True, "0": False, "false": False, "off": False}
        if text.lower() in meanings:
            return meanings[text.lower()], ""
        return otherwise, "is neither 1 nor 0"

    def write(self, value: Value) -> str:
        """Write 1 or 0."""
        return "1" if value else "0"


@dataclass(frozen=True)
class FreeText:
    """What a reader looks for: any text, of which the beginning is taken."""

    key: str
    longest: int
    default: str = ""

    def read(self, text: str, otherwise: Value) -> tuple[Value, str]:  # noqa: ARG002
        """Take the text in one line, without what nobody can see."""
        text = text[: self.longest]
        return "".join(c if c.isprintable() else " " for c in text).strip(), ""

    def write(self, value: Value) -> str:
        """Write the text itself."""
        return str(value)


def quote(text: str, marks: str = "``") -> str:
    """Return `text` between `marks`, shortened, so no link can put anything into a page.

    marks: one that opens and one that closes; the usual ones make it code in Markdown.
    """
    shown = "".join(
        c if c.isprintable() and c not in marks else "\N{REPLACEMENT CHARACTER}"
        for c in text[:_SHOWN]
    )
    if len(text) > _SHOWN:
        shown += "…"
    return f"{marks[0]}{shown}{marks[1]}" if shown.strip() else "nothing"


def in_words(parameter: Parameter, value: Value) -> str:
    """Return a value as sentences write it: a number with all its digits."""
    written = parameter.write(value)
    return in_full(written) if isinstance(parameter, Number) else written


def read_note(parameter: Parameter, text: str, otherwise: Value) -> tuple[Value, str]:
    """Read one text; return the value and a sentence on what came and what it became, or ""."""
    value, problem = parameter.read(text, otherwise)
    if not problem:
        return value, ""
    used = in_words(parameter, value)
    return value, f"**{parameter.key}**: {quote(text)} {problem}; using {used}."


def usual_values(chosen: Mapping[str, Value], parameters: Iterable[Parameter]) -> dict[str, Value]:
    """Return what every parameter is where nobody says it, given the options chosen."""
    listed = tuple(parameters)
    usual = {parameter.key: parameter.default for parameter in listed}
    for parameter in listed:
        if isinstance(parameter, Choice):
            usual |= parameter.defaults.get(str(chosen.get(parameter.key, parameter.default)), {})
    return usual


def decode(
    query: Mapping[str, Sequence[str]], parameters: Iterable[Parameter]
) -> tuple[dict[str, Value], tuple[str, ...]]:
    """Read a query string's values; return a value for every parameter, and notes.

    A finite number outside its range becomes the nearest end; anything else that cannot be
    read becomes the default. Of a repeated key the last value counts. Keys that belong to no
    parameter are left out, with a note unless they were parameters in former times.
    """
    listed = tuple(parameters)
    query = _as_it_is_now(query, listed)
    chosen = {
        p.key: p.read(query[p.key][-1], p.default)[0]
        for p in listed
        if isinstance(p, Choice) and query.get(p.key)
    }
    usual = usual_values(chosen, listed)
    values: dict[str, Value] = {}
    notes: list[str] = []
    for parameter in listed:
        texts = query.get(parameter.key, ())
        if not texts:
            values[parameter.key] = usual[parameter.key]
            continue
        value, note = read_note(parameter, texts[-1], usual[parameter.key])
        if not note and len(texts) > 1:
            last = in_words(parameter, value)
            note = f"**{parameter.key}**: given {len(texts)} times; using the last, {last}."
        values[parameter.key] = value
        notes += [note] if note else []
    gone = {key for p in listed if isinstance(p, Choice) for key in p.gone}
    theirs = values.keys() | gone
    if unknown := [key for key in query if key not in theirs]:
        named = ", ".join(map(quote, unknown[:_NAMED])) + (", …" if unknown[_NAMED:] else "")
        notes.append(f"Left out, as this page has no such parameter: {named}.")
    return values, tuple(notes)


def _as_it_is_now(
    query: Mapping[str, Sequence[str]], parameters: Iterable[Parameter]
) -> Mapping[str, Sequence[str]]:
    """Return a query that may name an option of former times as one that names what it became."""
    by_key = {parameter.key: parameter for parameter in parameters}
    for parameter in by_key.values():
        if isinstance(parameter, Choice) and query.get(parameter.key):
            became = parameter.formerly.get(query[parameter.key][-1], {})
            now = {key: [by_key[key].write(value)] for key, value in became.items()}
            named = {key: texts for key, texts in query.items() if key != parameter.key or not now}
            query = {**now, **named}
    return query


def decode_link(
    query: Mapping[str, Sequence[str]], parameters: Iterable[Parameter]
) -> tuple[dict[str, Value], tuple[str, ...]]:
    """Read the query string of a page, leaving aside what goes from page to page."""
    listed = tuple(parameters)
    keys = {parameter.key for parameter in listed}
    parameters_alone = {k: v for k, v in query.items() if k in keys or k not in (*MODES, *CARRIED)}
    return decode(parameters_alone, listed)


def decode_address(
    query: Mapping[str, Sequence[str]], parameters: Iterable[Parameter]
) -> tuple[dict[str, Value], tuple[str, ...]]:
    """Read the address of a page: a link, or the bare page with what a reader carries along."""
    listed = tuple(parameters)
    keys = {parameter.key for parameter in listed}.difference(CARRIED) | {"lecture"}
    opens = {p.key: [p.opens] for p in listed if isinstance(p, Choice) and p.opens}
    return decode_link(query if keys & query.keys() else {**query, **opens}, listed)


def encode(values: Mapping[str, Value], parameters: Iterable[Parameter]) -> dict[str, str]:
    """Write every parameter, defaults included, so a link outlives a change of defaults."""
    return {p.key: p.write(values[p.key]) for p in parameters}
