"""Promised and kept privacy: the view, against numbers found apart from it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.plot.theme import LIGHT
from dpviz.topics.propose_test_release.delstab import Budget, DelStab
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views import promised_and_kept_shown
from dpviz.topics.propose_test_release.views.promised_and_kept import promised_and_kept
from dpviz.topics.propose_test_release.views.promised_and_kept_shown import VIEW

USUAL = {"bit_users": 60, "promised_epsilon": 3.0, "promised_delta": 1e-3}


@pytest.mark.parametrize(("noise", "expected"), [(0.02, 0.003), (0.1, 1.003), (0.5, 1.002)])
def test_known_values(noise, expected):
    first = promised_and_kept(**USUAL, noise_epsilon=noise)
    assert round(first.exact, 3) == expected
    assert first.exact < first.promised == 3.0


@pytest.mark.parametrize("loss", [0.005, 0.05, 0.3, 1.0, 5.0])
def test_what_is_kept_is_never_more_than_promised_and_never_refuses_where_little_is_kept(loss):
    setting = {"bit_users": 24, "promised_epsilon": 8, "promised_delta": 0.1}
    kept = promised_and_kept(**setting, noise_epsilon=loss)
    assert kept.exact <= kept.promised
    noise = {"mechanism": GeometricCount(loss), "epsilon": 8.0, "delta": 0.1}
    sure = [DelStab(np.repeat([0.0, 1.0], [24 - k, k]), **noise) for k in range(25)]
    if max(run.refusal_probability for run in sure) < 1e-12:
        assert kept.exact <= loss + 1e-9  # post-processing of noise on fewer users


def test_the_bars_are_as_long_as_their_numbers_and_the_budget_is_dragged():
    kept = promised_and_kept(**USUAL, noise_epsilon=0.1)
    figure = promised_and_kept_shown.figure(kept, replace(LIGHT, labels="few"))
    bars = [trace["x"][0] for trace in figure.data if trace["type"] == "bar"]
    assert bars == [kept.promised, kept.exact]
    assert figure.layout["meta"]["drag"] == {"key": "promised_epsilon", "x": 3.0, "y": 1.0}
    said = " ".join(note["text"] for note in figure.layout["annotations"])
    assert "margin in the proof" in said
    for number in ("3", "1.01"):  # at the end of its bar
        assert f"<b>{number}</b>" in said
    assert "without a test, would lose 0.098." in VIEW.detail(kept)
    assert VIEW.takeaway(kept) == (
        "The proof promises privacy loss ε = 3 at δ = 0.001; the loss for the worst pair of "
        "neighbouring data sets is at most 1.01."
    )


def test_the_noise_alone_is_told_by_its_two_laws():
    chart = promised_and_kept(**USUAL, noise_epsilon=1.0)
    places = np.arange(-60.0, 62.0)
    here, moved = (np.exp(GeometricCount(1.0).log_noise(places - shift)) for shift in (0.0, 1.0))
    spent = np.maximum(here - math.exp(chart.alone) * moved, 0).sum()
    assert spent == pytest.approx(1e-3, rel=1e-6)


def test_too_few_users_are_told_how_many_it_takes():
    shown = promised_and_kept(
        bit_users=20, promised_epsilon=1, promised_delta=1e-6, noise_epsilon=0.1
    )
    assert isinstance(shown, UsersNeeded)
    assert str(4 * Budget(1, 1e-6).kappa) in VIEW.takeaway(shown)


def test_a_test_that_nearly_always_refuses_is_not_said_to_always_do_so():
    """At the view's first state some data are refused with probability .99991."""
    chart = promised_and_kept(**USUAL, noise_epsilon=0.1)
    assert 0.9995 < chart.refusals < 1
    assert VIEW.detail(chart).endswith(f"⊥ has probability {chart.refusals:.5f}.")
