"""Where the promises of theorems hold, in words: for every view that draws them."""

import numpy as np

from dpviz.results.evidence import Chart, Evidence

_RECONSTRUCTED = (
    "The papers state no constants. Those of “{label}” are reconstructed from the proof, each step "
    "with its own; a sharper analysis may well do better."
)


def holds_here(chart: Chart, key: str) -> bool:
    """Return whether the assumption of a bound holds at the reader's value."""
    curve = chart.curve(key)
    return curve.holds is None or bool(curve.holds[np.abs(curve.x - chart.here).argmin()])


def notes(chart: Chart) -> list[str]:
    """Name the assumptions that fail somewhere, and say where constants come from."""
    texts = []
    for curve in chart.curves:
        if curve.holds is not None and not curve.holds.all():
            where = (
                "where this assumption fails" if curve.holds.any() else "as its assumption fails"
            )
            drawn = "Drawn grey" if np.isfinite(curve.y[~curve.holds]).any() else "Not drawn"
            texts.append(f"{drawn} {where}: “{curve.label}” asks that {curve.assumption}.")
        if curve.key == "derived":
            texts.append(_RECONSTRUCTED.format(label=curve.label))
        if curve.evidence is Evidence.ASYMPTOTIC:
            texts.append(f"“{curve.label}” is a shape; the slider C sets its hidden constant.")
    return texts
