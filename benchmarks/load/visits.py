"""What a first visit through the proxy takes: python -m benchmarks.load.visits.

A fresh browser opens a page that another reader has opened before: by its own clock, the seconds
until something is painted, until the figure is seen as the server sent it, and until a figure
that moves has taken its place; how far things jumped; and, in one more visit, the bytes that came
over the line. Then it goes on to another page by the menu: the seconds from the click until that
page's question is seen, and its figure, and in how many frames there was no question. With --slow
its processor is four times as slow, and the line has 1.6 Mbit/s and 150 ms. With --old a checkout
of other code is visited by turns. The browser is asked nothing until the page stands: whoever
listens to its traffic has it note which line of which script asked for what, and that alone takes a
second. With --files nothing is timed: it lists what the bytes are of.
"""

import argparse
import asyncio
import itertools
import json
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

from benchmarks.machine import Machine, fixed_loop
from benchmarks.options import parsed
from dpviz.scene.catalogue import entry
from tests.hosting.relay import Relay
from tests.hosting.site import Site, hosted
from tests.hosting.tab import Tab
from tests.support.chromium import FLAGS, chromium_path
from tests.support.declarations import SLUGS

_NOTE = """
window.noted = {shift: 0};
const look = () => {
    // What the parser has just met is seen with the frame after.
    if (!noted.stands && document.querySelector("#standing figure svg"))
        requestAnimationFrame(() => { noted.stands ??= performance.now(); });
    const drawn = ":is(.plot > svg :is(path, rect + *), .js-plotly-plot .main-svg .trace)";
    const alive = document.querySelector(`#standing .stands[data-state=rest] ${drawn}`);
    const over = document.querySelector(`.dpviz-stage[data-state=rest] ${drawn}`)
        && !document.querySelector("#standing");
    if (alive || over) noted.lives ??= performance.now();
    if (over) observer.disconnect();
};
const observer = new MutationObserver(look);
observer.observe(document, {attributes: true, childList: true, subtree: true});
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) noted.shift += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""
_NOTED = """JSON.stringify({
    ...noted, paints: performance.getEntriesByName("first-contentful-paint")[0].startTime,
})"""
# What is seen from a click on: looked at in each frame, by a clock that both pages have.
_GOING = """
addEventListener("pointerup", () => {
    sessionStorage.clicked = performance.timeOrigin + performance.now();
    sessionStorage.empty = 0;
}, {capture: true});
const watch = () => {
    requestAnimationFrame(watch);
    const clicked = Number(sessionStorage.clicked || 0);
    if (!clicked) return;
    const since = performance.timeOrigin + performance.now() - clicked;
    const heading = document.querySelector("#standing h1, .stMainBlockContainer h1");
    if (!heading) sessionStorage.empty = Number(sessionStorage.empty) + 1;
    const slug = sessionStorage.to;
    if (heading?.textContent.trim() !== sessionStorage.question) return;
    sessionStorage.asked ||= since;
    const stands = document.querySelector("#standing figure svg");
    const live = document.querySelector(
        `.dpviz-stage[data-address^="/figure/${slug}/"]:not([data-other=true]) .plot > svg`);
    if (stands || live) sessionStorage.figure ||= since;
};
requestAnimationFrame(watch);
"""
_SETTLED, _SLOW = 6.0, 25.0  # seconds until nothing loads any more
_LINE = {"latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}
_STARTED = 1.0  # seconds that a browser needs for itself
_AIMED, _DOWN = 0.25, 0.08  # seconds for which a hand is at a link, and holds the button down


async def _open_once(site: Site, pages: Sequence[str]) -> None:
    for port, slug in itertools.product(site.ports, pages):
        cookie = site.cookie(port)
        asked = urllib.request.Request(f"{site.address}/{slug}", headers={"Cookie": cookie})
        with urllib.request.urlopen(asked):
            pass
        async with Tab.at(site.address, slug, cookie=cookie) as tab:
            await tab.run()


class _Window:
    """The window of a browser that listens to nothing but what it is told to tell.

    heard: what it has told without being asked, up to the last answer.
    """

    def __init__(self, line: ClientConnection) -> None:
        self._line = line
        self._numbers = itertools.count(1)
        self.heard: list[dict[str, Any]] = []

    def tell(self, method: str, **parameters: object) -> Any:
        """Send a command of the DevTools protocol and return its result."""
        number = next(self._numbers)
        self._line.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._line.recv())
            if answer.get("id") == number:
                return answer["result"]
            self.heard.append(answer)


@contextmanager
def _fresh_browser(chromium: str) -> Iterator[_Window]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        flags = [*FLAGS, "--headless", f"--user-data-dir={home}", "--remote-debugging-port=0"]
        command = [chromium, *flags, "--window-size=1280,900", "about:blank"]
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            assert process.stderr is not None
            announced = next(line for line in process.stderr if "DevTools listening" in line)
            port = announced.split("/")[2].rpartition(":")[2]
            time.sleep(_STARTED)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                [page] = [target for target in json.load(answer) if target["type"] == "page"]
            with connect(page["webSocketDebuggerUrl"]) as line:
                yield _Window(line)
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # or its windows live on
            process.wait()


@dataclass(frozen=True)
class Visit:
    """One visit: seconds until something is painted, until the figure is seen, until it moves.

    seen: NaN where the figure did not come with the page. shift: by how much things jumped, as
    browsers measure it.
    """

    paints: float
    seen: float
    lives: float
    shift: float


def visit(chromium: str, address: str, slow: bool = False) -> Visit:
    """Return what a visit took."""
    with _fresh_browser(chromium) as window:
        window.tell("Page.enable")
        window.tell("Page.addScriptToEvaluateOnNewDocument", source=_NOTE)
        if slow:
            window.tell("Emulation.setCPUThrottlingRate", rate=4)
            window.tell("Network.enable")
            window.tell("Network.emulateNetworkConditions", offline=False, **_LINE)
        window.tell("Page.navigate", url=address)
        time.sleep(_SLOW if slow else _SETTLED)
        noted = json.loads(window.tell("Runtime.evaluate", expression=_NOTED)["result"]["value"])
        paints, stands, lives = (
            noted.get(name, math.nan) / 1000 for name in ("paints", "stands", "lives")
        )
        # What stands is painted with the first frame, or after it.
        return Visit(paints, max(paints, stands), lives, noted["shift"])


@dataclass(frozen=True)
class Turn:
    """A way from one page to another: seconds until its question and its figure are seen.

    empty: frames without any question.
    """

    question: float
    figure: float
    empty: int


def turn(chromium: str, address: str, slug: str) -> Turn:
    """Return what it took to go from a page to another by the menu, as a hand does."""
    named = entry(slug)
    with _fresh_browser(chromium) as window:
        window.tell("Page.enable")
        window.tell("Page.addScriptToEvaluateOnNewDocument", source=_GOING)
        window.tell("Page.navigate", url=address)
        time.sleep(_SETTLED)
        told = {"to": slug, "question": named.question}
        window.tell(
            "Runtime.evaluate", expression=f"Object.assign(sessionStorage, {json.dumps(told)})"
        )
        _click(window, "document.querySelector('[data-testid=stPopoverButton]')", wait=1.0)
        window.tell("Runtime.evaluate", expression="delete sessionStorage.clicked")
        links = "[...document.querySelectorAll('[data-testid=stPopoverBody] a')]"
        link = f"{links}.find(a => a.textContent.trim() === {json.dumps(named.title)})"
        _click(window, link, wait=_SETTLED)
        keys = "JSON.stringify({...sessionStorage})"
        noted = json.loads(window.tell("Runtime.evaluate", expression=keys)["result"]["value"])
        asked, figure = (float(noted.get(key, math.nan)) / 1000 for key in ("asked", "figure"))
        return Turn(asked, figure, int(noted.get("empty", 0)))


def _click(window: _Window, part: str, *, wait: float) -> None:
    middle = "JSON.stringify([box.x + box.width / 2, box.y + box.height / 2])"
    place = f"(box => {middle})({part}.getBoundingClientRect())"
    said = window.tell("Runtime.evaluate", expression=place)["result"]["value"]
    x, y = json.loads(said)
    button = {"button": "left", "clickCount": 1}
    window.tell("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    time.sleep(_AIMED)
    window.tell("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **button)
    time.sleep(_DOWN)
    window.tell("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, **button)
    time.sleep(wait)


_KINDS = {
    "plotly.js": r"^/scripts/plotly",
    "our scripts and style": r"^/scripts/",
    "fonts": r"^/fonts/|\.woff2$",
    "Streamlit's scripts and style": r"^/static/",
    "the figure that moves": r"^/figure/",
    "the page with its standing figure": r"",
}


def files(chromium: str, address: str) -> dict[str, int]:
    """Return what a visit loads over HTTP, in bytes with headers, by path; largest first."""
    with _fresh_browser(chromium) as window:
        window.tell("Network.enable")
        window.tell("Page.navigate", url=address)
        time.sleep(_SETTLED)
        window.tell("Network.disable")
    paths: dict[str, str] = {}
    sizes: Counter[str] = Counter()
    for told in window.heard:
        match told:
            case {"method": "Network.requestWillBeSent", "params": {"requestId": key} as asked}:
                paths[key] = urlsplit(asked["request"]["url"]).path
            case {"method": "Network.loadingFinished", "params": {"requestId": key} as came}:
                sizes[paths[key]] += int(came["encodedDataLength"])
    return dict(sizes.most_common())


def report_files(site: Site, chromium: str, pages: Sequence[str], most: int = 25) -> None:
    """Print for every page what its bytes are of, by kind and the largest files."""
    for slug in pages:
        found = files(chromium, f"{site.address}/{slug}")
        kinds: Counter[str] = Counter()
        for path, size in found.items():
            kinds[next(kind for kind, form in _KINDS.items() if re.search(form, path))] += size
        print(f"{slug or 'home'}: {sum(found.values()) / 1e3:.0f} kB in {len(found)} files")
        for name, size in (*kinds.most_common(), *islice(found.items(), most)):
            print(f"{size / 1e3:9.1f}  {name}", flush=True)


def measure(
    sites: Mapping[str, Site], chromium: str, pages: Sequence[str], visits: int, slow: bool
) -> None:
    """Print a line for every page and site: medians, and the largest in brackets.

    Sites are visited by turns.
    """
    print(f"{'':28} {'painted s':>14} {'figure s':>14} {'moves s':>14} {'shift':>7} {'MB':>6}")
    for slug in pages:
        seen: dict[str, list[Visit]] = {name: [] for name in sites}
        for _ in range(visits):
            for name, site in sites.items():
                seen[name].append(visit(chromium, f"{site.address}/{slug}", slow))
        for name, site in sites.items():
            relay = Relay(site.address)
            with relay.serving() as address:
                visit(chromium, f"{address}/{slug}")
            columns = zip(*((one.paints, one.seen, one.lives) for one in seen[name]), strict=True)
            said = [f"{statistics.median(c):.2f} ({max(c):.2f})" for c in columns]
            jumped, size = max(one.shift for one in seen[name]), relay.counted / 1e6
            cells = " ".join(f"{one:>14}" for one in said)
            page = f"{slug or 'home'}{name}"
            print(f"{page:28} {cells} {jumped:7.3f} {size:6.2f}", flush=True)


def measure_turns(
    sites: Mapping[str, Site], chromium: str, pages: Sequence[str], turns: int
) -> None:
    """Print a line for every way from one page to the next, and site: medians, and the largest."""
    print(f"{'from, to':44} {'question s':>14} {'figure s':>14} {'empty frames':>13}")
    topics = [slug for slug in pages if slug]
    for before, after in zip(topics, [*topics[1:], *topics[:1]], strict=True):
        seen: dict[str, list[Turn]] = {name: [] for name in sites}
        for _ in range(turns):
            for name, site in sites.items():
                seen[name].append(turn(chromium, f"{site.address}/{before}", after))
        for name in sites:
            columns = zip(*((one.question, one.figure) for one in seen[name]), strict=True)
            said = [f"{statistics.median(c):.2f} ({max(c):.2f})" for c in columns]
            cells = " ".join(f"{one:>14}" for one in said)
            empty = max(one.empty for one in seen[name])
            print(f"{f'{before}, {after}{name}':44} {cells} {empty:13}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load.visits", description=__doc__)
    parser.add_argument("--visits", type=int, default=5, help="to each page")
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--slow", action="store_true", help="a slow processor and a slow line")
    parser.add_argument("--files", action="store_true", help="list what is loaded, and no times")
    parser.add_argument("--old", type=Path, help="a checkout to visit by turns with this one")
    parser.add_argument("pages", nargs="*", default=SLUGS, help="all, unless some are named")
    options = parsed(parser, visits=1, replicas=1, pages=["shared_darts"])
    path = chromium_path()
    if path is None:
        sys.exit("no Chromium")
    with ExitStack() as stack:
        sites = {"": stack.enter_context(hosted(options.replicas))}
        if options.old:
            sites[", old"] = stack.enter_context(
                hosted(options.replicas, folder=options.old.resolve())
            )
        for site in sites.values():
            asyncio.run(_open_once(site, options.pages))
        if options.files:
            report_files(sites[""], path, options.pages)
            return
        before = fixed_loop()
        measure(sites, path, options.pages, options.visits, options.slow)
        if len(options.pages) > 1 and not options.slow:
            measure_turns(sites, path, options.pages, options.visits)
        print(Machine(before, fixed_loop()))


if __name__ == "__main__":
    main()
