"""What a class guessed stands beside the answer: as a number or a choice, and in words."""

import math

import numpy as np
import pytest

from dpviz.plot.text import readable
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.results.parameters import Limit
from dpviz.scene.asking import value_at_here
from dpviz.scene.codec import Choice
from tests.support.declarations import SLUGS, every, first, last, opened, page

ASKED = [(slug, view.key) for slug in SLUGS for view in page(slug).views if view.prediction]


@pytest.mark.parametrize(("slug", "key"), ASKED)
def test_the_value_of_an_answer_is_what_its_words_say(slug, key):
    scene = opened(page(slug), key)
    prediction, result = scene.view.prediction, first(page(slug), key)
    if isinstance(prediction.guess, Choice):  # which one it is may not be known at first
        stages = every(scene.page, scene.view, scene.values)
        result = next(stage for stage in stages if prediction.value(stage) is not None)
    value, words = prediction.value(result), prediction.answer(result)
    if isinstance(prediction.guess, Choice):
        assert value in prediction.guess.options
    elif value is not None:
        assert readable(value) in words


@pytest.mark.parametrize("missing", [math.nan, math.inf])
def test_what_is_no_number_is_no_answer(missing):
    y = np.array([3.0, missing])
    source = Source("here")
    curve = Curve(
        "guessed", "guessed", Subject.USER_LEVEL, Evidence.EXACT, source, np.arange(2.0), y
    )
    unknown = Chart(x=Axis("x", "x"), y=Axis("y", "y"), curves=(curve,), here=1.0)
    asked = ("How many?", Limit("guess", "n", "number", 0, 9, 1), "guessed")
    for otherwise, words in (({}, ""), ({"otherwise": lambda _: "many"}, "many")):
        prediction = value_at_here(*asked, answer=readable, **otherwise)
        assert prediction.value(unknown) is None
        assert prediction.answer(unknown) == words


@pytest.mark.parametrize(("slug", "key"), ASKED)
def test_no_simulation_gives_away_what_is_asked(slug, key):
    result = first(page(slug), key)
    prediction = next(view for view in page(slug).views if view.key == key).prediction
    shown = getattr(prediction.hide(result), "curves", ())
    assert not [curve.key for curve in shown if curve.key == "simulated"]


def test_the_growth_that_comes_nearest_is_the_answer():
    words = "like n to the power 0.5"
    chart = last(page("perfect_generalization"), "growth")
    prediction = page("perfect_generalization").open_view({"view": "growth"}).prediction
    slope = float(prediction.answer(chart).removeprefix(words[:20]))
    powers = {"constant": 0.0, "root": 0.5, "linear": 1.0}
    assert all(
        abs(powers[prediction.value(chart)] - slope) <= abs(power - slope) + 0.02
        for power in powers.values()
    )
