"""A lecture given from its first to its last scene by keys alone: a projector, and five phones."""

import csv
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from dpviz.scene.lectures import FIRST, Lecture, shipped
from tests.browser.test_rooms import tab
from tests.support.examples import chosen, only_in_ci
from tests.support.reader import POLLING

LECTURES = ("a-class-takes-part", FIRST)
WIDTH, HEIGHT = 1280, 720
LEAST = 0.6  # of the height, for the figure
MOST_STEPS = 80  # keys of the longest lecture

# What the class sees on the projector; null while anything of it is on its way.
STATE = """() => {
    if (document.body.dataset.state !== "linked") return null;
    if (!document.querySelector(".lobby").hidden) return { kind: "lobby" };
    const page = document.querySelector("iframe").contentDocument;
    const panel = document.querySelector(".panel");
    const step = document.querySelector(".step").textContent;
    const [, place, count] = step.match(/ (\\d+) of (\\d+)$/) ?? [];
    const root = panel.hidden ? page : panel;
    const stage = root.querySelector(".dpviz-stage");
    const figure = panel.querySelector(".figure");
    if (!place || !stage) return null;
    const drawn = () => stage.dataset.state === "rest" && stage.dataset.other !== "true"
        && stage.querySelector(".plot > svg")?.checkVisibility();
    if (panel.hidden || !figure.hidden) if (!drawn()) return null;
    if (!panel.hidden) {
        if (panel.dataset.due === "true") return null; // answers that are not drawn yet
        const act = document.querySelector(".acts .first").textContent;
        const { kind, phase } = panel.dataset;
        const says = panel.querySelector("h1").textContent;
        return { kind, phase, act, place: +place, count: +count, says };
    }
    const script = page.querySelector(".stApp").dataset.testScriptState;
    const { address } = stage.dataset;
    const told = document.body.dataset.followed === "true" && !/[?&]ask=1/.test(address);
    if (script !== "notRunning" || stage.dataset.step !== place || !told) return null;
    const says = page.querySelector("h1").innerText.trim();
    return { kind: "page", place: +place, count: +count, says, address };
}"""
# The same in JSON, once it is another one than before.
NEXT = f"""before => {{
    const now = ({STATE})();
    return now !== null && JSON.stringify(now) !== before && JSON.stringify(now);
}}"""

# Press Escape in a field: whether keys go to the page again, before anything is drawn.
FREED = """field => {
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    return document.activeElement === document.body;
}"""

# What a class should not see, and how high the figure is, as a part of the screen.
FAULTS = """() => {
    const panel = document.querySelector(".panel");
    const root = panel.hidden ? document.querySelector("iframe").contentDocument : panel;
    const faults = [];
    const visible = part => part.checkVisibility() && part.textContent.trim();
    const box = part => part.getBoundingClientRect();
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
        && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const lines = part => {
        const range = document.createRange();
        range.selectNodeContents(part);
        return [...range.getClientRects()];
    };
    const corner = box(document.querySelector(".corner"));
    if (!corner.width) faults.push("there is no code");
    const high = part => part.checkVisibility() && box(part).height;
    const figure = [...root.querySelectorAll(".plot, .spread")].find(high);
    if (!figure) return { faults: [...faults, "there is no figure"], share: 0 };
    for (const part of root.querySelectorAll("h1, .takeaway, .exactly"))
        if (visible(part) && lines(part).some(line => meet(line, corner)))
            faults.push(`the code covers ${part.textContent}`);
    for (const text of root.querySelectorAll(".plot svg text")) {
        if (!visible(text)) continue;
        const { left, right, top, bottom } = box(text);
        const around = box(text.closest(".plot"));
        if (meet(box(text), corner)) faults.push(`the code covers ${text.textContent}`);
        if (right > around.right + 2 || left < around.left - 2
            || bottom > around.bottom + 2 || top < around.top - 2)
            faults.push(`cut: ${text.textContent}`);
    }
    for (const title of root.querySelectorAll(".xtitle"))
        for (const tick of root.querySelectorAll(".xtick, .xtick text"))
            if (visible(title) && visible(tick) && meet(box(title), box(tick)))
                faults.push(`${tick.textContent} over ${title.textContent}`);
    const { bottom } = box(figure);
    if (bottom > document.querySelector("footer").getBoundingClientRect().top + 1)
        faults.push(`the figure ends at ${bottom}`);
    return { faults, share: box(figure).height / innerHeight };
}"""

# Whether a phone has come to where the class is: what is asked stands there, or what is shown.
FOLLOWS = """({ kind, phase, says }) => {
    const { state } = document.body.dataset;
    const asked = document.querySelector(".asked");
    if (state !== "joined" || asked.hidden !== (kind === "page")) return false;
    if (kind !== "page" && (asked.querySelector("h2")?.textContent !== says
        || asked.dataset.phase !== phase)) return false;
    if (kind === "page" && document.querySelector("h1").textContent !== says) return false;
    const figure = document.querySelector(".figure");
    if (figure.hidden) return kind !== "page";
    const stage = figure.querySelector(".dpviz-stage");
    return stage.dataset.state === "rest" && stage.dataset.other !== "true"
        && stage.querySelector(".plot > svg")?.checkVisibility();
}"""
# What is wider than the phone, cut in its figure, said twice, or asked where nobody sees it.
MOBILE_FAULTS = """() => {
    const faults = [];
    if (document.scrollingElement.scrollWidth > innerWidth + 1) faults.push("it moves sideways");
    const said = [...document.querySelectorAll("h1, h2, .takeaway")]
        .filter(part => part.checkVisibility() && part.textContent.trim())
        .map(part => part.textContent.trim());
    const twice = said.filter((words, place) => said.indexOf(words) !== place);
    const asked = document.querySelector(".asked");
    const { top } = asked.getBoundingClientRect();
    if (asked.dataset.said === "false" && asked.checkVisibility() && (top < 0 || top > innerHeight))
        faults.push(`asked at ${top}`);
    const cut = [...document.querySelectorAll(".plot svg text")].filter(text => {
        const { left, right } = text.getBoundingClientRect();
        return text.checkVisibility() && (left < -2 || right > innerWidth + 2);
    });
    return [...faults, ...twice, ...cut.map(text => `cut: ${text.textContent}`)];
}"""


@dataclass
class Class:
    """A projector, and phones by what becomes of them; most have nothing happen to them."""

    screen: Page
    phones: dict[str, Page]
    room: str = ""
    away: set[str] = field(default_factory=set)  # who is not there now

    @classmethod
    def gather(cls, stack: ExitStack, chromium) -> "Class":
        """Unlock a projector and five phones."""
        sizes = dict.fromkeys(("one", "two", "offline", "late"), (390, 800))
        sizes["landscape"] = (844, 390)
        phones = {name: tab(stack, chromium, *size) for name, size in sizes.items()}
        return cls(tab(stack, chromium, WIDTH, HEIGHT), phones)

    def begin(self, address: str, lecture: Lecture, name: str) -> None:
        """Open a lecture, and a room out of it, which all phones but one join."""
        screen = self.screen
        query = lecture.query(1, name) | {"present": "1"}
        screen.goto(f"{address}/{lecture.scenes[0].page}?{urlencode(query)}")
        screen.get_by_role("link", name="Phones").click()
        screen.wait_for_url("**/screen")
        assert len(screen.context.pages) == 1  # the page itself has become the room's screen
        self.room = f"{address}/room/{screen.get_attribute('body', 'data-code')}"
        self.away = {"late"}
        for phone in self.there().values():
            self.join(phone)
        expect(screen.locator("footer .count")).to_have_text("4 phones joined")
        expect(screen.locator(".lobby")).to_be_visible()  # whatever the first scene asks

    def join(self, phone: Page) -> None:
        """Open the room's address on a phone."""
        phone.goto(self.room)
        expect(phone.locator("body")).to_have_attribute("data-state", "joined")

    def there(self) -> dict[str, Page]:
        """Return who is there now."""
        return {name: phone for name, phone in self.phones.items() if name not in self.away}

    def come_and_go(self, place: int) -> None:
        """At the second scene one phone has no network; at the third it has, and another joins."""
        if place == 2:
            self.away.add("offline")
        elif place == 3:
            self.away = set()
        self.phones["offline"].context.set_offline(place == 2)
        if place == 3:
            self.join(self.phones["late"])

    def give(self) -> Iterator[dict[str, Any]]:
        """Press keys until the last scene stands; yield what the class sees after each."""
        before, place = json.dumps({"kind": "lobby"}, separators=(",", ":")), 0
        for number in range(MOST_STEPS):
            wander(self.screen, number)
            self.screen.keyboard.press("ArrowRight" if number % 2 else "PageDown")
            before = self.seen(after=before)
            now = json.loads(before)
            if now["place"] != place:
                place = now["place"]
                self.come_and_go(place)
            self.follow(now)
            if now.get("phase") == "open":
                yield now | {"answered": False}
                for order, phone in enumerate(self.there().values()):
                    answer(phone, order, now["kind"])
                said = f"{len(self.there())} of "  # those that have joined, and perhaps left
                expect(self.screen.locator("footer .count")).to_contain_text(said)
                self.seen(after="")
            yield now
            if now["kind"] == "page" and place == now["count"]:
                return
        raise AssertionError(f"scene {place} is not left")

    def seen(self, after: str) -> str:
        """Return what the projector shows, once it stands and is another state than `after`."""
        return self.screen.wait_for_function(NEXT, arg=after, polling=POLLING).json_value()

    def follow(self, now: dict[str, Any]) -> None:
        """Wait until every phone that is there has come to where the class is."""
        for phone in self.there().values():
            phone.wait_for_function(FOLLOWS, arg=now, polling=POLLING)


@only_in_ci
@pytest.mark.parametrize("name", chosen(LECTURES, LECTURES[:1]))
def test_a_lecture_is_given_to_a_class_by_keys_alone(chromium, address, name):
    lecture, shares = shipped()[name], {}
    with ExitStack() as stack:
        present = Class.gather(stack, chromium)
        present.begin(address, lecture, name)
        for now in present.give():
            if without_a_figure(now):
                expect(present.screen.locator(".panel .about")).to_contain_text("Nobody has")
            else:
                seen = present.screen.evaluate(FAULTS)
                assert not seen["faults"], (now, seen["faults"])
                shares.setdefault(now["place"], []).append(seen["share"])
            for which, phone in present.there().items():
                assert not (faults := phone.evaluate(MOBILE_FAULTS)), (which, now, faults)
        counts = present.screen.locator(".counts").get_attribute("href")
        file = present.screen.context.request.get(counts).text()
    assert list(shares) == list(range(1, len(lecture.scenes) + 1))
    assert min(map(min, shares.values())) >= LEAST, shares
    check_counts(list(csv.DictReader(file.splitlines())), lecture)


def check_counts(rows: list[dict[str, str]], lecture: Lecture) -> None:
    """Each row says what was asked and of which figure; predictions, what is exact."""
    predicted = [row for row in rows if row["kind"] == "prediction"]
    asking = [scene for scene in lecture.scenes if scene.ask and scene.state.get("class") is None]
    assert len({row["question"] for row in predicted}) == len(asking)
    for row in rows:
        assert row["asked"]
        assert row["parameters"]
        assert int(row["phones"]) >= 1
    for row in predicted:
        assert row["exact"], row


@only_in_ci
def test_keys_mean_the_same_after_every_button_of_the_bar(chromium, address):
    lecture = shipped()["why-bounded-noise"]
    with ExitStack() as stack:
        screen = tab(stack, chromium, WIDTH, HEIGHT)
        query = lecture.query(1, "why-bounded-noise") | {"present": "1"}
        screen.goto(f"{address}/{lecture.scenes[0].page}?{urlencode(query)}")
        screen.get_by_role("link", name="Phones").click()
        screen.wait_for_url("**/screen")

        def comes(key: str, scene: int) -> None:
            screen.keyboard.press(key)
            expect(screen.locator("footer .step")).to_contain_text(f" {scene} of ")
            screen.wait_for_function(f"() => ({STATE})()?.place === {scene}", polling=POLLING)

        comes("PageDown", 1)  # the class is let in
        screen.keyboard.press("b")  # where there is nothing to go back to
        for button in (".code-button", ".corner", ".pause", ".pause", ".more-button"):
            screen.locator(button).click()
            if screen.locator(".lobby").is_visible():
                comes("ArrowRight", 1)
            comes("PageDown", 2)
            expect(screen.locator(".more")).to_be_hidden()
            comes("ArrowLeft", 1)
        screen.locator(".next").click()
        expect(screen.locator("footer .step")).to_contain_text(" 2 of ")
        screen.wait_for_function(f"() => ({STATE})()?.place === 2", polling=POLLING)
        comes("ArrowRight", 3)
        screen.keyboard.press("b")
        expect(screen.locator("footer .step")).to_contain_text(" 2 of ")
        screen.locator(".more-button").click()
        words = screen.locator(".survey input")
        words.press_sequentially("b or n?")
        assert words.input_value() == "b or n?"
        comes("PageUp", 1)  # a remote has no other keys
        screen.locator(".more-button").click()
        words.focus()
        assert words.evaluate(FREED)
        expect(screen.locator(".more")).to_be_hidden()
        with screen.context.expect_page() as opened:  # notes are for the speaker alone
            screen.keyboard.press("n")
        expect(opened.value.locator(".curtain")).to_be_visible()
        comes("ArrowRight", 2)


def without_a_figure(now: dict[str, Any]) -> bool:
    """Return whether what is asked has no figure before somebody has answered."""
    return now["kind"] in ("survey", "shuffle") and now.get("answered") is False


def wander(screen: Page, number: int) -> None:
    """Leave the focus in the bar, in the page, or nowhere."""
    match number % 3:
        case 0:
            screen.locator(".pause").focus()
        case 1 if screen.locator("iframe").is_visible():
            screen.locator("iframe").focus()
        case _:
            screen.evaluate("document.activeElement.blur()")


def answer(phone: Page, order: int, kind: str) -> None:
    """Answer what is asked, each phone in its own way."""
    place = phone.locator(".asked")
    choices, slider = place.locator(".choices button"), place.locator("input[type=range]")
    if kind == "sketch":
        draw(phone, order)
    elif kind == "worlds":
        for row in range(5):
            choices.nth(2 * row + (row + order) % 2).click()
    elif kind == "prediction":
        expect(choices.first.or_(slider)).to_be_visible()
        if slider.count():
            slider.fill(str(order + 1))
        else:
            choices.nth(order % choices.count()).click()
    else:
        choices.nth(order % 2).click()
    if kind in ("sketch", "worlds") or slider.count():
        place.get_by_role("button", name="Send").click()
    expect(place).to_have_attribute("data-said", "true")


def draw(phone: Page, order: int) -> None:
    """Draw a line with a finger; a phone that lies on its side has all of the axes in sight."""
    canvas = phone.locator(".canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box["height"] <= phone.viewport_size["height"]
    mouse = phone.mouse
    for number, (x, y) in enumerate([(0.3, 0.7 - 0.05 * order), (0.6, 0.4), (0.9, 0.2)]):
        mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        if not number:
            mouse.down()
    mouse.up()
