"""Numbers as people write them, for labels, hovers and sentences."""

import math
import re

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_ten(exponent: int) -> str:
    """Return ``10⁻¹⁰`` for -10."""
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def readable(value: float, digits: int = 3) -> str:
    """Return `value` to so many significant digits: ``0.0123``, ``12,300``, ``1.23 × 10⁻⁷``."""
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    sign = "−" if value < 0 else ""
    mantissa, exponent = f"{abs(value):.{digits - 1}e}".split("e")
    power = int(exponent)
    if -4 < power < 6:
        rounded = float(f"{mantissa}e{exponent}")
        return sign + _trimmed(f"{rounded:,.{max(digits - 1 - power, 0)}f}")
    factor = _trimmed(mantissa)
    return sign + (power_of_ten(power) if factor == "1" else f"{factor} × {power_of_ten(power)}")


def plain(text: str) -> str:
    """Return text in which no character means anything to Markdown: for what a file holds."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=])", r"\\\1", text)


def _trimmed(decimal: str) -> str:
    return decimal.rstrip("0").rstrip(".") if "." in decimal else decimal
