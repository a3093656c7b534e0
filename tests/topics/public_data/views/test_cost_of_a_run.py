"""Labelings one by one, seconds by a clock of the test's."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dpviz.results import refining
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import Stopwatch, pause, pausing
from dpviz.serve.lines import Look
from dpviz.topics.public_data.oracles import half_plane_search
from dpviz.topics.public_data.oracles.oracle import Objective
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import Task
from dpviz.topics.public_data.views import cost_of_a_run_shown
from dpviz.topics.public_data.views.cost_of_a_run import cost_of_a_run, functions_on_points
from tests.support import pace
from tests.support.examples import only_in_ci
from tests.support.headlines import faults


class _Clock:
    """A clock that goes on by one at every look, and by more when it is told."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1
        return self.now


def chart(task, along="samples", **changes):
    setting = {"samples": 100, "public_points": 8, "epsilon": 1.0, "eta": 0.1, "averages": 50}
    rng = np.random.default_rng(0)
    return cost_of_a_run(task=task, along=along, rng=rng, **setting | changes)


@pytest.mark.parametrize("task", ["thresholds", "intervals", "halfplanes"])
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_labelings_are_those_that_the_optimiser_attains(task, m):
    problem = Task(task, shifted("window", 1.0), 0.0)
    points, oracle = problem.public_data(m, np.random.default_rng(m)), problem.oracle()
    costs = -np.array(list(itertools.product([-1.0, 1.0], repeat=m)))
    nothing = Objective(points[:0], np.empty(0), np.empty(0))
    found = oracle.predict(oracle.minimize_each(nothing, points, costs), points)
    attained = np.all(found == -costs, axis=1).sum()
    assert attained == functions_on_points(task, np.array([float(m)]))[0]


def test_a_stopwatch_does_not_count_what_is_done_at_pauses(monkeypatch):
    clock = _Clock()
    monkeypatch.setattr(refining.time, "thread_time", clock)

    def elsewhere():
        clock.now += 1000

    with pausing(elsewhere):
        with Stopwatch() as watch:
            clock.now += 10
            pause()
        clock.now += 100
        pause()
    assert watch.seconds == 10 + 2  # two looks at the clock of its own
    assert clock.now > 2000
    with Stopwatch() as watch:
        pause()
    assert watch.seconds == 1


@pytest.mark.parametrize(("task", "along"), [("thresholds", "samples"), ("regression", "samples"),
                                             ("thresholds", "public_points")])  # fmt: skip
def test_the_seconds_of_a_run_are_those_of_its_calls(monkeypatch, task, along):
    """Each call takes one second on a clock that goes on by one: seconds are calls."""
    monkeypatch.setattr(refining.time, "thread_time", _Clock())
    first, *_, last = chart(task, along)
    assert np.isnan([c.y for c in first.seconds.curves]).all()
    assert first.done == 0
    assert last.done == 1
    assert last.rounds == 3
    for name in last.learners:
        calls, seconds = last.curve(f"{name}_calls"), last.seconds.curve(f"{name}_seconds")
        np.testing.assert_array_equal(calls.y, first.curve(f"{name}_calls").y)
        np.testing.assert_array_equal(seconds.y, calls.y)
        np.testing.assert_array_equal(seconds.lower, seconds.upper)
    for found in (first, last):
        assert not faults(cost_of_a_run_shown.VIEW.takeaway(found))
        assert len(cost_of_a_run_shown.VIEW.notes(found)) == 3
        assert ("without an optimiser" in cost_of_a_run_shown.VIEW.detail(found).lower()) == (
            task != "regression"
        )
    timed = {
        0: "medians of up to 3 fresh",
        1: "with a tenth of the labels wrong: on 1 fresh data set",
        3: "of 3 fr",
    }
    for rounds, said in timed.items():
        assert said in cost_of_a_run_shown.VIEW.notes(replace(last, rounds=rounds))[2]


def test_learners_have_names_short_enough_for_a_plot_of_three_fifths_of_a_page():
    """In a window of 1280x720, where the figure has no height for names of two lines."""
    *_, found = chart("thresholds")
    look = Look(low=270, labels="few")
    layout = cost_of_a_run_shown.VIEW.figure(found, look.theme(partial=False)).layout
    assert 898 - layout["margin"]["l"] - layout["margin"]["r"] >= 0.6 * 1160


def test_half_planes_are_timed_as_well():
    found = next(iter(chart("halfplanes", "public_points")))
    assert found.value("scores") == 8**2 - 8 + 2
    assert found.learners == ("rrspm", "perturbation")


@only_in_ci
def test_no_step_goes_on_for_a_whole_search(monkeypatch):
    """On a machine so slow that a result is due at every look, each looks at one node at most."""
    monkeypatch.setattr(refining.Pace, "due", pace.always)
    nodes, counted = [0], half_plane_search._Search.look

    def look(search, node):
        nodes[-1] += 1
        counted(search, node)

    monkeypatch.setattr(half_plane_search._Search, "look", look)
    for found in itertools.islice(chart("halfplanes", samples=1000), 5000):
        nodes.append(0)
        if found.rounds:
            break
    assert found.rounds == 1
    assert sum(nodes) > 100
    assert max(nodes) == 1


@pytest.mark.parametrize("changes", [{"task": "trees"}, {"along": "time"}, {"samples": 0}])
def test_bad_parameters_are_named(changes):
    with pytest.raises(ParameterError, match=next(iter(changes))):
        next(iter(chart(**{"task": "thresholds"} | changes)))
