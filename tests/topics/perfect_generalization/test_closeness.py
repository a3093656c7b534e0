"""Exactly how close outputs are: all pairs of data sets, simulation, what is proven."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from dpviz.maths import divergence, generalization_bounds
from dpviz.maths.finite_exponential import FiniteExponential
from dpviz.maths.gaussian import minimal_sigma
from dpviz.maths.generalization_bounds import (
    LARGEST_BETA,
    group_privacy,
    theorem_13_derived,
)
from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.perfect_generalization.closeness import (
    divergence_quantile,
)
from dpviz.topics.perfect_generalization.views.root_n_against_n import growth
from dpviz.topics.perfect_generalization.views.sample_pairs import two_samples
from dpviz.ui.frame import prose
from tests.support.examples import chosen, examples
from tests.support.sample_pairs import MECHANISMS, close_share, expected_divergence, named
from tests.support.strategies import inside, outside


def output_law(mechanism, bits):
    """The law of the output on a data set, from the definition of the mechanism, as an array."""
    total = sum(bits)
    match mechanism:
        case GeometricCount(epsilon=epsilon):
            masses = np.exp(-epsilon * np.abs(np.arange(-400, 420) - total))
        case GaussianCount(sigma=sigma):
            edges = np.linspace(-25, 35, 6001)  # a fine histogram
            return np.diff(stats.norm.cdf(edges, total, sigma))
        case RandomizedResponse(epsilon=epsilon):
            answers = np.array(list(itertools.product([0, 1], repeat=len(bits))))
            wrong = (answers != np.array(bits)).sum(axis=1)
            masses = np.exp(-epsilon * wrong)
        case FiniteExponential(epsilon=epsilon, candidates=candidates):
            masses = np.exp(-epsilon / 2 * np.abs(total - np.array(candidates)))
    return masses / masses.sum()


def brute_force(mechanism, n, rate, epsilon):
    """Both directions of the divergence of all 4^n pairs of data sets, and their probabilities."""
    sets = list(itertools.product([0, 1], repeat=n))
    laws = [output_law(mechanism, bits) for bits in sets]
    weight = [rate ** sum(bits) * (1 - rate) ** (n - sum(bits)) for bits in sets]
    forward, masses = [], []
    for (p, w), (q, v) in itertools.product(zip(laws, weight, strict=True), repeat=2):
        forward.append(np.maximum(p - math.exp(epsilon) * q, 0).sum())
        masses.append(w * v)
    forward = np.array(forward).reshape(len(sets), len(sets))
    return forward, np.array(masses).reshape(forward.shape)


@named
@pytest.mark.parametrize(("rate", "epsilon"), [(0.5, 0.5), (0.2, 0.15), (0.9, 1.1)])
def test_closeness_against_all_pairs_of_data_sets(mechanism, rate, epsilon):
    n, delta = 5, 0.03
    forward, masses = brute_force(mechanism, n, rate, epsilon)
    close = np.maximum(forward, forward.T) <= delta
    arguments = {"samples": n, "rate": rate, "delta": delta}
    ours = close_share(mechanism, epsilon=epsilon, **arguments)
    assert ours == pytest.approx(masses[close].sum(), abs=1e-12)
    expected = expected_divergence(mechanism, samples=n, rate=rate, epsilon=epsilon)
    tolerance = 1e-4 if isinstance(mechanism, GaussianCount) else 1e-10
    assert expected == pytest.approx((masses * forward).sum(), rel=tolerance)


@named
@pytest.mark.parametrize(("rate", "beta"), [(0.5, 0.3), (0.2, 0.03)])
def test_quantile_against_all_pairs_of_data_sets(mechanism, rate, beta):
    n, delta = 5, 0.03
    least = divergence_quantile(
        mechanism, samples=n, rate=rate, delta=delta, failure_probability=beta
    )

    def far(epsilon):
        forward, masses = brute_force(mechanism, n, rate, epsilon)
        return masses[np.maximum(forward, forward.T) > delta].sum()

    assert far(least + 1e-3) <= beta < far(least - 1e-3)


@named
@examples(25)
@given(data=st.data())
def test_quantile_is_the_least_loss_that_suffices(mechanism, data):
    n = data.draw(inside("samples", maximum=300))
    rate = data.draw(inside("rate"))
    delta = data.draw(inside("closeness_delta", minimum=1e-12))
    beta = data.draw(inside("failure_probability", minimum=1e-6))
    arguments = {"samples": n, "rate": rate, "delta": delta}
    least = divergence_quantile(mechanism, **arguments, failure_probability=beta)

    def far(epsilon):
        return 1 - float(close_share(mechanism, epsilon=epsilon, **arguments))

    tiny = LIMITS["closeness_epsilon"].minimum
    assert far(max(least * (1 + 1e-8), tiny)) <= beta + 1e-9
    if least * (1 - 1e-8) > tiny:
        assert far(least * (1 - 1e-8)) >= beta - 1e-9


def draw_losses(mechanism, n, rate, epsilon, draws, rng):
    """ln d_ε of freshly drawn data sets, bit by bit, in both directions."""
    x, y = (rng.random((draws, n)) < rate for _ in range(2))
    if isinstance(mechanism, FiniteExponential):
        sums = x.sum(axis=1), y.sum(axis=1)
        return [mechanism.log_divergence(*order, epsilon=epsilon) for order in (sums, sums[::-1])]
    distance = np.abs(x.sum(axis=1) - y.sum(axis=1, dtype=int))
    if isinstance(mechanism, RandomizedResponse):
        distance = (x != y).sum(axis=1)
    values, place = np.unique(distance, return_inverse=True)
    return [mechanism.log_divergence(values.astype(float), epsilon=epsilon)[place]] * 2


@pytest.mark.parametrize(
    "mechanism",
    [
        GeometricCount(0.05),
        GaussianCount(20.0),
        RandomizedResponse(0.05),
        FiniteExponential(0.1, (80.0, 100.0, 130.0)),
    ],
    ids=lambda m: m.name,
)
def test_against_simulation(mechanism):
    n, rate, delta, draws = 400, 0.3, 0.01, 5_000
    epsilon = 1.001 * divergence_quantile(
        mechanism, samples=n, rate=rate, delta=delta, failure_probability=0.3
    )
    forward, backward = draw_losses(mechanism, n, rate, epsilon, draws, np.random.default_rng(5))
    p = float(close_share(mechanism, samples=n, rate=rate, epsilon=epsilon, delta=delta))
    assert 0.02 < p < 0.999
    share = np.mean(np.maximum(forward, backward) <= math.log(delta))
    assert share == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / draws))
    divergences = np.exp(forward)
    expected = expected_divergence(mechanism, samples=n, rate=rate, epsilon=epsilon)
    error = 5 * divergences.std() / math.sqrt(draws)
    assert divergences.mean() == pytest.approx(expected, abs=error)


@examples(60)
@given(inside("epsilon"), inside("closeness_delta"), st.integers(0, 10**6))
@example(1e-7, 0.5, 10**6)
@example(10.0, 1e-304, 1)
@example(0.1, 1e-5, 10)
def test_geometric_least_epsilon_inverts_the_divergence(decay, delta, distance):
    mechanism = GeometricCount(decay)
    least = float(mechanism.least_epsilon(distance, delta=delta))
    # ε′ is a difference of numbers of size ε·distance: its error, in units of δ′
    slack = 1e-9 + 1e-15 * decay * distance / delta
    above = mechanism.log_divergence(distance, epsilon=least)
    assert above <= math.log(delta) + slack
    if least > 0 and slack < 0.1:
        assert above >= math.log(delta) - slack
    if least > 1e-8:
        assert mechanism.farthest(epsilon=least, delta=delta) >= distance - 1


@examples(40)
@given(st.floats(0.5, 1e5), st.floats(0.01, 1e4), inside("closeness_delta"))
def test_gaussian_least_epsilon_inverts_the_divergence(sigma, share, delta):
    mechanism, distance = GaussianCount(sigma), share * sigma
    least = float(mechanism.least_epsilon(distance, delta=delta))
    above = float(mechanism.log_divergence(distance, epsilon=least))
    assert above <= math.log(delta) + 1e-9
    if least > 0:
        assert above >= math.log(delta) - 1e-5
        if 1e-8 <= least <= 1e7:
            back = float(mechanism.farthest(epsilon=least, delta=delta))
            assert back == pytest.approx(distance, rel=1e-6)


@examples(30)
@given(inside("epsilon", maximum=3.0), st.floats(-3, 1), st.floats(-30, -1))
def test_randomized_response_farthest(step, log_epsilon, log_delta):
    mechanism, epsilon, delta = RandomizedResponse(step), 10**log_epsilon, math.exp(log_delta)
    h = float(mechanism.farthest(epsilon=epsilon, delta=delta))
    assert mechanism.log_divergence(h, epsilon=epsilon) <= log_delta + 1e-9
    if h < LIMITS["samples"].maximum:
        assert mechanism.log_divergence(h + 1, epsilon=epsilon) >= log_delta - 1e-9


@named
def test_item_privacy_is_the_divergence_of_neighbours(mechanism):
    for delta in (1e-9, 0.02):
        epsilon = float(mechanism.item_epsilon(delta))
        neighbours = [((0, 0, 0), (0, 1, 0)), ((1, 0, 1), (1, 1, 1))]
        if isinstance(mechanism, FiniteExponential):
            delta = 0.0  # it promises ε whatever δ
        for first, second in neighbours:
            p, q = output_law(mechanism, first), output_law(mechanism, second)
            spent = np.maximum(p - math.exp(epsilon) * q, 0).sum()
            assert spent <= delta * (1 + 1e-6) + 1e-12


def test_a_million_samples_need_epsilon_root_n():
    # the sum of two independent binomials is nearly normal, with variance n/2 at rate 1/2
    n, epsilon, beta = 10**6, 1e-3, 0.01
    needed = divergence_quantile(
        GeometricCount(epsilon), samples=n, rate=0.5, delta=1e-6, failure_probability=beta
    )
    normal = epsilon * math.sqrt(n / 2) * stats.norm.isf(beta / 2)
    assert needed == pytest.approx(normal, rel=1e-3)


@examples(80)
@given(
    st.sampled_from(["geometric", "gaussian", "response"]),
    inside("epsilon", maximum=0.5),
    inside("samples"),
    inside("rate"),
    inside("closeness_delta", minimum=1e-30),
    inside("failure_probability"),
)
@example("geometric", 1e-3, 10**6, 0.5, 1e-6, 0.01)
@example("response", 1e-3, 10**6, 0.5, 1e-6, 1e-12)
@example("gaussian", 1e-4, 10**4, 0.5, 1e-6, 0.5)
@example("geometric", 0.5, 1, 0.5, 0.5, 0.5)
def test_theorem_13_with_its_constants_holds(kind, epsilon, n, rate, delta, beta):
    if kind == "gaussian":
        mechanism = GaussianCount(1 / epsilon)
        log_item = math.log(delta) - math.log(1000 * n)
        item = float(mechanism.item_epsilon(math.exp(log_item)))
    else:
        kinds = {"geometric": GeometricCount, "response": RandomizedResponse}
        mechanism, item, log_item = kinds[kind](epsilon), epsilon, -math.inf
    privacy = {"epsilon": item, "log_delta": log_item, "log_failure": math.log(beta)}
    bound = float(theorem_13_derived(n, **privacy, delta=delta))
    exact = divergence_quantile(
        mechanism, samples=n, rate=rate, delta=delta, failure_probability=beta
    )
    assert exact <= bound * (1 + 1e-9)


@pytest.mark.parametrize(("n", "most"), [(10**2, 30), (10**4, 30), (10**5, 30)])
def test_how_far_the_derived_bound_is_from_the_truth(n, most):
    mechanism = GeometricCount(1e-4)
    exact = divergence_quantile(
        mechanism, samples=n, rate=0.5, delta=1e-9, failure_probability=1e-3
    )
    privacy = {"epsilon": 1e-4, "log_delta": -math.inf, "log_failure": math.log(1e-3)}
    bound = float(theorem_13_derived(n, **privacy, delta=1e-9))
    assert 2 <= bound / exact <= most
    assert bound < n * 1e-4 or n < 1000  # below group privacy as soon as n is large


def test_the_chain_of_theorem_13_adds_up():
    # the least λ, and the δ′ it leads to, recomputed from the docstring's formulas in mpmath
    n, epsilon, log_item, log_beta, delta = 5000, 1e-3, math.log(1e-14), math.log(1e-4), 1e-6
    bound = float(
        theorem_13_derived(
            n, epsilon=epsilon, log_delta=log_item, log_failure=log_beta, delta=delta
        )
    )
    t = math.floor(math.sqrt(8 * n * math.log(1 / (2 * math.exp(log_beta)))))

    def delta_of(epsilon_2):
        lam, a = mp.mpf(epsilon_2) / 2, 2 * mp.mpf(epsilon) * mp.sqrt(n)
        above = mp.quad(lambda y: mp.exp(y - y**2 / (2 * a**2)), [lam, lam + 3 * a, lam + 40 * a])
        below = mp.exp(lam) * mp.exp(-((lam - 8 * a**2) ** 2) / (2 * a**2))
        item = mp.exp(log_item)
        expected = (1 + mp.exp(epsilon_2)) * (1 + mp.exp(-epsilon)) * n * item + above + below
        group = item * mp.expm1(t * epsilon) / mp.expm1(epsilon)
        return 4 * mp.exp(t * epsilon) * expected + mp.exp(epsilon_2) * group

    assert delta_of(bound - t * epsilon) <= delta * (1 + 1e-11)
    assert delta_of((bound - t * epsilon) * (1 - 1e-6)) > delta


@pytest.mark.parametrize("n", [1, 10, 300])
def test_lemma_14_bounds_the_exact_expectation(n):
    # step 4 of the derivation on its own, for pure privacy
    for epsilon in (1e-3, 0.02):
        a = 2 * epsilon * math.sqrt(n)
        for share in (4, 7):
            lam = 8 * a**2 + share * a
            tail = integrate.quad(
                lambda y, a=a: math.exp(y - y * y / (2 * a * a)), lam, lam + 40 * a
            )[0]
            bound = tail + math.exp(lam - (lam - 8 * a**2) ** 2 / (2 * a**2))
            for mechanism in (GeometricCount(epsilon), RandomizedResponse(epsilon)):
                exact = expected_divergence(mechanism, samples=n, rate=0.5, epsilon=2 * lam)
                assert exact <= bound


def test_large_failures_are_treated_with_care():
    arguments = {"epsilon": 0.01, "log_delta": -math.inf, "delta": 1e-6}
    half = theorem_13_derived(100, log_failure=math.log(0.5), **arguments)
    third = theorem_13_derived(100, log_failure=math.log(LARGEST_BETA), **arguments)
    assert half == third


def test_tiny_failures_take_group_privacy():
    arguments = {"epsilon": 0.01, "log_delta": -math.inf, "delta": 1e-6}
    assert theorem_13_derived(
        10, log_failure=-10 * math.log(2) - 0.01, **arguments
    ) == pytest.approx(0.1)
    # beyond 2ε ≤ 1 the proof says nothing
    assert (
        theorem_13_derived(10, epsilon=0.6, log_delta=-math.inf, delta=1e-6, log_failure=-1.0)
        == math.inf
    )


@pytest.mark.parametrize("k", [1, 3, 12])
def test_group_privacy_of_exact_mechanisms(k):
    gaussian = GaussianCount(2.0)
    epsilon = float(gaussian.item_epsilon(1e-4))
    promise = group_privacy(k, epsilon=epsilon, log_delta=math.log(1e-4))
    true = gaussian.log_divergence(k, epsilon=float(promise.epsilon))
    assert true <= float(promise.log_delta) + 1e-9
    total = sum(math.exp(i * epsilon) * 1e-4 for i in range(k))
    assert math.exp(promise.log_delta) == pytest.approx(total, rel=1e-12)


def test_perfect_generalization_by_enumeration():
    # Lemma 30's second half on a tiny case: SIM is the law of A on a fresh sample
    mechanism, n, rate = GeometricCount(0.3), 4, 0.5
    sets = list(itertools.product([0, 1], repeat=n))
    laws = np.array([output_law(mechanism, bits) for bits in sets])
    fresh = laws.mean(axis=0)
    for epsilon, delta in ((0.2, 0.05), (0.5, 0.01)):
        forward, masses = brute_force(mechanism, n, rate, epsilon)
        b = masses[np.maximum(forward, forward.T) > delta].sum()
        with np.errstate(divide="ignore"):
            away = divergence.log_closeness(np.log(laws), np.log(fresh), epsilon=epsilon)
        failing = np.mean(away > math.log(delta + math.sqrt(b)))
        assert failing <= math.sqrt(b) + 1e-12


@pytest.mark.parametrize("mechanism", chosen(MECHANISMS, MECHANISMS[::3]), ids=lambda m: m.name)
def test_every_mechanism_has_its_views(mechanism):
    arguments = {"samples": 200, "rate": 0.5, "delta": 1e-3}
    last = list(growth(mechanism, **arguments, failure_probability=0.1))[-1]
    assert last.needed == divergence_quantile(mechanism, **arguments, failure_probability=0.1)
    draws = two_samples(mechanism, **arguments, draws=20, rng=np.random.default_rng(2))
    for draw in draws:
        # what is drawn is the pair of laws whose divergence is reported
        p, q = draw.outputs.first, draw.outputs.second
        if not draw.outputs.continuous and draw.epsilon > 0 and p.sum() > 0.999:
            spent = max(
                np.maximum(p - math.exp(draw.epsilon) * q, 0).sum(),
                np.maximum(q - math.exp(draw.epsilon) * p, 0).sum(),
            )
            assert spent == pytest.approx(1e-3, abs=4e-4)


def test_the_blow_up_of_theorem_15_follows_from_one_sided_mcdiarmid():
    """t = √(4N ln(1/(2β))) for N independent items, up to the β that the docstring names.

    P(f < E f − s) ≤ c·exp(−2s²/N) with c = 1, and in Lemma 26 as printed c = 2, for the distance f
    from a set of probability 1/2: E f ≤ √(N ln(2c)/2), and c·exp(−2(t − E f)²/N) has to be ≤ β.
    """

    def spare(beta, c):  # N = 1: t and E f are in units of √N
        t, mean = math.sqrt(4 * math.log(1 / (2 * beta))), math.sqrt(math.log(2 * c) / 2)
        return -1 if t < mean else math.log(beta / c) + 2 * (t - mean) ** 2

    for beta in (LARGEST_BETA, 0.3, 0.1, 1e-3, 1e-12, 1e-200):
        assert spare(beta, 1) >= 0
    assert spare(LARGEST_BETA + 1e-4, 1) < 0
    printed = optimize.brentq(lambda beta: spare(beta, 2), 0.1, 0.3)
    prose_text = " ".join(text for _, text in prose("perfect_generalization"))
    for number in (LARGEST_BETA, math.floor(printed * 1e4) / 1e4):
        assert f"{number}$" in prose_text
        assert f"β ≤ {number}" in generalization_bounds.__doc__


def test_gaussian_item_privacy_lies_on_the_exact_curve():
    mechanism = GaussianCount(3.0)
    for delta in (1e-9, 1e-3):
        epsilon = float(mechanism.item_epsilon(delta))
        assert float(minimal_sigma(epsilon=epsilon, delta=delta, queries=1)) == pytest.approx(3.0)
    assert mechanism.item_epsilon(0.0) == math.inf


@given(outside("rate"), outside("samples"), outside("failure_probability"))
def test_refuses_parameters_out_of_range(rate, samples, beta):
    good = {"samples": 5, "rate": 0.5, "delta": 0.1, "failure_probability": 0.1}
    for bad in (
        {"rate": rate},
        {"samples": samples},
        {"delta": 0.7},
        {"failure_probability": beta},
    ):
        (name,) = bad
        with pytest.raises(ParameterError, match=f"^{name} must be"):
            divergence_quantile(GeometricCount(1.0), **good | bad)


def test_refuses_mechanisms_out_of_range():
    with pytest.raises(ParameterError, match="epsilon"):
        GeometricCount(0.0)
    with pytest.raises(ParameterError, match="sigma"):
        GaussianCount(math.nan)
    with pytest.raises(ParameterError, match="epsilon"):
        RandomizedResponse(11.0)
    for candidates in ((1.0,), (1.0, 1.0), (1.0, math.inf), tuple(range(17))):
        with pytest.raises(ParameterError, match="candidates"):
            FiniteExponential(1.0, candidates)
    with pytest.raises(ParameterError, match=r"^samples must be at most 1000"):
        divergence_quantile(
            MECHANISMS[3], samples=1001, rate=0.5, delta=0.1, failure_probability=0.1
        )


@examples(40)
@given(
    st.floats(1, 1e9),
    st.floats(-60, -1),
    st.floats(-900, -3),
    st.floats(-200, -1),
    st.floats(1, 30),
)
def test_one_bound_is_that_of_many(n, log_epsilon, log_delta, log_failure, digits):
    """One is found in another way."""
    setting = {"epsilon": math.exp(log_epsilon / 3), "log_delta": log_delta}
    setting |= {"log_failure": log_failure, "delta": 10**-digits}
    one = theorem_13_derived(math.floor(n), **setting)
    many = theorem_13_derived(np.floor([n, n]), **setting)
    np.testing.assert_allclose(many, one, rtol=1e-9)
