"""What the ε of a scene promises, in odds: one sentence for every page."""

import math

from dpviz.maths.trade_off import posterior
from dpviz.plot.text import CERTAIN, one_in
from dpviz.scene.scene import Scene

PRIOR = 0.1
"""The suspicion before."""
HITS = 0.5
"""The least share of those it is true of whom an attacker is to find, where δ > 0."""


def odds_line(scene: Scene) -> str:
    """Return what a suspicion of 1 in 10 becomes at most, "" where nothing is promised.

    A pure ε multiplies the odds by e^ε at most, whatever is published. With δ > 0 that is not so
    for every answer; but accusations that find a share h of those they are true of falsely accuse
    at least e^−ε·(h − δ) of the others, so their odds grow by e^ε·h/(h − δ) at most, which falls
    as h grows.
    """
    promise = scene.page.promise({"view": scene.view.key, **scene.values})
    if promise is None or "epsilon" not in scene.view.parameters or "epsilon" in scene.idle:
        return ""
    loss = float(scene.values["epsilon"])
    if not promise.pure:
        delta = float(scene.values["delta"])
        loss = loss - math.log1p(-delta / HITS) if delta < HITS else math.inf
    after = float(posterior(PRIOR, loss=loss))
    said = f"A suspicion of {one_in(PRIOR)} about {promise.about} {_becomes(after)}"
    if promise.pure:
        return f"{said}."
    return f"{said}, for an attacker who finds at least half. One answer may tell more: that is δ."


def _becomes(after: float) -> str:
    if one_in(after) == one_in(PRIOR):
        return "hardly grows"
    if after >= CERTAIN:
        return "may become near certainty"
    return f"becomes at most {one_in(after)}"
