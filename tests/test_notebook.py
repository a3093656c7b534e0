"""Figures in a notebook, and the notebook that shows how; its cells run without Jupyter."""

import ast
import json
import re
from html import escape

import pytest

import dpviz
from dpviz.results.folders import ROOT
from dpviz.results.version import VERSION
from tests.support.declarations import SLUGS, begun, page

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
    assert [curve.name for curve in shown.live().data] == [one.get("name") for one in drawn["data"]]
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


@pytest.mark.parametrize(
    ("link", "live"),
    [
        ("bounded_noise?view=noise", "application/vnd.plotly.v1+json"),
        ("clipping?view=people", "application/vnd.vegalite.v6+json"),
    ],
)
def test_whoever_opens_a_notebook_without_a_network_sees_the_figure(link, live):
    """Live it is for the notebook's own library; an exported one has the HTML, and asks nobody."""
    shown = dpviz.figure(link)
    kinds = shown._repr_mimebundle_()
    assert set(kinds) == {live, "text/html", "image/svg+xml", "text/plain"}
    assert json.dumps(kinds)
    html = kinds["text/html"]
    assert kinds["image/svg+xml"].startswith("<svg")
    assert not re.search(r"\b(src|href)=|\bimport\b|fetch\(\"|url\((?!data:|#)|@import", html)
    root = html.partition("<svg")[2].partition("</svg>")[0]
    assert root.count("<path") + root.count("<circle") + root.count("<rect") > 8
    assert escape(shown.sentence) in html
    known = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html)[1])
    assert sum(map(len, (reading["said"] for reading in known["readings"]))) > 20


def test_two_figures_of_a_notebook_have_no_name_in_common():
    """Else what cuts the curves of one at its axes cuts those of the other."""
    links = ("clipping?view=people&threshold=4", "clipping?view=people&threshold=5")
    pages = [dpviz.figure(link)._repr_mimebundle_()["text/html"] for link in links]
    first, second = (set(re.findall(r' id="([^"]+)"', page)) for page in pages)
    assert first
    assert not first & second


def test_people_are_a_chart_of_altair_to_work_on():
    assert dpviz.figure("clipping", view="people").live().to_dict()["concat"]


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
