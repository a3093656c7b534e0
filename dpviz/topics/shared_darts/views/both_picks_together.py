"""View: the joint laws of the two picks under three kinds of randomness."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.correlated_sampling import (
    dart_joint_law,
    independent_joint_law,
    inverse_joint_law,
    two_bells,
)
from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import CS
from dpviz.topics.shared_darts.bells import EXACT, Setting


@dataclass(frozen=True, eq=False)
class BothPicksTogether(Result):
    """The exact laws of the two picks (P's in rows) under three kinds of randomness."""

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "pick_p": "the pick of P, from 1",
            "pick_q": "the pick of Q, from 1",
            "shared_darts": "probability of the two picks, with shared darts",
            "shared_number": "with one shared number",
            "own_coins": "with coins of one's own",
        }
    )

    other_origins = (
        Origin(Evidence.EXACT, EXACT),
        Origin(Evidence.EXACT, Source(CS, "Theorem 8")),
    )

    darts: FloatArray
    inverse: FloatArray
    independent: FloatArray

    @property
    def agreement(self) -> tuple[float, float, float]:
        """How likely the picks agree with shared darts, one shared number, own coins."""
        apart = ~np.eye(len(self.darts), dtype=bool)  # summed by itself: equal laws never differ
        first, second, third = (
            1 - float(law[apart].sum()) for law in (self.darts, self.inverse, self.independent)
        )
        return first, second, third

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the probability of each pair of picks, counted from 1."""
        size = len(self.darts)
        first, second = np.divmod(np.arange(size * size), size)
        return {
            "pick_p": first + 1,
            "pick_q": second + 1,
            "shared_darts": self.darts.ravel(),
            "shared_number": self.inverse.ravel(),
            "own_coins": self.independent.ravel(),
        }


def both_picks_together(**setting: Unpack[Setting]) -> BothPicksTogether:
    """Return the joint laws of the picks. Raises `ParameterError`."""
    pair = two_bells(**setting)
    return BothPicksTogether(
        dart_joint_law(*pair), inverse_joint_law(*pair), independent_joint_law(*pair)
    )
