"""Long computations: begun on a click, stopped on a click, dropped when their reader goes."""

import re

from playwright.sync_api import expect

from tests.support.examples import only_in_long_run

PAGE = "adaptive_analysis"


def long_state(seed):
    """A state whose simulation takes minutes; its first result is computed once for all here."""
    return {"questions": "500", "sample_size": "10000", "runs": "1000", "seed": str(seed)}


def compute_on(reader):
    return reader.page.get_by_role("button", name="Compute further")


def stop(reader):
    return reader.page.get_by_role("button", name="Stop", exact=True)


def begin(reader):
    compute_on(reader).click()
    stop(reader).wait_for()


def runs(reader):
    reader.open_fold("fold-notes")
    words = reader.key("fold-notes").inner_text()
    [count] = re.findall(r"mean over ([\d,]+) simulated", words) or ["0"]
    return int(count.replace(",", ""))


@only_in_long_run
def test_a_long_computation_begins_on_a_click_and_stops_on_one(reader):
    reader.open(PAGE, long_state(1))
    button = compute_on(reader)
    button.wait_for()
    reader.settle()
    before, first = runs(reader), reader.figure()
    button.click()
    bar = reader.page.get_by_role("progressbar")
    expect(bar).to_have_count(1)
    reader.figure_after(first)
    stop(reader).click()
    button.wait_for()
    reader.settle()
    after = runs(reader)
    assert before < after < 1000
    reader.page.emulate_media(color_scheme="dark")  # a rerun keeps what was computed
    reader.settle()
    button.wait_for()
    assert runs(reader) >= after


@only_in_long_run
def test_who_moves_a_control_or_reloads_leaves_one_and_no_link_begins_it(reader):
    reader.open(PAGE, long_state(1))
    begin(reader)
    reader.type("questions", "100")
    reader.wait_for_query(questions="100")
    reader.settle()
    expect(stop(reader)).to_have_count(0)
    reader.page.go_back()
    reader.wait_for_query(questions="500")
    stop(reader).wait_for()  # what a click began goes on
    reader.page.reload()
    reader.settle()
    compute_on(reader).wait_for()
    assert not stop(reader).count()


# Counts from now on what the browser tells the server.
COUNT = """() => {
    window.told = 0;
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (data) {
        window.told += 1;
        return send.call(this, data);
    };
}"""


def test_what_is_finished_is_drawn_again_without_a_run_of_the_page(fresh):
    fresh.open("clipping", {"view": "needed"})
    begin(fresh)
    fresh.stage.locator(".going-on").wait_for(state="hidden")
    fresh.settle()
    fresh.page.evaluate(COUNT)
    before = fresh.stage.get_attribute("data-number")
    fresh.page.emulate_media(color_scheme="dark")
    fresh.page.wait_for_function(
        "before => document.querySelector('.dpviz-stage').dataset.number !== before", arg=before
    )
    fresh.settle()
    assert not fresh.page.evaluate("told")


@only_in_long_run
def test_the_next_reader_waits_until_the_one_before_has_gone(reader, fresh):
    fresh.open(PAGE, long_state(1))
    reader.page.bring_to_front()
    reader.open(PAGE, long_state(2))
    begin(fresh)
    compute_on(reader).click()
    waiting = reader.page.get_by_text(re.compile("Waiting for"))
    places = reader.page.evaluate("navigator.hardwareConcurrency") - 1
    if places <= 1:
        waiting.wait_for()
    fresh.page.goto("about:blank")
    reader.page.get_by_text(re.compile("Computing")).wait_for()
    stop(reader).click()
