"""Who needs public points, on real data: ``python -m benchmarks.public_data``, a table a set.

Random splits with a stated seed: a quarter of the units for the test, a quarter public, the others
private; five principal components; δ = 1e-6. Means of the test accuracy in percent with 95%
intervals (Student's), each learner at its best strength, with hindsight; Algorithm 2 averages
3,000 minimisers, as the page does, or `--averages`. Below: by how much the best with public points
is ahead of the best without, on the same splits. With `--write` nothing is printed: it stores what
the page opens with, its seed and splits, in `assets/data/real_accuracies.json`.
"""

import argparse
from collections.abc import Sequence

import numpy as np

from benchmarks.options import parsed
from dpviz.topics.public_data.real import beforehand
from dpviz.topics.public_data.real.data_sets import DATA
from dpviz.topics.public_data.views.accuracy_on_real_data import (
    RealDataChart,
    accuracy_on_real_data,
    computed_beforehand,
)

SEED = 2026
_OPENS_WITH = 20  # splits


def computed(data_set: str, splits: int, averages: int) -> RealDataChart:
    """Return the accuracies on a set, over so many splits."""
    *_, chart = accuracy_on_real_data(
        data_set=data_set,
        public_share=0.25,
        components=5,
        epsilon=1.0,
        delta=1e-6,
        runs=splits,
        rng=np.random.default_rng(SEED),
        averages=averages,
    )
    return chart


def report(names: Sequence[str], splits: int, averages: int) -> None:
    """Print a table for each of these sets."""
    for name in names:
        chart = computed(name, splits, averages)
        gain = chart.gain
        assert gain is not None
        print(
            f"{chart.data.name}: {chart.samples} private {chart.data.units}, "
            f"{chart.public_points} public, {chart.runs} splits, seed {SEED}, J = {averages}"
        )
        epsilons = chart.curves[0].x
        print(f"{'ε':>28}" + "".join(f"{e:>13g}" for e in epsilons))
        for curve in chart.curves:
            half = (curve.part("_upper") - curve.part("_lower")) / 2
            cells = (f"{100 * y:7.1f} ± {100 * h:3.1f}" for y, h in zip(curve.y, half, strict=True))
            print(f"{curve.label:>28}" + "".join(f"{cell:>13}" for cell in cells))
        ends = zip(gain.mean, gain.lower, gain.upper, strict=True)
        cells = (f"{100 * m:.1f} ({100 * a:.1f},{100 * b:.1f})" for m, a, b in ends)
        print(f"{'gain by public points':>28} " + " ".join(cells))
        print(f"{'of':>28} " + ", ".join(gain.with_public))
        print(f"{'over':>28} " + ", ".join(gain.without) + "\n")


def write() -> None:
    """Store the accuracies that the page opens with, on all bundled sets."""
    opens = {"components": 5, "public_share": 0.25}
    found = {
        name: computed_beforehand(name, _OPENS_WITH, np.random.default_rng(0), **opens)
        for name in DATA
        if name != "own"
    }
    setting, _ = found["cancer"]
    beforehand.write(setting, {name: one for name, (_, one) in found.items()})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    bundled = [name for name in DATA if name != "own"]
    parser.add_argument("--sets", nargs="+", default=bundled, choices=bundled)
    parser.add_argument("--splits", type=int, default=100)
    parser.add_argument("--averages", type=int, default=3000, help="J of Algorithm 2")
    parser.add_argument("--write", action="store_true", help="store what the page opens with")
    options = parsed(parser, sets=["cancer"], splits=2, averages=2)
    if options.write:
        write()
        raise SystemExit
    report(options.sets, options.splits, options.averages)
