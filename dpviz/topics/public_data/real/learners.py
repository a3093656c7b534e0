"""What learns from a `Split` under (ε, δ), each at a few strengths; neighbours substitute a unit.

Every learner has one knob that nobody can set without looking at the data: η, Λ, or how many public
points take part. All values of it are run, and results are for the best with hindsight, which
flatters all learners alike.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from dpviz.maths import gaussian
from dpviz.results.evidence import FloatArray, Source, Subject
from dpviz.results.papers import PD
from dpviz.topics.public_data import noise_levels
from dpviz.topics.public_data.algorithms import (
    Labelled,
    Perturbation,
    perturb,
    perturbed_learner,
    regularized_learner,
    rrspm,
    rspm,
)
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from dpviz.topics.public_data.oracles.stumps import GridStumps, Stumps
from dpviz.topics.public_data.real.logistic import (
    minimise_each,
    objective_perturbation,
    output_perturbation,
)
from dpviz.topics.public_data.real.split import Split

_CMS = "Chaudhuri, Monteleoni & Sarwate 2011"


@dataclass(frozen=True, eq=False)
class Given:
    """The privacy asked for: all ε at once, δ, and what the noise is drawn from.

    averages: J, how many perturbed minimisers Algorithm 2 averages. draws: of the noise at each ε.
    """

    epsilons: FloatArray
    delta: float
    rng: np.random.Generator
    averages: int
    draws: int = 1

    @property
    def each(self) -> FloatArray:
        """The ε of each draw: every one as often as there are draws."""
        return np.repeat(self.epsilons, self.draws)

    def mean(self, accuracies: FloatArray) -> FloatArray:
        """Return the mean over the draws at each ε."""
        means: FloatArray = accuracies.reshape(self.epsilons.size, self.draws).mean(axis=1)
        return means


@dataclass(frozen=True)
class RealLearner:
    """A learner.

    title: in words; uses_public: whether it needs public points for more than the features.
    strengths: the values of its knob. run: returns the accuracy on the test units for each ε, at
    one strength.
    """

    title: str
    subject: Subject
    source: Source
    uses_public: bool
    strengths: tuple[float, ...]
    run: Callable[[Split, Given, float], FloatArray]
    weight: float = 1.0


def linear_class() -> LinearFunctions:
    """Return the class ⟨w, φ⟩, |w| ≤ 1, with an optimiser that certifies its gap."""
    return LinearFunctions(lambda features: features)


def regularization(split: Split, given: Given, eta: float) -> FloatArray:
    """Run Algorithm 3 over the linear functions, with normal noise."""
    oracle = linear_class()
    learned = regularized_learner(
        oracle, split.private, public=split.public, eta=eta, gamma=0.0, rng=given.rng
    )
    gap = noise_levels.certified_gap(oracle.tolerance, eta=eta, perturbed=False)
    rho = float(noise_levels.regularized_stability(split.private.size, eta=eta, gap=gap))
    return _perturbed(oracle, split, learned.on_public, rho, given, share=1)


def perturbation(split: Split, given: Given, eta: float) -> FloatArray:
    """Run Algorithm 2 over the linear functions, with normal noise; half of δ is for its mean."""
    oracle = linear_class()
    learned = perturbed_learner(
        oracle,
        split.private,
        public=split.public,
        perturbation=Perturbation(eta, given.averages),
        gamma=0.0,
        rng=given.rng,
    )
    gap = noise_levels.certified_gap(oracle.tolerance, eta=eta, perturbed=True)
    rho = noise_levels.averaged_stability(
        split.private.size, eta=eta, averages=given.averages, delta=given.delta / 2, gap=gap
    )
    return _perturbed(oracle, split, learned.on_public, float(rho), given, share=2)


def _perturbed(
    oracle: LinearFunctions,
    split: Split,
    on_public: FloatArray,
    rho: float,
    given: Given,
    *,
    share: int,
) -> FloatArray:
    """Return the accuracy of what Algorithm 1 releases for each ε."""
    m = len(split.public)
    gammas = gaussian.minimal_sigma(
        epsilon=given.epsilons, delta=given.delta / share, queries=m, sensitivity=rho
    )
    released = [
        perturb(
            oracle,
            np.repeat(on_public, given.draws, axis=0),
            public=split.public,
            gamma=float(gamma),
            noise="gaussian",
            rng=given.rng,
        )
        for gamma in gammas
    ]
    return given.mean(split.accuracy(np.concatenate(released)))


def weighted(split: Split, given: Given, points: float) -> FloatArray:
    """Run RRSPM over stumps on the components, on so many of the public rows."""
    public = _components(split.public)
    m = min(int(points), len(public))
    taken = public[given.rng.permutation(len(public))[:m]]
    oracle, private = Stumps(), _on_components(split.private)
    released = [
        rrspm(
            oracle, private, public=taken, scale=float(scale), runs=given.draws, rng=given.rng
        ).released
        for scale in 2 * m / given.epsilons
    ]
    values = oracle.predict(np.concatenate(released), _components(split.test.x))
    return given.mean(split.shares_correct(values))


def on_grid(split: Split, given: Given, cells: float) -> FloatArray:
    """Run RSPM over stumps on components that are rounded to so many cells."""
    oracle = GridStumps(features=split.dimension - 1, cells=int(cells))
    points, private = oracle.identification, _on_components(split.private)
    released = [
        rspm(
            oracle,
            private,
            identification=points,
            scale=float(scale),
            runs=given.draws,
            rng=given.rng,
        ).released
        for scale in 2 * len(points) / given.epsilons
    ]
    values = oracle.predict(np.concatenate(released), _components(split.test.x))
    return given.mean(split.shares_correct(values))


def _components(features: FloatArray) -> FloatArray:
    """Return φ without the intercept, in [−1, 1]."""
    return features[:, 1:] * math.sqrt(2)


def _on_components(private: Labelled) -> Labelled:
    return Labelled(_components(private.x), private.y, private.weight)


def output(split: Split, given: Given, strength: float) -> FloatArray:
    """Run output perturbation."""
    released = output_perturbation(
        split.private,
        strength=strength,
        epsilons=given.each,
        delta=given.delta,
        rng=given.rng,
    )
    return given.mean(split.accuracy(released))


def objective(split: Split, given: Given, strength: float) -> FloatArray:
    """Run objective perturbation."""
    released = objective_perturbation(
        split.private, strength=strength, epsilons=given.each, rng=given.rng
    )
    return given.mean(split.accuracy(released))


def without_privacy(split: Split, given: Given, strength: float) -> FloatArray:
    """Run logistic regression."""
    minimiser = minimise_each(split.private, np.array([strength]), np.zeros((1, split.dimension)))
    return np.repeat(split.accuracy(minimiser), given.epsilons.size)


def constant(split: Split, given: Given, label: float) -> FloatArray:
    """Guess the same label for all."""
    share = float(split.shares_correct(np.array([label]))[()])
    return np.full(given.epsilons.size, share)


_ETAS = (0.03, 0.1, 0.3, 1.0)
_LAMBDAS = (1e-4, 1e-3, 0.01, 0.1, 1.0)
_POINTS = (3.0, 10.0, 30.0, 100.0)
_CELLS = (2.0, 4.0, 8.0, 16.0)

LEARNERS: Mapping[str, RealLearner] = MappingProxyType(
    {
        "non_private": RealLearner(
            "without privacy", Subject.LOWER_BOUND, Source(_CMS, "Section 2"),
            False, _LAMBDAS, without_privacy,
        ),
        "objective": RealLearner(
            "objective perturbation", Subject.ITEM_LEVEL, Source(_CMS, "Algorithm 2"),
            False, _LAMBDAS, objective,
        ),
        "output": RealLearner(
            "output perturbation", Subject.BOUNDED, Source(_CMS, "Algorithm 1"),
            False, _LAMBDAS, output,
        ),
        "regularization": RealLearner(
            "Algorithm 3, public points", Subject.GAUSSIAN, Source(PD, "Algorithm 3"),
            True, _ETAS, regularization,
        ),
        "perturbation": RealLearner(
            "Algorithm 2, public points", Subject.PERTURBED, Source(PD, "Algorithm 2"),
            True, _ETAS, perturbation,
        ),
        "rrspm": RealLearner(
            "RRSPM, public points", Subject.LAPLACE, Source(PD, "Algorithm 4"),
            True, _POINTS, weighted,
        ),
        "rspm": RealLearner(
            "RSPM", Subject.EARLIER, Source(PD, "Algorithm 5"), False, _CELLS, on_grid,
        ),
        "constant": RealLearner(
            "the better constant guess", Subject.DANGER, Source("this app", "constants"),
            False, (-1.0, 1.0), constant, 0.6,
        ),
    }
)  # fmt: skip
"""The learners by name; the first and the last are not private, as no curve should beat the one and
every curve the other."""
