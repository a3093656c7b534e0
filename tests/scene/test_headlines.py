"""Headlines say one thing: few words, at most three numbers, no item of a paper."""

import re

import orjson
import pytest

from dpviz.scene.catalogue import PAGES
from dpviz.scene.page import View
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation
from dpviz.serve.drawing import Look, line
from tests.support.declarations import page

NUMBER = re.compile(r"\d[\d,.]*(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
ITEM = re.compile(r"\b(Theorem|Algorithm|Lemma|Corollary|Equation|Observation)\b|\(\d+\)")
# The figures behind the headline stand in a line of their own where a view declares one.
PLAIN = View.__dataclass_fields__["detail"].default
VIEWS = [
    (entry.slug, view.key)
    for entry in PAGES
    for view in page(entry.slug).views
    if view.detail is not PLAIN
]


def shown(slug, key):
    opened = page(slug)
    values = {p.key: p.default for p in opened.url_parameters} | {"view": key}
    computation = Computation(Scene.opened(opened, values))
    while computation.result is None:
        computation.advance()
    return opened.open_view(values), computation.result


def test_most_pages_keep_figures_out_of_their_headlines():
    assert len(VIEWS) >= 25


@pytest.mark.parametrize(("slug", "key"), VIEWS)
def test_a_headline_has_one_idea_and_few_numbers(slug, key):
    view, result = shown(slug, key)
    headline = view.takeaway(result)
    assert len(NUMBER.findall(headline)) <= 3, headline
    assert len(headline.split()) <= 32, headline
    assert not ITEM.search(headline), headline
    assert "nan" not in headline
    sent = orjson.loads(line(view, result, Look(), whole=True))
    assert sent["alt"] == view.detail(result).replace("**", "") != headline
    assert sent["detail"].startswith(view.detail(result))
    papers = [o for o in result.origins if not o.source.paper.startswith("dpviz")]
    assert ("Source" in sent["detail"]) == bool(papers)
