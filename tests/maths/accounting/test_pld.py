import math

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from scipy import integrate
from scipy.special import ndtr

from dpviz.maths.accounting.calibration import minimal_radius, privacy_delta
from dpviz.maths.accounting.pld import bounded_noise_pld
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.parameters import ParameterError
from tests.support.examples import chosen

TUNED = TunedNoise(0.01, 2.2, 1.0)


SETTINGS = [
    (PowerNoise(2.0), 1, 1.0, 1e-6, 1e-3),
    (PowerNoise(2.0), 30, 1.0, 1e-6, 1e-3),
    (PowerNoise(0.5), 10, 2.0, 1e-3, 1e-2),
    (IteratedExponentialNoise(), 100, 0.5, 1e-8, 1e-4),
    (TUNED, 1000, 0.5, 1e-5, 1e-3),
]


@pytest.mark.parametrize(
    ("noise", "queries", "epsilon", "delta", "interval"), chosen(SETTINGS, SETTINGS[:3]), ids=str
)
def test_their_accountant_brackets_ours(noise, queries, epsilon, delta, interval):
    radius = minimal_radius(noise, epsilon=epsilon, delta=delta, queries=queries).upper
    ours = privacy_delta(noise, radius, epsilon=epsilon, queries=queries)
    low, high = (
        bounded_noise_pld(noise, radius, pessimistic=side, interval=interval)
        .self_compose(queries)
        .get_delta_for_epsilon(epsilon)
        for side in (False, True)
    )
    assert low <= ours.upper
    assert high >= ours.lower
    assert high == pytest.approx(ours.midpoint, rel=0.01)


def test_it_composes_with_gaussian_noise():
    # one answer with each: δ = E[δ_Gauss(ε − l(U))], the Gaussian's in closed form at any ε
    sigma, radius, epsilon = 4.0, 30.0, 0.3

    def gaussian(eps):
        left, right = 0.5 / sigma - eps * sigma, -0.5 / sigma - eps * sigma
        return ndtr(left) - math.exp(eps) * ndtr(right)

    def integrand(u):
        moved = u + 1 / radius
        if moved >= 1:
            return float(TUNED.density(u))
        loss = float(TUNED.log_density(u) - TUNED.log_density(moved))
        return float(TUNED.density(u)) * gaussian(epsilon - loss) if abs(loss) < 300 else 0.0

    exact, error = integrate.quad(integrand, -1, 1, limit=800, points=[0, 1 - 1 / radius])
    low, high = (
        bounded_noise_pld(TUNED, radius, pessimistic=side, interval=1e-3)
        .compose(
            from_gaussian_mechanism(
                sigma, pessimistic_estimate=side, value_discretization_interval=1e-3
            )
        )
        .get_delta_for_epsilon(epsilon)
        for side in (False, True)
    )
    assert low <= exact + error
    assert high >= exact - error
    assert high == pytest.approx(exact, rel=1e-4)


def test_one_distribution_serves_both_directions():
    law = bounded_noise_pld(TUNED, 300.0, sensitivity=10.0, interval=1e-2)
    same = bounded_noise_pld(TUNED, 30.0, interval=1e-2)
    assert law.get_delta_for_epsilon(0.3) == same.get_delta_for_epsilon(0.3)
    # the other direction: the noise moved, against the noise
    u = np.linspace(-1, 1, 2_000_001)
    other = TUNED.density(u - 1 / 30) - math.exp(0.3) * TUNED.density(u)
    integral = np.maximum(other, 0).sum() * (u[1] - u[0])
    revealed = math.exp(float(TUNED.log_tail_from_edge(1 / 30)))  # beyond the noise's own end
    assert law.get_delta_for_epsilon(0.3) == pytest.approx(integral + revealed, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "changes"),
    [("radius", {"radius": 0.5}), ("interval", {"interval": 0.0}), ("tail", {"tail": 0.2})],
)
def test_what_is_out_of_range_is_named(name, changes):
    with pytest.raises(ParameterError) as caught:
        bounded_noise_pld(TUNED, **{"radius": 30.0} | changes)
    assert caught.value.name == name
