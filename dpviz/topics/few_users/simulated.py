"""What runs show: shares of them with intervals, and the least size that is enough."""

import math
from dataclasses import dataclass

import numpy as np

from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import Bracket, Claim, Curve, Evidence, FloatArray, Source, Subject

SIMULATION = Source("dpviz.topics.few_users", "simulation, 95% intervals")


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

    def claim(self, what: str) -> Claim:
        """Return it as what a sentence may claim."""
        return Claim(what, self.value, self.lower, self.upper)


def simulated_curve(
    key: str,
    label: str,
    subject: Subject,
    x: FloatArray,
    *,
    hits: FloatArray,
    tries: FloatArray,
    source: Source = SIMULATION,
) -> Curve:
    """Return the share of hits among the tries at each x, with its 95% interval.

    Where nothing was tried yet the share is NaN, and the interval, [0, 1], says nothing.
    """
    low, high = clopper_pearson(hits, tries)
    return Curve(
        key=key,
        label=label,
        subject=subject,
        evidence=Evidence.SIMULATED,
        source=source,
        x=x,
        y=np.divide(hits, tries, out=np.full(tries.shape, math.nan), where=tries > 0),
        lower=low,
        upper=high,
    )


def least_enough(sizes: FloatArray, shares: FloatArray, goal: float) -> float:
    """Return the least size from which on no share is below the goal; infinite if there is none."""
    short = np.flatnonzero(~(shares >= goal))
    first = 0 if not short.size else int(short[-1]) + 1
    return float(sizes[first]) if first < sizes.size else math.inf


def claimed_enough(
    what: str,
    sizes: FloatArray,
    hits: FloatArray,
    tries: FloatArray,
    goal: float,
    proven: Bracket = Bracket(1, math.inf),  # noqa: B008 it is frozen
) -> Claim:
    """Return what runs tell of the least size at which a share of hits reaches the goal.

    The interval ends at the first size of which it is certain, by the interval of its share, and
    begins behind the last before that at which the goal is not reached. Of sizes between those
    that were tried nothing is known.
    """
    shares = np.divide(hits, tries, out=np.full(sizes.shape, math.nan), where=tries > 0)
    low, high = clopper_pearson(hits, tries)
    enough = np.flatnonzero(low >= goal)
    end = int(enough[0]) if enough.size else sizes.size
    short = np.flatnonzero(high[:end] < goal)
    least = float(sizes[short[-1]]) + 1 if short.size else 1.0
    most = float(sizes[end]) if enough.size else math.inf
    return Claim(what, least_enough(sizes, shares, goal), least, most, proven)
