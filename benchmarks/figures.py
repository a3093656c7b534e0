"""What figures cost at the views' defaults: ``python -m benchmarks.figures``.

Building makes a spec of a result, writing makes JSON of the spec. Milliseconds of this thread, so
that a busy machine makes no difference; the first figure of each view is not counted.
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.options import parsed
from benchmarks.views import views
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Result
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from dpviz.serve.computing import Computation
from dpviz.ui.server import prepare

_RUNS = 41


def report(runs: int, only: Sequence[str]) -> None:
    """Print for every view what its figure takes, and how large it is.

    runs: so many at most. only: see `views`.
    """
    print(f"{'view':42s} {'build':>8s} {'p95':>8s} {'write':>8s} {'p95':>8s} {'kB':>8s}   [ms]")
    rows = []
    for name, declared, view in views(only):
        *_, result = Computation(Scene(declared, view, declared.usual(view.key))).first()
        rows.append(_costs(view, result, min(_RUNS, runs)))
        _line(name, rows[-1])
    table = np.array(rows)
    _line("median of all views", np.median(table, axis=0))
    _line("largest of all views", table.max(axis=0))


def _costs(view: View, result: Result, runs: int) -> tuple[float, ...]:
    """Return median and 95th percentile of building and of writing, and the kilobytes."""
    written = view.figure(result, LIGHT).json()
    times = []
    for _ in range(runs):
        start = time.thread_time()
        figure = view.figure(result, LIGHT)
        built = time.thread_time()
        figure.json()
        times.append((built - start, time.thread_time() - built))
    middle, high = 1e3 * np.quantile(times, (0.5, 0.95), axis=0)
    return middle[0], high[0], middle[1], high[1], len(written) / 1e3


def _line(name: str, numbers: tuple[float, ...] | np.ndarray) -> None:
    print(f"{name:42s} {' '.join(f'{number:8.2f}' for number in numbers)}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures", description=__doc__)
    parser.add_argument("--runs", type=int, default=_RUNS)
    parser.add_argument(
        "--only", nargs="+", default=[""], help="views with such a part in page/view"
    )
    options = parsed(parser, runs=1, only=["shared_darts/board"])
    prepare()
    report(options.runs, options.only)


if __name__ == "__main__":
    main()
