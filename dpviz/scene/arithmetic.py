"""Numbers as people write them, small expressions included: "1/11", "2*ln(9)", "sqrt 5"."""

import math
import re
from collections.abc import Callable
from operator import mul, truediv

from dpviz.results.numbers import LONGEST, read_number

_PART = re.compile(r"\s*+(\d[\d.,]*+(?:[eE][-+−]?+\d++)?|[a-z]++|[√π]|[-+−*·×/^()])")
_CONSTANTS = {"e": math.e, "pi": math.pi, "π": math.pi}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "ln": math.log,
    "sqrt": math.sqrt,
    "√": math.sqrt,
    "exp": math.exp,
}
_PRODUCTS = {"*": mul, "·": mul, "×": mul, "/": truediv}
_LONGEST = 60  # characters of an expression, each of which may open a bracket


def evaluate(text: str) -> float:
    """Return what a number or an expression stands for, NaN where it stands for none.

    It may have + − * · × / ^, brackets, e, π or pi, and before a number ln, sqrt or √, and exp.
    """
    number = read_number(text, comma=True)
    if not math.isnan(number):
        return number if math.isfinite(number) else math.nan
    if len(text) > LONGEST:
        return math.nan
    try:
        value = _Reader(text).whole()
    except (ValueError, ArithmeticError):
        return math.nan
    return value if math.isfinite(value) else math.nan


class _Reader:
    """What is left to be read of an expression; a `ValueError` says that it is none."""

    def __init__(self, text: str) -> None:
        self.parts: list[str] = []
        end = 0
        text = text.strip()
        while end < len(text) <= _LONGEST and (part := _PART.match(text, end)):
            self.parts.append(part[1].replace("−", "-"))
            end = part.end()
        if not text or end < len(text):
            raise ValueError(text)

    def whole(self) -> float:
        """Read all there is."""
        value = self.sum()
        if self.parts:
            raise ValueError(self.parts[0])
        return value

    def next_of(self, *signs: str) -> str:
        """Take the next part if it is one of these; "" if it is another."""
        return self.parts.pop(0) if self.parts and self.parts[0] in signs else ""

    def sum(self) -> float:
        value = self.product()
        while sign := self.next_of("+", "-"):
            other = self.product()
            value += other if sign == "+" else -other
        return value

    def product(self) -> float:
        value = self.signed()
        while sign := self.next_of(*_PRODUCTS):
            value = _PRODUCTS[sign](value, self.signed())
        return value

    def signed(self) -> float:
        if sign := self.next_of("+", "-"):
            return -self.signed() if sign == "-" else self.signed()
        return self.power()

    def power(self) -> float:
        base = self.single()
        if not self.next_of("^"):
            return base
        value = base ** self.signed()
        if not isinstance(value, float):  # a complex one
            raise ValueError(base)
        return value

    def single(self) -> float:
        """Read a number, a constant, a bracket, or a function of what follows it."""
        part = self.parts.pop(0) if self.parts else ""
        if part == "(":
            value = self.sum()
            if not self.next_of(")"):
                raise ValueError(part)
            return value
        if part in _FUNCTIONS:
            is_bracketed = self.parts[:1] == ["("]
            return _FUNCTIONS[part](self.single() if is_bracketed else self.power())
        if part in _CONSTANTS:
            return _CONSTANTS[part]
        value = read_number(part, comma=True)
        if not math.isfinite(value):
            raise ValueError(part)
        return value
