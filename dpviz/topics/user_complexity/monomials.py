"""Products of powers, the language in which the papers' tables are written.

Every bound of the tables is a sum (once a minimum) of products of powers. Kept as exponents, a
bound can be evaluated, printed and compared: two products cross where their quotient is 1, and
that is solved for any one quantity in closed form.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from types import MappingProxyType
from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# The tables' symbols, and under which name the table of parameter ranges has them.
PARAMETERS: Mapping[str, str] = MappingProxyType(
    {
        "m": "examples_per_user",
        "d": "dimension",
        "k": "domain_size",
        "d_L": "littlestone_dimension",
        "d_VC": "vc_dimension",
        "d_SQ": "sq_dimension",
        "F": "hypotheses",
        "alpha": "alpha",
        "epsilon": "epsilon",
        "delta": "delta",
        "beta": "failure_probability",
        "c_L": "littlestone_power",
        "c_SQ": "sq_power",
        "c_m": "examples_power",
    }
)


def read(symbols: Iterable[str], parameters: Mapping[str, ArrayLike]) -> dict[str, FloatArray]:
    """Return the named parameters as float arrays, each inside its range.

    The bounds are shapes, so m, k and the dimensions may be any number in their range, not only
    whole ones. Parameters that a bound does not need are ignored; names that no bound knows raise
    ``TypeError``, as a missing parameter does, and a value out of range raises `ParameterError`.
    """
    unknown = set(parameters) - set(PARAMETERS)
    if unknown:
        raise TypeError(f"unknown parameters {sorted(unknown)}; there are {list(PARAMETERS)}")
    values: dict[str, FloatArray] = {}
    for symbol in symbols:
        if symbol not in parameters:
            raise TypeError(f"the parameter {symbol!r} is missing")
        limit = LIMITS[PARAMETERS[symbol]]
        try:
            array = np.asarray(parameters[symbol], dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(limit.name, limit.allowed, parameters[symbol]) from None
        outside = ~((array >= limit.minimum) & (array <= limit.maximum))
        if outside.any():
            raise ParameterError(limit.name, limit.allowed, float(array[outside].flat[0]))
        values[symbol] = array
    return values


def short(value: SupportsFloat) -> str:
    """Return a number in three digits, such as ``12,300`` or ``4 × 10⁸``."""
    rounded = float(f"{float(value):.3g}")
    if rounded == 0 or 1e-4 < abs(rounded) < 1e6:
        return f"{rounded:,.10g}"
    factor, power = f"{rounded:.2e}".split("e")
    raised = f"10{str(int(power)).translate(_SUPERSCRIPTS)}"
    factor = factor.rstrip("0").rstrip(".")
    return raised if factor == "1" else f"{factor} × {raised}"


def iterated_log(x: ArrayLike) -> FloatArray:
    """Return log*(x), how often log₂ must be applied until at most 1 is left, for x ≤ 2^65536."""
    return np.searchsorted([1, 2, 4, 16, 65536], x, side="left").astype(np.float64)


@dataclass(frozen=True)
class Quantity:
    """A factor of a bound: one parameter, or a function of parameters such as ln(1/δ).

    parameters: the tables' symbols it depends on, in the order that `evaluate` takes them.
    """

    parameters: tuple[str, ...]
    text: str
    evaluate: Callable[..., FloatArray]


def _parameter(symbol: str) -> Quantity:
    return Quantity((symbol,), LIMITS[PARAMETERS[symbol]].symbol, lambda value: value)


_PLAIN = ("m", "d", "k", "d_L", "d_VC", "d_SQ", "alpha", "epsilon", "delta", "beta")
QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        **{symbol: _parameter(symbol) for symbol in _PLAIN},
        "log_delta": Quantity(("delta",), "ln(1/δ)", lambda delta: -np.log(delta)),
        "log_F": Quantity(
            ("F", "beta"), "ln(|F|/β)", lambda count, beta: np.log(count) - np.log(beta)
        ),
        "logstar_L": Quantity(("d_L",), "log* d_L", iterated_log),
    }
)

_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Monomial:
    """coefficient · ∏ quantity^(number · parameter), written by `monomial`.

    powers: (quantity, number, parameter); the parameter is "" for a power that the paper states,
    and the symbol of the parameter that stands for it where the paper writes O(1).
    """

    powers: tuple[tuple[str, Fraction, str], ...]
    coefficient: float = 1.0

    @property
    def parameters(self) -> tuple[str, ...]:
        """The tables' symbols it depends on, in order of appearance."""
        names = [s for base, _, _ in self.powers for s in QUANTITIES[base].parameters]
        return tuple(dict.fromkeys(names + [p for _, _, p in self.powers if p]))

    def evaluate(self, values: Mapping[str, FloatArray]) -> FloatArray:
        """Return its value at parameters already validated by `read`."""
        factors = (
            np.power(
                QUANTITIES[base].evaluate(*(values[s] for s in QUANTITIES[base].parameters)),
                float(number) * (values[parameter] if parameter else 1.0),
            )
            for base, number, parameter in self.powers
        )
        product: FloatArray = reduce(np.multiply, factors, np.asarray(self.coefficient))
        return product

    def exponent(self, base: str) -> Fraction:
        """Return the stated exponent of a quantity, 0 where it does not occur."""
        return sum(
            (n for b, n, parameter in self.powers if b == base and not parameter), Fraction()
        )

    def __truediv__(self, other: "Monomial") -> "Monomial":
        """Return the quotient, with equal factors cancelled."""
        powers: dict[tuple[str, str], Fraction] = {}
        for sign, factors in ((1, self.powers), (-1, other.powers)):
            for base, number, parameter in factors:
                key = base, parameter
                powers[key] = powers.get(key, Fraction()) + sign * number
        kept = tuple((base, n, parameter) for (base, parameter), n in powers.items() if n)
        return Monomial(kept, self.coefficient / other.coefficient)

    def solve_for(self, base: str) -> "Monomial":
        """Return the value of one quantity at which the monomial equals 1, as a monomial."""
        exponent = self.exponent(base)
        rest = tuple((b, -n / exponent, p) for b, n, p in self.powers if b != base)
        return Monomial(rest, self.coefficient ** -float(1 / exponent))

    @property
    def text(self) -> str:
        """Plain text, such as ``k/(εα√m)``; roots come last, where no factor can slip under."""
        above: list[str] = []
        below: list[str] = []
        for base, number, parameter in sorted(self.powers, key=lambda p: abs(p[1]) == _HALF):
            name, size = QUANTITIES[base].text, abs(number)
            if parameter:
                factor = f"{name}^{'' if size == 1 else size}{parameter}"
            elif size == _HALF:
                factor = f"√{name}"
            elif size.denominator == 1:
                factor = name if size == 1 else name + str(size).translate(_SUPERSCRIPTS)
            else:
                factor = f"{name}^{float(size):g}"
            (above if number > 0 else below).append(factor)
        numerator = "".join(above)
        if self.coefficient != 1 or not numerator:
            numerator = "·".join([f"{self.coefficient:g}", *([numerator] if numerator else [])])
        if not below:
            return numerator
        return f"{numerator}/{below[0] if len(below) == 1 else '(' + ''.join(below) + ')'}"


def monomial(spec: str, coefficient: float = 1.0) -> Monomial:
    """Read a monomial from words such as ``"d epsilon^-1 alpha^-1 m^-1/2"``; ``"1"`` is 1.

    A power may be a number or, for a power the paper leaves open, a parameter: ``"d_L^c_L"``.
    """
    powers = []
    for word in spec.split():
        base, _, power = word.partition("^")
        if base == "1":
            continue
        parameter = power.lstrip("-") if power.lstrip("-") in PARAMETERS else ""
        number = Fraction(power.replace(parameter, "1") if parameter else power or "1")
        powers.append((base, number, parameter))
    return Monomial(tuple(powers), coefficient)


def monomials(*specs: str) -> tuple[Monomial, ...]:
    """Read several monomials with coefficient 1."""
    return tuple(monomial(spec) for spec in specs)
