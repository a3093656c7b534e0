"""How large noise drawn together is, beside noise drawn one by one: python -m benchmarks.joint.

For each setting the least certified R/Δ of independent noise (tuned, or truncated Laplace up to a
hundred answers), that of noise drawn together, and what is proven: no independent noise of one law
lies below the first floor, no noise at all below the second (`dpviz.maths.joint_optimality`).
Floors are rounded down, radii up. Then, for ε and δ, the most answers for which noise drawn
together is smaller than tuned noise, by bisection: if the two cross once.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from benchmarks.options import parsed
from dpviz.maths.accounting.tuning import tuned_alone
from dpviz.maths.joint_noise import joint_radius
from dpviz.maths.joint_optimality import bounded_radius
from dpviz.maths.least_noise import least_noise
from dpviz.maths.noise_converse import least_radius
from dpviz.results.ends import rounded_down, rounded_up

SETTINGS = (
    (0.1, 1e-10, 2),
    (0.1, 1e-10, 10),
    (0.1, 1e-10, 100),
    (0.1, 1e-10, 1000),
    (1.0, 1e-5, 2),
    (1.0, 1e-5, 10),
    (1.0, 1e-5, 100),
    (0.3, 1e-30, 10),
    (0.3, 1e-30, 100),
    (0.3, 1e-30, 1000),
    (2.0, 0.01, 3),
    (0.01, 1e-6, 5),
)
_DIGITS = 4


def crossing(epsilon: float, delta: float) -> int:
    """Return the most answers for which noise drawn together is smaller than tuned noise."""

    def smaller(queries: int) -> bool:
        asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "queries": queries}
        return joint_radius(**asked).upper < tuned_alone(**asked).radius.lower

    low, high = 2, 4
    while smaller(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if smaller(middle) else (low, middle)
    return low


def at_most(radius: float) -> str:
    """Return a radius, rounded up."""
    return f"{rounded_up(radius, _DIGITS):,g}"


def at_least(floor: float) -> str:
    """Return a floor, rounded down."""
    return f"{rounded_down(floor, _DIGITS):,g}"


def print_row(epsilon: float, delta: float, queries: int, *cells: str) -> None:
    """Print a row of a table of settings."""
    print(f"| {epsilon:g}, {delta:g} | {queries:,} | {' | '.join(cells)} |", flush=True)


def report(settings: Sequence[tuple[float, float, int]]) -> None:
    """Print a row for each setting, and where the two cross."""
    print("| ε, δ | k | one by one | together | floor, one by one | floor, any noise |")
    print("|---|---|---|---|---|---|")
    for epsilon, delta, queries in settings:
        asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "queries": queries}
        radii = least_noise(**asked).radius, joint_radius(**asked).upper
        floors = least_radius(**asked), bounded_radius(**asked).lower
        print_row(epsilon, delta, queries, *map(at_most, radii), *map(at_least, floors))
    for epsilon, delta in dict.fromkeys((e, d) for e, d, _ in settings):
        print(f"ε = {epsilon:g}, δ = {delta:g}: together is smaller up to", end=" ")
        print(f"k = {crossing(epsilon, delta):,}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.joint", description=__doc__)
    parser.add_argument("--settings", type=int, default=len(SETTINGS), help="how many of them")
    report(SETTINGS[: parsed(parser, settings=1).settings])
