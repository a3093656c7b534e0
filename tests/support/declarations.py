"""The pages as they declare themselves, so that one test covers every page there is."""

import importlib.util
import itertools
import math
from collections.abc import Iterator, Mapping
from functools import cache

from hypothesis import strategies as st

from dpviz.results.caching import Cache
from dpviz.results.evidence import Result
from dpviz.results.folders import ROOT
from dpviz.scene.catalogue import HOME, PAGES, entry
from dpviz.scene.codec import (
    Choice,
    Flag,
    Number,
    Parameter,
    Seed,
    Value,
    decode_address,
    encode,
)
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from dpviz.serve.computing import Computation, Progress

SLUGS = [HOME.slug, *(entry.slug for entry in PAGES)]


@cache
def page(slug: str) -> Page:
    """Import a page without drawing it: it draws itself only as Streamlit's main module."""
    file = ROOT / entry(slug).path
    spec = importlib.util.spec_from_file_location(f"page_{file.stem}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PAGE


def in_sight(slug: str, query: Mapping[str, str] | None = None) -> list[Parameter]:
    """The parameters whose controls a page shows for a link, folds closed."""
    declared = page(slug)
    given = {key: [text] for key, text in (query or {}).items()}
    state, _ = decode_address(given, declared.url_parameters)
    view = declared.open_view(state)
    idle = view.idle(state)
    return [declared.parameter(key) for key in view.in_sight if key not in idle]


def fields(slug: str, query: Mapping[str, str] | None = None) -> list[Number]:
    """The numbers among the controls in sight."""
    return [parameter for parameter in in_sight(slug, query) if isinstance(parameter, Number)]


def query_showing(slug: str, key: str, view_key: str = "") -> dict[str, str]:
    """A link under which the control `key` is to be seen, on the view `view_key` or any."""
    state = state_showing(slug, key, view_key)
    assert state is not None, f"no state of {slug} shows {key}"
    return encode(state, page(slug).url_parameters)


def state_showing(slug: str, key: str, view_key: str = "") -> dict[str, Value] | None:
    """The values behind `query_showing`: defaults, but for the switches that reveal the control."""
    declared = page(slug)
    usual = {p.key: p.default for p in declared.url_parameters}
    switches = {
        p.key: list(p.options) if isinstance(p, Choice) else [p.default, not p.default]
        for p in declared.parameters
        if isinstance(p, Choice | Flag)
    }
    for view in declared.views:
        if key not in view.parameters or view_key not in ("", view.key):
            continue
        # The switches of other views have nothing to say here: each stays at its first option.
        here = (
            options if of in view.parameters else options[:1] for of, options in switches.items()
        )
        for chosen in itertools.product(*here):
            state = usual | dict(zip(switches, chosen, strict=True)) | {"view": view.key}
            if key not in view.idle(state):
                return state
    return None


def first_slider(slug: str) -> Number:
    return next(parameter for parameter in fields(slug) if not isinstance(parameter, Seed))


def values(parameter: Parameter) -> st.SearchStrategy[Value]:
    """Values a reader can give to a parameter, the ends of its range included."""
    match parameter:
        case Number(limit=limit):
            low, high = limit.minimum, limit.maximum
            if limit.integer:
                low, high = int(low), int(high)
                ends = st.sampled_from([low, high])
                if not limit.log:
                    return st.one_of(ends, st.integers(low, high))
                spread = st.floats(math.log(max(low, 1)), math.log(high)).map(math.exp).map(round)
                return st.one_of(ends, spread.map(lambda v: min(max(v, low), high)))
            if limit.log:
                spread = st.floats(math.log(low), math.log(high)).map(math.exp)
                spread = spread.map(lambda v: min(max(v, low), high))
            else:
                spread = st.floats(low, high)
            return st.one_of(st.sampled_from([low, high]).map(float), spread)
        case Choice(options=options):
            return st.sampled_from(list(options))
        case Flag():
            return st.booleans()
    raise TypeError(parameter)


def states(declared: Page) -> st.SearchStrategy[dict[str, Value]]:
    """Whole states of a page."""
    return st.fixed_dictionaries({p.key: values(p) for p in declared.url_parameters})


def results(declared: Page, view: View, values: Mapping[str, Value]) -> Iterator[Result]:
    """What a reader gets to see of a view, coarse to fine, without asking for more."""
    return Computation(Scene(declared, view, values)).first()


def every(declared: Page, view: View, values: Mapping[str, Value]) -> Iterator[Result]:
    """All results of a view, coarse to fine, however long that takes."""
    computation = Computation(Scene(declared, view, values))
    computation.advance()
    yield computation.result
    while not computation.whole:
        computation.advance()
        yield computation.result


def finest(declared: Page, view: View, values: Mapping[str, Value]) -> Result:
    """The last result of a view, computed to its end however long that takes."""
    for result in every(declared, view, values):
        found = result
    return found


def last(declared: Page, key: str, **changes: Value) -> Result:
    """The finest result of a view at the defaults, but for the changes."""
    values = declared.usual(key) | changes
    return finest(declared, declared.open_view(values), values)


_BEGUN = Cache(2**28)


def begun(declared: Page, view: View, values: Mapping[str, Value]) -> Result:
    """The first, coarse result of a state, which many tests look at: computed once a process.

    Never a finer one, though another test has come further.
    """
    scene = Scene(declared, view, values)
    state = Computation(scene).state
    known = _BEGUN.get(state)
    if known is None:
        outcome = view.compute(**declared.call(scene.arguments))
        known = outcome if isinstance(outcome, Result) else next(outcome)
        _BEGUN.add(state, known)
    return known


def first(declared: Page, key: str) -> Result:
    """The first, coarse result of a view at the defaults."""
    scene = opened(declared, key)
    return begun(declared, scene.view, scene.values)


def opening(declared: Page, key: str) -> Progress:
    """What there is of a view at the defaults after its first result."""
    computation = Computation(opened(declared, key))
    computation.advance()
    return computation.progress


def opened(declared: Page, key: str) -> Scene:
    """A view at the defaults, with what it offers where it does not offer one of them."""
    return Scene.settled(declared, declared.usual(key))


def preset_values(declared: Page, label: str) -> dict[str, Value]:
    """What a preset changes."""
    [found] = [preset for preset in declared.presets if preset.label == label]
    return dict(found.values)


def shown(declared: Page, label: str) -> tuple[View, Result, dict[str, Value]]:
    """What a preset opens: its view, the finest result and the values."""
    [preset] = [preset for preset in declared.presets if preset.label == label]
    values = declared.preset_values(preset)
    view = declared.open_view(values)
    return view, finest(declared, view, values), values
