"""What the views share: the two bells they start from, and where exact numbers come from."""

from typing import TypedDict

from dpviz.results.evidence import Source

EXACT = Source("dpviz.maths.correlated_sampling", "sum over all outcomes")


class Setting(TypedDict):
    """What all views take: the bells of `two_bells`, P and Q."""

    outcomes: float
    gap: float
    width: float
    width_ratio: float
