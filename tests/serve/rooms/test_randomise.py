"""The phone's own script, run in a browser, against the laws of the core.

Each test fails by chance once in a million runs.
"""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dpviz.maths.selection.shuffle import NegativeBinomialSum
from dpviz.serve import rooms
from dpviz.topics.classroom.survey import sent_law
from tests.serve.rooms.test_modes import asking

SCRIPT = (Path(rooms.__file__).parent / "files" / "randomise.js").read_text(encoding="utf-8")
LUCK = 1e-6
DRAWS = 20_000


@pytest.fixture(scope="module")
def drawn(chromium):
    """Values of an expression, drawn many times in a browser."""
    page = chromium.new_page()
    script = SCRIPT.replace("export function", "function")

    def many(expression):
        count = f"Array.from({{ length: {DRAWS} }}, () => {expression})"
        return np.array(page.evaluate(f"() => {{ {script}; return {count}; }}"))

    yield many
    page.close()


def test_the_script_asks_for_cryptographic_randomness():
    assert "crypto.getRandomValues" in SCRIPT
    assert "Math.random" not in SCRIPT


def test_uniform_numbers_are_uniform(drawn):
    values = drawn("uniform()")
    assert values.min() >= 0
    assert values.max() < 1
    assert stats.kstest(values, "uniform").pvalue > LUCK


@pytest.mark.parametrize(("bit", "epsilon"), [(1, 1.0), (0, 1.0), (1, 3.0)])
def test_bits_are_turned_round_as_the_core_says(drawn, bit, epsilon):
    truth = asking(kind="survey", epsilon=str(epsilon)).for_phones()["truth"]
    ones = int(drawn(f"randomised({bit}, {truth})").sum())
    chance = sent_law(bit, 1, epsilon=epsilon)[1]  # of one answer
    assert stats.binomtest(ones, DRAWS, chance).pvalue > LUCK


def test_noise_messages_follow_the_law_of_the_core(drawn):
    thing = asking(kind="shuffle", joined=30)
    state = thing.for_phones()
    values = drawn(f"noiseMessages({state['share']}, {state['more']})")
    law = NegativeBinomialSum(1.0, thing.dispersion / 30)
    masses = law.noise_pmf(6)
    expected = DRAWS * np.append(masses, 1 - masses.sum())
    seen = np.bincount(np.minimum(values, 6), minlength=7)
    assert stats.chisquare(seen, expected * seen.sum() / expected.sum()).pvalue > LUCK
    # all phones together have the noise of the class
    sums = values[: DRAWS // 30 * 30].reshape(-1, 30).sum(axis=1)
    mean = NegativeBinomialSum(1.0, thing.dispersion).mean_noise
    variance = mean / -math.expm1(-0.2)
    assert abs(sums.mean() - mean) < 5 * math.sqrt(variance / sums.size)
