"""Back and Forward lead through pages and tabs: random walks against a model of the history."""

import random
from dataclasses import dataclass, field
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from dpviz.scene.catalogue import PAGES
from dpviz.scene.lectures import FIRST, shipped
from tests.support.declarations import page as declared
from tests.support.examples import by_ring
from tests.support.reader import Reader

STEPS = 8
WALKS = by_ring(range(1), range(10), range(200))
OVER = """() => !document.getElementById("standing")"""
MOST = 50  # entries that Chromium keeps


@dataclass
class Entry:
    """What is seen at one place of the history: a page, its tab, and the whole address."""

    slug: str
    view: str
    query: dict[str, str]


@dataclass
class Walk:
    """A reader who does what comes to mind, and what should be in the history then."""

    reader: Reader
    mind: random.Random
    before: int
    entries: list[Entry] = field(default_factory=list)
    at: int = -1

    def seen(self) -> Entry:
        """Return what stands there once all is at rest."""
        self.reader.page.wait_for_function(OVER)
        self.reader.page.wait_for_selector(".st-key-stage", state="attached")
        self.reader.settle()
        address = self.reader.stage.get_attribute("data-address") or ""
        _, _, slug, view = address.partition("?")[0].split("/")
        assert slug == self.reader.slug, "an entry has the figure of another page"
        return Entry(slug, view, self.reader.query)

    def enter(self, slug: str, view: str) -> None:
        """Note that another page or tab was opened: what was ahead is gone."""
        now = self.seen()
        assert (now.slug, now.view) == (slug, view)
        self.entries = [*self.entries[: self.at + 1], now]
        self.at += 1

    def page(self) -> None:
        here = self.entries[self.at].slug
        there = self.mind.choice([one for one in PAGES if one.slug != here])
        self.reader.page.locator("[data-testid=stPopoverButton]").first.click()
        menu = self.reader.page.locator("[data-testid=stPopoverBody]")
        menu.get_by_role("link", name=there.title, exact=True).click()
        self.reader.wait_for_page(there.slug)
        self.enter(there.slug, declared(there.slug).views[0].key)

    def tab(self) -> None:
        here = self.entries[self.at]
        others = [v for v in declared(here.slug).for_everyone if v.key != here.view]
        if not others:
            return
        view = self.mind.choice(others)
        self.reader.tab(view.title).click()
        self.reader.wait_for_query(view=view.key)
        self.enter(here.slug, view.key)

    def slide(self) -> None:
        sliders = self.reader.page.locator("#root .st-key-controls > * .slider:visible")
        if not sliders.count():
            return
        slider = sliders.first
        before = slider.get_attribute("aria-valuetext")
        for way in ("ArrowRight", "ArrowLeft"):
            if slider.get_attribute("aria-valuetext") == before:
                slider.press(way)
        old = self.entries[self.at].query
        self.reader.page.wait_for_function(
            """old => [...new URLSearchParams(location.search)].some(([k, v]) => old[k] !== v)""",
            arg=old,
        )
        now = self.seen()
        here = self.entries[self.at]
        assert (now.slug, now.view) == (here.slug, here.view)
        self.entries[self.at] = now

    def back(self) -> None:
        if self.at > 0:
            self.at -= 1
            self.reader.page.go_back()

    def forward(self) -> None:
        if self.at + 1 < len(self.entries):
            self.at += 1
            self.reader.page.go_forward()

    def reload(self) -> None:
        self.reader.page.reload()

    def step(self) -> str:
        """Do something, and compare."""
        ways = ("page", "tab", "tab", "slide", "slide", "back", "back", "forward", "reload")
        way = self.mind.choice(ways)
        getattr(self, way)()
        here, now = self.entries[self.at], self.seen()
        assert now == here, way
        length = self.reader.page.evaluate("history.length")
        assert length == min(self.before + len(self.entries), MOST), way
        return way


def walked(on):
    """Take so many steps; a fault says which ways led to it."""
    ways = []
    for _ in range(STEPS):
        try:
            ways.append(on.step())
        except AssertionError as fault:
            raise AssertionError(f"after {ways}: {fault}") from fault


@pytest.mark.parametrize("walk", WALKS)
def test_the_history_is_that_of_pages_and_tabs(fresh, walk):
    mind = random.Random(walk)
    slug = mind.choice(PAGES).slug
    before = fresh.page.evaluate("history.length")
    fresh.page.goto(f"{fresh.address}/{slug}")
    on = Walk(fresh, mind, before)
    on.enter(slug, declared(slug).views[0].key)
    walked(on)


@dataclass
class PathWalk:
    """A reader on a path, who may go on before the page lives, and the scenes in the history."""

    reader: Reader
    mind: random.Random
    before: int
    entries: list[int] = field(default_factory=lambda: [1])
    at: int = 0

    def seen(self) -> None:
        """Look at the scene that should be there, as it stands or, now and then, once it lives."""
        number, page = self.entries[self.at], self.reader.page
        expect(page.locator(HEADING).first).to_have_text(PATH.scenes[number - 1].prompt)
        if self.mind.random() < 0.5:
            page.wait_for_function(OVER)
            self.reader.settle()
            expect(self.reader.stage).to_have_attribute("data-step", str(number))
        else:
            page.wait_for_selector(f"{STANDS}, {LIVES}", state="attached")
        assert self.reader.query["scene"] == str(number)
        assert self.reader.slug == PATH.scenes[number - 1].page
        assert page.evaluate("history.length") == min(self.before + len(self.entries), MOST)

    def go(self, way: str, number: int) -> None:
        here = "#standing .on" if way == "next" else "#standing .step:not(.on)"
        both = f":is({here}, #root:not(#standing ~ #root) .st-key-step-{way} a)"
        # Without waiting, nobody hears of a click held back as the live page came meanwhile.
        self.reader.page.locator(both).first.click()
        self.entries = [*self.entries[: self.at + 1], number]
        self.at += 1

    def step(self) -> str:
        """Do something, and look."""
        number = self.entries[self.at]
        ways = ["reload", "reveal"]
        ways += ["next"] * 3 if number < len(PATH.scenes) else []
        ways += ["previous"] if number > 1 else []
        ways += ["back"] * 2 if self.at > 0 else []
        ways += ["forward"] if self.at + 1 < len(self.entries) else []
        way = self.mind.choice(ways)
        if way in ("next", "previous"):
            self.go(way, number + (1 if way == "next" else -1))
        elif way in ("back", "forward"):
            self.at += -1 if way == "back" else 1
            getattr(self.reader.page, f"go_{way}")(wait_until="commit")
        elif way == "reload":
            self.reader.page.reload(wait_until="commit")
        else:
            self.reader.page.evaluate(REVEAL)
            self.reader.page.wait_for_function("() => !/[?&]ask=/.test(location.search)")
        self.seen()
        return way


PATH = shipped()[FIRST]
HEADING = "#standing h1, #root:not(#standing ~ #root) .stMainBlockContainer h1"
STANDS = "#standing .stands[data-state=rest]"
LIVES = "#root:not(#standing ~ #root) .dpviz-stage[data-state=rest]"
REVEAL = """() => {
    const button = document.getElementById("standing")
        ? document.querySelector("#standing .reveal")
        : document.querySelector(".st-key-reveal button");
    button?.click();
}"""


@pytest.mark.parametrize("walk", WALKS)
def test_a_path_is_walked_before_and_after_its_pages_live(fresh, walk):
    """Whichever of the two is there, its ways lead to the scene they name, an entry each."""
    mind = random.Random(walk)
    before = fresh.page.evaluate("history.length")
    fresh.page.goto(f"{fresh.address}/{PATH.scenes[0].page}?{urlencode(PATH.query(1, FIRST))}")
    on = PathWalk(fresh, mind, before)
    on.seen()
    walked(on)
