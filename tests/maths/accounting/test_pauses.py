"""However small δ is, no stretch of an integral is long: we count what lies between two pauses."""

import math
from collections import Counter

import numpy as np
import pytest

from dpviz.maths.accounting import contour
from dpviz.maths.accounting.answer import Problem
from dpviz.maths.accounting.composition import composed
from dpviz.maths.accounting.lattice import Lattice
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.results.refining import pausing

LOG_DELTA = math.log(1e-300)
FEW = Problem(PowerNoise(0.5), 3.26e-16, 1e-7, 29)
MANY = Problem(PowerNoise(0.5), 3.34e-16, 1e-7, 1e8)


@pytest.fixture
def done(monkeypatch):
    """What is done between two pauses: laws and convolutions of a lattice, turns of a contour."""
    stretches = [Counter()]

    def counted(owner, name, size=lambda _: 1):
        own = getattr(owner, name)

        def run(*given):
            result = own(*given)
            stretches[-1][name] += size(result)
            return result

        monkeypatch.setattr(owner, name, run)

    counted(Lattice, "_laws")
    counted(Lattice, "_sum")
    counted(contour, "_turn", np.size)
    with pausing(lambda: stretches.append(Counter())):
        yield stretches


def test_between_two_pauses_few_queries_have_one_law_or_one_convolution(done):
    composed(FEW, LOG_DELTA, 0.01)
    assert sum(done, Counter()) == {"_laws": 2, "_sum": 2}
    assert max(stretch.total() for stretch in done) == 1


def test_between_two_pauses_many_queries_have_one_block_of_turns(done):
    composed(MANY, LOG_DELTA, 1e-4)
    turns = [stretch["_turn"] for stretch in done]
    assert sum(turns) > 20 * contour._BLOCK
    assert max(turns) <= 2.1 * contour._BLOCK  # the baby steps and the giant ones


def test_blocks_change_nothing_but_roundings(monkeypatch):
    bounds, _cut = composed(MANY, LOG_DELTA, 1e-4)
    monkeypatch.setattr(contour, "_BLOCK", 2**40)
    at_once, _cut = composed(MANY, LOG_DELTA, 1e-4)
    assert bounds.lower == pytest.approx(at_once.lower, rel=1e-9)
    assert bounds.upper == pytest.approx(at_once.upper, rel=1e-9)
