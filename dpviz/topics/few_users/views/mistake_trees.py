"""View: a mistake tree of a finite class, and the mistakes its best learner makes on the way."""

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
    mistake_class,
)


@dataclass(frozen=True, eq=False)
class Mistakes(Result):
    """The deepest mistake tree of a class, and the best learner's way down; all are mistakes.

    family: one of `MISTAKE_CLASSES`; hypotheses, points: its size; dimension: its Littlestone
    dimension; tree: None where the class has a single hypothesis. rounds: all mistakes that any
    adversary can force.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "round": "number of the round, from 1",
            "point": "number of the point, from 0",
            "predicted": "the label the learner predicts",
            "label": "the label the adversary says, which some hypothesis fits",
            "left": "hypotheses that fit afterwards",
        }
    )

    other_origins = (Origin(Evidence.EXACT, Source("Littlestone 1987")),)

    family: str
    hypotheses: int
    points: int
    dimension: int
    tree: Node | None
    rounds: tuple[Round, ...]

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the rounds, one a row."""
        rows = [
            (number, one.point, one.predicted, one.label, one.left)
            for number, one in enumerate(self.rounds, 1)
        ]
        return {
            name: np.array(column)
            for name, column in zip(self.words, zip(*rows, strict=True), strict=True)
        }


def mistake_trees(*, family: str, depth: float, rng: np.random.Generator) -> Mistakes:
    """Return the mistake tree of a class, and its best learner's way down. Raises `ParameterError`.

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
        rounds=along_the_tree(concept),
        done=1.0,
    )
