"""View: what each user sends in the shuffle model, and what the analyser can conclude."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.selection.shuffle import NegativeBinomialSum
from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import CS
from dpviz.results.parameters import LIMITS
from dpviz.topics.few_users.learners_by_name import BETA, DELTA, EPSILON, USERS
from dpviz.topics.few_users.models import dispersion_by_name

_RATE = LIMITS["rate"]
_NEGLIGIBLE = 1e-6  # roughly the mass at either end of the noise's law that is not drawn
_MOST_POINTS = 1500  # at which the law is drawn


@dataclass(frozen=True, eq=False)
class Messages(Result):
    """One run of Algorithms 7 and 8, from above and from below, and the exact laws of the errors.

    bits: of the users. counting_ones: messages that each sends to count ones, whose estimate is
    never below the truth; counting_zeros: to count zeros, never above it (Lemma 38). noise, mass:
    the noise of all users together and its law. log_privacy: ln δ at the reader's ε, exactly.
    quantile: what the noise exceeds with probability β.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "user": "number of the user, from 1",
            "bit": "the user's bit",
            "messages_counting_ones": "messages sent to count ones",
            "messages_counting_zeros": "messages sent to count zeros",
        }
    )

    other_origins = (
        Origin(Evidence.SIMULATED, Source(CS, "Algorithms 7 and 8")),
        Origin(Evidence.EXACT, Source(CS, "proof of Corollary 40, the law of the noise")),
    )

    bits: NDArray[np.int64]
    counting_ones: NDArray[np.int64]
    counting_zeros: NDArray[np.int64]
    noise: FloatArray
    mass: FloatArray
    protocol: NegativeBinomialSum
    log_privacy: float
    delta: float
    beta: float
    quantile: int

    @property
    def truth(self) -> int:
        """The number of ones."""
        return int(self.bits.sum())

    @property
    def estimates(self) -> tuple[int, int]:
        """The estimates from below, by counting zeros, and from above, by counting ones."""
        return self.bits.size - int(self.counting_zeros.sum()), int(self.counting_ones.sum())

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return each user's bit and messages."""
        return {
            "user": np.arange(1, self.bits.size + 1),
            "bit": self.bits,
            "messages_counting_ones": self.counting_ones,
            "messages_counting_zeros": self.counting_zeros,
        }


def messages_in_the_shuffle(
    *,
    users: float,
    rate: float,
    epsilon: float,
    delta: float,
    failure_probability: float,
    dispersion: str,
    rng: np.random.Generator,
) -> Messages:
    """Return one run of the binary sum in the shuffle model.

    rate: the probability of a one; dispersion: one of `models.DISPERSIONS`. Substitution of one
    user's bit is protected. Raises `ParameterError`.
    """
    n, p = int(USERS.validate(users)), _RATE.validate(rate)
    eps, allowed = EPSILON.validate(epsilon), DELTA.validate(delta)
    beta = BETA.validate(failure_probability)
    r = dispersion_by_name(dispersion, epsilon=eps, delta=allowed, beta=beta)
    protocol = NegativeBinomialSum(eps, r)
    bits = (rng.random(n) < p).astype(np.int64)
    low = _quantile(protocol, 1 - _NEGLIGIBLE)
    high = _quantile(protocol, _NEGLIGIBLE)
    noise = np.unique(np.rint(np.linspace(low, high, min(_MOST_POINTS, high - low + 1))))
    return Messages(
        bits=bits,
        counting_ones=protocol.randomise(bits, rng),
        counting_zeros=protocol.randomise(1 - bits, rng),
        noise=noise,
        mass=protocol.noise_pmf(int(high) + 1)[noise.astype(int)],
        protocol=protocol,
        log_privacy=protocol.log_privacy_delta(),
        delta=allowed,
        beta=beta,
        quantile=protocol.noise_quantile(beta),
    )


def _quantile(protocol: NegativeBinomialSum, above: float) -> int:
    """Return what the noise exceeds with probability `above`."""
    spread = math.sqrt(protocol.mean_noise / protocol.success)
    if above > 0.5:
        return max(0, math.floor(protocol.mean_noise - 5 * spread))
    return math.ceil(max(protocol.noise_quantile(above), protocol.mean_noise + 4 * spread))
