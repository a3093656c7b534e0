"""Figures in a notebook, and the notebook that shows how; its cells run without Jupyter."""

import json
import re
from html import escape, unescape

import pytest

import dpviz
from benchmarks import notebooks
from dpviz.results.answer import Answer, Comparison
from dpviz.results.folders import ROOT
from dpviz.results.version import VERSION
from tests.support.declarations import SLUGS, begun, page

EXAMPLES = sorted((ROOT / "assets" / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_cell_of_a_notebook_shows_what_is_stored_below_it(file):
    notebook = json.loads(file.read_text(encoding="utf-8"))
    cells = list(notebooks.shown(notebook))
    assert len(cells) > 5
    for count, (cell, value, said) in enumerate(cells, 1):
        stored = cell["outputs"]
        assert value is not None or said.startswith("@")
        assert [each["output_type"] for each in stored] == [
            each["output_type"] for each in notebooks.outputs(value, said, count)
        ], "python -m benchmarks.notebooks"
        if isinstance(value, (Answer, Comparison)):
            assert roughly("".join(stored[0]["data"]["text/plain"])) == roughly(repr(value))
    assert file.stat().st_size < 400_000


def roughly(text):
    """Write numbers to five digits: a search for the shape of noise ends where its libraries do."""
    return re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.5g}", text)


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


def test_a_live_figure_is_as_wide_as_its_cell_and_is_saved_for_a_paper(tmp_path):
    shown = dpviz.figure("bounded_noise", view="errors")
    layout = shown._repr_mimebundle_()["application/vnd.plotly.v1+json"]["layout"]
    assert layout["autosize"]
    assert "width" not in layout
    said = [re.sub("<[^>]*>", "", note["text"]) for note in layout["annotations"]]
    assert max(len(unescape(line)) for line in said) < 112  # which a narrow cell has room for
    assert 'width="1000"' in shown._repr_mimebundle_()["image/svg+xml"][:300]
    shown.save(tmp_path / "a.svg", width=2.5)
    assert 'width="2.5in"' in (tmp_path / "a.svg").read_text(encoding="utf-8")[:300]
    shown.save(tmp_path / "a.pdf", width=7)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    for options in ({"width": 0.1}, {"width": float("nan")}, {"font": "No Such Font"}):
        with pytest.raises(ValueError, match=r"must be from 1\.5 to 20|no font"):
            shown.save(tmp_path / "b.pdf", **options)
    with pytest.raises(ValueError, match=r"for \.svg and \.pdf"):
        shown.save(tmp_path / "b.png", width=3)


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
    assert f"at {shown.x.label} = 100000" in head
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


def test_whoever_opens_a_notebook_without_a_network_sees_the_figure():
    """Live it is for the notebook's own plotly; an exported one has the HTML, and asks nobody."""
    shown = dpviz.figure("bounded_noise?view=noise")
    kinds = shown._repr_mimebundle_()
    live = "application/vnd.plotly.v1+json"
    assert set(kinds) == {live, "text/html", "image/svg+xml", "text/plain"}
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
    links = ("shared_darts?view=disagreement", "shared_darts?view=disagreement&outcomes=9")
    pages = [dpviz.figure(link)._repr_mimebundle_()["text/html"] for link in links]
    first, second = (set(re.findall(r' id="([^"]+)"', page)) for page in pages)
    assert first
    assert not first & second


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
