"""Parity in the local model where every user holds one example: 2^d users, from both sides.

Every user holds (x, ⟨a, x⟩) for one uniform vector x of d bits, and speaks once, with ε-local
privacy. Local privacy substitutes one user's example. Kasiviswanathan et al. 2011 prove 2^Ω(d)
users; here are numbers with all constants. Where users speak in turn, what is asked of each may
depend on what others have said, and the numbers from below and above differ by a factor that grows
like d; where all speak at once, by a constant.

From below, in turn (`users_too_few_in_turn`): let the null be examples whose labels are fair coins.
For a message z write Q(z | x, y) = s(x) ± t(x) for the labels 0 and 1. Privacy gives |t| <=
tanh(ε/2)·s, and s varies by a factor e^ε at most, so E s² <= cosh²(ε/2)·(E s)² (Kantorovich).
Parity a changes the probability E s of the message by the factor 1 + u_a with u_a = E[t·χ_a]/E s,
so |u_a| <= T = tanh(ε/2), and by Parseval Σ_a (E[t·χ_a])² = E t² <= sinh²(ε/2)·(E s)². As −ln(1 +
u) <= −u + κu² for u >= −T, with κ = (−ln(1 − T) − T)/T², and the u_a cancel over all messages, the
divergence of the null from parity a, averaged over all a, is at most κ·sinh²(ε/2)/2^d a user,
whatever others have said. A learner names a good hypothesis with probability 1 − β where there is a
parity, but on the null it serves only `parities_served` of all 2^d. A divergence between these two
is what n users pay for.

From below, at once (`users_too_few_at_once`): draw the parity a uniformly. Given a the messages are
independent, so what they tell of it together, I(a; Z), is at most the sum of what each tells; and
for one message it is at most the divergence of parity a from the null, averaged over all a, as
the null's law does not depend on a. That divergence is Σ E s·((1 + u_a) ln(1 + u_a) − u_a) over the
messages z, since E s·u_a cancels over them. The ratio ((1 + u) ln(1 + u) − u)/u² is the integral of
(1 − r)/(1 + ru) over r from 0 to 1 and falls in u, so from −T on it is at most
κ′ = ((1 − T) ln(1 − T) + T)/T². By the same sum of squares I(a; Z) is at most n·κ′·sinh²(ε/2)/2^d.
A learner that names a good hypothesis with probability 1 − β would do so with probability
`parities_served`/2^d at most if the messages had nothing to do with a; mutual information can't be
less than the divergence of the first chance from the second (data processing). Coins that all users
share change nothing: the divergence is convex in both chances.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, bdtrc, rel_entr

from dpviz.maths.logspace import log_binomial_pmf
from dpviz.maths.selection.local import HadamardHistogram
from dpviz.results.parameters import LIMITS, validate
from dpviz.topics.few_users.enough_users import least_groups
from dpviz.topics.few_users.problems import parities_served

# A count of votes lies within so many standard deviations, and so many votes more, of its mean.
_REACH = 8.5


def users_too_few_in_turn(bits: int, *, epsilon: float, alpha: float, beta: float) -> float:
    """Return a number that users with one example each must exceed, though one hears another.

    bits: d, from 1 to 40. Proven, for every learner that succeeds with probability 1 − β on every
    parity, under the uniform distribution. Raises `ParameterError`.
    """
    size, chance, goal = _chances(bits, alpha, beta)
    tilt = math.tanh(validate("epsilon", epsilon) / 2)
    bend = (-math.log1p(-tilt) - tilt) / tilt**2
    return size * _apart(min(chance, goal), goal) / (bend * math.sinh(epsilon / 2) ** 2)


def users_too_few_at_once(bits: int, *, epsilon: float, alpha: float, beta: float) -> float:
    """Return a number that users with one example each must exceed where all speak at once.

    That of `users_too_few_in_turn`, or the larger one that holds for one round alone. bits: d, from
    1 to 40. Proven, as there. Raises `ParameterError`.
    """
    size, chance, goal = _chances(bits, alpha, beta)
    tilt = math.tanh(validate("epsilon", epsilon) / 2)
    bend = ((1 - tilt) * math.log1p(-tilt) + tilt) / tilt**2
    once = size * _apart(goal, min(chance, goal)) / (bend * math.sinh(epsilon / 2) ** 2)
    return max(once, users_too_few_in_turn(bits, epsilon=epsilon, alpha=alpha, beta=beta))


def _chances(bits: int, alpha: float, beta: float) -> tuple[int, float, float]:
    """Return how many parities there are, the success of one who knows nothing, and the goal."""
    size = 1 << int(LIMITS["class_bits"].validate(bits))
    return size, parities_served(alpha) / size, 1 - validate("failure_probability", beta)


def _apart(p: float, q: float) -> float:
    """Return the divergence of a coin of probability p from one of q."""
    return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


@lru_cache(maxsize=4096)
def users_enough(bits: int, *, epsilon: float, beta: float) -> float:
    """Return the least users with whom asking about one parity each succeeds, exactly.

    A group of equal size is asked about every parity b: is your label ⟨b, x⟩? Each user's answer
    is exchanged with probability 1/(1 + e^ε). The parity is named whose group says yes most
    often, one of several by chance. bits: d, from 1 to 40. Raises `ParameterError`.
    """
    size = 1 << int(LIMITS["class_bits"].validate(bits))
    goal = 1 - validate("failure_probability", beta)
    truth = HadamardHistogram(epsilon, 2).truth_probability
    return size * least_groups(lambda group: success_probability(size, group, truth) >= goal)


def success_probability(size: int, group: int, truth: float) -> float:
    """Return how likely the target is named: each yes of its group has probability `truth`.

    In the size − 1 other groups a yes is a fair coin. With F = P(yes ≤ v) and f = P(yes = v) there,
    the target wins with v votes, alone or by chance among equals, with probability
    (F^size − (F − f)^size)/(size·f). Up to a mass of 1e-15, which counts as lost.
    """
    reach = _REACH * math.sqrt(group * truth * (1 - truth)) + _REACH
    mean = round(group * truth)
    votes = np.arange(max(0, mean - math.ceil(reach)), min(group, mean + math.ceil(reach)) + 1)
    low = votes < group / 2  # ln F, from the end at which F is known to all its digits
    up_to = np.where(
        low,
        np.log(bdtr(votes, group, 0.5)),
        np.log1p(-np.where(low, 0.0, bdtrc(votes, group, 0.5))),
    )
    log_same = log_binomial_pmf(votes, group, log_odds=0.0)
    ties = -size * np.log1p(-np.minimum(np.exp(log_same - up_to), 1 - 2**-53))
    alone = np.where(ties > 1e-200, -np.expm1(-ties) / (size * np.exp(log_same)), 1.0)
    mass = np.exp(log_binomial_pmf(votes, group, log_odds=math.log(truth / (1 - truth))))
    return float(mass @ (np.exp(size * up_to) * alone))
