"""How many private examples the theorems ask for as the error α shrinks, and their settings."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import PD
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.public_data.error_bounds import Enough, enough_samples
from dpviz.topics.public_data.learners import Budget
from dpviz.topics.public_data.rates import ALPHA, RATES, SETTINGS
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import Task
from dpviz.topics.public_data.theorem_settings import Demand, Settings, theorem_settings

RATES_OF = {"theorems": "All theorems", "theorem": "One theorem"}
"""Of what the shapes are drawn."""

EFFICIENT = {
    "classification": "theorem_10",
    "realizable": "realizable",
    "convex": "theorem_7",
}
"""By setting: the key of the efficient algorithm's shape."""

_ACROSS = Axis("1/α", "1/α, with α the error to be reached")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_OWN = Source("this app", "noise_levels, at the theorem's settings")


@dataclass(frozen=True, eq=False, kw_only=True)
class SettingsChart(Chart):
    """Settings along 1/α: those drawn, and η and γ beside them. theorem: whose they are.

    enough: from how many examples linear regression is proved private and as accurate at the
    reader's α, with all constants; None for the theorems on classification.
    """

    theorem: str
    settings: Settings
    enough: Enough | None
    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "gamma": "noise γ of the projection, hidden constants 1",
            "eta": "strength η of the perturbation or regulariser, hidden constants 1",
        }
    )

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return what is drawn, and η and γ where the algorithm has them."""
        beside = {"gamma": self.settings.gamma, "eta": self.settings.eta}
        return super().columns() | {key: y for key, y in beside.items() if y is not None}


def examples_needed(
    *,
    rates_of: str,
    setting: str,
    theorem: str,
    alpha: float,
    beta: float,
    epsilon: float,
    delta: float,
    smoothness: float,
    vc_dimension: float,
    constant: float,
) -> Chart:
    """Return examples n along 1/α: of all theorems of a setting, or of one with its settings.

    rates_of: one of `RATES_OF`. setting, constant: of `samples_needed`; theorem: of
    `settings_of_a_theorem`. Raises `ParameterError`.
    """
    if rates_of not in RATES_OF:
        raise ParameterError("rates_of", f"one of {', '.join(RATES_OF)}", rates_of)
    demand = Demand.given(
        vc_dimension=vc_dimension, epsilon=epsilon, delta=delta, beta=beta, smoothness=smoothness
    )
    here = ALPHA.validate(alpha)
    if rates_of == "theorem":
        return settings_of_a_theorem(theorem, here, demand)
    return samples_needed(setting, here, demand, constant=constant)


def _errors(here: float) -> FloatArray:
    """Return the errors α drawn, the reader's among them, from large to small."""
    grid = np.geomspace(ALPHA.minimum, ALPHA.maximum, 81)
    return np.unique(np.append(grid, here))[::-1]


def samples_needed(setting: str, here: float, demand: Demand, *, constant: float) -> Chart:
    """Return n along 1/α for the theorems of a setting, times the constant.

    setting: one of `SETTINGS`; here: the reader's α. Substitution of one example. Raises
    `ParameterError`.
    """
    if setting not in SETTINGS:
        raise ParameterError("setting", f"one of {', '.join(SETTINGS)}", setting)
    scale, a = validate("constant", constant), _errors(here)
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
        x=_ACROSS,
        y=Axis("samples", "Private examples, n, up to constants"),
        curves=curves,
        here=1 / here,
        in_headline=(EFFICIENT[setting], "non_private"),
    )


def settings_of_a_theorem(theorem: str, here: float, demand: Demand) -> SettingsChart:
    """Return m, J, and n three times, along 1/α, with all hidden constants 1.

    theorem: one of `dpviz.topics.public_data.theorem_settings.THEOREMS`; here: the reader's α.
    n is that of the theorem, that which the paper's condition on the noise asks for at the same
    settings, and one from which the noise is proved to be private. Substitution of one example.
    Raises `ParameterError`.
    """
    a = _errors(here)
    settings = theorem_settings(theorem, a, demand)
    printed, condition, points = _ITEMS[theorem]
    stated = next(rate for rate in RATES if rate.key == theorem).size(a, demand)
    rows: tuple[tuple[str, str, Subject, Source, FloatArray | None], ...] = (
        ("printed", f"n of {printed}", Subject.PERTURBED, Source(PD, printed),
         stated),
        ("asked", f"n that {condition} asks for", Subject.DANGER, Source(PD, condition),
         settings.asked),
        ("proved", "n, noise proved private", Subject.BOUNDED, _OWN, settings.proved),
        ("averages", "minimisers J (128)", Subject.EARLIER, Source(PD, "Theorem 6, (128)"),
         settings.averages),
        ("points", "public points m", Subject.ITEM_LEVEL, Source(PD, points), settings.points),
    )  # fmt: skip
    curves = tuple(
        Curve(key, label, subject, Evidence.ASYMPTOTIC, source, 1 / a,
              np.where(np.isfinite(y), y, np.nan))
        for key, label, subject, source, y in rows
        if y is not None
    )  # fmt: skip
    return SettingsChart(
        x=_ACROSS,
        y=Axis("size", "How many, hidden constants 1"),
        curves=curves,
        here=1 / here,
        in_headline=("printed", "asked" if settings.proved is None else "proved"),
        theorem=theorem,
        settings=settings,
        enough=_enough(theorem, here, demand),
    )


def _enough(theorem: str, here: float, demand: Demand) -> Enough | None:
    """Return what is proved with all constants of this page's regression, labels off by 0.08."""
    if theorem not in _PROVED:
        return None
    learner, noise = _PROVED[theorem]
    delta, beta = math.exp(-demand.log_delta), math.exp(-demand.log_beta)
    task = Task("regression", shifted("window", demand.sigma), 0.1)
    budget = Budget(demand.epsilon, delta, noise, 1.0, MOST_AVERAGES)
    return enough_samples(learner, task, budget=budget, alpha=here, beta=beta)


_PROVED = {
    "theorem_6": ("perturbation", "gaussian"),
    "theorem_7": ("regularization", "gaussian"),
    "theorem_7_pure": ("regularization", "laplace"),
}
"""By theorem: its algorithm and noise."""

MOST_AVERAGES = 100_000
"""J of Algorithm 2 where its error is proved."""


_ITEMS = {
    "theorem_6": ("Theorem 6, (129)", "Lemma 10, (102)", "Theorem 6, (127)"),
    "theorem_7": ("Theorem 7, (131)", "Lemma 11, (104)", "Theorem 7, (130)"),
    "theorem_7_pure": ("Theorem 7, (133)", "Lemma 11, (105)", "Theorem 7, (132)"),
    "theorem_10": ("Theorem 10", "Lemma 23", "Theorem 10"),
}
"""By theorem: where its n stands, which condition n has to meet, and where the settings stand."""


def _power(power: float) -> str:
    """Return α to minus this power, as people write it."""
    return f"α⁻{str(int(power)).translate(_SUPERSCRIPTS)}" if power == int(power) else "α^(−5/2)"
