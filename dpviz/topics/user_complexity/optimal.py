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
from itertools import islice
from typing import Any

import numpy as np
from scipy.sparse import eye_array, vstack

from dpviz.maths.coin_tests import Coins
from dpviz.maths.interior_points import Program, interior_points
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import validate
from dpviz.results.refining import Steps
from dpviz.topics.user_complexity.user_data_sets import DataSets, Indices

_ROUNDING = 1e-10  # well above the errors of a law (1e-11) and of sums of a few thousand numbers
_NARROW = 1e-8  # width at which bounds on the optimum will do
_PATIENCE = 15  # steps in which they must come to half their distance
_MOST_STEPS = 150

_Form = tuple[Any, FloatArray]  # a sparse matrix and constants: linear in the unknowns, and more


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
    coins: Coins,
    *,
    users: int,
    examples: int,
    epsilon: float,
    delta: float = 0.0,
    target: float | None = None,
) -> Steps[Optimum]:
    """Return the largest probability of naming the coin that any private mechanism guarantees.

    users: n ≥ 1; examples: m ≥ 1 (how long it takes is a matter of `how_many_pairs`);
    epsilon: user-level; delta: 0, or as in the table of limits; target: a probability of which it
    is enough to know whether it can be guaranteed. Pauses after every step of the solver. Raises
    `ParameterError`.
    """
    loss = math.exp(validate("epsilon", epsilon))
    slack = validate("delta", delta) if delta else 0.0
    for name, value in (("users", users), ("examples_per_user", examples)):
        validate(name, value)
    data = DataSets(users, examples)
    laws = np.stack([data.law(rate) for rate in coins.rates])
    rows = [_Rows(subset, *data.neighbours) for subset in _subsets(coins, slack)]
    forms, start = _forms(data, len(laws))
    program = _program(laws, rows, forms, loss, slack)
    lower, upper, naming = 0.0, 1.0, np.full((data.mirror.size, len(laws)), 1 / len(laws))
    checked, width = 0, 1.0
    for point in islice(interior_points(program, start), _MOST_STEPS):
        yield
        private = _made_private(_naming(forms, point.y), rows, loss, slack)
        success = float((laws * private.T).sum(axis=1).min())
        if success - _ROUNDING > lower:
            lower, naming = success - _ROUNDING, private
        weights = np.concatenate([point.weights, point.weights[: len(laws) // 2]])
        weights[[0, -1]] /= 2
        ends = np.cumsum([row.first.size for row in rows])
        multipliers = np.split(point.multipliers[: ends[-1]], ends[:-1])
        upper = min(upper, _upper_end(data, laws, rows, weights, multipliers, loss, slack))
        if upper - lower < width / 2:
            checked, width = 0, upper - lower
        checked += 1
        decided = target is not None and not lower < target <= upper
        if decided or upper - lower < _NARROW or checked > _PATIENCE:
            break
    return Optimum(Bracket(lower, upper), naming)


def _forms(data: DataSets, coins: int) -> tuple[list[_Form], FloatArray]:
    """Return the q_o as forms in the unknowns, and the unknowns of blind guessing.

    The last coin's q is q_0 of the mirrored data. Of three coins the unknowns are q_0(x), and what
    is left is the middle one's. Of two, q_0 of one of two mirror images: the other's is the rest.
    """
    size, mirror = data.mirror.size, data.mirror
    one: Any = eye_array(size, format="csr")
    if coins == 3:
        lowest, last = (one, np.zeros(size)), (one[mirror], np.zeros(size))
        return [lowest, (-one - one[mirror], np.ones(size)), last], np.full(size, 1 / 3)
    free = np.flatnonzero(np.arange(size) < mirror)
    matrix = one[:, free] - one[:, mirror[free]]
    constant = (1 + np.sign(np.arange(size) - mirror)) / 2
    return [(matrix, constant), (matrix[mirror], constant[mirror])], np.full(free.size, 0.5)


def _program(
    laws: FloatArray, rows: list[_Rows], forms: list[_Form], loss: float, slack: float
) -> Program:
    """Return the program: constraints of privacy, in the order of the rows, then q_o(x) ≥ 0."""
    judged = forms[: (len(forms) + 1) // 2]  # the other coins' successes are their mirror images
    left, right = [], []
    for row in rows:
        matrix = sum((forms[o][0] for o in row.subset[1:]), start=forms[row.subset[0]][0])
        constant = np.sum([forms[o][1] for o in row.subset], axis=0)
        left.append(matrix[row.first] - loss * matrix[row.second])
        right.append(slack + loss * constant[row.second] - constant[row.first])
    left += [-matrix for matrix, _ in judged]
    right += [constant for _, constant in judged]
    return Program(
        vstack(left).tocsr(),
        np.concatenate(right),
        np.stack([matrix.T @ law for law, (matrix, _) in zip(laws, judged, strict=False)]),
        np.array([law @ constant for law, (_, constant) in zip(laws, judged, strict=False)]),
    )


def _naming(forms: list[_Form], unknowns: FloatArray) -> FloatArray:
    """Return the whole mechanism."""
    naming = np.clip([matrix @ unknowns + constant for matrix, constant in forms], 0, 1).T
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
    return slack * total + float(value.max(axis=0).sum()) + margin


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
