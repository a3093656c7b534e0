"""Where clipping helps: up to which correlation within users, for every m."""

import math

import numpy as np

from dpviz.plot.filling import FADED, stand_in
from dpviz.plot.labels import FAINT
from dpviz.plot.marks import Band, Mark, Part, Text
from dpviz.plot.panels import Charted, Handle, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, estimated, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve
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
    """
    # Until the first pass is whole nothing is known of either: that of the figure before stands in.
    known = chart if chart.passes else stand_in(chart, theme.before)
    best = next((curve for curve in known.curves if curve.key == "best"), None) if known else None
    handle = Handle(chart.x.name, chart.here, chart.correlation, {"line": True})
    marks = _areas(chart, best) if best else ()
    return stacked(theme, Charted(chart, marks, handle=handle if chart.marks else None))


def _areas(chart: WhereClippingHelps, best: Curve) -> list[Mark]:
    """Return where clipping helps and where not, with words away from the reader's m."""
    whole, edge = chart.passes > 0, np.where(np.isfinite(best.y), best.y, SMALLEST)
    shade, seen = _SHADE * (1.0 if whole else FADED), 1.0 if whole else FAINT
    areas: list[Mark] = [
        Band(best.x, np.full(best.x.size, end), edge, about=about, seen=shade)
        for end, about in ((SMALLEST, chart.curve("best")), (1.0, "muted"))
    ]
    rho = best.y[np.isfinite(best.y)]
    if not rho.size:
        none = "no τ helps, however little<br>a user's examples have in common"
        return [*areas, Text(none, Part(0.5), Part(0.8), seen=seen)]
    left = chart.here > math.sqrt(chart.x.base * chart.x.reach)
    end, inwards = (best.x[0], _INSIDE) if left else (best.x[-1], -_INSIDE)
    to = "E" if left else "W"
    helps = Text("clipping helps", end, SMALLEST, to=f"N{to}", shift=(inwards, _INSIDE), seen=seen)
    if rho[0 if left else -1] > _HIGHEST or chart.correlation > _AT_THE_TOP:  # no room above it
        return [*areas, helps]
    shift = (inwards, -_INSIDE)
    above = Text("clipping does not help", end, 1.0, to=f"S{to}", shift=shift, seen=seen)
    return [*areas, helps, above]


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
