"""The table of noises, held against Google's dp_accounting, and against what the noises promise."""

import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

from dpviz.maths import comparison, gaussian
from dpviz.maths.comparison import compare
from dpviz.maths.discrete_noise import discrete_gaussian_noise, geometric_noise
from dpviz.maths.laplace_rivals import laplace_noise
from dpviz.results.parameters import ParameterError

SETTINGS = [(0.5, 1e-6, 1), (0.8, 1e-6, 10), (0.9, 1e-5, 100)]
STEP = 1e-4


def known(key, privacy):
    """The mechanism of a row as dp_accounting has it, for one answer; None where it has none."""
    make = {
        "gaussian": lambda: pld.from_gaussian_mechanism(
            float(gaussian.minimal_sigma(**privacy)), value_discretization_interval=STEP
        ),
        "laplace": lambda: pld.from_laplace_mechanism(
            1 / laplace_noise(**privacy).rate, value_discretization_interval=STEP
        ),
        "discrete_laplace": lambda: pld.from_discrete_laplace_mechanism(
            geometric_noise(**privacy).decay, value_discretization_interval=STEP
        ),
        "discrete_gaussian": lambda: pld.from_discrete_gaussian_mechanism(
            discrete_gaussian_noise(**privacy).sigma, value_discretization_interval=STEP
        ),
    }
    return make[key]()


@pytest.mark.parametrize(("epsilon", "delta", "queries"), SETTINGS)
@pytest.mark.parametrize("key", ["gaussian", "laplace", "discrete_laplace", "discrete_gaussian"])
def test_dp_accounting_finds_the_same_delta(key, epsilon, delta, queries):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    composed = known(key, privacy).self_compose(queries)
    above, below = (
        composed.get_delta_for_epsilon(epsilon + shift * STEP * queries) for shift in (-1, 1)
    )
    # dp_accounting rounds each loss by up to a step; and of whole numbers not every δ is reached
    assert below <= delta * (1 + 1e-6)
    if key in ("gaussian", "laplace") and queries > 1:
        assert above >= delta * (1 - 1e-3)


@pytest.mark.parametrize(("epsilon", "delta", "queries"), SETTINGS)
def test_a_row_is_what_its_noise_does(epsilon, delta, queries):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    table = compare(**privacy)
    assert [row.key for row in table.rows] == list(comparison.NAMES)
    laplace = laplace_noise(**privacy)
    draws = np.random.default_rng(1).laplace(scale=1 / laplace.rate, size=(4000, queries))
    row = table.row("laplace")
    assert row.deviation == pytest.approx(draws.std(), rel=0.1)
    exceeded = (np.abs(draws).max(axis=1) > row.likely).mean()
    assert exceeded == pytest.approx(0.05, abs=0.015)
    for row in table.rows:
        if row.known:
            assert row.deviation <= row.likely or queries == 1
            assert row.likely <= row.bound
    assert table.row("gaussian").deviation < table.row("textbook_gaussian").deviation
    assert table.row("tuned").bound <= table.row("bounded").bound


def test_what_is_not_known_is_said():
    table = compare(epsilon=2, delta=1e-6, queries=10**5)
    for key in ("textbook_gaussian", "laplace", "truncated_laplace", "discrete_gaussian"):
        assert not table.row(key).known
        assert math.isnan(table.row(key).bound)
        assert table.row(key).remark
    for row in table.as_dict()["rows"]:
        assert row["hard_bound"] is None or row["hard_bound"] > 0
    with pytest.raises(ParameterError):
        compare(epsilon=-1, delta=1e-6, queries=1)


def test_a_table_can_be_read_as_text_html_and_data_frame():
    table = compare(epsilon=0.5, delta=1e-6, queries=10)
    assert len(repr(table).splitlines()) == len(comparison.NAMES) + 2
    assert table._repr_html_().count("<tr>") == len(comparison.NAMES) + 1
    frame = table.table()
    assert list(frame["noise"]) == list(comparison.NAMES)
    assert frame["hard_bound"].iloc[0] == math.inf


@pytest.mark.parametrize(("epsilon", "delta"), [(0.001, 0.1), (0.01, 0.01)])
def test_truncated_laplace_wins_where_it_is_best(epsilon, delta):
    """Its rate was searched too far up: the tuned noise won by 1 and lost by 5 per cent."""
    rows = [row for row in compare(epsilon=epsilon, delta=delta, queries=1).rows if row.known]
    rows = [row for row in rows if row.key not in (*comparison.COUNTS, "end_staircase")]
    least = min(rows, key=lambda row: row.bound)
    assert least.key == "truncated_laplace"
    assert least.bound == pytest.approx(math.log1p(math.expm1(epsilon) / (2 * delta)) / epsilon)
