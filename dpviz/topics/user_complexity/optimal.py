"""The best private test between two or three coins: the optimum over all mechanisms, certified.

Each of n users tosses one unknown coin m times; the coin is one of W = 2 or 3, placed symmetrically
around fairness, and is to be named. Over all (ε, δ)-user-private mechanisms (substitution of one
user) the worst coin's probability of being named is maximised: a linear program in the
probabilities q_o(x) of naming coin o on data set x,

    q_S(x) ≤ e^ε q_S(x′) + δ for all neighbours x, x′ and sets S of coins (single ones if δ = 0).

Exchanging heads and tails leaves the problem as it is, so that a best mechanism does, too.

No trust in the solver is needed. From below: its mechanism, mixed with blind guessing until every
constraint holds, is evaluated. From above: for any weights π of the coins (sum 1) and multipliers
λ ≥ 0 of the constraints, adding λ times what each leaves to Σ_o π_o Pr[o named | o] bounds the
optimum by

    δ Σλ + Σ_x max_o [π_o P_o(x) − Σ_{S∋o, x′} (λ_S(x, x′) − e^ε λ_S(x′, x))],

whatever λ is; the solver only makes it small. Both ends are moved outwards by more than rounding
can amount to.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

from dpviz.maths.coin_tests import Coins
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import validate
from dpviz.topics.user_complexity.user_data_sets import DataSets, Indices

_ROUNDING = 1e-10  # well above the errors of a law (1e-11) and of sums of a few thousand numbers


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best mechanism found, and what is proven about it.

    success: certified bounds on the optimum. naming: q_o(x), a row for each data set; private
    without exception, and as good as the lower bound.
    """

    success: Bracket
    naming: FloatArray


@dataclass(frozen=True, eq=False)
class _Rows:
    """Constraints: for set `subset` of coins, data sets `first` against `second`."""

    subset: tuple[int, ...]
    first: Indices
    second: Indices


def _subsets(coins: Coins, slack: float) -> tuple[tuple[int, ...], ...]:
    """Return the sets S of coins that matter, up to exchanging heads and tails."""
    if len(coins.rates) == 2:
        return ((0,),)
    return ((0,), (1,), (1, 2), (0, 2)) if slack else ((0,), (1,))


def best_success(
    coins: Coins, *, users: int, examples: int, epsilon: float, delta: float = 0.0
) -> Optimum:
    """Return the largest probability of naming the coin that any private mechanism guarantees.

    users: n ≥ 1; examples: m ≥ 1 (how long it takes is a matter of `how_many_pairs`);
    epsilon: user-level; delta: 0, or as in the table of limits. Raises `ParameterError`.
    """
    loss = math.exp(validate("epsilon", epsilon))
    slack = validate("delta", delta) if delta else 0.0
    for name, value in (("users", users), ("examples_per_user", examples)):
        validate(name, value)
    data = DataSets(users, examples)
    laws = np.stack([data.law(rate) for rate in coins.rates])
    rows = [_Rows(subset, *data.neighbours) for subset in _subsets(coins, slack)]
    naming, weights, multipliers = _solve(data, laws, rows, loss, slack)
    upper = _upper_end(data, laws, rows, weights, multipliers, loss, slack)
    private = _made_private(naming, rows, loss, slack)
    lower = min(math.fsum(law * q) for law, q in zip(laws, private.T, strict=True))
    return Optimum(Bracket(max(lower - _ROUNDING, 0.0), min(upper, 1.0)), private)


def _solve(
    data: DataSets, laws: FloatArray, rows: list[_Rows], loss: float, slack: float
) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
    """Return the solver's mechanism, the coins' weights, and a multiplier for each constraint.

    The unknowns are q_0(x) and the worst success. The last coin's q is q_0 of the mirrored data;
    of three coins, what is left is the middle one's.
    """
    size, coins = data.mirror.size, len(laws)
    one: Any = eye_array(size, format="csr")
    mirrored = one[data.mirror]
    between = [(-one - mirrored, 1.0)] if coins == 3 else []
    forms = [(one, 0.0), *between, (mirrored, 0.0)]  # q_o as a matrix and a constant
    blocks, ends = [], []
    for row in rows:
        matrix = sum((forms[o][0] for o in row.subset[1:]), start=forms[row.subset[0]][0])
        constant = sum(forms[o][1] for o in row.subset)
        blocks.append(matrix[row.first] - loss * matrix[row.second])
        ends.append(np.full(row.first.size, slack + (loss - 1) * constant))
    blocks += [-matrix for matrix, _ in between]
    ends += [np.ones(size) for _ in between]
    judged = range((coins + 1) // 2)  # the other coins' successes are their mirror images
    blocks += [csr_array(-(laws[o] @ forms[o][0])[None, :]) for o in judged]
    ends.append(np.array([forms[o][1] for o in judged]))
    worst = np.zeros((sum(map(len, ends)), 1))
    worst[-len(judged) :] = 1
    both: Any = hstack([one + mirrored, csr_array((size, 1))])
    solved: Any = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=hstack([vstack(blocks), csr_array(worst)]).tocsr(),
        b_ub=np.concatenate(ends),
        A_eq=None if between else both.tocsr(),
        b_eq=None if between else np.ones(size),
        bounds=(0, 1),
        # of three coins by interior points in half the time, and less; of two in up to ten times
        method="highs-ipm" if between else "highs",
    )
    dual = np.maximum(-solved.ineqlin.marginals, 0)
    weights = dual[-len(judged) :]
    weights = np.concatenate([weights, weights[: coins // 2]])
    weights[[0, -1]] /= 2
    parts = np.cumsum([row.first.size for row in rows])
    return _naming(solved.x[:-1], data, coins), weights, np.split(dual[: parts[-1]], parts[:-1])


def _naming(lowest: FloatArray, data: DataSets, coins: int) -> FloatArray:
    """Return the whole mechanism from its probabilities for the first coin."""
    last = lowest[data.mirror]
    middle = [1 - lowest - last] if coins == 3 else []
    naming = np.clip(np.stack([lowest, *middle, last], axis=1), 0, 1)
    return np.asarray(naming / naming.sum(axis=1, keepdims=True))


def _upper_end(
    data: DataSets,
    laws: FloatArray,
    rows: list[_Rows],
    weights: FloatArray,
    multipliers: list[FloatArray],
    loss: float,
    slack: float,
) -> float:
    """Return the bound from above, as at the top of the module; mirror images share multipliers."""
    coins = len(laws)
    weights = weights / weights.sum()
    value = weights[:, None] * laws
    total = 0.0
    for row, multiplier in zip(rows, multipliers, strict=True):
        total += float(multiplier.sum())
        for o in row.subset:
            for coin, turn in ((o, slice(None)), (coins - 1 - o, data.mirror)):
                places = np.arange(data.mirror.size)[turn]
                np.subtract.at(value[coin], places[row.first], multiplier / 2)
                np.add.at(value[coin], places[row.second], loss * multiplier / 2)
    margin = _ROUNDING * (1 + (1 + loss) * total)
    return slack * total + math.fsum(value.max(axis=0)) + margin


def _made_private(naming: FloatArray, rows: list[_Rows], loss: float, slack: float) -> FloatArray:
    """Mix a mechanism with blind guessing until no constraint is violated.

    Sets that only the mirrored mechanism needs hold by symmetry. Guessing leaves (e^ε − 1)|S|/W + δ
    of each constraint, so that a share v / (v + what it leaves) of it mends a violation by v.
    """
    coins = naming.shape[1]
    share = 0.0
    for row in rows:
        named = naming[:, list(row.subset)].sum(axis=1)  # one of the coins of the set
        worst = float(np.max(named[row.first] - loss * named[row.second] - slack, initial=0.0))
        worst += 1e-15 if worst > -1e-15 else 0.0
        spare = (loss - 1) * len(row.subset) / coins + slack
        share = max(share, worst / (worst + spare))
    return np.asarray((1 - share) * naming + share / coins)
