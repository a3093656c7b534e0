"""How far one example moves a perturbed minimiser of Algorithm 2, beside Proposition 1."""

from dataclasses import dataclass

import numpy as np

from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import PD
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import pause
from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.noise_levels import threshold_width
from dpviz.topics.public_data.shift import CENTRE, shifted
from dpviz.topics.public_data.tasks import Task

_DRAWS, _TOGETHER = 4000, 500
_STEPS = 40
_LABEL_NOISE = 0.1


@dataclass(frozen=True, eq=False, kw_only=True)
class OneMinimiserChart(Chart):
    """The chance that the minimiser moves by more than ρ.

    samples, public_points: n and m; draws: of the process, by which the chance is estimated.
    """

    samples: int
    public_points: int
    draws: int


def proposition_1(rho: FloatArray, *, samples: float, eta: float, width: float) -> FloatArray:
    """Return 8τ/(ρ⁴κ²η)·E sup ω, at most 1: how likely f̄ moves by more than ρ, at most.

    τ = 1/n, as the average loss in [0, 1] moves by no more; κ = 1, as functions are ±1; width:
    E sup ω. Source: Block et al. 2024, Proposition 1, which is Corollary 1 of Theorem 5.
    """
    bound: FloatArray = np.minimum(8 / (samples * eta * rho**4) * width, 1.0)
    return bound


def moves_of_one_minimiser(
    *, samples: float, public_points: float, eta: float, moved: float, rng: np.random.Generator
) -> OneMinimiserChart:
    """Return the chance that one minimiser of L + η·ω_m moves by more than ρ in ‖·‖_m, against ρ.

    Thresholds on [0, 1]; a tenth of the labels is wrong. The neighbouring data sets differ in the
    label of the example next to the target, which the minimiser depends on most; both are perturbed
    by the same process. moved: the reader's ρ. Raises `ParameterError`.
    """
    n, m = int(validate("samples", samples)), int(validate("public_points", public_points))
    here, strength = validate("moved", moved), validate("eta", eta)
    task = Task("thresholds", shifted("window", 1.0), _LABEL_NOISE)
    private, public = task.private_data(n, rng), task.public_data(m, rng)
    other = private.y.copy()
    other[np.argmin(np.abs(private.x - CENTRE))] *= -1
    pair, oracle, parts = (private, Labelled(private.x, other)), task.oracle(), []
    for _ in range(0, _DRAWS, _TOGETHER):
        pause()
        process = strength / np.sqrt(m) * rng.standard_normal((_TOGETHER, m))
        first, second = (
            oracle.predict(oracle.minimize_each(data.loss(1 / n), public, process), public)
            for data in pair
        )
        parts.append(np.sqrt(np.mean((first - second) ** 2, axis=1)))
    apart = np.sort(np.concatenate(parts))
    limit = LIMITS["moved"]
    rho = np.unique(np.append(np.linspace(limit.minimum, limit.maximum, _STEPS), here))
    beyond = _DRAWS - np.searchsorted(apart, rho + 1e-12, side="right").astype(float)
    low, high = clopper_pearson(beyond, _DRAWS)
    width = float(threshold_width(m))
    return OneMinimiserChart(
        x=Axis("moved", "distance ρ", log=False),
        y=Axis("chance", "chance to move by more than ρ", log=False, base=0.0, reach=1.0),
        curves=(
            Curve(
                "bound", "at most (Proposition 1)", Subject.LOWER_BOUND, Evidence.UPPER,
                Source(PD, "Proposition 1"), rho,
                proposition_1(rho, samples=n, eta=strength, width=width),
            ),
            Curve(
                "simulated", "this pair of data sets", Subject.PERTURBED, Evidence.SIMULATED,
                Source(PD, "Algorithm 2"), rho, beyond / _DRAWS, low, high,
            ),
        ),
        here=here,
        told=("bound", "simulated"),
        samples=n,
        public_points=m,
        draws=_DRAWS,
    )  # fmt: skip
