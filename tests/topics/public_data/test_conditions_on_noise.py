"""The paper's noise against the noise proved to suffice, along m."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import norm

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data.conditions_on_noise import PAIRS, noise_against_points
from dpviz.topics.public_data.views import noise_it_takes_shown
from dpviz.topics.public_data.views.noise_it_takes import noise_it_takes
from tests.support import output_laws as laws
from tests.support.declarations import last, page
from tests.support.examples import examples
from tests.support.headlines import faults
from tests.support.specs import Checked
from tests.support.strategies import inside

draw = Checked(draw)

PAGE = page("public_data")
NOISE = {"delta": 1e-6, "averages": 300, "constant": 1.0, "public_points": 1}


@pytest.mark.parametrize(("m", "little"), [(1, True), (20, False)])
def test_conditions_are_compared_with_what_is_proved(m, little):
    chart = last(PAGE, "noise", noise_at="points", public_points=m)
    detail = noise_it_takes_shown.VIEW.detail(chart)
    assert "is proved to keep Algorithm 3 private" in detail
    assert ("too little for the class of constants" in detail) == little
    assert f"{readable(2 * math.sqrt(m))} times as much)" in detail
    assert "exact" not in detail
    texts = [n.text.replace("<br>", " ") for n in draw(chart, LIGHT).layout.annotations]
    assert "(14) is too little for constants up to m = 1" in texts
    assert "Gaussian, any stable learner (14)" in texts


def test_what_is_only_unproved_is_told_as_such():
    detail = noise_it_takes_shown.VIEW.detail(
        last(PAGE, "noise", public_points=1, samples=100, eta=0.01)
    )
    assert "0.96 times as much, which is not proved to suffice" in detail
    assert "0.496 times as much Gaussian noise, not proved to suffice" in detail
    assert "not enough" not in detail


@given(
    inside("samples"), inside("public_points"), inside("epsilon"),
    inside("delta").filter(lambda delta: delta > 1e-299),  # Algorithm 2 spends half of it twice
    inside("eta"), inside("averages"),
)  # fmt: skip
@examples(30)
def test_noise_along_m_holds_exactly_where_it_is_proved(n, m, epsilon, delta, eta, averages):
    chart = noise_against_points(
        samples=n,
        public_points=m,
        epsilon=epsilon,
        delta=delta,
        eta=eta,
        averages=averages,
        constant=1.0,
    )
    exact = chart.curve("gaussian").y
    for key in ("lemma_9", "lemma_11"):
        curve = chart.curve(key)
        assert np.array_equal(curve.holds, curve.y >= exact * (1 - 1e-9)) or np.all(
            np.abs(np.log(curve.y / exact)[curve.holds != (curve.y >= exact)]) < 1e-8
        )
    rho = min(1 / math.sqrt(eta * n), 2)
    if rho <= 1:
        lemma = chart.curve("lemma_9")
        assert lemma.holds[lemma.x >= 8].all()
    assert np.all(chart.curve("laplace_11").y >= chart.curve("laplace").y)
    assert chart.curve("gaussian").evidence is Evidence.UPPER
    assert chart.curve("laplace").evidence is Evidence.UPPER


def test_what_is_not_proved_of_the_vector_is_not_refuted_for_the_release():
    # ρ = 1, m = 1: (14) leaves the noisy number δ = 5e-3, but no release of it has loss ε = 1
    chart = noise_against_points(samples=100, eta=0.01, epsilon=1.0, **NOISE)
    lemma = chart.curve("lemma_9")
    assert not lemma.holds[0]
    assert chart.curve("gaussian").y[0] == pytest.approx(4.22, abs=0.01)
    worst = 0.0
    for mean, other in itertools.product(np.linspace(-1, 1, 21), repeat=2):
        if abs(mean - other) <= 1 + 1e-9:
            first, second = (laws.cut_off(v, lemma.y[0], 400) for v in (mean, other))
            worst = max(worst, laws.log_ratio(first, second))
    assert worst < 1.0
    assert chart.too_little == 0
    assert [mark.text for mark in chart.landmarks] == ["(14) is not proved to suffice up to m = 4"]


def test_what_is_refuted_is_refuted_for_the_release():
    # the same ρ at ε = 10: the cut is out of the way
    chart = noise_against_points(samples=100, eta=0.01, epsilon=10.0, **NOISE)
    lemma = chart.curve("lemma_9")
    assert chart.too_little == 2
    for m, gamma in zip(lemma.x, lemma.y, strict=True):
        pair = [laws.cut_off(mean, gamma / math.sqrt(m)) for mean in (0.0, -1.0)]
        if m <= chart.too_little:
            assert laws.hockey_stick(*pair, 10.0) > 1e-6
        else:
            assert laws.hockey_stick(*pair, 10.0) <= 1e-6
    assert [m.text for m in chart.landmarks] == ["(14) is too little for constants up to m = 2"]


@pytest.mark.parametrize("m", [1, 2, 20, 1000])
@pytest.mark.parametrize("epsilon", [0.1, 10])
def test_the_pairs_are_the_curves_at_the_readers_place(m, epsilon):
    given = {"public_points": m, "epsilon": epsilon, "samples": 100, "eta": 0.01}
    along, pairs = (last(PAGE, "noise", noise_at=at, **given) for at in ("points", "here"))
    for key, proved in PAIRS.items():
        assert pairs.pair(key) == along.pair(key) == (along.value(proved), along.value(key))
        curve = along.curve(key)
        holds = bool(curve.part("_holds")[np.searchsorted(curve.x, m)])
        assert pairs.curve(key).part("_holds").tolist() == [holds, holds]
    shown = noise_it_takes_shown.VIEW
    assert shown.takeaway(pairs) == shown.takeaway(along)
    assert shown.detail(pairs) == shown.detail(along)
    assert not faults(shown.takeaway(pairs))
    drawn = Checked(shown.figure)(pairs, LIGHT)
    for gamma, line, rule in zip(
        reversed(pairs.pair("lemma_11")), drawn.data, drawn.layout.shapes, strict=True
    ):
        density = norm.pdf(line.x, scale=gamma)
        assert line.y / max(line.y) == pytest.approx(density / max(density), abs=1e-12)
        assert np.trapezoid(line.y, line.x) == pytest.approx(
            np.trapezoid(drawn.data[0].y, drawn.data[0].x), rel=0.02
        )
        assert (rule.x0, rule.x1) == (-gamma, gamma)
    texts = " ".join(note.text for note in drawn.layout.annotations)
    proved, asked = pairs.pair("lemma_11")
    assert f"× {readable(asked / proved, 2)}" in texts
    assert f"a sharper proof: ±\N{NO-BREAK SPACE}{readable(proved)}" in texts


def test_noise_for_what_is_unknown_is_refused():
    given = {"samples": 100, "eta": 0.01, "epsilon": 1.0}
    with pytest.raises(ParameterError, match="noise_at"):
        next(noise_it_takes(noise_at="n", **given, **NOISE))
