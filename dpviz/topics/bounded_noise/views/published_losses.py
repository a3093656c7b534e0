"""Where the published bound loses: what each step of its proof adds to the noise needed."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.accounting import calibration
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import shaped_noise
from dpviz.maths.dagan_kur import ProofRadii, dagan_kur_radius, dagan_kur_steps
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
)
from dpviz.results.refining import Pace, paused

STEPS = {
    "exact": "Exact tails, the largest shift (Lemmas 10.1, 10.3)",
    "chernoff": "Truncation and one Chernoff bound, at their best",
    "split": "1% of δ set aside for the truncation",
    "published": "A Chernoff bound on every tail, integrated",
}
"""The steps of the proof, by name, in their order."""

_PROOF = Source("Dagan & Kur", "Section 10, step by step")
_ALGORITHM = Source("Dagan & Kur", "Algorithms 1 and 2, slips corrected")
_DRAFT = 1e-3  # about the relative width of the first bounds on the exact radius


@dataclass(frozen=True, eq=False, kw_only=True)
class PublishedLosses(Chart):
    """What the steps of the published proof ask for, in units of Δ; the curves have percentages.

    exact: certified bounds on the least private radius. published: what the proof ends at.
    radii: what it asks for on the way; None while that is not known.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "step": "the step of the proof",
            "radius": "the radius asked for after it (Δ)",
            "excess_percent": "by how many percent that exceeds what is needed",
        }
    )

    queries: float
    exact: Bracket
    published: float
    radii: ProofRadii | None

    def excess(self, radius: float) -> float:
        """Return by how many per cent a radius exceeds the noise needed."""
        return 100 * (radius / self.exact.upper - 1)

    @property
    def losses(self) -> dict[str, float]:
        """What each step adds, by its name, in per cent of the noise needed."""
        if self.radii is None:
            return {}
        ends = [self.excess(r) for r in _radii(self.exact, self.radii)]
        return dict(zip(STEPS, [ends[0], *np.diff(ends).tolist()], strict=True))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the radius after each step and by how much it exceeds the noise needed."""
        radii = [math.nan] * (len(STEPS) - 1) + [self.published]
        if self.radii is not None:
            radii = _radii(self.exact, self.radii)
        return {
            "step": np.array(list(STEPS)),
            "radius": np.array(radii),
            "excess_percent": np.array([self.excess(radius) for radius in radii]),
        }


def published_losses(
    *, epsilon: float, delta: float, queries: float, shape: str, power: float
) -> Iterator[PublishedLosses]:
    """Yield the exact and the published radius, and then what the steps of the proof ask for.

    shape, power: the bounded noise (see `dpviz.maths.bounded_noise.shaped_noise`). Radii are in
    units of Δ, the most by which substituting one person's record moves an answer. The first
    result has rougher bounds on the exact radius. Raises `ParameterError`.
    Source: Dagan & Kur, Section 10; `dpviz.maths.dagan_kur.dagan_kur_steps` takes it apart.
    """
    noise = shaped_noise(shape, power=power)
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    rough = minimal_radius(noise, **privacy, width=_DRAFT)
    shown = _result(queries, rough, dagan_kur_radius(noise, **privacy), None)
    yield shown
    search = minimal_radius.steps(noise, **privacy, start=rough.midpoint)
    exact = yield from paused(search, Pace(), shown)
    radii = dagan_kur_steps(noise, **privacy)
    yield _result(queries, exact, radii.published, radii)


def _radii(exact: Bracket, radii: ProofRadii) -> list[float]:
    """Return the radius after each step."""
    return [exact.upper, radii.chernoff, radii.split, radii.published]


def _result(
    queries: float, exact: Bracket, published: float, radii: ProofRadii | None
) -> PublishedLosses:
    places: FloatArray = np.arange(float(len(STEPS)))

    def curve(
        key: str, evidence: Evidence, source: Source, x: FloatArray, values: list[float]
    ) -> Curve:
        y = 100 * (np.array(values) / exact.upper - 1)
        return Curve(key, STEPS.get(key, key), Subject.BOUNDED, evidence, source, x, y)

    curves = [
        curve("exact", Evidence.CERTIFIED, calibration.SOURCE, places[:1], [exact.upper]),
        curve("published", Evidence.PUBLISHED, _ALGORITHM, places[-1:], [published]),
    ]
    if radii is not None:
        between = [radii.chernoff, radii.split]
        curves.insert(1, curve("proof", Evidence.UPPER, _PROOF, places[1:-1], between))
    axis = Axis("excess", "More noise than is needed", log=False, unit="%")
    chart = Chart(Axis("step", "Step of the proof", log=False), axis, tuple(curves))
    return PublishedLosses.of(chart, queries=queries, exact=exact, published=published, radii=radii)
