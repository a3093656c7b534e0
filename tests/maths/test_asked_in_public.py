"""The questions that docs/numbers.md takes from public threads, answered as typed and apart."""

import json
import math
import re
from itertools import product

import mpmath
import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from scipy.optimize import brentq

from dpviz import __main__ as command
from dpviz.maths.mechanisms import read_mechanism
from dpviz.results.folders import ROOT
from tests.maths.test_composing import their_epsilons

ROW = re.compile(
    r"^\| .*\((https://github\.com/\S+)\)\) \| `dpviz ([^`]+)` \| ([^|]+) \| .* \|$", re.M
)


def gaussian_delta(sigma, epsilon):
    with mpmath.workdps(50):
        m = 1 / mpmath.mpf(sigma)
        under = mpmath.ncdf(-m / 2 - epsilon / m)
        return float(mpmath.ncdf(m / 2 - epsilon / m) - mpmath.exp(epsilon) * under)


def textbook_is_too_small(found):
    assert gaussian_delta(found["upper"] / 2000, 50) <= 1e-6 * (1 + 1e-9)
    assert gaussian_delta(found["lower"] / 2000, 50) >= 1e-6 * (1 - 1e-9)
    textbook = math.sqrt(2 * math.log(1.25e6)) / 50
    assert gaussian_delta(textbook, 50) > 1e-3
    return found["value"]


def loss_distributions(typed, delta):
    def by_theirs(found):
        ends = their_epsilons([read_mechanism(one) for one in typed.split()], delta)
        assert found["lower"] <= ends[1]
        assert found["upper"] >= ends[0]
        assert ends[1] - ends[0] < 0.03 * ends[1]
        return (ends[0] + ends[1]) / 2

    return by_theirs


def saddle_point(found):
    """δ(ε) ≈ e^(K(c) − cε)/(c(1 + c)√(2πK″(c))), K a sum over a fine grid: trapezoids."""
    sigma, rate, count, delta = 4.0, 0.00033, 10_000, 1.13e-18
    x = np.linspace(-50, 90, 28_001)
    loss = np.log1p(rate * np.expm1((2 * x - 1) / (2 * sigma**2)))
    usual = np.exp(-((x / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)) * (x[1] - x[0])

    def cumulants(c):
        weight = usual * np.exp((1 + c) * loss)
        parts = [float((weight * loss**power).sum()) for power in (0, 1, 2)]
        mean = parts[1] / parts[0]
        return count * math.log(parts[0]), count * mean, count * (parts[2] / parts[0] - mean**2)

    def log_delta(epsilon):
        def excess(c):
            return cumulants(c)[1] - 1 / c - 1 / (1 + c) - epsilon

        c = brentq(excess, 1, 1500, xtol=1e-3)
        log_total, _, variance = cumulants(c)
        curvature = variance + 1 / c**2 + 1 / (1 + c) ** 2
        return (
            log_total - c * epsilon - math.log(c * (1 + c)) - math.log(2 * math.pi * curvature) / 2
        )

    assert found["upper"] < 0.669
    return brentq(lambda e: log_delta(e) - math.log(delta), 0.05, 0.1, xtol=1e-6)


def orders(found):
    given = {8: 0.5, 16: 1.1, 32: 2.5}
    theirs, _ = rdp_privacy_accountant.compute_epsilon(list(given), list(given.values()), 1e-5)
    assert found["lower"] <= theirs
    return theirs


def batch(found):
    """The least ε by bisection, δ the sum over how many of 20 answers, and of one, favour each."""

    def delta(epsilon):
        p, q = 1 / (1 + math.exp(-0.1)), 1 / (1 + math.exp(-0.5))
        total = 0.0
        for right, up in product(range(21), (0, 1)):
            chance = math.comb(20, right) * p**right * (1 - p) ** (20 - right)
            chance *= q if up else 1 - q
            loss = 0.1 * (2 * right - 20) + (0.5 if up else -0.5)
            total += chance * max(-math.expm1(epsilon - loss), 0.0)
        return total

    epsilon = brentq(lambda e: delta(e) - 1e-6, 0.1, 2.4999)
    assert found["lower"] <= epsilon * (1 + 1e-9)
    return epsilon


def chain(found):
    assert found["how"]["epsilon_of_group"] == 1
    return sum(1e-8 * math.exp(0.1 * i) for i in range(10))


BY_OTHER_MEANS = {
    "smartnoise-sdk/issues/462": textbook_is_too_small,
    "autodp/issues/39": lambda _: gaussian_delta(0.4, 15),
    "prv_accountant/issues/42": loss_distributions("gaussian:sigma=1,rate=0.2,count=10", 1e-5),
    "prv_accountant/issues/17": saddle_point,
    "opacus/issues/643": loss_distributions("gaussian:sigma=3,rate=0.2,count=50", 1 / 48_000),
    "opacus/issues/157": orders,
    "smartnoise-sdk/issues/422": batch,
    "PipelineDP/issues/35": loss_distributions(
        "laplace:scale=4,count=2 gaussian:sigma=4 approximate:epsilon=0.1,delta=1e-8", 1e-6
    ),
    "differential-privacy/issues/72": chain,
}
ROWS = ROW.findall((ROOT / "docs" / "numbers.md").read_text(encoding="utf-8"))


def test_every_question_has_an_answer_by_other_means():
    asked = [address.split("/", 4)[4] for address, _, _ in ROWS]
    assert len(asked) >= 8
    assert set(asked) == set(BY_OTHER_MEANS)


@pytest.mark.parametrize(("address", "typed", "said"), ROWS, ids=[row[0][19:] for row in ROWS])
def test_what_is_typed_answers_it(address, typed, said, capsys):
    assert command.main(typed.split()) == 0
    words, _, number = said.rpartition(" ")
    printed = capsys.readouterr().out
    assert printed.startswith(words)
    assert command.main([*typed.split(), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    right = BY_OTHER_MEANS[address.split("/", 4)[4]](found)
    assert found["value"] == pytest.approx(float(number), rel=5e-4)
    assert found["value"] == pytest.approx(right, rel=0.02)
    if "dp_accounting" not in address:
        assert found["lower"] * (1 - 5e-3) <= right <= found["upper"] * (1 + 5e-3)
