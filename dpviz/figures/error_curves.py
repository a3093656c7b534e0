"""What the error curves say, in a sentence."""

from dpviz.error_curves import ErrorComparison
from dpviz.figures.text import readable


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
