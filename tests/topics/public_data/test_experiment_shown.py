"""Controls that have no effect, and what the page promises."""

import pytest

from dpviz.scene.scene import Scene
from dpviz.topics.public_data.experiment import Setting, check_affordable, settle
from dpviz.topics.public_data.learners import LEARNERS, check_suits, suits
from dpviz.topics.public_data.tasks import TASKS
from tests.support.declarations import page

PAGE = page("public_data")


def test_controls_without_effect_are_hidden():
    values = {p.key: p.default for p in PAGE.url_parameters}
    views = {view.key: view for view in PAGE.views}
    points = views["points"]
    assert points.idle(values) == {"eta", "averages", "delta", "family"}
    assert "delta" not in points.idle(values | {"noise": "gaussian"})
    assert {"noise", "delta"} <= points.idle(values | {"learner": "rspm"})
    assert "eta" not in points.idle(values | {"learner": "regularization"})
    assert "family" not in points.idle(values | {"smoothness": 0.5})
    assert points.idle(values | {"learner": "perturbation"}) == {"family"}
    assert views["shift"].idle(values) == points.idle(values) - {"family"}
    assert points.idle(values | {"more": "private"}) == {"family", "learner"}
    assert not views["noise"].idle(values)
    assert views["noise"].idle(values | {"noise_at": "projected"}) == {"averages", "constant"}


def test_promises_are_those_that_are_proved():
    values = {p.key: p.default for p in PAGE.url_parameters}
    gaussian = values | {"noise": "gaussian"}
    assert PAGE.promise(values | {"view": "points"}).pure
    assert PAGE.promise(gaussian | {"view": "points"}) is None
    assert not PAGE.promise(gaussian | {"view": "points", "learner": "perturbation"}).pure
    # These show several learners, or noise of both kinds: some have a δ.
    assert PAGE.promise(gaussian | {"view": "points", "more": "private"}) is None
    for state in ({"view": "points", "more": "private"}, {"view": "noise"}):
        assert not PAGE.promise(values | state).pure
    assert PAGE.promise(values | {"view": "weights"}) is None
    assert "data are private" in PAGE.promise(values | {"view": "real"}).about


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("key", ["points", "shift"])
def test_whatever_is_chosen_can_be_run(key, task, learner):
    """What does not go together falls back on what does, and no reader meets a refusal."""
    asked = {"task": task, "learner": learner, "samples": 10**5, "public_points": 1000}
    scene = Scene.settled(PAGE, PAGE.usual(key) | asked)
    given = scene.values
    given = given | {k: min(given[k], most) for k, most in scene.most.items()}
    problem, _, n, m = settle({name: given[name] for name in Setting.__annotations__})
    check_suits(given["learner"], problem)
    check_affordable(given["learner"], problem, samples=n, points=m)
    if suits(learner, problem):
        assert given["learner"] == learner
    elif task == "regression":
        assert given["learner"] == "regularization"
