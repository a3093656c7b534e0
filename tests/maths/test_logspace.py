import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import logsumexp

from dpviz.maths.logspace import log1mexp, log_failure_of_each, log_sum_exp
from tests.support.examples import examples


@given(st.floats(-745.0, -1e-300))
def test_log1mexp_against_mpmath(x):
    with mp.workdps(400):
        expected = mp.log1p(-mp.exp(mp.mpf(x)))
    assert float(log1mexp(x)) == pytest.approx(float(expected), rel=1e-15, abs=1e-320)


def test_log1mexp_ends_and_shape():
    assert np.array_equal(log1mexp([0.0, -math.inf]), [-math.inf, 0.0])
    assert log1mexp(np.full((2, 3), -1.0)).shape == (2, 3)


@given(st.floats(1e-12, 0.5), st.integers(1, 10**10))
def test_failure_of_each_adds_up_to_failure_of_any(beta, count):
    with mp.workdps(60):
        p = mp.exp(mp.mpf(log_failure_of_each(beta, count)))
        any_fails = 1 - (1 - p) ** count
    assert float(any_fails) == pytest.approx(beta, rel=1e-13)


@examples(40)
@given(
    hnp.arrays(
        float, (3, 4), elements=st.one_of(st.floats(-800, 800), st.sampled_from([-np.inf, np.inf]))
    ),
    st.sampled_from([None, 0, 1]),
)
def test_a_sum_of_exponentials_is_that_of_scipy(logs, axis):
    expected = logsumexp(logs, axis=axis)
    np.testing.assert_allclose(log_sum_exp(logs, axis=axis), expected, rtol=1e-13, atol=1e-13)
