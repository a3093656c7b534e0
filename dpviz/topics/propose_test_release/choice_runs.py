"""How often a choice among many is right that is private for whole users, on data drawn for it.

Both ways see the same data: DelStab around the plain best choice, its test run on every data set
(`dpviz.topics.propose_test_release.best_choice`), and the exponential mechanism with scores in
which every user's part is clipped (Ghazi, Kamath et al. 2023, Theorem 37).
"""

import math
from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.clipped_scores import clipped_difference_scores
from dpviz.maths.exponential_mechanism import sample
from dpviz.maths.streams import Streams
from dpviz.results.refining import pause
from dpviz.topics.propose_test_release.best_choice import verdict, widest_lead
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.learners import Learner

Steps = Generator[None, None, int]
"""A count, after pauses of a moment's work."""
RUNS = 60
"""Data sets at every n and m."""
LOOKS = 20
"""Data sets on which is only looked whether all sets are stable."""

_HOPELESS = 15  # runs without a hit: one in two succeed there with probability 3e-5
_CLIPS = (0.25, 0.5, 1.0, 2.0)  # τ in units of √m


def clips(examples: int) -> list[float]:
    """Return the τ that are tried: multiples of √m from 1 on, and m, which cuts off nothing."""
    some = {min(max(round(c * math.sqrt(examples)), 1), examples) for c in _CLIPS}
    return sorted({float(clip) for clip in (*some, examples)})


@dataclass(eq=False)
class ChoiceRuns:
    """In how many of `RUNS` runs either way names the right one; every place is simulated once.

    learner, lean: what is to be named, as in `Learner`; budget: user-level ε and δ, all of ε for
    the exponential mechanism, which needs no δ.
    """

    learner: Learner
    lean: float
    budget: Budget
    streams: Streams
    right_runs: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def hits(self, way: str, examples: int, users: int) -> Steps:
        """Return in how many runs "best" or "exponential" is right; a run at a time.

        "best": DelStab around the best choice on the data. ⊥ is not right, and R₁ between the
        bounds on the least one counts as a refusal, so that this is at most what Algorithm 1
        achieves; where every set is stable, which is nearly always, it is just that.
        "exponential": the clipped mechanism at its best τ of a few, taken after the fact, which
        favours it.
        """
        place = way, examples, users
        if place not in self.right_runs:
            thresholds = clips(examples) if way == "exponential" else [0.0]
            right = np.zeros(len(thresholds), dtype=int)
            for run in range(RUNS):
                yield
                if run == _HOPELESS and not right.any():
                    break
                rng, scores = self._drawn(2 * run + (way == "best"), examples, users)
                if way == "best":
                    right += self._tested(rng, scores)
                else:
                    right += [self._clipped(rng, scores, clip) for clip in thresholds]
            self.right_runs[place] = int(right.max())
        return self.right_runs[place]

    def passing(self, examples: int, users: int, item_epsilon: float) -> Steps:
        """Return on how many of `LOOKS` data sets all sets are proven stable at this ε′.

        There DelStab is the private learner on n − 4κ random users, the test a formality: Lemma 19.
        """
        limit = 2 * self.budget.epsilon_bar / item_epsilon
        deleted, count = 4 * self.budget.kappa, 0
        for run in range(LOOKS):
            yield
            _, scores = self._drawn(2 * run + 1, examples, users)
            count += widest_lead(scores, deleted) <= limit
        return count

    def _tested(self, rng: np.random.Generator, scores: NDArray[np.int64]) -> bool:
        named = verdict(scores, self.budget)
        passed = self.budget.threshold.sample(rng, 1)[0] >= named.upper
        return bool(passed and self.learner.is_right(named.winner))

    def _clipped(self, rng: np.random.Generator, scores: NDArray[np.int64], clip: float) -> bool:
        pause()
        totals = clipped_difference_scores(scores, threshold=clip)
        named = sample(rng, totals, epsilon=self.budget.epsilon, sensitivity=2 * clip)
        return bool(self.learner.is_right(int(named)))

    def _drawn(
        self, run: int, examples: int, users: int
    ) -> tuple[np.random.Generator, NDArray[np.int64]]:
        """Return every user's scores in one run, and the chance for what follows."""
        pause()
        rng = self.streams.at(1 + run, examples, users)
        return rng, self.learner.scores(rng, users=users, examples=examples, lean=self.lean)
