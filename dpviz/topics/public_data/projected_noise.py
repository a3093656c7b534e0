"""The noise that the released function needs, against that of the raw noisy numbers, along n."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import PD
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import coarse_to_fine
from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.projection import all_functions_gamma, constants_gamma

_POINTS = 121
_BOUNDS = 13  # places along n at which all functions are bounded
_OWN = Source("this app", "the law of the projected numbers")


@dataclass(frozen=True, eq=False, kw_only=True)
class ProjectedChart(Chart):
    """Noise along n; public_points: m. cut_off: how likely 0 leaves [−1, 1] with the raw noise."""

    public_points: int

    @property
    def cut_off(self) -> float:
        """P(|γζ| > 1) at the reader's n, for the γ of the noisy numbers."""
        return float(2 * ndtr(-1 / self.value("raw")))


def noise_after_projection(
    *, samples: float, public_points: float, epsilon: float, delta: float, eta: float
) -> Iterator[ProjectedChart]:
    """Yield the γ that Algorithm 3's release needs along n, for ρ = 1/√(ηn).

    Exactly for the class of constants, between certified bounds for all functions, and what
    suffices for every class. Raises `ParameterError`.
    """
    here, m = validate("samples", samples), int(validate("public_points", public_points))
    limit = LIMITS["samples"]
    n = np.unique(np.rint(np.append(np.geomspace(10, limit.maximum, _POINTS), here)))
    rho = levels.regularized_stability(n, eta=eta)
    privacy = {"epsilon": epsilon, "delta": delta}
    places = np.unique(np.append(np.linspace(0, n.size - 1, _BOUNDS).round().astype(int),
                                 np.searchsorted(n, here)))  # fmt: skip
    bounds: dict[int, tuple[float, float]] = {}
    fixed = (
        Curve("raw", "the noisy numbers, and so any class", Subject.GAUSSIAN, Evidence.UPPER,
              levels.BALLE_WANG, n, levels.sufficient_gaussian(m, rho=rho, **privacy)),
        Curve("constants", "released: a constant", Subject.BOUNDED, Evidence.EXACT,
              _OWN, n, constants_gamma(m, rho=rho, **privacy)),
        Curve("published", "as published (14)", Subject.EARLIER, Evidence.PUBLISHED,
              Source(PD, "Lemma 3, (14)"), n, levels.published_gaussian(m, rho=rho, **privacy)),
    )  # fmt: skip

    def chart(done: float) -> ProjectedChart:
        return ProjectedChart(
            x=Axis("samples", "Private examples, n"),
            y=Axis("gamma", "Noise γ on each value of f̄"),
            curves=(*fixed, *_bounded(n, bounds)),
            here=here,
            in_headline=("constants", "raw"),
            public_points=m,
            done=done,
        )

    start = int(np.searchsorted(places, np.searchsorted(n, here)))
    for done, i in enumerate(coarse_to_fine(places.size, 4, here=start), 1):
        at = int(places[i])
        bound = all_functions_gamma(m, rho=float(rho[at]), **privacy)
        if bound.lower > 0:
            bounds[at] = (bound.lower, bound.upper)
        yield chart(done / places.size)


def _bounded(n: FloatArray, bounds: dict[int, tuple[float, float]]) -> tuple[Curve, ...]:
    """Return the certified bounds found so far, as a curve at their places."""
    if not bounds:
        return ()
    at: NDArray[np.int_] = np.array(sorted(bounds))
    low, high = np.array([bounds[i] for i in at]).T
    return (
        Curve("functions", "released: any function", Subject.USER_LEVEL, Evidence.CERTIFIED,
              _OWN, n[at], (low + high) / 2, lower=low, upper=high),
    )  # fmt: skip
