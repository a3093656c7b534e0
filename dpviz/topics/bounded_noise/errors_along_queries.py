"""The noise of least error along k, of errors that are likely or as they are on average."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpviz.maths import gaussian
from dpviz.maths.accounting.tuning import TunedChoice, tuned_noise
from dpviz.maths.least_noise import rivals_at
from dpviz.maths.rivals import RIVALS, Noise
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Source,
    Subject,
)
from dpviz.results.refining import Steps
from dpviz.topics.bounded_noise.tuned_and_converse import TUNED

COUNTS = (1.0, 1e10, 100.0, 1e4, 1e6, 10.0, 1e3)
"""The k at which noises are compared beside the reader's: both ends first."""

_POWER = Source("dpviz.maths.accounting", "exact version of Dagan & Kur, Lemma 10.2")
_LAPLACE = Source("dpviz.maths.laplace_rivals", "exactly composed")
_BALLE = Source("Balle & Wang 2018", "Algorithm 1")
NAMES = {
    "tuned": "tuned noise",
    **{key: rival.noun for key, rival in RIVALS.items()},
    "gaussian": "Gaussian noise",
}
_AS_PLAIN = 0.99  # times the measure of Laplace noise, above which cutting it off gains nothing


@dataclass(frozen=True)
class Compared:
    """The noises of equal privacy at one k: certified measures, and those of the rivals, in Δ.

    choice: the tuned noise, None while it is looked for. rivals: those of `dpviz.maths.rivals`, by
    name, and "gaussian", each where it has a measure.
    """

    choice: TunedChoice | None
    sigma: float
    rivals: Mapping[str, float]

    @property
    def least(self) -> float:
        """The least measure of a noise, in Δ."""
        return min(self._measures.values())

    @property
    def winner(self) -> str:
        """The name of the noise of least measure."""
        return min(self._measures, key=lambda name: self._measures[name])

    @property
    def _measures(self) -> dict[str, float]:
        tuned = {} if self.choice is None else {"tuned": self.choice.best.measure.upper}
        return {**tuned, **self.rivals}


@dataclass(frozen=True)
class AlongQueries:
    """What is measured along k, in units of the Gaussian σ of the same privacy.

    objective: "quantile" or "deviation"; axis: what that is called.
    """

    epsilon: float
    delta: float
    objective: str
    failure_probability: float
    axis: str

    def soon(self, queries: float) -> Compared:
        """Return what is known at one k within moments: one noise."""
        privacy = self._privacy(queries)
        sigma = float(gaussian.minimal_sigma(**privacy))
        return Compared(None, sigma, {"gaussian": self._gaussian(sigma, queries)})

    def _gaussian(self, sigma: float, queries: float) -> float:
        """Return the measure of Gaussian noise."""
        likely = self.objective == "quantile"
        return float(gaussian.max_error(sigma, **self._tail(queries))) if likely else sigma

    def at(self, queries: float) -> Steps[Compared]:
        """Compute the noises at one k."""
        privacy = self._privacy(queries)
        choice = yield from tuned_noise.steps(
            **privacy, objective=self.objective, failure_probability=self.failure_probability
        )
        sigma = float(gaussian.minimal_sigma(**privacy))
        rivals = {"gaussian": self._gaussian(sigma, queries)}
        noises = yield from rivals_at.steps(**privacy)
        rivals |= {key: self._measure(noise, queries) for key, noise in noises.items()}
        finite = {key: error for key, error in rivals.items() if error < math.inf}
        if finite.get("truncated_laplace", 0.0) > _AS_PLAIN * finite.get("laplace", math.inf):
            del finite["truncated_laplace"]
        return Compared(choice, sigma, finite)

    def _measure(self, noise: Noise, queries: float) -> float:
        likely = self.objective == "quantile"
        return noise.max_error(**self._tail(queries)) if likely else noise.standard_deviation

    def _privacy(self, queries: float) -> dict[str, float]:
        return {"epsilon": self.epsilon, "delta": self.delta, "queries": queries}

    def _tail(self, queries: float) -> dict[str, float]:
        return {"queries": queries, "failure_probability": self.failure_probability}

    def borders(self, computed: dict[float, Compared]) -> Steps[None]:
        """Add the k next to which the winner changes, with pauses.

        Exactly up to k = 10, within a tenth above.
        By bisection: between two known k a winner is taken to change once.
        """
        counts = sorted(computed)
        for low, high in itertools.pairwise(counts):
            while computed[low].winner != computed[high].winner and not _settled(low, high):
                middle = float(round(math.sqrt(low * high)))
                middle = min(max(middle, low + 1), high - 1)
                yield
                computed[middle] = yield from self.at(middle)
                same = computed[middle].winner == computed[low].winner
                low, high = (middle, high) if same else (low, middle)

    def chart(self, computed: Mapping[float, Compared], here: float) -> Chart:
        """Return the chart of all that is known, by k; all of it `at`, or one k, `soon`."""
        counts = np.array(sorted(computed))
        compared = [computed[k] for k in sorted(computed)]
        sigma = np.array([c.sigma for c in compared])
        choices = [c.choice for c in compared if c.choice is not None]
        curves = []
        if choices:
            tuned = [choice.best.measure for choice in choices]
            power = [choice.power.measure for choice in choices]
            curves += [
                _certified("tuned", "Tuned", TUNED, counts, tuned, sigma),
                _certified("power", "(1 − u²)^−p, best p", _POWER, counts, power, sigma),
            ]
        looks = {
            "truncated_laplace": ("Truncated Laplace", Subject.LAPLACE, Evidence.UPPER, _LAPLACE),
            "laplace": ("Laplace", Subject.LAPLACE, Evidence.UPPER, _LAPLACE),
            "gaussian": ("Gaussian", Subject.GAUSSIAN, Evidence.EXACT, _BALLE),
        }
        for name, look in looks.items():
            values = np.array([c.rivals.get(name, math.nan) for c in compared])
            if np.isfinite(values).any():
                label, subject, evidence, source = look
                curves.append(Curve(name, label, subject, evidence, source, counts, values / sigma))
        headline: tuple[str, ...] = tuple(
            dict.fromkeys(computed[k].winner for k in (min(computed), max(computed)))
        )
        marks = tuple(
            Landmark(k, computed[k].least / computed[k].sigma, f"from here {who}")
            for k, who in first_wins(computed)[1:]
            if _settled(max(count for count in computed if count < k), k)  # or it began before
        )
        axis = Axis("ratio", self.axis, unit="σ", base=0.9)
        across = Axis("queries", "Queries answered, k")
        return Chart(across, axis, tuple(curves), marks, here, headline)


def _settled(low: float, high: float) -> bool:
    """Return whether a change between two k is known as exactly as it is looked for."""
    return high <= max(low + 1, 1.1 * low)


def first_wins(computed: Mapping[float, Compared]) -> list[tuple[float, str]]:
    """Return the k from which on each noise has the least error, and its name, ordered by k."""
    wins: list[tuple[float, str]] = []
    for k in sorted(computed):
        name = NAMES[computed[k].winner]
        if not wins or wins[-1][1] != name:
            wins.append((k, name))
    return wins


def _certified(
    key: str,
    label: str,
    source: Source,
    x: FloatArray,
    brackets: list[Bracket],
    unit: FloatArray,
) -> Curve:
    """Return a curve through certified bounds, drawn at the private end."""
    lower, upper = (np.array([getattr(b, end) for b in brackets]) for end in ("lower", "upper"))
    weight = 1.4 if key == "tuned" else 0.7
    ends = upper / unit, lower / unit, upper / unit
    return Curve(key, label, Subject.BOUNDED, Evidence.CERTIFIED, source, x, *ends, weight=weight)
