"""Which candidate is selected, with clipping and without, on one data set."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.topics.clipping.simulation import Scorer
from dpviz.topics.clipping.tasks import Task, make_task


@dataclass(frozen=True, eq=False)
class Selected(Result):
    """The law of the answer, candidates in the order of their true error.

    errors: true errors; good: within α of the least. clipped, unclipped: probabilities at the
    threshold τ, and at τ = m, with the exact sensitivities. published: at τ with the paper's 2τ, or
    None where that is the exact one.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "rank": "place by true error, from 1",
            "candidate": "its name",
            "true_error": "its error under the true law",
            "probability_clipped": "chance to be the answer, clipped at τ",
            "probability_unclipped": "chance to be the answer, unclipped",
            "probability_published": "chance to be the answer, with the published sensitivity",
        }
    )

    other_origins = (
        Origin(Evidence.EXACT, Source("dpviz.topics.clipping", "exact sensitivity")),
        Origin(Evidence.PUBLISHED, Source(UL, "Theorem 37, Δ = 2τ")),
    )

    task: Task
    names: tuple[str, ...]
    errors: FloatArray
    good: NDArray[np.bool_]
    clipped: FloatArray
    unclipped: FloatArray
    published: FloatArray | None
    alpha: float
    threshold: float
    sensitivity: float
    examples_per_user: int
    users: int
    epsilon: float

    def success(self, law: FloatArray) -> float:
        """Return the probability that `law` gives to answers within α of the best."""
        return min(float(law[self.good].sum()), 1.0)

    def failure(self, law: FloatArray) -> float:
        """Return that of all other answers: exact also where the success rounds to 1."""
        return float(law[~self.good].sum())

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return candidates, errors and probabilities."""
        table: dict[str, NDArray[Any]] = {
            "rank": np.arange(1, len(self.names) + 1),
            "candidate": np.array(self.names),
            "true_error": self.errors,
            "probability_clipped": self.clipped,
            "probability_unclipped": self.unclipped,
        }
        if self.published is not None:
            table["probability_published"] = self.published
        return table


def what_gets_selected(
    *,
    task: str,
    candidates: float,
    domain_size: float,
    users: float,
    examples_per_user: float,
    epsilon: float,
    alpha: float,
    threshold: float,
    rng: np.random.Generator,
) -> Selected:
    """Return the exact law of the answer on one data set, with scores clipped at τ and not.

    Raises `ParameterError`.
    """
    chosen = make_task(task, candidates=int(candidates), domain_size=int(domain_size))
    m, n = int(validate("examples_per_user", examples_per_user)), int(validate("users", users))
    tau = min(validate("threshold", threshold), float(m))
    data = chosen.draw(rng, users=n, examples_per_user=m)
    order = np.argsort(chosen.errors, kind="stable")

    scorer = Scorer(chosen, examples_per_user=m, thresholds=np.array([tau, float(m)]))
    clipped, unclipped = scorer.scores_of(data)

    def law(scores: FloatArray, moved: float) -> FloatArray:
        return selection_probabilities(scores, epsilon=epsilon, sensitivity=moved)[order]

    exact = chosen.sensitivity(tau, examples_per_user=m)
    stated = chosen.published_sensitivity(tau)
    return Selected(
        task=chosen,
        names=tuple(chosen.names[place] for place in order),
        errors=chosen.errors[order],
        good=chosen.good(validate("alpha", alpha))[order],
        clipped=law(clipped, exact),
        unclipped=law(unclipped, chosen.sensitivity(float(m), examples_per_user=m)),
        published=None if math.isclose(exact, stated) else law(clipped, stated),
        alpha=alpha,
        threshold=tau,
        sensitivity=exact,
        examples_per_user=m,
        users=n,
        epsilon=epsilon,
    )
