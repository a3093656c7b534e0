"""Words are explained where they first stand, and nothing else of a text changes."""

import re
from html import unescape

import pytest

from dpviz.results.parameters import LIMITS
from dpviz.scene.catalogue import PAGES
from dpviz.scene.glossary import FORMS, all_explained, entries, explained, meanings, pieces

ELEMENT = re.compile(r'<span class="term"[^>]*>(.*?)</span>', re.DOTALL)
MEANING = re.compile(r'aria-description="([^"]*)"')


def without(text):
    return ELEMENT.sub(r"\1", text)


def words(text):
    return [" ".join(word.split()) for word in ELEMENT.findall(text)]


def test_every_explained_word_is_in_the_glossary_in_plain_and_few_words():
    for head, forms in FORMS.items():
        meaning = entries()[head]
        assert not set("$*\\`\n") & set(meaning), head
        assert 30 < len(meaning) < 330, head
        assert forms


def test_a_word_is_explained_once_and_whole_words_only():
    html = explained("Sensitivity and sensitivity; insensitivity")
    assert words(html) == ["Sensitivity"]
    assert without(html) == "Sensitivity and sensitivity; insensitivity"
    assert unescape(MEANING.search(html)[1]).startswith("Sensitivity, Δ: how much one person")
    first, second = all_explained(["the privacy loss", "the privacy loss of an accountant"])
    assert words(first) == ["privacy loss"]
    assert words(second) == ["accountant"]


@pytest.mark.parametrize(
    "text",
    ["$\\text{privacy loss}$", "`privacy loss`", "[privacy loss](/x)", "$$\nprivacy loss\n$$"],
)
def test_formulas_code_and_links_are_left_alone(text):
    assert explained(text) == text


@pytest.mark.parametrize("text", ["with practical certainty", "practical constants"])
def test_words_with_a_meaning_of_every_day_are_left_alone(text):
    assert explained(text) == text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug)
def test_the_prose_of_a_page_explains_words_and_stays_the_same(page):
    text = page.prose.read_text(encoding="utf-8")
    html = explained(text)
    assert without(html) == text
    found = [word.casefold() for word in words(html)]
    assert len(found) == len(set(found)) >= 3


@pytest.mark.parametrize(
    ("slug", "word"),
    [
        ("propose_test_release", "DelStab"),
        ("clipping", "Scheffé"),
        ("few_users", "Gibbs"),
        ("public_data", "RRSPM"),
        ("promise", "hockey-stick divergence"),
        ("promise", "sensitivity"),
        ("bounded_noise", "Neighbouring"),
        ("promise", "user-level"),
    ],
)
def test_technical_words_are_explained_on_their_pages(slug, word):
    [page] = [page for page in PAGES if page.slug == slug]
    assert word in words(explained(page.prose.read_text(encoding="utf-8")))


def test_labels_of_controls_come_in_pieces():
    meaning = LIMITS["epsilon"].meaning
    assert [text for text, said in pieces(meaning) if said] == ["privacy loss"]
    for limit in LIMITS.values():
        assert "".join(text for text, _ in pieces(limit.meaning)) == limit.meaning


def test_what_ends_up_in_a_page_cannot_break_out_of_its_attribute():
    html = explained("the Gibbs learner &amp; <b>DelStab</b>")
    assert html.count("<span") == html.count("</span>") == 2
    assert without(html) == "the Gibbs learner &amp; <b>DelStab</b>"


def test_the_words_of_a_choice_are_told_together_each_once():
    assert meanings("Along", ["m", "k"]) is None
    help_text = meanings("Model", ["Central", "Local"])
    assert help_text.startswith("Central, local and shuffle model")
    assert "\n\n" not in help_text
    [first, second] = meanings("Noise", ["Tuned noise", "Truncated", "tuned"]).split("\n\n")
    assert first.startswith("Tuned noise: ")
    assert second.startswith("Truncated noise, truncated Laplace: ")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("by more than 211,000 Δ;", "Δ"),
        ("so the answer is ⊥.", "⊥"),
        ("are (ε′, δ′)-close at ε′ = 0.2", "(ε′, δ′)-close"),
        ("of the optimal algorithm", "optimal algorithm"),
        ("one example moves a perturbed minimiser", "perturbed minimiser"),
        ("At k = 100 tuned noise", "tuned noise"),
    ],
)
def test_words_and_signs_of_headlines_are_explained(text, word):
    assert words(explained(text)) == [word]
    assert without(explained(text)) == text


def test_a_sign_is_not_its_capital():
    assert not words(explained("with δ and K and r₁"))


def test_a_legend_is_explained_and_stays_a_list():
    legend = '<ul class="legend"><li><span style="a"></span><span>Tuned noise</span></li></ul>'
    html = explained(legend)
    assert words(html) == ["Tuned noise"]
    assert without(html) == legend
