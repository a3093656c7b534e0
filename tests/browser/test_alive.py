"""The page that stands answers before Streamlit does, and hands over what was moved by then."""

import itertools
import re
from contextlib import contextmanager
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from dpviz.scene.lectures import FIRST, shipped
from tests.support.examples import by_ring

STANDS = "#standing .stands[data-state=rest]"
LIVES = "#root .dpviz-stage[data-state=rest]"
KEYS = """() => {
    let at = document.activeElement;
    while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return [Boolean(document.getElementById("standing")), at.className, at.tagName];
}"""


STANDING = "Boolean(document.getElementById('standing'))"
FRAMES = """async (count) => {
    for (; count; count--) await new Promise(requestAnimationFrame);
}"""
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


def test_what_is_still_said_of_the_scene_before_leads_nowhere(early):
    """Streamlit may still be told its address, by the run that began there."""
    path = shipped()[FIRST]
    links = [f"{path.scenes[n - 1].page}?{urlencode(path.query(n, FIRST))}" for n in (1, 2)]
    early.open(links[0])
    address, entries = early.page.url, early.page.evaluate("history.length")
    early.page.evaluate("link => history.pushState({}, '', `/${link}`)", links[1])
    assert early.page.url == address
    early.come()
    early.over()
    early.lives_behind()
    assert early.query["scene"] == "1"
    assert early.page.evaluate("history.length") == entries


def test_the_live_page_waits_for_widgets_that_are_still_to_come(early):
    """Streamlit loads them one by one, and what was below one went down as it came."""
    page, held = early.page, []
    page.add_init_script("Date.now = () => 1")  # so that no patience ends
    page.route(re.compile(r"/static/js/Selectbox\.[^/]*\.js$"), lambda route: held.append(route))
    early.open("promise?view=odds")
    early.come()
    early.lives_behind()
    page.wait_for_selector("#root .st-key-controls [data-testid=stSkeleton]", state="attached")
    page.evaluate(FRAMES, 30)
    assert page.locator("#standing").count()
    for route in held:
        route.continue_()
    early.over()
    expect(
        page.locator("#root .st-key-control-mechanism [data-testid=stSelectbox]")
    ).to_be_visible()


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


PATH = shipped()[FIRST]
SHIFTED = """
window.shifted = 0;
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
# Where the parts of a scene are, of what stands or of the live page.
PARTS = """() => {
    const standing = Boolean(document.getElementById("standing"));
    const live = {
        heading: ".stMainBlockContainer h1", figure: ".dpviz-stage .picture", bar: ".st-key-steps",
        on: ".st-key-step-next :is(a, button)", leave: ".st-key-step-leave button",
        ask: ".st-key-ask", control: ".st-key-controls [class*=st-key-control-]",
    };
    const here = {
        heading: "h1", figure: "figure", bar: ".steps", on: ".on, a.preset",
        leave: ".leave", ask: ".ask-place", control: ".controls [data-control]",
    };
    const found = {};
    for (const [name, part] of Object.entries(standing ? here : live)) {
        const all = [...document.querySelectorAll(standing ? `#standing ${part}` : part)];
        const box = all.find((one) => one.getClientRects().length)?.getBoundingClientRect();
        if (box) found[name] = [box.left, box.top, box.width, box.height].map(Math.round);
    }
    return found;
}"""
SCENES = {
    "asks": f"promise?{urlencode(PATH.query(2, FIRST))}",
    "chooses": f"user_complexity?{urlencode(PATH.query(7, FIRST))}",
    "presents": "promise?view=odds&epsilon=1&lecture=what-epsilon-promises&scene=2&present=1",
    "presets": "promise?view=odds&epsilon=1&present=1",
    "follows": "promise?view=odds&epsilon=1&lecture=what-epsilon-promises&scene=2",
}


def figure_at(stage):
    """Which figure stands there, but for the pixels that a scrollbar takes of its width."""
    where, _, query = stage.get_attribute("data-address").partition("?")
    return where, {k: v for k, v in parse_qs(query).items() if k not in ("view", "across")}


@pytest.mark.parametrize("kind", by_ring(["asks"], SCENES, SCENES))
@pytest.mark.parametrize("width", [1280, 390])
def test_a_scene_stands_where_the_live_one_will(early, kind, width):
    """There was an empty window until Streamlit drew; nothing moves as it takes over."""
    early.page.set_viewport_size({"width": width, "height": 844})
    early.page.add_init_script(SHIFTED)
    early.open(SCENES[kind])
    early.page.wait_for_function("() => document.fonts.status === 'loaded'")
    stood = early.page.evaluate(PARTS)
    asked = figure_at(early.page.locator("#standing .stands"))
    said = early.page.locator("#standing .said").inner_text()
    early.come()
    early.over()
    lives = early.page.evaluate(PARTS)
    assert {"heading", "figure", "bar", "on", "leave"} <= stood.keys()
    for part, box in stood.items():
        words = (
            5 if part in ("on", "leave") else 2
        )  # the face of fonts that are late is a bit wider
        assert lives[part] == pytest.approx(box, abs=words), part
    assert early.page.evaluate("window.shifted") < 0.002
    expect(early.page.locator("#root .takeaway")).to_have_text(said)
    assert figure_at(early.page.locator(".dpviz-stage")) == asked


def test_the_control_of_a_scene_answers_and_its_guess_goes_over(early):
    early.open(SCENES["asks"])
    expect(early.page.locator("#standing h1")).to_have_text(PATH.scenes[1].prompt)
    answer = re.compile("You predicted|The answer is")
    early.slider("epsilon").press("ArrowRight")
    early.page.wait_for_function("() => location.search.includes('epsilon=1.1')")
    early.page.wait_for_selector(f'{STANDS}[data-query*="epsilon=1.1&"]')
    assert "epsilon=1.1" in early.page.locator("#standing .leave").get_attribute("href")
    assert "epsilon=1.1" not in early.page.locator("#standing .on").get_attribute("href")
    expect(early.page.locator("#standing .said")).not_to_have_text(answer)
    early.slider("ask-guess-promise-odds-2").press("ArrowRight")
    guessed = early.slider("ask-guess-promise-odds-2").get_attribute("aria-valuetext")
    early.page.locator("#standing .reveal").click()
    said = early.page.locator("#standing .said")
    expect(said).to_contain_text(f"You predicted {guessed}; the answer is")
    early.page.wait_for_selector(STANDS)
    told = said.inner_text()
    early.come()
    early.over()
    assert early.page.locator("#root .takeaway").inner_text() == told
    expect(early.page.locator(".st-key-why")).to_be_visible()
    assert early.query["scene"] == "2"
    assert early.query["epsilon"] == "1.1"
    assert "ask" not in early.query


def test_before_a_class_a_slider_where_it_stands_is_no_guess(early):
    early.open(f"{SCENES['asks']}&present=1")
    early.page.locator("#standing .reveal").click()
    said = early.page.locator("#standing .said")
    expect(said).to_contain_text("The answer is")
    early.page.wait_for_selector(STANDS)
    told = said.inner_text()
    early.come()
    early.over()
    assert early.page.locator("#root .takeaway").inner_text() == told


def test_a_game_that_was_asked_about_is_played_before_the_live_page_comes(early):
    early.open(f"promise?{urlencode(PATH.query(1, FIRST))}")
    early.page.keyboard.press("i")  # nothing is played yet
    early.page.locator("#standing .reveal").click()
    expect(early.page.locator("#standing .said")).to_contain_text("You predicted")
    early.page.keyboard.press("i")
    expect(early.page.locator("#standing .said")).to_contain_text("of 1 so far")
    early.page.wait_for_selector(STANDS)
    said = early.page.locator("#standing .said").inner_text()
    early.come()
    early.over()
    expect(early.page.locator("#root .takeaway")).to_have_text(said)


def test_the_path_is_walked_before_streamlit_comes(early):
    """From home to its first scene, on, and out of it: each stands before any of Streamlit is."""
    page = early.page
    early.open("")
    page.get_by_role("link", name="I want to understand it").click(no_wait_after=True)
    for number, scene in enumerate(PATH.scenes[:3], 1):
        expect(page.locator("#standing h1")).to_have_text(scene.prompt)
        page.wait_for_selector(STANDS)
        assert early.query["scene"] == str(number)
        expect(page.locator("#standing .steps p")).to_have_text(f"{PATH.title} · {number} of 9")
        page.locator("#standing .on").click(no_wait_after=True)
    page.locator("#standing .leave").click(no_wait_after=True)
    expect(page.locator("#standing .steps")).to_have_count(0)
    page.wait_for_selector(STANDS)
    assert not early.query.keys() & {"lecture", "scene"}
    early.come()
    early.over()
    expect(page.locator("#root .st-key-steps")).to_have_count(0)


def test_who_goes_to_the_path_from_the_live_page_sees_its_scene_stand(early):
    early.holds = False
    early.page.goto(early.address)
    early.over()
    early.lives_behind()
    early.holds = True
    early.page.get_by_role("link", name="I want to understand it").click(no_wait_after=True)
    expect(early.page.locator("#standing h1")).to_have_text(PATH.scenes[0].prompt)
    early.come()
    early.over()
    assert early.query["lecture"] == FIRST
