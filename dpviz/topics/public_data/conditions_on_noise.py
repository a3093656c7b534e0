"""The paper's noise against the noise proved to suffice, along m."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

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
from dpviz.results.papers import PD
from dpviz.results.parameters import LIMITS, validate
from dpviz.topics.public_data import noise_levels as levels


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseChart(Chart):
    """Noise along m.

    too_little: up to this m, Lemma 3's condition (14) is proved to be too little; 0 if nowhere.
    """

    too_little: float

    @property
    def points(self) -> float:
        """The reader's m."""
        return self.here

    def pair(self, key: str) -> tuple[float, float]:
        """Return the noise proved to suffice at the reader's m, and what a condition asks for."""
        return self.value(PAIRS[key]), self.value(key)


@dataclass(frozen=True, eq=False, kw_only=True)
class PairsChart(Chart):
    """The same at one m: from the noise proved to suffice, at 0, to what each condition asks, at 1.

    points: m. too_little: as of `NoiseChart`.
    """

    points: float
    too_little: float

    @classmethod
    def at_here(cls, chart: NoiseChart) -> "PairsChart":
        """Return the pairs at the reader's m."""
        at = int(np.argmin(np.abs(chart.curves[0].x - chart.here)))
        return cls(
            x=Axis("asked", "0: proved to suffice, 1: as a condition asks", log=False),
            y=chart.y,
            curves=tuple(_pair(chart, chart.curve(key), at) for key in PAIRS),
            in_headline=("lemma_11", "laplace_11"),
            points=chart.points,
            too_little=chart.too_little,
        )

    def pair(self, key: str) -> tuple[float, float]:
        """Return the noise proved to suffice, and what a condition asks for."""
        proved, required = self.curve(key).y.tolist()
        return proved, required

    def law(self, gamma: float, noise: FloatArray) -> FloatArray:
        """Return how likely Gaussian noise of scale γ is, as a part of what is most likely.

        That is 0 of the narrower of both noises of Algorithm 3.
        """
        return np.exp(-((noise / gamma) ** 2) / 2) * min(self.pair("lemma_11")) / gamma


PAIRS = {
    "lemma_9": "gaussian",
    "lemma_11": "gaussian",
    "laplace_11": "laplace",
    "lemma_10": "averaged",
}
"""By condition of the paper: the noise proved to suffice, as keys of curves."""


def _pair(chart: NoiseChart, required: Curve, at: int) -> Curve:
    """Return a condition at one m as a curve from 0 to 1."""
    proved, holds = chart.value(PAIRS[required.key]), required.holds
    return replace(
        required,
        x=np.array([0.0, 1.0]),
        y=np.array([proved, required.y[at]]),
        holds=None if holds is None else np.array([holds[at], holds[at]]),
    )


_ENOUGH = "as much as is proved to suffice"


def noise_against_points(
    *,
    samples: float,
    public_points: float,
    epsilon: float,
    delta: float,
    eta: float,
    averages: float,
    constant: float,
) -> NoiseChart:
    """Return γ along m: what is proved to suffice for ρ = 1/√(ηn), and the paper's conditions.

    `holds` of (14) and (104) is False where that γ is less than what is proved to suffice. There
    the noisy numbers have δ(ε) > δ at ρ, which proves nothing about the release. (14) is meant
    for every class and every f̄ that moves by ρ; a mark shows up to which m the class of constants
    refutes it. (102) is as published, for thresholds, and its `holds` is condition (103) with
    `constant` for its C; Algorithm 2's noise that is proved to suffice rests on neither.
    Raises `ParameterError`.
    """
    limit = LIMITS["public_points"]
    here = validate("public_points", public_points)
    m = np.unique(np.rint(np.append(np.geomspace(limit.minimum, limit.maximum, 121), here)))
    noise = _Noise(
        points=m,
        samples=samples,
        epsilon=epsilon,
        delta=delta,
        eta=eta,
        averages=averages,
        constant=constant,
    )
    too_little = noise.too_little()
    curves = (*_gaussian_curves(noise), *_laplace_curves(noise), *_perturbation_curves(noise))
    return NoiseChart(
        landmarks=_mark(curves[1], too_little),
        x=Axis("public_points", "Public points, m"),
        y=Axis("gamma", "Noise γ on each value of f̄"),
        curves=curves,
        here=here,
        in_headline=("gaussian", "lemma_11"),
        too_little=too_little,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Noise:
    """What decides how much noise is asked for.

    points: m, along the axis; eta, averages: η and J of the algorithms; constant: C of (103).
    """

    points: FloatArray
    samples: float
    epsilon: float
    delta: float
    eta: float
    averages: float
    constant: float

    @property
    def rho(self) -> float:
        """ρ = 1/√(ηn), the stability of Algorithm 3."""
        return float(levels.regularized_stability(self.samples, eta=self.eta))

    @property
    def printed_rho(self) -> float:
        """The paper's 2/√(ηn)."""
        return float(levels.regularized_stability(self.samples, eta=self.eta, published=True))

    @property
    def general(self) -> FloatArray:
        """γ of (14), for any stable learner."""
        return levels.published_gaussian(
            self.points, rho=self.rho, epsilon=self.epsilon, delta=self.delta
        )

    def enough(self, gamma: FloatArray) -> NDArray[np.bool_]:
        """Return where so much noise on the m numbers is proved to suffice."""
        worst = levels.vector_log_delta(
            gamma, points=self.points, rho=self.rho, epsilon=self.epsilon
        )
        return worst <= math.log(self.delta)

    def too_little(self) -> float:
        """Return up to which m constants refute (14); 0 if nowhere."""
        constants = levels.constants_log_delta(
            self.general, points=self.points, rho=self.rho, epsilon=self.epsilon
        )
        refuted = constants > math.log(self.delta)
        return float(self.points[refuted].max()) if refuted.any() else 0.0

    def proved(
        self, key: str, label: str, gamma: FloatArray, subject: Subject, source: Source
    ) -> Curve:
        """Return a curve of noise that is proved to suffice."""
        return Curve(key, label, subject, Evidence.UPPER, source, self.points, gamma)

    def published(
        self, key: str, label: str, gamma: FloatArray, subject: Subject, item: str
    ) -> Curve:
        """Return a curve of noise that a condition of the paper asks for."""
        source = Source(PD, item)
        return Curve(key, label, subject, Evidence.PUBLISHED, source, self.points, gamma)


def _gaussian_curves(noise: _Noise) -> tuple[Curve, ...]:
    """Return the Gaussian noise proved to suffice, and that of conditions (14) and (104)."""
    m, privacy = noise.points, {"epsilon": noise.epsilon, "delta": noise.delta}
    special = levels.published_gaussian(m, rho=noise.printed_rho, share=2.0, **privacy)
    return (
        noise.proved(
            "gaussian",
            "Gaussian, proved to suffice",
            levels.sufficient_gaussian(m, rho=noise.rho, **privacy),
            Subject.GAUSSIAN,
            levels.BALLE_WANG,
        ),
        *(
            replace(
                curve,
                holds=noise.enough(curve.y),
                assumption=_ENOUGH,
                second=curve.key == "lemma_9",
            )
            for curve in (
                noise.published(
                    "lemma_9",
                    "Gaussian, any stable learner (14)",
                    noise.general,
                    Subject.GAUSSIAN,
                    "Lemma 3, (14)",
                ),
                noise.published(
                    "lemma_11",
                    "Gaussian, Algorithm 3 (104)",
                    special,
                    Subject.GAUSSIAN,
                    "Lemma 11, (104)",
                ),
            )
        ),
    )


def _laplace_curves(noise: _Noise) -> tuple[Curve, ...]:
    """Return the Laplace noise proved to suffice, and that of condition (105)."""
    m, epsilon = noise.points, noise.epsilon
    return (
        noise.proved(
            "laplace",
            "Laplace, proved to suffice",
            levels.sufficient_laplace(m, rho=noise.rho, epsilon=epsilon),
            Subject.LAPLACE,
            Source(PD, "Lemma 9, with the l₁ sensitivity mρ"),
        ),
        noise.published(
            "laplace_11",
            "Laplace, Algorithm 3 (105)",
            levels.published_laplace(m, rho=noise.printed_rho, epsilon=epsilon),
            Subject.LAPLACE,
            "Lemma 11, (105)",
        ),
    )


def _perturbation_curves(noise: _Noise) -> tuple[Curve, Curve]:
    """Return Algorithm 2's Gaussian noise: proved to suffice, and (102), held against (103)."""
    m, delta = noise.points, noise.delta
    rho = levels.averaged_stability(
        noise.samples, eta=noise.eta, averages=noise.averages, delta=delta / 2
    )
    enough = noise.proved(
        "averaged",
        "Gaussian, Algorithm 2, proved to suffice",
        levels.sufficient_gaussian(m, rho=rho, epsilon=noise.epsilon, delta=delta / 2),
        Subject.PERTURBED,
        Source("this app", "averaged stability"),
    )
    width = levels.threshold_width(m)
    gamma = levels.perturbation_condition(
        m,
        samples=noise.samples,
        eta=noise.eta,
        averages=noise.averages,
        width=width,
        epsilon=noise.epsilon,
        delta=delta,
    )
    covered = levels.points_condition(m, width=width, delta=delta, constant=noise.constant)
    curve = noise.published(
        "lemma_10", "Gaussian, Algorithm 2 (102)", gamma, Subject.PERTURBED, "Lemma 10, (102)"
    )
    return enough, replace(curve, holds=covered <= 1 / 6, assumption="condition (103)")


def _mark(general: Curve, too_little: float) -> tuple[Landmark, ...]:
    """Say up to where (14) is refuted, or else up to where nothing proves it."""
    unproved = general.x[~general.part("_holds")]
    if not unproved.size:
        return ()
    at = too_little or float(unproved.max())
    words = (
        f"too little for constants up to m = {at:,.0f}"
        if too_little
        else (f"not proved to suffice up to m = {at:,.0f}")
    )
    height = float(general.y[np.searchsorted(general.x, at)])
    return (Landmark(at, height, f"(14) is {words}", Subject.DANGER),)
