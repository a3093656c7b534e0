"""What learns from a `Split` under (ε, δ), each at a few strengths; neighbours substitute a unit.

Every learner has one knob: η, Λ, or how many public points or cells take part. `KNOBS` says how it
is set: the best value with hindsight, which flatters all learners alike; one value for all data; or
by the private data, at no more than the same (ε, δ): `RealLearner.chosen_in_private`, Algorithm 3
of Chaudhuri, Monteleoni and Sarwate 2011.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from dpviz.maths import gaussian
from dpviz.maths.exponential_mechanism import sample
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

KNOBS = {
    "hindsight": "best, with hindsight",
    "fixed": "one for all data",
    "private": "chosen in private",
}
"""How the strength of a learner is chosen."""


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
    strengths: the values of its knob; fixed: the place of the one for all data. release: learns and
    returns values on the test rows, whose signs are the labels, a row for each draw at each ε.
    """

    title: str
    subject: Subject
    source: Source
    uses_public: bool
    strengths: tuple[float, ...]
    fixed: int
    release: Callable[[Split, Given, float], FloatArray]
    weight: float = 1.0

    def run(self, split: Split, given: Given, strength: float) -> FloatArray:
        """Return the accuracy on the test rows for each ε, at one strength."""
        return given.mean(split.shares_correct(self.release(split, given, strength)))

    def chosen_in_private(self, split: Split, given: Given) -> FloatArray:
        """Return the accuracy on the test rows for each ε, with the strength chosen in private.

        Each strength has a part of the private units of its own, one more part is for comparing: a
        strength is drawn with probability ∝ e^(−ε·mistakes/2), mistakes being the sum over these
        units of the share of their rows that are labelled wrongly. A unit is in one part, so what
        is released is as private as a learner alone, and learns from fewer units.
        """
        *parts, judges = split.private_parts(len(self.strengths) + 1, given.rng)
        rows = np.concatenate([judges.x, split.test.x])
        labels = np.concatenate([judges.y, split.test.y])
        seen = len(judges.y)
        released = np.array(
            [
                self.release(
                    replace(split, private=part, test=Labelled(rows, labels)), given, strength
                )
                for part, strength in zip(parts, self.strengths, strict=True)
            ]
        )
        wrong = np.where(released[:, :, :seen] >= 0, 1.0, -1.0) != judges.y
        mistakes = (wrong @ judges.parts).T
        drawn = np.concatenate(
            [
                sample(given.rng, mistakes[given.each == epsilon], epsilon=epsilon, sensitivity=1.0)
                for epsilon in given.epsilons.tolist()
            ]
        )
        return given.mean(split.shares_correct(released[drawn, np.arange(drawn.size), seen:]))


def on_test(split: Split, weights: FloatArray) -> FloatArray:
    """Return ⟨w, φ⟩ on the test rows, for each row w."""
    values: FloatArray = weights @ split.test.x.T
    return values


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
    """Return what Algorithm 1 releases for each ε, on the test rows."""
    m = len(split.public)
    gammas = gaussian.minimal_sigma(
        epsilon=given.epsilons, delta=given.delta / share, queries=m, sensitivity=rho
    )
    each = np.repeat(np.asarray(gammas, dtype=float), given.draws)
    released = perturb(
        oracle,
        np.repeat(on_public, each.size, axis=0),
        public=split.public,
        gamma=each,
        noise="gaussian",
        rng=given.rng,
    )
    return on_test(split, released)


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
    return oracle.predict(np.concatenate(released), _components(split.test.x))


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
    return oracle.predict(np.concatenate(released), _components(split.test.x))


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
    return on_test(split, released)


def objective(split: Split, given: Given, strength: float) -> FloatArray:
    """Run objective perturbation."""
    released = objective_perturbation(
        split.private, strength=strength, epsilons=given.each, rng=given.rng
    )
    return on_test(split, released)


def without_privacy(split: Split, given: Given, strength: float) -> FloatArray:
    """Run logistic regression."""
    minimiser = minimise_each(split.private, np.array([strength]), np.zeros((1, split.dimension)))
    return np.repeat(on_test(split, minimiser), given.each.size, axis=0)


def constant(split: Split, given: Given, label: float) -> FloatArray:
    """Guess the same label for all."""
    return np.full((given.each.size, len(split.test.y)), label)


_ETAS = (0.03, 0.1, 0.3, 1.0)
_LAMBDAS = (1e-4, 1e-3, 0.01, 0.1, 1.0)
_POINTS = (3.0, 10.0, 30.0, 100.0)
_CELLS = (2.0, 4.0, 8.0, 16.0)
# The place of the one for all data: η = 0.1, Λ = 0.01, 10 points, 4 cells, and the guess 1.

LEARNERS: Mapping[str, RealLearner] = MappingProxyType(
    {
        "non_private": RealLearner(
            "without privacy", Subject.LOWER_BOUND, Source(_CMS, "Section 2"),
            False, _LAMBDAS, 2, without_privacy,
        ),
        "objective": RealLearner(
            "objective perturbation", Subject.ITEM_LEVEL, Source(_CMS, "Algorithm 2"),
            False, _LAMBDAS, 2, objective,
        ),
        "output": RealLearner(
            "output perturbation", Subject.BOUNDED, Source(_CMS, "Algorithm 1"),
            False, _LAMBDAS, 2, output,
        ),
        "regularization": RealLearner(
            "Algorithm 3, public points", Subject.GAUSSIAN, Source(PD, "Algorithm 3"),
            True, _ETAS, 1, regularization,
        ),
        "perturbation": RealLearner(
            "Algorithm 2, public points", Subject.PERTURBED, Source(PD, "Algorithm 2"),
            True, _ETAS, 1, perturbation,
        ),
        "rrspm": RealLearner(
            "RRSPM, public points", Subject.LAPLACE, Source(PD, "Algorithm 4"),
            True, _POINTS, 1, weighted,
        ),
        "rspm": RealLearner(
            "RSPM", Subject.EARLIER, Source(PD, "Algorithm 5"), False, _CELLS, 1, on_grid,
        ),
        "constant": RealLearner(
            "a constant guess", Subject.DANGER, Source("this app", "constants"),
            False, (-1.0, 1.0), 1, constant, 0.6,
        ),
    }
)  # fmt: skip
"""The learners by name; the first and the last are not private, as no curve should beat the one and
every curve the other."""
