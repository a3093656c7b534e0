"""What the first figure of every view costs: ``python -m benchmarks.first_figures``.

Milliseconds of processor time to the first result, to build its figure and to write it, while the
view's sliders stand somewhere on their ranges: the median, and the most, over some random values.
Processor time, so that a busy machine makes little difference; nothing remembered is used.
"""

import argparse
import time
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.options import parsed
from benchmarks.views import views
from dpviz.plot.steady import ranges
from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Number, Seed, Value
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from dpviz.serve.computing import RESULTS, Computation
from dpviz.ui.server import prepare


def states(
    declared: Page, view: View, values: dict[str, Value], count: int
) -> Iterator[dict[str, Value]]:
    """Yield states in each of which one slider in sight is moved."""
    rng, hidden = np.random.default_rng(0), view.idle(values)
    sliders = [
        parameter
        for key in view.in_sight
        if isinstance(parameter := declared.parameter(key), Number)
        and not isinstance(parameter, Seed)
        and key not in hidden
    ]
    for turn in range(count):
        if sliders:
            slider = sliders[turn % len(sliders)]
            text = slider.write(float(rng.choice(slider.limit.grid)))
            yield values | {slider.key: slider.read(text, slider.default)[0]}
        else:
            yield values


def costs(declared: Page, view: View, values: dict[str, Value]) -> tuple[float, ...] | None:
    """Return the milliseconds of the first result, of building and of writing; None if refused."""
    RESULTS.clear()
    begin = time.process_time()
    try:
        result = next(Computation(Scene(declared, view, values)).first())
    except ParameterError:
        return None
    computed = time.process_time()
    held = ranges(view.figure(result, LIGHT))
    moving = LIGHT.holding(held)  # as while a slider moves
    start = time.process_time()
    figure = view.figure(result, moving)
    built = time.process_time()
    figure.json()
    written = time.process_time()
    return 1e3 * (computed - begin), 1e3 * (built - start), 1e3 * (written - built)


def report(states_a_view: int, only: Sequence[str]) -> None:
    """Print a line for every view that is asked for, and the medians over all of them."""
    parts = [f"{part:>8} {'most':>8}" for part in ("compute", "build", "write")]
    print(f"{'view':42s} {' '.join(parts)}   [ms of processor time]")
    rows = []
    for name, declared, view in views(only):
        values = declared.usual(view.key) | {"view": view.key}
        moved = list(states(declared, view, values, states_a_view + 1))
        found = [costs(declared, view, state) for state in moved][1:]
        table = np.array([row for row in found if row is not None])
        rows.append(np.ravel([np.median(table, axis=0), table.max(axis=0)], order="F"))
        print(f"{name:42s} {' '.join(f'{cell:8.1f}' for cell in rows[-1])}", flush=True)
    middle = np.median(rows, axis=0)
    print(f"{'median of all views':42s} {' '.join(f'{cell:8.1f}' for cell in middle)}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_figures", description=__doc__)
    parser.add_argument("--states", type=int, default=9, help="of each view")
    parser.add_argument(
        "--only", nargs="+", default=[""], help="views with such a part in page/view"
    )
    options = parsed(parser, states=1, only=["shared_darts/board"])
    prepare()
    report(options.states, options.only)


if __name__ == "__main__":
    main()
