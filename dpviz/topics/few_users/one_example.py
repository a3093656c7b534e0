"""Parity in the local model where every user holds one example: 2^d users, from both sides.

Every user holds (x, ⟨a, x⟩) for one uniform vector x of d bits, and speaks once, with ε-local
privacy; what is asked of them may depend on what others have said. Local privacy substitutes one
user's example. Kasiviswanathan et al. 2011 prove 2^Ω(d) users; here are two numbers with all
constants, which differ by a factor that grows like d only.

From below (`users_too_few`): let the null be examples whose labels are fair coins. For a message z
write Q(z | x, y) = s(x) ± t(x) for the labels 0 and 1. Privacy gives |t| <= tanh(ε/2)·s, and s
varies by a factor e^ε at most, so E s² <= cosh²(ε/2)·(E s)² (Kantorovich). Parity a changes the
probability E s of the message by the factor 1 + u_a with u_a = E[t·χ_a]/E s, so
|u_a| <= T = tanh(ε/2), and by Parseval Σ_a (E[t·χ_a])² = E t² <= sinh²(ε/2)·(E s)². As
−ln(1 + u) <= −u + κu² for u >= −T, with κ = (−ln(1 − T) − T)/T², and the u_a cancel over all
messages, the divergence of the null from parity a, averaged over all a, is at most
κ·sinh²(ε/2)/2^d a user, whatever others have said. A learner names a good hypothesis with
probability 1 − β where there is a parity, but on the null it serves only `parities_served` of all
2^d. A divergence between these two is what n users pay for.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.special import bdtrc, rel_entr

from dpviz.maths.logspace import log_binomial_pmf
from dpviz.maths.selection.local import HadamardHistogram
from dpviz.results.parameters import LIMITS, validate
from dpviz.topics.few_users.enough_users import least_groups
from dpviz.topics.few_users.problems import parities_served

# A count of votes lies within so many standard deviations, and so many votes more, of its mean.
_REACH = 8.5


def users_too_few(bits: int, *, epsilon: float, alpha: float, beta: float) -> float:
    """Return a number that users with one example each must exceed, whatever they say.

    bits: d, from 1 to 40. Proven, for every learner that succeeds with probability 1 − β on every
    parity, under the uniform distribution. Raises `ParameterError`.
    """
    size = 1 << int(LIMITS["class_bits"].validate(bits))
    eps, goal = validate("epsilon", epsilon), 1 - validate("failure_probability", beta)
    by_chance = parities_served(alpha) / size
    if by_chance >= goal:
        return 0.0
    apart = float(rel_entr(by_chance, goal) + rel_entr(1 - by_chance, 1 - goal))
    tilt = math.tanh(eps / 2)
    bend = (-math.log1p(-tilt) - tilt) / tilt**2
    return size * apart / (bend * math.sinh(eps / 2) ** 2)


@lru_cache(maxsize=4096)
def users_enough(bits: int, *, epsilon: float, beta: float) -> float:
    """Return the least users with whom asking about one parity each succeeds, exactly.

    A group of equal size is asked about every parity b: is your label ⟨b, x⟩? Each user's answer
    is exchanged with probability 1/(1 + e^ε). The target is named if its group says yes most
    often, alone. bits: d, from 1 to 40. Raises `ParameterError`.
    """
    size = 1 << int(LIMITS["class_bits"].validate(bits))
    goal = 1 - validate("failure_probability", beta)
    truth = HadamardHistogram(epsilon, 2).truth_probability
    return size * least_groups(lambda group: success_probability(size, group, truth) >= goal)


def success_probability(size: int, group: int, truth: float) -> float:
    """Return how likely the target's group says yes most often: each yes has probability `truth`.

    In the size − 1 other groups a yes is a fair coin. Up to a mass of 1e-15, which counts as lost.
    """
    reach = _REACH * math.sqrt(group * truth * (1 - truth)) + _REACH
    mean = round(group * truth)
    votes = np.arange(max(1, mean - math.ceil(reach)), min(group, mean + math.ceil(reach)) + 1)
    with np.errstate(divide="ignore"):
        behind = np.log1p(-bdtrc(votes - 1, group, 0.5))  # how likely another group has fewer votes
    mass = np.exp(log_binomial_pmf(votes, group, log_odds=math.log(truth / (1 - truth))))
    return float(mass @ np.exp((size - 1) * behind))
