"""What anyone can learn: the best attacker against one answer with Gaussian noise."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from dpviz.maths import gaussian, trade_off
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Landmark, Source, Subject

DELTA = 1e-6
"""The δ of the noise that the best attacker faces."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BestAttacker(Chart):
    """How many of those in the data an attacker can find; epsilon: what the noise promises."""

    epsilon: float


def best_attacker(*, epsilon: float) -> BestAttacker:
    """Return how many of those in the data an attacker can find, against the innocent accused.

    The answer has Gaussian noise that is just (ε, 10⁻⁶)-DP. Every attacker, however clever, lies on
    its curve or below. Beside it stands blind guessing. Neighbouring data sets substitute one
    person. Raises `ParameterError`. Source: Dong, Roth & Su 2022, on Gaussian noise.
    """
    sigma = float(gaussian.minimal_sigma(epsilon=epsilon, delta=DELTA, queries=1))
    alarms = np.linspace(0.0, 1.0, 201)
    hits = trade_off.gaussian_hits(alarms, mu=1 / sigma)
    source = Source("Dong, Roth & Su 2022", "trade-off functions of Gaussian noise")
    found = 100 * float(ndtr(1 / (2 * sigma)))
    chart = Chart(
        Axis(
            "false_alarms", "False alarms: accused among those not in the data", log=False, unit="%"
        ),
        Axis("hits", "Hits: accused among those in the data", log=False, unit="%", reach=100.0),
        (
            Curve(
                "blind",
                "Blind guessing",
                Subject.ITEM_LEVEL,
                Evidence.EXACT,
                source,
                100 * alarms,
                100 * alarms,
            ),
            Curve(
                "best",
                "The best attacker",
                Subject.ATTACKER,
                Evidence.EXACT,
                source,
                100 * alarms,
                100 * hits,
                weight=1.4,
            ),
        ),
        (Landmark(100 - found, found, "the best attacker"),),
    )
    return BestAttacker.of(chart, epsilon=epsilon)
