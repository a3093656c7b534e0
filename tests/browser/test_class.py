"""A lecture given from its first to its last scene by keys alone: a projector, and five phones."""

import json
from contextlib import ExitStack
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from dpviz.scene.lectures import shipped
from tests.browser.test_rooms import tab
from tests.support.examples import only_in_long_run
from tests.support.reader import POLLING

LECTURES = ("a-class-takes-part", "why-bounded-noise", "first-steps")
WIDTH, HEIGHT = 1280, 720
LEAST = 0.6  # of the height, for the figure
MOST_STEPS = 80  # keys of the longest lecture

# Where the class is, null while anything is on its way.
STATE = """() => {
    const page = document.querySelector("iframe").contentDocument;
    const panel = document.querySelector(".panel");
    const shown = panel.hidden ? page : panel;
    const stage = shown?.querySelector(".dpviz-stage");
    const { seen } = document.body.dataset;
    const step = document.querySelector(".step").textContent;
    const act = document.querySelector(".acts .first")?.textContent ?? "";
    if (!document.querySelector(".lobby").hidden) return JSON.stringify(["lobby"]);
    const hidden = panel.hidden ? false : panel.querySelector(".figure").hidden;
    if (!hidden && (stage?.dataset.state !== "rest" || stage.dataset.other === "true")) return null;
    if (panel.hidden) {
        const script = page?.querySelector(".stApp")?.dataset.testScriptState;
        const scene = step.match(/ (\\d+) of /)?.[1];
        if (script !== "notRunning" || stage.dataset.place !== scene) return null;
        if (/[?&]ask=1/.test(stage.dataset.address)) return null; // about to show its answer
        return JSON.stringify(["page", step, stage.dataset.address]);
    }
    return JSON.stringify(["panel", step, panel.querySelector("h1").textContent, act]);
}"""
# Another state than the one before.
NEXT = f"before => {{ const now = ({STATE})(); return now !== null && now !== before && now; }}"

# What a class sees that it should not; and how high the figure is, as a part of the screen.
FAULTS = """() => {
    const frame = document.querySelector("iframe");
    const panel = document.querySelector(".panel");
    const root = panel.hidden ? frame.contentDocument : panel;
    const faults = [];
    const visible = part => part.getClientRects().length && part.textContent.trim();
    const box = part => part.getBoundingClientRect();
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
        && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const corner = box(document.querySelector(".corner"));
    const plot = [...root.querySelectorAll(".js-plotly-plot")].find(part => part.offsetHeight);
    const spread = panel.hidden ? null : panel.querySelector(".spread:not([hidden])");
    const texts = plot ? [...plot.querySelectorAll(".main-svg text")].filter(visible) : [];
    const lines = part => {
        const range = document.createRange();
        range.selectNodeContents(part);
        return [...range.getClientRects()];
    };
    for (const part of root.querySelectorAll("h1, .takeaway"))
        if (visible(part) && lines(part).some(line => meet(line, corner)))
            faults.push(`the code covers ${part.textContent}`);
    for (const text of texts) {
        const { left, right } = box(text);
        if (meet(box(text), corner)) faults.push(`the code covers ${text.textContent}`);
        if (right > box(plot).right + 2 || left < box(plot).left - 2)
            faults.push(`cut: ${text.textContent}`);
    }
    for (const title of root.querySelectorAll(".xtitle"))
        for (const tick of root.querySelectorAll(".xtick text"))
            if (visible(title) && visible(tick) && meet(box(title), box(tick)))
                faults.push(`${tick.textContent} over ${title.textContent}`);
    const figure = plot ?? spread;
    if (!figure) return { faults: [...faults, "there is no figure"], share: 0 };
    const { bottom } = box(figure);
    if (bottom > document.querySelector("footer").getBoundingClientRect().top + 1)
        faults.push(`the figure ends at ${bottom}`);
    return { faults, share: figure.offsetHeight / innerHeight };
}"""


@only_in_long_run
@pytest.mark.parametrize("name", LECTURES)
def test_a_lecture_is_given_to_a_class_by_keys_alone(chromium, address, name):
    lecture = shipped()[name]
    first = lecture.query(1, name) | {"present": "1"}
    with ExitStack() as stack:
        screen = tab(stack, chromium, WIDTH, HEIGHT)
        screen.goto(f"{address}/{lecture.scenes[0].page}?{urlencode(first)}")
        screen.get_by_role("link", name="Phones").click()
        screen.wait_for_url("**/screen")  # in the same tab
        assert len(screen.context.pages) == 1
        code = screen.get_attribute("body", "data-code")
        sizes = [(390, 800)] * 4 + [(844, 390)]
        phones = [tab(stack, chromium, *size) for size in sizes]
        late = phones[3]
        for phone in phones:
            if phone is not late:
                phone.goto(f"{address}/room/{code}")
                expect(phone.locator("body")).to_have_attribute("data-state", "joined")
        expect(screen.locator(".lobby")).to_be_visible()  # whatever the first scene asks
        expect(screen.locator("footer .count")).to_have_text("4 phones joined")
        places, shares = give(screen, phones, f"{address}/room/{code}")
        assert [*dict.fromkeys(places)] == list(range(1, len(lecture.scenes) + 1))
        assert min(shares) >= LEAST, shares


def give(screen: Page, phones: list[Page], room: str) -> tuple[list[int], list[float]]:
    """Give the lecture; return at which scene each key led on, and the figures' shares."""
    places, shares, before = [], [], json.dumps(["lobby"], separators=(",", ":"))
    offline, late, last = phones[1], phones[3], 0
    for number in range(MOST_STEPS):
        wander(screen, number)
        screen.keyboard.press("ArrowRight" if number % 2 else "PageDown")
        found = screen.wait_for_function(NEXT, arg=before, polling=POLLING)
        before = found.json_value()
        kind, step, *_, act = json.loads(before)
        place, count = map(int, step.rsplit(" · ", 1)[1].split(" of "))
        if place != last:
            last = place
            offline.context.set_offline(place == 2)
            if place == 3:
                late.goto(room)
        places.append(place)
        if kind == "panel" and act in ("Show the answers", "Close the question"):
            for order, phone in enumerate(phones):
                if (phone is not offline or place != 2) and phone.url == room:
                    answer(phone, order, asked=screen.locator(".panel h1").inner_text())
            expect(screen.locator(".panel .main-svg").first).to_be_visible()  # answers are drawn
            before = screen.wait_for_function(STATE, polling=POLLING).json_value()
        seen = screen.evaluate(FAULTS)
        assert not seen["faults"], (before, seen["faults"])
        shares.append(seen["share"])
        if kind == "page" and place == count:
            return places, shares
    raise AssertionError(places)


def wander(screen: Page, number: int) -> None:
    """Leave the focus in the bar, in the page, or nowhere."""
    match number % 3:
        case 0:
            screen.locator(".pause").focus()
        case 1 if screen.locator("iframe").is_visible():
            screen.locator("iframe").focus()
        case _:
            screen.evaluate("document.activeElement.blur()")


def answer(phone: Page, order: int, *, asked: str) -> None:
    """Answer what is asked, each phone in its own way."""
    place = phone.locator(".asked")
    expect(place.locator("h2")).to_have_text(asked)
    expect(place.locator("button").first).to_be_visible()
    if place.locator(".canvas").count():
        draw(phone, order)
    elif place.locator("input[type=range]").count():
        place.locator("input[type=range]").fill(str(order + 1))
    elif place.get_by_role("button", name="With you", exact=True).count():
        for part, name in enumerate(("With you", "Without you") * 3):
            if part < 5:
                place.get_by_role("button", name=name, exact=True).nth(part).click()
    else:
        buttons = place.locator(".choices button")
        buttons.nth(order % buttons.count()).click()
        expect(place).to_have_attribute("data-said", "true")
        return
    place.get_by_role("button", name="Send").click()
    expect(place).to_have_attribute("data-said", "true")


def draw(phone: Page, order: int) -> None:
    """Draw a line with a finger; the phone that lies on its side has all of the axes in sight."""
    canvas = phone.locator(".canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box["height"] <= phone.viewport_size["height"]
    places = [(0.3, 0.7 - 0.05 * order), (0.6, 0.4), (0.9, 0.2)]
    for number, (x, y) in enumerate(places):
        phone.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        if not number:
            phone.mouse.down()
    phone.mouse.up()
