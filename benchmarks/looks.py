"""How figures and pages stand at several widths: python -m benchmarks.looks.

Opens every view in a real browser, light, at four widths, and counts what a reader would stumble
over: words that overlap or are cut inside figures, text cut elsewhere, pages that scroll sideways,
and figures cut by the window's lower edge. With --sheets FOLDER it saves what was seen, a sheet for
each width, and one in the dark at the last.
"""

import argparse
import io
from collections import Counter
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import running_app
from tests.support.chromium import FLAGS, chromium_path
from tests.support.declarations import SLUGS, page
from tests.support.reader import Reader

WINDOWS = ((1280, 720), (1440, 900), (1024, 768), (390, 844))
_SHRUNK, _ACROSS = 420, 5  # pixels of a picture on a sheet, pictures side by side

_COUNT = """() => {
    const plot = [...document.querySelectorAll(".dpviz-stage .js-plotly-plot")]
        .find(each => each.getClientRects().length);
    const frame = plot.getBoundingClientRect();
    const box = part => part.getBoundingClientRect();
    const words = [...plot.querySelectorAll(".main-svg text")]
        .filter(part => part.textContent.trim() && box(part).width && box(part).height)
        .filter(part => getComputedStyle(part).visibility !== "hidden")
        .map(part => ({ said: part.textContent, ...box(part).toJSON() }));
    const overlapping = [];
    words.forEach((a, i) => words.slice(i + 1).forEach(b => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 3 && high > 4) overlapping.push(`${a.said} | ${b.said}`);
    }));
    const clipped = words
        .filter(a => a.left < frame.left - 1 || a.right > frame.right + 1
            || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
        .map(a => a.said);
    const cut = [...document.querySelectorAll(".stMain button, .stMain p, .stMain label")]
        .filter(part => part.getClientRects().length)
        .filter(part => getComputedStyle(part).overflowX === "hidden")
        .filter(part => part.scrollWidth > part.clientWidth + 1)
        .map(part => part.textContent);
    const main = document.querySelector(".stMain");
    const sideways = main.scrollWidth > innerWidth ? [`${main.scrollWidth - innerWidth} px`] : [];
    const low = Math.round(frame.bottom - innerHeight);
    const below = low > 0 ? [`${low} px`] : [];
    return { overlapping, clipped, cut, sideways, "below the window": below };
}"""


def main() -> None:
    """Print what was counted, in all and view by view."""
    arguments = _arguments()
    views = [(slug, view.key) for slug in SLUGS for view in page(slug).views]
    views = [view for view in views if arguments.only in "/".join(view)]
    totals = {window: Counter[str]() for window in WINDOWS}
    seen: dict[str, list[Image.Image]] = {}
    with running_app(arguments.port) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        with Reader.at(browser, arguments.address or address, *WINDOWS[0]) as reader:
            for slug, key in views:
                reader.open(slug, {"view": key} if len(page(slug).views) > 1 else "")
                for width, height in WINDOWS:
                    reader.page.set_viewport_size({"width": width, "height": height})
                    _rest(reader)
                    for name, found in reader.page.evaluate(_COUNT).items():
                        totals[width, height][name] += len(found)
                        if found:
                            print(f"{slug}/{key} {width}: {name}: {found}", flush=True)
                    if arguments.sheets:
                        seen.setdefault(f"{width}", []).append(_picture(reader.page))
                if arguments.sheets:
                    reader.page.emulate_media(color_scheme="dark")
                    _rest(reader)
                    seen.setdefault("390-dark", []).append(_picture(reader.page))
                    reader.page.emulate_media(color_scheme="light")
                reader.page.set_viewport_size({"width": WINDOWS[0][0], "height": WINDOWS[0][1]})
        browser.close()
    for window, counted in totals.items():
        print(window, dict(counted))
    for name, pictures in seen.items():
        _sheet(pictures).save(arguments.sheets / f"{name}.png")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="views whose page/key contains this")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--address", default="", help="of a server that runs already")
    parser.add_argument("--sheets", type=Path, help="a folder for pictures")
    return parser.parse_args()


def _rest(reader: Reader) -> None:
    """Wait until the page has taken its new shape."""
    reader.frames(3)
    reader.settle()
    reader.figure()
    reader.steady(reader.stage)


def _picture(page: Page) -> Image.Image:
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return picture.resize((_SHRUNK, round(picture.height * _SHRUNK / picture.width)))


def _sheet(pictures: list[Image.Image]) -> Image.Image:
    height = max(picture.height for picture in pictures)
    rows = -(-len(pictures) // _ACROSS)
    sheet = Image.new("RGB", (_ACROSS * _SHRUNK, rows * height), "white")
    for number, picture in enumerate(pictures):
        row, column = divmod(number, _ACROSS)
        sheet.paste(picture, (column * _SHRUNK, row * height))
    return sheet


if __name__ == "__main__":
    main()
