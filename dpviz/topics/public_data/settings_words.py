"""What the views "The theorems' settings" and "Where errors hide" say."""

import math

import numpy as np

from dpviz.plot.text import readable
from dpviz.topics.public_data.theorem_settings import THEOREMS
from dpviz.topics.public_data.views.settings import SettingsChart
from dpviz.topics.public_data.views.transfer import TransferChart

_ASKED = {
    "theorem_6": "its condition (102)",
    "theorem_7": "its condition (104)",
    "theorem_7_pure": "its condition (105)",
    "theorem_10": "its Lemma 23",
}


def settings_takeaway(chart: SettingsChart) -> str:
    """State what the theorem prints, beside what is proved or what its proof asks for."""
    printed, error = chart.value("printed"), readable(1 / chart.here)
    if chart.theorem == "theorem_10":
        other = f"its proof takes {readable(chart.value('asked'))}"
    else:
        proved = chart.value("proved")
        other = (
            "none are proved to do"
            if math.isnan(proved)
            else f"{readable(proved)} are proved to keep it private"
        )
    return (
        f"For an error of {error} the theorem states {readable(printed)} examples; {other}, with "
        "all hidden constants left out."
    )


def settings_detail(chart: SettingsChart) -> str:
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


def settings_notes(chart: SettingsChart) -> list[str]:
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
        "The numbers of examples are for the same settings, so their slopes can be compared.",
        why[chart.theorem],
    ]


# ---- where errors hide -----------------------------------------------------------------------


def transfer_takeaway(chart: TransferChart) -> str:
    """State what an error can become, and what σ allows."""
    if chart.smoothness == 1:
        return (
            "Public and private data are alike here, and so are the errors on both; lower the "
            "smoothness σ to move them apart."
        )
    return (
        f"An error of {readable(chart.here)} on public data can be "
        f"{readable(chart.value('exact'))} on the private data; the smoothness σ allows "
        f"{readable(chart.value('density'))}."
    )


def transfer_detail(chart: TransferChart) -> str:
    """State σ, KL and χ², and what each allows."""
    return (
        f"This pair has σ = {readable(chart.smoothness)}, KL divergence "
        f"{readable(chart.relative_entropy)} and χ² divergence {readable(chart.chi_square)}. At an "
        f"error of {readable(chart.here)} on public data σ allows "
        f"{readable(chart.value('density'))}, KL {readable(chart.value('entropy'))} and χ² "
        f"{readable(chart.value('variance'))} on the private data; the worst set has "
        f"{readable(chart.value('exact'))}."
    )


def transfer_notes(_: TransferChart) -> list[str]:
    """Say what is compared, and what the weaker measures are good for."""
    return [
        "Two functions differ on a set; its public mass is the error that public points can show, "
        "its private mass the one that counts. Exact: the worst set of that public mass takes the "
        "places where the private density is largest, relative to the public one.",
        "σ looks at the one worst place: a private mass is at most 1/σ times the public one "
        "(Definition 3; Lemma 22 uses it for RRSPM). The paper says that f-divergences may take "
        "its place, at worse rates: KL and χ² look at all places on average. What each allows is "
        "the most for any pair of distributions with this KL or χ².",
        "σ = 0 allows everything, however rare the place; KL and χ² need not. Privacy depends on "
        "none of them.",
    ]
