"""The algorithms by name, with the noise each needs: what the views of the page run."""

from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import FloatArray, Source, Subject
from dpviz.results.papers import PD
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.public_data import noise_levels
from dpviz.topics.public_data.algorithms import (
    NOISES,
    Labelled,
    Learned,
    Perturbation,
    perturbed_learner,
    regularized_learner,
    rrspm,
    rspm,
)
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from dpviz.topics.public_data.tasks import Task

LEARNERS = {
    "rrspm": "RRSPM (Algorithm 4)",
    "perturbation": "Perturbation (Algorithm 2)",
    "regularization": "Regularisation (Algorithm 3)",
    "rspm": "RSPM (Algorithm 5)",
}
"""The learners by name."""


@dataclass(frozen=True)
class Budget:
    """What a learner may spend, and how it is set.

    epsilon, delta: ε and δ (substitute one example); noise: "laplace" or "gaussian"; eta: η;
    averages: J.
    """

    epsilon: float
    delta: float
    noise: str
    eta: float
    averages: int

    def __post_init__(self) -> None:
        for name in ("epsilon", "delta", "eta", "averages"):
            validate(name, getattr(self, name))
        if self.noise not in NOISES:
            raise ParameterError("noise", f"one of {', '.join(NOISES)}", self.noise)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a learner released.

    learned: the functions; calls: to the optimiser, for each run; scale: γ, or the scale of the
    weights ξ; rho: the stability the noise covers (NaN for RRSPM and RSPM); gap: how far from its
    minimum an answer of the optimiser was, at most, 0 where it is exact.
    """

    learned: Learned
    calls: int
    scale: float
    rho: float
    gap: float


def suits(learner: str, task: Task) -> bool:
    """Whether the learner can be run on the task."""
    if learner == "regularization":
        return not task.classifies
    if learner == "rspm":
        return task.name in ("thresholds", "intervals")
    return learner == "perturbation" or task.classifies


def calls_of_a_run(learner: str, averages: int) -> int:
    """Return how often one run calls the optimiser: whatever n, m and the class are.

    averages: J, which Algorithm 2 calls it for; one more call is the projection, which RSPM does
    without. Raises `ParameterError`.
    """
    calls = {"rrspm": 2, "perturbation": averages + 1, "regularization": 2, "rspm": 1}
    if learner not in calls:
        raise ParameterError("learner", f"one of {', '.join(LEARNERS)}", learner)
    return calls[learner]


def check_suits(learner: str, task: Task) -> None:
    """Raise `ParameterError` unless the learner is known and can be run on the task."""
    if learner not in LEARNERS:
        raise ParameterError("learner", f"one of {', '.join(LEARNERS)}", learner)
    if suits(learner, task):
        return
    needs = {
        "regularization": "perturbation, RRSPM or RSPM here: Algorithm 3 needs a convex class, "
        "which is linear regression",
        "rrspm": "perturbation or regularisation here: Algorithm 4 (RRSPM) needs labels ±1",
        "rspm": "another one here: Algorithm 5 (RSPM) needs a universal identification set, "
        "which thresholds and intervals on a grid have",
    }
    raise ParameterError("learner", needs[learner], LEARNERS[learner])


def claim(learner: str, noise: str) -> str:
    """Return what is known of the privacy: "pure", "approximate" or "broken".

    "broken": the Gaussian weights of Theorem 4, which fail for rich classes
    (`dpviz.topics.public_data.rich_class`) and are proved for none of those here.
    """
    if learner == "perturbation":
        return "approximate"
    if learner == "regularization":
        return "pure" if noise == "laplace" else "approximate"
    return "pure" if noise == "laplace" or learner == "rspm" else "broken"


def subject(learner: str, noise: str) -> Subject:
    """Return the colour a learner has on the page."""
    if learner == "perturbation":
        return Subject.PERTURBED
    if learner == "rspm":
        return Subject.EARLIER
    if noise == "laplace":
        return Subject.LAPLACE
    return Subject.GAUSSIAN if learner == "regularization" else Subject.DANGER


def source(learner: str) -> Source:
    """Return where the algorithm stands."""
    return Source(PD, LEARNERS[learner].partition("(")[2].rstrip(")"))


def learn(
    learner: str,
    task: Task,
    *,
    private: Labelled,
    public: FloatArray,
    budget: Budget,
    runs: int = 1,
    rng: np.random.Generator,
) -> Outcome:
    """Run a learner on the same data with fresh noise `runs` times.

    The noise is what is proved to suffice for the stability ρ: that of Lemma 2, or for Algorithm 2
    that of `noise_levels.averaged_stability`, with half of δ each. RSPM always takes Laplace
    weights and a grid of as many cells as there are public points, which it does not use.
    Raises `ParameterError`.
    """
    check_suits(learner, task)
    n, m, noise = len(private.y), len(public), budget.noise
    if learner == "rspm":
        grid = task.grid_oracle(m)
        scale = float(noise_levels.laplace_weights(m, epsilon=budget.epsilon))
        learned = rspm(
            grid, private, identification=grid.identification, scale=scale, runs=runs, rng=rng
        )
        return Outcome(learned, grid.calls // runs, scale, float("nan"), grid.gap)
    oracle = task.oracle()
    if learner == "rrspm":
        scale = weight_scale(m, budget)
        learned = rrspm(
            oracle, private, public=public, scale=scale, noise=noise, runs=runs, rng=rng
        )
        return Outcome(learned, oracle.calls // runs, scale, float("nan"), oracle.gap)
    rho = stability(learner, task, samples=n, budget=budget)
    gamma = perturbation_scale(learner, rho=rho, points=m, budget=budget)
    if learner == "perturbation":
        learned = perturbed_learner(
            oracle,
            private,
            public=public,
            perturbation=Perturbation(budget.eta, budget.averages),
            gamma=gamma,
            noise=noise,
            runs=runs,
            rng=rng,
        )
    else:
        learned = regularized_learner(
            oracle,
            private,
            public=public,
            eta=budget.eta,
            gamma=gamma,
            noise=noise,
            runs=runs,
            rng=rng,
        )
    return Outcome(learned, oracle.calls // runs, gamma, rho, oracle.gap)


def weight_scale(points: int, budget: Budget) -> float:
    """Return the scale of RRSPM's weights: 2m/ε, or as published √(m·log(1/δ))/ε."""
    if budget.noise == "laplace":
        return float(noise_levels.laplace_weights(points, epsilon=budget.epsilon))
    return float(noise_levels.gaussian_weights(points, epsilon=budget.epsilon, delta=budget.delta))


def stability(learner: str, task: Task, *, samples: int, budget: Budget) -> float:
    """Return ρ: by how much one example can move f̄ in ‖·‖_m."""
    gap = noise_levels.certified_gap(
        LinearFunctions.tolerance, eta=budget.eta, perturbed=learner == "perturbation"
    )
    if learner == "regularization":
        return float(noise_levels.regularized_stability(samples, eta=budget.eta, gap=gap))
    return float(
        noise_levels.averaged_stability(
            samples,
            eta=budget.eta,
            averages=budget.averages,
            delta=budget.delta / 2,
            gap=gap if task.name == "regression" else 0.0,
        )
    )


def perturbation_scale(learner: str, *, rho: float, points: int, budget: Budget) -> float:
    """Return γ that suffices for ρ, which fails with chance δ/2 in Algorithm 2."""
    if budget.noise == "laplace":
        return float(noise_levels.sufficient_laplace(points, rho=rho, epsilon=budget.epsilon))
    share = 2 if learner == "perturbation" else 1
    return float(
        noise_levels.sufficient_gaussian(
            points, rho=rho, epsilon=budget.epsilon, delta=budget.delta / share
        )
    )
