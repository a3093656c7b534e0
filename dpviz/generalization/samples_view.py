"""View: two samples at a time, their two output laws, and how far apart these are."""

from dataclasses import dataclass

import numpy as np

from dpviz.evidence import FloatArray
from dpviz.generalization.mechanisms import FiniteExponential, Mechanism, Outputs, Pair
from dpviz.limits import ParameterError, validate

MOST_DRAWS = 60


@dataclass(frozen=True, eq=False)
class Draw:
    """One pair of samples: sums and Hamming distance, the two output laws, and the ε′ needed."""

    pair: Pair
    outputs: Outputs
    epsilon: float


def two_samples(
    mechanism: Mechanism,
    *,
    samples: float,
    rate: float,
    delta: float,
    draws: int,
    rng: np.random.Generator,
) -> tuple[Draw, ...]:
    """Return draws of two fresh samples, each with its output laws and its least ε′ at δ′ = delta.

    draws: from 1 to 60, the frames of an animation. Their ε′ are independent draws from the law
    whose distribution function is `closeness_probability`. Raises `ParameterError`.
    """
    n, p = int(validate("samples", samples)), validate("rate", rate)
    allowed = validate("closeness_delta", delta)
    if not 1 <= draws <= MOST_DRAWS:
        raise ParameterError("draws", f"a whole number from 1 to {MOST_DRAWS}", draws)
    pairs = [Pair.draw(n, p, rng) for _ in range(int(draws))]
    losses = _losses(mechanism, pairs, allowed)
    return tuple(
        Draw(pair, mechanism.outputs(pair), float(loss))
        for pair, loss in zip(pairs, losses, strict=True)
    )


def _losses(mechanism: Mechanism, pairs: list[Pair], delta: float) -> FloatArray:
    if isinstance(mechanism, FiniteExponential):
        first, second = (
            np.array([float(getattr(pair, side)) for pair in pairs]) for side in ("first", "second")
        )
        return np.diagonal(mechanism.least_epsilon(first, second, delta=delta))
    distances = np.array([float(mechanism.distance(pair)) for pair in pairs])
    return mechanism.least_epsilon(distances, delta=delta)
