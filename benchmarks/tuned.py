"""Tuned noise beside everything else: ``python -m benchmarks.tuned``, a table over random settings.

60 settings, drawn with a stated seed: k log-uniform from 1 to 1e10, ε from 1e-3 to 5, δ from 1e-30
to 1e-2, the objective in turn. With ``whole`` 500 from the whole ranges of the app, ln 1/δ
log-uniform; with ``large`` 200 radii for k from 30 to 300, δ from 0.1 to 0.5. With ``borders`` no
table: how often R rises, and by how much, from one side of a border of the lattice at which shapes
are searched for to the easier side, at 400 borders; and how far it lies above a radius that is
certified not to be private.

Errors are in units of σ, the deviation of the analytic Gaussian mechanism of the same privacy. All
but the published bound and the converse are least noises, certified to be private; the converse,
for the hard bound, is a proven lower bound for all bounded noise of one law; that of chains alone,
and that of the test by scores, are beside it. The rivals of `dpviz.maths.rivals` follow: Laplace
noise is composed up to k = 3000, end staircase noise is for one answer. The last three columns are
noise on whole numbers, for counts with Δ = 1: truncated geometric, geometric, discrete Gaussian.
Times are of the processor, with one thread for linear algebra as in the app: of `tuned_noise`, and
of the row.
"""

import argparse
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.options import parsed
from dpviz.maths import gaussian
from dpviz.maths.accounting.tuning import (
    CELL,
    CELL_OF_DELTA,
    EACH,
    OBJECTIVES,
    tuned_alone,
    tuned_noise,
)
from dpviz.maths.bounded_noise import PowerNoise, max_error
from dpviz.maths.dagan_kur import dagan_kur_radius
from dpviz.maths.discrete_noise import (
    DiscreteGaussian,
    GeometricNoise,
    discrete_gaussian_noise,
    geometric_noise,
    truncated_geometric_noise,
)
from dpviz.maths.laplace_rivals import MOST_QUERIES
from dpviz.maths.noise_converse import chain_radius, least_radius
from dpviz.maths.rivals import RIVALS, Noise
from dpviz.maths.score_converse import score_radius
from dpviz.results.parameters import LIMITS
from dpviz.results.refining import whole

SEED = 2026
_SETTINGS = 60
_Setting = tuple[dict[str, float], str]
_BETA = 0.05
_LONG = 2000.0  # ms
_STEPS = (1, 2, 3, 5, 8, 12, 20, 40)  # between the data sets of the test by scores
_BOUNDS = ("converse", "chains", "scores")
_COUNTS = ("trunc.geo", "geometric", "disc.Gau")
_Rival = Noise | GeometricNoise | DiscreteGaussian
_RIVALS = {"truncated_laplace": "trunc.Lap", "laplace": "Laplace", "end_staircase": "staircase"}
_HEAD = (
    "published",
    "best p",
    "tuned",
    "converse",
    "chains",
    "scores",
    *_RIVALS.values(),
    "Gaussian",
    *_COUNTS,
)


@dataclass(frozen=True)
class _Row:
    """One setting: its parameters, its errors in units of σ by the names of `_HEAD`, the times."""

    privacy: dict[str, float]
    objective: str
    errors: dict[str, float]
    milliseconds: float
    in_all: float


def _settings() -> list[_Setting]:
    rng = np.random.default_rng(SEED)
    return [
        (
            {
                "queries": round(math.exp(rng.uniform(0, math.log(1e10)))),
                "epsilon": math.exp(rng.uniform(math.log(1e-3), math.log(5))),
                "delta": 10 ** rng.uniform(-30, -2),
            },
            OBJECTIVES[i % len(OBJECTIVES)],
        )
        for i in range(_SETTINGS)
    ]


def _whole() -> list[_Setting]:
    rng, found = np.random.default_rng(SEED), []
    least, most = (-math.log(LIMITS["delta"].maximum), -math.log(LIMITS["delta"].minimum))
    for i in range(500):
        count, epsilon = (
            math.exp(rng.uniform(math.log(LIMITS[name].minimum), math.log(LIMITS[name].maximum)))
            for name in ("queries", "epsilon")
        )
        delta = math.exp(-math.exp(rng.uniform(math.log(least), math.log(most))))
        at = {"queries": round(count), "epsilon": epsilon, "delta": max(delta, 1e-300)}
        found.append((at, OBJECTIVES[i % len(OBJECTIVES)]))
    return found


def _large() -> list[_Setting]:
    rng, found = np.random.default_rng(SEED), []
    for _ in range(200):
        count, epsilon, delta = np.exp(rng.uniform(*np.log([(30, 1e-3, 0.1), (300, 5, 0.5)])))
        at = {"queries": round(float(count)), "epsilon": float(epsilon), "delta": float(delta)}
        found.append((at, "hard"))
    return found


_DRAWN = {"": _settings, "whole": _whole, "large": _large}
_BORDERS = 400


def _row(privacy: dict[str, float], objective: str) -> _Row:
    count = privacy["queries"]
    tail = {"queries": count, "failure_probability": _BETA}
    sigma = float(gaussian.minimal_sigma(**privacy))
    start = time.process_time()
    choice = tuned_noise(**privacy, objective=objective, failure_probability=_BETA)
    spent = 1e3 * (time.process_time() - start)
    errors = {
        "best p": choice.power.measure.upper,
        "tuned": choice.best.measure.upper,
        "Gaussian": {
            "hard": math.inf,
            "quantile": float(gaussian.max_error(sigma, **tail)),
            "deviation": sigma,
        }[objective],
    }
    two = PowerNoise(2.0)
    share = {
        "hard": 1.0,
        "quantile": float(max_error(two, 1.0, **tail)),
        "deviation": two.standard_deviation,
    }[objective]
    errors["published"] = share * dagan_kur_radius(two, **privacy)
    if objective == "hard":
        errors["converse"] = least_radius(**privacy)
        errors["chains"] = chain_radius(**privacy)
        errors["scores"] = max(score_radius(**privacy, steps=steps) for steps in _STEPS)
    rivals: dict[str, _Rival] = {
        _RIVALS[key]: whole(rival.make(**privacy))
        for key, rival in RIVALS.items()
        if count <= rival.most
    }
    if count <= MOST_QUERIES:
        rivals["trunc.geo"] = truncated_geometric_noise(**privacy)
        rivals["geometric"] = geometric_noise(**privacy)
        if (discrete := discrete_gaussian_noise(**privacy)) is not None:
            rivals["disc.Gau"] = discrete
    errors |= {name: _measured(rival, objective, tail) for name, rival in rivals.items()}
    in_all = 1e3 * (time.process_time() - start)
    return _Row(privacy, objective, {n: e / sigma for n, e in errors.items()}, spent, in_all)


def _measured(rival: _Rival, objective: str, tail: dict[str, float]) -> float:
    """Return the error of a rival, in units of Δ."""
    if objective == "hard":
        return math.inf if isinstance(rival, DiscreteGaussian) else rival.radius
    return rival.max_error(**tail) if objective == "quantile" else rival.standard_deviation


def _gain(row: _Row, name: str) -> float:
    return 100 * (1 - row.errors["tuned"] / row.errors[name])


def _print_row(row: _Row) -> None:
    at = row.privacy
    cells = "".join(f"{row.errors.get(name, math.nan):10.4f}" for name in _HEAD)
    print(
        f"{at['queries']:12d} {at['epsilon']:9.2g} {at['delta']:9.1e} {row.objective:>9s}{cells}"
        f"{_gain(row, 'best p'):8.1f}%{row.milliseconds:8.0f}{row.in_all:8.0f}"
    )


def _borders(count: int) -> None:
    """Print by how much R rises where a border of the lattice is crossed to an easier setting."""
    rng, rises, wider = np.random.default_rng(SEED), [], []
    names = ("epsilon", "delta", "queries")
    for number in range(count):
        name = names[number % 3]
        few = number % 12 == 2  # each number of few answers is a cell of its own
        low, high = (1, EACH - 1) if few else (EACH + 2, 9e9)
        hard: dict[str, Any] = {
            "epsilon": float(np.exp(rng.uniform(*np.log([1e-6, 9])))),
            "delta": float(np.exp(-np.exp(rng.uniform(*np.log([0.75, 650]))))),
            "queries": round(float(np.exp(rng.uniform(*np.log([low, high]))))),
        }
        easy = dict(hard)
        if name == "delta":
            depth = _border(math.log(-math.log(hard[name])), CELL_OF_DELTA)
            hard[name], easy[name] = (math.exp(-math.exp(depth + s)) for s in (1e-7, -1e-7))
        elif name == "epsilon":
            loss = _border(math.log(hard[name]), CELL)
            hard[name], easy[name] = (math.exp(loss + s) for s in (-1e-7, 1e-7))
        else:
            if not few:
                easy[name] = math.floor(math.exp(_border(math.log(hard[name]), CELL)))
            hard[name] = easy[name] + 1
        greater, lesser = (tuned_alone(**at).radius for at in (hard, easy))
        wider += [greater.upper / greater.lower - 1, lesser.upper / lesser.lower - 1]
        rises.append(lesser.upper / greater.upper - 1)
        if rises[-1] > 0:
            print(f"{name:>9s} {easy}: {100 * rises[-1]:.2f}%")
    share = [100 * x for x in np.quantile(wider, (0.5, 0.99, 1))]
    print(
        f"{count} borders: R rises at {sum(rise > 0 for rise in rises)}; above what is not private "
        "by {:.2f}% (median), {:.2f}% (99 of 100), {:.2f}% at most".format(*share)
    )


def _border(place: float, cell: float) -> float:
    """Return a border of the lattice next to a place."""
    return cell * (math.floor(place / cell) + 0.5)


def report(which: str, count: int | None) -> None:
    """Print the table, and what it comes to.

    which: "whole" or "large" for other settings. count: of how many of them, None for all.
    """
    names = "".join(f"{name:>10s}" for name in _HEAD)
    print(f"seed {SEED}; errors in units of σ; β = {_BETA}; published: p = 2")
    print(
        f"{'k':>12s} {'ε':>9s} {'δ':>9s} {'objective':>9s}{names}{'gain':>9s}{'ms':>8s}{'row':>8s}"
    )
    rows = []
    for privacy, objective in _DRAWN[which]()[:count]:
        rows.append(_row(privacy, objective))
        _print_row(rows[-1])
    print()
    for objective in OBJECTIVES:
        mine = [row for row in rows if row.objective == objective]
        if not mine:
            continue
        for name in ("best p", "published"):
            gains = [_gain(row, name) for row in mine]
            print(
                f"{objective:>9s}: less than {name} by {np.median(gains):.1f}% (median), "
                f"{min(gains):.1f} to {max(gains):.1f}%"
            )
        others = [
            {k: v for k, v in row.errors.items() if k not in (*_BOUNDS, *_COUNTS)} for row in mine
        ]
        wins = [min(errors, key=errors.__getitem__) for errors in others]
        print(f"{'':>9s}  winners: " + ", ".join(f"{w} {wins.count(w)}" for w in sorted({*wins})))
    hard = [row for row in rows if row.objective == "hard"]
    for name in ("converse", "chains"):
        known = [row for row in hard if row.errors[name] > 0]
        apart = [row.errors["tuned"] / row.errors[name] for row in known]
        many = [a for a, row in zip(apart, known, strict=True) if row.privacy["queries"] > 1e4]
        print(
            f"tuned / {name}: {min(apart):.2f} to {max(apart):.2f}; k > 1e4: at most "
            f"{max(many, default=math.nan):.2f}"
        )
    times = [row.milliseconds for row in rows]
    long = sum(spent > _LONG for spent in times)
    print(
        f"time of tuned_noise: median {np.median(times):.0f} ms, largest {max(times):.0f} ms; over "
        f"2 s: {long} of {len(times)}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuned", description=__doc__)
    parser.add_argument("which", nargs="?", default="", choices=(*_DRAWN, "borders"))
    parser.add_argument("--settings", type=int)
    options = parsed(parser, settings=len(OBJECTIVES))
    threadpool_limits(limits=1, user_api="blas")
    if options.which == "borders":
        _borders(options.settings or _BORDERS)
    else:
        report(options.which, options.settings)
