"""What an optimiser costs: ``python -m benchmarks.oracles``, calls and seconds against n and m.

The promise of Block et al. 2024 is to learn with few calls of an ordinary optimiser. A table each:
the calls that a run of every learner makes, whatever n and m are; the seconds of one call of every
exact optimiser against n, a tenth of the labels wrong; and of RRSPM's first call against m. Seconds
are of the processor, of one thread: the median of three data sets, seed 2026.
"""

import time

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.topics.public_data.learners import LEARNERS, Budget, calls_of_a_run, learn, suits
from dpviz.topics.public_data.oracles.oracle import ERMOracle
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import TASKS, Task

SEED = 2026
_SAMPLES, _POINTS = (10**3, 10**4, 10**5), (10, 100, 1000, 10_000)
_AVERAGES = 300


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


def report() -> None:
    """Print the three tables."""
    tasks = [Task(name, shifted("window", 1.0), 0.1) for name in TASKS]
    print(f"calls of one run, J = {_AVERAGES}")
    for name, title in LEARNERS.items():
        task = next(task for task in tasks if suits(name, task))
        noise = "gaussian" if name in ("perturbation", "regularization") else "laplace"
        budget = Budget(1.0, 1e-6, noise, 0.1, _AVERAGES)
        rng = np.random.default_rng(SEED)
        private, public = task.private_data(100, rng), task.public_data(10, rng)
        run = learn(name, task, private=private, public=public, budget=budget, rng=rng)
        if run.calls != calls_of_a_run(name, _AVERAGES):
            raise ArithmeticError(f"{title} made {run.calls} calls")
        print(f"{title:>32}{run.calls:8d}")
    print("\nseconds of a call against n" + "".join(f"{n:>12,}" for n in _SAMPLES))
    for task in tasks:
        print(f"{TASKS[task.name]:>27}" + "".join(_median(task, n, 0) for n in _SAMPLES))
    print("\nseconds of RRSPM's first call, n = 10,000, against m")
    print(f"{'':27}" + "".join(f"{m:>12,}" for m in _POINTS))
    for task in (task for task in tasks if task.classifies):
        print(f"{TASKS[task.name]:>27}" + "".join(_median(task, 10**4, m) for m in _POINTS))


if __name__ == "__main__":
    report()
