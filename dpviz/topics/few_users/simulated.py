"""What runs show: shares of them with intervals, and the least size that is enough."""

import math
from dataclasses import dataclass

import numpy as np

from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import Axis, Claim, Curve, Evidence, FloatArray, Source, Subject

SIMULATION = Source("dpviz.topics.few_users", "simulation, 95% intervals")
THE_SAME = Axis(
    "probability",
    "Pairs who pick the same hypothesis",
    log=False,
    base=0.0,
    reach=1.0,
    chance=True,
)


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
