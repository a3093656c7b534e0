"""View: a mistake tree of a finite class, and how many mistakes an adversary forces on learners."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Evidence, Origin, Result, Source
from dpviz.topics.few_users.littlestone import (
    MISTAKE_CLASSES,
    FiniteClass,
    Node,
    Round,
    along_the_tree,
    greedy_game,
    mistake_class,
)

GAMES = {
    "optimal": "best learner",
    "first": "stubborn learner",
}
"""The learners by name."""


@dataclass(frozen=True, eq=False)
class Mistakes(Result):
    """The deepest mistake tree of a class, and a game of each learner; every round is a mistake.

    family: one of `MISTAKE_CLASSES`; hypotheses, points: its size; dimension: its Littlestone
    dimension; tree: None where the class has a single hypothesis. games: by learner, the rounds: of
    "optimal" all that any adversary can make it err, of the other what one adversary does.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "learner": "the learner",
            "round": "number of the round, from 1",
            "point": "number of the point, from 0",
            "predicted": "the label the learner predicts",
            "label": "the label the adversary says, which some hypothesis fits",
            "left": "hypotheses that fit afterwards",
        }
    )

    other_origins = (
        Origin(Evidence.EXACT, Source("Littlestone 1987")),
        Origin(Evidence.LOWER, Source("dpviz.topics.few_users.littlestone", "an adversary")),
    )

    family: str
    hypotheses: int
    points: int
    dimension: int
    tree: Node | None
    games: Mapping[str, tuple[Round, ...]]

    @property
    def most(self) -> Mapping[str, int]:
        """At most so many mistakes, proven: each takes away a hypothesis that fits at least."""
        return {"optimal": self.dimension, "first": self.hypotheses - 1}

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the rounds of all games, one a row."""
        rows = [
            (name, number, one.point, one.predicted, one.label, one.left)
            for name, rounds in self.games.items()
            for number, one in enumerate(rounds, 1)
        ]
        return {
            name: np.array(column)
            for name, column in zip(self.words, zip(*rows, strict=True), strict=True)
        }


def mistake_trees(*, family: str, depth: float, rng: np.random.Generator) -> Mistakes:
    """Return the mistake tree of a class, and two learners' games. Raises `ParameterError`.

    family: one of `MISTAKE_CLASSES`; depth: d, its size (`mistake_class`); rng: for random labels.
    """
    concept = FiniteClass(mistake_class(family, depth=depth, rng=rng))
    dimension = concept.dimension()
    return Mistakes(
        family=MISTAKE_CLASSES[family],
        hypotheses=len(concept.labels),
        points=concept.labels.shape[1],
        dimension=dimension,
        tree=concept.tree(concept.all, dimension),
        games={
            "optimal": along_the_tree(concept),
            "first": greedy_game(concept),
        },
        done=1.0,
    )
