"""What the ε of a scene promises, in odds: one sentence for every page."""

import math

from dpviz.maths.trade_off import posterior
from dpviz.plot.text import CERTAIN, at_most_in_hundred, in_hundred
from dpviz.scene.scene import Scene

PRIOR = 0.1
"""The suspicion before."""
HITS = 0.5
"""The least share of those it is true of whom an attacker is to find, where δ > 0."""


def odds_line(scene: Scene) -> str:
    """Return what a suspicion of 10 in 100 becomes at most, "" where nothing is promised.

    A pure ε multiplies the odds by e^ε at most, whatever is published. With δ > 0 that is not so
    for every answer; but accusations that find a share h of those they are true of falsely accuse
    at least e^−ε·(h − δ) of the others, so their odds grow by e^ε·h/(h − δ) at most, which falls
    as h grows. Noise whose privacy loss has a largest value limits the odds after every answer,
    too, also where that is more than ε.
    """
    promise = scene.page.promise(scene.state)
    if promise is None or "epsilon" not in scene.view.parameters or "epsilon" in scene.idle:
        return ""
    epsilon, suspicion = float(scene.values["epsilon"]), f"A suspicion of {in_hundred(PRIOR)}"
    about = f"{suspicion} about {promise.about}"
    if promise.pure:
        return f"{about} {_becomes(epsilon)}."
    delta = float(scene.values["delta"])
    loss = epsilon - math.log1p(-delta / HITS) if delta < HITS else math.inf
    often = f"{about} {_becomes(loss)}, if the attacker finds at least half of such people"
    if promise.largest_loss == math.inf:
        return f"{often}. Some answers may tell more; δ is the slack for all of them together."
    always = _becomes(promise.largest_loss)
    if promise.largest_loss <= loss or always == _becomes(loss):
        return f"{about} {always}, whatever is published."
    if always == _CERTAINTY:
        return f"{often}; some answers may make it near certainty."
    return f"{often}; it {always}, whatever is published."


_CERTAINTY = "may become near certainty"


def _becomes(loss: float) -> str:
    after = float(posterior(PRIOR, loss=loss))
    if in_hundred(after) == in_hundred(PRIOR):
        return "hardly grows"
    if after >= CERTAIN:
        return _CERTAINTY
    return f"becomes {at_most_in_hundred(after)}"
