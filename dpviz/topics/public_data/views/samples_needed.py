"""How many private examples the theorems ask for as the error α shrinks."""

import numpy as np

from dpviz.results.evidence import Axis, Chart, Curve, Evidence
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.public_data.rates import ALPHA, RATES, SETTINGS
from dpviz.topics.public_data.theorem_settings import Demand

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def samples_needed(
    *,
    setting: str,
    alpha: float,
    beta: float,
    epsilon: float,
    delta: float,
    smoothness: float,
    vc_dimension: float,
    constant: float,
) -> Chart:
    """Return n along 1/α for the theorems of a setting, times the constant.

    setting: one of `SETTINGS`; alpha: the reader's α; vc_dimension: d; smoothness: σ. Substitution
    of one example. Raises `ParameterError`.
    """
    if setting not in SETTINGS:
        raise ParameterError("setting", f"one of {', '.join(SETTINGS)}", setting)
    here = ALPHA.validate(alpha)
    demand = Demand.given(
        vc_dimension=vc_dimension, epsilon=epsilon, delta=delta, beta=beta, smoothness=smoothness
    )
    scale = validate("constant", constant)
    a = np.unique(np.append(np.geomspace(ALPHA.minimum, ALPHA.maximum, 81), here))[::-1]
    curves = tuple(
        Curve(
            key=rate.key,
            label=f"{rate.label}: {_power(rate.power)}",
            subject=rate.subject,
            evidence=Evidence.ASYMPTOTIC,
            source=rate.source,
            x=1 / a,
            y=scale * rate.size(a, demand),
        )
        for rate in RATES
        if rate.family in (setting, "general", "yardstick")
    )
    return Chart(
        x=Axis("1/α", "1/α, with α the error to be reached"),
        y=Axis("samples", "private examples n"),
        curves=curves,
        here=1 / here,
        in_headline=("theorem_10", "theorem_7", "realizable", "non_private"),
    )


def _power(power: float) -> str:
    """Return α to minus this power, as people write it."""
    return f"α⁻{str(int(power)).translate(_SUPERSCRIPTS)}" if power == int(power) else "α^(−5/2)"
