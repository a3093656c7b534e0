"""Compare objective perturbation on real data with diffprivlib's, and say how that was called.

IBM's diffprivlib is no part of this app, and its 0.6.6 needs an older scikit-learn. In an
environment of its own:

    python3 -m venv /tmp/other && /tmp/other/bin/pip install diffprivlib==0.6.6 \
        scikit-learn==1.5.2 scipy orjson
    PYTHONPATH=. /tmp/other/bin/python -m benchmarks.other_library

Both learn from the same private rows of the same random splits of the breast cancer data, with
|φ| ≤ 1, and both are shown at the strength Λ that is best on average, with hindsight. Twice for
diffprivlib: as φ has a 1 for the intercept already, without one of its own and data_norm = 1; and
with its own intercept on the remaining features, of norm 1/√2 at most.

What differs is the arithmetic of the same algorithm (Chaudhuri, Monteleoni and Sarwate 2011,
Algorithm 2). With s = 1/(4nΛ) diffprivlib takes 2·ln(1 + s) off ε, and raises Λ only where nothing
is left; an intercept of its own counts in the norm of the data. We take s, which suffices, and
raise Λ where less than half is left (`dpviz.topics.public_data.real.logistic`). The last column is
ours with its ε′ and its Λ.
"""

import argparse
import inspect
import math
import warnings
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.options import parsed
from dpviz.maths.intervals import student_half_width
from dpviz.results.evidence import FloatArray
from dpviz.topics.public_data.real import logistic
from dpviz.topics.public_data.real.data_sets import real_data_set
from dpviz.topics.public_data.real.split import Split, split

LAMBDAS = (1e-4, 1e-3, 0.01, 0.1, 1.0)
_CURVATURE = 0.25


def calls(own_intercept: bool, size: int, strength: float, epsilon: float) -> dict[str, Any]:
    """Return the arguments with which diffprivlib's LogisticRegression is made."""
    return {
        "epsilon": epsilon,
        "data_norm": 1 / math.sqrt(2) if own_intercept else 1.0,
        "C": 1 / (size * strength),
        "fit_intercept": own_intercept,
        "max_iter": 10_000,
        "tol": 1e-9,
    }


def theirs(
    parts: Split, strength: float, epsilon: float, seed: int, *, own_intercept: bool
) -> float:
    """Return the accuracy of diffprivlib's on the test rows."""
    from diffprivlib.models import LogisticRegression  # type: ignore[import-not-found]

    first = 1 if own_intercept else 0
    made = calls(own_intercept, parts.private.size, strength, epsilon)
    model = LogisticRegression(**made, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(parts.private.x[:, first:], parts.private.y)
    return float(np.mean(model.predict(parts.test.x[:, first:]) == parts.test.y))


def ours(parts: Split, strength: float, epsilon: float, seed: int) -> float:
    """Return the accuracy of ours."""
    released = logistic.objective_perturbation(
        parts.private,
        strength=strength,
        epsilons=np.array([epsilon]),
        rng=np.random.default_rng(seed),
    )
    return float(np.mean(parts.shares_correct(released @ parts.test.x.T)))


def as_theirs(parts: Split, strength: float, epsilon: float, seed: int) -> float:
    """Return the accuracy of ours with ε′ = ε − 2·ln(1 + s), or ε/2 and a larger Λ if that is ≤ 0.

    As `diffprivlib.mechanisms.Vector` has it.
    """
    n, d = parts.private.size, parts.private.x.shape[1]
    raised = strength
    left = epsilon - 2 * math.log1p(_CURVATURE / (n * raised))
    if left <= 0:
        raised, left = _CURVATURE / (n * math.expm1(epsilon / 4)), epsilon / 2
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal((1, d))
    length = float(rng.gamma(d)) * 2 / left / n
    tilt = direction * (length / float(np.linalg.norm(direction)))
    minimum = logistic.minimise_each(parts.private, np.array([raised]), tilt)
    return float(np.mean(parts.shares_correct(minimum @ parts.test.x.T)))


def table(epsilons: list[float], splits: int, draws: int) -> list[str]:
    """Return a line for each ε: the mean accuracy in percent of each, with 95% intervals."""
    ways: dict[str, Callable[[Split, float, float, int], float]] = {
        "ours": ours,
        "diffprivlib": lambda *given: theirs(*given, own_intercept=False),
        "diffprivlib, its own intercept": lambda *given: theirs(*given, own_intercept=True),
        "ours, its ε′": as_theirs,
    }
    data = real_data_set("cancer")
    parts = [
        split(data, np.random.default_rng(seed), public_share=0.25, components=5)
        for seed in range(splits)
    ]
    lines = ["| ε | " + " | ".join(ways) + " |", "|" + "---|" * (len(ways) + 1)]
    for epsilon in epsilons:
        cells = [_best(way, parts, epsilon, draws) for way in ways.values()]
        lines.append(f"| {epsilon:g} | " + " | ".join(cells) + " |")
    return lines


def _best(
    way: Callable[[Split, float, float, int], float],
    parts: list[Split],
    epsilon: float,
    draws: int,
) -> str:
    """Return the accuracy at the Λ that is best on average."""
    every: FloatArray = np.array(
        [
            [
                np.mean([way(one, strength, epsilon, 1000 * i + k) for k in range(draws)])
                for i, one in enumerate(parts)
            ]
            for strength in LAMBDAS
        ]
    )
    at = int(np.argmax(every.mean(axis=1)))
    half = student_half_width(every[at].std(ddof=1), len(parts))
    return f"{100 * every[at].mean():.1f} ± {100 * half:.1f} (Λ = {LAMBDAS[at]:g})"


def main() -> None:
    """Print how diffprivlib was called, and the table."""
    parser = argparse.ArgumentParser(description=inspect.getdoc(main))
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.5, 1.0, 10.0])
    parser.add_argument("--splits", type=int, default=12)
    parser.add_argument("--draws", type=int, default=4)
    asked = parsed(parser, epsilon=[1.0], splits=2, draws=1)
    if find_spec("diffprivlib") is None:
        raise SystemExit("diffprivlib is not installed here; the docstring says how.")
    print(f"diffprivlib {version('diffprivlib')}, scikit-learn {version('scikit-learn')}")
    for own in (False, True):
        made = calls(own, 285, 0.01, 0.5)
        shown = ", ".join(f"{name}={value!r}" for name, value in made.items())
        print(f"LogisticRegression({shown}).fit(φ{' without its 1' if own else ''}, y)  # ε = 0.5")
    print("\n".join(table(asked.epsilon, asked.splits, asked.draws)))


if __name__ == "__main__":
    main()
