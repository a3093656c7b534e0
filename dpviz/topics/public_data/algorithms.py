"""Algorithms 1 to 5 of Block et al. 2024, on any `ERMOracle`.

The loss is (f(x) − y)²/4 (see `dpviz.topics.public_data.oracles.oracle`). Losses are averaged over
the private data in Algorithms 2 and 3, as in the paper's Lemmas 1 and 2; its displays (6) and (8)
print the sum, for which η would be n times as large. Neighbouring data sets substitute one example.

`runs` repeats a whole algorithm on the same data with fresh noise: draws from its output law.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import pause
from dpviz.topics.public_data.oracles.oracle import ERMOracle, Objective

_MOST_NUMBERS = 1 << 18  # of a Gaussian process, held at once

NOISES = {"gaussian": "Gaussian", "laplace": "Laplace"}


@dataclass(frozen=True, eq=False)
class Labelled:
    """Private examples: x, one row each, and y in [−1, 1] (±1 for classification).

    weight: which part of an example a row is, if examples are several rows and their loss is the
    mean over these; then neighbouring data sets substitute all rows of one example.
    """

    x: FloatArray
    y: FloatArray
    weight: FloatArray | None = None

    @property
    def size(self) -> int:
        """The number n of examples."""
        return len(self.y) if self.weight is None else round(float(self.weight.sum()))

    @property
    def parts(self) -> FloatArray:
        """Which part of an example each row is."""
        return np.ones(len(self.y)) if self.weight is None else self.weight

    def loss(self, scale: float) -> Objective:
        """Return scale·Σ (f(x) − y)²/4, up to a constant."""
        costs = scale * self.parts
        return Objective(self.x, -costs * self.y / 2, costs / 4)


@dataclass(frozen=True, eq=False)
class Learned:
    """What a learner found, for each run.

    released: f̂, a row of parameters a run. intermediate: f̄ or f̃ as functions to be averaged,
    of shape (runs, J, parameters). on_public: their average on the public points, (runs, m).
    """

    released: FloatArray
    intermediate: FloatArray
    on_public: FloatArray


def perturb(
    oracle: ERMOracle,
    on_public: FloatArray,
    *,
    public: FloatArray,
    gamma: float | FloatArray,
    noise: str,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the function nearest to f̄ + γ·ζ on the public points (Algorithm 1).

    on_public: f̄(Z), a row for each run; public: Z; gamma: γ ≥ 0, or one for each run, the scale of
    ζ: standard normal or Laplace with density e^(−|u|)/2. One call each. f̄ enters through f̄(Z)
    alone, so that everything after the noise is post-processing: at least as private as a Gaussian
    or Laplace mechanism on m numbers, and more private where the projection hides something.
    Raises `ParameterError`.
    """
    scale = np.asarray(gamma, dtype=float)[..., None]
    drawn = np.any(scale > 0)
    noisy = on_public + scale * draw_noise(noise, on_public.shape, rng) if drawn else on_public
    return _nearest(oracle, noisy, public=public)


def _nearest(oracle: ERMOracle, values: FloatArray, *, public: FloatArray) -> FloatArray:
    """Return the function nearest to each row of values on the public points."""
    m = len(public)
    square = Objective(public, np.zeros(m), np.full(m, 1 / m))
    return oracle.minimize_each(square, public, -2 * values / m)


@dataclass(frozen=True)
class Perturbation:
    """How Algorithm 2 perturbs the loss: η, the scale of the process, and J, how often."""

    eta: float
    averages: int


def perturbed_learner(
    oracle: ERMOracle,
    private: Labelled,
    *,
    public: FloatArray,
    perturbation: Perturbation,
    gamma: float,
    noise: str = "gaussian",
    runs: int = 1,
    rng: np.random.Generator,
) -> Learned:
    """Return Algorithm 2: perturb the loss by a Gaussian process, average J minimisers, Perturb.

    perturbation: η, on the average loss, and J; gamma: γ. J + 1 calls a run. Raises
    `ParameterError`.
    """
    eta, m = validate("eta", perturbation.eta), len(public)
    j = int(validate("averages", perturbation.averages))
    objective = private.loss(1 / private.size)
    every, means = [], []
    together = max(_MOST_NUMBERS // (j * m), 1)  # an optimiser sorts the data once for all of them
    for start in range(0, runs, together):
        pause()
        count = min(together, runs - start)
        process = eta / math.sqrt(m) * rng.standard_normal((count * j, m))
        minimisers = oracle.minimize_each(objective, public, process)
        every.append(minimisers.reshape(count, j, -1))
        means.append(oracle.predict(minimisers, public).reshape(count, j, m).mean(axis=1))
    mean = np.concatenate(means)
    released = perturb(oracle, mean, public=public, gamma=gamma, noise=noise, rng=rng)
    return Learned(released, np.concatenate(every), mean)


def regularized_learner(
    oracle: ERMOracle,
    private: Labelled,
    *,
    public: FloatArray,
    eta: float,
    gamma: float,
    noise: str = "gaussian",
    runs: int = 1,
    rng: np.random.Generator,
) -> Learned:
    """Return Algorithm 3: regularise by η·‖f‖²_m, then Perturb; private for convex classes.

    eta: η, on the average loss; gamma: γ. Two calls a run. Raises `ParameterError`.
    """
    eta, m = validate("eta", eta), len(public)
    penalty = Objective(public, np.zeros(m), np.full(m, eta / m))
    objective = private.loss(1 / private.size).plus(penalty)
    minimisers = oracle.minimize_each(objective, public, np.zeros((runs, m)))
    mean = oracle.predict(minimisers, public)
    released = perturb(oracle, mean, public=public, gamma=gamma, noise=noise, rng=rng)
    return Learned(released, minimisers[:, None], mean)


def rrspm(
    oracle: ERMOracle,
    private: Labelled,
    *,
    public: FloatArray,
    scale: float,
    noise: str = "laplace",
    runs: int = 1,
    rng: np.random.Generator,
) -> Learned:
    """Return Algorithm 4, RRSPM: random labels with random weights on the public points.

    For functions and labels ±1. scale: of the weights, 2m/ε for the ε-private Laplace variant
    (Theorem 8), see `dpviz.topics.public_data.noise_levels`. Then Perturb with γ = 0, which sees
    nothing but f̃(Z): the oracle's own f̃ would give away where it lies between the public
    points. Two calls a run. Raises `ParameterError`.
    """
    costs = separating_costs(public, scale, noise, runs, rng)
    return separated(oracle, private, public, costs)


def rspm(
    oracle: ERMOracle,
    private: Labelled,
    *,
    identification: FloatArray,
    scale: float,
    noise: str = "laplace",
    runs: int = 1,
    rng: np.random.Generator,
) -> Learned:
    """Return Algorithm 5, RSPM (Neel et al. 2019): no public data, one call a run.

    identification: a universal identification set: points on which no two functions of the
    oracle's class agree, so that f̃ is a function of its values there. Otherwise as `rrspm`.
    """
    costs = separating_costs(identification, scale, noise, runs, rng)
    released = oracle.minimize_each(private.loss(1.0), identification, costs)
    return Learned(released, released[:, None], oracle.predict(released, identification))


def separating_costs(
    points: FloatArray, scale: float, noise: str, runs: int, rng: np.random.Generator
) -> FloatArray:
    """Return the costs of weights ξ and labels ỹ on the points, beside the summed loss of (19)."""
    weights = scale * draw_noise(noise, (runs, len(points)), rng)
    labels = rng.choice([-1.0, 1.0], size=weights.shape)
    costs: FloatArray = -weights * labels / 2
    return costs


def separated(
    oracle: ERMOracle, private: Labelled, public: FloatArray, costs: FloatArray
) -> Learned:
    """Return f̃ for each row of costs, and f̂: what is nearest to it on the public points."""
    minimisers = oracle.minimize_each(private.loss(1.0), public, costs)
    on_public = oracle.predict(minimisers, public)
    released = _nearest(oracle, on_public, public=public)
    return Learned(released, minimisers[:, None], on_public)


def draw_noise(noise: str, shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Return standard normal or Laplace (density e^(−|u|)/2) noise. Raises `ParameterError`."""
    if noise == "gaussian":
        return rng.standard_normal(shape)
    if noise == "laplace":
        return rng.laplace(size=shape)
    raise ParameterError("noise", f"one of {', '.join(NOISES)}", noise)
