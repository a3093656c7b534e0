"""What has no effect in a view is in none of its links, and neither is what belongs to another."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from dpviz.results.evidence import Result
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import counted
from dpviz.scene.codec import Choice, Flag, Number, Value, decode_link
from dpviz.scene.odds import odds_line
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from tests.support.declarations import SLUGS, page

_COMPUTED = 4  # states of a view

VIEWS = [(slug, view.key) for slug in SLUGS for view in page(slug).views]


def switched(declared: Page, view: View) -> Iterator[dict[str, Value]]:
    """States of a view: with each two of its switches in all their positions, and its presets."""
    usual = declared.usual(view.key)
    options = {
        p.key: list(p.options) if isinstance(p, Choice) else [False, True]
        for p in declared.parameters
        if isinstance(p, Choice | Flag) and p.key in view.parameters
    }
    yield usual
    for pair in itertools.combinations(options, min(2, len(options))):
        for chosen in itertools.product(*(options[key] for key in pair)):
            yield usual | dict(zip(pair, chosen, strict=True))
    for preset in declared.presets:
        if declared.shown_by(preset) is view:
            yield declared.preset_values(preset)


def elsewhere(declared: Page, key: str, value: Value) -> Value:
    """Another value of a parameter."""
    parameter = declared.parameter(key)
    if isinstance(parameter, Choice):
        return next(option for option in reversed(parameter.options) if option != value)
    if not isinstance(parameter, Number):
        return not value
    limit = parameter.limit
    low, high = (type(value)(end) for end in (limit.minimum, limit.maximum))
    return low if value != low else min(high, type(value)(2 * low + 1))


def first(scene: Scene) -> str:
    """What a view computes first: its numbers, or why there are none."""
    try:
        with counted():
            made = scene.view.compute(**scene.page.call(scene.arguments))
            result = made if isinstance(made, Result) else next(iter(made))
    except ParameterError as refusal:
        return str(refusal)
    with np.printoptions(threshold=10**9, floatmode="unique"):
        return repr(result)


def told(scene: Scene) -> list[object]:
    """All that a page says and asks besides the figure."""
    asked = [scene.prediction, scene.sketch, scene.upload, scene.view.why_here(scene.state)]
    return [*asked, scene.idle, scene.most, scene.offers, odds_line(scene), scene.query]


@pytest.mark.parametrize(("slug", "key"), VIEWS, ids=["/".join(one) for one in VIEWS])
def test_a_link_says_what_has_an_effect_and_all_else_has_none(slug, key):
    """What it leaves out can be anything: sentences, controls and numbers are the same."""
    declared, computed = page(slug), 0
    for values in switched(declared, next(v for v in declared.views if v.key == key)):
        scene = Scene.settled(declared, values)
        read, notes = decode_link({k: [v] for k, v in scene.query.items()}, declared.url_parameters)
        assert not notes
        others = {
            p.key: elsewhere(declared, p.key, values[p.key])
            for p in declared.parameters
            if p.key not in scene.query
        }
        for other in (Scene.opened(declared, read), Scene.opened(declared, {**read, **others})):
            assert told(other) == told(scene), (scene.query, others)
        if scene.idle and computed < _COMPUTED:
            computed += 1
            assert first(other) == first(scene), (scene.query, others)
