"""Figures in a notebook, and the notebook that shows how; its cells run without Jupyter."""

import ast
import json
from html import escape

import pytest

import dpviz
from dpviz.results.folders import ROOT
from dpviz.results.version import VERSION
from tests.support.declarations import SLUGS, begun, page
from tests.support.examples import only_in_ci

EXAMPLES = sorted((ROOT / "assets" / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_cell_of_a_notebook_runs_and_shows_something(file, capsys):
    notebook = json.loads(file.read_text(encoding="utf-8"))
    known = {}
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    assert len(cells) > 5
    for cell in cells:
        *before, last = ast.parse(cell).body
        exec(compile(ast.Module(before, []), file.name, "exec"), known)
        assert isinstance(last, ast.Expr)
        value = eval(compile(ast.Expression(last.value), file.name, "eval"), known)
        assert value is not None or capsys.readouterr().out.startswith("@")
    assert not any(c.get("outputs") for c in notebook["cells"])


def test_a_figure_is_live_and_has_words_numbers_and_sources():
    shown = dpviz.figure("bounded_noise", view="noise", epsilon=0.5)
    kinds = shown._repr_mimebundle_(include=None, exclude=None)
    drawn = kinds["application/vnd.plotly.v1+json"]
    assert {trace["type"] for trace in drawn["data"]} == {"scatter"}
    assert json.dumps(drawn)
    assert "Plotly.newPlot" in kinds["text/html"]
    assert kinds["text/plain"] == repr(shown)
    assert shown.sentence in repr(shown)
    assert f"dpviz {VERSION}: bounded_noise?" in repr(shown)
    assert "exact: Balle & Wang 2018, Algorithm 1" in repr(shown)
    assert list(shown.table().columns) == list(shown.result.columns())
    assert "@inproceedings{balle2018improving" in shown.bibtex()
    same = dpviz.figure(f"https://example.org/sub/{shown.link}")
    assert same.sentence == shown.sentence


def test_a_result_shows_its_curves_with_bounds_and_evidence():
    shown = dpviz.figure("bounded_noise", view="errors").result
    html = shown._repr_html_()
    assert html.count("<tr>") == 1 + len(shown.curves)
    bounded = shown.curve("bounded_certain")
    assert bounded.evidence.value in html
    near = abs(bounded.x - shown.here).argmin()
    assert f"between {bounded.lower[near]:.6g} and {bounded.upper[near]:.6g}" in html
    assert "Balle &amp; Wang 2018" in html
    size, head, *lines = repr(shown).splitlines()
    assert size.startswith("ErrorComparison: ")
    assert f"at {shown.x.label} = 1e+06" in head
    assert len(lines) == len(shown.curves)
    [line] = [line for line in lines if line.startswith(bounded.label)]
    assert f"between {bounded.lower[near]:.6g} and {bounded.upper[near]:.6g}" in line
    assert line.split("  ")[-1].strip() == str(bounded.source)
    assert bounded.evidence.value in line


@pytest.mark.parametrize("slug", SLUGS)
def test_every_result_says_briefly_what_is_known_of_what(slug):
    """No kind has a repr of its own, which would list every number."""
    for view in page(slug).views:
        result = begun(page(slug), view, page(slug).usual(view.key))
        said = repr(result)
        assert said.startswith(f"{type(result).__name__}: ")
        assert len(said) < 8000
        for origin in result.origins:
            assert origin.evidence.value in said
            assert str(origin.source) in said
            assert escape(str(origin.source)) in result._repr_html_()


@only_in_ci
def test_what_is_brushed_is_a_picture():
    kinds = dpviz.figure("clipping", view="people")._repr_mimebundle_()
    assert kinds["image/svg+xml"].startswith("<svg")


def test_a_figure_is_saved(tmp_path):
    shown = dpviz.figure("promise?view=odds")
    shown.save(tmp_path / "a.csv")
    assert "# suspicion" in (tmp_path / "a.csv").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="must end in one of svg"):
        shown.save(tmp_path / "a.gif")


@pytest.mark.parametrize(
    ("link", "parameters", "words"),
    [
        ("nowhere", {}, "must lead to one of promise"),
        ("bounded_noise", {"epsilom": 1}, "has no 'epsilom'; it has"),
        ("bounded_noise", {"epsilon": float("nan")}, "epsilon"),
        ("bounded_noise", {"view": "nothing"}, "view"),
        ("clipping", {"view": "real", "data": "own"}, "reader's own data"),
    ],
)
def test_what_cannot_be_opened_is_an_error(link, parameters, words):
    with pytest.raises(ValueError, match=words):
        dpviz.figure(link, **parameters)
