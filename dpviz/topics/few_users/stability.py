"""How stable a learner is, measured: Definitions 14, 15 and 16, with confidence intervals."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.intervals import clopper_pearson
from dpviz.results.parameters import ParameterError


@dataclass(frozen=True)
class Measured:
    """A simulated probability with its 95% interval."""

    value: float
    lower: float
    upper: float
    trials: int

    @classmethod
    def of(cls, successes: int, trials: int) -> "Measured":
        """Return the share of successes with its interval."""
        low, high = clopper_pearson(successes, trials)
        share = successes / trials if trials else float("nan")
        return cls(share, float(low), float(high), trials)


def global_stability(picks: NDArray[np.int64], good: NDArray[np.bool_]) -> Measured:
    """Return how likely the learner outputs one good hypothesis h: η of Definition 14.

    picks: of independent runs, without shared randomness; good: the hypotheses of error <= α. The
    first half of the runs finds h, the second half counts it, so that the interval is honest.
    """
    half = picks.size // 2
    counts = np.bincount(picks[:half][picks[:half] >= 0], minlength=good.size)
    best = int(np.where(good, counts, -1).argmax())
    return Measured.of(int(np.count_nonzero(picks[half:] == best)), picks.size - half)


def list_stability(lists: NDArray[np.bool_], good: NDArray[np.bool_]) -> Measured:
    """Return how likely a list holds one good hypothesis h: η of Definition 16.

    lists: one row for each run; h is found and counted as in `global_stability`.
    """
    half = len(lists) // 2
    best = int(np.where(good, lists[:half].sum(axis=0), -1).argmax())
    return Measured.of(int(lists[half:, best].sum()), len(lists) - half)


def pseudo_global_stability(matches: NDArray[np.bool_], *, eta: float) -> Measured:
    """Return on how many boards at least a share η of the users picks h_r: ν of Definition 15.

    matches: one row for each board r, one column for each user; whether the user's pick is h_r.
    The share on a board is that of these users.
    """
    if not 0 <= eta <= 1:
        raise ParameterError("eta", "a number from 0 to 1", eta)
    shares = matches.mean(axis=1)
    return Measured.of(int(np.count_nonzero(shares >= eta)), len(matches))
