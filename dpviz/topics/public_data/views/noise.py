"""The paper's noise against the exact noise, along m; and what Gaussian weights give away."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.results.papers import PD
from dpviz.results.parameters import LIMITS, validate
from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.noise_levels import parity_flip_chance, parity_log_delta


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightsChart(Chart):
    """The chance to guess the one private label from what RRSPM releases.

    true_delta: δ(ε) with Gaussian weights at the reader's m, exactly.
    """

    true_delta: float
    epsilon: float
    delta: float


BALLE_WANG = Source("Balle & Wang 2018", "Algorithm 1")
_ENOUGH = "true δ(ε) does not exceed δ"


def noise_against_points(
    *,
    samples: float,
    public_points: float,
    epsilon: float,
    delta: float,
    eta: float,
    averages: float,
    constant: float,
) -> Chart:
    """Return γ along m: the exact one for ρ = 1/√(ηn), and the paper's conditions solved for γ.

    `holds` of (14) and (104) is False where that γ is too small: the true δ(ε), at the proved
    ρ, exceeds δ. (102) is as published, for thresholds, and its `holds` is condition (103) with
    constant for its C; nothing rests on them.
    Raises `ParameterError`.
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
        return levels.log_true_delta(gamma, points=m, rho=rho, epsilon=epsilon) <= math.log(delta)

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

    def exact(key: str, label: str, values: FloatArray, subject: Subject, source: Source) -> Curve:
        return Curve(
            key=key,
            label=label,
            subject=subject,
            evidence=Evidence.EXACT,
            source=source,
            x=m,
            y=values,
        )

    curves = (
        exact(
            "gaussian",
            "Gaussian, exact",
            levels.exact_gaussian(m, rho=rho, **privacy),
            Subject.GAUSSIAN,
            BALLE_WANG,
        ),
        published(
            "lemma_9",
            "Gaussian, (14)",
            lemma_9,
            Subject.GAUSSIAN,
            "Lemma 3, (14)",
            enough(lemma_9),
            _ENOUGH,
        ),
        published(
            "lemma_11",
            "Gaussian, (104)",
            lemma_11,
            Subject.GAUSSIAN,
            "Lemma 11, (104)",
            enough(lemma_11),
            _ENOUGH,
        ),
        exact(
            "laplace",
            "Laplace, exact",
            levels.exact_laplace(m, rho=rho, epsilon=epsilon),
            Subject.LAPLACE,
            Source(PD, "Lemma 9, with the l₁ sensitivity mρ"),
        ),
        published(
            "laplace_11",
            "Laplace, (105)",
            levels.published_laplace(m, rho=printed, epsilon=epsilon),
            Subject.LAPLACE,
            "Lemma 11, (105)",
        ),
        published(
            "lemma_10",
            "Algorithm 2, (102)",
            perturbed,
            Subject.PERTURBED,
            "Lemma 10, (102)",
            covered,
            "condition (103)",
        ),
    )
    failing = np.flatnonzero(~enough(lemma_9))
    marks: tuple[Mark, ...] = ()
    if failing.size:
        last = failing[-1]
        words = f"(14) is not enough up to m = {m[last]:,.0f}"
        marks = (Mark(float(m[last]), float(lemma_9[last]), words, Subject.DANGER),)
    return Chart(
        marks=marks,
        x=Axis("public_points", "public points m"),
        y=Axis("gamma", "noise γ on each value of f̄"),
        curves=curves,
        here=here,
    )


def weights_against_points(
    *, public_points: float, epsilon: float, delta: float, constant: float
) -> WeightsChart:
    """Return how well one private label can be guessed from RRSPM's output, along m, exactly.

    The class: all labelings of the public points, with their parity at the private example; the
    best guess is the parity of what is released (see `noise_levels.parity_flip_chance`). Under
    (ε, δ)-DP a fair coin can be guessed with chance (e^ε + δ)/(1 + e^ε) at most. constant: the
    unspecified C of Theorem 4's Gaussian weights C·√(m·log(1/δ))/ε. Raises `ParameterError`.
    """
    limit = LIMITS["public_points"]
    here = validate("public_points", public_points)
    m = np.unique(np.rint(np.append(np.geomspace(limit.minimum, limit.maximum, 121), here)))
    scale = levels.gaussian_weights(m, epsilon=epsilon, delta=delta, constant=constant)
    found = np.exp(parity_log_delta(m, scale=scale, noise="gaussian", epsilon=epsilon))
    guessed = (1 + parity_flip_chance(m, scale=scale, noise="gaussian")) / 2
    laplace = levels.laplace_weights(m, epsilon=epsilon)
    hidden = (1 + parity_flip_chance(m, scale=laplace, noise="laplace")) / 2
    most = math.exp(epsilon) / (1 + math.exp(epsilon))
    own = Source("this app", "the parity of all labelings")

    def curve(key: str, label: str, y: FloatArray, subject: Subject, weight: float = 1.0) -> Curve:
        return Curve(
            key=key,
            label=label,
            subject=subject,
            evidence=Evidence.EXACT,
            source=own,
            x=m,
            y=y,
            weight=weight,
        )

    allowed = Curve(
        key="allowed",
        label="as much as ε and δ allow",
        subject=Subject.LOWER_BOUND,
        evidence=Evidence.EXACT,
        source=Source(PD, "Definition 1"),
        x=m,
        y=np.full(m.shape, most + delta / (1 + math.exp(epsilon))),
        weight=0.6,
    )
    return WeightsChart(
        x=Axis("public_points", "public points m"),
        y=Axis("guess", "chance to guess the private label", log=False),
        curves=(
            curve("gaussian", "Gaussian weights, as published", guessed, Subject.DANGER),
            curve("laplace", "Laplace weights 2m/ε", hidden, Subject.LAPLACE),
            allowed,
        ),
        here=here,
        true_delta=float(found[np.searchsorted(m, here)]),
        epsilon=float(epsilon),
        delta=float(delta),
    )
