"""How many of a class say yes, from answers that nobody can hold against them.

In the local model each answer is kept with probability e^ε/(1 + e^ε) and turned round otherwise. In
the central model a trusted curator adds two-sided geometric noise to the count. In the shuffle
model everybody sends their answer and some noise as equal messages, of which only the total is
seen. All three protect the substitution of one answer.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats
from scipy.special import expit

from dpviz.maths.intervals import LEVEL
from dpviz.maths.selection.shuffle import NegativeBinomialSum, least_dispersion
from dpviz.results.evidence import FloatArray, Source
from dpviz.results.parameters import ParameterError, validate

GEOMETRIC = Source("Ghosh, Roughgarden & Sundararajan 2012", "two-sided geometric noise")
"""What a trusted curator would add."""


def sent_law(yes: int, answers: int, *, epsilon: float) -> FloatArray:
    """Return the law of how many of `answers` randomised bits are 1 where `yes` truly are.

    Binomial(yes, p) + Binomial(answers − yes, 1 − p), p = e^ε/(1 + e^ε), on 0, …, answers.
    """
    if not 0 <= yes <= answers:
        raise ParameterError("yes", "a whole number from 0 to answers", yes)
    kept = float(expit(validate("epsilon", epsilon)))
    true = stats.binom.pmf(np.arange(yes + 1), yes, kept)
    turned = stats.binom.pmf(np.arange(answers - yes + 1), answers - yes, 1 - kept)
    law: FloatArray = np.convolve(true, turned)
    return law


def survey_estimate(sent: int, answers: int, *, epsilon: float) -> float:
    """Return the unbiased estimate of how many truly say yes, moved into 0 to `answers`."""
    kept = float(expit(validate("epsilon", epsilon)))
    estimate = (sent - answers * (1 - kept)) / (2 * kept - 1)
    return min(max(estimate, 0.0), float(answers))


def survey_interval(
    sent: int, answers: int, *, epsilon: float, level: float = LEVEL
) -> tuple[int, int]:
    """Return an interval for how many truly say yes, where `sent` of the randomised bits are 1.

    Exact at any number of answers: the numbers of yes that a two-sided test with equal tails does
    not reject. It holds the truth with probability >= level, whatever the truth is; the noise is
    all the chance there is. Raises `ParameterError`.
    """
    if not 0 <= sent <= answers:
        raise ParameterError("sent", "a whole number from 0 to answers", sent)
    if not 0 < level < 1:
        raise ParameterError("level", "a number between 0 and 1", level)
    tail = (1 - level) / 2

    def law(yes: int) -> FloatArray:
        return sent_law(yes, answers, epsilon=epsilon)

    # The law moves up with the number of yes. Where `sent` is unlikely even at the nearest truth,
    # that one remains.
    low = _first(answers, lambda yes: float(law(yes)[sent:].sum()) > tail)
    high = answers - _first(answers, lambda no: float(law(answers - no)[: sent + 1].sum()) > tail)
    return min(low, high), max(low, high)


def _first(last: int, holds: Callable[[int], bool]) -> int:
    """Return the first of 0, …, last from which on something holds; `last` where it never does."""
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def central_half_width(*, epsilon: float, level: float = LEVEL) -> int:
    """Return the least w with P(|Z| ≤ w) ≥ level for the curator's two-sided geometric noise Z.

    P(|Z| > w) = 2·e^(−ε(w + 1))/(1 + e^(−ε)); the noise of sensitivity 1 (Ghosh, Roughgarden &
    Sundararajan 2012). Raises `ParameterError`.
    """
    eps = validate("epsilon", epsilon)
    steps = math.log(2 / ((1 - level) * (1 + math.exp(-eps)))) / eps
    return max(math.ceil(steps - 1e-12) - 1, 0)


@dataclass(frozen=True)
class ShuffledCount:
    """A count in the shuffle model, planned for `users`, of whom `answers` have answered.

    Everybody sends their bit and NB(r/users, p) more messages, with p = e^(−0.2ε) and the least r
    that makes the count of all users (ε, δ)-DP (Ghazi, Kumar & Manurangsi 2021, Theorem 39, with r
    exact). Where some have not answered there is less noise, and δ is larger.
    """

    users: int
    answers: int
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not 1 <= self.answers <= self.users:
            raise ParameterError("answers", "a whole number from 1 to users", self.answers)

    @cached_property
    def dispersion(self) -> float:
        """The r of all users."""
        return least_dispersion(self.epsilon, self.delta)

    @cached_property
    def noise(self) -> NegativeBinomialSum:
        """The noise of those who have answered."""
        return NegativeBinomialSum(self.epsilon, self.dispersion * self.answers / self.users)

    @property
    def true_delta(self) -> float:
        """The exact δ at ε with as many answers."""
        return math.exp(self.noise.log_privacy_delta())

    def estimate(self, total: int) -> float:
        """Return the unbiased estimate of how many say yes, moved into 0 to `answers`."""
        return min(max(total - self.noise.mean_noise, 0.0), float(self.answers))

    def interval(self, total: int, *, level: float = LEVEL) -> tuple[int, int]:
        """Return an interval that holds how many say yes with probability >= level, exactly."""
        low, high = self._noise_quantiles(level)
        return max(min(total - high, self.answers), 0), max(min(total - low, self.answers), 0)

    def half_width(self, *, level: float = LEVEL) -> float:
        """Return half the width of that interval where it meets no end."""
        low, high = self._noise_quantiles(level)
        return (high - low) / 2

    def _noise_quantiles(self, level: float) -> tuple[int, int]:
        tail = (1 - level) / 2
        law = self.noise.dispersion, self.noise.success
        return int(stats.nbinom.ppf(tail, *law)), int(stats.nbinom.ppf(1 - tail, *law))


def survey_half_width(answers: int, *, epsilon: float, level: float = LEVEL) -> float:
    """Return half the width of the local model's interval where half of the class says yes."""
    low, high = survey_interval(answers // 2, answers, epsilon=epsilon, level=level)
    return (high - low) / 2
