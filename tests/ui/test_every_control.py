"""Every control, preset and link of every page: what a reader does ends in the page's link."""

import itertools

import pytest

from dpviz.results.parameters import format_number
from dpviz.scene.catalogue import PAGES
from dpviz.scene.codec import Choice, Flag, Number, Seed, decode, encode
from dpviz.scene.scene import Scene
from tests.support.declarations import SLUGS, page, query_showing
from tests.support.examples import by_ring, chosen
from tests.support.range_controls import controls, end
from tests.ui.figures import stage_data
from tests.ui.opening import opened, url

every_page = pytest.mark.parametrize("slug", SLUGS)


def defaults(declared):
    values, _ = decode({}, declared.url_parameters)
    return encode(values, declared.url_parameters)


def linked(declared, values):
    """What an address says: what has an effect (tests/scene/test_idle.py tests what that is)."""
    return Scene.settled(declared, values).query


def way(parameter, start, offers):
    """Where a reader may move a control; and back, if others come and go with it.

    offers: the options that the state leaves for a choice.
    """
    match parameter:
        case Seed():
            texts = ["7"]
        case Number(limit=limit):
            middle = limit.grid[len(limit.grid) // 2] * (1 if limit.integer else 1.0123)
            value = min(round(middle) + 1 if limit.integer else middle, limit.maximum)
            texts = [format_number(value)]
        case Choice(options=options):  # the others are as this one: see the tests of any state
            texts = [o for o in offers.get(parameter.key) or options if o != start][:1]
        case Flag():
            texts = ["0", "1"]
    back = [start] if isinstance(parameter, Choice | Flag) else []
    return [*(text for text in texts if text != start), *back]


def move(app, parameter, text):
    """Move a control as a reader does."""
    key = parameter.key
    match parameter:
        case Seed():
            app.text_input(f"{key}-exact").set_value(text).run()
        case Number():
            end(app, key, text)
        case Choice():
            listed = [box.key for box in app.selectbox]
            control = app.selectbox(key) if key in listed else app.button_group(key)
            control.set_value(text).run()
        case Flag():
            app.toggle(key).set_value(text == "1").run()
    assert not app.exception


@pytest.mark.parametrize("slug", by_ring(SLUGS[::4], SLUGS, SLUGS))
def test_every_control_writes_its_value_into_the_link(slug):
    declared = page(slug)
    showing = {p.key: query_showing(slug, p.key) for p in declared.parameters}
    for link, keys in itertools.groupby(showing, showing.__getitem__):
        app = opened(slug, **link)
        given, _ = decode({key: [text] for key, text in link.items()}, declared.url_parameters)
        scene = Scene.settled(declared, given)
        for key in keys:
            parameter = scene.parameter(key)
            for text in way(parameter, scene.query[key], scene.offers):
                move(app, parameter, text)
                assert url(app)[key] == stage_data(app)["query"][key] == text
                value, _ = parameter.read(text, parameter.default)
                scene = Scene.settled(declared, {**scene.values, key: value})
        assert url(app) == scene.query


@every_page
def test_every_preset_leads_to_its_state(slug):
    declared = page(slug)
    numbered = list(enumerate(declared.presets))
    for number, preset in chosen(numbered, numbered[::3]):
        app = opened(slug, view=declared.shown_by(preset).key)
        app.button(f"preset-{number}").click().run()
        values = declared.preset_values(preset)
        expected = encode(values, declared.url_parameters)
        assert not app.exception
        assert url(app) == linked(declared, values)
        assert url(app).items() <= expected.items()
        for key, control in controls(app).items():
            assert control["text"] == expected[key]


@every_page
def test_a_garbled_link_ends_in_the_defaults_with_a_note(slug):
    declared = page(slug)
    keys = [p.key for p in declared.url_parameters]
    garbage = ["1e999", "<img src=x onerror=alert(1)>", "\u202e٣,5%00", "![](//x)", "a" * 3000]
    app = opened(slug, **dict(zip(keys, itertools.cycle(garbage), strict=False)))
    [note] = app.info
    assert all(f"**{key}**: " in note.value for key in keys)
    assert url(app) == linked(declared, decode({}, declared.url_parameters)[0])
    assert url(app).items() <= defaults(declared).items()
    assert stage_data(app)["query"].items() <= defaults(declared).items()


def test_the_home_page_and_the_menu_lead_to_every_page():
    app = opened("")
    links = [link.proto.page for link in app.get("page_link")]
    for target in PAGES:
        assert links.count(target.slug) >= 2


@every_page
def test_a_browser_that_draws_the_second_of_two_runs_alone_shows_the_same(slug):
    """It may never hear what the first one set: the defaults of the second say it."""
    declared = page(slug)
    start = {p.key: p.write(p.default) for p in declared.parameters}
    kinds = (p for p in declared.parameters if isinstance(p, Flag | Seed | Choice))
    app = opened(slug, **{p.key: way(p, start[p.key], {})[0] for p in kinds})
    app.run()
    values = app.session_state["dpviz"].values
    for field in app.text_input:
        if field.key.endswith("-exact"):
            assert field.proto.default == str(values[field.key.removesuffix("-exact")])
    for toggle in app.toggle:
        if toggle.key in values:
            assert toggle.proto.default == values[toggle.key]
    chosen = [(box, box.proto.default) for box in app.selectbox]
    chosen += [(group, *group.proto.default) for group in app.button_group]
    for control, place in chosen:
        if control.key in values:
            words = declared.parameter(control.key).options[values[control.key]]
            assert control.options[place] == words
