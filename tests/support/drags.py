"""Sliders of all views, and the figures that a reader sees who drags one."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dpviz.plot.steady import places, ranges
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Number, Seed
from dpviz.scene.scene import Scene
from dpviz.serve.computing import RESULTS, Computation
from dpviz.serve.lines import Look, charts_before
from tests.support.declarations import SLUGS, page, state_showing
from tests.support.examples import in_nightly

STEPS = (0.05, 0.15)  # of a slider's values, from where it stands
LOOK = Look(labels="few")  # of a figure on a page
MOST, OF_LONG = 40, 4  # results of a state, of which the last stands for the finest
# Views whose last results take long: at night only.
LONG = {
    "agreement",
    "attack",
    "budget",
    "best",
    "learning",
    "points",
    "queries",
    "real",
    "rich",
    "samples",
    "shift",
    "truth",
    "turned",
}


def sliders():
    """The sliders in sight of all views; in the suite one of each view that is quick."""
    for declared in map(page, SLUGS):
        for view in declared.views:
            if view.key in LONG and not in_nightly():
                continue
            keys = sliders_of(declared, view)
            for key in keys if in_nightly() else keys[:1]:
                yield pytest.param(declared, view, key, id=f"{declared.name}-{view.key}-{key}")


@cache
def computed(slug, key, state, most):
    """The first results of a state, at most so many."""
    declared = page(slug)
    view = next(view for view in declared.views if view.key == key)
    RESULTS.clear()  # or tests before would have computed more of it
    computation = Computation(Scene(declared, view, dict(state)))
    while not computation.whole and most:
        computation.advance()
        most -= 1
    return computation


def sliders_of(declared, view):
    """The keys of the sliders of a view, as they stand below each other."""
    return [
        parameter.key
        for parameter in declared.parameters
        if parameter.key in view.parameters
        and isinstance(parameter, Number)
        and not isinstance(parameter, Seed)
        and parameter.key in view.in_sight
    ]


def states(declared, view, key):
    """A state that shows a slider, and those that a drag of it leads to, as pairs."""
    state = state_showing(declared.slug, key, view.key)
    if state is None:
        return [()]
    grid = np.asarray(declared.parameter(key).limit.grid, dtype=float)
    at = int(np.abs(grid - float(state[key])).argmin())
    found = [tuple(state.items())]
    for share in STEPS:
        step = max(round(share * grid.size), 1)
        to = at + step if at + step < grid.size else at - step
        moved = tuple((state | {key: type(state[key])(grid[max(to, 0)])}).items())
        try:
            computed(declared.slug, view.key, moved, 1)
        except ParameterError:
            break  # the slider leads to where there is nothing
        found.append(moved)
    return found


@cache
def dragged(slug, view_key, key):
    """The figures of a drag, as a reader gets them: one at rest, some that move, one at rest."""
    declared = page(slug)
    view = next(view for view in declared.views if view.key == view_key)
    state, *moved = states(declared, view, key)
    if not moved:
        return []
    most = OF_LONG if view_key in LONG else MOST
    computation = computed(slug, view_key, state, most)
    figures = [drawn(view, computation, LOOK)]
    before = charts_before(computation.result, LOOK)
    for one in moved:
        computation = computed(slug, view_key, one, 1)
        figures.append(drawn(view, computation, held(figures[-1]), before))
        if computation.whole:
            before = charts_before(computation.result, LOOK)
    computation = computed(slug, view_key, moved[-1], most)
    return [*figures, drawn(view, computation, held(figures[-1]))]


def drawn(view, computation, look, before=None):
    """The figure of a state; before: the charts seen before, None for a figure at rest."""
    how = {"in_parts": view.in_parts, "partial": before is not None and not computation.whole}
    return view.figure(computation.result, look.theme(**how, before=before or ()))


def held(figure):
    """What the next figure of a movement holds on to."""
    margin, named = figure.layout["margin"], places(figure).items()
    sides = {"left": margin["l"], "right": margin["r"]}
    words = tuple(f"{name}:{place}" for name, place in named)
    return replace(LOOK, held=ranges(figure), places=words, **sides)
