"""The names of noises, the same everywhere, and which questions take which."""

from collections.abc import Mapping
from types import MappingProxyType

BOUNDED = ("power", "iterated", "tuned", "joint")
"""Bounded noises with modules of their own."""

CUT = ("truncated_laplace", "end_staircase", "truncated_discrete_laplace")
"""Other noises that no error exceeds."""

UNBOUNDED = ("gaussian", "laplace", "discrete_gaussian", "discrete_laplace")
"""Noises without a bound."""

COMPOSED = UNBOUNDED[1:]
"""Those of them whose losses are composed."""

NEIGHBOURS = ("add_or_remove", "substitute")
"""In what neighbouring data sets differ: one person more or less, or another person."""

TAKEN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "radius": (*BOUNDED, *CUT),
        "sigma": (*UNBOUNDED, "textbook_gaussian", *BOUNDED, *CUT),
        "epsilon": (*UNBOUNDED, "power", "iterated", "joint", *CUT),
        "delta": (*UNBOUNDED, "power", "iterated", "joint", *CUT),
        "error": (*UNBOUNDED, "power", "iterated"),
    }
)
"""The noises that a question takes."""
