"""A privacy loss in words that can be imagined: how many times as likely an output may be."""

import math

from dpviz.plot.axes import even_ticks
from dpviz.plot.marks import Words
from dpviz.plot.text import power_of_ten, readable, upwards
from dpviz.results.ends import rounded_up

FAR = math.log(1000)
"""The ε′ from which powers of ten say more along an axis."""
_VAST = math.log(1e6)  # ε′ from which they say more everywhere
_TEN = math.log(10)
_RARE = 1e-3  # δ′, up to which what it leaves out is hardly any output
_FEW = 0.01  # of the outputs, that are not almost every one
_TICKS = 12  # along an axis, at most
_NEARLY = 1.02  # times as likely, below which a digit more tells them from equal
_ROUNDING = 1e-9


def odds(epsilon: float) -> str:
    """Write how many times as likely, to three digits; near 1 to four."""
    ratio = math.exp(epsilon)
    return readable(ratio, 4 if ratio < _NEARLY else 3)


def times(epsilon: float) -> str:
    """Say how many times as likely."""
    return f"{odds(epsilon) if epsilon < _VAST else power_of_ten(_tens(epsilon))} times"


def at_most(epsilon: float, delta: float) -> str:
    """Say within how many times as likely almost every output is, rounded up."""
    if (loss := _nearly_all(epsilon, delta)) >= _VAST:
        return f"{power_of_ten(math.ceil(loss / _TEN))} times"
    if (ratio := math.exp(loss)) < _NEARLY:
        return f"{readable(1 + rounded_up(ratio - 1, 2), 12)} times"
    return f"{upwards(ratio)} times"


def _tens(epsilon: float) -> int:
    """Return which power of ten is no more than e^ε."""
    return math.floor(epsilon / _TEN + _ROUNDING)


def _nearly_all(epsilon: float, delta: float) -> float:
    """Return a loss within which almost every one of (ε′, δ′)-close outputs is; ε′ but for δ′.

    Those more than e^(ε′ + s) times as likely have at most probability δ′/(1 − e^(−s)). Where δ′ is
    rare, s is such that this is one in a hundred.
    """
    return epsilon - math.log1p(-delta / _FEW) if delta <= _RARE else epsilon


def allowed(epsilon: float, delta: float) -> str:
    """Say how many times as likely a bound allows: near 1 as exactly as what it bounds."""
    near = math.exp(min(epsilon, FAR)) < _NEARLY
    return at_most(epsilon, delta) if near else times(epsilon)


def share(failure_probability: float) -> str:
    """Say of how many all but a share is, in per cent."""
    return f"{readable(100 * (1 - failure_probability), 13)}%"


def kept(
    when: str,
    verb: str,
    sides: Words = "",
    *,
    needed: float,
    surely: float,
    worst: float,
    delta: float,
) -> str:
    """Say how alike outputs stay in nearly all cases, and what group privacy allows.

    when: of how many what is true; verb, sides: "is" so likely " on one as on the other", and in
    short; surely: the ε′ within which every output stays, inf if none is known; worst: the ε′ of
    group privacy, NaN where it promises nothing.
    """
    close = at_most(needed, delta)
    full, short = (sides, sides) if isinstance(sides, str) else sides
    but = "" if delta <= _RARE else " (but for δ′)"
    if close == times(0.0):
        stays = "stays" if verb == "becomes" else verb
        said = f"{when}, every output {stays} as likely{full}{but}"
    else:
        every = surely <= _nearly_all(needed, delta)
        no, more = ("no", "more than") if every or but else ("almost no", "over")
        where = full if every or not but else f"{short}{but}"
        said = f"{when}, {no} output {verb} {more} {close} as likely{where}"
    if math.isnan(worst):
        return f"{said}; group privacy promises nothing."
    if worst <= needed or at_most(worst, delta) == close:
        return f"{said}; group privacy allows as much."
    return f"{said}; group privacy allows {allowed(worst, delta)}."


def ticks(most: float) -> list[tuple[float, str]]:
    """Return round numbers of times, or powers of ten, as places of ε′."""
    if most > FAR:
        tens = [int(ten) for ten in even_ticks(0.0, most / _TEN)[0] if ten % 1 == 0]
        return [(ten * _TEN, ("1", "10")[ten] if ten < 2 else power_of_ten(ten)) for ten in tens]
    near = [1 + digit * 10.0**-power for power in range(6, 0, -1) for digit in (1, 2, 5)]
    found = [(0.0, "1")]
    for number in (*near, *(digit * 10.0**power for power in range(4) for digit in (2, 3, 5, 10))):
        at = math.log(number)
        if at <= most and at - found[-1][0] >= most / _TICKS:
            found.append((at, readable(number, 7)))
    return found
