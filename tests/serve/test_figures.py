"""Figures by their addresses: what they say, garbled ones, those who leave, what is kept."""

import asyncio
import itertools
import json
import logging
import threading
import time
from dataclasses import replace
from urllib.parse import urlencode

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from dpviz.plot.partial_chart import drawn_by_now
from dpviz.results.caching import Cache
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from dpviz.scene.codec import encode
from dpviz.scene.scene import Scene
from dpviz.serve import answer_cache, figure_request, figures
from dpviz.serve.clients import TOKEN
from dpviz.serve.computing import RESULTS, Computation
from dpviz.serve.faults import CALM
from dpviz.serve.grants import welcome
from dpviz.serve.lines import LOOKS, Look, line
from dpviz.serve.scheduler import SCHEDULER
from dpviz.serve.version import version
from tests.serve.asgi import app, ask, asked
from tests.support import sample
from tests.support.declarations import SLUGS, begun, page
from tests.support.loops import run

LINK = {"x": "queries", "epsilon": "0.1", "queries": "1000", "log": "1", "seed": "0"}


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    sample.calls.clear()
    monkeypatch.setattr(answer_cache, "ANSWERS", Cache(2**20))
    RESULTS.clear()


def test_a_link_gives_sentence_figure_and_how_far_it_is():
    answer = ask("/figure/sample/curve", LINK)
    assert answer.status == 200
    [line] = answer.lines
    assert line["takeaway"] == line["alt"] == "The last error is 316.228."
    assert line["whole"] is True
    assert line["corrections"] == []
    assert go.Figure(line["spec"]["data"], line["spec"]["layout"]).data[0].type == "scatter"
    assert len(line["axes"]) == 4


@pytest.mark.parametrize("slug", SLUGS[:2])
def test_pages_are_found_by_their_names(slug):
    declared = page(slug)
    key = declared.views[-1].key
    answer = ask(f"/figure/{slug or 'home'}/{key}", {"moving": "1"})
    assert answer.status == 200
    assert answer.last["spec"]["data"]


@pytest.mark.parametrize(
    "path", ["nothing/here", "sample/none", "glossary/x", "lectures/x", "app/x", "..%2fapp/x", "/x"]
)
def test_what_there_is_not_is_told_in_plain_words(path):
    answer = ask(f"/figure/{path}")
    assert answer.status == 404
    if path.count("/") == 1 and not path.startswith("/"):
        assert answer.content == b"There is no such figure.\n"


def test_a_garbled_link_gets_the_notes_of_the_page():
    answer = ask("/figure/sample/curve", {"epsilon": "<b>x</b>", "queries": "1e99", "bad": "1"})
    first, second, third = answer.last["corrections"]
    assert "`<b>x</b>` is not a finite number; using 0.1." in first
    assert "`1e99` is not a whole number from 10 to 10⁶; using 10⁶." in second
    assert "Left out, as this page has no such parameter: `bad`." in third
    assert not ask("/figure/sample/curve", {"users": "7", "scene": "x"}).last["corrections"]


@given(
    st.dictionaries(
        st.sampled_from([*LINK, *LOOKS, "moving", "whole", "v", "view", "other"]), st.text()
    )
)
def test_no_link_is_a_fault_of_the_server(query):
    answer = ask(
        "/figure/sample/curve", {k: v.encode("utf-8", "replace") for k, v in query.items()}
    )
    assert answer.status == 200
    assert "spec" in answer.last


def test_looks_that_cannot_be_read_are_left_out():
    assert Look.read({"held": "1,2,3", "room": "x", "theme": "blue"}) == Look()
    assert Look.read({"held": "1,2,nan,4"}).held is None
    assert Look.read({"held": "2,1,3,4"}).held is None
    assert Look.read({"held": "1,2,3,4"}).held == ((1, 2), (3, 4))
    assert Look.read({"room": "99999999"}).room == 4000
    assert Look.read({"left": "-3"}).left == Look.read({"left": "9" * 5000}).left == 0
    assert Look.read({"left": "99999"}).left == 150


def test_no_parameter_of_a_page_is_taken_for_a_look():
    for slug in SLUGS:
        aside = {*LOOKS, *figure_request.ASIDE}
        assert not aside & {parameter.key for parameter in page(slug).url_parameters}


def test_refusals_and_faults_stand_in_place_of_the_figure(caplog):
    refused = ask("/figure/sample/refuses", LINK).last
    assert refused["problem"].startswith("epsilon must be a number from")
    assert not refused["grave"]
    with caplog.at_level(logging.ERROR):
        broken = ask("/figure/sample/breaks", LINK)
    assert broken.status == 200
    assert broken.last["problem"] == CALM
    assert b"secret" not in broken.content
    assert "dpviz-sample-breaks failed: RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_a_figure_of_a_movement_is_one_and_holds_the_axes():
    held = {"moving": "1", "held": "-1,4,-1,9", "left": "120"}
    [line] = ask("/figure/sample/refined", LINK | held).lines
    assert line["axes"][1] == 4
    assert line["left"] == 120
    assert len(answer_cache.ANSWERS) == 0


@pytest.mark.parametrize(("view", "whole"), [("curve", True), ("lengthy", False)])
def test_a_reader_keeps_the_curve_that_stood_there_whatever_others_compute(view, whole):
    grant = welcome()
    sent = {**LINK, "queries": "100"}
    assert ask(f"/figure/sample/{view}", sent, **{TOKEN: grant.token}).last["whole"] is whole
    RESULTS.clear()
    values = {p.key: p.default for p in sample.PAGE.url_parameters}
    then = values | {"view": view, "epsilon": 0.1, "queries": 100}
    scenes = [
        Scene(sample.PAGE, sample.PAGE.open_view(v), v) for v in (then | {"epsilon": 1}, then)
    ]
    now, previous = scenes
    moving = figure_request.FigureRequest(
        now, (), Look(), True, False, grant, grant.client, previous
    )
    [chart] = moving.previous_charts()
    # Of a curve in part, five points on a straight line tell it.
    assert [curve.x.size for curve in chart.curves] == [9 if whole else 5]


@pytest.mark.parametrize("query", [{"revealed": "moved"}, {"told": "since"}])
def test_how_an_answer_is_revealed_is_read_by_its_former_name_too(query):
    assert Look.read(query) == Look(revealed="moved")
    assert Look.read(dict.fromkeys(query, "else")) == Look()
    assert {*query} <= {*LOOKS}


@pytest.mark.parametrize("name", ["previous", "since"])
def test_the_figure_before_is_told_by_what_was_other_then(name):
    query = urlencode({"queries": "100", name: "queries=50"})
    scope = {"type": "http", "query_string": query.encode(), "headers": [], "client": ("::1", 1)}
    found = figure_request.FigureRequest.read(Request(scope), sample.PAGE, "curve")
    assert found.scene.values["queries"] == 100
    assert found.previous.values["queries"] == 50


def test_what_is_known_of_a_curve_in_part_stands_in_only_if_it_tells_the_curve():
    x = np.linspace(1, 2, 5)
    axis = Axis("y", "y", log=False)

    def known(key, y):
        return Curve(key, key, Subject.BOUNDED, Evidence.EXACT, Source("Test"), x, y)

    curves = (
        known("straight", 3 * x),
        known("bent", np.exp(4 * x)),
        known("two", np.where((x == 1) | (x == 2), x, np.nan)),
    )
    chart = Chart(Axis("x", "x", log=False), axis, curves)
    assert [curve.key for curve in drawn_by_now(chart).curves] == ["straight"]
    assert drawn_by_now(replace(chart, curves=())).curves == ()


def test_whole_answers_are_kept_and_browsers_may_keep_them():
    fresh = ask("/figure/sample/curve", LINK)
    assert fresh.headers["cache-control"] == "no-store"
    assert len(sample.calls) == 1
    kept = ask("/figure/sample/curve", LINK | {"v": version()})
    assert len(sample.calls) == 1
    assert kept.lines == fresh.lines
    assert "immutable" in kept.headers["cache-control"]
    packed = ask("/figure/sample/curve", LINK, accept_encoding="gzip")
    assert packed.headers["cache-control"] == "no-cache"
    assert packed.lines == fresh.lines
    mark = kept.headers["etag"]
    same = ask("/figure/sample/curve", LINK, if_none_match=mark)
    assert (same.status, same.content) == (304, b"")
    assert ask("/figure/sample/curve", LINK | {"theme": "dark"}).lines != fresh.lines


def test_what_is_not_whole_is_not_kept():
    answer = ask("/figure/sample/lengthy", LINK)
    assert answer.last["whole"] is False
    assert len(answer_cache.ANSWERS) == 0


def test_a_long_guess_is_no_longer_in_what_is_kept():
    assert len(Look.read({"guess": "1" * 8000}).guess) <= 100


def test_who_asks_for_the_head_of_a_figure_has_none_computed(monkeypatch):
    monkeypatch.setattr(Computation, "advance", lambda _: pytest.fail("it was computed"))
    answer = run(asked(app(), "/figure/sample/curve", LINK, method="HEAD"))
    assert (answer.status, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "application/x-ndjson"


def test_lines_come_at_widening_intervals():
    """However fast or slow the machine: so long at least from line to line, but for the last."""
    drawn = []

    def steadily(*, epsilon):
        while len(drawn) < 4:  # however long it takes to draw them
            time.sleep(0.01)
            yield from itertools.islice(sample.refined(epsilon=epsilon), 1)

    def draw(chart, theme):
        drawn.append(time.monotonic())
        return sample.PAGE.views[1].figure(chart, theme)

    view = replace(sample.PAGE.views[1], key="steadily", compute=steadily, figure=draw)
    view = replace(view, first_seconds=1e9)
    site = app(replace(sample.PAGE, slug="more", for_everyone=(view,)))
    answer = run(asked(site, "/figure/more/steadily", LINK))
    del drawn[len(answer.lines) :]  # then the place of the next one is learnt
    assert len(answer.lines) == len(drawn) > 3
    pauses = [later - earlier for earlier, later in itertools.pairwise(drawn)]
    for count, pause in enumerate(pauses[:-1]):
        assert pause >= min(0.1 * 1.6**count, 1.0)


def test_what_may_come_next_is_computed_ahead_and_not_sent():
    ahead = ask("/figure/sample/curve", LINK | {"idle": "1"})
    assert (ahead.status, ahead.content) == (204, b"")
    assert figures.BUSY not in ahead.headers
    assert len(sample.calls) == 1
    assert ask("/figure/sample/curve", LINK).last["whole"] is True
    assert ask("/figure/sample/curve", LINK | {"idle": "1"}).status == 204
    assert len(sample.calls) == 1


def test_nothing_is_computed_ahead_while_anybody_waits():
    gate = threading.Event()

    def held(*, epsilon):
        gate.wait(600)
        yield from sample.refined(epsilon=epsilon)

    site = app(
        replace(
            sample.PAGE,
            slug="more",
            for_everyone=(replace(sample.PAGE.views[1], key="held", compute=held),),
        )
    )

    async def meet():
        reader = asyncio.create_task(asked(site, "/figure/more/held", LINK))
        while not SCHEDULER:
            await asyncio.sleep(0.01)
        ahead = await asked(site, "/figure/sample/curve", LINK | {"idle": "1"})
        gate.set()
        await reader
        return ahead

    ahead = run(asyncio.wait_for(meet(), 600))
    assert (ahead.status, ahead.headers[figures.BUSY]) == (204, "1")
    assert not sample.calls or "points" in sample.calls[0]
    assert len(answer_cache.ANSWERS) == 1


def test_only_who_clicked_computes_to_the_end():
    declared = sample.PAGE
    view = next(view for view in declared.views if view.key == "lengthy")
    values = {p.key: p.default for p in declared.url_parameters} | {"view": "lengthy"}
    grant = welcome()
    part = ask("/figure/sample/lengthy", LINK, **{TOKEN: grant.token})
    assert part.last["whole"] is False
    assert len(sample.calls) == 1
    grant.unlimited = Computation(Scene(declared, view, values)).state
    assert ask("/figure/sample/lengthy", LINK, **{TOKEN: "guessed"}).last["whole"] is False
    before = len(sample.calls)
    whole = ask("/figure/sample/lengthy", LINK, **{TOKEN: grant.token})
    assert whole.last["whole"] is True
    assert len(sample.calls) - before == 4  # it went on where it was


def test_who_goes_away_ends_the_computation():
    went_on, gate = threading.Event(), threading.Event()

    def endless(*, epsilon):
        while True:
            yield from sample.refined(epsilon=epsilon)
            gate.wait(600)
            if gate.is_set():
                went_on.set()

    view = replace(sample.PAGE.views[1], key="endless", compute=endless, first_seconds=1e9)
    site = app(replace(sample.PAGE, slug="more", for_everyone=(view,)))

    async def come_and_go():
        leave = asyncio.Event()
        visit = asyncio.create_task(asked(site, "/figure/more/endless", LINK, leave=leave))
        while not SCHEDULER:
            await asyncio.sleep(0.01)
        leave.set()
        await asyncio.wait_for(asyncio.gather(visit, return_exceptions=True), 600)
        gate.set()
        while SCHEDULER:
            await asyncio.sleep(0.01)

    run(asyncio.wait_for(come_and_go(), 600))


def test_an_answer_hidden_before_it_is_guessed_is_not_in_the_route():
    slug, view = next(
        (slug, view) for slug in SLUGS for view in page(slug).views if view.prediction is not None
    )
    declared, hidden = page(slug), []
    values = {p.key: p.default for p in declared.url_parameters} | {"view": view.key}
    link = encode(values, declared.parameters)
    said = ask(f"/figure/{slug or 'home'}/{view.key}", link | {"ask": "1", "moving": "1"}).last
    open_one = ask(f"/figure/{slug or 'home'}/{view.key}", link | {"moving": "1"}).last
    assert said["alt"] == view.prediction.question
    assert said["notes"] == hidden
    assert said["spec"]["data"] != open_one["spec"]["data"]
    guess = view.prediction.guess
    text = guess.write(guess.default)
    line = ask(f"/figure/{slug or 'home'}/{view.key}", link | {"guess": text, "moving": "1"}).last
    assert line["takeaway"].startswith(("You predicted <strong>", open_one["takeaway"][:10]))


def test_own_data_need_the_token_of_their_session_and_are_never_kept():
    def owned(*, epsilon, data=None):
        yield from sample.refined(epsilon=epsilon * (1 if data is None else data))

    upload = next(view.upload for view in page("clipping").views if view.upload)
    upload = replace(upload, keyword="data", applies=lambda _: True)
    view = replace(sample.PAGE.views[1], key="owned", compute=owned, upload=upload)
    site = app(replace(sample.PAGE, slug="more", for_everyone=(view,)))
    grant = welcome()
    grant.own = {"data": 10.0}

    def last(**headers):
        return run(asked(site, "/figure/more/owned", LINK, headers)).last["alt"]

    assert last(**{TOKEN: grant.token}) == "The last error is 100."
    assert last() == last(**{TOKEN: "no"}) == "The last error is 1000."
    assert len(answer_cache.ANSWERS) == 0
    token = grant.token
    del grant
    assert last(**{TOKEN: token}) == "The last error is 1000."


def test_answers_of_rounds_go_by_the_token_and_only_to_their_own_scene():
    declared = page("promise")
    values = {p.key: p.default for p in declared.url_parameters} | {"mechanism": "laplace"}
    link = encode(values, declared.parameters)
    site, grant = app(declared), welcome()
    grant.answers[Scene.opened(declared, values).about] = "ioi"

    def played(**changes):
        headers = {TOKEN: grant.token}
        return run(asked(site, "/figure/promise/play", link | changes, headers))

    assert "of 3 so far" in played().last["alt"]
    assert "no-store" in played().headers["cache-control"]
    assert "so far" not in played(epsilon="2", moving="1").last["alt"]
    assert "so far" not in run(asked(site, "/figure/promise/play", link)).last["alt"]


def test_lines_are_json_even_of_what_is_not_finite():
    for said in ask("/figure/sample/random", LINK).content.splitlines():
        json.loads(said, parse_constant=pytest.fail)


def test_a_small_projector_gets_large_words_and_the_legend_below():
    theme = Look.read({"narrow": "1", "room": "400"}).theme(partial=False)
    assert theme.compact
    assert (theme.height, theme.scale) == (400, 1.4)


@pytest.mark.parametrize("low", [480, 540, 900])
def test_a_low_window_shows_both_panels_of_a_figure_and_is_filled_by_them(low):
    slug = page("adaptive_analysis")
    view = next(view for view in slug.views if view.key == "queries")
    result = begun(slug, view, slug.usual("queries") | {"show_best": True})
    drawn = json.loads(line(view, result, Look(low=low), whole=True))
    usual = json.loads(line(view, result, Look(), whole=True))
    heights = [said["spec"]["layout"]["height"] for said in (drawn, usual)]
    assert heights[1] > 540
    assert heights[0] == min(heights[1], low)
