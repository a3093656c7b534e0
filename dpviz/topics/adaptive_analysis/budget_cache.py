"""The most questions a sample can answer, by any mechanism: searched once, then kept."""

from typing import TypeAlias

from dpviz.results.caching import Cache
from dpviz.results.evidence import Source
from dpviz.results.refining import Steps, in_steps
from dpviz.topics.adaptive_analysis.budget import SearchEnd, search
from dpviz.topics.adaptive_analysis.noisy_answers import Answers
from dpviz.topics.adaptive_analysis.transfer import QueryBudget
from dpviz.topics.adaptive_analysis.tuned import NoiseSearchEnd, TunedAnswers, search_tuned

TRANSFER = Source(
    "dpviz.topics.adaptive_analysis", "Dagan & Kur, Theorem 9.1, with exact accounting"
)

Searched: TypeAlias = tuple[QueryBudget, SearchEnd | NoiseSearchEnd]
"""A budget, and where the search for it ended: where one nearby may begin."""


# A reader who moves n leaves the curves as they are: only the first time costs.
BUDGETS = Cache[QueryBudget](4 * 2**20)


@in_steps
def budget_here(
    answers: Answers | TunedAnswers, samples: float, alpha: float, beta: float
) -> Steps[QueryBudget]:
    """Return `max_queries`, kept for the next time."""
    key = (answers, samples, alpha, beta)
    budget = BUDGETS.get(key)
    if budget is None:
        budget, _ = yield from searched_steps(*key)
        BUDGETS.add(key, budget)
    return budget


def searched_steps(
    answers: Answers | TunedAnswers,
    samples: float,
    alpha: float,
    beta: float,
    near: SearchEnd | NoiseSearchEnd | None = None,
) -> Steps[Searched]:
    """Search for the budget, with pauses; from where a search nearby ended, if that is given."""
    given = {"samples": samples, "alpha": alpha, "beta": beta}
    if isinstance(answers, TunedAnswers):
        start = near if isinstance(near, NoiseSearchEnd) else None
        return (yield from search_tuned.steps(answers, **given, near=start))
    begin = near if isinstance(near, SearchEnd) else None
    return (yield from search.steps(answers, **given, near=begin))
