"""What can be made small: in words, and as a control."""

from collections.abc import Mapping

from dpviz.scene.codec import Value
from dpviz.topics.bounded_noise.controls_shown import idle_controls
from dpviz.topics.bounded_noise.numbers_shown import likelihood


def idle_with_objective(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: also β, where no quantile is made small."""
    beta = set() if values["objective"] == "quantile" else {"failure_probability"}
    return idle_controls(values) | beta


def smallest(objective: str, failure_probability: float) -> str:
    """Name what is smallest."""
    return {
        "hard": "the smallest hard bound",
        "quantile": "the smallest bound that holds with probability "
        + likelihood(failure_probability),
        "deviation": "the smallest standard deviation",
    }[objective]
