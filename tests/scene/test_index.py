"""The index: everything in it opens, and what one looks for comes first."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.folders import ROOT
from dpviz.scene import coverage, glossary
from dpviz.scene.catalogue import GUIDES, PAGES, entry, section_name
from dpviz.scene.codec import FreeText
from dpviz.scene.homework import exercise_request, tasks
from dpviz.scene.index import (
    LONGEST,
    MOST_FOUND,
    Document,
    Index,
    build,
    query_tokens,
    settings,
    tokens,
)
from tests.support.declarations import SLUGS, page
from tests.support.examples import examples

EXERCISES = tasks(page(slug) for slug in SLUGS)
INDEX, AGAIN = (build(page(slug) for slug in SLUGS) for _ in range(2))


def places(text):
    return list(INDEX.search(text).documents)


def titles(text):
    return [place.title for place in places(text)]


def _text(place):
    return f"{place.title} {place.subtitle} {place.why} {place.first} {place.words}"


def index_of(*titles):
    return Index(tuple(Document(title, "promise") for title in titles))


def test_every_place_opens_a_page_and_a_view_that_exist():
    for place in INDEX.documents:
        assert place.slug in {*SLUGS, "glossary", "exercises"}
        assert place.title.strip()
        if place.view:
            assert place.view in {view.key for view in page(place.slug).views}
            assert place.query.items() >= {"view": place.view}.items()
            assert bool(place.settings) == (len(place.query) > 1)
        elif place.slug == "exercises":
            request = exercise_request(place.query | {"set": ""}, EXERCISES)
            assert request.task.exercise.title == place.title
        else:
            sections = [heading for heading, _ in entry(place.slug).sections()]
            opened = {"read": section_name(place.title)} if place.title in sections else {}
            assert place.query == ({"q": place.search} if place.slug == "glossary" else opened)
            assert bool(place.search) == (place.slug == "glossary")
            assert len(set(map(section_name, sections))) == len(sections)


@pytest.mark.parametrize(
    ("text", "sets"),
    [
        ("what ε = 1 means", {"epsilon": "1"}),
        ("epsilon=0.5, k = 1e2", {"epsilon": "0.5", "queries": "100"}),
        ("δ = 10, ε = nothing", {}),  # no δ is so large
    ],
)
def test_a_search_sets_the_numbers_that_it_names(text, sets):
    promise = page("promise")
    [view] = [view for view in promise.views if view.key == "odds"]
    assert settings(text, promise, view) == sets


def test_every_view_section_word_and_result_is_in_it():
    there = {(place.slug, place.title) for place in INDEX.documents}
    for slug in SLUGS:
        assert {(slug, view.title) for view in page(slug).views} <= there
        assert {(slug, heading) for heading, _ in entry(slug).sections()} <= there
    assert {("glossary", head) for head in glossary.entries()} <= there
    assert {("exercises", task.exercise.title) for task in EXERCISES.values()} <= there
    for paper in map(coverage.coverage, coverage.papers()):
        for item in paper.items:
            addresses = {
                (p.slug, p.view)
                for p in INDEX.documents
                if p.title == f"{item.name}, {paper.paper}"
            }
            live = {tuple(address.partition("?")[0].split("/")) for address in item.live}
            assert addresses >= live | {(slug, "") for slug in item.stated}
            assert {slug for slug, _ in addresses} == item.topics


def test_our_own_results_are_those_of_the_document():
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    own = [place.title for place in INDEX.documents if "of our own" in place.subtitle]
    assert sorted(set(own)) == sorted(re.findall(r"^## (.+)$", text, re.M))


def test_without_a_search_there_are_all_views_for_everyone_first():
    listed = list(INDEX.views())
    assert [named.slug for named, _ in listed] == SLUGS
    for named, views in listed:
        assert [view.view for view in views] == [view.key for view in page(named.slug).views]
        deep = {view.key for view in page(named.slug).in_depth}
        assert {view.view for view in views if view.deep} == deep
        assert [view.deep for view in views] == sorted(view.deep for view in views)
    assert not INDEX.search("").documents
    assert not INDEX.search("?! —").documents


def test_a_theorem_is_found_by_its_number_and_not_by_a_longer_one():
    first, *_ = places("Theorem 13")
    assert (first.title, first.slug) == (
        "Theorem 13, Ghazi, Kamath et al. 2023",
        "perfect_generalization",
    )
    for place in places("Theorem 13"):
        assert "theorem 13" in tokens(
            f"{place.title} {place.subtitle} {place.why} {place.first} {place.words}"
        )
    small = index_of("Theorem 130", "Theorem 1.3", "Theorem 9, Lemma 13", "Theorems 9 and 12 to 14")
    [only] = small.search("theorem 13").documents
    assert only.title == "Theorems 9 and 12 to 14"


@pytest.mark.parametrize(
    ("text", "slug", "title"),
    [
        ("κ", "glossary", "κ"),
        ("KAPPA", "glossary", "κ"),
        (r"$\kappa$", "glossary", "κ"),
        ("truncated Laplace", "glossary", "Truncated noise, truncated Laplace"),
        ("all bounds of UL's Table 1", "user_complexity", None),
        ("why δ", "promise", "What δ allows"),
        ("Dagan Kur Lemma 10.2", "bounded_noise", "The theorem"),
        ("correlated sampling strategies", "shared_darts", None),
        ("scheffe", "glossary", "Scheffé score"),
        ("noise for counts", "bounded_noise", "Noise for counts"),
    ],
)
def test_one_search_finds_it(text, slug, title):
    found = places(text)
    assert [p for p in found if p.slug == slug and title in (None, p.title)]
    if title and len(tokens(title) & tokens(text)):
        assert found[0].slug == slug
        assert found[0].title == title


def test_titles_come_before_what_is_only_said_and_whole_words_before_beginnings():
    known = Index(
        (
            Document("Else", "promise", words="noise"),
            Document("Noises", "promise"),
            Document("Noise", "promise"),
        )
    )
    found = known.search("noise").documents
    assert [place.title for place in found] == ["Noise", "Noises", "Else"]


def test_all_words_must_be_found():
    assert INDEX.search("theorem zzzz").partly
    assert not INDEX.search("zzzz yyyy theorem").documents
    both = set(places("stable user"))
    assert both <= set(INDEX.documents)
    for place in both:
        text = tokens(_text(place))
        assert any(word.startswith("stable") for word in text)
        assert any(word.startswith("user") for word in text)


def test_letters_of_one_sign_stand_for_themselves():
    assert not index_of("kept").search("k").documents
    assert not index_of("beta").search("be").documents
    assert index_of("R₁ and ε₀").search("r1 epsilon 0").documents


def test_many_are_counted():
    found = INDEX.search("privacy")
    assert len(found.documents) == MOST_FOUND
    every = Index(INDEX.documents)
    assert found.more == len([p for p in every.documents if _has(p, "privacy")]) - MOST_FOUND
    assert len(set(found.documents)) == MOST_FOUND


def _has(place, word):
    return any(known.startswith(word) for known in tokens(_text(place)))


@given(
    st.one_of(
        st.text(), st.text(st.sampled_from("theorms ,andt0123456789.ελ\\")), st.text(min_size=200)
    )
)
@examples(300)
def test_any_text_is_searched_and_finds_the_same_again(text):
    found = INDEX.search(text)
    assert found == AGAIN.search(text)
    assert len(found.documents) <= MOST_FOUND
    assert query_tokens(text) == query_tokens(text[:LONGEST])
    assert len(query_tokens(f"{text} theorem 1 to 999999999")) < 1000


def test_a_long_row_of_commas_is_read_at_once():
    assert query_tokens(f"theorem 1{' , ' * 30}") == {"theorem 1"}
    assert query_tokens("Theorems 1, 3, and 5 to 6; Corollaries 2 or 4") == {
        *("theorem 1", "theorem 3", "theorem 5", "theorem 6", "corollary 2", "corollary 4"),
    }


@given(st.text())
@examples(200)
def test_what_a_link_asks_for_is_one_printable_line_that_reads_back(text):
    words = FreeText("q", LONGEST)
    read, problem = words.read(text, "")
    assert not problem
    assert read.isprintable()
    assert len(read) <= LONGEST
    assert words.read(words.write(read), "") == (read, "")


def test_the_index_is_a_guide():
    assert "index" in {guide.slug for guide in GUIDES}
    assert not {guide.slug for guide in GUIDES} & {named.slug for named in PAGES}


@pytest.mark.parametrize(
    ("text", "within", "place"),
    [
        # What one searches for, among how many it must be, and what that is.
        ("bounded noise beats Gaussian", 2, "bounded_noise/errors"),
        ("certified radius at k = 1e6", 1, "bounded_noise/errors"),
        ("the largest error of a million answers", 1, "bounded_noise/noise"),
        ("truncated Laplace", 1, "glossary/Truncated noise, truncated Laplace"),
        ("truncated Laplace", 2, "bounded_noise/compare"),
        ("what does ε = 1 mean", 2, "promise/What ε promises, and which ε is safer"),
        ("why δ", 2, "promise/What δ allows"),
        ("prior and posterior", 1, "promise/odds"),
        ("many questions to one data set", 2, "adaptive_analysis/attack"),
        ("why one data set can't answer everything", 1, "adaptive_analysis/attack"),
        ("more examples, fewer users", 2, "user_complexity/truth"),
        ("VC dimension", 3, "user_complexity/users"),
        ("pure vs approximate DP", 3, "user_complexity/users"),
        ("clipping hurts", 2, "clipping/user"),
        ("how to choose the clipping threshold", 1, "clipping/threshold"),
        ("propose test release", 2, "propose_test_release/outliers"),
        ("PTR", 2, "propose_test_release/outliers"),
        ("forget outliers", 1, "propose_test_release/outliers"),
        ("correlated sampling", 2, "shared_darts/board"),
        ("voting", 1, "few_users/votes"),
        ("shuffle model", 2, "few_users/messages"),
        ("unlabelled public data", 3, "public_data/cells"),
        ("Theorem 13", 3, "perfect_generalization/growth"),
        ("group privacy", 1, "glossary/Group privacy"),
    ],
)
def test_what_readers_search_for_comes_first(text, within, place):
    found = [f"{place.slug}/{place.view or place.title}" for place in places(text)[:within]]
    assert place in found


@pytest.mark.parametrize(
    "text", ["Table 1", "UL Table 1", "all bounds of UL's Table 1", "all bounds"]
)
def test_a_whole_table_comes_before_its_rows_and_opens_as_a_table(text):
    first, *_ = places(text)
    assert first.title == "Table 1: all bounds, Ghazi, Kamath et al. 2023"
    assert (first.slug, first.query) == ("user_complexity", {"view": "users", "tab": "source"})


def test_what_lacks_a_word_says_so():
    found = index_of("outliers").search("forget outliers")
    assert found.documents
    assert found.partly
    assert not index_of("outliers").search("outliers").partly
    assert not index_of("outliers", "forget outliers").search("forget outliers").partly


@pytest.mark.parametrize(
    ("word", "same"), [("clipping", "clipped"), ("choose", "choosing"), ("few", "fewer")]
)
def test_forms_of_a_word_find_each_other(word, same):
    assert index_of(word).search(same).documents
    assert index_of(same).search(word).documents
    assert not index_of("noise").search("notes").documents


def test_an_amount_is_not_looked_for_beside_words():
    assert index_of("radius").search("radius at 1e6").documents
    assert not index_of("radius 10").search("1").documents


def test_one_and_many_are_the_same_word():
    assert index_of("A curve hurt by noise").search("hurts").documents
    assert index_of("Users").search("user").documents
    assert not index_of("a radiu").search("radius").documents
