"""What the d of Theorem 4 counts: probabilistic representations of two classes, built.

A probabilistic representation of a class is a random set H of hypotheses that, whatever the
distribution of examples, holds one that errs by at most a with probability 1 − b (Definition 20 of
Ghazi, Kamath et al. 2023); d is the least ln |H|. The two classes over a domain of k points:

- points: one point is labelled 1, or none; k + 1 concepts;
- thresholds: all points from one on are labelled 1, or none; k + 1 concepts as well.

Two inputs are neighbours if one user's examples are substituted; δ = 0.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, entr

from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import ParameterError, validate

SUCCESS = 2 / 3
"""How surely a learner shall find a good hypothesis, as in the proof of Theorem 4."""
THEOREM_ACCURACY, THEOREM_FAILURE = 0.01, 0.25
"""The representation in that proof errs by at most 0.01 α, but with probability 1/4."""
# The count of users is summed over in blocks, so many standard deviations to either side; in fewer
# blocks from this variance on, where the count is nearly certain.
_BLOCKS, _REACH = 256, 9.0
_FEW_BLOCKS, _MANY = 40, 1e7
_EVENLY = {blocks: np.linspace(-1, 1, blocks + 1) for blocks in (_BLOCKS, _FEW_BLOCKS)}
_CLOSE = 1e-3  # relative, between the two ends of a number of users
_ROUNDING = 1e-9  # of a probability summed over the blocks
_DEEPEST = 900  # levels of a tree, beyond which a share of its paths is below all floats
_FAILURES = np.geomspace(1e-6, 0.4999, 400)


@dataclass(frozen=True)
class Candidates:
    """What the exponential mechanism chooses from, on the input of `least_users`.

    count: hypotheses in all. has_good: the probability that a good one is among them. as_wrong: how
    many of them err on just those users who have seen the labelled point.
    """

    count: int
    has_good: float
    as_wrong: float


def points_themselves(domain_size: float) -> Candidates:
    """Return the class of points as candidates: all k + 1 concepts."""
    size = int(validate("domain_size", domain_size))
    return Candidates(count=size + 1, has_good=1.0, as_wrong=size - 1)


def hashed_points(alpha: float) -> Candidates:
    """Return a representation of the points whose size does not depend on the domain.

    Hash every point of the domain to one of r buckets at random; the hypotheses are the r
    indicators of a bucket, and the constant 0. It is an (a, b)-probabilistic representation with
    a = 0.01 α and b = 1/4 if r ≥ (1 − a)/(a b): let the concept label the point x. If x has weight
    at most a, the constant errs by no more. Otherwise the indicator of its bucket errs on what
    else falls there, of weight at most (1 − a)/r in expectation, hence by more than a with
    probability at most b (Markov). So d ≤ ln(r + 1), whatever k.
    """
    accuracy = THEOREM_ACCURACY * validate("alpha", alpha)
    buckets = math.ceil((1 - accuracy) / (accuracy * THEOREM_FAILURE))
    return Candidates(count=buckets + 1, has_good=1 - 1 / buckets, as_wrong=buckets - 1)


def littlestone_of_thresholds(domain_size: float) -> int:
    """Return the Littlestone dimension of the k + 1 thresholds, ⌊log₂(k + 1)⌋."""
    return (int(validate("domain_size", domain_size)) + 1).bit_length() - 1


def least_log_size(littlestone_dimension: float, accuracy: float, failure: float) -> float:
    """Return a proven lower bound on ln |H| of any (a, b)-probabilistic representation.

    (1 − h(a + b)) L ln 2 with the Littlestone dimension L and the binary entropy h, 0 from
    a + b = 1/2 on. Proof: for any concept and any distribution, the best member of H errs by at
    most a + b in expectation. By the minimax theorem, a choice from H that is mixed well errs
    with probability at most a + b on every point. So somebody who knows L random bits can name a
    member of H, for the concept at that leaf of a mistake tree of depth L; who knows the first
    i − 1 bits evaluates it at the node they lead to, and has bit i but with probability a + b. Each
    bit then costs 1 − h(a + b) (Fano), and the name has log₂ |H| bits.
    """
    depth = validate("littlestone_dimension", littlestone_dimension)
    for name, value in (("accuracy", accuracy), ("failure", failure)):
        if not 0 <= value <= 1:
            raise ParameterError(name, "a probability", value)
    wrong = accuracy + failure
    if wrong >= 0.5:
        return 0.0
    return float(depth * (math.log(2) - entr(wrong) - entr(1 - wrong)))


def least_users_of_any_learner(
    littlestone_dimension: float, *, alpha: float, epsilon: float
) -> float:
    """Return a number of users that no ε-private learner of the class can do with fewer than.

    However many examples each user holds, and improper learners too; the larger of two bounds, each
    for success with probability 2/3.

    A packing: let a concept for each path of a mistake tree of depth l be the target, with all
    nodes of its path equally likely. The paths on which a hypothesis errs at given places are one:
    so it is good, erring at j ≤ α l of them, for at most G = Σ C(l, j) paths. On the data of one
    target others' good outputs have a probability of G − 2/3 together, one of them at most
    (G − 2/3)/(2^l − 1). After n substitutions that is 2/3 or more, where each takes a probability
    a to at most e^ε a, and 1 − a to at least e^(−ε)(1 − a). The best l is taken.

    A representation: run the learner on t copies of a fixed input. On an input from the true
    distribution it errs by at most α with probability 2/3 or more; on the fixed one, with n users
    to substitute, at least with e^(−ε n) 2/3. So t = ⌈ln(1/b) e^(ε n) 3/2⌉ outputs are an
    (α, b)-probabilistic representation (the argument of Algorithm 6 of Ghazi, Kumar & Manurangsi
    2021, at δ = 0), and ln t is at least `least_log_size`. The best b is taken.
    """
    alpha, epsilon = validate("alpha", alpha), validate("epsilon", epsilon)
    failures = _FAILURES[alpha + _FAILURES < 0.5]
    wrong = alpha + failures
    depth = validate("littlestone_dimension", littlestone_dimension)
    bits = depth * (math.log(2) - entr(wrong) - entr(1 - wrong))
    log_outputs = math.log(SUCCESS) + bits + np.log(-np.expm1(-bits)) - np.log(-np.log(failures))
    by_outputs = max(0.0, float(log_outputs.max(initial=-np.inf)) / epsilon)
    return max(by_outputs, _by_packing(int(depth), alpha, epsilon))


def _by_packing(depth: int, alpha: float, epsilon: float) -> float:
    """Return the bound by paths of a mistake tree; those deeper than floats tell are left out."""
    levels = np.arange(1.0, min(depth, _DEEPEST) + 1)
    if not levels.size:
        return 0.0
    wrong = np.floor(alpha * levels * (1 + _ROUNDING))
    shared = betainc(levels - wrong, wrong + 1, 0.5) * (1 + _ROUNDING)  # G/2^l, a binomial tail
    paths = 2**levels
    chance = float(((shared - SUCCESS / paths) / (1 - 1 / paths)).min())
    if chance >= SUCCESS:
        return 0.0
    turn = 1 / (1 + math.exp(epsilon))
    growing = max(math.floor(math.log(turn / chance) / epsilon) + 1, 0)
    reached = chance * math.exp(epsilon * growing)
    if reached >= SUCCESS:  # it takes a part of the last step
        return float(math.ceil(math.log(SUCCESS / chance) / epsilon - _ROUNDING))
    rest = math.log((1 - reached) / (1 - SUCCESS)) / epsilon
    return float(growing + math.ceil(rest - _ROUNDING))


def least_users(
    candidates: Candidates,
    *,
    alpha: float,
    epsilon: float,
    examples_per_user: float,
    start: float = 1,
) -> Bracket:
    """Return the least users with which the exponential mechanism learns a point.

    Every user's score counts once (the proof of Theorem 4, sensitivity 1). The input: the labelled
    point has weight just over α, one other point has the rest, so that only hypotheses that tell
    these two apart are good. Returned is a certified interval around the least n at which a good
    one is drawn with probability 2/3; start: where the search may begin.
    """
    alpha, epsilon = validate("alpha", alpha), validate("epsilon", epsilon)
    seen = -math.expm1(validate("examples_per_user", examples_per_user) * math.log1p(-alpha))

    def success(users: int) -> Bracket:
        return chance(candidates, users, seen, epsilon)

    expected = math.log(2 * candidates.as_wrong + 2) / (epsilon * seen)
    low, high = 0, max(int(start), int(expected), 1)
    while success(high).midpoint < SUCCESS:
        low, high = high, 2 * high
    while high - low > max(1, _CLOSE * low):
        middle = (low + high) // 2
        low, high = (low, middle) if success(middle).midpoint >= SUCCESS else (middle, high)
    step = max(1, high - low)
    while success(high).lower < SUCCESS:
        high += step
    while low > 0 and success(low).upper >= SUCCESS:
        low = max(low - step, 0)
    return Bracket(low + 1, high)


def chance(candidates: Candidates, users: int, seen: float, epsilon: float) -> Bracket:
    """Bound the probability of drawing a good hypothesis; exact but for rounding up to 200 users.

    S of the n users have seen the labelled point, each with probability `seen`. A good hypothesis
    has score 0, `as_wrong` have score S, the one that labels the other point has n. The
    probability of a good one rises with S, so blocks of S give two sums around it.
    """
    variance = users * seen * (1 - seen)
    blocks = _BLOCKS if variance < _MANY else _FEW_BLOCKS
    reach = _REACH * (math.sqrt(variance) + 1)
    ends = np.floor(users * seen + reach * _EVENLY[blocks])
    ends = np.concatenate([np.minimum(np.maximum(ends, 0.0), users), [users]])
    last = ends[np.append(ends[1:] > ends[:-1], True)]
    up_to = np.concatenate([[0.0], betainc(users - last[:-1], last[:-1] + 1, 1 - seen), [1.0]])
    first = np.concatenate([[0.0], last[:-1] + 1])
    weights = up_to[1:] - up_to[:-1]

    def good(seen_by: FloatArray) -> FloatArray:
        wrong = candidates.as_wrong * np.exp(-epsilon * seen_by / 2)
        chance: FloatArray = candidates.has_good / (1 + wrong + math.exp(-epsilon * users / 2))
        return chance

    return Bracket(
        max(float(weights @ good(first)) - _ROUNDING, 0.0),
        min(float(weights @ good(last)) + _ROUNDING, 1.0),
    )
