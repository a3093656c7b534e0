"""How to read a curve: what each kind of evidence says, with the numbers of the example."""

import numpy as np

from dpviz.plot.text import readable
from dpviz.results.evidence import Chart, Curve


def attackers_takeaway(chart: Chart) -> str:
    """State how often the best attacker is right."""
    [best] = chart.marks
    return (
        "Is this person in the data? Half of those asked about are. The best attacker there can "
        f"be is right {readable(best.y)}% of the time; a coin is right 50%."
    )


def takeaway(chart: Chart) -> str:
    """Say what the last of the curves is and means; of all of them, compare truth and theorem."""
    exact, last = chart.curve("exact"), chart.curves[-1]
    if len(chart.curves) > 2:
        last = chart.curve("published")
    place, at, truth = _near_one(exact, last)
    if len(chart.curves) > 2:
        return (
            f"{at} the true δ is {truth}; the textbook formula gives "
            f"{readable(last.y[place], 2)}, {_times(last.y[place] / exact.y[place])} as much."
        )
    match last.key:
        case "exact":
            return (
                f"A solid line is exact. {at} the least δ is {truth}: the number itself, up to "
                "rounding, not a bound on it."
            )
        case "certified":
            low, high = _interval(last, place)
            return (
                f"A band is certified. {at} the truth, {truth}, lies between {low} and {high}: "
                "what the computation rounds, it rounds down for one bound and up for the other."
            )
        case "upper":
            return (
                f"A solid line without a band is a proven bound. {at} the truth, {truth}, is at "
                f"most {readable(last.y[place], 2)}; the proof does not say how far below."
            )
        case "simulated":
            return _simulated(exact, last)
        case "shape":
            return (
                "A dashed line is an asymptotic shape: only how it falls means anything, since its "
                f"constants are dropped. {at} the truth is "
                f"{_times(exact.y[place] / last.y[place])} as large."
            )
    return (
        f"A dotted line is as published. {at} the paper's formula gives "
        f"{readable(last.y[place], 2)}, {_times(last.y[place] / exact.y[place])} the true {truth}; "
        "beyond ε = 1 its assumption fails, and the line turns grey."
    )


def _simulated(exact: Curve, simulated: Curve) -> str:
    told = "Points with intervals are simulated, from a seed that is part of the link."
    if not simulated.x.size:
        return f"{told} Here too few of the random draws count to say anything."
    point = int(np.abs(simulated.x - 1).argmin())
    low, high = _interval(simulated, point)
    true = exact.y[int(np.abs(exact.x - simulated.x[point]).argmin())]
    return (
        f"{told} At ε = {readable(simulated.x[point], 2)} the draws put δ between {low} and "
        f"{high}; such an interval misses the truth, {readable(true, 2)}, one time in twenty."
    )


def _interval(curve: Curve, place: int) -> tuple[str, str]:
    low, high = (readable(curve.part(end)[place], 2) for end in ("_lower", "_upper"))
    return low, high


def _near_one(exact: Curve, other: Curve) -> tuple[int, str, str]:
    """Return the place next to ε = 1 at which both are drawn, its ε in words, and the true δ."""
    both = other.y if other.x is exact.x else exact.y
    drawn = np.flatnonzero(np.isfinite(exact.y) & np.isfinite(both))
    place = int(drawn[np.abs(exact.x[drawn] - 1).argmin()])
    return place, f"At ε = {readable(exact.x[place], 2)}", readable(exact.y[place], 2)


def _times(ratio: float) -> str:
    return f"{readable(ratio, 2)} times"
