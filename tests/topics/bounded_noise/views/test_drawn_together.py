"""Noise drawn together beside noise drawn one by one: radii, claims, and what is drawn of them."""

import math

import numpy as np
import pytest

from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.joint_noise import MOST_QUERIES, joint_radius
from dpviz.maths.laplace_rivals import truncated_laplace_noise
from dpviz.maths.noise_converse import least_radius
from dpviz.results.parameters import ParameterError
from dpviz.topics.bounded_noise.views.drawn_together import drawn_together
from dpviz.topics.bounded_noise.views.drawn_together_shown import takeaway
from tests.support.examples import chosen

PRIVACY = {"epsilon": 1.0, "delta": 1e-5}


def results(queries=10.0, **privacy):
    asked = PRIVACY | privacy | {"queries": queries}
    return list(drawn_together(**asked, rng=np.random.default_rng(7)))


@pytest.fixture(scope="module")
def shown():
    return results()


def test_the_first_result_has_what_is_known_at_once_and_claims_no_winner(shown):
    first = shown[0]
    assert first.alone is None
    assert {curve.key for curve in first.radii.curves} == {"together", "floor", "any"}
    assert math.isnan(first.radii.alone)
    for result in shown:  # strong are the curves that the headline speaks of
        spoken = {"together"} if math.isnan(result.radii.alone) else {"together", "alone"}
        assert set(result.radii.in_headline) == spoken
    hundred = next(iter(drawn_together(**PRIVACY, queries=100.0, rng=np.random.default_rng(7))))
    assert takeaway(hundred).endswith("Δ.")  # which is smaller is not known yet
    assert "independent" not in takeaway(hundred)


def test_the_radii_are_those_of_the_core(shown):
    radii = shown[-1].radii
    asked = PRIVACY | {"queries": 10.0}
    assert radii.together == joint_radius(**asked)
    tuned = tuned_noise(**asked).best.radius.upper
    assert radii.alone == min(tuned, truncated_laplace_noise(**asked).radius)
    assert radii.together.upper < radii.floor <= least_radius(**asked)
    floors = {curve.key: curve for curve in radii.curves}
    assert floors["floor"].y[0] == floors["any"].y[0]  # one answer has no other
    assert radii.alone > radii.floor


def test_the_crossing_is_where_the_order_turns(shown):
    radii = shown[-1].radii
    assert radii.crossing == 91  # 90 in `benchmarks.joint`, by the least radius of the shape
    [mark] = radii.marks
    assert mark.x == 91
    sizes = {
        k: joint_radius(**PRIVACY, queries=k).upper
        - tuned_noise(**PRIVACY, queries=k).best.radius.upper
        for k in (91, 92)
    }
    assert sizes[91] < 0 < sizes[92]


def test_draws_keep_within_their_squares_and_fill_them_by_their_laws(shown):
    last = shown[-1]
    for radius, errors in (last.joint, last.alone):
        assert errors.shape == (250, 2)
        assert np.abs(errors).max() <= radius
    table = last.columns()
    assert {len(column) for column in table.values()} == {len(table["part"])}
    assert np.sum(table["part"] == "draw") == 500


@pytest.mark.parametrize(
    ("queries", "said"),
    chosen(
        [
            (1, "nothing to draw together"),
            (2, "drawn for both answers together keeps every error within 13.9 Δ; "),
            (10, "28.6 Δ; tuned or Laplace noise, drawn independently, 52.3 Δ."),
            (60, "tuned or Laplace noise, drawn independently, 101 Δ."),
            (90, "drawn independently, 132.1"),
            (100, "this noise, drawn together, needs at least 143 Δ."),
        ],
        [(2, "drawn for both answers together"), (100, "needs at least 143 Δ.")],
    ),
)
def test_the_headline_names_what_is_smaller_where_that_is_known(queries, said):
    assert said in takeaway(results(float(queries))[-1])


def test_more_answers_than_are_computed_are_refused():
    with pytest.raises(ParameterError, match="queries"):
        results(MOST_QUERIES + 1.0)


def test_truncated_laplace_noise_is_drawn_by_its_law():
    noise = truncated_laplace_noise(**PRIVACY, queries=2.0)
    sizes = np.sort(np.abs(noise.sample(np.random.default_rng(3), 4000)))
    cut = -math.expm1(-noise.rate * noise.radius)
    law = -np.expm1(-noise.rate * sizes) / cut
    away = np.abs(law - (np.arange(4000) + 0.5) / 4000).max()
    assert away < 1.95 / math.sqrt(4000)  # Kolmogorov, one time in a thousand; the seed is fixed
    assert sizes[-1] <= noise.radius
