"""Ends keep to their safe side, and the ends of searches and of floating point are named."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpviz
from dpviz.plot.text import between, downwards, upwards
from dpviz.results.ends import rounded_down, rounded_up, told_apart
from dpviz.results.evidence import Bracket
from tests.support.examples import examples


@examples(200)
@given(st.floats(-1e300, 1e300), st.integers(1, 7))
def test_a_lower_end_is_rounded_down_and_an_upper_one_up(value, digits):
    down, up = rounded_down(value, digits), rounded_up(value, digits)
    assert down <= value <= up
    assert float(f"{down:.{digits - 1}e}") == down
    assert up - down <= max(abs(down), abs(up)) * 10.0 ** (1 - digits) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("lower", "upper", "beyond", "said"),
    [
        (0.0, 1e-7, False, "at most 10⁻⁷"),
        (0.0, 1e-300, False, "below 10⁻³⁰⁰"),
        (20_000, math.inf, True, "more than 20,000"),
        (45, math.inf, False, "at least 45"),
        (45, 395, False, "between 45 and 395"),
        (0.12345, 0.12399, False, "between 0.123 and 0.124"),
        (3, 3, False, "3"),
        (0, 0, False, "0"),
    ],
)
def test_what_is_known_is_said(lower, upper, beyond, said):
    assert between(lower, upper, beyond=beyond) == said


def test_words_round_to_their_side():
    assert (downwards(0.10199), upwards(0.10101)) == ("0.101", "0.102")


def test_what_underflowed_is_not_nothing():
    assert told_apart(Bracket(0.0, 0.0)) == Bracket(0.0, 1e-300)
    assert told_apart(Bracket(1e-310, 1e-309)) == Bracket(0.0, 1e-300)
    assert told_apart(Bracket(0.1, 0.2)) == Bracket(0.1, 0.2)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda: dpviz.delta(epsilon=1, queries=1, sigma=1e12), "δ is below 1e-300"),
        (lambda: dpviz.delta(epsilon=1, queries=1, radius=1e6), "δ is below 1e-300"),
        (lambda: dpviz.epsilon(delta=0.5, queries=1, sigma=1), "ε = 0"),
        (lambda: dpviz.epsilon(delta=0.01, queries=1, sigma=100), "ε = 0"),
        (lambda: dpviz.epsilon(delta=0.01, queries=1, radius=1e6), "ε is at most 1e-07"),
        (
            lambda: dpviz.users(bias=1e-9, examples_per_user=1, epsilon=1),
            "n is more than 20,000 users",
        ),
    ],
)
def test_an_answer_at_an_end_says_so(answer, said):
    found = answer()
    assert found.equation == said
    assert repr(found).startswith(said)
    assert said.partition("is ")[2].removesuffix(" users") in (found.as_dict()["known"], "")
    assert "exact" not in repr(found).partition("(")[2].partition(";")[0] or found.value == 0


def test_a_lower_end_of_gaussian_noise_is_not_private():
    """Of one answer at ε = 1, δ = 1e-5, by a root of Balle & Wang's formula in 40 digits."""
    mp = pytest.importorskip("mpmath").mp

    def delta(sigma):
        sigma = mp.mpf(sigma)
        return mp.ncdf(1 / (2 * sigma) - sigma) - mp.e * mp.ncdf(-1 / (2 * sigma) - sigma)

    with mp.workdps(40):
        found = dpviz.sigma(epsilon=1, delta=1e-5, queries=1)
        assert delta(found.upper) <= mp.mpf("1e-5") < delta(found.lower)
        assert found.lower < found.upper
