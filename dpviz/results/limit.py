"""The range of one parameter, the values its slider snaps to, and the error outside of it."""

import copyreg
import math
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, SupportsFloat

import numpy as np


class ParameterError(ValueError):
    """A parameter lies outside its range; the message names it, the range and the value."""

    def __init__(self, name: str, allowed: str, value: object) -> None:
        self.name = name
        self.allowed = allowed
        self.value = value
        super().__init__(f"{name} must be {allowed}; got {value!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Let it travel from one process to another, as a pool of them has it."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class NoFileError(ParameterError):
    """A reader chose data of their own, and has not uploaded any yet."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "bundled data until a file is uploaded", "own")
        self.args = ("Nothing is shown until a file is uploaded: choose one, or other data.",)


@dataclass(frozen=True)
class Limit:
    """The range of one numeric parameter, both ends included.

    name: the Python keyword; it is the URL key as well.
    symbol: how the parameter is written in text and figures.
    meaning: one phrase for a label or a tooltip: what it is called; then, after a comma, a colon or
    in brackets, what explains it.
    better: which way is safer or more accurate, where that is the same on every page.
    fine: whether a log scale has more values than its length asks for, as for a guess.
    """

    name: str
    symbol: str
    meaning: str
    minimum: float
    maximum: float
    default: float
    integer: bool = False
    log: bool = True
    step: float | None = None
    better: str = ""
    fine: bool = False

    @property
    def called(self) -> str:
        """What it is called, without what explains it: on its control and along an axis."""
        return re.split("[,:(]", self.meaning)[0].strip()

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends of the range, as Python and links write them."""
        return format_number(self.minimum), format_number(self.maximum)

    @property
    def kind(self) -> str:
        """The kind of number it is."""
        return "a whole number" if self.integer else "a number"

    @property
    def allowed(self) -> str:
        """The range in words, as errors print it."""
        return f"{self.kind} from {' to '.join(self.ends)}"

    def validate(self, value: SupportsFloat) -> float:
        """Return value as a float inside the range, or raise `ParameterError`.

        Integer parameters come back as whole floats; callers that need an ``int`` convert.
        """
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(self.name, self.allowed, value) from None
        if not self.minimum <= number <= self.maximum:  # also false for NaN
            raise ParameterError(self.name, self.allowed, value)
        if self.integer and number != math.floor(number):
            raise ParameterError(self.name, self.allowed, value)
        return number

    def narrowed(
        self,
        *,
        minimum: float | None = None,
        maximum: float | None = None,
        default: float | None = None,
        meaning: str = "",
        better: str = "",
    ) -> "Limit":
        """Return a copy with a smaller range: a page may narrow a range, never widen it.

        meaning: what a page calls it, if it has a word of its own for it. better: what a page says
        of it in place of which way is safer.
        """
        low = self.minimum if minimum is None else minimum
        high = self.maximum if maximum is None else maximum
        if not self.minimum <= low < high <= self.maximum:
            raise ParameterError(self.name, f"narrowed inside {self.allowed}", (low, high))
        start = self.default if default is None else default
        start = min(max(start, low), high)
        meaning, better = meaning or self.meaning, better or self.better
        return replace(
            self, minimum=low, maximum=high, default=start, meaning=meaning, better=better
        )

    @cached_property
    def grid(self) -> tuple[float, ...]:
        """The values a slider snaps to, ascending, both ends included.

        On a log scale 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times powers of ten; twice as many up
        to three decades, or where it is `fine`; whole decades beyond 40. On a linear scale,
        multiples of `step`.
        """
        if not self.log:
            span = self.maximum - self.minimum
            step = self.step or (max(1.0, span // 1000) if self.integer else span / 100)
            count = round(span / step)
            values = [float(f"{self.minimum + i * step:.12g}") for i in range(count + 1)]
        else:
            first, last = math.floor(math.log10(self.minimum)), math.ceil(math.log10(self.maximum))
            mantissas: tuple[float, ...] = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
            if last - first > 40:
                mantissas = (1.0,)
            elif self.fine or self.maximum <= 1000 * self.minimum:
                mantissas += (1.1, 1.3, 1.4, 1.6, 1.8, 2.2, 2.8, 3.5, 4.5, 5.5, 7.0, 9.0)
            values = [float(f"{m:g}e{d}") for d in range(first, last + 1) for m in mantissas]
        if self.integer:
            values = [v for v in values if v == math.floor(v)]
        inside = {v for v in values if self.minimum <= v <= self.maximum}
        return tuple(sorted(inside | {self.minimum, self.maximum, self.default}))


def format_number(value: float) -> str:
    """Return the shortest text that reads back as the same number (``1e-10``, ``1000000``)."""
    number = float(value)
    if math.isfinite(number) and (number == 0 or 1e-3 <= abs(number) < 1e7):
        return np.format_float_positional(number, trim="-")
    short = re.sub(
        r"e([+-])0*(\d)",
        lambda m: f"e{m[1].lstrip('+')}{m[2]}",
        np.format_float_scientific(number, trim="-"),
    )
    whole = np.format_float_positional(number, trim="-") if number.is_integer() else short
    return min(whole, short, key=len)
