"""How simulated probabilities are written."""

import math

from dpviz.plot.text import chance, counted
from dpviz.topics.few_users.simulated import Measured


def of_cases(value: Measured) -> str:
    """Write a simulated probability as what was seen: a count of cases."""
    return f"{round(value.value * value.trials):,} of {counted(value.trials, 'case', digits=7)}"


def with_interval(value: Measured) -> str:
    """Write a simulated probability with its interval."""
    if math.isnan(value.value):
        return "unknown as yet"
    low, high = chance(value.lower), chance(value.upper)
    return f"{chance(value.value)} ({low} to {high})"
