"""Sample complexity: how many examples the theorems ask for, and how each sets its algorithm."""

import math
from collections.abc import Mapping

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.results.evidence import Chart
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.public_data.theorem_settings import THEOREMS
from dpviz.topics.public_data.views.examples_needed import (
    MOST_AVERAGES,
    SettingsChart,
    examples_needed,
)

_ASKED = {
    "theorem_6": "its condition (102)",
    "theorem_7": "its condition (104)",
    "theorem_7_pure": "its condition (105)",
    "theorem_10": "its Lemma 23",
}


def takeaway(chart: Chart) -> str:
    """State what privacy takes beside none, or what a theorem prints beside what is proved."""
    error = readable(1 / chart.here)
    if not isinstance(chart, SettingsChart):
        private, plain = (readable(chart.value(key)) for key in chart.in_headline)
        return (
            f"For an error of {error} a private learner with an optimiser is known to manage with "
            f"{private} examples, one without privacy with {plain} (constants dropped)."
        )
    printed = readable(chart.value("printed"))
    stated = f"For an error of {error} the theorem states {printed} examples, constants dropped"
    if chart.theorem == "theorem_10":
        return f"{stated}; its proof needs {readable(chart.value('asked'))}."
    proved = chart.value("proved")
    if math.isnan(proved):
        return f"{stated}. Its noise is proved to be private for no number of examples."
    return f"{stated}. Its noise is proved to be private from {readable(proved)} examples on."


def detail(chart: Chart) -> str:
    """State the shapes' sizes at the reader's α, or all settings of a theorem."""
    if isinstance(chart, SettingsChart):
        return _settings(chart)
    sizes = {curve.key: readable(chart.value(curve.key)) for curve in chart.curves}
    efficient = chart.curve(chart.in_headline[0])
    return (
        f"At α = {readable(1 / chart.here)} the shapes read {sizes['theorem_6']} examples for "
        f"any class (Algorithm 2), {sizes[efficient.key]} for "
        f"{efficient.label.partition(':')[0]}, {sizes['inefficient']} for the inefficient "
        f"private learner and {sizes['non_private']} without privacy; all of them hide "
        "constants."
    )


def _settings(chart: SettingsChart) -> str:
    at = int(np.argmin(np.abs(chart.curves[0].x - chart.here)))
    sizes = [f"m = {readable(chart.value('points'))}"]
    for name, values in (("η", chart.settings.eta), ("γ", chart.settings.gamma)):
        sizes += [] if values is None else [f"{name} = {readable(float(values[at]))}"]
    if chart.settings.averages is not None:
        sizes.append(f"J = {readable(chart.value('averages'))} calls of the optimiser")
    return (
        f"{THEOREMS[chart.theorem]} at α = {readable(1 / chart.here)}: {', '.join(sizes)}; "
        f"n = {readable(chart.value('printed'))} as printed, and "
        f"{readable(chart.value('asked'))} where {_ASKED[chart.theorem]} holds.{_proved(chart)}"
    )


def _proved(chart: SettingsChart) -> str:
    """State from where on the error is proved with all constants, for linear regression."""
    enough = chart.enough
    if enough is None:
        return ""
    if math.isinf(enough.samples):
        return (
            " With all constants, no number of examples up to a million is proved to make "
            "linear regression with two weights private and as accurate."
        )
    runs = f" and {MOST_AVERAGES:,} minimisers" if chart.theorem == "theorem_6" else ""
    return (
        " With all constants, linear regression with two weights is proved private and as accurate "
        f"from {readable(enough.samples, 2)} examples on, with η = {readable(enough.eta, 2)}, "
        f"{enough.points:,} public points{runs}."
    )


def notes(chart: Chart) -> list[str]:
    """Say what is hidden, and why the numbers of examples differ."""
    if isinstance(chart, SettingsChart):
        return _notes_on_settings(chart)
    return [
        "Shapes: constants and polylogarithms are dropped, and one slider multiplies all of them. "
        "λ = 1; d is the VC dimension, or the square of the Gaussian complexity. The section "
        "“Exponents” below has all powers.",
        "Theorem 7's pure rate (133) is α⁻⁶, although the text around Theorem 3 gives α⁻⁵ for "
        "both. (21) and Remark 1 print no σ; its powers here follow from the proofs' choice of m.",
        "The Gaussian rates, α⁻⁴ and α^(−5/2), belong to a variant that is not private for rich "
        "classes: see the view “Gaussian weights”.",
    ]


def _notes_on_settings(chart: SettingsChart) -> list[str]:
    why = {
        "theorem_6": "(129) prints α⁻¹⁴; (102), which it has to satisfy, takes α⁻¹³ at these "
        "settings. One example moves the mean of Algorithm 2's minimisers far less than Lemma 1 "
        "says. With the stability proved by this app α⁻³ is enough, and the cost is in J.",
        "theorem_7": "(131) is what a stability of 1/(ηn) would give. Lemma 2 has 1/√(ηn), and "
        "no better is true for every class; so (104) asks for α⁻⁹ at these settings. The rate "
        "α⁻⁵ still holds, with ε² in place of ε, as exactly calibrated normal noise is smaller.",
        "theorem_7_pure": "(133) is what a stability of 1/(ηn) would give. Lemma 2 has 1/√(ηn), "
        "and no better is true for every class; so (105) asks for α⁻¹¹ at these settings, and "
        "α⁻⁹ is proved to be enough.",
        "theorem_10": "RRSPM is private whatever n is. n decides the error that its weights "
        "cost (Lemma 23), of which the theorem drops the logarithm and the factor 4.",
    }
    return [_SHAPES if chart.enough is None else f"{_SHAPES} {_PROOFS}", why[chart.theorem]]


_SHAPES = (
    "Shapes: every constant and polylogarithm that the theorems hide counts as 1, and λ = 1. The "
    "numbers of examples are for the same settings, so their slopes can be compared."
)

_PROOFS = (
    "With all constants it is proved that the noise of such a setting makes the release "
    "private; nothing is proved of its error, whose constants are hidden. At other settings, "
    "linear regression with labels off by 0.08 is proved private and accurate with all "
    "constants. The detail below the figure says from how many examples on; the view “More "
    "data” draws that bound."
)


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: one theorem is of no setting, and pure algorithms have no δ."""
    if values["rates_of"] == "theorems":
        return {"theorem"}
    pure = values["theorem"] in ("theorem_7_pure", "theorem_10")
    return {"setting", "constant"} | ({"delta"} if pure else set())


VIEW = View(
    key="rates",
    title="Sample complexity",
    compute=examples_needed,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "rates_of",
        "setting",
        "theorem",
        "alpha",
        "beta",
        "epsilon",
        "delta",
        "smoothness",
        "vc_dimension",
        "constant",
    ),
    pulled={"alpha": "an error of # a"},
    why="A smaller error needs more public points, a finer net; more points need more noise, and "
    "only more private examples drown it: one power of the error adds to the next. Where the proof "
    "uses a weaker bound than there is, the power grows without need.",
    in_sight=("alpha", "rates_of", "setting", "theorem"),
    idle=idle_controls,
)
