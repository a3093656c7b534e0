"""What the best attackers reach, as charts: between blind guessing and the promise."""

import math

import numpy as np

from dpviz.maths import trade_off
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Source,
    Subject,
)
from dpviz.topics.promise.calibrating import NOISES
from dpviz.topics.promise.releases import Release

_LEAST = 1e-9  # share of false alarms drawn
_PROMISE = Source("Wasserman & Zhou 2010", "for δ > 0 as in Dong, Roth & Su 2022")
_GDP = Source("Dong, Roth & Su 2022", "trade-off functions")


def hits_chart(
    release: Release,
    mechanism: str,
    epsilon: float,
    delta: float,
    *marks: Landmark,
    careful: bool = False,
) -> Chart:
    """Return the hits of the best attackers at each share of false alarms.

    careful: at rare false alarms, on logarithmic axes.
    """
    if careful:
        x = np.geomspace(_LEAST, 1.0, 121)
    else:
        # A smooth spread, dense at both ends, where the curves bend.
        x = np.sin(np.linspace(0, math.pi / 2, 121)) ** 2
        x = np.union1d(x, [(1 - delta) / (1 + math.exp(epsilon))])  # where the promise bends
    curves = (
        _curve("blind", "Blind guessing", Subject.ITEM_LEVEL, _GDP, x, x),
        _of_mechanism(release, mechanism, x),
        *_gaussian_dp(release, x),
        _curve(
            "promise",
            "The most that ε and δ allow",
            Subject.LOWER_BOUND,
            _PROMISE,
            x,
            trade_off.promised_hits(x, epsilon=epsilon, delta=delta),
        ),
    )
    return Chart(
        Axis("false_alarms", "False alarms: accused among those not in the data", log=careful),
        Axis("hits", "Hits: accused among those in the data", log=careful),
        curves,
        marks,
        in_headline=("best",),
    )


def _of_mechanism(release: Release, mechanism: str, x: FloatArray) -> Curve:
    low, high = release.hits(x)
    exact = release.evidence is Evidence.EXACT
    return Curve(
        "best",
        f"Best attack on {NOISES[mechanism]}",
        Subject.ATTACKER,
        release.evidence,
        release.source,
        x,
        high,
        None if exact else low,
        None if exact else high,
        weight=1.4,
    )


def _gaussian_dp(release: Release, x: FloatArray) -> list[Curve]:
    """Return the curve of the Gaussian pair that bounds this release, unless it is that pair."""
    if release.subject is Subject.GAUSSIAN or math.isinf(release.gaussian_mu):
        return []
    return [
        _curve(
            "gaussian_dp",
            f"Gaussian DP, μ = {release.gaussian_mu:.3g}",
            Subject.GAUSSIAN,
            _GDP,
            x,
            trade_off.gaussian_hits(x, mu=release.gaussian_mu),
        )
    ]


def _curve(
    key: str, label: str, subject: Subject, source: Source, x: FloatArray, y: FloatArray
) -> Curve:
    return Curve(key, label, subject, Evidence.EXACT, source, x, y)
