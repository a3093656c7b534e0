"""What is made of an unfinished computation says so, by whatever way it leaves."""

import json
from dataclasses import replace

import numpy as np
import pytest
from starlette.requests import Request

from dpviz.scene.catalogue import entry
from dpviz.scene.lectures import LectureScene
from dpviz.serve import files, links, previews
from dpviz.serve.computing import RESULTS, Computation, Progress
from dpviz.serve.lecture import scenes
from dpviz.serve.lines import Look, adapted, line
from dpviz.serve.rooms import sketching
from dpviz.serve.scheduler import SCHEDULER
from dpviz.serve.topics import Topics
from tests.support.declarations import opened, page

SHORT = "This is what a short computation gives"
LINK = "https://example.org/bounded_noise"


@pytest.fixture
def scene():
    """A view that does not say how far it is, and that a link computes in part only."""
    RESULTS.clear()
    whole = opened(page("bounded_noise"), "errors")
    return replace(whole, view=replace(whole.view, first_seconds=0.0))


@pytest.fixture
def progress(scene):
    computation = Computation(scene)
    computation.advance()
    assert computation.progress.result.done is None
    return computation.progress


def test_a_file_of_every_kind_says_so_and_a_whole_one_does_not(scene, progress):
    for part in (progress, Progress(progress.result, whole=True)):
        made = {k: files.contents(k, scene, part, LINK) for k in ("csv", "svg", "html", "json")}
        for kind, content in made.items():
            assert (SHORT.encode() in content) == (not part.whole), kind
        assert json.loads(made["json"])["whole"] == part.whole
        assert files.name(scene, part).endswith("-partial") == (not part.whole)


def test_what_is_known_is_passed_on_with_how_far_it_is(scene):
    *_, last = SCHEDULER.results(Computation(scene), lambda: None)
    assert not last.whole
    assert links.finest(scene, 600).remark == last.remark == f"{SHORT}."


def test_the_preview_of_a_link_says_so(scene, monkeypatch):
    monkeypatch.setattr(previews, "_MOMENT", 600)
    monkeypatch.setattr(previews, "opened", lambda *_: (scene, ()))
    asked = Request(
        {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
    )
    said = previews._preview(asked, entry("bounded_noise"), Topics())
    assert SHORT in said.description
    assert not any(SHORT in text for text in said.more)  # once is enough


def test_the_file_of_a_lecture_says_so_and_its_handout_too(scene):
    step = LectureScene("bounded_noise", {"view": "errors"}, "?")
    assert SHORT in scenes.handout(step, scene, links.finest(scene, 600), LINK)["picture"]
    line = scenes.final_line(scene, links.finest(scene, 600), Look())
    assert line["whole"]  # the file can't go on
    assert line["detail"].endswith(line["remark"])
    assert SHORT in line["exact"]


def test_a_class_that_has_drawn_a_curve_is_told_so():
    known = opened(page("promise"), "again")
    computation = Computation(known)
    computation.advance()
    sketched = sketching.sketched(known, Progress(computation.result, whole=False))
    assert SHORT in sketched.sentence


def test_how_far_it_is_never_rounds_to_all_of_it(progress):
    part = replace(progress.result, done=0.999)
    assert Progress(part, whole=False).remark == f"{SHORT}, with 99% of its points and runs."


def test_whoever_guessed_learns_what_it_is_so_far():
    """The answer after a few runs is none yet; the question is the same however many there are."""
    scene = opened(page("few_users"), "agreement")
    call = scene.page.call(scene.arguments) | {"runs": 2, "rng": np.random.default_rng(0)}
    *_, whole = scene.view.compute(**call)
    partial = replace(whole, so_far=replace(whole.so_far, planned=100))

    def told(result, look):
        said = json.loads(line(adapted(scene, look), result, look, whole=False))
        return said["takeaway"]

    guessed = Look(guess="65")
    assert "65</strong>; so far it is <strong>" in told(partial, guessed)
    assert "So far, from 2 of 100 " in told(partial, guessed)
    assert "65</strong>; the answer is <strong>" in told(whole, guessed)
    assert told(partial, Look(ask=True)) == told(whole, Look(ask=True))
    assert "far" not in told(partial, Look(ask=True))
