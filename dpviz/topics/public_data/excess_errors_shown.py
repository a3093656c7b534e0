"""What is said of every figure of simulated errors, and of an error beside the best rule's."""

import math
from collections.abc import Callable

from dpviz.plot.text import known_digits, percent, readable
from dpviz.results.evidence import Curve
from dpviz.topics.public_data.excess_errors import ErrorChart
from dpviz.topics.public_data.learners_shown import privacy_notes

_BEST = {"thresholds": "threshold", "intervals": "interval", "halfplanes": "half-plane"}


def error_rate(share: float, digits: int = 2) -> str:
    """Write an error in percent, as finely as a reader would repeat it."""
    return percent(share, digits)


def digits_at(curve: Curve, at: int) -> int:
    """Return how many digits of a mean its interval tells, at most the two of `error_rate`."""
    low, high = curve.interval
    return known_digits(float(curve.y[at]), float(low[at]), float(high[at]), digits=2)


def compared(
    task: str, excess: float, other: float, where: str, digits: tuple[int, int] = (2, 2)
) -> str:
    """Say by how much a learner misses the best rule, and elsewhere, if that is known.

    digits: of either error.
    """
    here, there = written(task, excess, digits[0]), written(task, other, digits[1])
    says = f"has a squared error {here} above the least there is"
    if task in _BEST:
        says = f"is {here} percentage points worse than the best {_BEST[task]}"
    alike = f"as {'many' if task in _BEST else 'much'}"
    return says if math.isnan(other) else f"{says}, and {alike if here == there else there} {where}"


def written(task: str, excess: float, digits: int = 2) -> str:
    """Write an excess error in percentage points, or a squared one."""
    if task in _BEST:
        return error_rate(excess, digits).removesuffix("%")
    return readable(excess, digits)


def told(chart: ErrorChart, excess: float, write: Callable[[float], str] = readable) -> str:
    """Write an excess error as the axis has it: in per cent, or a squared one."""
    return f"{write(100 * excess)}%" if chart.y.chance else write(excess)


def error_notes(chart: ErrorChart) -> list[str]:
    """Say how the points were made, and what is known of the privacy."""
    notes = [
        "Means over runs with fresh data, the same for all learners; 95% intervals from 3 runs on "
        "(Student's t, for the logarithm of the mean). "
        "Each excess error is computed under the private distribution, not estimated.",
        "Neighbouring data sets differ in one example, substituted.",
    ]
    for name, kind in chart.private.items():
        notes += privacy_notes(name, kind)
    if "rspm" in chart.private:
        notes.append(
            "RSPM uses no public data; its class is cut down to a grid of m cells, so its error "
            "does not fall below that of the best function on the grid."
        )
    return notes
