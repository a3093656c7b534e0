"""How simulated probabilities are written."""

import math

from dpviz.plot.text import chance
from dpviz.topics.few_users.simulated import Measured


def with_interval(value: Measured) -> str:
    """Write a simulated probability with its interval."""
    if math.isnan(value.value):
        return "unknown as yet"
    low, high = chance(value.lower), chance(value.upper)
    return f"{chance(value.value)} ({low} to {high})"
