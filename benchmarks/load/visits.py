"""What a first visit through the proxy takes: python -m benchmarks.load.visits.

A fresh browser opens a page that another reader has opened before; the time until its figure
stands, and the bytes that came over the line.
"""

import argparse
import asyncio
import statistics
import sys
import time

from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import FLAGS, chromium_path
from tests.browser.reader import Reader
from tests.declarations import SLUGS
from tests.hosting.relay import Relay
from tests.hosting.site import Site, hosted
from tests.hosting.tab import Tab

_FIGURE = ".st-key-figure .js-plotly-plot .main-svg .trace"


async def _open_once(site: Site) -> None:
    for port in site.ports:
        for slug in SLUGS:
            async with Tab.at(site.address, slug, cookie=site.cookie(port)) as tab:
                await tab.run()


def visit(browser: Browser, site: Site, slug: str) -> tuple[float, int]:
    """Return the seconds until the figure of a page stands, and the bytes of the visit."""
    relay = Relay(site.address)
    with relay.serving() as address, Reader.at(browser, address) as reader:
        begin = time.perf_counter()
        reader.page.goto(f"{address}/{slug}", wait_until="commit")
        reader.page.locator(_FIGURE).first.wait_for(state="attached")
        seconds = time.perf_counter() - begin
        reader.settle()
        reader.page.wait_for_load_state("networkidle")
    return seconds, relay.counted


def measure(site: Site, chromium: str, visits: int) -> None:
    """Print a line for every page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        print(f"{'':24} median s    max s       MB")
        for slug in SLUGS:
            times, sizes = zip(*(visit(browser, site, slug) for _ in range(visits)), strict=True)
            median, size = statistics.median(times), max(sizes) / 1e6
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
