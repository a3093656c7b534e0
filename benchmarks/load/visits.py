"""What a first visit through the proxy takes: python -m benchmarks.load.visits.

A fresh browser opens a page that another reader has opened before: the seconds until its figure
stands, by the browser's own clock, and, in one more visit, the bytes that came over the line.
The browser is asked nothing until the page stands: whoever listens to its traffic has it note
which line of which script asked for what, and that alone takes a second.
"""

import argparse
import asyncio
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.hosting.relay import Relay
from tests.hosting.site import Site, hosted
from tests.hosting.tab import Tab
from tests.support.chromium import FLAGS, chromium_path
from tests.support.declarations import SLUGS

_FIGURE = ".dpviz-stage .js-plotly-plot .main-svg .trace"
_NOTE_WHEN_IT_STANDS = f"""
new MutationObserver((_, observer) => {{
    if (document.querySelector("{_FIGURE}")) {{
        window.figureStands = performance.now();
        observer.disconnect();
    }}
}}).observe(document, {{childList: true, subtree: true}});
"""
_SETTLED = 6.0  # seconds until nothing loads any more
_STARTED = 1.0  # seconds that a browser needs for itself


async def _open_once(site: Site) -> None:
    for port in site.ports:
        for slug in SLUGS:
            async with Tab.at(site.address, slug, cookie=site.cookie(port)) as tab:
                await tab.run()


class _Window:
    """The window of a browser that listens to nothing."""

    def __init__(self, line: ClientConnection) -> None:
        self._line = line
        self._numbers = itertools.count(1)

    def tell(self, method: str, **parameters: str) -> Any:
        """Send a command of the DevTools protocol and return its result."""
        number = next(self._numbers)
        self._line.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._line.recv())
            if answer.get("id") == number:
                return answer["result"]


@contextmanager
def _fresh_browser(chromium: str) -> Iterator[_Window]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        flags = [*FLAGS, "--headless", f"--user-data-dir={home}", "--remote-debugging-port=0"]
        command = [chromium, *flags, "--window-size=1280,900", "about:blank"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
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
            process.kill()
            process.wait()


def visit(chromium: str, address: str) -> float:
    """Return the seconds until the figure of a page stands."""
    with _fresh_browser(chromium) as window:
        window.tell("Page.enable")
        window.tell("Page.addScriptToEvaluateOnNewDocument", source=_NOTE_WHEN_IT_STANDS)
        window.tell("Page.navigate", url=address)
        time.sleep(_SETTLED)
        noted = window.tell("Runtime.evaluate", expression="window.figureStands")
        return float(noted["result"]["value"]) / 1000


def measure(site: Site, chromium: str, visits: int) -> None:
    """Print a line for every page."""
    print(f"{'':24} median s    max s       MB")
    for slug in SLUGS:
        times = [visit(chromium, f"{site.address}/{slug}") for _ in range(visits)]
        relay = Relay(site.address)
        with relay.serving() as address:
            visit(chromium, f"{address}/{slug}")
        median, size = statistics.median(times), relay.counted / 1e6
        print(f"{slug or 'home':24} {median:8.2f} {max(times):8.2f} {size:8.2f}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load.visits", description=__doc__)
    parser.add_argument("--visits", type=int, default=5, help="to each page")
    options = parser.parse_args()
    path = chromium_path()
    if path is None:
        sys.exit("no Chromium")
    with hosted() as site:
        asyncio.run(_open_once(site))
        measure(site, path, options.visits)


if __name__ == "__main__":
    main()
