"""A projector and two phones: follow, predict, answer with coins, attack, and a lost page."""

import json
import re
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import quote, unquote

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.conftest import running_app
from tests.support.axe import violations
from tests.support.examples import only_in_ci
from tests.support.reader import POLLING, TIMEOUT

START = "/promise?view=odds&mechanism=laplace&queries=1&epsilon=1&prior=0.1"
NOTHING_KEPT = """() => ![() => localStorage, () => sessionStorage, () => ({ [name]: 1 })].some(
    (kept) => { try { return /dpviz-(phone|lead|begun)/.test(Object.keys(kept())); } catch { } })"""
_MAY = "allow-scripts allow-same-origin allow-forms"  # and no modals
DRAWN = """([place, key, value]) => {
    const stage = document.querySelector(`${place} .dpviz-stage`);
    const query = new URLSearchParams(stage?.dataset.query ?? "");
    return stage?.dataset.state === "rest" && query.get(key) === value;
}"""


def tab(stack, chromium, width, height) -> Page:
    """A page of a browser that knows nothing, which must not meet a fault."""
    context = chromium.new_context(viewport={"width": width, "height": height})
    context.set_default_timeout(TIMEOUT)
    page, faults = context.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    stack.callback(context.close)
    stack.callback(lambda: pytest.fail(str(faults)) if faults else None)
    return page


def drawn(page: Page, value: str, place: str = "", key: str = "epsilon") -> None:
    """Wait until the figure of this ε, or of another parameter's value, stands."""
    page.wait_for_function(DRAWN, arg=[place, key, value], polling=POLLING)


@only_in_ci
def test_a_class_takes_part(chromium, address):
    with ExitStack() as stack:
        screen = tab(stack, chromium, 1280, 800)
        phones = [tab(stack, chromium, 390, 800) for _ in range(2)]
        loaded = []
        for page in (screen, *phones):
            page.on("request", lambda request: loaded.append(request.url))
        screen.goto(f"{address}/room?at={quote(START)}")
        assert not violations(screen)
        screen.get_by_role("button", name="Open a room").click()
        code = screen.get_attribute("body", "data-code")
        expect(screen.locator(".lobby")).to_be_visible()  # before anybody joins
        assert not violations(screen)
        for phone in phones:
            phone.goto(f"{address}/room/{code}")
        expect(screen.locator("footer .count")).to_have_text("2 phones joined")
        screen.locator(".code-button").click()
        for phone in phones:
            drawn(phone, "1")
        follow(screen, phones)
        predict(screen, phones)
        answer(screen, phones)
        attack(screen, phones)
        assert not [url for url in loaded if "plotly" in url or "vega" in url]
        phones[0].reload()
        expect(phones[0].locator("body")).to_have_attribute("data-state", "joined")
        screen.locator(".more-button").click()
        assert not violations(screen)
        screen.get_by_role("button", name="End this room").click()
        screen.get_by_role("button", name="Keep it").click()
        expect(screen.get_by_role("button", name="End this room")).to_be_focused()
        expect(screen.locator(".ending")).to_be_hidden()
        phones[1].goto("about:blank")  # away when the room ends
        end(screen, phones[0])
        for phone in phones:
            phone.goto(f"{address}/room/{code}")
            expect(phone.locator("main")).to_contain_text("This room has ended")
            assert not violations(phone)
            phone.wait_for_function(NOTHING_KEPT, polling=POLLING)
        assert screen.evaluate(NOTHING_KEPT)


@only_in_ci
def test_a_phone_forgets_rooms_of_days_ago(chromium, address):
    with ExitStack() as stack:
        screen, phone = (tab(stack, chromium, width, 800) for width in (1280, 390))
        screen.goto(f"{address}/room")
        screen.get_by_role("button", name="Open a room").click()
        code = screen.get_attribute("body", "data-code")
        phone.goto(f"{address}/room")
        hour, now = 3_600_000, phone.evaluate("Date.now()")
        for name, kept in (
            ("old", json.dumps(["x", now - 25 * hour])),
            ("new", json.dumps(["x", now - hour])),
            ("garbled", "x"),
        ):
            phone.evaluate(
                "([key, kept]) => localStorage.setItem(key, kept)", [f"dpviz-phone-{name}", kept]
            )
        phone.goto(f"{address}/room/{code}")
        expect(phone.locator("body")).to_have_attribute("data-state", "joined")
        left = phone.evaluate("Object.keys(localStorage).sort()")
        assert left == sorted(["dpviz-phone-new", f"dpviz-phone-{code}"])


@only_in_ci
def test_a_class_takes_part_within_a_page_of_another_site(chromium):
    """As in a course: browsers send no cookie of ours there, and a reload loses nothing."""
    surroundings = {"DPVIZ_FRAME_ANCESTORS": "*"}
    with running_app(surroundings=surroundings) as address, course() as site, ExitStack() as stack:
        screen, phone = (tab(stack, chromium, width, 800) for width in (1280, 390))
        shown = framed(screen, site, f"{address}/room?at={quote(START)}")
        shown.get_by_role("button", name="Open a room").click()
        code = shown.locator("body.screen").get_attribute("data-code")
        mobile = framed(phone, site, f"{address}/room/{code}")
        expect(shown.locator("footer .count")).to_contain_text("1 phone joined")
        phone.reload()
        expect(mobile.locator("body")).to_have_attribute("data-state", "joined")
        expect(shown.locator("footer .count")).to_contain_text("1 phone joined")
        assert all(
            cookie["partitionKey"] == site.rpartition(":")[0]  # of frames of that site alone
            for tab in (screen, phone)
            for cookie in tab.context.cookies()
            if "dpviz_" in cookie["name"]
        )
        screen.reload()  # the frame begins where its page has it begin: at the room's address
        framed(screen, site, f"{address}/room/{code}/screen")
        expect(shown.locator("body.screen")).to_have_attribute("data-state", "linked")
        shown.locator(".code-button").click()
        shown.locator(".more-button").click()
        shown.get_by_label("A yes or no question").fill("Do you sleep enough?")
        shown.get_by_role("button", name="Ask the class").click()
        mobile.get_by_role("button", name="Yes", exact=True).click()
        expect(shown.locator(".panel .takeaway")).to_contain_text("1 answer")
        shown.locator(".more-button").click()
        shown.locator(".ask-word").click()
        expect(shown.locator("footer .word")).to_be_visible()
        shown.get_by_role("button", name="Turn them out").click()
        asked = mobile.get_by_label("The word on the screen")
        asked.wait_for()  # by then the screen has the word that is asked for
        asked.fill(shown.locator("footer .word strong").inner_text())
        mobile.get_by_role("button", name="Join").click()
        expect(mobile.locator("body")).to_have_attribute("data-state", "joined")
        end(shown, mobile)  # no dialog, which browsers do not show there
        assert mobile.locator("body").evaluate(NOTHING_KEPT)


@only_in_ci
def test_a_phone_that_can_keep_nothing_has_one_place(chromium):
    """Not even a cookie of its frame: it is told so, and gives its place back as it goes."""

    def cookieless(route):
        answer = route.fetch()
        headers = {key: value for key, value in answer.headers.items() if key != "set-cookie"}
        route.fulfill(response=answer, headers=headers)

    surroundings = {"DPVIZ_FRAME_ANCESTORS": "*"}
    with running_app(surroundings=surroundings) as address, course() as site, ExitStack() as stack:
        screen, phone = (tab(stack, chromium, width, 800) for width in (1280, 390))
        screen.goto(f"{address}/room?at={quote(START)}")
        screen.get_by_role("button", name="Open a room").click()
        code = screen.get_attribute("body", "data-code")
        phone.route(f"{address}/room/{code}", cookieless)
        mobile = framed(phone, site, f"{address}/room/{code}")
        for _ in range(2):
            expect(mobile.locator(".forgets")).to_be_visible()
            expect(mobile.locator("body")).to_have_attribute("data-state", "joined")
            expect(screen.locator("footer .count")).to_have_text("1 phone joined")
            phone.reload()
        token = mobile.locator("body").evaluate("() => (location.reload(), name)")
        expect(mobile.locator("body")).to_have_attribute("data-state", "joined")
        assert token  # the frame alone keeps it
        assert mobile.locator("body").evaluate("() => name.split('\"')[3]") == token.split('"')[3]
        expect(screen.locator("footer .count")).to_have_text("1 phone joined")


def end(screen, phone):
    screen.get_by_role("button", name="End this room").click()
    screen.get_by_role("button", name="End it").click()
    expect(phone.locator("main")).to_have_text("This room has ended.")
    expect(screen.locator("body")).to_have_attribute("data-state", "over")


class Course(BaseHTTPRequestHandler):
    """A site of another name, whose pages show in a frame what their address says."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        shown = unquote(self.path.partition("?")[2])
        self.wfile.write(
            f'<body><iframe src="{shown}" sandbox="{_MAY}" width="100%" height="760">'.encode()
        )

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def course():
    """A site as of a university, whose frames may do no more than they must."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Course) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"  # to browsers, another site than 127.0.0.1
        server.shutdown()


def framed(page: Page, course: str, address: str) -> FrameLocator:
    """A page of another site which shows an address in a frame."""
    page.goto(f"{course}/?{quote(address, safe='')}")
    return page.frame_locator("iframe").first


def follow(screen, phones):
    screen.locator(".more-button").click()
    screen.locator(".controls-button").click()
    field = screen.frame_locator("iframe").locator(".st-key-control-epsilon input[type=text]")
    field.first.fill("2")
    field.first.press("Enter")
    for phone in phones:
        drawn(phone, "2")
    slider = phones[0].get_by_label("ε privacy loss")
    slider.fill("0")
    expect(phones[0].get_by_text("You are on your own.")).to_be_visible()
    drawn(phones[0], "0.01")
    phones[0].get_by_role("button", name="Back to the class").click()
    drawn(phones[0], "2")
    screen.get_by_role("button", name="Pause").click()
    expect(phones[1].locator(".paused")).to_be_visible()
    screen.get_by_role("button", name="Go on").click()
    expect(phones[1].locator(".paused")).to_be_hidden()


def predict(screen, phones):
    screen.get_by_role("button", name="Let them predict").click()
    panel = screen.locator(".panel")
    expect(phones[0].locator(".asked")).to_be_visible()
    assert not violations(phones[0])
    for phone, guess in zip(phones, ("10", "20"), strict=True):
        phone.locator(".asked input").fill(guess)
        phone.get_by_role("button", name="Send").click()
        expect(phone.locator(".asked")).to_have_attribute("data-said", "true")
    expect(screen.locator("footer .count")).to_have_text("2 of 2 answered")
    expect(panel.locator(".spread")).to_be_hidden()
    screen.reload()  # loses nothing
    expect(screen.locator("footer .count")).to_have_text("2 of 2 answered")
    screen.get_by_role("button", name="Show the answers").click()
    expect(panel.locator(".spread .dots i")).to_have_count(2)
    expect(panel.locator(".spread .exact")).to_have_count(0)
    expect(panel.locator(".exactly")).to_have_text("")
    screen.get_by_role("button", name="Second vote").click()
    phones[0].get_by_role("button", name="Send").click()
    expect(screen.locator("footer .count")).to_contain_text("1 of 2 answered in the second vote")
    screen.get_by_role("button", name="Show the answers").click()
    screen.get_by_role("button", name="Reveal").click()
    expect(panel.locator(".exactly")).to_contain_text("The answer: ")
    assert not violations(screen)
    expect(panel.locator(".spread .dots.before i")).to_have_count(2)
    expect(panel.locator(".spread .dots:not(.before) i")).to_have_count(1)
    expect(panel.locator(".spread .rows .exact")).to_be_visible()
    expect(phones[1].locator(".takeaway")).to_contain_text("You predicted")
    screen.get_by_role("button", name="Back to the page").click()
    expect(panel).to_be_hidden()


def answer(screen, phones):
    screen.locator(".more-button").click()
    screen.get_by_label("A yes or no question").fill("Do you sleep enough?")
    screen.get_by_role("button", name="Ask the class").click()
    sent = []
    for phone in phones:
        phone.on("request", lambda request: sent.append(request.post_data_json))
        phone.get_by_role("button", name="Yes", exact=True).click()
        expect(phone.locator(".asked")).to_have_attribute("data-said", "true")
    answers = [said for said in sent if said]
    assert len(answers) == 2
    assert {frozenset(said) for said in answers} == {frozenset({"question", "round", "answer"})}
    assert {said["answer"] for said in answers} <= {"0", "1"}
    expect(screen.locator(".panel .takeaway")).to_contain_text("Of 2 answers")
    screen.get_by_role("button", name="Close the question").click()
    screen.get_by_role("button", name="Back to the page").click()


def attack(screen, phones):
    screen.locator(".more-button").click()
    screen.get_by_role("button", name="Deal the answers").click()
    phone = phones[1]
    inside = phone.get_by_role("button", name="With you", exact=True)
    expect(inside).to_have_count(5)
    for button in inside.all():
        button.click()
    phone.get_by_role("button", name="Send").click()
    expect(screen.locator(".panel .takeaway")).to_contain_text("of 5 guesses")
    screen.get_by_role("button", name="Close the question").click()
    expect(phone.locator(".asked")).to_contain_text("You were right")
    screen.get_by_role("button", name="Back to the page").click()


@only_in_ci
def test_a_class_draws_the_curve_first(chromium, address):
    with ExitStack() as stack:
        screen = tab(stack, chromium, 1280, 800)
        finger, keys = (tab(stack, chromium, 390, 800) for _ in range(2))
        start = "/promise?view=again&mechanism=laplace&answer_epsilon=0.1&queries=100"
        screen.goto(f"{address}/room?at={quote(start)}")
        screen.get_by_role("button", name="Open a room").click()
        code = screen.get_attribute("body", "data-code")
        asked = []
        for phone in (finger, keys):
            phone.goto(f"{address}/room/{code}")
            expect(phone.locator("body")).to_have_attribute("data-state", "joined")
        screen.locator(".code-button").click()
        for phone in (finger, keys):
            drawn(phone, "0.1", key="answer_epsilon")
            phone.on("request", lambda request: asked.append(request.url))
        read_off(finger)
        screen.get_by_role("button", name="Let them draw").click()
        with_finger(finger)
        with_keys(keys)
        panel = screen.locator(".panel")
        expect(screen.locator("footer .count")).to_have_text("2 of 2 answered")
        assert not [url for url in asked if "/figure/" in url]  # axes are all that phones know
        expect(screen.locator(".files")).to_have_attribute("hidden", "")
        screen.get_by_role("button", name="Show the answers").click()
        expect(screen.locator(".files")).not_to_have_attribute("hidden", "")
        expect(panel.locator(".plot text").filter(has_text="median")).to_be_visible()
        screen.get_by_role("button", name="Reveal").click()
        expect(panel.locator(".takeaway")).to_contain_text("100 answers")
        expect(finger.locator(".legend")).to_contain_text("as you drew it")


def read_off(phone):
    """A phone says the values at the place that is pointed at, and keys say them as well."""
    axes = phone.locator(".plot > svg > .axes").bounding_box()
    phone.mouse.move(axes["x"] + axes["width"] / 2, axes["y"] + axes["height"] / 2)
    expect(phone.locator(".read-off .title")).to_be_visible()
    phone.get_by_role("slider", name="Values in the figure").press("ArrowRight")
    said = phone.get_by_role("slider", name="Values in the figure")
    expect(said).to_have_attribute("aria-valuetext", re.compile(r"\d"))
    phone.evaluate("document.activeElement.blur()")


def with_finger(phone):
    canvas = phone.locator(".canvas")
    box = canvas.bounding_box()
    place = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in LINE]
    phone.mouse.move(*place[0])
    phone.mouse.down()
    phone.mouse.move(*place[1], steps=3)
    phone.mouse.up()
    assert int(canvas.get_attribute("data-drawn")) > 25  # what lies between is drawn, too
    phone.get_by_role("button", name="Send").click()
    expect(phone.locator(".status")).to_contain_text("Counted.")
    phone.get_by_role("button", name="Clear").click()
    phone.mouse.click(*place[0])
    phone.mouse.move(*place[0])
    phone.mouse.down()
    phone.mouse.move(*place[1])
    phone.mouse.up()
    phone.get_by_role("button", name="Send the new one").click()
    expect(phone.locator(".status")).to_contain_text("Counted.")


LINE = ((0.2, 0.7), (0.9, 0.2))


def with_keys(phone):
    canvas = phone.get_by_role("slider", name="ε of all answers together")
    canvas.focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowRight", "ArrowRight", "PageDown", "ArrowRight"):
        canvas.press(key)
    expect(canvas).to_have_attribute("data-drawn", "4")
    expect(canvas).to_have_attribute("aria-valuetext", re.compile(r"At Answers, k 2: \d"))
    phone.get_by_role("button", name="Send").click()
    expect(phone.locator(".status")).to_contain_text("Counted.")
