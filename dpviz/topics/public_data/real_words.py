"""What the view "Real data" says."""

import numpy as np

from dpviz.plot.text import readable
from dpviz.topics.public_data.real.learners import LEARNERS
from dpviz.topics.public_data.views.real_data import CONSTANT, Gain, RealDataChart

_SHORT = {
    "objective": "objective perturbation",
    "output": "output perturbation",
    "regularization": "the regularised learner",
    "perturbation": "the perturbed learner",
    "rrspm": "RRSPM",
    "rspm": "RSPM",
    CONSTANT: "a constant guess",
}


def real_data_takeaway(chart: RealDataChart) -> str:
    """State at which ε the public points are worth having, and what is best at the reader's."""
    if chart.gain is None:
        return (
            f"{chart.data.name}: do public points without labels help a private learner here? The "
            "first random split is not computed yet."
        )
    at, gain = _here(chart), chart.gain
    ahead, behind = gain.with_public[at], gain.without[at]
    share, other = _percent(chart.value(ahead)), _percent(chart.value(behind))
    both = (
        f"{_SHORT[behind]} without public points labels {other} correctly, "
        f"{_SHORT[ahead]} with them {share}"
    )
    if chart.runs < 3:
        return f"The first splits: at ε = {readable(chart.here)} {both}."
    if not np.any(gain.lower > 0):
        return f"Public points pay at no ε tried: at ε = {readable(chart.here)} {both}."
    if gain.lower[at] > 0:
        return f"Public points pay here: at ε = {readable(chart.here)} {both}."
    return f"Public points pay {_where(gain, chart)} only; here {both}."


def _where(gain: Gain, chart: RealDataChart) -> str:
    """Say at which ε the interval of the gain lies above 0; a range is named if all of it does."""
    tried, pays = chart.curves[0].x, gain.lower > 0
    paid = tried[pays]
    low, high = float(paid.min()), float(paid.max())
    if np.all(pays[tried <= high]):
        return f"at ε up to {readable(high)}"
    if np.all(pays[tried >= low]):
        return f"at ε from {readable(low)} on"
    if high < chart.here:
        return "at some smaller ε"
    return "at some larger ε" if low > chart.here else "at some other ε"


def real_data_detail(chart: RealDataChart) -> str:
    """State all accuracies at the reader's ε, the sizes, and the gain with its interval."""
    if chart.gain is None:
        return ""
    at, gain = _here(chart), chart.gain
    told = ", ".join(
        f"{LEARNERS[curve.key].title} {_percent(chart.value(curve.key))}" for curve in chart.curves
    )
    ahead = (
        f" The best with public points less the best without: {_points(gain.mean[at])} of a "
        f"hundred rows (95% interval {_points(gain.lower[at])} to {_points(gain.upper[at])})."
        if chart.runs >= 3
        else ""
    )
    return (
        f"{chart.data.name}, {chart.samples:,} private {chart.data.units} and "
        f"{chart.public_points:,} public ones, {chart.runs} random splits, "
        f"ε = {readable(chart.here)}: {told}.{ahead}"
    )


def real_data_notes(chart: RealDataChart) -> list[str]:
    """Say what is protected, what is chosen with hindsight, and what the optimisers guarantee."""
    data = chart.data
    notes = [
        f"Protected are {data.units}: neighbouring data sets substitute one, with all its rows. A "
        "quarter of them are for the test; what is plotted of them is not protected.",
        "For all learners the public rows, without labels, decide how features are scaled and "
        "which principal components are kept, so that this costs no privacy. “With public points” "
        "means that the learner needs them for more.",
        "Each learner has one knob (η, Λ, or how many public points or cells take part). All runs "
        "are made at every value, and the best on average is shown: with hindsight, for all alike.",
        "RRSPM, RSPM and objective perturbation are ε-private, Algorithms 2 and 3 (ε, δ)-private, "
        "output perturbation takes the cheaper of both. Algorithms 2 and 3 learn linear functions "
        "with squared loss, RRSPM and RSPM thresholds on one component, the others logistic "
        "regression.",
        "Every optimiser certifies how near the minimum it is: thresholds by an exact sweep, "
        "linear functions by convexity on the ball, logistic regression by its gradient. The noise "
        "covers what is left.",
    ]
    if data.left_out:
        notes.append(f"{data.left_out:,} rows with an empty cell are left out.")
    if data.ignored:
        named = ", ".join(data.ignored[:3]) + (" and others" if len(data.ignored) > 3 else "")
        notes.append(f"Not used, since neither numbers nor few categories: {named}.")
    return notes


def _here(chart: RealDataChart) -> int:
    return int(np.argmin(np.abs(chart.curves[0].x - chart.here)))


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _points(share: float) -> str:
    return f"{100 * share:.1f}".replace("-", "−")
