"""The independent noises for real numbers that tuned noise is compared with: one list for all.

Gaussian noise and the powers of the paper are beside it; noise for whole numbers is in
`dpviz.maths.discrete_noise`, noise drawn together in `dpviz.maths.joint_noise`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from dpviz.maths.laplace_rivals import MOST_QUERIES, laplace_noise, truncated_laplace_noise
from dpviz.maths.optimal_noise import EndStaircase, end_staircase
from dpviz.results.evidence import Evidence, Source
from dpviz.results.refining import Steps


class Noise(Protocol):
    """Independent noise on each answer, in units of Δ; radius: what no error exceeds, or inf."""

    @property
    def radius(self) -> float:
        """What no error exceeds."""

    @property
    def standard_deviation(self) -> float:
        """Of one error."""

    def max_error(self, *, queries: float, failure_probability: float) -> float:
        """Return what the largest of k errors exceeds with probability β."""


@dataclass(frozen=True)
class Rival:
    """A family of noise whose least member for k answers that are (ε, δ)-DP together is known.

    title: its name in a table; noun: in a sentence. most: the k up to which it is computed; limit:
    why not beyond. make: takes epsilon, delta and queries, in steps.
    """

    title: str
    noun: str
    most: int
    limit: str
    evidence: Evidence
    source: Source
    make: Callable[..., Steps[Noise]]


def _laplace(**privacy: float) -> Steps[Noise]:
    yield
    return laplace_noise(**privacy)


def _truncated(**privacy: float) -> Steps[Noise]:
    return (yield from truncated_laplace_noise.steps(**privacy))


def _staircase(*, epsilon: float, delta: float, queries: float) -> Steps[Noise]:
    assert queries == 1
    yield
    noise: EndStaircase = end_staircase(epsilon=epsilon, delta=delta)
    return noise


_LATTICE = Source("dpviz.maths.laplace_rivals", "loss composed on a lattice, from above")
_COMPOSED = f"composed up to k = {MOST_QUERIES:,}"
RIVALS: Mapping[str, Rival] = MappingProxyType(
    {
        "laplace": Rival(
            "Laplace", "Laplace noise", MOST_QUERIES, _COMPOSED, Evidence.UPPER, _LATTICE, _laplace
        ),
        "truncated_laplace": Rival(
            "Laplace, truncated",
            "truncated Laplace noise",
            MOST_QUERIES,
            _COMPOSED,
            Evidence.UPPER,
            _LATTICE,
            _truncated,
        ),
        "end_staircase": Rival(
            "End staircase",
            "end staircase noise",
            1,
            "for one answer",
            Evidence.EXACT,
            Source("dpviz.maths.optimal_noise", "in closed form"),
            _staircase,
        ),
    }
)
"""By the name that Python and the shell have for them."""
