"""Every declared page, run by Streamlit's own test driver, in states a link can ask for."""

import inspect
import itertools
import re
import typing
from html import unescape

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpviz.results.caching import Cache
from dpviz.results.folders import ROOT
from dpviz.results.parameters import ParameterError
from dpviz.scene.catalogue import GUIDES, PAGES, entry
from dpviz.scene.codec import Number, Seed, encode
from dpviz.scene.scene import Scene, snippet
from dpviz.serve import answer_cache
from dpviz.serve.computing import Computation
from dpviz.ui.frame import prose
from tests.support.declarations import SLUGS, begun, page, states
from tests.support.examples import by_ring, chosen, in_nightly, some
from tests.ui.figures import figure
from tests.ui.opening import opened

every_page = pytest.mark.parametrize("slug", SLUGS)
VIEWS = [(slug, view.key) for slug in SLUGS for view in page(slug).views]
FIRST = [(slug, page(slug).views[0].key) for slug in SLUGS]
every_view = pytest.mark.parametrize(("slug", "key"), VIEWS)
few = settings(max_examples=by_ring(1, 2, 3), suppress_health_check=list(HealthCheck))


def view_of(slug, key):
    return next(view for view in page(slug).views if view.key == key)


def assert_well(app):
    assert not app.error
    assert not app.warning


def test_the_registry_lists_exactly_the_pages_that_exist():
    assert {page.path for page in (*PAGES, *GUIDES)} == {
        f"pages/{f.name}" for f in (ROOT / "pages").glob("*.py")
    }
    assert len({page.question for page in PAGES}) == len(PAGES)


@every_page
def test_a_page_is_declared_consistently(slug):
    declared = page(slug)
    assert declared.slug == slug
    keys = [p.key for p in declared.url_parameters]
    assert len(set(keys)) == len(keys)
    used = {key for view in declared.views for key in view.parameters}
    assert used == {p.key for p in declared.parameters}
    for preset in declared.presets:
        assert set(preset.values) <= set(keys)
        for key, value in preset.values.items():
            parameter = declared.parameter(key)
            assert parameter.read(parameter.write(value), parameter.default) == (value, "")


@every_view
def test_compute_is_public_core_and_takes_the_parameters_of_its_view(slug, key):
    view = view_of(slug, key)
    module = view.compute.__module__
    assert module.startswith("dpviz.")
    assert not module.startswith(("dpviz.ui", "dpviz.plot"))
    assert not view.compute.__name__.startswith("_")
    seeds = {p.key for p in page(slug).parameters if isinstance(p, Seed)}
    expected = {"rng" if name in seeds else name for name in view.parameters}
    required, allowed = keywords(view.compute)
    assert required <= expected <= allowed


def keywords(function):
    """The keywords a function requires, and all it takes, unpacked TypedDicts included."""
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
    unpacked = [typing.get_args(p.annotation)[0] for p in parameters if p not in named]
    required = {p.name for p in named if p.default is p.empty}
    return required, {p.name for p in named}.union(*(kinds.__annotations__ for kinds in unpacked))


@every_page
def test_the_prose_has_headings_and_text(slug):
    for heading, text in prose(slug):
        assert heading
        assert len(text) > 40


@every_view
@pytest.mark.usefixtures("brief")
def test_a_view_opens_with_a_takeaway(slug, key, monkeypatch):
    # computed for this reader, not kept from a test before
    monkeypatch.setattr(answer_cache, "ANSWERS", Cache(2**20))
    app = opened(slug, **({"view": key} if len(page(slug).views) > 1 else {}))
    assert_well(app)
    assert not app.info
    assert app.title[0].value == entry(slug).question
    open_view = view_of(slug, key)
    texts = [re.sub("<[^>]*>", "", part.proto.body) for part in app.get("html")]
    said = [unescape(text.removeprefix("Why? ")) for text in texts if text.startswith("Why? ")]
    assert said == list(filter(None, [open_view.why]))
    *_, last = figure(app).lines
    result = app.session_state["dpviz"].grant.computation.result
    assert last["alt"] == (open_view.exactly(result) or open_view.headline(result))


@every_page
def test_both_ends_of_every_range_end_in_a_working_page(slug):
    for end in ("minimum", "maximum"):
        query = {
            p.key: p.write(getattr(p.limit, end))
            for p in page(slug).parameters
            if isinstance(p, Number)
        }
        app = opened(slug, **query)
        assert_well(app)
        assert not app.info


@every_page
@few
@given(st.data())
def test_any_text_in_a_link_ends_in_a_working_page(slug, data):
    keys = [p.key for p in page(slug).url_parameters]
    query = data.draw(st.dictionaries(st.sampled_from(keys), st.lists(st.text(), min_size=1)))
    assert_well(opened(slug, **query))


@pytest.mark.parametrize(("slug", "key"), chosen(VIEWS, FIRST))
@few
@given(st.data())
def test_the_snippet_reproduces_the_plotted_table(slug, key, data):
    declared, view = page(slug), view_of(slug, key)
    values = data.draw(states(declared))
    scene, names = Scene(declared, view, values), {}
    if scene.upload is not None:  # it reads the reader's file, which is not there
        with pytest.raises(FileNotFoundError):
            exec(snippet(scene), names)
        return
    computation, code = Computation(scene), snippet(scene)
    shown = computation.first()
    first = sentence = None
    try:
        plotted = first = next(shown)
    except ParameterError as refusal:  # choices contradict each other
        sentence = str(refusal)
    if first is None:
        with pytest.raises(ParameterError) as refused:
            exec(code, names)
        assert str(refused.value) == sentence
        return
    if in_nightly():
        *_, plotted = first, *shown
    if not computation.whole:  # all would take too long; how far it comes, what is kept decides
        plotted = first
        code = re.sub(r"^\*_, result = (.*?)^\)$", r"result = next(\1))", code, flags=re.M | re.S)
    exec(code, names)
    assert names["table"].keys() == plotted.columns().keys()
    for name, column in plotted.columns().items():
        assert len(names["table"][name])
        if computation.whole:
            np.testing.assert_array_equal(names["table"][name], column)


@every_view
def test_what_was_shown_stays_as_it_was(slug, key):
    """A result is frozen: what is computed later belongs to later results."""
    computation = Computation(Scene(page(slug), view_of(slug, key), page(slug).usual(key)))
    shown = [
        (result, {name: column.copy() for name, column in result.columns().items()})
        for result in itertools.islice(computation.first(), some(6, 3))
    ]
    for result, columns in shown:
        for name, column in result.columns().items():
            np.testing.assert_array_equal(column, columns[name])


@every_view
@few
@given(st.data())
def test_any_state_is_drawn_and_told(slug, key, data):
    values = data.draw(states(page(slug))) | {"view": key}
    app = opened(slug, **encode(values, page(slug).url_parameters))
    assert_well(app)
    # Options that the state does not offer give way to some that it does, and numbers it cannot
    # use to the most it can, with a note.
    scene = Scene(page(slug), view_of(slug, key), values)
    assert [note.value for note in app.info] == list(filter(None, ["  \n".join(scene.reset)]))
    values |= scene.fallen_back
    # The first figure, as while a control moves: finer ones differ in numbers.
    last = figure(app, **{} if in_nightly() else {"moving": "1"}).last
    if "problem" not in last:
        assert last["spec"]["data"]
        return
    with pytest.raises(ParameterError) as refused:  # what the core says, word for word
        begun(page(slug), view_of(slug, key), values)
    assert last["problem"] == str(refused.value)


def test_numbers_within_the_words_of_a_table_are_typeset():
    [table] = opened("promise", view="odds", tab="numbers").dataframe
    told = " ".join(table.value["situation"])
    assert "δ = 10⁻⁵" in told
    assert "e-05" not in told
