"""The command that compares what every address shows notices what changes."""

import re
from dataclasses import replace

import pytest

from benchmarks import same_figures
from dpviz.results.refining import Pace
from tests.support import sample
from tests.support.declarations import page
from tests.support.examples import only_in_ci
from tests.support.pace import always

VIEW, *OTHERS = sample.PAGE.views
SAMPLE = replace(sample.PAGE, for_everyone=(VIEW, *OTHERS))


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    folder = tmp_path_factory.mktemp("before")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pace, "due", always)
        same_figures.record(folder, SAMPLE, 3)
        yield folder


def differing(folder, view):
    return same_figures.compare(
        folder, replace(SAMPLE, for_everyone=(view, *OTHERS)), 3, words=False
    )


def test_nothing_differs_where_nothing_changed(before, capsys):
    assert differing(before, replace(VIEW)) == 0
    assert "0 of " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"takeaway": lambda result: f"{VIEW.takeaway(result)} "}, "takeaway"),
        ({"detail": lambda _: "Other numbers."}, "detail"),
        ({"notes": lambda _: ["Another note."]}, "notes"),
        ({"figure": lambda result, theme: VIEW.figure(result, theme.narrow())}, "svg"),
        ({"title": "Another title"}, "title"),
    ],
    ids=lambda change: next(iter(change)) if isinstance(change, dict) else "",
)
def test_what_changed_is_named(before, change, part, capsys):
    assert differing(before, replace(VIEW, **change)) > 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(f"sample/{VIEW.key}")
    assert part in first


def test_drawings_that_differ_stand_side_by_side(before, tmp_path, capsys):
    """Each as it is, with names of its own for what is named in it, in colours of both schemes."""
    changed = replace(VIEW, figure=lambda result, theme: VIEW.figure(result, theme.narrow()))
    declared = replace(SAMPLE, for_everyone=(changed, *OTHERS))
    count = same_figures.compare(before, declared, 3, words=True, pairs=tmp_path)
    assert "characters of SVG" in capsys.readouterr().out
    text = (tmp_path / "sample.html").read_text(encoding="utf-8")
    assert text.count("<svg ") == 2 * text.count("<h2>") >= 2 * count
    names = re.findall(r' id="([^"]+)"', text)
    assert len(set(names)) == len(names)
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(names)
    assert set(re.findall(r"var\((--ink-\w[\w-]*)\)", text)) <= set(
        re.findall(r"(--ink-\w[\w-]*):light-dark", text)
    )


def test_a_drawing_that_is_the_same_is_not_shown(before, tmp_path):
    changed = replace(VIEW, detail=lambda _: "Other numbers.")
    declared = replace(SAMPLE, for_everyone=(changed, *OTHERS))
    assert same_figures.compare(before, declared, 3, words=False, pairs=tmp_path)
    assert "<svg " not in (tmp_path / "sample.html").read_text(encoding="utf-8")


@only_in_ci
def test_states_that_tests_name_are_among_the_addresses():
    """As are defaults, choices, presets and lectures."""
    declared = page("propose_test_release")
    named = {same_figures.address(scene).partition("?")[0] for scene in _scenes(declared)}
    assert named == {f"{declared.name}/{view.key}" for view in declared.views}
    states = [(scene.view.key, scene.values) for scene in _scenes(declared)]
    for view, state in (
        ("outliers", {"noise": "gaussian"}),
        ("outliers", {"outliers": 60}),
        ("noise", {"users": 10**5, "epsilon": 0.01, "delta": 1e-30}),  # of tests/support/heavy.py
    ):
        assert any(
            key == view and all(values[name] == value for name, value in state.items())
            for key, values in states
        )


def _scenes(declared):
    return list(same_figures.scenes(declared))
