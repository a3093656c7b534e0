"""How much narrower nested noise is than either of its ends: python -m benchmarks.nested.

For each setting the least certified R/Δ of independent noise (tuned, or truncated Laplace up to a
hundred answers), of noise drawn together, and of nested noise (`dpviz.maths.nested_noise`), what it
gains over the smaller of the two, and below which no noise at all is private. Radii are rounded up,
the gain and the floor down.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from benchmarks.joint import at_least, at_most, print_row
from benchmarks.options import parsed
from dpviz.maths.joint_noise import joint_radius
from dpviz.maths.joint_optimality import bounded_radius
from dpviz.maths.least_noise import least_noise
from dpviz.maths.nested_noise import nested_noise
from dpviz.results.ends import rounded_down

SETTINGS = (
    *((1.0, 1e-5, k) for k in (10, 20, 50, 100, 200, 1000)),
    *((0.1, 1e-10, k) for k in (50, 100, 200, 500, 1000)),
    *((0.3, 1e-30, k) for k in (100, 1000)),
    (2.0, 0.01, 30),
)


def report(settings: Sequence[tuple[float, float, int]]) -> None:
    """Print a row for each setting."""
    print("| ε, δ | k | one by one | together | nested | gain | floor, any noise |")
    print("|---|---|---|---|---|---|---|")
    for epsilon, delta, queries in settings:
        asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "queries": queries}
        ends = least_noise(**asked).radius, joint_radius(**asked).upper
        nested = nested_noise(**asked).radius
        gain = max(1 - nested / min(ends), 0.0)
        gained = f"{rounded_down(100 * gain, 2):g} %" if gain else "0"
        floor = at_least(bounded_radius(**asked).lower)
        print_row(epsilon, delta, queries, *map(at_most, (*ends, nested)), gained, floor)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nested", description=__doc__)
    parser.add_argument("--settings", type=int, default=len(SETTINGS), help="how many of them")
    report(SETTINGS[: parsed(parser, settings=1).settings])
