"""What an optimiser costs: ``python -m benchmarks.oracles``, calls and seconds against n and m.

The promise of Block et al. 2024 is to learn with few calls of an ordinary optimiser. A table each:
the calls that a run of every learner makes, whatever n and m are; the seconds of one call of every
exact optimiser against n, a tenth of the labels wrong; and of RRSPM's first call against m. Seconds
are of the processor, of one thread: the median of three data sets, seed 2026.
"""

import argparse
import time

import numpy as np

from benchmarks.options import parsed
from dpviz.results.evidence import FloatArray
from dpviz.topics.public_data.learners import LEARNERS, Budget, calls_of_a_run, learn, suits
from dpviz.topics.public_data.oracles.oracle import ERMOracle
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import TASKS, Task

SEED = 2026


def _median(task: Task, n: int, points: int) -> str:
    """Return the median of what a call takes on three data sets, as a cell."""
    times = [_call(task, n, points, np.random.default_rng([SEED, k])) for k in range(3)]
    return f"{np.median(times):12.4f}"


def _call(task: Task, n: int, points: int, rng: np.random.Generator) -> float:
    """Return the seconds of one call: n private examples, and weights on the public points."""
    oracle: ERMOracle = task.oracle()
    private, public = task.private_data(n, rng), task.public_data(points, rng)
    weights: FloatArray = 2 * points * rng.laplace(size=(1, points))
    loss = private.loss(1.0)
    start = time.process_time()
    oracle.minimize_each(loss, public, weights if points else np.empty((1, 0)))
    return time.process_time() - start


def report(averages: int, samples: list[int], points: list[int]) -> None:
    """Print the three tables."""
    tasks = [Task(name, shifted("window", 1.0), 0.1) for name in TASKS]
    print(f"calls of one run, J = {averages}")
    for name, title in LEARNERS.items():
        task = next(task for task in tasks if suits(name, task))
        noise = "gaussian" if name in ("perturbation", "regularization") else "laplace"
        budget = Budget(1.0, 1e-6, noise, 0.1, averages)
        rng = np.random.default_rng(SEED)
        private, public = task.private_data(100, rng), task.public_data(10, rng)
        run = learn(name, task, private=private, public=public, budget=budget, rng=rng)
        if run.calls != calls_of_a_run(name, averages):
            raise ArithmeticError(f"{title} made {run.calls} calls")
        print(f"{title:>32}{run.calls:8d}")
    print("\nseconds of a call against n" + "".join(f"{n:>12,}" for n in samples))
    for task in tasks:
        print(f"{TASKS[task.name]:>27}" + "".join(_median(task, n, 0) for n in samples))
    print("\nseconds of RRSPM's first call, n = 10,000, against m")
    print(f"{'':27}" + "".join(f"{one:>12,}" for one in points))
    for task in (task for task in tasks if task.classifies):
        print(f"{TASKS[task.name]:>27}" + "".join(_median(task, 10**4, one) for one in points))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.oracles", description=__doc__)
    parser.add_argument("--averages", type=int, default=300, help="J of Algorithm 2")
    parser.add_argument("--samples", type=int, nargs="*", default=[10**3, 10**4, 10**5])
    parser.add_argument("--points", type=int, nargs="*", default=[10, 100, 1000, 10_000])
    options = parsed(parser, averages=2, samples=[100], points=[10])
    report(options.averages, options.samples, options.points)
