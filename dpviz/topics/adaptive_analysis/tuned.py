"""Answers with noise tuned to the question: its shape is chosen anew for every n, α and β.

For a given shape `dpviz.topics.adaptive_analysis.budget` finds the split of α and β that proves the
most queries. There the noise is tuned (`dpviz.maths.accounting.tuning`) for the ε, δ and k found,
and the split is sought again with the shape found, and so on as long as that proves more. Each
count is certified for its shape; that no other shape and split prove more is not claimed.
"""

from dataclasses import dataclass

from dpviz.maths.accounting.tuning import tuned_alone
from dpviz.maths.bounded_noise import BoundedNoise, PowerNoise
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.parameters import LIMITS
from dpviz.results.refining import Steps, in_steps
from dpviz.topics.adaptive_analysis.budget import SearchEnd, search
from dpviz.topics.adaptive_analysis.noisy_answers import MOST_QUERIES, BoundedAnswers
from dpviz.topics.adaptive_analysis.transfer import QueryBudget

_ROUNDS, _ROUNDS_NEARBY = 3, 1
_WORTH_A_ROUND = 1.002  # times as many queries
_START = PowerNoise(2.0)


@dataclass(frozen=True)
class TunedAnswers:
    """Bounded noise of the least radius that is private, of a shape tuned for n, α and β.

    certain: insist on sample_failure = 0, as for `BoundedAnswers`.
    """

    certain: bool = False


@dataclass(frozen=True, eq=False)
class NoiseSearchEnd:
    """Where a search ended: the shape, and where the search with this shape ended."""

    noise: BoundedNoise
    end: SearchEnd


@in_steps
def search_tuned(
    mechanism: TunedAnswers,
    *,
    samples: float,
    alpha: float,
    beta: float,
    near: NoiseSearchEnd | None = None,
) -> Steps[tuple[QueryBudget, NoiseSearchEnd]]:
    """Return the most adaptive queries found with tuned noise, and with which noise.

    Parameters, neighbouring relation and errors as for `max_queries`; near: the result for
    similar parameters, for speed.
    """
    given = {"samples": samples, "alpha": alpha, "beta": beta}
    noise = _START if near is None else near.noise
    answers = BoundedAnswers(noise, certain=mechanism.certain)
    start = None if near is None else near.end
    budget, end = yield from search.steps(answers, **given, near=start)
    best = budget, NoiseSearchEnd(noise, end)
    for _ in range(_ROUNDS if near is None else _ROUNDS_NEARBY):
        if budget.queries < 1:
            break
        yield
        noise = _tuned_for(budget)
        answers = BoundedAnswers(noise, certain=mechanism.certain)
        budget, end = yield from search.steps(answers, **given, near=end)
        gained = budget.queries > _WORTH_A_ROUND * best[0].queries
        if budget.queries > best[0].queries:
            best = budget, NoiseSearchEnd(noise, end)
        if not gained:
            break
    return best


def _tuned_for(budget: QueryBudget) -> TunedNoise:
    """Return the noise tuned for the privacy and the number of queries that a budget ended at."""
    least = LIMITS["failure_probability"].minimum
    return tuned_alone(
        epsilon=max(budget.epsilon, LIMITS["epsilon"].minimum),
        delta=max(budget.delta, LIMITS["delta"].minimum),
        queries=min(budget.queries, MOST_QUERIES),
        objective="quantile" if budget.sample_failure else "hard",
        failure_probability=max(budget.sample_failure, least),
    ).noise
