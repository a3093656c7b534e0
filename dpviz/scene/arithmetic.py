"""Numbers as students write them, small expressions included: "1/11", "2 ln 9", "≈ 50%", "12k".

No library reads these: those for formulas want every product spelled out, points for commas, and
know neither ½ nor 113 000. `dpviz/scripts/arithmetic.js` reads the same in the browser.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from operator import mul, truediv

from dpviz.plot.text import readable
from dpviz.results.numbers import LONGEST, read_number
from dpviz.scene.codec import quote

_BEFORE = re.compile(
    r"(?:about|approx(?:imately)?\.?|circa|ca\.?|roughly)\s|[^\W\d_]{1,10}\s*+=|[=≈~∼≃≅]"
)
_NUMBER = r"[1-9]\d{0,2}+(?:[\s'’]\d{3})+(?![\d.])|\d[\d.,]*+(?:[eE][-+−]?+\d++)?|\.\d++"
_PART = re.compile(
    rf"\s*+(?:(?P<number>{_NUMBER})(?P<times>[kKM](?![A-Za-z]))?|"
    r"(?P<word>[lL]og(?:_?(?:10|2)(?![\d.,])|₁₀|₂)|per\s?cent|[A-Za-z]++)|"
    r"(?P<raised>[⁺⁻]?+[⁰¹²³⁴⁵⁶⁷⁸⁹]++)|(?P<other>\*\*|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞√π%‰+\-−–*·⋅×/÷:^()]))"
)
_SPELLED = {"−": "-", "–": "-", "**": "^", "·": "*", "⋅": "*", "×": "*", "÷": "/", ":": "/"}
_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_TIMES = {"k": 1e3, "K": 1e3, "M": 1e6, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_PARTS_OF_ONE = {"%": 1e2, "‰": 1e3}
_FRACTIONS = dict(
    zip("½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞", (1 / 2, 1 / 3, 2 / 3, 1 / 4, 3 / 4, *(n / 5 for n in range(1, 5)),
    1 / 6, 5 / 6, *(n / 8 for n in (1, 3, 5, 7))), strict=True)
)  # fmt: skip
_CONSTANTS = {"e": math.e, "pi": math.pi, "π": math.pi}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "ln": math.log,
    "log": math.log,
    "sqrt": math.sqrt,
    "√": math.sqrt,
    "exp": math.exp,
    **dict.fromkeys(("log10", "log_10", "log₁₀", "lg"), math.log10),
    **dict.fromkeys(("log2", "log_2", "log₂"), math.log2),
}
_OPERATIONS = {"*": mul, "/": truediv}
_LONGEST = 60  # characters of an expression, each of which may open a bracket
_PLAIN = re.compile(r"[-−]?\d++(?:\.\d++)?")
_LIKE_A_GROUP = re.compile(r"[-−]?[1-9]\d{0,2}\.\d{3}")
_DIGITS = 6
WRITTEN = "0.25, 1/4, 10^-6 or 2*ln(9)"


@dataclass(frozen=True)
class ReadNumber:
    """What a text was read as.

    value: NaN for no number. note: how it was read, where it is not plain to see. problem: what is
    wrong with it, or what has to be decided; "" for nothing.
    """

    value: float
    note: str = ""
    problem: str = ""


class _TwoReadingsError(ValueError):
    """An expression may mean two numbers."""


def evaluate(text: str) -> float:
    """Return what `read` reads, NaN where that is no number."""
    return read(text).value


def read(text: str, unit: str = "") -> ReadNumber:
    """Return what a number or an expression stands for.

    It may have + − * · × / : ^ **, brackets, e, π or pi, % and ‰, fractions like ½, superscripts,
    k, M, and before a number ln, log (the natural one), log10, log2, sqrt or √, and exp; a product
    needs no sign. Before all of it "=", "≈", "n =" or "about" may stand, and behind it the unit in
    which it is asked, which may be %. Where brackets are missing that decide, it is not read.
    """
    if len(text) > LONGEST:
        return _refused(text)
    bare = text.strip()
    if begin := _BEFORE.match(bare):
        bare = bare[begin.end() :].strip()
    bare = _without_unit(bare, unit)
    value, is_log = read_number(bare, comma=True), False
    if math.isnan(value):
        try:
            reader = _Reader(bare)
            value, is_log = reader.whole(), reader.logs
        except _TwoReadingsError:
            problem = (
                f"{quote(text, '“”')} can be read in two ways; write brackets, or * for “times”"
            )
            return ReadNumber(math.nan, problem=problem)
        except (ValueError, ArithmeticError):
            return _refused(text)
    if not math.isfinite(value):
        return _refused(text)
    return ReadNumber(value, _note(bare, value, is_log=is_log))


def _refused(text: str) -> ReadNumber:
    problem = f"{quote(text, '“”')} is no number; write it like {WRITTEN}"
    return ReadNumber(math.nan, problem=problem)


def _note(bare: str, value: float, *, is_log: bool) -> str:
    if _PLAIN.fullmatch(bare) and not _LIKE_A_GROUP.fullmatch(bare):
        return ""
    natural = "; log is the natural logarithm" if is_log else ""
    return f"Read as {readable(value, _DIGITS)}{natural}."


def _without_unit(text: str, unit: str) -> str:
    """Return a text without the unit behind it, in capitals or not, of one or of many."""
    low, word = text.lower(), unit.lower()
    names = (word, word.removesuffix("s"), *(("percent", "per cent") if word == "%" else ()))
    for name in filter(low.endswith, filter(None, names)):
        rest = text[: len(text) - len(name)]
        if rest.strip() and not (rest[-1].isalpha() and name[0].isalpha()):
            return rest.rstrip()
    return text


class _Reader:
    """What is left to be read of an expression; a `ValueError` says that it is none.

    logs: whether "log" was read without its base.
    """

    def __init__(self, text: str) -> None:
        self.parts: list[str] = []
        self.at, self.logs = 0, False
        end = 0
        while end < len(text) <= _LONGEST and (part := _PART.match(text, end)):
            end = part.end()
            self._keep(part)
        if not text or end < len(text):
            raise ValueError(text)

    def _keep(self, part: re.Match[str]) -> None:
        number, word, other = part["number"], part["word"], part["other"]
        if number:
            self.parts.append(number)
            self.parts += [part["times"]] if part["times"] else []
        elif word:
            between = self.parts and (self.parts[-1][0].isdigit() or self.parts[-1] == ")")
            low = word.lower()
            low = "%" if low.startswith("per") else low
            self.parts.append("*" if low == "x" and between else low)
        else:
            self.parts.append(_SPELLED.get(other, other) if other else part["raised"])

    @property
    def next(self) -> str:
        return self.parts[self.at] if self.at < len(self.parts) else ""

    def take(self) -> str:
        part = self.next
        self.at += 1
        return part

    def whole(self) -> float:
        """Read all there is."""
        value = self.sum()
        if self.next:
            raise ValueError(self.next)
        return value

    def next_of(self, *signs: str) -> str:
        """Take the next part if it is one of these; "" if it is another."""
        return self.take() if self.next in signs else ""

    def sum(self) -> float:
        value = self.product()
        while sign := self.next_of("+", "-"):
            other = self.product()
            value += other if sign == "+" else -other
        return value

    def product(self) -> float:
        """Read a product; a factor without a sign belongs to the one before it."""
        value, sign = self.signed(), ""
        while True:
            ends_openly = sign == "/" or self.is_open
            if sign := self.next_of(*_OPERATIONS):
                value = _OPERATIONS[sign](value, self.signed())
            elif not self._begins_factor():
                return value
            elif ends_openly:
                raise _TwoReadingsError
            else:
                value *= self.power()

    is_open = False
    """Whether what was read last, a power or a function without brackets, could take more in."""

    def _begins_factor(self) -> bool:
        before = self.parts[self.at - 1]
        if self.next in _CONSTANTS:
            return before not in _CONSTANTS
        return self.next == "(" or self.next in _FUNCTIONS

    def signed(self) -> float:
        if sign := self.next_of("+", "-"):
            return -self.signed() if sign == "-" else self.signed()
        return self.power()

    def power(self) -> float:
        self.is_open = False
        base = self.single()
        if self.next[:1] and self.next[0] in "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹":
            value = base ** int(self.take().translate(_SUPERSCRIPTS))
        elif self.next_of("^"):
            bracketed = self.next == "("
            value = base ** self.signed()
            self.is_open = self.is_open or not bracketed
        else:
            return base
        if not isinstance(value, float):  # a complex one
            raise ValueError(base)
        return value

    def single(self) -> float:
        """Read a number, a constant, a bracket, or a function of what follows it."""
        part = self.take()
        if part == "(":
            value = self.sum()
            if not self.next_of(")"):
                raise ValueError(part)
            self.is_open = False
            return value
        if part in _FUNCTIONS:
            self.logs = self.logs or part == "log"
            if self.next == "(":
                return _FUNCTIONS[part](self.single())
            value = _FUNCTIONS[part](self.power())
            self.is_open = True
            return value
        if part in _CONSTANTS:
            return _CONSTANTS[part]
        if part in _FRACTIONS:
            return self.shared(_FRACTIONS[part])
        value = read_number(re.sub(r"[\s'’]", "", part), comma=True)
        if not math.isfinite(value):
            raise ValueError(part)
        value += _FRACTIONS[self.take()] if self.next in _FRACTIONS else 0.0
        return self.shared(value)

    def shared(self, value: float) -> float:
        """Return a number times what stands behind it: k, million, %."""
        while self.next in _TIMES:
            value *= _TIMES[self.take()]
        if sign := self.next_of(*_PARTS_OF_ONE):
            if self.parts[max(self.at - 3, 0)] == "/":  # of the divisor, or of all?
                raise _TwoReadingsError
            value /= _PARTS_OF_ONE[sign]
        return value
