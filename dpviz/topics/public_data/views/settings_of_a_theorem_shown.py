"""The theorems' settings: how each theorem sets its algorithm, and what that takes."""

import math
from collections.abc import Mapping

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.public_data.theorem_settings import THEOREMS
from dpviz.topics.public_data.views.settings_of_a_theorem import (
    SettingsChart,
    settings_of_a_theorem,
)

_ASKED = {
    "theorem_6": "its condition (102)",
    "theorem_7": "its condition (104)",
    "theorem_7_pure": "its condition (105)",
    "theorem_10": "its Lemma 23",
}


def takeaway(chart: SettingsChart) -> str:
    """State what the theorem prints, beside what is proved or what its proof asks for."""
    printed, error = chart.value("printed"), readable(1 / chart.here)
    stated = (
        f"For an error of {error} the theorem states {readable(printed)} examples, its hidden "
        "constants dropped"
    )
    if chart.theorem == "theorem_10":
        return f"{stated}; its proof takes {readable(chart.value('asked'))}."
    proved = chart.value("proved")
    if math.isnan(proved):
        return f"{stated}. At no number is its noise proved to be private."
    return f"{stated}. Its noise is proved to be private from {readable(proved)} examples on."


def detail(chart: SettingsChart) -> str:
    """State all settings at the reader's α."""
    at = int(np.argmin(np.abs(chart.curves[0].x - chart.here)))
    sizes = [f"m = {readable(chart.value('points'))}"]
    for name, values in (("η", chart.settings.eta), ("γ", chart.settings.gamma)):
        sizes += [] if values is None else [f"{name} = {readable(float(values[at]))}"]
    if chart.settings.averages is not None:
        sizes.append(f"J = {readable(chart.value('averages'))} calls of the optimiser")
    return (
        f"{THEOREMS[chart.theorem]} at α = {readable(1 / chart.here)}: {', '.join(sizes)}; "
        f"n = {readable(chart.value('printed'))} as printed, and "
        f"{readable(chart.value('asked'))} where {_ASKED[chart.theorem]} holds."
    )


def notes(chart: SettingsChart) -> list[str]:
    """Say what counts as 1, and why the numbers of examples differ."""
    why = {
        "theorem_6": "(129) prints α⁻¹⁴; (102), which it is to meet, takes α⁻¹³ at these settings. "
        "One example moves the mean of Algorithm 2's minimisers far less than Lemma 1 says: with "
        "the stability proved by this app α⁻³ is enough, and J is what costs.",
        "theorem_7": "(131) is what a stability of 1/(ηn) would give. Lemma 2 has 1/√(ηn), and no "
        "better is true for every class; so (104) asks for α⁻⁹ at these settings. The rate α⁻⁵ can "
        "be saved, with ε² in place of ε: exactly calibrated normal noise is smaller.",
        "theorem_7_pure": "(133) is what a stability of 1/(ηn) would give. Lemma 2 has 1/√(ηn), "
        "and no better is true for every class; so (105) asks for α⁻¹¹ at these settings, and α⁻⁹ "
        "is proved to do.",
        "theorem_10": "RRSPM is private whatever n is. What n decides is the error that its "
        "weights cost (Lemma 23); the theorem drops the logarithm and the factor 4 of it.",
    }
    return [
        "Shapes: every constant and polylogarithm that the theorems hide counts as 1, and λ = 1. "
        "The numbers of examples are for the same settings, so their slopes can be compared. What "
        "is proved, with all constants, is that the noise of such a setting makes the release "
        "private; of its error nothing is, as that hides them.",
        why[chart.theorem],
    ]


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: pure algorithms have no δ."""
    return {"delta"} if values["theorem"] in ("theorem_7_pure", "theorem_10") else set()


VIEW = View(
    key="settings",
    title="The theorems' settings",
    compute=settings_of_a_theorem,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "theorem",
        "alpha",
        "epsilon",
        "delta",
        "smoothness",
        "vc_dimension",
        "beta",
    ),
    idle=idle_controls,
)
