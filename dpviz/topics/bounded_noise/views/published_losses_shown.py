"""Where the published bound loses: what each step of its proof adds."""

from typing import Any

import numpy as np

from dpviz.plot import filling
from dpviz.plot.marks import Bars, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Subject
from dpviz.scene.view import View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY, SHAPE, idle_controls
from dpviz.topics.bounded_noise.numbers_shown import whole_count
from dpviz.topics.bounded_noise.views.published_losses import (
    STEPS,
    PublishedLosses,
    published_losses,
)

_NOTHING = 5e-4  # per cent that are not worth a number
_ROW = 0.42  # height of a bar, of 1 from bar to bar


def takeaway(result: PublishedLosses) -> str:
    """State how much the published bound loses, and in which step most."""
    excess = result.excess(result.published)
    total = f"The published proof asks for {readable(excess, 2)}% more noise than is needed"
    if excess >= 100:
        times = readable(1 + excess / 100, 2)
        total = f"The published proof asks for {times} times the noise that is needed"
    if not result.losses:
        return f"{total}."
    step = max(result.losses, key=lambda name: result.losses[name])
    why = {
        "chernoff": "bounding the chance of a large loss by its moments",
        "split": "the little of δ that it sets aside for extreme noise",
        "published": "bounding every tail by itself before adding them up",
    }[step]
    return f"{total}; most of that goes into {why}."


def detail(result: PublishedLosses) -> str:
    """State the radii after the steps, and what a better choice in the proof would save."""
    k = whole_count(result.queries)
    needed, asked = (readable(r, 4) for r in (result.exact.upper, result.published))
    sentence = f"For k = {k} the least private radius is {needed} Δ, the published one {asked} Δ."
    if result.radii is None:
        return sentence
    radii = result.radii
    save = readable(100 * (1 - radii.chernoff / radii.published), 2)
    return (
        f"{sentence} Integrating the exact tails, and taking the largest shift, loses nothing. The "
        "same proof with one Chernoff bound on δ itself, and "
        f"{readable(100 * radii.share, 2)}% of δ set aside, ends at "
        f"{readable(radii.chernoff, 4)} Δ: {save}% less than published."
    )


def figure(result: PublishedLosses, theme: Theme) -> Figure:
    """Draw a waterfall: what each step of the proof adds, and below what all of them add."""
    total, losses = result.excess(result.published), list(result.losses.values())
    before = [] if losses else _ends(filling.stand_in(result, theme.before))
    names = [*STEPS.values(), "The published radius"]
    added = [f": {_added(loss)}" for loss in losses] or [""] * len(STEPS)
    rows = -np.arange(float(len(names)))
    wholes = np.array([*(losses or [0.0] * len(STEPS)), total])
    starts = np.append(np.cumsum(wholes[:-1]) - wholes[:-1], 0.0)
    inks = [Subject.BOUNDED] * len(STEPS) + [Subject.EARLIER]
    look: dict[str, Any] = {"lying": True, "wide": _ROW, "beside": -_ROW}
    faded = Bars(
        rows[: len(before)],
        np.diff(before, prepend=0.0),
        base=np.array([0.0, *before])[: len(before)],
        about=inks[: len(before)],
        seen=filling.FADED,
        **look,
    )
    said = "%{x:.3g}% more noise"
    known = Bars(rows, wholes, base=starts, about=inks, said=said, **look)
    words = [
        Text(f"{name}{more}", 0.0, row, to="NE", small=True)
        for name, more, row in zip(names, [*added, f": {_added(total)}"], rows, strict=True)
    ]
    across = Side(0.0, 1.04 * total, f"{result.y.label}, %", held=True)  # known from the first on
    panel = Panel(
        across, Side.bare(-len(names) + 0.4, 0.75), [faded if before else None, known, *words]
    )
    return stacked(theme, panel)


def _ends(chart: Chart | None) -> list[float]:
    """Return where the bars of all steps end, none where that is not known."""
    values = [] if chart is None else np.concatenate([c.y for c in chart.curves]).tolist()
    return values if len(values) == len(STEPS) else []


def _added(percent: float) -> str:
    """Write what a step adds."""
    return f"+{readable(percent, 3)}%" if percent >= _NOTHING else "nothing"


VIEW = View(
    key="losses",
    title="Where the published bound loses",
    compute=published_losses,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=(*PRIVACY, *SHAPE),
    in_sight=PRIVACY,
    why="A proof replaces what is hard to compute by something larger that is easy. Each such "
    "step asks for more noise than is needed, and all steps together ask for what is published.",
    idle=idle_controls,
)
