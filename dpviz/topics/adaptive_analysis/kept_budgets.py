"""The most questions a sample can answer, by any mechanism: searched once, then kept."""

from typing import TypeAlias

from dpviz.results.caching import Recent
from dpviz.results.evidence import Source
from dpviz.results.refining import Steps, whole
from dpviz.topics.adaptive_analysis.budget import Found, search_steps
from dpviz.topics.adaptive_analysis.mechanisms import Answers
from dpviz.topics.adaptive_analysis.transfer import QueryBudget
from dpviz.topics.adaptive_analysis.tuned import FoundNoise, TunedAnswers, search_tuned_steps

TRANSFER = Source(
    "dpviz.topics.adaptive_analysis", "Dagan & Kur, Theorem 9.1, with exact accounting"
)

Known: TypeAlias = tuple[QueryBudget, Found | FoundNoise]
"""A budget, and where the search for it ended: where one nearby may begin."""


# A reader who moves n leaves the curves as they are: only the first time costs.
KNOWN = Recent[QueryBudget](4 * 2**20)


def budget_here(
    answers: Answers | TunedAnswers, samples: float, alpha: float, beta: float
) -> QueryBudget:
    """Return `max_queries`, kept for the next time."""
    return whole(budget_steps(answers, samples, alpha, beta))


def budget_steps(
    answers: Answers | TunedAnswers, samples: float, alpha: float, beta: float
) -> Steps[QueryBudget]:
    """Compute `budget_here` with pauses, or return what is kept."""
    asked = (answers, samples, alpha, beta)
    known = KNOWN.get(asked)
    if known is None:
        known, _ = yield from searched_steps(*asked)
        KNOWN.add(asked, known)
    return known


def searched_steps(
    answers: Answers | TunedAnswers,
    samples: float,
    alpha: float,
    beta: float,
    near: Found | FoundNoise | None = None,
) -> Steps[Known]:
    """Search for the budget, with pauses; from where a search nearby ended, if that is given."""
    asked = {"samples": samples, "alpha": alpha, "beta": beta}
    if isinstance(answers, TunedAnswers):
        start = near if isinstance(near, FoundNoise) else None
        return (yield from search_tuned_steps(answers, **asked, near=start))
    begin = near if isinstance(near, Found) else None
    return (yield from search_steps(answers, **asked, near=begin))
