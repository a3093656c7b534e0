"""What the views have in common: their parameters, their axes, and a search for the first m."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Axis, FloatArray
from dpviz.results.parameters import LIMITS, validate
from dpviz.topics.user_complexity.monomials import PARAMETERS, QUANTITIES

# Parameters by the tables' symbols, scalars as arrays without axes.
Values = dict[str, FloatArray]


class Setting(TypedDict, total=False):
    """The tables' parameters by their names in `LIMITS`; those left out take their defaults."""

    examples_per_user: float
    dimension: float
    domain_size: float
    littlestone_dimension: float
    vc_dimension: float
    sq_dimension: float
    hypotheses: float
    alpha: float
    epsilon: float
    delta: float
    failure_probability: float
    littlestone_power: float
    sq_power: float
    examples_power: float


def by_symbol(setting: Setting) -> Values:
    """Return the validated parameters by the tables' symbols."""
    unknown = set(setting) - set(PARAMETERS.values())
    if unknown:
        raise TypeError(f"unknown parameters {sorted(unknown)}")
    given = cast(Mapping[str, float], setting)
    return {
        symbol: np.asarray(validate(name, given.get(name, LIMITS[name].default)))
        for symbol, name in PARAMETERS.items()
    }


def axis_of(symbol: str) -> Axis:
    """Return the axis along which a parameter moves."""
    limit = LIMITS[PARAMETERS[symbol]]
    called = limit.called[0].upper() + limit.called[1:]
    return Axis(limit.name, f"{called}, {QUANTITIES[symbol].text}")


def m_values(*, here: float, if_near: Iterable[float] = ()) -> FloatArray:
    """Return whole m, evenly spread on a log scale, from 1 to beyond `here`, which is one of them.

    Those among `if_near` are included only if they lie at most two decades further out: otherwise
    they would squeeze the rest into a corner.
    """
    reach = max(1e3, here)
    for event in sorted(if_near):
        if event <= 100 * reach:
            reach = max(reach, event)
    limit = LIMITS["examples_per_user"]
    stop = min(10.0 ** np.ceil(np.log10(3 * reach)), limit.maximum)
    return np.unique([*np.rint(np.geomspace(limit.minimum, stop, 241)), here])


def axis_values(symbol: str, *, here: float) -> FloatArray:
    """Return values of a parameter other than m, two decades to either side of `here`."""
    limit = LIMITS[PARAMETERS[symbol]]
    values = np.geomspace(max(limit.minimum, here / 100), min(limit.maximum, here * 100), 241)
    return np.unique([*(np.rint(values) if limit.integer else values), here])


def first_m(
    ahead: Callable[[FloatArray], NDArray[np.bool_]],
    *,
    start: float = 1.0,
    events: Iterable[float] = (),
) -> float:
    """Return the smallest whole m from `start` on at which `ahead` is true, or infinity.

    Tried are every m up to 100, then 64 values a decade and, to either side, the events at which
    `ahead` may jump; between the last false and the first true value, bisection. A stretch
    shorter than the step of 3.7% can be missed.
    """
    maximum = LIMITS["examples_per_user"].maximum
    decades = np.arange(2, np.log10(maximum), 1 / 64)
    jumps = np.array([np.ceil(e) + shift for e in events for shift in (-1, 0)])
    grid = np.concatenate([np.arange(1, 100), np.rint(10.0**decades), [maximum, start], jumps])
    grid = np.unique(grid[(grid >= start) & (grid <= maximum)])
    hits = np.flatnonzero(ahead(grid))
    if not hits.size:
        return float(np.inf)
    if hits[0] == 0:
        return float(grid[0])
    low, high = int(grid[hits[0] - 1]), int(grid[hits[0]])
    while high - low > 1:
        middle = (low + high) // 2
        if ahead(np.array(float(middle))):
            high = middle
        else:
            low = middle
    return float(high)
