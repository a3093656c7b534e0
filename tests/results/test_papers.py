"""Every source that a curve names leads to papers with BibTeX."""

import re
from dataclasses import dataclass
from datetime import date

import numpy as np
import pytest

from dpviz.results import papers
from dpviz.results.bibliography import PAPERS
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Origin, Result, Source, Subject
from dpviz.results.papers import bibtex, dpviz_reference, is_public, references
from dpviz.results.version import VERSION
from dpviz.topics.user_complexity.rows import ROWS
from tests.support.declarations import SLUGS, begun, page

OWN = re.compile(r"dpviz(\.\w+)*$|this app$")
FIELDS = {
    "inproceedings": {"author", "title", "booktitle", "year"},
    "article": {"author", "title", "journal", "volume", "year"},
    "misc": {"author", "title", "year"},
}
_OPTIONAL = ("show_published", "show_best", "certain", "show_shape")
EVERYTHING = {
    ("bounded_noise", "errors"): {"show_shapes": True, "quantile": "published"},
    ("adaptive_analysis", "queries"): dict.fromkeys(_OPTIONAL, True),
}


def shown(slug, key):
    """First results of a view: with all its curves, and at the presets that open it."""
    declared = page(slug)
    usual = declared.usual(key)
    states = [usual | EVERYTHING.get((slug, key), {})]
    states += [declared.preset_values(preset) for preset in declared.presets]
    for state in states:
        if declared.open_view(state).key == key:
            yield begun(declared, declared.open_view(state), state)


def assert_known(source):
    """The paper has an entry, or is dpviz itself; what is left names no further paper."""
    known = source.paper in PAPERS or bool(OWN.fullmatch(source.paper))
    assert known, f"dpviz/results/bibliography.py has no paper {source.paper!r}"
    text = str(source)
    for name in sorted(PAPERS, key=len, reverse=True):
        text = text.replace(name, "")
    assert not re.search(r"\b(19|20)\d\d\b", text), source


@pytest.mark.parametrize(
    ("slug", "key"), [(slug, view.key) for slug in SLUGS for view in page(slug).views]
)
def test_every_source_of_every_view_is_known(slug, key):
    cited = set()
    for result in shown(slug, key):
        sources = [origin.source for origin in result.origins]
        for source in sources:
            assert_known(source)
        cited |= {reference.key for reference in references(sources)}
    assert cited, "no part of the result comes from a paper in dpviz.results.papers"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.source))
def test_every_source_of_the_tables_is_known(row):
    assert_known(row.source)


def test_the_check_would_notice_a_paper_without_an_entry():
    for source in (Source("Nobody 2031"), Source("Dagan & Kur", "citing Nobody 2031")):
        with pytest.raises(AssertionError):
            assert_known(source)


@pytest.mark.parametrize("name", PAPERS)
def test_an_entry_is_complete(name):
    paper = PAPERS[name]
    assert FIELDS[paper.kind] <= set(paper.fields)
    year = re.search(r"\d{4}$", name)
    assert year is None or paper.fields["year"] == year[0]
    surname = re.split(r"[ ,]", name)[0]
    assert re.fullmatch(rf"{surname.lower()}{paper.fields['year']}[a-z]+", paper.key)
    for author in re.findall(r"[A-Z]\w+(?=[ ,]|$)", name.partition(" et al.")[0]):
        assert author in paper.fields["author"]
    text = str(paper)
    assert "--" in paper.fields.get("pages", "--")
    assert text.count("{") == text.count("}")
    assert text.startswith(f"@{paper.kind}{{{paper.key},\n")
    assert text.isascii()


def test_keys_are_unique():
    assert len({paper.key for paper in PAPERS.values()}) == len(PAPERS)


def test_papers_that_a_source_cites_are_cited_too_and_each_once():
    sources = [
        Source("Ghazi, Kamath et al. 2023", "Table 1, citing Beimel, Nissim & Stemmer 2019"),
        Source("Ghazi, Kamath et al. 2023", "Theorem 4"),
        Source("dpviz.maths.accounting", "exact version of Dagan & Kur, Lemma 10.2"),
    ]
    text = bibtex(sources, "https://example.org/x?y=1", date(2026, 1, 2))
    keys = re.findall(r"^@\w+\{(\w+),$", text, re.M)
    assert keys == ["ghazi2023user", "beimel2019characterizing", "dagan2022bounded", "dpviz"]
    assert "url     = {https://example.org/x?y=1}" in text
    assert "urldate = {2026-01-02}" in str(dpviz_reference("", date(2026, 1, 2)))
    notes = {r.key: r.fields.get("note") for r in references(sources)}
    assert notes["ghazi2023user"] == "Table 1; Theorem 4"
    assert notes["beimel2019characterizing"] is None
    assert notes["dagan2022bounded"] == "Lemma 10.2"


@pytest.mark.parametrize(
    ("link", "public"),
    [
        ("https://dpviz.example.edu/promise?epsilon=2", True),
        ("http://8.8.8.8:80/promise?epsilon=2", True),
        ("http://127.0.0.1:8501/promise?epsilon=2", False),
        ("http://localhost:8501/promise?epsilon=2", False),
        ("http://[::1]:8501/promise?epsilon=2", False),
        ("http://192.168.1.5/promise?epsilon=2", False),
        ("http://teacher.local/promise?epsilon=2", False),
        ("http://[x/promise?epsilon=2", False),
        ("promise?epsilon=2", False),
    ],
)
def test_bibtex_names_an_address_only_where_it_leads_somewhere(link, public, monkeypatch):
    monkeypatch.setattr(papers, "REPOSITORY", "")
    if link.startswith("http://[x"):
        assert not is_public(link)
        return
    text = str(dpviz_reference(link, date(2026, 1, 2)))
    assert (link in text) is public
    assert ("url  " in text) is public
    assert (r"Figure {promise?\allowbreak{}epsilon=2}" in text) is not public
    assert f"made visible, version {VERSION}}}" in text


def test_a_release_leads_to_itself_where_a_link_leads_nowhere(monkeypatch):
    monkeypatch.setattr(papers, "REPOSITORY", "https://github.com/someone/dpviz")
    here, there = "http://localhost:8501/promise?epsilon=2", "https://dp.example/promise?epsilon=2"
    found = [dpviz_reference(link, date(2026, 1, 2)).fields["url"] for link in (here, there)]
    assert found == ["https://github.com/someone/dpviz", there]


def test_a_long_address_may_be_broken_in_a_narrow_column():
    note = dpviz_reference("promise?view=odds&answer_epsilon=2", date(2026, 1, 2)).fields["note"]
    assert note == (r"Figure {promise?\allowbreak{}view=odds\&\allowbreak{}answer\_epsilon=2}")


def test_origins_are_found_wherever_a_result_keeps_its_curves():
    one, two = Source("Dagan & Kur", "Lemma 10.2"), Source("Huber 1974")
    x = np.arange(3.0)
    kinds = ((Evidence.EXACT, one), (Evidence.EXACT, one), (Evidence.SIMULATED, two))
    curves = tuple(Curve("c", "", Subject.BOUNDED, *kind, x, x) for kind in kinds)
    chart = Chart(Axis("x", "x"), Axis("y", "y"), curves)
    expected = (Origin(Evidence.EXACT, one), Origin(Evidence.SIMULATED, two))
    assert chart.origins == expected

    @dataclass(frozen=True)
    class Nested(Result):
        other_origins = (expected[0], Origin(Evidence.PUBLISHED, two))
        charts: dict[str, list[Chart]]
        number: float

        def columns(self):
            return {}

    nested = Nested({"a": [chart]}, 3.0)
    assert nested.origins == (*expected, Origin(Evidence.PUBLISHED, two))
