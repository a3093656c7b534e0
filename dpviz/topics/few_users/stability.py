"""How stable a learner is, measured: Definition 15, with confidence intervals."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dpviz.maths.intervals import clopper_pearson
from dpviz.results.parameters import ParameterError

_CALL = 0.01  # how likely a board may be called stable, or unstable, that is not


@dataclass(frozen=True)
class StableShare:
    """Between what bounds ν of Definition 15 lies, with confidence 95%.

    lower, upper: the bounds. stable, unstable: boards on which the most frequent pick is surely at
    least η, surely less; the other boards leave it open. users: on each board.
    """

    lower: float
    upper: float
    boards: int
    stable: int
    unstable: int
    users: int


def pseudo_global_stability(picks: NDArray[np.int64], *, eta: float) -> StableShare:
    """Return bounds on the share ν of boards on which one hypothesis has probability >= η.

    picks: one row for each board r, one column for each of its users, who draw their examples
    independently; `NOTHING`, −1, is no hypothesis. eta: η, positive and at most 1. Boards are
    independent; if each has its own distribution 𝒟, ν is over both. Raises `ParameterError`.

    Two levels (Definition 15 leaves h_r free, so let q = max_h Pr[A(S; r) = h], and M be the votes
    of the most frequent pick of n users). Where q >= η, M is at least Bin(n, η) in law, hence the
    board is called unstable, M <= t, with probability at most a = P(Bin(n, η) <= t). Where q < η,
    P(M >= u) <= Σ_h P(Bin(n, p_h) >= u) <= b = P(Bin(n, η) >= u)/η, as P(Bin(n, p) >= u)/p grows
    with p up to (u − 1)/(n − 1) and Σ_h p_h <= 1. So the share called stable is at most
    ν + b(1 − ν), the share not called unstable at least ν(1 − a), and one-sided Clopper-Pearson
    bounds of the two shares bound ν. t and u depend on n and η alone, with a, b <= 0.01.
    """
    if not 0 < eta <= 1:
        raise ParameterError("eta", "a positive number up to 1", eta)
    if picks.ndim != 2 or not picks.size:
        raise ParameterError("picks", "a row for each board, a column for each user", picks.shape)
    boards, users = picks.shape
    largest = [np.bincount(row[row >= 0], minlength=1).max() for row in picks]
    few, many, wrong_few, wrong_many = _calls(users, eta)
    stable = int(np.count_nonzero(np.array(largest) >= many))
    unstable = int(np.count_nonzero(np.array(largest) <= few))
    low, _ = clopper_pearson(stable, boards)
    _, high = clopper_pearson(boards - unstable, boards)
    return StableShare(
        max(float(low) - wrong_many, 0.0) / (1 - wrong_many),
        min(float(high) / (1 - wrong_few), 1.0),
        boards,
        stable,
        unstable,
        users,
    )


def _calls(users: int, eta: float) -> tuple[int, int, float, float]:
    """Return t and u of `pseudo_global_stability`, and with what probability each call errs."""
    votes = np.arange(users + 2)
    at_most = stats.binom.cdf(votes - 1, users, eta)  # of votes − 1
    at_least = stats.binom.sf(votes - 1, users, eta) / eta
    few = int(np.flatnonzero(at_most <= _CALL)[-1]) - 1
    sure = (at_least <= _CALL) & (votes - 1 >= eta * (users - 1))
    many = int(np.flatnonzero(sure)[0])
    return few, many, float(at_most[few + 1]), float(at_least[many])
