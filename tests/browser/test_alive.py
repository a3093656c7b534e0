"""The page that stands answers before Streamlit does, and hands over what was moved by then."""

import itertools
import re
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.support.examples import by_ring

STANDS = "#standing .stands[data-state=rest]"
LIVES = "#root .dpviz-stage[data-state=rest]"
KEYS = """() => {
    let at = document.activeElement;
    while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return [Boolean(document.getElementById("standing")), at.className, at.tagName];
}"""


STANDING = "Boolean(document.getElementById('standing'))"
HELD = """() => {
    const at = document.activeElement.shadowRoot?.activeElement;
    return [at?.className === "slider", at?.getAttribute("aria-valuetext")];
}"""


class Early:
    """Who is there before Streamlit, whose script comes when `come` is called."""

    def __init__(self, page, address):
        self.page, self.address, self.held = page, address, []
        self.holds = True
        page.route(re.compile(r"/static/js/index\.[^/]*\.js$"), self._hold)

    def _hold(self, route):
        self.held.append(route) if self.holds else route.continue_()

    def open(self, link):
        # Who waits for a script that does not come waits for the page, too.
        self.page.goto(f"{self.address}/{link}", wait_until="commit")
        self.page.wait_for_selector(STANDS)

    def come(self):
        self.holds = False
        while self.held:
            self.held.pop().continue_()

    def lives_behind(self):
        """Wait until all of the live page is there."""
        for part in (LIVES, ".stApp[data-test-script-state=notRunning]"):
            self.page.wait_for_selector(part, state="attached")

    def over(self):
        self.page.wait_for_selector("#standing", state="detached")

    def slider(self, key):
        return self.page.locator(f"#standing [data-control={key}] .slider")

    def live(self, key):
        return self.page.locator(f"#root .st-key-{key} .slider").first

    @property
    def query(self):
        return {key: last for key, (*_, last) in parse_qs(urlsplit(self.page.url).query).items()}


@pytest.fixture
def early(chromium, address):
    @contextmanager
    def one():
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(240_000)
        faults = []
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(fault))
        reader = Early(page, address)
        try:
            yield reader
            assert not faults
        finally:
            reader.come()
            context.close()

    with one() as reader:
        yield reader


def test_a_key_moves_what_stands_and_the_live_page_goes_on_with_it(early):
    early.open("promise?view=odds&epsilon=1")
    sentence = early.page.locator("#standing .said").inner_text()
    early.slider("epsilon").press("ArrowRight")
    early.page.wait_for_function("() => location.search.includes('epsilon=1.1')")
    expect(early.page.locator("#standing .said")).not_to_have_text(sentence)
    said = early.page.locator("#standing .said").inner_text()
    tab = early.page.locator("#standing nav a").nth(2)
    assert "epsilon=1.1" in tab.get_attribute("href")
    entries = early.page.evaluate("history.length")
    early.come()
    early.over()
    expect(early.page.locator("#root .takeaway")).to_have_text(said)
    expect(early.live("epsilon")).to_have_attribute("aria-valuetext", "1.1")
    assert early.page.evaluate(KEYS) == [False, "slider", "DIV"]
    assert early.query["epsilon"] == "1.1"
    assert early.page.evaluate("history.length") == entries


def test_the_live_page_waits_for_a_hand_that_holds_something(early):
    early.open("promise?view=odds&epsilon=1")
    box = early.slider("epsilon").bounding_box()
    mouse, height = early.page.mouse, box["y"] + 16
    mouse.move(box["x"] + box["width"] * 0.6, height)
    mouse.down()
    early.come()
    early.lives_behind()
    mouse.move(box["x"] + box["width"] * 0.3, height, steps=5)
    early.page.wait_for_function(
        """() => new URLSearchParams(document.querySelector("#standing .stands").dataset.query)
            .get("epsilon") < 0.2"""
    )
    mouse.up()
    early.over()
    epsilon = early.query["epsilon"]
    assert float(epsilon) < 0.2
    expect(early.live("epsilon")).to_have_attribute("aria-valuetext", epsilon)
    early.page.wait_for_selector(f'{LIVES}[data-query*="epsilon={epsilon}&"]')


@pytest.mark.parametrize("typed", ["0.123456", "1e999"])
def test_what_is_typed_goes_over_when_it_is_taken(early, typed):
    early.open("promise?view=odds&epsilon=1")
    field = early.page.locator("#standing [data-control=epsilon] input")
    field.fill(typed)
    early.come()
    early.lives_behind()
    assert early.page.evaluate(KEYS)[0]
    field.press("Enter")
    early.over()
    if typed == "0.123456":
        assert early.query["epsilon"] == typed
        expect(early.live("epsilon")).to_have_attribute("aria-valuetext", typed)
    else:
        early.page.get_by_text("is not a finite number").wait_for()
        early.page.wait_for_function("() => !location.search.includes('1e999')")


def test_a_game_that_began_before_goes_on(early):
    early.open("?view=play")
    for answered, letter in enumerate("ioi"):  # twice the same key at once is one answer
        early.page.keyboard.press(letter)
        expect(early.page.locator("#standing progress[aria-label]")).to_have_js_property(
            "value", answered + 1
        )
        early.page.wait_for_selector(f'{STANDS}[data-address*="said={"ioi"[: answered + 1]}&"]')
    said = early.page.locator("#standing .said").inner_text()
    early.come()
    early.over()
    expect(early.page.locator("#root .takeaway")).to_have_text(said)
    expect(early.page.locator("#root .st-key-rounds progress")).to_have_js_property("value", 3)
    early.page.keyboard.press("o")
    expect(early.page.locator("#root .st-key-rounds progress")).to_have_js_property("value", 4)


def test_a_figure_that_did_not_come_with_the_page_is_put_in_place_before_streamlit(early):
    def without_figure(route):
        answer = route.fetch()
        told = re.sub(r"<svg .*?</svg>", "", answer.text(), flags=re.DOTALL)
        route.fulfill(response=answer, body=told)

    early.page.route("**/promise?*", without_figure)
    early.open("promise?view=odds&epsilon=1")
    assert early.page.locator("#standing figure svg").count() == 1
    assert early.page.evaluate("() => !document.querySelector('#root .dpviz-stage')")


def test_who_leaves_a_page_before_it_lives_loses_nothing(early):
    early.holds = False
    early.open("promise")
    early.over()
    early.live("epsilon").press("ArrowLeft")
    early.page.wait_for_url(re.compile("epsilon=0.9"))
    early.page.wait_for_selector(".stApp[data-test-script-state=notRunning]", state="attached")
    early.holds = True
    early.page.get_by_role("link", name="dpviz").first.click(no_wait_after=True)
    early.page.wait_for_selector("#standing .ways", state="attached")
    early.page.locator("#standing header a", has_text="Pages").click(no_wait_after=True)
    early.page.wait_for_url(re.compile("/index"), wait_until="commit")
    early.come()
    early.over()
    link = early.page.locator(".stMain a[href*=clipping]").first
    expect(link).to_have_attribute("href", re.compile("epsilon=0.9"))


@pytest.mark.parametrize("revealed", [False, True])
def test_a_prediction_that_was_made_before_goes_over(early, revealed):
    early.open("promise?view=odds&epsilon=1&ask=1")
    said = early.page.locator("#standing .said")
    question = said.inner_text()
    guess = "ask-guess-promise-odds-"
    early.slider(guess).press("ArrowRight")
    guessed = early.slider(guess).get_attribute("aria-valuetext")
    if revealed:
        early.page.locator("#standing .reveal").click()
        expect(said).to_contain_text(f"You predicted {guessed}; the answer is")
        early.page.wait_for_selector(STANDS)
        told = said.inner_text()
    early.come()
    early.over()
    live = early.page.locator("#root .takeaway")
    if not revealed:
        expect(live).to_have_text(question)
        expect(early.live(guess)).to_have_attribute("aria-valuetext", guessed)
        early.page.get_by_role("button", name="Reveal").click()
        expect(live).to_contain_text(f"You predicted {guessed}; the answer is")
    else:
        assert live.inner_text() == told  # at once
    early.page.wait_for_function("() => !/ask=|guess=/.test(location.search)")


@pytest.mark.parametrize("choice", ["", "root"])
def test_an_answer_that_was_told_before_stays_told(early, choice):
    early.open("perfect_generalization?view=growth&ask=1")
    if choice:
        early.page.locator(f"#standing .choice button[value={choice}]").click()
    early.page.locator("#standing .reveal").click()
    said = early.page.locator("#standing .said")
    expect(said).to_contain_text("You predicted" if choice else "The answer is")
    early.page.wait_for_selector(STANDS)
    told = said.inner_text()
    early.come()
    early.over()
    assert early.page.locator("#root .takeaway").inner_text() == told


@pytest.mark.parametrize(
    "doing", by_ring(["drag"], ["drag", "key"], ["drag", "key", "typed", "open"])
)
def test_what_a_hand_does_as_a_slow_machine_hands_over_is_kept(early, doing):
    early.holds = False
    devtools = early.page.context.new_cdp_session(early.page)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    early.open("promise?view=odds&epsilon=1")
    slider = early.slider("epsilon")
    field = early.page.locator("#standing [data-control=epsilon] input")
    if doing == "drag":
        box, mouse = slider.bounding_box(), early.page.mouse
        places = itertools.cycle([0.2, 0.3, 0.4, 0.5, 0.4, 0.3])
        mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 16)
        mouse.down()
        live = f"() => document.querySelector('{LIVES}') && {STANDING}"
        while not early.page.evaluate(live):
            mouse.move(box["x"] + box["width"] * next(places), box["y"] + 16)
        mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 16)
        wanted = slider.get_attribute("aria-valuetext")
        assert early.page.evaluate(STANDING)
        mouse.up()
    elif doing == "key":
        slider.focus()
        for _ in range(40):
            early.page.keyboard.press("ArrowRight")
            early.page.wait_for_timeout(50)
        wanted = early.page.evaluate(HELD)[1]
    else:
        field.fill(wanted := "0.123456")
        if doing == "open":
            early.lives_behind()
            assert early.page.evaluate(STANDING)
        field.press("Enter")
    early.over()
    expect(early.live("epsilon")).to_have_attribute("aria-valuetext", wanted)
    early.page.wait_for_selector(f'{LIVES}[data-query*="epsilon={wanted}"]')
    assert early.query["epsilon"] == wanted
    if doing == "key":
        assert early.page.evaluate(HELD)[0]
