"""Long computations: begun on a click, stopped on a click, dropped when their reader goes.

A gate holds them, so that they are as long as a test needs on a machine of any speed.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import running_app
from tests.support.examples import only_in_ci
from tests.support.pace import Gate
from tests.support.reader import Reader

PAGE = "adaptive_analysis"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("gate")


@pytest.fixture(scope="module")
def address(folder):
    """A server of its own, whose pace is told."""
    with running_app(surroundings=Gate(folder).surroundings) as running:
        yield running


@pytest.fixture
def gate(folder):
    """The gate before that server's long computations, open at first."""
    gate = Gate(folder)
    yield gate
    gate.open()


@pytest.fixture
def reader(window, address):
    with Reader.within(window, address) as opened:
        yield opened


def long_state(seed):
    """A state of which a link gives a quarter: 13 of 50 runs, as each gives ten results."""
    return {"questions": "2000", "sample_size": "5000", "runs": "50", "seed": str(seed)}


def compute_on(reader):
    return reader.page.get_by_role("button", name="Compute further")


def stop(reader):
    return reader.page.get_by_role("button", name="Stop", exact=True)


def begin(reader):
    compute_on(reader).click()
    stop(reader).wait_for()


def until_left(reader, gate):
    """Wait until the server knows that nobody waits any more; an open gate might be too quick."""
    while not compute_on(reader).count():
        gate.shut(after=1)  # a step ends, and with it what nobody waits for
        reader.frames(6)


def runs(reader):
    words = reader.open_evidence("Source").inner_text()
    [count] = re.findall(r"mean over ([\d,]+) simulated", words) or ["0"]
    return int(count.replace(",", ""))


@only_in_ci
def test_a_long_computation_begins_on_a_click_and_stops_on_one(reader, gate):
    reader.open(PAGE, long_state(1))
    gate.shut(after=200)
    button = compute_on(reader)
    button.wait_for()
    reader.settle()
    before, first = runs(reader), reader.figure()
    button.click()
    bar = reader.page.get_by_role("progressbar")
    expect(bar).to_have_count(1)
    reader.figure_after(first)
    stop(reader).click()
    until_left(reader, gate)
    reader.settle()
    after = runs(reader)
    assert before < after < 50
    reader.page.emulate_media(color_scheme="dark")  # a rerun keeps what was computed
    reader.settle()
    button.wait_for()
    assert runs(reader) >= after


@only_in_ci
def test_who_moves_a_control_or_reloads_leaves_one_and_no_link_begins_it(reader, gate):
    reader.open(PAGE, long_state(2))
    gate.shut()
    begin(reader)
    reader.type("questions", "50")
    reader.wait_for_query(questions="50")
    reader.settle()
    expect(stop(reader)).to_have_count(0)
    reader.type("questions", "2000")
    reader.wait_for_query(questions="2000")
    stop(reader).wait_for()  # what a click began goes on
    reader.page.reload()
    until_left(reader, gate)
    reader.settle()
    assert not stop(reader).count()


# Counts from now on what the browser tells the server, and draws all labels as soon as all is
# computed, before the server can have answered that.
COUNT = """() => {
    window.told = 0;
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (data) {
        window.told += 1;
        return send.call(this, data);
    };
    const bar = document.querySelector(".dpviz-stage .going-on");
    new MutationObserver((_, watch) => {
        if (!bar.hidden) return;
        watch.disconnect();
        window.before = document.querySelector(".dpviz-stage").dataset.number;
        document.querySelector(".all-labels").click();
    }).observe(bar, { attributes: true });
}"""


@only_in_ci
def test_what_is_finished_is_drawn_again_without_a_run_of_the_page(fresh, gate):
    fresh.open("clipping", {"view": "threshold", "candidates": "64", "users": "1000"})
    gate.shut()
    begin(fresh)
    fresh.page.evaluate(COUNT)
    gate.open()
    fresh.page.wait_for_function(
        "() => window.before && document.querySelector('.dpviz-stage').dataset.number !== before"
    )
    fresh.page.wait_for_function("() => told")  # that it is finished
    fresh.settle()
    number = fresh.stage.get_attribute("data-number")
    fresh.page.locator(".all-labels").click()  # and once more, now that the server has answered
    fresh.page.wait_for_function(
        "before => document.querySelector('.dpviz-stage').dataset.number !== before", arg=number
    )
    fresh.settle()
    assert fresh.page.evaluate("told") == 1


@only_in_ci
def test_the_next_reader_waits_until_the_one_before_has_gone(reader, fresh, gate):
    fresh.open(PAGE, long_state(3))
    reader.page.bring_to_front()
    reader.open(PAGE, long_state(4))
    gate.shut()
    begin(fresh)
    compute_on(reader).click()
    reader.page.get_by_text(re.compile("Waiting for")).wait_for()
    fresh.page.goto("about:blank")
    while not reader.page.get_by_text(re.compile("Computing")).count():
        gate.shut(after=1)  # a step of the one before ends; the last one once it is left
        reader.frames(6)
    stop(reader).click()
