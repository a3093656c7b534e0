import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpviz.maths.accounting.calibration import privacy_delta
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.topics.adaptive_analysis import overfitting
from dpviz.topics.adaptive_analysis.overfitting import (
    MECHANISMS,
    NoiseLaw,
    agreement_probability,
    claims_of_one_run,
    expected_claim,
)
from dpviz.topics.adaptive_analysis.views.attack import attack

HERE = {
    "sample_size": 200,
    "questions": 300,
    "epsilon": 1.0,
    "delta": 1e-5,
    "shape": "power",
    "power": 2.0,
    "runs": 40,
}


def final(seed=1, **changes):
    *_, last = attack(**HERE | changes, rng=np.random.default_rng(seed))
    return last


@pytest.mark.parametrize("n", [1, 3, 101, 9999])
def test_without_noise_the_agreement_is_a_central_binomial_coefficient(n):
    exact = Fraction(1, 2) + Fraction(math.comb(n - 1, (n - 1) // 2), 2**n)
    assert agreement_probability(n, NoiseLaw()) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("n", [2, 100])
def test_and_at_even_n_a_draw_is_worth_a_half(n):
    exact = sum(Fraction(math.comb(n, b) * max(b, n - b), n * 2**n) for b in range(n + 1))
    assert agreement_probability(n, NoiseLaw()) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize(
    "law", [NoiseLaw(0.05), NoiseLaw(0.1, PowerNoise(2))], ids=["gaussian", "bounded"]
)
def test_with_noise_the_agreement_is_what_a_simulation_finds(law):
    rng, n, draws = np.random.default_rng(7), 100, 400_000
    heads = rng.binomial(n, 0.5, draws)
    kept = heads / n + law.sample(rng, draws) > 0.5
    agrees = np.where(kept, heads, n - heads) / n
    error = agrees.std() / math.sqrt(draws)
    assert abs(agrees.mean() - agreement_probability(n, law)) < 4 * error
    assert agreement_probability(n, law) < agreement_probability(n, NoiseLaw())


@pytest.mark.parametrize(("n", "k"), [(3, 1), (3, 3), (3, 4), (2, 3)])
def test_the_expected_claim_without_noise_by_all_tables_of_coins(n, k):
    total, tables = Fraction(0), 0
    for cells in itertools.product((-1, 1), repeat=n * k):
        rows = [cells[i * k : (i + 1) * k] for i in range(n)]
        signs = [1 if sum(row[j] for row in rows) >= 0 else -1 for j in range(k)]
        votes = [sum(s * z for s, z in zip(signs, row, strict=True)) for row in rows]
        total += Fraction(sum((v > 0) - (v < 0) for v in votes) + n, 2 * n)
        tables += 1
    exact = expected_claim(np.array([float(k)]), agreement_probability(n, NoiseLaw()))
    assert exact[0] == pytest.approx(float(total / tables), rel=1e-12)


def test_the_simulation_agrees_with_the_exact_expectation():
    result = final()
    for name in MECHANISMS:
        error = result.half_width[name] / 2.02  # Student's quantile at 39 degrees of freedom
        z = (result.mean[name] - result.expected[name]) / error
        assert np.all(np.abs(z) < 4.5)
        assert np.mean(np.abs(z) < 1.96) > 0.7
    assert result.expected["empirical"][-1] > 0.8
    assert result.expected["empirical"][-1] > result.expected["gaussian"][-1] > 0.5
    assert result.expected["gaussian"][-1] > result.expected["bounded"][-1] > 0.5


def test_all_answers_together_are_private():
    result = final(runs=1)
    bounds = privacy_delta(
        PowerNoise(2), result.radius, epsilon=1.0, queries=301, sensitivity=1 / 200
    )
    assert bounds.upper <= 1e-5
    assert bounds.lower > 0.99e-5


def test_the_seed_decides_and_chunks_do_not_end_a_run_early():
    first, again, other = final(5, runs=2), final(5, runs=2), final(6, runs=2)
    assert first.runs == 2
    for name in MECHANISMS:
        assert np.array_equal(first.mean[name], again.mean[name])
        assert not np.array_equal(first.mean[name], other.mean[name])
    # many chunks: 1e4 samples hold only a hundred coins each
    large = final(sample_size=10_000, questions=700, runs=1)
    assert large.mean["empirical"][-1] == pytest.approx(large.expected["empirical"][-1], abs=0.02)


def test_exact_curves_come_first_and_runs_accumulate():
    results = list(attack(**HERE | {"runs": 100}, rng=np.random.default_rng(0)))
    assert results[0].runs == 0
    assert {c.evidence for c in results[0].curves} == {Evidence.EXACT}
    assert [r.runs for r in results] == sorted(r.runs for r in results)
    assert len(results) > 2
    last = results[-1]
    assert last.runs == 100
    simulated = last.curve("bounded_simulated")
    assert simulated.evidence is Evidence.SIMULATED
    width = simulated.upper - simulated.lower
    assert width == pytest.approx(2 * last.half_width["bounded"])
    assert set(last.curve("truth").y) == {0.5}
    assert last.stops[0] == 1
    assert last.stops[-1] == 300


def test_one_sample_one_coin_one_run():
    result = final(sample_size=1, questions=1, runs=1)
    assert result.mean["empirical"].tolist() == [1.0]
    assert result.expected["empirical"].tolist() == [1.0]
    assert np.isnan(result.half_width["empirical"]).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sample_size", 10_001),
        ("questions", 10_001),
        ("questions", 0),
        ("epsilon", 0.0),
        ("runs", 0),
    ],
)
def test_parameters_outside_are_refused(name, value):
    with pytest.raises(ParameterError) as caught:
        next(attack(**HERE | {name: value}, rng=np.random.default_rng(0)))
    assert caught.value.name == name


def test_another_noise_leaves_the_coins_and_the_other_noises_as_they_are():
    stops, claims = np.array([3, 40, 200]), []
    for power in (2.0, 3.5):
        laws = [NoiseLaw(), NoiseLaw(0.1), NoiseLaw(0.4, PowerNoise(power))]
        *_, last = claims_of_one_run(50, stops, laws, np.random.default_rng(2))
        claims.append(last)
    np.testing.assert_array_equal(claims[0][:2], claims[1][:2])
    assert not np.array_equal(claims[0][2], claims[1][2])


@pytest.mark.parametrize(("n", "cells"), [(9, 20), (9, 130), (9, 1 << 20), (520, 20_000)])
def test_what_a_run_claims_is_what_its_coins_say(monkeypatch, n, cells):
    """Whatever chunks they are drawn in; a draw counts half, and so does a tie of one coin."""
    stops, drawn = np.array([1, 2, 3, 7, 20, 61]), []
    toss = overfitting._fair_coins

    def tossed(*given):
        drawn.append(toss(*given))
        return drawn[-1]

    monkeypatch.setattr(overfitting, "_fair_coins", tossed)
    monkeypatch.setattr(overfitting, "_CELLS", cells)
    *_, last = claims_of_one_run(n, stops, [NoiseLaw()], np.random.default_rng(4))
    columns = [column.tolist() for chunk in drawn for column in chunk.T]
    signs = [-1 if 2 * sum(column) < n else 1 for column in columns]
    for stop, claimed in zip(stops, last[0], strict=True):
        right = 0.0
        for sample in range(n):
            votes = sum(
                (1 if column[sample] else -1) * sign
                for column, sign in zip(columns[:stop], signs, strict=False)
            )
            right += 0.5 if votes == 0 else votes > 0
        assert claimed == pytest.approx(right / n, abs=1e-12)
