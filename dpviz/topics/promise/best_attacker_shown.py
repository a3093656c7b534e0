"""How shares of people are said and drawn, and how often the best attacker is right is asked."""

from dpviz.plot.marks import Mark, Rule
from dpviz.plot.spec import Figure
from dpviz.plot.text import downwards, hundredths, hundredths_upwards, percent, readable
from dpviz.results.evidence import Landmark
from dpviz.results.parameters import Limit

RIGHT = Limit(
    "guess", "%", "of all guesses of the best attacker are right", 50, 100, 75, log=False, step=1
)


def share(part: float) -> str:
    """Return a probability as a percentage, or as one in so many where that is small."""
    if part >= 0.01:
        return "nearly all" if 0.99999 < part < 1 else percent(part)
    return f"1 in {readable(1 / part)}" if part > 0 else "none"


def share_at_most(part: float) -> str:
    """Return the same after "at most", rounded up."""
    if part >= 0.01:
        return "nearly all" if 0.99999 < part < 1 else f"{hundredths_upwards(part)}%"
    return f"1 in {downwards(1 / part)}" if part > 0 else "none"


def to_both_axes(point: Landmark) -> list[Mark]:
    """Return thin lines from an attacker to both axes, where the two shares are read."""
    return [
        Rule(x=point.x, y=(0, point.y), wide=1, dash="dot", about="muted"),
        Rule(x=(0, point.x), y=point.y, wide=1, dash="dot", about="muted"),
    ]


def in_percent(figure: Figure) -> Figure:
    """Write the shares along both axes of a figure in per cent, as sentences do."""
    for name in ("xaxis", "yaxis"):
        axis = figure.layout[name]
        axis["ticktext"] = [hundredths(value) for value in axis["tickvals"]]
    return figure
