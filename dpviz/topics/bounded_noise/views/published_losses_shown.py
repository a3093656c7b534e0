"""Where the published bound loses: what each step of its proof adds."""

import numpy as np

from dpviz.plot import filling
from dpviz.plot.axes import Scale
from dpviz.plot.spec import Figure
from dpviz.plot.steady import steady_y
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
    total = result.excess(result.published)
    losses = result.losses or dict.fromkeys(STEPS, 0.0)
    ends = np.cumsum(list(losses.values())).tolist()
    rows = [
        (STEPS[step], end - loss, loss)
        for (step, loss), end in zip(losses.items(), ends, strict=True)
    ]
    rows.append(("The published radius", 0.0, total))
    colors = [theme.subjects[Subject.BOUNDED]] * len(losses) + [theme.subjects[Subject.EARLIER]]
    places = -np.arange(float(len(rows)))
    drawn = Figure()
    look = {"orientation": "h", "width": _ROW, "offset": -_ROW, "showlegend": False}
    before = [] if result.losses else _ends(filling.stand_in(result, theme.before))
    if before:
        drawn.add_bar(
            **look,
            x=np.diff(before, prepend=0.0),
            y=places[:-1],
            base=np.array([0.0, *before[:-1]]),
            marker={"color": colors[:-1]},
            opacity=filling.FADED,
            hoverinfo="skip",
        )
    across = Scale(result.y, 0.0, 1.04 * total)  # known from the first result on
    if theme.held is not None:
        across = steady_y(across, theme.held[0])
    drawn.add_bar(
        **look,
        x=np.array([loss for _, _, loss in rows]),
        y=places,
        base=np.array([start for _, start, _ in rows]),
        marker={"color": colors},
        hovertemplate="%{x:.3g}% more noise<extra></extra>",
    )
    shown = [f": {_added(loss)}" for _, _, loss in rows]
    if not result.losses:
        shown[:-1] = [""] * len(losses)
    return drawn.update_layout(
        template=theme.template(),
        height=theme.height,
        hovermode="closest",
        margin={"l": 16, "r": 24, "t": 16, "b": theme.px(48)},
        xaxis={
            "title": {"text": f"{result.y.label}, %", "standoff": 4},
            "range": [across.low, across.high],
        },
        yaxis={
            "range": [-len(rows) + 0.4, 0.75],
            "showticklabels": False,
            "showgrid": False,
            "fixedrange": True,
        },
        annotations=[
            {
                "text": f"{name}{loss}",
                "x": 0,
                "xanchor": "left",
                "y": place,
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": theme.font_size - 1},
            }
            for (name, _, _), loss, place in zip(rows, shown, places.tolist(), strict=True)
        ],
    )


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
