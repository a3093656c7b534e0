"""View: how close the outputs on two fresh samples are, seen in three ways."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dpviz.maths.finite_exponential import FiniteExponential, Mechanism
from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.perfect_generalization.average_output import AverageChart, average_output
from dpviz.topics.perfect_generalization.closeness import (
    divergence_quantile,
    pair_losses,
)
from dpviz.topics.perfect_generalization.expected_divergence import (
    ExpectedChart,
    expected_divergence,
)
from dpviz.topics.perfect_generalization.item_privacy import bound_curves, item_privacy
from dpviz.topics.perfect_generalization.named_mechanisms import check_samples, named_mechanism

COMPARED = {
    "pairs": "How many pairs are close",
    "mean": "The average δ of a pair",
    "average": "One output and the average",
}
"""What is asked of the outputs: Theorem 13, Lemma 14, Theorem 31."""

# The exact curve ends where all but this is close.
_REST = 1e-12
_MOST_POINTS = 200
_FEW_POINTS = 48  # where each is a sum over thousands of outcomes


@dataclass(frozen=True, eq=False, kw_only=True)
class ClosenessChart(Chart):
    """The exact probability of closeness along ε′, and what the theorems promise.

    needed: the ε′ that suffices with probability 1 − beta, exactly; delta: δ′. group, theorem_13,
    derived: ε′ by group privacy, by Theorem 13 with the reader's constant, and with its proof's
    constants (NaN where the proof gives nothing).
    """

    needed: float
    beta: float
    delta: float
    group: float
    theorem_13: float
    derived: float

    @property
    def hundredths(self) -> FloatArray:
        """The ε′ of a hundred pairs, in the middles of the hundredths of all."""
        exact, middles = self.curve("exact"), (np.arange(100) + 0.5) / 100
        steps = np.searchsorted(exact.y, middles, side="left")
        return np.asarray(exact.x[np.minimum(steps, exact.x.size - 1)])


def how_close_how_likely(
    *,
    mechanism: str,
    samples: float,
    epsilon: float,
    sigma: float,
    delta: float,
    rate: float,
    closeness_delta: float,
    failure_probability: float,
    constant: float,
    compared: str = "pairs",
    closeness_epsilon: float = 0.3,
) -> Iterator[ClosenessChart | ExpectedChart | AverageChart]:
    """Yield what is compared, one of `COMPARED`, for the outputs of a named mechanism.

    "pairs": `closeness_curve`. "mean": `expected_divergence`, at the reader's ε′,
    closeness_epsilon. "average": `average_output`, of geometric noise on a sum.
    delta: the δ at which the theorems read the ε of Gaussian noise off its exact curve; the other
    mechanisms are pure. closeness_delta: δ′. Raises `ParameterError`.
    """
    if compared not in COMPARED:
        raise ParameterError("compared", f"one of {', '.join(COMPARED)}", compared)
    if compared == "average":
        yield from average_output(
            samples=samples,
            epsilon=epsilon,
            rate=rate,
            closeness_delta=closeness_delta,
            failure_probability=failure_probability,
        )
        return
    if compared == "mean":
        yield expected_divergence(
            mechanism=mechanism,
            samples=samples,
            epsilon=epsilon,
            sigma=sigma,
            delta=delta,
            rate=rate,
            closeness_delta=closeness_delta,
            closeness_epsilon=closeness_epsilon,
        )
        return
    check_samples(mechanism, samples)
    yield closeness_curve(
        named_mechanism(mechanism, samples=samples, epsilon=epsilon, sigma=sigma),
        samples=samples,
        rate=rate,
        delta=closeness_delta,
        failure_probability=failure_probability,
        constant=constant,
        item_delta=delta,
    )


def closeness_curve(
    mechanism: Mechanism,
    *,
    samples: float,
    rate: float,
    delta: float,
    failure_probability: float,
    constant: float = 1.0,
    item_delta: float | None = None,
) -> ClosenessChart:
    """Return Pr[A(x) ≈_{ε′,δ′} A(x')] along ε′, exactly, with the theorems' points beside it.

    delta: δ′; failure_probability: β, at which the bounds are stated; constant: of Theorem 13;
    item_delta: the δ of Gaussian noise (see `item_privacy`). The exact curve is a staircase: it
    has the value y from its x to the next. Raises `ParameterError`.
    """
    n, p = validate("samples", samples), validate("rate", rate)
    allowed = validate("closeness_delta", delta)
    beta = validate("failure_probability", failure_probability)
    epsilon, far = _staircase(mechanism, int(n), p, allowed)
    needed = divergence_quantile(
        mechanism, samples=n, rate=p, delta=allowed, failure_probability=beta
    )
    at = np.array([n])
    privacy = item_privacy(mechanism, at, delta=allowed, item_delta=item_delta)
    promised = bound_curves(
        at, privacy, delta=allowed, log_failure=math.log(beta), constant=constant
    )
    values = {curve.key: float(curve.y[0]) for curve in promised}
    curves = (
        Curve(
            key="exact",
            label=f"exact, {mechanism.name}",
            subject=Subject.ITEM_LEVEL,
            evidence=Evidence.EXACT,
            source=Source("dpviz.topics.perfect_generalization", "all pairs of samples"),
            x=epsilon,
            y=1 - far,
            steps=True,
        ),
        *(
            replace(curve, x=curve.y, y=np.array([1.0 if curve.key == "group" else 1 - beta]))
            for curve in promised
        ),
    )
    return ClosenessChart(
        x=Axis("closeness_epsilon", "Privacy loss at which two outputs count as close, ε′"),
        y=Axis("probability", "Probability that they are (ε′, δ′)-close", log=False, chance=True),
        curves=curves,
        here=needed,
        in_headline=("exact", "group"),
        needed=needed,
        beta=beta,
        delta=delta,
        group=values["group"],
        theorem_13=values["theorem_13"],
        derived=values["derived"],
    )


def _staircase(
    mechanism: Mechanism, samples: int, rate: float, delta: float
) -> tuple[FloatArray, FloatArray]:
    """Return values of ε′, ascending, and the probability of more, on at most 200 of the steps."""
    if isinstance(mechanism, FiniteExponential):
        losses, masses = pair_losses(mechanism, samples=samples, rate=rate, delta=delta)
        order = np.argsort(losses)
        losses, above = losses[order], np.append(np.cumsum(masses[order][:0:-1])[::-1], 0.0)
        last = np.append(np.flatnonzero(np.diff(losses) > 1e-12), losses.size - 1)
        losses, above = losses[last], above[last]
        end = int(np.argmax(above <= _REST)) + 1
        shown = _spread(end, _MOST_POINTS)
        return losses[shown], above[shown]
    law = mechanism.distance_law(samples, rate)
    first = int(np.argmax(law.log_tail < math.log1p(-_REST)))
    last_step = int(law.quantile(_REST)) - law.first
    points = _FEW_POINTS if isinstance(mechanism, RandomizedResponse) else _MOST_POINTS
    shown = first + _spread(last_step - first + 1, points)
    distance = law.values[shown]
    epsilon = mechanism.least_epsilon(distance, delta=delta)
    above = np.exp(law.log_tail[shown])
    # distances that are close at ε′ = 0 make one step
    kept = np.append(np.diff(epsilon) > 0, True)
    return epsilon[kept], above[kept]


def _spread(count: int, most: int) -> np.ndarray:
    places: FloatArray = np.unique(np.linspace(0, count - 1, min(count, most)).round())
    return places.astype(int)
