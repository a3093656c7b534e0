"""How far one example moves a perturbed minimiser of Algorithm 2, beside what bounds it."""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Claim,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
)
from dpviz.results.papers import PD
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import pause
from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.noise_levels import threshold_width
from dpviz.topics.public_data.oracles.sweep import Sweep
from dpviz.topics.public_data.shift import CENTRE, shifted
from dpviz.topics.public_data.tasks import Task

_DRAWS, _TOGETHER = 4000, 500
_STEPS = 40
_LABEL_NOISE = 0.1
_TIE = 1e-12  # of Ω: closer values count as equal


@dataclass(frozen=True, eq=False, kw_only=True)
class OneMinimiserChart(Chart):
    """The chance that the minimiser moves by more than ρ.

    samples, public_points: n and m; draws: of the process, by which the chance is estimated.
    """

    samples: int
    public_points: int
    draws: int

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The chance at the reader's ρ, below Theorem 5."""
        seen = self.claim("simulated", "chance that the minimiser moves")
        proven = Bracket(0.0, self.value("theorem_5"))
        return (replace(seen, proven=proven),)


def proposition_1(rho: FloatArray, *, samples: float, eta: float, width: float) -> FloatArray:
    """Return 8τ/(ρ⁴κ²η)·E sup ω, at most 1: how likely f̄ moves by more than ρ, as published.

    τ = 1/n, as the average loss in [0, 1] moves by no more; κ = 1, as functions are ±1; width:
    E sup ω. Source: Block et al. 2024, Proposition 1, which is Corollary 1 of Theorem 5; its proof
    puts ρ²/2 where Theorem 5 has ρ, which is sound for ρ ≤ √2 only.
    """
    bound: FloatArray = np.minimum(8 / (samples * eta * rho**4) * width, 1.0)
    return bound


def theorem_5(rho: FloatArray, *, samples: float, eta: float, width: float) -> FloatArray:
    """Return 4/(nηρ²)·E sup ω, at most 1: how likely any neighbour at all moves f̄ by ρ or more.

    For functions ±1. Theorem 5 of Block et al. 2024 bounds the chance that some f has
    ⟨f, f̄⟩_m ≤ 1 − r² and Ω(f) ≤ Ω(f̄) + t by t/(r²η)·E sup ω. Here r² = ρ²/2, since
    ‖f − f̄‖_m² = 2 − 2⟨f, f̄⟩_m, and t = 2/n: one example changes L by at most 1/n at either
    function, so whatever a neighbour minimises is within 2/n of the least here. So the chance
    covers the neighbour that is worst for the noise drawn; it falls faster than Proposition 1's
    below ρ = √2, and holds above. width: E sup ω.
    """
    bound: FloatArray = np.minimum(4 / (samples * eta * rho**2) * width, 1.0)
    return bound


def farthest_near_minimiser(
    private: Labelled, public: FloatArray, process: FloatArray
) -> FloatArray:
    """Return how far in ‖·‖_m a threshold within 2/n of the least value is from the minimiser.

    Of L + ⟨process, f(Z)⟩, L the average loss, for each row of the process; m distinct points.
    """
    sweep, n = Sweep(private.loss(1 / private.size), public), private.size
    best, _ = sweep.largest()
    # Σ c·f is a constant less twice the sum below the threshold.
    sums = best + sweep.added(process)
    near = sums >= sums.max(axis=1, keepdims=True) - 1 / n - _TIE
    at, cells = np.argmax(sums, axis=1), sums.shape[1]
    first, last = np.argmax(near, axis=1), cells - 1 - np.argmax(near[:, ::-1], axis=1)
    apart: FloatArray = 2 * np.sqrt(np.maximum(at - first, last - at) / len(public))
    return apart


def moves_of_one_minimiser(
    *, samples: float, public_points: float, eta: float, moved: float, rng: np.random.Generator
) -> OneMinimiserChart:
    """Return the chance that one minimiser of L + η·ω_m moves by more than ρ in ‖·‖_m, against ρ.

    Thresholds on [0, 1]; a tenth of the labels is wrong. The neighbouring data sets differ in the
    label of the example next to the target, which the minimiser depends on most; both are
    perturbed by the same process. Beside it stands a bound on how often any neighbour
    of these data moves it as far. moved: the reader's ρ. Raises `ParameterError`.
    """
    n, m = int(validate("samples", samples)), int(validate("public_points", public_points))
    here, strength = validate("moved", moved), validate("eta", eta)
    task = Task("thresholds", shifted("window", 1.0), _LABEL_NOISE)
    private, public = task.private_data(n, rng), task.public_data(m, rng)
    other = private.y.copy()
    other[np.argmin(np.abs(private.x - CENTRE))] *= -1
    pair, oracle, parts = (private, Labelled(private.x, other)), task.oracle(), []
    farthest = []
    for _ in range(0, _DRAWS, _TOGETHER):
        pause()
        process = strength / np.sqrt(m) * rng.standard_normal((_TOGETHER, m))
        first, second = (
            oracle.predict(oracle.minimize_each(data.loss(1 / n), public, process), public)
            for data in pair
        )
        parts.append(np.sqrt(np.mean((first - second) ** 2, axis=1)))
        farthest.append(farthest_near_minimiser(private, public, process))
    limit = LIMITS["moved"]
    width = float(threshold_width(m))
    given = {"samples": n, "eta": strength, "width": width}
    # from where on the bounds say something, so that they bend there
    bends = [(4 * width / (n * strength)) ** (1 / 2), (8 * width / (n * strength)) ** (1 / 4)]
    grid = np.append(np.linspace(limit.minimum, limit.maximum, _STEPS), [here, *bends])
    rho = np.unique(np.clip(grid, limit.minimum, limit.maximum))
    return OneMinimiserChart(
        x=Axis("moved", "How far a function moves on the public points, ρ", log=False),
        y=Axis(
            "chance", "Probability to move by more than ρ", least=0.1 / _DRAWS, reach=1.0,
            chance=True,
        ),
        curves=(
            Curve(
                "bound", "any data (Proposition 1)", Subject.EARLIER, Evidence.PUBLISHED,
                Source(PD, "Proposition 1"), rho, proposition_1(rho, **given),
                holds=rho <= math.sqrt(2), assumption="the step of its proof that needs ρ ≤ √2",
            ),
            Curve(
                "theorem_5", "any data, at most (Theorem 5)", Subject.LOWER_BOUND, Evidence.UPPER,
                Source(PD, "Theorem 5, (26)"), rho, theorem_5(rho, **given),
            ),
            _counted("any", "these data, any neighbour, at most", Subject.LAPLACE, rho, farthest),
            _counted("simulated", "this pair of data sets", Subject.PERTURBED, rho, parts),
        ),
        here=here,
        in_headline=("theorem_5", "simulated"),
        samples=n,
        public_points=m,
        draws=_DRAWS,
    )  # fmt: skip


def _counted(
    key: str, label: str, subject: Subject, rho: FloatArray, parts: list[FloatArray]
) -> Curve:
    """Return how often a distance exceeds ρ, with its interval."""
    apart = np.sort(np.concatenate(parts))
    beyond = apart.size - np.searchsorted(apart, rho + 1e-12, side="right").astype(float)
    low, high = clopper_pearson(beyond, apart.size)
    source = Source(PD, "Algorithm 2")
    return Curve(
        key, label, subject, Evidence.SIMULATED, source, rho, beyond / apart.size, low, high
    )
