"""The errors of two answers in their square, with lines along which they are equally likely."""

from dpviz.plot.marks import Line, Mark, Span
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.topics.bounded_noise.two_errors import Pair, TwoErrors

_WIDE = 2.05  # times noise drawn together: what two errors drawn one by one need at most, nearly
_CLEARLY = 1.005


def takeaway(result: TwoErrors) -> str:
    """State what no error exceeds, both ways, and why."""
    text = f"Of two errors drawn together none exceeds {upwards(result.together.radius, 4)} Δ"
    if result.apart is None:
        return f"{text}; noise drawn one by one is being looked for."
    text += f", and drawn one by one none exceeds {upwards(result.apart.radius, 4)} Δ"
    if result.apart.radius < _CLEARLY * result.together.radius:
        return f"{text}."
    return f"{text}: together, only the larger of the two has to stay away from its wall."


def detail(result: TwoErrors) -> str:
    """State what the lines are."""
    return (
        "Along each line two errors are equally likely, and from line to line less so, by the "
        f"factor e^{readable(result.fall)}. Drawn together the lines are squares: the larger error "
        "alone counts, and it is paid for in steps of Δ. Drawn one by one both count, each for "
        "itself, and each may meet its wall."
    )


def figure(result: TwoErrors, theme: Theme) -> Figure:
    """Draw both squares, on one scale."""
    radii = [pair.radius for pair in (result.together, result.apart) if pair is not None]
    end = 1.02 * max(_WIDE * radii[0], *radii, 0.0)
    panels = [_square(result.together, end, ("Drawn together", "Together"), Subject.USER_LEVEL)]
    if result.apart is not None:
        panels.append(
            _square(result.apart, end, ("Drawn one by one", "One by one"), Subject.BOUNDED)
        )
    return stacked(theme, panels)


def _square(pair: Pair, end: float, words: tuple[str, str], about: Subject) -> Panel:
    r, side = pair.radius, Side.bare(-end, end)
    marks: list[Mark] = [Span(x=(-r, r), y=(-r, r), about=about, edge=2.5, hollow=True)]
    marks += [Line(x, y, about=about, wide=1.5) for x, y in pair.lines]
    full, short = (f"<b>{name}</b>: ±{upwards(r, 4)} Δ" for name in words)
    return Panel(side, side, marks, above=(full, short), square=True)
