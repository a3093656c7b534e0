r"""The attack: an analyst who keeps what correlates, and believes the sum of it.

Each of n samples has k fair coins x_j = ±1 and a label y = ±1, all independent: nothing
predicts the label. The analyst asks for every coin how often it agrees with the label, the mean
of the query (1 + x_j·y)/2, keeps the sign s_j of answer − 1/2, and at last asks for the accuracy
of the majority of the s_j·x_j (a draw counts half), one more statistical query. The true accuracy
of any predictor is 1/2.

The agreements z_ij = x_ij·y_i are again independent fair coins, so only they are drawn.

What is exact. The columns of z are independent and so is the noise on their answers. Hence for
one sample i the s_j·z_ij are independent, each +1 with the probability

    p = Σ_b P(b)·[(b/n)·F(b/n − 1/2) + (1 − b/n)·F(1/2 − b/n)],   b ~ Binomial(n, 1/2),

F the distribution function of the noise (answers are b/n + noise, and without noise F is the
step with F(0) = 1/2). Without noise at odd n this is p = 1/2 + C(n − 1, (n − 1)/2)/2^n. The
sample's majority is right if Binomial(k, p) > k/2: the *expected* claimed accuracy is a binomial
tail, for all three mechanisms (the last answer's noise has mean 0).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import BoundedNoise, shaped_noise
from dpviz.maths.intervals import student_half_width
from dpviz.maths.logspace import log_binomial_pmf
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Origin, Source, Subject
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace

MECHANISMS = {"empirical": "no noise", "gaussian": "Gaussian noise", "bounded": "bounded noise"}
"""What answers the analyst, by name."""

_CELLS = 1 << 20  # coins in one chunk
_STOPS = 40
_SUBJECTS = {
    "empirical": Subject.DANGER,
    "gaussian": Subject.GAUSSIAN,
    "bounded": Subject.BOUNDED,
}


@dataclass(frozen=True, eq=False)
class AttackResult:
    """Claimed against true accuracy as questions accumulate, over the runs so far.

    stops: numbers of coins asked; expected: the exact expected claimed accuracy there, by
    mechanism; mean, half_width: the mean of the runs' claims and the half width of its 95%
    interval (Student's t; NaN for one run); sigma, radius: the noise; runs: how many are done, of
    all of them the share done.
    """

    origins: ClassVar = (Origin(Evidence.EXACT, Source("Dagan & Kur", "Section 9, the setting")),)

    chart: Chart
    sample_size: int
    questions: int
    runs: int
    sigma: float
    radius: float
    stops: FloatArray
    expected: dict[str, FloatArray]
    mean: dict[str, FloatArray]
    half_width: dict[str, FloatArray]
    done: float

    def columns(self) -> dict[str, np.ndarray]:
        """Return the plotted numbers."""
        return self.chart.columns()


def agreement_probability(sample_size: float, law: "NoiseLaw") -> float:
    """Return p, with which a sample agrees with the sign kept for one coin (see the module).

    sample_size: n from 1 to 1e4; law: the noise on an answer. Exact up to rounding.
    """
    n = validate("sample_size", sample_size)
    heads = np.arange(n + 1)
    log_mass = log_binomial_pmf(heads, np.full_like(heads, n), log_odds=np.zeros_like(heads))
    # (b/n − 1/2)·(2F − 1) summed: p − 1/2 without cancellation
    lean = heads / n - 0.5
    return 0.5 + 2 * float(np.exp(log_mass) @ (lean * law.centred_cdf(lean)))


def expected_claim(questions: FloatArray, agreement: float) -> FloatArray:
    """Return P(Binomial(k, p) > k/2) + P(Binomial(k, p) = k/2)/2, for each k."""
    half = questions / 2
    draws = np.where(half == np.floor(half), binom.pmf(np.floor(half), questions, agreement), 0.0)
    claim: FloatArray = binom.sf(np.floor(half), questions, agreement) + draws / 2
    return claim


@dataclass(frozen=True)
class NoiseLaw:
    """The noise on an answer: none, Gaussian, or bounded of a shape; scale: σ or R."""

    scale: float = 0.0
    shape: BoundedNoise | None = None

    def centred_cdf(self, x: FloatArray) -> FloatArray:
        """Return P(noise ≤ x) − 1/2, the mean of both limits at a jump."""
        if not self.scale:
            return np.sign(x) / 2
        if self.shape is None:
            return ndtr(x / self.scale) - 0.5
        u = np.clip(np.abs(x) / self.scale, 0.0, 1.0)
        return np.sign(x) * (0.5 - np.exp(self.shape.log_tail(u)))

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent noise."""
        if not self.scale:
            return np.zeros(size)
        if self.shape is None:
            return rng.normal(scale=self.scale, size=size)
        return self.scale * self.shape.sample(rng, size)


def attack(
    *,
    sample_size: float,
    questions: float,
    epsilon: float,
    delta: float,
    shape: str,
    power: float,
    runs: float,
    rng: np.random.Generator,
) -> Iterator[AttackResult]:
    """Yield the attack on the three mechanisms side by side, on the same coins, run by run.

    sample_size: n; questions: k, the coins asked about, both up to 1e4. The noise is the least that
    keeps all k + 1 answers (ε, δ)-DP together (substitute one sample, sensitivity 1/n); shape,
    power: the bounded noise (see `dpviz.maths.bounded_noise.shaped_noise`). The claim at k' < k
    coins is what an analyst who stops there is told, with the same noise. runs: repetitions; rng:
    their only source of chance. A result follows every 0.08 s or so; the first has the exact curves
    alone. Raises `ParameterError`.
    """
    n, k = int(validate("sample_size", sample_size)), int(validate("questions", questions))
    repetitions = int(validate("runs", runs))
    noise = shaped_noise(shape, power=power)
    at = {"epsilon": epsilon, "delta": delta, "queries": k + 1, "sensitivity": 1 / n}
    sigma, radius = float(gaussian.minimal_sigma(**at)), minimal_radius(noise, **at).upper
    laws = {
        "empirical": NoiseLaw(),
        "gaussian": NoiseLaw(sigma),
        "bounded": NoiseLaw(radius, noise),
    }
    stops = np.unique(np.rint(np.geomspace(1, k, _STOPS)))
    expected = {
        name: expected_claim(stops, agreement_probability(n, law)) for name, law in laws.items()
    }
    claims: list[FloatArray] = []

    def result() -> AttackResult:
        done = np.array(claims).reshape(len(claims), len(laws), stops.size)
        mean, half = _interval(done)
        means = dict(zip(laws, mean, strict=True))
        halves = dict(zip(laws, half, strict=True))
        chart = _chart(stops, expected, means, halves, len(claims))
        runs = len(claims)
        return AttackResult(
            chart, n, k, runs, sigma, radius, stops, expected, means, halves, runs / repetitions
        )

    latest = result()
    yield latest
    pace = Pace()
    for _ in range(repetitions):
        for claim in _run(n, stops.astype(int), list(laws.values()), rng):
            if claim is not None:
                claims.append(claim)
            if pace.due():
                latest = result() if latest.runs < len(claims) else latest
                yield latest
    yield result()


def _run(
    n: int, stops: np.ndarray, laws: list[NoiseLaw], rng: np.random.Generator
) -> Iterator[FloatArray | None]:
    """Run the attack once; yield None after each chunk, and at last the claims (law, stop)."""
    votes = np.zeros((n, len(laws)), dtype=np.float32)
    claims = np.empty((len(laws), stops.size))
    chunk = max(1, _CELLS // n)
    asked = 0
    for place, stop in enumerate(stops):
        while asked < stop:
            count = min(chunk, int(stop) - asked)
            coins = _fair_coins(rng, n, count)
            lean = coins.sum(axis=0, dtype=np.float64) / (2 * n)
            signs = [np.where(lean + law.sample(rng, count) < 0, -1, 1) for law in laws]
            votes += coins @ np.array(signs, dtype=np.float32).T
            asked += count
            yield None
        right = (np.sign(votes).mean(axis=0, dtype=np.float64) + 1) / 2
        noise = [float(law.sample(rng, 1)[0]) for law in laws]
        claims[:, place] = right + noise
    yield claims


def _fair_coins(rng: np.random.Generator, n: int, count: int) -> np.ndarray:
    """Draw n × count independent fair ±1, eight from each random byte."""
    packed = np.frombuffer(rng.bytes((n * count + 7) // 8), dtype=np.uint8)
    bits = np.unpackbits(packed, count=n * count).reshape(n, count)
    return bits.astype(np.float32) * 2 - 1


def _interval(done: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means over the runs, and half the widths of their 95% intervals."""
    runs = len(done)
    if runs == 0:
        nothing = np.full(done.shape[1:], math.nan)
        return nothing, nothing
    mean = done.mean(axis=0)
    if runs == 1:
        return mean, np.full_like(mean, math.nan)
    return mean, student_half_width(done.std(axis=0, ddof=1), runs)


def _chart(
    stops: FloatArray,
    expected: dict[str, FloatArray],
    mean: dict[str, FloatArray],
    half_width: dict[str, FloatArray],
    runs: int,
) -> Chart:
    curves = [
        Curve(
            f"{name}_expected",
            f"Claimed, {label}",
            _SUBJECTS[name],
            Evidence.EXACT,
            Source("dpviz.topics.adaptive_analysis", "binomial tail"),
            stops,
            expected[name],
        )
        for name, label in MECHANISMS.items()
    ]
    if runs:
        curves += [
            Curve(
                f"{name}_simulated",
                f"Claimed, {label}, mean of {runs} runs",
                _SUBJECTS[name],
                Evidence.SIMULATED,
                Source("dpviz.topics.adaptive_analysis", "simulation, 95% intervals"),
                stops,
                mean[name],
                mean[name] - half_width[name],
                mean[name] + half_width[name],
            )
            for name, label in MECHANISMS.items()
        ]
    curves.append(
        Curve(
            "truth",
            "True accuracy",
            Subject.LOWER_BOUND,
            Evidence.EXACT,
            Source("dpviz.topics.adaptive_analysis", "the label is independent of the coins"),
            stops,
            np.full(stops.shape, 0.5),
        )
    )
    return Chart(
        Axis("questions", "Coins asked about, k"),
        Axis("accuracy", "Accuracy of the combined predictor", log=False),
        tuple(curves),
    )
