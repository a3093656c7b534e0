"""The least radius: ours, certified on both sides, beside the published upper bound."""

from functools import partial

import numpy as np

from benchmarks.timing import heading, row, timed
from dpviz.maths.accounting.calibration import minimal_radii, minimal_radius
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.maths.dagan_kur import dagan_kur_radius
from dpviz.results.evidence import FloatArray

_POINTS = 120
_SWEEPS = 20


def _points(
    rng: np.random.Generator, fewest: float, most: float, runs: int
) -> list[dict[str, float]]:
    """Random parameters: k log-uniform, ε on 1e-3 to 5, δ on 1e-60 to 1e-2."""
    return [
        {
            "queries": round(float(np.exp(rng.uniform(np.log(fewest), np.log(most))))),
            "epsilon": float(np.exp(rng.uniform(np.log(1e-3), np.log(5)))),
            "delta": float(10 ** rng.uniform(-60, -2)),
        }
        for _ in range(min(_POINTS, runs))
    ]


def _published_sweep(noise: PowerNoise, queries: FloatArray, **at: float) -> list[float]:
    return [dagan_kur_radius(noise, queries=k, **at) for k in queries]


def report(runs: int) -> None:
    """Print times and bracket widths on random points and sweeps, so many of each at most."""
    rng = np.random.default_rng(2026)
    heading("minimal_radius, p uniform on 1 to 4")
    for name, fewest, most in (("k from 30 to 1e10", 30, 1e10), ("k from 1 to 29", 1, 29)):
        times, theirs, widths = [], [], []
        for point in _points(rng, fewest, most, runs):
            noise = PowerNoise(rng.uniform(1, 4))
            _ = noise.log_normaliser, noise.fisher_information
            spent, bracket = timed(partial(minimal_radius, noise, **point))
            times.append(spent)
            widths.append(bracket.relative_width)
            theirs.append(timed(partial(dagan_kur_radius, noise, **point))[0])
        width = f"relative width: median {np.median(widths):.1e}, max {max(widths):.1e}"
        row(f"{name}: certified", times, width)
        row(f"{name}: dagan_kur_radius", theirs)
    heading("25-point sweep over k from 30 to 1e10, warm-started")
    times, theirs = [], []
    queries = np.rint(np.geomspace(30, 1e10, 25))
    for _ in range(min(_SWEEPS, runs)):
        noise = PowerNoise(rng.uniform(1, 4))
        epsilon, delta = (
            float(np.exp(rng.uniform(np.log(1e-3), np.log(5)))),
            10 ** rng.uniform(-60, -2),
        )
        at = {"epsilon": epsilon, "delta": delta}
        times.append(timed(partial(minimal_radii, noise, queries=queries, **at))[0])
        theirs.append(timed(partial(_published_sweep, noise, queries, **at))[0])
    row("certified", times)
    row("dagan_kur_radius", theirs)
