"""Where clipping helps: up to which correlation within users, for every m."""

import math
from typing import Any

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.filling import FADED, stand_in
from dpviz.plot.labels import FAINT
from dpviz.plot.spec import Figure, Trace, scatter
from dpviz.plot.text import counted, estimated, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve, FloatArray
from dpviz.scene.view import View
from dpviz.topics.clipping.errors_by_threshold import WORTH
from dpviz.topics.clipping.views.where_clipping_helps import (
    SMALLEST,
    WhereClippingHelps,
    where_clipping_helps,
)

_SHADE = 0.15  # the opacity of an area
_INSIDE = 6  # pixels from the corners of the areas to words in them
_AT_THE_TOP = 0.7  # correlation from which the reader's point has its words there
_HIGHEST = 0.4  # correlation at the right up to which there is room for words above the boundary


def takeaway(chart: WhereClippingHelps) -> str:
    """State what clipping does at the reader's m and correlation, and what plain noise does."""
    known = chart.known
    without, best, laplace = (estimated(known[key]) for key in ("unclipped", "best", "laplace"))
    if not known["worth"].is_known or known["worth"].lower <= 0 <= known["worth"].upper:
        return (
            "Whether any threshold τ lowers the expected error of users like these, about "
            f"{without}, by a tenth, these data sets do not tell."
        )
    if known["worth"].upper < 0:
        return (
            f"For users like these no threshold τ lowers the expected error, {without}, by a tenth."
        )
    rival = {best: "the same", without: "as much as no clipping"}.get(laplace, laplace)
    return (
        f"For users like these clipping lowers the expected error from {without} to {best}; plain "
        f"Laplace noise gives {rival}."
    )


def detail(chart: WhereClippingHelps) -> str:
    """State the reader's m and correlation, the best τ there, and the errors."""
    errors = chart.errors
    return (
        f"With {counted(chart.examples_per_user, 'example', digits=5)} each and correlation ρ = "
        f"{readable(chart.correlation)} the best τ, {readable(chart.threshold)}, gives the "
        f"error {readable(errors['best'])}, no clipping gives {readable(errors['unclipped'])}, "
        f"and plain Laplace noise {readable(errors['laplace'])}."
    )


def notes(chart: WhereClippingHelps) -> list[str]:
    """Say what the boundaries mean, and what they rest on."""
    lines = [
        f"Below a line, clipping brings the expected error to {readable(100 * WORTH)}% or less "
        "of its rival's: the same choice without clipping, or Laplace noise. Where a line is "
        "missing, clipping does so at no correlation that was tried.",
        "The correlation ρ says how alike two examples of a user are: 0 for independent ones, 1 if "
        "all are the same. Each user draws from shares of their own, a Dirichlet variable around "
        "the truth.",
        f"The best τ at your point, {readable(chart.threshold)}, is the best on average over "
        "fresh data, which nobody knows beforehand. Theorem 37's τ, fixed beforehand, gives "
        f"{readable(chart.errors['paper'])}.",
        "Plain Laplace noise is added to the mean of the users' own shares. One user moves this "
        "mean by the same amount, however many examples they hold. It needs no candidates; the "
        f"best of those here has the error {readable(chart.optimum)}.",
    ]
    if not math.isnan(chart.beyond):
        lines.append(
            f"At your correlation the best τ helps from m = {readable(chart.beyond)} on, of the m "
            "that were tried."
        )
    if chart.passes:
        lines.append(
            f"Means over {chart.passes} fresh data sets at each point; intervals are two standard "
            "errors by the jackknife."
        )
    return lines


def figure(chart: WhereClippingHelps, theme: Theme) -> Figure:
    """Draw the boundaries, and shade where the best τ helps: in its colour, and in grey where not.

    The handle of the reader's m stands at their correlation, in the area of which the sentence
    speaks.

    Until the first pass is whole nothing is known of either: that of the figure before stands
    in, faded.
    """
    drawn = draw(chart, theme)
    if chart.marks and "drag" in (meta := drawn.layout.get("meta", {})):
        drawn.update_layout(meta=meta | {"drag": meta["drag"] | {"y": chart.correlation}})
    best, whole = _boundary(chart, theme), chart.passes > 0
    m, rho = (np.empty(0), np.empty(0)) if best is None else (best.x, best.y)
    edge = np.where(np.isfinite(rho), rho, SMALLEST)
    opacity = _SHADE if whole else _SHADE * FADED
    colors = (theme.color(chart.curve("best")), theme.muted)
    ends = zip((SMALLEST, 1.0), colors, strict=True)
    drawn.data = [*(_shade(m, edge, end, color, opacity) for end, color in ends), *drawn.data]
    left = chart.here > math.sqrt(chart.x.base * chart.x.reach)
    alone = chart.correlation <= _AT_THE_TOP
    regions = _regions(m, rho[np.isfinite(rho)], left=left, alone=alone)
    for words in () if best is None else regions:
        look = words | {"opacity": 1.0 if whole else FAINT}
        drawn.add_annotation(look, font={"color": theme.text}, showarrow=False)
    return drawn


def _boundary(chart: WhereClippingHelps, theme: Theme) -> Curve | None:
    """Return the boundary of the best τ; that of the figure before until the first pass is whole.

    None where there is neither.
    """
    known = chart if chart.passes else stand_in(chart, theme.before)
    return next((c for c in known.curves if c.key == "best"), None) if known else None


def _shade(m: FloatArray, edge: FloatArray, end: float, color: str, opacity: float) -> Trace:
    """Return the area between the boundary and an end of the axis."""
    return scatter(
        x=np.concatenate([m, m[::-1]]),
        y=np.concatenate([edge, np.full(m.size, end)]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=color,
        opacity=opacity,
        hoverinfo="skip",
        showlegend=False,
    )


def _regions(m: FloatArray, rho: FloatArray, *, left: bool, alone: bool) -> list[dict[str, Any]]:
    """Say where clipping helps and where not, in the corners away from the reader's m.

    alone: whether no words of the reader's point stand at the top.
    """
    if not rho.size:
        text = "no τ helps, however little<br>a user's examples have in common"
        return [{"text": text, "x": 0.5, "y": 0.8, "xref": "paper", "yref": "paper"}]
    end, anchor, inwards = (m[0], "left", _INSIDE) if left else (m[-1], "right", -_INSIDE)
    corner = {"x": math.log10(end), "xanchor": anchor, "xshift": inwards}
    low = {"y": math.log10(SMALLEST), "yanchor": "bottom", "yshift": _INSIDE}
    helps = corner | low | {"text": "clipping helps"}
    if rho[0 if left else -1] > _HIGHEST or not alone:  # no room above it
        return [helps]
    above = {"text": "clipping does not help", "y": 0.0, "yanchor": "top", "yshift": -_INSIDE}
    return [helps, corner | above]


VIEW = View(
    key="helps",
    title="Where clipping helps",
    compute=where_clipping_helps,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "examples_per_user",
        "correlation",
        "users",
        "epsilon",
        "alpha",
        "constant",
        "domain_size",
        "candidates",
        "seed",
    ),
    in_sight=("correlation", "examples_per_user", "users"),
    why="The sum of a user's independent examples strays from its mean by about the root of m, "
    "and a τ little above that cuts hardly anyone. The sum of examples that are alike strays "
    "by nearly m: a τ that saves noise then cuts nearly everyone.",
    first_seconds=1.0,
)
