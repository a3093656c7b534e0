"""What is to be learned: the problems of the papers' tables."""

from collections.abc import Mapping
from types import MappingProxyType

PAC = "pac"
AGNOSTIC = "agnostic"
DISCRETE = "discrete"
PRODUCT = "product"
GAUSSIAN_KNOWN = "gaussian_known"
GAUSSIAN_BOUNDED = "gaussian_bounded"
SELECTION = "selection"
# What each problem is called, in the papers' order.
PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        PAC: "PAC learning",
        AGNOSTIC: "agnostic PAC learning",
        DISCRETE: "discrete distributions",
        PRODUCT: "product distributions",
        GAUSSIAN_KNOWN: "Gaussians with known covariance",
        GAUSSIAN_BOUNDED: "Gaussians with bounded covariance",
        SELECTION: "hypothesis selection",
    }
)
