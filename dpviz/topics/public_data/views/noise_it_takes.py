"""How much noise privacy takes: by the paper, as proved, and where only a projection is seen."""

from collections.abc import Iterator

from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data.conditions_on_noise import (
    NoiseChart,
    PairsChart,
    noise_against_points,
)
from dpviz.topics.public_data.projected_noise import ProjectedChart, noise_after_projection

NOISE_AT = {"here": "At your m", "points": "Along m", "projected": "After the projection"}
"""What the noise may be drawn for."""


def noise_it_takes(
    *,
    noise_at: str,
    samples: float,
    public_points: float,
    epsilon: float,
    delta: float,
    eta: float,
    averages: float,
    constant: float,
) -> Iterator[PairsChart | NoiseChart | ProjectedChart]:
    """Yield noise γ on the values f̄(Z): what is proved to suffice, beside the paper's conditions.

    noise_at: one of `NOISE_AT`: at the reader's m, a pair for each condition; along m, see
    `dpviz.topics.public_data.conditions_on_noise`; or along n what the release needs, see
    `dpviz.topics.public_data.projected_noise`. Raises `ParameterError`.
    """
    if noise_at not in NOISE_AT:
        raise ParameterError("noise_at", f"one of {', '.join(NOISE_AT)}", noise_at)
    setting = {
        "samples": samples,
        "public_points": public_points,
        "epsilon": epsilon,
        "delta": delta,
        "eta": eta,
    }
    if noise_at == "projected":
        yield from noise_after_projection(**setting)
        return
    along = noise_against_points(**setting, averages=averages, constant=constant)
    yield along if noise_at == "points" else PairsChart.at_here(along)
