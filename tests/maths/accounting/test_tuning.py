"""The tuning: never worse than the paper's family, private, and the same every time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.accounting.calibration import minimal_radius, privacy_delta
from dpviz.maths.accounting.estimate import Family, least_radii
from dpviz.maths.accounting.search import RootSearch
from dpviz.maths.accounting.tuning import OBJECTIVES, keeps_to, tuned_nearby, tuned_noise
from dpviz.maths.bounded_noise import PowerNoise, max_error
from dpviz.maths.gaussian import minimal_sigma
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.parameters import LIMITS, ParameterError
from tests.support.examples import chosen, examples, only_in_long_run
from tests.support.strategies import inside, outside


def measured(noise, objective, radius, queries, beta):
    """The measure of the noise at a radius, from the noise itself."""
    if objective == "hard":
        return radius
    if objective == "deviation":
        return radius * noise.standard_deviation
    return float(max_error(noise, radius, queries=queries, failure_probability=beta))


@examples(20)
@given(
    inside("epsilon", 1e-3, 5.0),
    inside("delta", 1e-30, 1e-2),
    inside("queries"),
    st.sampled_from(OBJECTIVES),
    st.sampled_from([1.0, 2.0, 3.7]),
)
def test_it_is_private_and_never_worse_than_a_power(epsilon, delta, queries, objective, power):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    choice = tuned_noise(**privacy, objective=objective, failure_probability=0.05)
    best, radius = choice.best, choice.best.radius
    assert best.measure.upper <= choice.power.measure.upper
    assert choice.power.noise == TunedNoise(1.0, 0.0, choice.power.noise.power)
    # the accountant by itself says the same of the noise returned
    ends = {"epsilon": epsilon, "queries": queries, "compared": delta}
    assert privacy_delta(best.noise, radius.upper * (1 + 1e-9), **ends).lower <= delta
    assert privacy_delta(best.noise, radius.lower * (1 - 1e-9), **ends).upper > delta
    expected = measured(best.noise, objective, radius.upper, queries, 0.05)
    assert best.measure.upper == pytest.approx(expected, rel=1e-12)
    # and the best power is about the best of them all
    rival = minimal_radius(PowerNoise(power), **privacy).upper
    other = measured(PowerNoise(power), objective, rival, queries, 0.05)
    assert best.measure.upper <= other * 1.001


def test_losses_that_vanish_leave_tilts_finite():
    """For nine answers with δ = 1/2 the search passes noise so wide that no loss is left."""
    privacy = {"epsilon": LIMITS["epsilon"].minimum, "queries": 9}
    found = tuned_nearby(None, delta=0.5, **privacy)
    kept = privacy_delta(found.noise, found.radius.upper * (1 + 1e-9), compared=0.5, **privacy)
    assert kept.lower <= 0.5


GAINS = [
    (0.1, 1e-10, 10**6, 0.10),
    (1.0, 1e-6, 100, 0.18),
    (0.1, 1e-10, 100, 0.2),
    (0.1, 1e-10, 1000, 0.065),
    (3.0, 1e-3, 10**6, 0.10),
    (0.1, 1e-10, 10, 0.51),
]


@pytest.mark.parametrize(("epsilon", "delta", "queries", "least_gain"), chosen(GAINS, GAINS[::2]))
def test_the_gain_over_the_best_power(epsilon, delta, queries, least_gain):
    choice = tuned_noise(epsilon=epsilon, delta=delta, queries=queries)
    assert choice.gain > least_gain


def test_many_answers_come_within_a_percent_of_the_floor():
    privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": 10**10}
    ratio = tuned_noise(**privacy).best.radius.upper / float(minimal_sigma(**privacy))
    assert math.pi < ratio < 1.01 * math.pi


def test_the_same_question_has_the_same_answer():
    privacy = {"epsilon": 0.3, "delta": 1e-8, "queries": 5000}
    first = tuned_noise(**privacy)
    assert tuned_noise(**privacy) == first
    scaled = tuned_noise(**privacy, sensitivity=4.0)
    assert scaled.best.noise == first.best.noise
    assert scaled.best.radius.upper == pytest.approx(4 * first.best.radius.upper)


def test_a_neighbour_is_a_good_start():
    near = None
    for queries in chosen((10**5, 2 * 10**5, 4 * 10**5), (10**5, 2 * 10**5)):
        privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": queries}
        found = tuned_nearby(near, **privacy)
        near = found.noise
        alone = tuned_noise(**privacy).best
        assert found.radius.upper < 1.005 * alone.radius.upper


@pytest.mark.parametrize(
    ("queries", "noise"),
    [
        (1, (0.08, 22.0, 0.7, 1.0)),
        (10, (1e-12, 13.9, 0.5, 0.77)),
        (100, (1e-12, 7.2, 0.5, 0.96)),
        (1000, (1.7, 1.8, 1.0, 1.0)),
        (1000, (5.4, 0.24, 0.53, 0.8)),
        (10**7, (0.03, 2.2, 1.0, 1.0)),
    ],
)
def test_estimates_are_near_the_certified_radius(queries, noise):
    privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": queries}
    sigma = float(minimal_sigma(**privacy))
    found = least_radii(Family.of(*([x] for x in noise)), **privacy, start=math.log(4 * sigma))
    certified = minimal_radius(TunedNoise(*noise), **privacy)
    assert math.exp(found.log_radii[0]) == pytest.approx(certified.upper, rel=0.015)


def test_shares_of_many_noises_at_once():
    noises = [TunedNoise(0.06, 2.2, 1.0), TunedNoise(1e-3, 14.0, 0.8), TunedNoise(300.0, 50.0, 1.0)]
    family = Family.of(
        [n.barrier for n in noises], [n.bulk for n in noises], [n.power for n in noises]
    )
    for objective in OBJECTIVES:
        shares = family.shares(objective, queries=1000, failure_probability=0.05)
        expected = [measured(noise, objective, 1.0, 1000, 0.05) for noise in noises]
        assert shares == pytest.approx(expected, rel=3e-3)


@pytest.mark.parametrize("name", ["epsilon", "delta", "queries", "sensitivity"])
@examples(32)
@given(data=st.data())
def test_tuned_noise_refuses(name, data):
    arguments = {"epsilon": 0.1, "delta": 1e-6, "queries": 10, "sensitivity": 1.0}
    arguments[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=name):
        tuned_noise(**arguments)


def test_where_k_answers_cannot_reach_epsilon_no_estimate_is_taken_for_one():
    """The noise is flat: δ is the mass next to the ends, and R enormous; it was 916."""
    noise = Family.of([1e-12], [12.2], [0.5], [0.5256])
    asked = {"epsilon": 0.1, "delta": 1e-10, "queries": 10}
    assert least_radii(noise, **asked, start=math.log(684.0)).log_radii[0] > math.log(1e6)


def test_a_second_peak_is_seen():
    """Laplace's formula alone took a noise for the best whose least radius is 8% larger."""
    privacy = {"epsilon": 0.2956907261747068, "delta": 3.753002507825053e-27, "queries": 244}
    ratio = tuned_noise(**privacy).best.radius.upper / float(minimal_sigma(**privacy))
    assert ratio < 5.9


@pytest.mark.parametrize("margin", [1.0, 0.0])
def test_noises_that_are_worse_than_one_known_are_left(margin):
    privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": 10**4}
    family = Family.of([0.06, 1.0, 300.0], [2.2, 0.5, 30.0], [1.0, 2.0, 1.0])
    start = math.log(4 * float(minimal_sigma(**privacy)))
    alone = least_radii(family, **privacy, start=start)
    shares = [0.3, 0.2, 0.0]
    best = int(np.argmin(alone.log_radii + shares))
    found = least_radii(family, **privacy, start=start, log_shares=shares, margin=margin)
    assert found.log_radii[best] == pytest.approx(alone.log_radii[best], abs=1e-3)
    assert int(np.argmin(found.log_radii + shares)) == best
    # nothing is better than what is known: one step shows it
    tied = float(alone.log_radii[best] + shares[best]) - 0.05
    start = tied - np.array(shares)
    known = least_radii(family, **privacy, start=start, log_shares=shares, least=tied, margin=0.0)
    assert np.all(known.log_radii + shares >= tied)


KEPT = [("hard", 4), ("quantile", 300), ("hard", 300), ("deviation", 10**6)]


@pytest.mark.parametrize(("objective", "queries"), chosen(KEPT, KEPT[1:3]))
def test_a_measure_is_kept_to_from_the_least_one_on(objective, queries):
    privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": queries}
    found = tuned_nearby(None, **privacy, objective=objective).measure
    assert keeps_to(1.003 * found.upper, **privacy, objective=objective)
    assert not keeps_to(0.997 * found.lower, **privacy, objective=objective)


def test_an_unknown_objective_is_refused():
    with pytest.raises(ParameterError, match="objective must be one of hard, quantile"):
        tuned_noise(epsilon=0.1, delta=1e-6, queries=10, objective="soft")


@only_in_long_run
def test_for_few_answers_the_search_goes_on_from_the_estimate(monkeypatch):
    """δ falls in a step there: rough values of it would lead far away from a good estimate."""
    compute, count = RootSearch._bounds, []
    monkeypatch.setattr(
        RootSearch, "_bounds", lambda self, *at: count.append(at) or compute(self, *at)
    )
    at = {"epsilon": 0.4, "delta": 1e-23, "queries": 5}
    found = tuned_nearby(None, **at)
    assert len(count) <= 8  # from rough values: 33
    assert found.radius.lower < found.radius.upper <= 1.06 * found.radius.lower
    kept = privacy_delta(found.noise, found.radius.upper, epsilon=0.4, queries=5)
    lost = privacy_delta(found.noise, found.radius.lower, epsilon=0.4, queries=5, compared=1e-23)
    assert kept.upper <= at["delta"] < lost.lower


@only_in_long_run
@pytest.mark.parametrize("epsilon", chosen([0.1, 1.0], [1.0]))
def test_a_tiny_delta_for_few_answers_is_certified_in_a_few_evaluations(monkeypatch, epsilon):
    """The tilt is steep there: what the lattice raises to its lowest point must be little."""
    compute, count = RootSearch._bounds, []
    monkeypatch.setattr(
        RootSearch, "_bounds", lambda self, *at: count.append(at) or compute(self, *at)
    )
    found = tuned_noise(epsilon=epsilon, delta=1e-300, queries=10)
    assert len(count) <= 20  # 105 before, which ended without a lower bound
    for tuned in (found.best, found.power):
        assert tuned.radius.lower < tuned.radius.upper <= 1.002 * tuned.radius.lower


def test_where_no_radius_is_estimated_one_is_certified_all_the_same():
    privacy = {"epsilon": 1e-7, "delta": 0.5, "queries": 98716}
    near = tuned_nearby(None, **privacy | {"delta": 0.4}).noise
    found = tuned_nearby(near, **privacy)
    assert privacy_delta(found.noise, found.radius.upper, **no_delta(privacy)).upper <= 0.5
    assert privacy_delta(found.noise, found.radius.lower, **no_delta(privacy)).lower >= 0.499


def no_delta(privacy):
    return {key: value for key, value in privacy.items() if key != "delta"}
