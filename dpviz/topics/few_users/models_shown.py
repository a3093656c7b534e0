"""What has to be said wherever the models of privacy stand side by side."""

from dpviz.plot.text import readable
from dpviz.topics.few_users.models import substitution_budget


def whom_each_model_protects(epsilon: float, delta: float) -> str:
    """Say who is protected in which model, and what that makes of a comparison at one ε."""
    exchanged, lost = substitution_budget(epsilon=epsilon, delta=delta)
    return (
        f"At the same ε = {readable(epsilon)} the models do not promise the same. Central "
        "models protect a user who is added or removed. The local and the shuffle model protect "
        "a user whose examples are all exchanged, which means removing one and adding another. "
        f"For that, the central models promise only ε = {readable(exchanged)} (and δ = "
        f"{readable(lost)}; the pure one δ = 0), so their task is up to twice as easy."
    )
