"""View: one game with shared darts, and how often such a game ends in the same pick."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.correlated_sampling import (
    Darts,
    output_agreement,
    output_disagreement,
    sample,
    total_variation,
    two_bells,
)
from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import CS
from dpviz.topics.shared_darts.bells import EXACT, Setting


@dataclass(frozen=True, eq=False)
class Board(Result):
    """One game: darts are thrown until one is below P and one is below Q.

    places, heights: the darts, in order. first, second: the numbers, from 0, of the darts of P
    and of Q. gap: how far the bells are apart.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "dart": "number of the dart, from 1",
            "outcome": "the outcome it hits, from 1",
            "height": "where it hits, a probability",
            "p": "probability of the outcome under P",
            "q": "probability of the outcome under Q",
            "below_p": "whether it is below P",
            "below_q": "whether it is below Q",
        }
    )

    other_origins = (
        Origin(Evidence.SIMULATED, Source(CS, "Theorem 8")),
        Origin(Evidence.EXACT, EXACT),
    )

    p: FloatArray
    q: FloatArray
    places: NDArray[np.int64]
    heights: FloatArray
    first: int
    second: int
    gap: float

    @property
    def picks(self) -> tuple[int, int]:
        """The outcomes of P and of Q, counted from 1."""
        return int(self.places[self.first]) + 1, int(self.places[self.second]) + 1

    @property
    def disagreement(self) -> float:
        """How likely a game ends in different picks, exactly."""
        return float(output_disagreement(self.p, self.q))

    @property
    def agreement(self) -> float:
        """How likely a game ends in the same pick, exactly, however unlikely that is."""
        return float(output_agreement(self.p, self.q)) if self.disagreement else 1.0

    @property
    def own_agreement(self) -> float:
        """How likely the picks are the same on darts of their own, exactly."""
        return float(self.p @ self.q)

    @property
    def distance(self) -> float:
        """TV(P, Q)."""
        return float(total_variation(self.p, self.q))

    @property
    def overlap(self) -> float:
        """1 − TV(P, Q), also where that is less than the rounding of 1."""
        return float(np.minimum(self.p, self.q).sum())

    @property
    def place(self) -> float:
        """Where the bell of Q stands, among outcomes counted from 1."""
        return (self.p.size + 1 + self.gap) / 2

    @property
    def below(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which darts are below P, and which below Q."""
        return self.heights < self.p[self.places], self.heights < self.q[self.places]

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the darts: number and outcome from 1, height, and whom they hit."""
        below_p, below_q = self.below
        return {
            "dart": np.arange(1, self.places.size + 1),
            "outcome": self.places + 1,
            "height": self.heights,
            "p": self.p[self.places],
            "q": self.q[self.places],
            "below_p": below_p,
            "below_q": below_q,
        }


def one_board(*, rng: np.random.Generator, **setting: Unpack[Setting]) -> Board:
    """Return one game with shared darts. Raises `ParameterError`."""
    p, q = two_bells(**setting)
    darts = Darts(p.size, int(rng.integers(2**32)))
    thrown = sample([p, q], darts)
    first, second = (int(dart) for dart in thrown.dart)
    size = darts.block(0)[0].size
    blocks = [darts.block(number) for number in range(max(first, second) // size + 1)]
    end = max(first, second) + 1
    places, heights = (np.concatenate(parts)[:end] for parts in zip(*blocks, strict=True))
    return Board(p, q, places, heights, first, second, float(setting["gap"]))
