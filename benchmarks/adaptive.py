"""How long the most adaptive queries take to find, for one n and for a curve."""

from functools import partial
from itertools import islice

import numpy as np

from benchmarks.timing import heading, row, timed
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.topics.adaptive_analysis.budget import max_queries
from dpviz.topics.adaptive_analysis.noisy_answers import BoundedAnswers, GaussianAnswers
from dpviz.topics.adaptive_analysis.transfer import BETA, SAMPLES
from dpviz.topics.adaptive_analysis.views.questions_against_samples import questions_against_samples

_POINTS = 40


def report(runs: int) -> None:
    """Print the times of single values at random n, α, β, and of whole views.

    runs: so many at most, and results of a view.
    """
    heading("adaptive analysis")
    rng = np.random.default_rng(0)
    logs = [np.log([limit.minimum, limit.maximum]) for limit in (SAMPLES, BETA)]
    points = [
        {
            "samples": round(float(np.exp(rng.uniform(*logs[0])))),
            "alpha": float(np.exp(rng.uniform(*np.log([0.005, 0.5])))),
            "beta": float(np.exp(rng.uniform(*logs[1]))),
        }
        for _ in range(min(_POINTS, runs))
    ]
    for name, answers in (
        ("max_queries, Gaussian", GaussianAnswers()),
        ("max_queries, bounded p = 2", BoundedAnswers(PowerNoise(2.0))),
        ("max_queries, bounded p = 2, certain", BoundedAnswers(PowerNoise(2.0), certain=True)),
    ):
        row(name, [timed(partial(max_queries, answers, **at))[0] for at in points])
    for name, powers in (("one curve beside Gaussian", (2.0,)), ("both curves", (1.0, 2.0))):
        curves = [partial(_curve, alpha, powers, runs) for alpha in (0.03, 0.11, 0.29)[:runs]]
        times = [timed(curve)[0] for curve in curves]
        row(f"queries against samples, {name}", times, "21 points each")


def _curve(alpha: float, powers: tuple[float, ...], results: int) -> None:
    curve = questions_against_samples(samples=8e5, alpha=alpha, beta=0.05, powers=powers)
    for _ in islice(curve, results):
        pass
