"""Numbers as a field shows them, and as links write them."""

from decimal import Decimal

from dpviz.results.parameters import LIMITS, format_number

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def typeset(key: str, text: str) -> str:
    """The number of a link in the field of the parameter `key`."""
    factor, _, power = text.partition("e")
    digits, exponent = Decimal(factor).normalize().as_tuple()[1:]
    if not power and exponent >= 6 and len(digits) <= 2:
        factor, power = "".join(map(str, digits)), str(exponent)
    if power:
        ten = "10" + str(int(power)).translate(RAISED)
        return ten if factor == "1" else f"{factor} × {ten}"
    whole, point, decimals = factor.partition(".")
    if LIMITS[key].integer or len(whole) > 6 or point:
        whole = f"{int(whole):,}"
    return f"{whole}{point}{decimals}"


def linked(text: str) -> str:
    """The number of a field as links write it."""
    factor, ten, power = text.replace(",", "").rpartition("10")
    if not power or not set(power) <= set("⁻⁰¹²³⁴⁵⁶⁷⁸⁹"):
        return factor + ten + power
    times = Decimal(factor.removesuffix(" × ") or 1)
    return format_number(float(times.scaleb(int(power.translate(LOWERED)))))
