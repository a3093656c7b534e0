"""The way of a newcomer: a question in plain words, its answer, the tour, the glossary."""

import re

from playwright.sync_api import expect

from dpviz.results.parameters import LIMITS
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import decode
from dpviz.scene.scene import Scene
from dpviz.serve import scripts
from dpviz.ui.questions import QUESTIONS
from tests.support.declarations import last, page
from tests.support.examples import chosen

# Their results do not depend on how much time there was.
STEADY = ("bounded_noise", "user_complexity", "propose_test_release")


def test_a_question_leads_to_its_answer_and_back(reader):
    reader.open("")
    for question in chosen(QUESTIONS, QUESTIONS[1:2]):  # every answer: tests/ui/test_newcomers.py
        reader.key("questions").get_by_role("link", name=question.words).click()
        declared = page(question.slug)
        values, _ = decode({k: [v] for k, v in question.query.items()}, declared.url_parameters)
        reader.wait_for_query(**Scene.opened(declared, values).query)
        reader.wait_for_page(question.slug)
        expect(reader.page.locator("#root h1")).to_have_text(entry(question.slug).question)
        view = declared.open_view(values)
        if question.slug in STEADY:
            result = last(declared, view.key, **values)
            expect(reader.takeaway).to_have_text(view.takeaway(result))
        else:
            expect(reader.takeaway).not_to_be_empty()
        assert reader.figure()
        reader.page.get_by_role("link", name="dpviz", exact=True).first.click()
        reader.key("questions").wait_for()


def test_the_glossary_is_found_from_every_page_and_reads_on_a_phone(reader):
    reader.open("bounded_noise")
    reader.page.get_by_role("button", name="Pages").click()
    reader.page.get_by_role("link", name="Glossary").last.click()
    expect(reader.page.locator("#root h1")).to_have_text(entry("glossary").question)
    expect(reader.page.locator("table tbody tr")).to_have_count(len(LIMITS))
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.page.wait_for_function(
        "() => document.querySelector('.stMain').scrollWidth <= window.innerWidth"
    )


def test_a_page_stands_though_the_network_failed_while_it_loaded(fresh):
    """Streamlit would say that a component is broken, until the page is loaded again."""
    failed = set()

    def fail(route):
        failed.add(route.request.url)
        route.abort()

    fresh.page.route(re.compile(r"/scripts/\w+/\w+\.js"), fail)
    fresh.open("promise")
    expect(fresh.slider("epsilon")).to_be_visible()
    assert fresh.figure()
    assert {address.rpartition("/")[2] for address in failed} == {scripts.ALL, "page.js"}


def test_a_wrong_address_says_that_there_is_no_such_page(fresh):
    fresh.page.goto(f"{fresh.address}/promises")
    expect(fresh.page.locator("h1").first).to_contain_text("dpviz has no page")
    assert fresh.faults == [f"404 {fresh.address}/promises"]
    fresh.faults.clear()
    fresh.page.get_by_role("link", name=entry("promise").title).click()
    fresh.settle()
