"""A game for two worlds: answers drawn from one or the other, and how well guesses tell which.

One answer is published in every round. Without the person it is the count of all others and noise;
with the person the count is larger by 1, the sensitivity. Under randomised response it is the
person's own bit, which is 0 without and 1 with them. In all these the likelihood ratio of the two
worlds grows with the answer and is 1 midway between the counts.
"""

import math
import struct
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtri

from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.maths.intervals import clopper_pearson
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import ParameterError
from dpviz.topics.promise.releases import (
    BoundedRelease,
    GaussianRelease,
    GeometricRelease,
    LaplaceRelease,
    Release,
    ResponseRelease,
)

ROUNDS = 20
OTHERS = 60
"""The count of all others, which the attacker knows."""
INSIDE, OUTSIDE = "i", "o"
"""The two guesses, as letters: the answer is from the data with the person, or without."""

Worlds = NDArray[np.bool_]


class Answers(Protocol):
    """The law of one published answer in each of the two worlds."""

    @property
    def whole(self) -> bool:
        """Whether answers are whole numbers."""

    @property
    def counts(self) -> tuple[float, float]:
        """What would be published without noise: without the person, and with them."""

    def span(self) -> float:
        """Return how far from the counts answers are worth drawing."""

    def law(self, answer: FloatArray, inside: bool) -> FloatArray:
        """Return density or probability of answers in one world."""

    def drawn(self, chance: FloatArray, inside: Worlds) -> FloatArray:
        """Return the answers whose distribution functions have these values in (0, 1)."""


@dataclass(frozen=True)
class _Noisy:
    """A count with symmetric noise."""

    counts = (float(OTHERS), float(OTHERS + 1))
    whole = False

    def span(self) -> float:
        return float(self._quantile(np.array(0.995)))

    def law(self, answer: FloatArray, inside: bool) -> FloatArray:
        return self._density(answer - self.counts[int(inside)])

    def drawn(self, chance: FloatArray, inside: Worlds) -> FloatArray:
        counts = np.where(inside, self.counts[1], self.counts[0])
        answers: FloatArray = counts + self._quantile(chance)
        return answers

    def _density(self, noise: FloatArray) -> FloatArray:
        raise NotImplementedError

    def _quantile(self, chance: FloatArray) -> FloatArray:
        raise NotImplementedError


@dataclass(frozen=True)
class GaussianAnswers(_Noisy):
    """Noise N(0, σ²)."""

    sigma: float

    def _density(self, noise: FloatArray) -> FloatArray:
        law: FloatArray = np.exp(-((noise / self.sigma) ** 2) / 2)
        return law / (self.sigma * math.sqrt(2 * math.pi))

    def _quantile(self, chance: FloatArray) -> FloatArray:
        noise: FloatArray = self.sigma * ndtri(chance)
        return noise


@dataclass(frozen=True)
class LaplaceAnswers(_Noisy):
    """Laplace noise with density ε₀/2·e^(−ε₀|z|)."""

    loss: float

    def _density(self, noise: FloatArray) -> FloatArray:
        return self.loss / 2 * np.exp(-self.loss * np.abs(noise))

    def _quantile(self, chance: FloatArray) -> FloatArray:
        side = np.minimum(chance, 1 - chance)
        noise: FloatArray = np.copysign(-np.log(2 * side) / self.loss, chance - 0.5)
        return noise


@dataclass(frozen=True)
class BoundedAnswers(_Noisy):
    """Bounded noise on (−R, R)."""

    noise: BoundedNoise
    radius: float

    def span(self) -> float:
        """Return the radius."""
        return self.radius

    def _density(self, noise: FloatArray) -> FloatArray:
        return self.noise.density(noise / self.radius) / self.radius

    def _quantile(self, chance: FloatArray) -> FloatArray:
        return self.radius * self.noise.quantile(chance)


@dataclass(frozen=True)
class GeometricAnswers(_Noisy):
    """Two-sided geometric noise: z has a probability in proportion to e^(−ε₀|z|)."""

    loss: float
    whole = True

    def _density(self, noise: FloatArray) -> FloatArray:
        return math.tanh(self.loss / 2) * np.exp(-self.loss * np.abs(noise))

    def _quantile(self, chance: FloatArray) -> FloatArray:
        # P(Z > z) = e^(−ε₀·(z + 1))/(1 + e^(−ε₀)) for z ≥ −1, and Z is symmetric
        side = np.minimum(chance, 1 - chance)
        steps = -np.log(side * (1 + math.exp(-self.loss))) / self.loss
        noise: FloatArray = np.copysign(np.maximum(np.ceil(steps) - 1, 0.0), chance - 0.5)
        return noise


@dataclass(frozen=True)
class ResponseAnswers:
    """A bit that is kept with probability e^ε₀/(1 + e^ε₀)."""

    loss: float
    whole = True
    counts = (0.0, 1.0)

    def span(self) -> float:
        """There are two answers only."""
        return 0.0

    def law(self, answer: FloatArray, inside: bool) -> FloatArray:
        """Tell how likely the bit is kept, or flipped."""
        true, flipped = self.counts[int(inside)], self.counts[int(not inside)]
        chances = [expit(self.loss), expit(-self.loss)]
        return np.select([answer == true, answer == flipped], chances, 0.0)

    def drawn(self, chance: FloatArray, inside: Worlds) -> FloatArray:
        """Return 1 where the chance exceeds the probability of 0."""
        zero = np.where(inside, expit(-self.loss), expit(self.loss))
        return (chance > zero).astype(float)


def answers_of(release: Release) -> Answers:
    """Return the law of one answer of a release of one answer. Raises `ParameterError`."""
    match release:
        case GaussianRelease(mu=mu):
            return GaussianAnswers(1 / mu)
        case LaplaceRelease(loss=loss):
            return LaplaceAnswers(loss)
        case BoundedRelease(noise=noise, shift=shift):
            return BoundedAnswers(noise, 1 / shift)
        case GeometricRelease(loss=loss):
            return GeometricAnswers(loss)
        case ResponseRelease(loss=loss):
            return ResponseAnswers(loss)
    raise ParameterError("release", "one that publishes single answers", release)


@dataclass(frozen=True, eq=False)
class Rounds:
    """The answers of all rounds, and the world each is from: whether the person is in the data."""

    answers: FloatArray
    inside: Worlds

    def best(self, answers: Answers) -> Worlds:
        """Return the guesses of the best attacker, to whom both worlds are equally likely."""
        return self.answers > sum(answers.counts) / 2


def drawn_rounds(answers: Answers, rng: np.random.Generator, *, epsilon: float) -> Rounds:
    """Return `ROUNDS` rounds, a fair coin for each.

    The coins, and each answer's place in its law, depend on `rng` and ε alone. Another ε is another
    game: who has played one knows nothing of its coins.
    """
    about = np.frombuffer(struct.pack("<d", epsilon), dtype="<u4")
    rng = np.random.default_rng([int(rng.integers(2**32)), *about.tolist()])
    inside = rng.random(ROUNDS) < 0.5
    chance = np.clip(rng.random(ROUNDS), 1e-12, 1 - 1e-12)
    return Rounds(answers.drawn(chance, inside), inside)


@dataclass(frozen=True)
class Score:
    """What guesses came to, with exact 95% intervals of the shares.

    hits of `present` rounds with the person; alarms of `absent` ones without. The intervals hold
    for an attacker who decides in every round by the same rule.
    """

    hits: int
    present: int
    alarms: int
    absent: int
    hit_share: Bracket
    alarm_share: Bracket

    @property
    def right(self) -> int:
        """How many guesses were right."""
        return self.hits + self.absent - self.alarms


def score(inside: ArrayLike, guessed: ArrayLike) -> Score:
    """Return what guesses came to. inside, guessed: the truth and the guess of each round.

    Intervals: Clopper & Pearson 1934. Raises `ParameterError` if there are not as many guesses.
    """
    truth, answers = np.asarray(inside, dtype=bool), np.asarray(guessed, dtype=bool)
    if truth.shape != answers.shape:
        raise ParameterError("guessed", "as many guesses as rounds", answers.size)
    hits, present = int((truth & answers).sum()), int(truth.sum())
    alarms, absent = int((~truth & answers).sum()), int((~truth).sum())
    ends = zip(*clopper_pearson([hits, alarms], [present, absent]), strict=True)
    shares = [Bracket(float(low), float(high)) for low, high in ends]
    return Score(hits, present, alarms, absent, *shares)


def read_guesses(guesses: str) -> Worlds:
    """Return whether each guess says that the person is in. Raises `ParameterError`."""
    if len(guesses) > ROUNDS or set(guesses) - {INSIDE, OUTSIDE}:
        allowed = f"at most {ROUNDS} letters, {INSIDE} or {OUTSIDE}"
        raise ParameterError("guesses", allowed, guesses)
    return np.array([letter == INSIDE for letter in guesses], dtype=bool)
