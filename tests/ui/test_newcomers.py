"""Questions that lead to their answers, and the glossary."""

import re
from urllib.parse import urlencode

import pytest

from dpviz.results.evidence import Evidence
from dpviz.results.parameters import LIMITS
from dpviz.scene import glossary
from dpviz.scene.catalogue import PAGES, entry
from dpviz.scene.codec import decode_address, decode_link
from dpviz.ui.frame import prose
from dpviz.ui.glossary import table
from dpviz.ui.questions import QUESTIONS
from tests.support.declarations import page
from tests.ui.figures import takeaway
from tests.ui.opening import opened

TERMS = (
    "Neighbouring",
    "User-level",
    "Item-level",
    "differential privacy",
    "Mechanism",
    "Sensitivity",
    "Composition",
    "accountant",
    "Group privacy",
    "Central, local and shuffle",
)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.words)
def test_a_question_leads_to_a_state_worth_seeing(question):
    declared = page(question.slug)
    assert set(question.query) <= {p.key for p in declared.url_parameters}
    asked = {key: [text] for key, text in question.query.items()}
    values, notes = decode_address(asked, declared.url_parameters)
    assert not notes
    opening = declared.usual(declared.open_view(values).key)
    assert values in [opening, *(declared.preset_values(preset) for preset in declared.presets)]
    assert question.words.endswith("?")


def test_questions_are_few_plain_and_of_most_pages():
    assert len(QUESTIONS) == 9
    assert len({(q.slug, urlencode(q.query)) for q in QUESTIONS}) == 9
    assert len({q.slug for q in QUESTIONS}) >= 7
    assert not [q for q in QUESTIONS if re.search(r"[εδβα]|DP|\bm\b|\bn\b|\bk\b", q.words)]


def test_the_glossary_has_every_symbol_with_its_range():
    rows = table(LIMITS.values()).splitlines()[2:]
    assert not any("^" in row for row in rows)  # powers are raised
    assert len(rows) == len(LIMITS)
    for limit in LIMITS.values():
        [row] = [row for row in rows if row.endswith(f"| `{limit.name}` |")]
        cells = re.split(r"(?<!\\)\|", row)
        assert len(cells) == 6
        sign = cells[1].strip(" *").replace("\\", "").replace("<sub>", "_")
        assert sign.removesuffix("</sub>") == limit.symbol
        assert re.sub("</?sup>", "", cells[2]).strip() == limit.meaning.replace("^", "")
        assert " to " in cells[3]


def test_the_glossary_has_the_terms_of_the_field_and_every_kind_of_evidence():
    prose_text = " ".join(text for _, text in prose("glossary"))
    bold = " ".join(re.findall(r"\*\*(.+?)\*\*", prose_text, re.DOTALL)).lower()
    for term in TERMS:
        assert term.lower() in bold, term
    for evidence in Evidence:
        assert evidence.value.split()[0].split(",")[0].lower()[:6] in bold


def test_the_glossary_is_a_page():
    app = opened("glossary")
    assert app.title[0].value == entry("glossary").question
    assert table(LIMITS.values()) in [m.value for m in app.markdown]


def test_the_home_page_shows_a_figure_then_three_ways_in_and_every_topic():
    app = opened("")
    assert "Were you in?" in takeaway(app)
    labels = {element.proto.label for element in app.get("page_link")}
    assert {"I want to understand it", "I teach it", "I work on it"} < labels
    pictures = "".join(element.proto.body for element in app.get("html"))
    for topic in PAGES:
        assert f"/tile/{topic.slug}?theme=" in pictures


def test_a_link_to_how_to_read_a_curve_opens_the_best_attacker():
    app = opened("", view="reading", kind="exact", sigma="2")
    assert app.query_params["view"] == "attackers"
    assert not app.warning
    assert "nobody guesses right more than" in takeaway(app)


def test_the_example_of_the_home_page_is_no_setting_of_other_pages():
    app = opened("", epsilon="7")
    assert "epsilon" not in app.session_state["dpviz"].carried


def test_the_glossary_is_searched_and_a_link_restores_the_search():
    app = opened("glossary", q="mistake tree")
    assert app.text_input(key="index-q").value == "mistake tree"
    assert [m.value for m in app.markdown if m.value.startswith("**Mistake tree**")]
    assert not [m.value for m in app.markdown if m.value.startswith("**Odds**")]
    assert table(LIMITS.values()) not in [m.value for m in app.markdown]
    app.text_input(key="index-q").set_value("zzz").run()
    assert [m.value for m in app.markdown if "Nothing is found" in m.value]
    assert table(LIMITS.values()) in [m.value for m in app.markdown]


def test_a_word_leads_to_the_view_that_shows_it():
    app = opened("glossary", q="Gibbs learner")
    [link] = [e.proto for e in app.get("page_link") if e.proto.label.startswith("See it")]
    assert link.label == "See it: The vote"
    assert link.page == "few_users"
    assert link.query_string == "view=votes&learner=gibbs"


@pytest.mark.parametrize("head", glossary.entries())
def test_every_word_leads_to_a_view_that_is_there(head):
    slug, query = glossary.seen()[head]
    asked = {key: [text] for key, text in query.items()}
    values, notes = decode_link(asked, page(slug).url_parameters)
    assert not notes
    assert {"view"} <= set(query)
    assert page(slug).open_view(values)
