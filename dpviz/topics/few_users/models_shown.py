"""What has to be said wherever the models of privacy stand side by side."""

from dpviz.plot.text import readable
from dpviz.topics.few_users.models import substitution_budget


def whom_each_model_protects(epsilon: float, delta: float) -> str:
    """Say who is protected in which model, and what that makes of a comparison at one ε."""
    exchanged, lost = substitution_budget(epsilon=epsilon, delta=delta)
    return (
        f"At the same ε = {readable(epsilon)} the models do not promise the same. Central ones "
        "protect a user who is added or removed; the local and the shuffle model one whose "
        "examples are all exchanged, which is to remove one and add another. For that the central "
        f"models' promise is ε = {readable(exchanged)} only (and δ = {readable(lost)}; the pure "
        "one δ = 0): their task is up to twice as easy."
    )
