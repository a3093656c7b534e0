"""How simulated probabilities are written."""

import math

from dpviz.plot.text import chance, counted, hundredths, readable
from dpviz.topics.few_users.simulated import Measured

_FEW = 20  # cases, of which a share in percent would tell more than is known


def of_cases(value: Measured) -> str:
    """Write a simulated probability as a share of cases, and few cases as a count of them."""
    if value.trials < _FEW:
        return f"{round(value.value * value.trials)} of {counted(value.trials, 'case')}"
    return f"{hundredths(value.value)}% of cases"


def users_between(fewest: float, most: float) -> str:
    """Write how many users are needed, as far as it is known. most: infinite where it is not."""
    if not math.isfinite(fewest):
        return "more users than were tried"
    if not math.isfinite(most):
        return f"at least {counted(fewest, 'user')}"
    if fewest == most:
        return counted(fewest, "user")
    return f"between {readable(fewest)} and {readable(most)} users"


def with_interval(value: Measured) -> str:
    """Write a simulated probability with its interval."""
    if math.isnan(value.value):
        return "unknown as yet"
    low, high = chance(value.lower), chance(value.upper)
    return f"{chance(value.value)} ({low} to {high})"
