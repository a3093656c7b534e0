"""What the error curves say in a sentence, and what a reader may predict about them."""

from dataclasses import replace

import numpy as np

from dpviz.plot.text import readable
from dpviz.results.evidence import Mark, Subject
from dpviz.topics.bounded_noise.views.error_curves import ErrorComparison


def takeaway(result: ErrorComparison) -> str:
    """State both errors, which is smaller, and the distance of the published bound."""
    certain, gaussian = result.radius.upper, result.gaussian_error
    sure = readable(1 - result.failure_probability, 13)  # never "1": it is no certainty
    change = readable(100 * abs(certain / gaussian - 1), 2)
    verdict = "below" if certain < gaussian else "above"
    answers = "answers" if result.queries > 1 else "answer"
    sentence = (
        f"Among {readable(result.queries)} {answers} bounded noise errs by at most "
        f"{readable(certain)} Δ, with certainty: {change}% {verdict} what Gaussian noise of the "
        f"same privacy keeps to with probability {sure} ({readable(gaussian)} Δ)."
    )
    excess = readable(100 * (result.published_radius / certain - 1), 2)
    return f"{sentence} The published bound asks for {excess}% more noise than is needed."


def without_bounded(result: ErrorComparison) -> ErrorComparison:
    """Return the comparison before the answer: Gaussian noise alone."""
    curves = tuple(c for c in result.chart.curves if c.subject is not Subject.BOUNDED)
    return replace(result, chart=replace(result.chart, curves=curves, marks=()))


def crossing(result: ErrorComparison) -> str:
    """Return in words from which k on bounded noise wins with certainty."""
    wins = [mark for mark in result.chart.marks if mark.text.endswith("with certainty")]
    return f"k = {readable(wins[0].x)}" if wins else "nowhere on this axis"


def with_guess(result: ErrorComparison, queries: float) -> ErrorComparison:
    """Return the comparison with a guess of that k on the Gaussian curve."""
    gaussian = next(c for c in result.chart.curves if c.subject is Subject.GAUSSIAN)
    y = np.exp(np.interp(np.log(queries), np.log(gaussian.x), np.log(gaussian.y)))
    mark = Mark(queries, float(y), "your prediction")
    return replace(result, chart=replace(result.chart, marks=(*result.chart.marks, mark)))
