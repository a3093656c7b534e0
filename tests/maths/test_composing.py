"""Several mechanisms together, against dp_accounting, mpmath and sums over all outcomes."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as pld

import dpviz
from dpviz.maths import composed_losses, gaussian
from dpviz.maths.accounting import calibration
from dpviz.maths.accounting.pld import bounded_noise_pld
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.maths.composing import compose
from dpviz.maths.mechanisms import KINDS, Gaussian, Laplace, read_mechanism
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.parameters import ParameterError
from tests.support.examples import by_ring

STEP = 5e-4


def theirs(one, *, pessimistic):
    """One answer of a mechanism as dp_accounting has it."""
    how = {"pessimistic_estimate": pessimistic, "value_discretization_interval": STEP}
    kind = one.kind
    if kind == "gaussian":
        return pld.from_gaussian_mechanism(
            one.sigma, sensitivity=one.sensitivity, sampling_prob=one.rate, **how
        )
    if kind == "laplace":
        return pld.from_laplace_mechanism(one.scale, sensitivity=one.sensitivity, **how)
    if kind == "discrete_laplace":
        return pld.from_discrete_laplace_mechanism(
            1 / one.scale, sensitivity=int(one.sensitivity), **how
        )
    if kind == "discrete_gaussian":
        return pld.from_discrete_gaussian_mechanism(
            one.sigma, sensitivity=int(one.sensitivity), **how
        )
    if kind == "response" or not pessimistic:  # of guarantees it has no optimistic one
        values = getattr(one, "values", 2)
        told = values / (math.exp(one.epsilon) + values - 1)
        return pld.from_randomized_response(told, values, **how)
    given = common.DifferentialPrivacyParameters(one.epsilon, getattr(one, "delta", 0.0))
    return pld.from_privacy_parameters(given, value_discretization_interval=STEP)


def their_epsilons(mechanisms, delta):
    """Both ends; its lattice is coarse, so that a sampled Gaussian takes it no seconds."""
    ends = []
    for pessimistic in (False, True):
        total = None
        for one in mechanisms:
            part = theirs(one, pessimistic=pessimistic)
            part = part.self_compose(one.count) if one.count > 1 else part
            total = part if total is None else total.compose(part)
        ends.append(total.get_epsilon_for_delta(delta))
    return ends


def drawn(rng):
    """Some mechanisms at random, of those that dp_accounting has too, of a size that it can do."""

    def of(low, high):
        return math.exp(rng.uniform(math.log(low), math.log(high)))

    kinds = {
        "gaussian": lambda: f"sigma={of(1, 30):.4g},sensitivity={of(0.5, 2):.3g}",
        "laplace": lambda: f"scale={of(1, 30):.4g},sensitivity={of(0.5, 2):.3g}",
        "discrete_laplace": lambda: f"scale={of(1, 20):.4g},sensitivity={rng.integers(1, 4)}",
        "discrete_gaussian": lambda: f"sigma={of(2, 20):.4g},sensitivity={rng.integers(1, 3)}",
        "response": lambda: f"epsilon={of(0.05, 1):.4g},values={rng.integers(2, 6)}",
        "pure": lambda: f"epsilon={of(0.05, 1):.4g}",
        "approximate": lambda: f"epsilon={of(0.05, 1):.4g},delta={of(1e-12, 1e-8):.3g}",
    }
    names = rng.choice(list(kinds), size=rng.integers(1, 5), replace=False)
    return [
        read_mechanism(f"{name}:{kinds[name]()},count={int(of(1, 30))}") for name in map(str, names)
    ]


@pytest.mark.parametrize("seed", by_ring(range(6), range(12), range(60)))
def test_dp_accounting_lies_between_the_ends(seed):
    rng = np.random.default_rng(seed)
    mechanisms, delta = drawn(rng), 10 ** rng.uniform(-7, -3)
    found = compose(mechanisms, delta=delta)
    optimistic, pessimistic = their_epsilons(mechanisms, delta)
    assert found.lower <= pessimistic + 1e-9, mechanisms
    assert found.upper >= optimistic - 1e-9, mechanisms
    assert found.upper - found.lower <= 2e-3 * found.upper + 1e-9, mechanisms
    back = compose(mechanisms, epsilon=max(found.upper, 1e-7))
    assert back.lower <= delta * (1 + 1e-9)
    assert back.upper >= delta * (1 - 1e-2) or found.upper == 0


SAMPLED = [
    (0.8, 0.2, 30, 1e-6),
    (4.0, 0.5, 50, 1e-4),
    (1.0, 0.01, 1000, 1e-5),
    (0.5, 0.001, 100, 1e-6),
]


@pytest.mark.parametrize(
    ("sigma", "rate", "count", "delta"), by_ring(SAMPLED[:2], SAMPLED, SAMPLED)
)
def test_a_sampled_gaussian_is_that_of_dp_accounting(sigma, rate, count, delta):
    one = Gaussian(sigma=sigma, rate=rate, count=count)
    found = compose([one], delta=delta)
    optimistic, pessimistic = their_epsilons([one], delta)
    assert found.lower <= pessimistic
    assert found.upper >= optimistic
    assert found.upper - found.lower <= 3e-3 * found.upper


def test_all_records_are_a_sample_with_a_rate_of_1():
    all_of_them = compose(["gaussian:sigma=3,count=5"], delta=1e-6)
    nearly = compose(["gaussian:sigma=3,rate=0.9999999,count=5"], delta=1e-6)
    assert nearly.value == pytest.approx(all_of_them.value, rel=1e-4)
    assert all_of_them.value == pytest.approx(
        float(gaussian.least_epsilon(np.array([math.sqrt(5) / 3]), np.array([1e-6]))[0])
    )


@pytest.mark.parametrize(
    ("sigma", "scale", "epsilon"),
    [(2.0, 1.0, 2.5), (0.3, 3.0, 9.0), (40.0, 0.5, 1.9), (5.0, 5.0, 3.0)],
)
def test_a_gaussian_and_a_laplace_answer_are_what_mpmath_integrates(sigma, scale, epsilon):
    """δ(ε) = E[δ_μ(ε − l)] over the losses l of the Laplace answer: two atoms and a density."""
    with mpmath.workdps(30):
        mu, most = mpmath.mpf(1) / sigma, mpmath.mpf(1) / scale

        def profile(x):
            a, b = x / mu - mu / 2, x / mu + mu / 2
            return mpmath.ncdf(-a) - mpmath.exp(x) * mpmath.ncdf(-b)

        inside = mpmath.quad(
            lambda loss: mpmath.exp((loss - most) / 2) / 4 * profile(epsilon - loss),
            mpmath.linspace(-most, most, 9),
        )
        exact = (profile(epsilon - most) + mpmath.exp(-most) * profile(epsilon + most)) / 2 + inside
    found = compose([f"gaussian:sigma={sigma}", f"laplace:scale={scale}"], epsilon=epsilon)
    assert found.lower <= exact <= found.upper
    assert found.upper <= found.lower * (1 + 1e-3)


def test_pure_answers_are_a_sum_over_all_their_outcomes():
    epsilons = [0.3, 0.7, 0.7, 1.1, 0.05]
    losses = [sum(signs) for signs in product(*[(e, -e) for e in epsilons])]
    chances = [
        math.prod(1 / (1 + math.exp(-s)) for s in signs)
        for signs in product(*[(e, -e) for e in epsilons])
    ]
    typed = [f"pure:epsilon={e}" for e in epsilons]
    for epsilon in (0.1, 1.3, 2.2, 2.8):
        exact = math.fsum(
            p * max(-math.expm1(epsilon - loss), 0.0)
            for p, loss in zip(chances, losses, strict=True)
        )
        found = compose(typed, epsilon=epsilon)
        assert found.lower <= exact * (1 + 1e-12)
        assert exact <= found.upper * (1 + 1e-12)
        assert found.upper - found.lower <= 5e-3 * exact
    assert compose(typed, delta=0).value == pytest.approx(sum(epsilons))
    assert compose(typed, epsilon=2.86).value == 0


@pytest.mark.parametrize(
    ("typed", "noise", "radius", "count"),
    [
        ("power:radius=130", PowerNoise(2.0), 130.0, 40),
        (
            "tuned:radius=650,barrier=0.01,bulk=2.2,power=1,cut=1",
            TunedNoise(0.01, 2.2, 1.0),
            650.0,
            100,
        ),
    ],
)
def test_bounded_noise_on_the_lattice_is_what_its_accountant_says(typed, noise, radius, count):
    """Alone it is left to the accountant; beside what hardly matters it is on the lattice."""
    bounds = calibration.privacy_delta(noise, radius, epsilon=1.0, queries=count)
    alone = compose([f"{typed},count={count}"], epsilon=1.0)
    assert (alone.lower, alone.upper) == (bounds.lower, bounds.upper)
    both = compose([f"{typed},count={count}", "pure:epsilon=1e-7"], epsilon=1.0)
    assert both.lower <= bounds.upper
    assert both.upper >= bounds.lower
    assert both.upper - both.lower <= 0.03 * both.upper
    least = compose([f"{typed},count={count}"], delta=bounds.upper)
    assert least.upper == pytest.approx(1, rel=1e-3)


def test_bounded_noise_beside_a_gaussian_is_what_dp_accounting_composes():
    deltas = []
    for pessimistic in (False, True):
        answers = bounded_noise_pld(
            TunedNoise(0.01, 2.2, 1.0), radius=650.0, interval=STEP, pessimistic=pessimistic
        )
        other = pld.from_gaussian_mechanism(
            4.0, value_discretization_interval=STEP, pessimistic_estimate=pessimistic
        )
        deltas.append(answers.self_compose(100).compose(other).get_delta_for_epsilon(1.0))
    typed = "tuned:radius=650,barrier=0.01,bulk=2.2,power=1,cut=1,count=100"
    found = compose([typed, "gaussian:sigma=4"], epsilon=1)
    assert deltas[0] <= found.upper <= deltas[1] * 1.01
    assert found.lower <= deltas[1]


@pytest.mark.parametrize("scale", [2.0, 9.0])
def test_truncated_noise_reveals_itself_at_its_ends(scale):
    cut = compose([f"truncated_laplace:scale={scale},radius={12 * scale},count=3"], epsilon=1.2)
    whole = compose([f"laplace:scale={scale},count=3"], epsilon=1.2)
    rate = 1 / scale
    last = math.exp(-12) * math.expm1(rate) / (-2 * math.expm1(-12))
    ends = 1 - (1 - last) ** 3
    assert cut.lower >= ends * (1 - 1e-9)
    assert cut.upper <= (ends + whole.upper) * 1.01
    counts = compose([f"truncated_discrete_laplace:scale={scale},radius=60,count=3"], epsilon=1.2)
    full = compose([f"discrete_laplace:scale={scale},count=3"], epsilon=1.2)
    assert counts.upper >= full.lower


def test_as_many_more_fit_as_fit():
    for given in (["gaussian:sigma=20"], ["gaussian:sigma=20", "pure:epsilon=0.1"], []):
        for more in ("gaussian:sigma=20", "laplace:scale=20", "discrete_gaussian:sigma=20"):
            found = compose(given, epsilon=1, delta=1e-6, more=more)
            assert found.lower == found.value == int(found.value)
            fits = compose([*given, f"{more},count={int(found.lower)}"], epsilon=1)
            over = compose([*given, f"{more},count={int(found.upper) + 1}"], epsilon=1)
            assert fits.upper <= 1e-6 * (1 + 1e-9)
            assert over.lower > 1e-6 * (1 - 1e-9)
    assert compose([], epsilon=1, delta=0, more="pure:epsilon=0.1").value == 10
    with pytest.raises(ParameterError, match="already without more it is used up"):
        compose(["gaussian:sigma=1"], epsilon=1, delta=1e-6, more="pure:epsilon=1")


def test_a_profile_of_gaussian_noise_holds_at_every_real_epsilon():
    for mu in (1e-4, 0.3, 4.0):
        x = mu * np.array([-9.0, -2.0, -1e-3, 0.0, 0.5, 3.0, 11.0])
        with mpmath.workdps(40):
            exact = [
                mpmath.log(mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m))
                for e, m in ((mpmath.mpf(float(one)), mpmath.mpf(mu)) for one in x)
            ]
        found = composed_losses.log_profile(x, mu)
        assert np.allclose(found, np.array(exact, dtype=float), rtol=1e-9, atol=1e-13)


def test_a_mechanism_is_read_as_it_is_printed():
    for seed in range(20):
        for one in drawn(np.random.default_rng(seed)):
            assert read_mechanism(str(one)) == one
    assert Laplace(scale=2.0) == read_mechanism("laplace: scale = 2")
    assert set(KINDS) >= {"gaussian", "laplace", "discrete_gaussian", "tuned", "gdp"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"mechanisms": ["gauss:sigma=2"]}, "one of gaussian, laplace"),
        ({"mechanisms": ["gaussian"]}, "gaussian:sigma=..."),
        ({"mechanisms": ["gaussian:sigma=2,sigma=3"]}, "gaussian:sigma=..."),
        ({"mechanisms": ["gaussian:sigma=2,colour=3"]}, "gaussian:sigma=..."),
        ({"mechanisms": ["gaussian:sigma=-2"]}, "sigma must be"),
        ({"mechanisms": ["gaussian:sigma=2,count=1.5"]}, "count must be a whole number"),
        ({"mechanisms": ["gaussian:sigma=2,rate=2"]}, "rate must be"),
        ({"mechanisms": ["discrete_laplace:scale=2,sensitivity=1.5"]}, "whole number"),
        ({"mechanisms": ["power:radius=0.5"]}, "more than half the sensitivity"),
        ({"mechanisms": ["gaussian:sigma=2" + "0" * 1000]}, "one of gaussian"),
        ({"mechanisms": []}, "1 to 30"),
        ({"mechanisms": ["pure:epsilon=1"], "delta": 0.7}, "delta must be"),
        ({"mechanisms": ["pure:epsilon=1"], "delta": 1e-301}, "delta must be 0, or"),
        ({"mechanisms": ["gaussian:sigma=2"], "delta": 0}, "above 0, as not all"),
        (
            {"mechanisms": ["approximate:epsilon=1,delta=0.1"], "delta": 0.05},
            "delta must be larger",
        ),
        ({"mechanisms": ["pure:epsilon=1"], "delta": 0.1, "epsilon": 1}, "both only beside more"),
        ({"mechanisms": ["pure:epsilon=1"], "delta": None}, "given, or epsilon"),
        ({"mechanisms": ["pure:epsilon=1"], "epsilon": 101, "delta": None}, "epsilon must be"),
        ({"mechanisms": [], "more": "pure:epsilon=1,count=3", "epsilon": 1}, "without its count"),
        ({"mechanisms": [], "more": "pure:epsilon=1"}, "epsilon must be given beside more"),
    ],
)
def test_what_cannot_be_composed_is_refused_in_words(given, words):
    with pytest.raises(ParameterError, match=words):
        compose(**{"delta": 1e-6, **given})


def test_it_is_one_of_the_few_names():
    assert dpviz.compose is compose
