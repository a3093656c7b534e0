"""No view keeps others waiting: however large n is, a block of users or two lies between results.

And between two pauses a block is drawn.
"""

import numpy as np

from dpviz.results import refining
from dpviz.topics.clipping import simulation, tasks
from dpviz.topics.clipping.views.error_against_threshold import error_against_threshold
from tests.support import pace


def test_a_view_that_has_shown_something_rests_after_every_block_of_users(monkeypatch):
    """A result is due at every look; some blocks show how it goes on."""
    monkeypatch.setattr(refining.Pace, "due", pace.always)
    monkeypatch.setattr(simulation, "_BLOCK", 2**12)
    blocks, clipped = [0], simulation.Scorer._totals

    def counted(scorer, given):
        def seen():
            for block in given:
                blocks[-1] += 1
                yield block

        return clipped(scorer, seen())

    monkeypatch.setattr(simulation.Scorer, "_totals", counted)
    at = {"candidates": 16, "domain_size": 4, "users": 10_000, "examples_per_user": 100}
    at |= {"epsilon": 0.1, "alpha": 0.05, "threshold": 20.0, "constant": 1.0}
    rng = np.random.default_rng(0)
    for _found in error_against_threshold(task="discrete", **at, rng=rng):
        blocks.append(0)
        if sum(blocks[1:]) > 40:
            break
    assert sum(blocks[1:]) > 40
    assert max(blocks[1:]) <= 2  # where a data set ends and one begins


class Counted:
    """A generator that tells how many counts were drawn between two pauses."""

    def __init__(self):
        self.rng = np.random.default_rng(3)
        self.stretches = [0]

    def multinomial(self, *given, **named):
        drawn = self.rng.multinomial(*given, **named)
        self.stretches[-1] += drawn.size
        return drawn


def test_users_are_drawn_in_blocks_and_are_those_drawn_at_once():
    task, rng = tasks.make_task("gaussian", candidates=64), Counted()
    with refining.pausing(lambda: rng.stretches.append(0)):
        drawn = task.draw(rng, users=5000, examples_per_user=100)
    assert sum(rng.stretches) == drawn.size > 4 * tasks._BLOCK
    assert max(rng.stretches) <= tasks._BLOCK
    at_once = np.random.default_rng(3).multinomial(100, task.law, size=5000)
    assert np.array_equal(drawn, at_once)
