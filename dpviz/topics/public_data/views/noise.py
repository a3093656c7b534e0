"""The paper's noise against the noise proved to suffice, along m."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.results.papers import PD
from dpviz.results.parameters import LIMITS, validate
from dpviz.topics.public_data import noise_levels as levels


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseChart(Chart):
    """Noise along m.

    too_little: up to this m, Lemma 3's condition (14) is proved to be too little; 0 if nowhere.
    """

    too_little: float


BALLE_WANG = Source("Balle & Wang 2018", "Algorithm 1")
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
    the noisy numbers have δ(ε) > δ at ρ; of the release that proves nothing. For (14), which is
    to serve every class and every f̄ that moves by ρ, a mark shows up to which m it is refuted by
    the class of constants. (102) is as published, for thresholds, and its `holds` is condition
    (103) with constant for its C; nothing rests on them. Raises `ParameterError`.
    """
    limit = LIMITS["public_points"]
    here = validate("public_points", public_points)
    m = np.unique(np.rint(np.append(np.geomspace(limit.minimum, limit.maximum, 121), here)))
    rho = float(levels.regularized_stability(samples, eta=eta))
    printed = float(levels.regularized_stability(samples, eta=eta, published=True))
    privacy = {"epsilon": epsilon, "delta": delta}
    lemma_9 = levels.published_gaussian(m, rho=rho, **privacy)
    lemma_11 = levels.published_gaussian(m, rho=printed, share=2.0, **privacy)
    width = levels.threshold_width(m)
    perturbed = levels.perturbation_condition(
        m, samples=samples, eta=eta, averages=averages, width=width, **privacy
    )
    covered = levels.points_condition(m, width=width, delta=delta, constant=constant) <= 1 / 6

    def enough(gamma: FloatArray) -> NDArray[np.bool_]:
        worst = levels.vector_log_delta(gamma, points=m, rho=rho, epsilon=epsilon)
        return worst <= math.log(delta)

    def published(
        key: str,
        label: str,
        values: FloatArray,
        subject: Subject,
        item: str,
        holds: NDArray[np.bool_] | None = None,
        assumption: str = "",
    ) -> Curve:
        return Curve(
            key=key,
            label=label,
            subject=subject,
            evidence=Evidence.PUBLISHED,
            source=Source(PD, item),
            x=m,
            y=values,
            holds=holds,
            assumption=assumption,
        )

    def proved(key: str, label: str, values: FloatArray, subject: Subject, source: Source) -> Curve:
        return Curve(
            key=key,
            label=label,
            subject=subject,
            evidence=Evidence.UPPER,
            source=source,
            x=m,
            y=values,
        )

    curves = (
        proved(
            "gaussian",
            "Gaussian, proved to suffice",
            levels.sufficient_gaussian(m, rho=rho, **privacy),
            Subject.GAUSSIAN,
            BALLE_WANG,
        ),
        published(
            "lemma_9",
            "Gaussian, any stable learner (14)",
            lemma_9,
            Subject.GAUSSIAN,
            "Lemma 3, (14)",
            enough(lemma_9),
            _ENOUGH,
        ),
        published(
            "lemma_11",
            "Gaussian, Algorithm 3 (104)",
            lemma_11,
            Subject.GAUSSIAN,
            "Lemma 11, (104)",
            enough(lemma_11),
            _ENOUGH,
        ),
        proved(
            "laplace",
            "Laplace, proved to suffice",
            levels.sufficient_laplace(m, rho=rho, epsilon=epsilon),
            Subject.LAPLACE,
            Source(PD, "Lemma 9, with the l₁ sensitivity mρ"),
        ),
        published(
            "laplace_11",
            "Laplace, Algorithm 3 (105)",
            levels.published_laplace(m, rho=printed, epsilon=epsilon),
            Subject.LAPLACE,
            "Lemma 11, (105)",
        ),
        published(
            "lemma_10",
            "Gaussian, Algorithm 2 (102)",
            perturbed,
            Subject.PERTURBED,
            "Lemma 10, (102)",
            covered,
            "condition (103)",
        ),
    )
    constants = levels.constants_log_delta(lemma_9, points=m, rho=rho, epsilon=epsilon)
    refuted = constants > math.log(delta)
    too_little = float(m[refuted].max()) if refuted.any() else 0.0
    return NoiseChart(
        marks=_mark(curves[1], too_little),
        x=Axis("public_points", "public points m"),
        y=Axis("gamma", "noise γ on each value of f̄"),
        curves=curves,
        here=here,
        too_little=too_little,
    )


def _mark(general: Curve, too_little: float) -> tuple[Mark, ...]:
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
    return (Mark(at, height, f"(14) is {words}", Subject.DANGER),)
