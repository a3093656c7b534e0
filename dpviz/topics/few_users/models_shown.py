"""What has to be said of classes, and wherever the models of privacy stand side by side."""

from dpviz.plot.text import readable, spoken
from dpviz.topics.few_users.models import substitution_budget

_LARGE = {20: "a million", 30: "a billion", 40: "a trillion"}  # so many bits, roundly


def size_of_class(bits: float) -> str:
    """Say how many 2^bits are, to two digits: ``64``, ``about 8,200``, ``about a million``."""
    size = 2.0**bits
    rounded = float(f"{size:.1e}")
    said = _LARGE.get(int(bits), spoken(rounded))
    return said if rounded == size else f"about {said}"


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
