"""The best private learner of all, proper or not: a linear program over all mechanisms, certified.

Lemma 4 of Ghazi, Kumar & Manurangsi 2021 bounds the users of every learner, however many examples
they hold. So let each hold so many that they know the target, one of N; a learner then is a private
mechanism that reads n users' targets and releases a function, which serves at most k of the N.
With the class of points any k are served by some function, and all
targets are alike; so they are for a class whose hypotheses no function serves together, k = 1; and
thresholds are no easier, nor harder, than N points for the N windows that cover them. Neighbouring
data sets exchange one user's target. The largest probability with which all targets can be served
is a linear program in the probability of every set S of k targets on every data set c,

    Σ_S [q_S(c) − e^ε q_S(c′)]₊ ≤ δ for all neighbours c, c′,

and as a best mechanism may treat all targets alike, q depends on the counts inside S and outside
alone: partitions of n instead of N^n data sets.

No trust in the solver is needed. From below: its mechanism, mixed with blind guessing until every
constraint holds, is evaluated. From above: any λ ≥ 0 prove the bound

    δ Σ_(c, c′) max_S λ_S + Σ_c max_S [g_S(c) − Σ_c′ λ_S(c, c′) + e^ε Σ_c′ λ_S(c′, c)],

with g = 1 where all users hold the same target and S serves it. Both ends are moved outwards by
more than rounding can amount to.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import validate
from dpviz.results.refining import pause
from dpviz.topics.few_users.equal_targets import Targets
from dpviz.topics.few_users.models import least_users_exchanged

_ROUNDING = 1e-12  # of sums of a few thousand numbers of about 1
_MOST_KINDS = 190  # a tenth of a second


@dataclass(frozen=True, eq=False)
class Best:
    """The best mechanism found, and what is proven about it.

    success: certified bounds on the optimum. chances: how likely the output is of each kind, by
    `Targets.kinds`; private without exception, and as good as the lower bound. multipliers: the
    certificate of the upper bound, λ for each of `Targets.rows`.
    """

    success: Bracket
    chances: FloatArray
    multipliers: FloatArray


def best_learner(task: Targets, *, epsilon: float, delta: float = 0.0) -> Best:
    """Return the best (ε, δ)-private learner of the task, with certified success.

    epsilon: of exchanging a user; delta: 0, or as in the table of limits. How long it takes is a
    matter of the number of `Targets.rows`. The bounds are wide where an output serves a tiny share
    of the targets, and is hardly ever right. Raises `ParameterError`.
    """
    loss = math.exp(validate("epsilon", epsilon))
    slack = validate("delta", delta) if delta else 0.0
    solution, multipliers = _solve(task, loss, slack)
    chances = _made_private(task, solution, loss, slack)
    lower = float(task.serving @ chances) - _ROUNDING
    upper = proven(task, multipliers, loss, slack)
    return Best(Bracket(max(lower, 0.0), min(upper, 1.0)), chances, multipliers)


def fewest_users(*, targets: int, served: int, epsilon: float, beta: float) -> Bracket:
    """Return between what bounds the fewest users lie of the best pure learner of all.

    It succeeds with probability 1 − β on every target. The ends are the same where that is known
    exactly; the upper one is infinite where the programs would get large. With k = 1 there is a
    closed form (`best_vote`), and no program is solved. Raises `ParameterError`.
    """
    goal = 1 - validate("failure_probability", beta)
    privacy = {"epsilon": epsilon, "delta": 0.0}
    low = least_users_exchanged(targets=targets, served=served, beta=beta, **privacy)
    if not low or served == 1:
        return Bracket(low, low)
    users = low
    while (task := Targets(users, targets, served)).how_many_kinds <= _MOST_KINDS:
        pause()
        success = best_learner(task, **privacy).success
        if success.lower >= goal:
            return Bracket(low, users)
        users += 1
        low = users if success.upper < goal else low
    return Bracket(low, math.inf)


def _solve(task: Targets, loss: float, slack: float) -> tuple[FloatArray, FloatArray]:
    """Return the solver's mechanism, and a multiplier for each row."""
    rows, kinds = task.rows, len(task.kinds)
    places = np.arange(rows.first.size)
    matrix: Any = csr_array((rows.share_first, (places, rows.first)), (places.size, kinds))
    matrix -= csr_array((loss * rows.share_second, (places, rows.second)), (places.size, kinds))
    ends = np.zeros(places.size)
    whole: Any = csr_array((np.ones(kinds), (task.data_of_kind, np.arange(kinds))))
    gain = task.serving
    if slack:  # one more unknown a row: by how much it is exceeded
        over = csr_array((np.ones(places.size), (rows.pair, places)))
        nothing = csr_array((over.shape[0], kinds))
        beyond = hstack([matrix, -eye_array(places.size)])
        matrix = vstack([beyond, hstack([nothing, over])]).tocsr()
        ends = np.append(ends, np.full(over.shape[0], slack))
        whole = hstack([whole, csr_array((whole.shape[0], places.size))]).tocsr()
        gain = np.append(gain, np.zeros(places.size))
    solved: Any = linprog(
        -gain, matrix, ends, whole, np.ones(whole.shape[0]), bounds=(0, 1), method="highs"
    )
    return solved.x[:kinds], np.maximum(-solved.ineqlin.marginals[: places.size], 0.0)


def proven(task: Targets, multipliers: FloatArray, loss: float, slack: float) -> float:
    """Return the bound of the module's words on the success of every mechanism."""
    rows = task.rows
    value = task.serving.copy()
    np.subtract.at(value, rows.first, multipliers * rows.share_first)
    np.add.at(value, rows.second, loss * multipliers * rows.share_second)
    best = np.full(len(task.data), -math.inf)
    np.maximum.at(best, task.data_of_kind, value)
    dearest = np.zeros(int(rows.pair[-1]) + 1)
    np.maximum.at(dearest, rows.pair, multipliers)
    margin = _ROUNDING * (1 + (1 + loss) * float(multipliers.sum()))
    return slack * float(dearest.sum()) + math.fsum(best) + margin


def _made_private(task: Targets, solution: FloatArray, loss: float, slack: float) -> FloatArray:
    """Mix a mechanism with blind guessing until no constraint is violated.

    Guessing leaves e^ε − 1 of every row, in units of how likely it is, and all of δ.
    """
    rows = task.rows
    chances = np.clip(solution, 0.0, 1.0)
    chances /= np.bincount(task.data_of_kind, chances)[task.data_of_kind]
    over = chances[rows.first] * rows.share_first - loss * chances[rows.second] * rows.share_second
    guess = task.blind[rows.first] * rows.share_first
    if slack:
        lost = float(np.bincount(rows.pair, np.maximum(over, 0.0)).max())
        share = max(1 - slack / lost, 0.0) + _ROUNDING if lost > slack - _ROUNDING else 0.0
    else:
        over += 1e-16
        share = float(np.max(np.maximum(over, 0) / (np.maximum(over, 0) + (loss - 1) * guess)))
    return np.asarray((1 - share) * chances + share * task.blind)
