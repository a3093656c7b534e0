"""What is kept of computations, for all readers."""

from dataclasses import dataclass, replace

import numpy as np

from dpviz.results.evidence import Axis
from dpviz.serve.computing import Recent, weight
from tests.support import sample


@dataclass(frozen=True)
class Count:
    number: int

    def columns(self):
        return {"number": np.array([self.number])}


def test_the_last_results_are_bounded_in_number_and_in_bytes():
    recent = Recent(entries=3, size=2000)
    for number in range(5):
        recent.add((number,), Count(number))
    assert [recent.get((number,)) is None for number in range(5)] == [True] * 2 + [False] * 3
    recent.get((2,))
    recent.add((5,), Count(5))
    assert recent.get((2,)) == Count(2)
    assert recent.get((3,)) is None
    big = sample.curve(epsilon=1.0, queries=10, log=True, x="queries")
    assert weight(big) > 2 * 9 * 8
    for number in range(20):
        recent.add((number,), big)
    assert recent.bytes <= 2000
    recent.add((99,), replace(Axis("x", "x"), label=np.zeros(10**6)))
    assert recent.get((99,)) is None
