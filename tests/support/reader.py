"""A reader at the screen: opens pages, moves controls, looks at the address bar."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Response, expect

from dpviz.scene import carrying
from dpviz.scene.scene import Scene
from tests.support.declarations import page
from tests.support.typeset import linked

TIMEOUT = 240_000  # milliseconds, on however busy a machine
POLLING = 50  # milliseconds between two looks: at every frame, as usual, they take a processor
# Between an address and the stage's answer to it, and before the stage's script has come, all may
# seem to be at rest.
SETTLED = """() => {
    if (!document.querySelector(".stApp[data-test-script-state=notRunning]")) return false;
    if (document.getElementById("standing")?.getClientRects().length) return false;
    const stage = document.querySelector(".dpviz-stage");
    if (!stage) return !document.querySelector(".st-key-figure");
    const address = new URLSearchParams(location.search);
    const drawn = [...new URLSearchParams(stage.dataset.query)];
    const view = address.get("view");
    return stage.dataset.state === "rest" && stage.dataset.other !== "true"
        && (!view || stage.dataset.address?.split("?")[0].endsWith(`/${view}`))
        && drawn.every(([key, value]) => (address.get(key) ?? value) === value);
}"""
# Goes to an address within the app, as Back does.
GO = """address => {
    history.pushState({}, "", address);
    dispatchEvent(new PopStateEvent("popstate"));
}"""
# The server has answered a link: it has written what has an effect there, and that is drawn.
ARRIVED = """({ asked, written }) => {
    const stage = document.querySelector(".dpviz-stage");
    const drawn = [...new URLSearchParams(stage?.dataset.query)];
    const address = new URLSearchParams(location.search);
    return drawn.length
        && stage.dataset.address.startsWith(`/figure/${location.pathname.slice(1) || "home"}/`)
        && written.every((key) => address.has(key))
        && drawn.every(([key, value]) => (address.get(key) ?? value) === value)
        && asked.every(([key, value]) => address.get(key) === value);
}"""
# What a reader leaves on a page beside its address.
TIDY = """() => {
    document.querySelectorAll("details[open] > summary").forEach(summary => summary.click());
    document.activeElement.blur();
    document.body.click(); // lets go what a movement kept
    document.querySelector(".stMain").scrollTop = 0;
}"""
# The drawing, null before there is one; of a checkout whose figures plotly.js draws, the shapes of
# all curves and the words on the axes.
FIGURE = """() => {
    const drawing = document.querySelector(".dpviz-stage .plot:not([hidden]) > svg");
    if (drawing) return drawing.outerHTML;
    const plots = document.querySelectorAll(".dpviz-stage .js-plotly-plot");
    const plot = [...plots].find(plot => plot.getClientRects().length);
    if (!plot?.querySelector(".main-svg .trace, .main-svg .hm")) return null;
    return [...plot.querySelectorAll(".trace path, .hm image, .main-svg text")]
        .map(part => part.getAttribute("d") ?? part.href?.baseVal ?? part.textContent)
        .join("|");
}"""
# The figure on the page; and its axes in pixels of the page, and what is dragged in it.
STAGE_FIGURE = """() => {
    let at = document.querySelector(".dpviz-stage");
    while (!at.stage) at = at.parentNode ?? at.host;
    return at.stage.figure;
}"""
LAYOUT = f"""() => {{
    const {{ plot, drawing }} = ({STAGE_FIGURE})();
    const {{ left, top }} = plot.getBoundingClientRect();
    const {{ x: across, y: upwards, drag }} = drawing.layout;
    const x = value => left + across.offset + across.d2p(value);
    const y = value => top + upwards.offset + upwards.d2p(value);
    return {{ x, y, drag }};
}}"""
# Resolves after so many frames have been painted.
FRAMES = """count => new Promise(resolve => {
    const next = () => (count-- ? requestAnimationFrame(next) : resolve());
    next();
})"""
# Resolves when the places of all these elements are the same in three frames.
STEADY = """parts => new Promise(resolve => {
    const places = () => JSON.stringify(parts.map(part => part.getBoundingClientRect()));
    let before = "", same = 0;
    const look = () => {
        const now = places();
        same = now === before ? same + 1 : 0;
        before = now;
        same < 2 ? requestAnimationFrame(look) : resolve();
    };
    look();
})"""
expect.set_options(timeout=TIMEOUT)


def _answered(slug: str, asked: Mapping[str, str]) -> dict[str, object]:
    """What an address says once the server has answered it: of what is asked, and which keys.

    The home page may be one made for tests, whose every parameter has an effect.
    """
    if not slug or "lecture" in asked:
        return {"asked": list(asked.items()), "written": []}
    declared = page(slug)
    values = carrying.opened(declared, {key: [text] for key, text in asked.items()}).values
    written = Scene.settled(declared, values).query
    kinds = {parameter.key for parameter in declared.url_parameters} - written.keys()
    left = [(key, text) for key, text in asked.items() if key not in kinds]
    return {"asked": left, "written": list(written)}


@dataclass
class Reader:
    """A browser's tab, and who sits before it.

    at_home: whether the app stands in it, so that other pages are opened without a new visit; links
    must then say what they say in the form in which the app writes it.
    faults: what a reader must not meet.
    """

    page: Page
    address: str
    at_home: bool = False
    faults: list[str] = field(default_factory=list)

    @classmethod
    @contextmanager
    def at(
        cls, browser: Browser, address: str, width: int = 1280, height: int = 800
    ) -> Iterator["Reader"]:
        """A reader with a browser of their own, who has never been here."""
        with (
            browser.new_context() as context,
            cls.within(context, address, width, height) as reader,
        ):
            yield reader

    @classmethod
    @contextmanager
    def within(
        cls, context: BrowserContext, address: str, width: int = 1280, height: int = 800
    ) -> Iterator["Reader"]:
        """A reader with a new tab of a browser, who must not have seen a fault at the end."""
        context.set_default_timeout(TIMEOUT)
        reader = cls(context.new_page(), address)
        reader.page.wait_for_function = partial(reader.page.wait_for_function, polling=POLLING)
        reader.page.set_viewport_size({"width": width, "height": height})
        reader.page.on("response", reader._note_response)
        reader.page.on("pageerror", lambda error: reader.faults.append(str(error)))
        reader.page.on(
            "console",
            lambda message: (
                reader.faults.append(message.text)
                if message.type == "error" and "Failed to load resource" not in message.text
                else None
            ),
        )
        try:
            yield reader
            assert not reader.faults, reader.faults
            assert not reader.page.locator(".stException").count()
        finally:  # or the line of a test that fails stays open, and others wait for its end
            reader.page.close()

    def _note_response(self, response: Response) -> None:
        if response.status >= 400:
            self.faults.append(f"{response.status} {response.url}")

    def open(self, slug: str, query: Mapping[str, str] | str = "") -> None:
        text = query if isinstance(query, str) else urlencode(query)
        asked = parse_qsl(text)
        if not self.at_home:
            self.page.goto(f"{self.address}/{slug}?{text}")
        elif (self.slug, self.query) != (slug, dict(asked)):
            self.page.evaluate(GO, f"{self.address}/{slug}?{text}")
            self.page.wait_for_function(ARRIVED, arg=_answered(slug, dict(asked)))
        self.page.wait_for_selector(".st-key-stage", state="attached")
        self.settle()

    def tidy(self, width: int = 1280, height: int = 800) -> None:
        """Leave a tab as the next reader may find it: what the address says is all that stays."""
        self.page.bring_to_front()
        self.page.mouse.up()
        self.page.mouse.move(0, 0)
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(media="null", color_scheme="light")
        self.settle()
        self.page.evaluate(TIDY)

    def settle(self) -> None:
        """Wait until the script has run, and the figure it speaks of stands."""
        self.page.wait_for_function(SETTLED)

    @property
    def takeaway(self) -> Locator:
        """The sentence above the figure."""
        return self.page.locator(".dpviz-stage .takeaway")

    @property
    def stage(self) -> Locator:
        """What holds sentence and figure; its attributes say how far they are."""
        return self.page.locator(".dpviz-stage")

    def key(self, key: str) -> Locator:
        """Find the widget or container with a Streamlit key."""
        return self.page.locator(f".st-key-{key}")

    def open_fold(self, key: str) -> None:
        fold = self.key(key).locator("details")
        if fold.get_attribute("open") is None:
            fold.locator("summary").click()
            self.steady(fold)  # it unfolds little by little, and what is in it moves

    def open_evidence(self, tab: str) -> Locator:
        """Open a tab at the figure; return what is in it."""
        place = self.key("at-figure")
        self.open_fold("at-figure")
        self.steady(place)
        place.get_by_role("tab", name=tab, exact=True).click()
        return place.get_by_role("tabpanel", name=tab, exact=True)

    def tab(self, title: str) -> Locator:
        """Find the link to a view above the figure, on the live page."""
        return self.page.locator(".stMain .views").get_by_role("link", name=title, exact=True)

    @property
    def slug(self) -> str:
        return urlsplit(self.page.url).path.strip("/")

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.page.url).query, keep_blank_values=True))

    def wait_for_query(self, **expected: str) -> None:
        """Wait until the address bar shows these parameters."""
        self.page.wait_for_function(
            """expected => {
                const query = new URLSearchParams(location.search);
                return Object.entries(expected).every(([key, value]) => query.get(key) === value);
            }""",
            arg=expected,
        )

    def wait_for_page(self, slug: str) -> None:
        """Wait until the address bar shows a page; its parameters may be there before."""
        self.page.wait_for_function("path => location.pathname === path", arg=f"/{slug}")

    def unfold(self, key: str) -> None:
        """Bring the control of a parameter into sight, if it waits behind "more"."""
        waiting = self.key("fold-controls").locator("details:not([open])")
        if waiting.count() and not self.key(f"control-{key}").first.is_visible():
            self.open_fold("fold-controls")

    def field(self, key: str) -> Locator:
        """Find the field with the exact value of a number."""
        self.unfold(key)
        return self.key(f"control-{key}").locator("input[type=text]:visible")

    def number(self, key: str) -> str:
        """Return the number in a field as links write it."""
        return linked(self.field(key).input_value())

    def type(self, key: str, text: str) -> None:
        self.field(key).fill(text)
        self.field(key).press("Enter")

    def frames(self, count: int) -> None:
        """Wait until the browser has painted so many times."""
        self.page.evaluate(FRAMES, count)

    def steady(self, part: Locator) -> None:
        """Wait until the page has answered, and a part of it stays where it is."""
        self.settle()
        part.first.wait_for(state="attached")
        part.evaluate_all(STEADY)

    def choose(self, key: str, words: str) -> None:
        """Take an option, from buttons side by side or from a list that opens."""
        self.unfold(key)
        control = self.key(key)
        either = control.get_by_role("radio").or_(control.get_by_role("combobox")).first
        self.steady(either)
        # At the edge of the window the browser would scroll it from under the click, and a list
        # that opens is closed again when its page scrolls.
        control.evaluate("part => part.scrollIntoView({ block: 'center' })")
        self.steady(either)
        if control.get_by_role("combobox").count():
            control.get_by_role("combobox").click()
            control.get_by_role("combobox").fill(words)
            self.page.get_by_role("option", name=words, exact=True).click()
        else:
            control.get_by_role("radio", name=words, exact=True).click()

    def slider(self, key: str) -> Locator:
        """Find the slider of a number."""
        self.unfold(key)
        return self.key(key).get_by_role("slider")

    def figure(self) -> str:
        """Return the shapes of all curves and the words on the axes, once there is a curve."""
        return str(self.page.wait_for_function(FIGURE).json_value())

    def wait_for_figure(self, figure: str) -> None:
        """Wait until the figure is this one."""
        self.page.wait_for_function(f"figure => ({FIGURE})() === figure", arg=figure)

    def figure_after(self, before: str) -> str:
        """Return the first figure that is another one than `before`."""
        other = f"before => {{ const now = ({FIGURE})(); return now !== before && now; }}"
        return str(self.page.wait_for_function(other, arg=before).json_value())
