"""The attack: claimed against true accuracy as questions accumulate."""

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.tuning import tuned_alone
from dpviz.maths.bounded_noise import BoundedNoise, shaped_noise
from dpviz.maths.intervals import student_half_width
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Origin,
    Source,
    Subject,
)
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import Pace
from dpviz.topics.adaptive_analysis.overfitting import (
    MECHANISMS,
    FewCoins,
    NoiseLaw,
    agreement_probability,
    claims_of_one_run,
    expected_claim,
    few_coins,
)

TUNED = "tuned"
"""What `attack` takes for a shape beside those of the paper."""

FEW = 9
"""So many coins are drawn one by one at most."""

_FIRST = 3  # coins of more, one by one
_STOPS = 40
_SUBJECTS = {
    "empirical": Subject.DANGER,
    "gaussian": Subject.GAUSSIAN,
    "bounded": Subject.BOUNDED,
}


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackChart(Chart):
    """Claimed against true accuracy as questions accumulate, over the runs so far.

    stops: numbers of coins asked; expected: the exact expected claimed accuracy there, by
    mechanism; mean, half_width: the mean of the runs' claims and the half width of its 95%
    interval (Student's t; NaN for one run); sigma, radius: the noise; runs: how many are done.
    coins: all that are asked about one by one, or three where they are more than `FEW`. guess: what
    a reader predicted that is claimed without noise; NaN for no prediction.
    """

    other_origins = (Origin(Evidence.EXACT, Source("Dagan & Kur", "Section 9, the setting")),)

    sample_size: int
    questions: int
    runs: int
    sigma: float
    radius: float
    stops: FloatArray
    expected: dict[str, FloatArray]
    mean: dict[str, FloatArray]
    half_width: dict[str, FloatArray]
    coins: FewCoins
    guess: float = math.nan


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
) -> Iterator[AttackChart]:
    """Yield the attack on the three mechanisms side by side, on the same coins, run by run.

    sample_size: n; questions: k, the coins asked about, both up to 1e4. The noise is the least that
    keeps all k + 1 answers (ε, δ)-DP together (substitute one sample, sensitivity 1/n); shape,
    power: the bounded noise (see `dpviz.maths.bounded_noise.shaped_noise`), or "tuned" for the
    tuned noise of least radius found. An analyst who stops at k' < k coins gets the claim shown
    there, with the same noise. runs: repetitions; rng: their only source of chance. A result comes
    about every 0.08 s; the first has only the exact curves. Raises `ParameterError`.
    """
    n, k = int(validate("sample_size", sample_size)), int(validate("questions", questions))
    repetitions = int(validate("runs", runs))
    at = {"epsilon": epsilon, "delta": delta, "queries": k + 1, "sensitivity": 1 / n}
    noise = _noise(shape, power, epsilon=epsilon, delta=delta, queries=k + 1)
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
    # Drawn from a copy, so that the runs are the same with them and without.
    coins = few_coins(n, k if k <= FEW else _FIRST, copy.deepcopy(rng))
    claims: list[FloatArray] = []

    def result() -> AttackChart:
        count = len(claims)
        mean, half = _interval(np.array(claims).reshape(count, len(laws), stops.size))
        means = dict(zip(laws, mean, strict=True))
        halves = dict(zip(laws, half, strict=True))
        return AttackChart.of(
            _chart(stops, expected, means, halves, count),
            sample_size=n,
            questions=k,
            runs=count,
            sigma=sigma,
            radius=radius,
            stops=stops,
            expected=expected,
            mean=means,
            half_width=halves,
            coins=coins,
            done=count / repetitions,
        )

    latest = result()
    yield latest
    pace = Pace()
    for _ in range(repetitions):
        for claim in claims_of_one_run(n, stops.astype(int), list(laws.values()), rng):
            if claim is not None:
                claims.append(claim)
            if pace.due():
                latest = result() if latest.runs < len(claims) else latest
                yield latest
    yield result()


def _noise(
    shape: str, power: float, *, epsilon: float, delta: float, queries: float
) -> BoundedNoise:
    """Return the bounded noise asked for."""
    if shape == TUNED:
        return tuned_alone(epsilon=epsilon, delta=delta, queries=queries).noise
    return shaped_noise(shape, power=power)


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
            f"Seems right, {label}",
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
                f"Seems right, {label}, mean of {runs} runs",
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
        Axis("questions", "Questions asked, k", reach=LIMITS["questions"].maximum),
        Axis("accuracy", "How often the vote seems right", log=False),
        tuple(curves),
        here=float(stops[-1]),
        in_headline=("empirical_expected", "bounded_expected"),
    )
