"""Sample complexity: how many examples the theorems ask for."""

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.results.evidence import Chart, Curve
from dpviz.scene.view import View
from dpviz.topics.public_data.views.samples_needed import samples_needed


def takeaway(chart: Chart) -> str:
    """State what an efficient algorithm costs, beside learning without privacy."""
    return (
        "Learning in private with an optimiser takes "
        f"{readable(chart.value(_efficient(chart).key))} examples, without privacy "
        f"{readable(chart.value('non_private'))}, both up to hidden constants."
    )


def detail(chart: Chart) -> str:
    """State the shapes' sizes at the reader's α."""
    sizes = {curve.key: readable(chart.value(curve.key)) for curve in chart.curves}
    efficient = _efficient(chart)
    return (
        f"At α = {readable(1 / chart.here)} the shapes read {sizes['theorem_6']} "
        f"examples for any class (Algorithm 2), {sizes[efficient.key]} for "
        f"{efficient.label.partition(':')[0]}, "
        f"{sizes['inefficient']} for the inefficient private learner and "
        f"{sizes['non_private']} without privacy; constants are hidden in all of them."
    )


def _efficient(chart: Chart) -> Curve:
    """Return the shape of the efficient algorithm for the setting."""
    efficient = ("theorem_10", "theorem_7", "realizable")
    return next(curve for curve in chart.curves if curve.key in efficient)


def notes(_: Chart) -> list[str]:
    """Say what is hidden."""
    return [
        "Shapes: constants and polylogarithms are dropped, and one slider multiplies all of them. "
        "λ = 1; d is the VC dimension, or the square of the Gaussian complexity.",
        "Theorem 7's pure rate (133) is α^−6, although the text around Theorem 3 gives α^−5 for "
        "both. (21) and Remark 1 print no σ; its powers here follow from the proofs' choice of m.",
        "The Gaussian rates, α^−4 and α^−2.5, belong to a variant that is not private for rich "
        "classes: see the view “Gaussian weights”.",
    ]


VIEW = View(
    key="rates",
    title="Sample complexity",
    compute=samples_needed,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "setting",
        "alpha",
        "beta",
        "epsilon",
        "delta",
        "smoothness",
        "vc_dimension",
        "constant",
    ),
    in_sight=("setting", "alpha", "epsilon"),
)
