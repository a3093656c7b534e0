r"""The best pure vote, in closed form: what group privacy allows at its tightest can be reached.

n users each hold one of N targets, a mechanism releases one target, and for all data sets c, c′
that differ in one user, P(u | c′) ≤ e^ε P(u | c). How likely can it be, where all users agree, that
their target is released, in the worst case over targets? Exactly

    p = 1 − (N − 1) a  with  1/a = min over J = 0..n of (N − 1) e^(εJ) + e^(ε(n − J)),

for every N ≥ 2, n ≥ 1 and ε > 0. This is a statement of ours; Lemmas 4 and 34 of Ghazi, Kumar &
Manurangsi 2021 have the idea of its first half.

**No mechanism does better.** Averaged over all renamings of targets it is no worse, and treats them
alike: where all hold t, t has probability p and each other target (1 − p)/(N − 1) =: a. Let n − J
users change from t to s, and look at it from both ends. From t's end, s has grown to
e^(ε(n − J)) a at most; from s's end, which is J steps away, all but s have grown to
e^(εJ)(N − 1) a at most together. Both sum to at least 1, for every J, so a is at least as large as
said. (For every J this is one order in which the two branches of `grown` take turns; `grown` takes
the best. So p is also where a chance of (1 − p)/(N − 1) grows to p in n steps.)

**A mechanism that reaches it.** Let J be the least with e^(ε(D − 1)) ≤ N − 1, D = n − 2J. This J
attains the minimum, as going from J to J + 1 lowers the sum if and only if e^(ε(D − 1)) > N − 1;
and D ≥ 0. With c_u the number of users who hold u,

    P(u | c) = 1/N + A(c_u) − (1/N) Σ_v A(c_v),

    A(i) = 0                                                  for i ≤ J,
           [a ((N − 1) e^(εi) + e^(ε(n − i))) − 1]/(N − 2)    for J ≤ i ≤ n − J,
           1 − N a e^(ε(n − i))                               for i ≥ n − J.

Its probabilities sum to 1. At i = J the second line is 0, and at n − J the last two agree (to
a (e^(ε(n − J)) − e^(εJ))), by the choice of a. If N = 2, D ≤ 1 and the second line only has these
two ends. Write b_u = max(c_u − J, 0) and B(b) = A(J + b).

*Where somebody, t, has c_t ≥ n − J*, all others have at most J, so that P(u | c) = a e^(ε(n − c_t))
for u ≠ t; in particular a where all agree, so success is p. As c_t goes down by one, these grow by
e^ε, and x = (N − 1) a e^(ε(n − c_t)), their sum, to e^ε x ≤ (N − 1) a e^(εJ). That t keeps within
e^ε, 1 − x ≤ e^ε (1 − e^ε x), asks for e^ε x ≤ e^ε/(1 + e^ε). This follows from
(N − 1) ≤ e^(ε(D + 1)), which is what it means that J − 1 was not enough; and there is such a step
only if J ≥ 1. If a neighbour changes something else, nothing changes.

(With D = 0 another may have n − J then: all probabilities are 1/N.)

*Where all c_v ≤ n − J*, as in every other pair of neighbours, only the first two lines of A count.
B is 0 at 0, rises, since a (e^ε − 1)[(N − 1) e^(εi) − e^(ε(n − i − 1))]/(N − 2) ≥ 0 for i ≥ J by
the choice of J, and is convex, as a sum of exponentials, with 0 before it; so it is superadditive:
B(x + y) ≥ B(x) + B(y).

1. Σ_{v ≠ u} b_v ≤ D − b_u. If c_u ≥ J and some b_v > 0, the others hold n − c_u, and J of them are
   deducted. If c_u < J, one b_v is at most D, and if two or more are positive they sum to at most
   n − 2J.
2. P(u | c) ≥ a e^(ε(J + b_u)) ≥ a e^(εJ). For given b_u it is least, by convexity and 1, where one
   other has D − b_u, and the lines of A are made so that this is a e^(ε(J + b_u)):
   1/N + (1 − 1/N) A(i) − (1/N) A(n − i) = a e^(εi) for J ≤ i ≤ n − J.
3. A user changes from s to t. A target u other than these grows by at most
   (A(c_s) − A(c_s − 1))/N ≤ (B(D) − B(D − 1))/N
   = a e^(εJ) (e^ε − 1) [(N − 1) e^(ε(D − 1)) − 1]/(N(N − 2)), and as e^(ε(D − 1)) ≤ N − 1 and
   (N − 1)² − 1 = N(N − 2), that is no more than (e^ε − 1) a e^(εJ) ≤ (e^ε − 1) P(u | c).
4. t, if c_t < J, grows by no more than in 3; N > 2 then, as one of two would hold more than n − J.
5. t, if c_t = J + b: it has to be shown that
   (1 − 1/N)(B(b + 1) − B(b)) + (A(c_s) − A(c_s − 1))/N ≤ (e^ε − 1) P(t | c), that is, that
   Φ = A(c_s) − A(c_s − 1) + (e^ε − 1) Σ_{v ≠ t} B(b_v) is small enough. Let z = D − b ≥ 1. If
   b_s = 0, the first difference is 0 and Φ ≤ (e^ε − 1) B(z). Otherwise
   Φ = C(b_s) + (e^ε − 1) Σ_{v ≠ s, t} B(b_v) with C(x) = e^ε B(x) − B(x − 1), and
   C(x + w) − C(x) ≥ (e^ε − 1)(B(x + w) − B(x)) ≥ (e^ε − 1) B(w): convexity twice. So in both cases
   Φ ≤ C(z), its value where only s and t are held, n − J − b users by s. There, by 2, P(t) is
   a e^(ε(J + b)) before and a e^(ε(J + b + 1)) after: equality.
6. s shrinks to no less than e^(−ε) of it: that is 5, or 4, for the step back. No target but t grows
   by more than in 3; and what shrinks, in 3, is what grows on the way back. ∎
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate


@dataclass(frozen=True)
class BestVote:
    """The best ε-private vote of n users about N targets; a neighbour exchanges one user's.

    Raises `ParameterError`.
    """

    users: int
    targets: int
    epsilon: float

    def __post_init__(self) -> None:
        validate("users", self.users)
        validate("epsilon", self.epsilon)
        if not self.targets >= 2:
            raise ParameterError("targets", "a whole number from 2", self.targets)

    @cached_property
    def turn(self) -> int:
        """J: so far from unanimity, the target that all held goes down as the others rise."""
        within = math.log(self.targets - 1) / self.epsilon + 1
        return max(math.ceil((self.users - within) / 2), 0)

    @cached_property
    def log_wrong(self) -> float:
        """Return ln a, of the probability of each wrong target where all users agree."""
        rise = math.log(self.targets - 1) + self.epsilon * self.turn
        return -float(np.logaddexp(rise, self.epsilon * (self.users - self.turn)))

    @property
    def success(self) -> float:
        """p: how likely the target is released that all users hold."""
        return -math.expm1(math.log(self.targets - 1) + self.log_wrong)

    def chances(self, counts: ArrayLike) -> FloatArray:
        """Return P(u | c) for the targets of counts c, in the last axis; N of them, sum n.

        Raises `ParameterError`.
        """
        votes = np.asarray(counts, dtype=int)
        if votes.shape[-1] != self.targets or np.any(votes < 0):
            raise ParameterError("counts", "one from 0 for each target", counts)
        if np.any(votes.sum(axis=-1) != self.users):
            raise ParameterError("counts", "as many as there are users", counts)
        heights = self._heights(np.minimum(votes, self.users - self.turn))
        spread = 1 / self.targets + heights - heights.mean(axis=-1, keepdims=True)
        top = votes.max(axis=-1, keepdims=True)
        each = np.exp(self.log_wrong + self.epsilon * (self.users - top))  # not for t, where agreed
        agreed = np.where(votes == top, 1 - (self.targets - 1) * each, each)
        chances: FloatArray = np.where(top >= self.users - self.turn, agreed, spread)
        return chances

    def success_among_two(self, others: int) -> float:
        """Return how likely the target is released that all but `others` users hold.

        These all hold one other target. Raises `ParameterError`.
        """
        if not 0 <= others <= self.users / 2:
            raise ParameterError("others", f"from 0 to {self.users / 2:g}", others)
        if others <= self.turn:
            each = math.exp(self.log_wrong + self.epsilon * others)
            return 1 - (self.targets - 1) * each
        held, other = self._heights(np.array([self.users - others, others]))
        return float(1 / self.targets + held - (held + other) / self.targets)

    def _heights(self, i: NDArray[np.int64]) -> FloatArray:
        """A(i), from 0 to n − J."""
        n, targets, j = self.users, self.targets, self.turn
        if targets == 2:
            return np.zeros(i.shape)
        above = np.maximum(i, j)
        up, down = (np.exp(self.log_wrong + self.epsilon * k) for k in (above, n - above))
        heights = ((targets - 1) * up + down - 1) / (targets - 2)
        return np.asarray(np.where(i > j, heights, 0.0))
