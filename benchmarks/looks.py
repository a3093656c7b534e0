"""How figures and pages stand at several widths: python -m benchmarks.looks.

Opens every view in a real browser, light, at four widths, and counts what a reader would stumble
over: words that overlap, are cut or are faint inside figures, text cut elsewhere, pages that
scroll sideways, figures cut by the window's lower edge, more than two strong curves, plots of
less than 60 % of the width of a window of 1280 pixels or more, more than three controls in sight,
and more than eight stops of the Tab key before the first thing that changes the figure. Below the
counts stand the extremes of what has a limit, and in which view, and how many words, buttons and
tabs there are before anything is scrolled. With
--sheets FOLDER it saves what was seen: every view at every width, in the dark at two of them,
twenty on a sheet. With --present it counts on a projector of 1280x720 pixels, where words are
larger. With --widths some of the four are left out.
"""

import argparse
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from benchmarks.app import app
from benchmarks.options import parsed
from benchmarks.views import views
from tests.support.chromium import FLAGS, chromium_path
from tests.support.declarations import page
from tests.support.reader import STAGE_FIGURE, Reader

WINDOWS = ((1280, 720), (1440, 900), (1024, 768), (390, 844))
_SHRUNK, _ACROSS = 420, 5  # pixels of a picture on a sheet, pictures side by side
_A_SHEET = 20  # pictures

_DARK = (1280, 390)
_DRAWN = ".dpviz-stage .plot > svg:visible"

# The figure has the width of its place, and the height for this window, some time after it changed;
# buttons that belong below it have up to 120 px of that.
_FITS = """() => {
    const { address } = document.querySelector(".dpviz-stage").dataset;
    const drawn = Number(new URLSearchParams(address.split("?")[1]).get("low"));
    const above = innerHeight - drawn;
    return (innerHeight < 910 && innerWidth > 820 ? 260 <= above && above < 520 : !drawn)
        && [...document.querySelectorAll(".dpviz-stage .plot")]
        .filter(plot => plot.getClientRects().length)
        .every(plot => Math.abs(plot.clientWidth - plot.querySelector("svg").clientWidth) < 2);
}"""
_COUNT = (
    f"aside => {{ const figureOf = {STAGE_FIGURE};"
    + """
    const figures = ".dpviz-stage .plot";
    const plot = [...document.querySelectorAll(figures)]
        .find(each => each.getClientRects().length);
    const frame = plot.getBoundingClientRect();
    const box = part => part.getBoundingClientRect();
    const rgb = text => text.match(/[\\d.]+/g).map(Number);
    const luminance = color => color.map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const paper = rgb(getComputedStyle(document.querySelector(".stApp")).backgroundColor);
    const opacity = part => part === plot
        ? 1 : Number(getComputedStyle(part).opacity) * opacity(part.parentNode);
    const mixed = (color, share, ground) => rgb(color).slice(0, 3)
        .map((value, index) => share * value + (1 - share) * ground[index]);
    // What is behind a word: bars, boxes and discs that hold its middle, one on the other.
    const ground = part => {
        const { left, right, top, bottom } = box(part);
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        return [...plot.querySelectorAll("svg rect, svg circle")]
            .filter(one => getComputedStyle(one).fill.startsWith("rgb"))
            .filter(one => {
                const at = box(one);
                return at.left < x && x < at.right && at.top < y && y < at.bottom;
            })
            .reduce((under, one) => {
                const { fill, fillOpacity } = getComputedStyle(one);
                return mixed(fill, Number(fillOpacity) * opacity(one), under);
            }, paper.slice(0, 3));
    };
    const contrast = part => {
        const under = ground(part);
        const ink = mixed(getComputedStyle(part).fill, opacity(part), under);
        const [low, high] = [luminance(ink), luminance(under)].sort((a, b) => a - b);
        return Math.round(100 * (high + 0.05) / (low + 0.05)) / 100;
    };
    const words = [...plot.querySelectorAll("svg text")]
        .filter(part => part.textContent.trim() && box(part).width && box(part).height)
        .filter(part => getComputedStyle(part).visibility !== "hidden")
        .filter(part => getComputedStyle(part).stroke === "none")  // no halo around words
        .map(part => ({
            said: part.textContent, contrast: contrast(part), ...box(part).toJSON(),
        }));
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
    const faint = words.filter(a => a.contrast < 4.5).map(a => `${a.said}: ${a.contrast}`);
    // A curve and the simulated points beside it are one, and have one colour. Bars are no curves,
    // nor are the dots of a data set, which have no intervals; what is grey is not strong.
    const { line } = figureOf().drawing;
    const curves = (line?.readings ?? []).filter(one => !one.key && one.at && one.color)
        .filter(one => !one.color.includes(aside));
    const name = ({ said }) => said.find(Boolean)?.split(":")[0];
    const strong = [...new Map(curves.map(one => [one.color, name(one)])).values()];
    const all = document.querySelector(".all-labels[aria-checked=true]");
    const many = !all && strong.length > 2 ? strong : [];
    const content = document.querySelector(".stMainBlockContainer h1")
        .closest(".stVerticalBlock").clientWidth;
    const ends = Object.entries(line?.scales ?? {}).filter(([name]) => name[0] === "x")
        .flatMap(([, [, , start, end]]) => [start, end]);
    const wide = ends.length ? Math.max(...ends) - Math.min(...ends) : content;
    const share = Math.round(100 * wide / content);
    const narrow = share < 60 && innerWidth >= 1280 ? [`${share} %`] : [];
    const near = (part, wanted) => part.closest(wanted)
        ?? (part.getRootNode().host && near(part.getRootNode().host, wanted));
    const seen = part => part.checkVisibility() && !near(part, "details:not([open])");
    const controls = [...document.querySelectorAll(".st-key-controls [class*=st-key-control-]")]
        .filter(seen).map(part => part.className.match(/st-key-control-(\\w+)/)[1]);
    const within = root => [...root.querySelectorAll("*")]
        .flatMap(part => part.shadowRoot ? [part, ...within(part.shadowRoot)] : [part]);
    const stops = within(document)
        .filter(part => part.matches("a[href], button, input, summary, [tabindex]"))
        .filter(part => part.tabIndex >= 0 && !part.disabled && (part.matches("summary")
            ? seen(part.parentNode.parentNode) : seen(part)));
    const own = ".st-key-controls, .here-handle, .pull, .dpviz-stage button, "
        + ".read-by-keys, .st-key-further";
    const first = stops.findIndex(part => near(part, own));
    const faults = {
        overlapping, clipped, cut, sideways, "below the window": below, faint,
        "strong curves": many, "narrow plot": narrow,
        "controls in sight": controls.length > 3 ? controls : [],
        "stops to the first control": first > 8 ? [first] : [],
    };
    const limited = {
        "strong curves": strong.length, "controls in sight": controls.length,
        "stops to the first control": first,
        "contrast": Math.min(...words.map(a => a.contrast)), "percent of the width": share,
    };
    // What a reader has to look through before anything is scrolled, but for words in the figure.
    const inWindow = part => {
        const { width, height, bottom, top, left, right } = part.getBoundingClientRect();
        const beside = right > 0 && left < innerWidth;
        return width && height && bottom > 0 && top < innerHeight && beside;
    };
    const texts = within(document.body)
        .filter(part => !part.closest("svg, script, style, template"))
        .filter(part => [...part.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
        .filter(part => seen(part) && inWindow(part) && getComputedStyle(part).opacity > 0)
        .filter(part => getComputedStyle(part).visibility === "visible"
            && getComputedStyle(part).clipPath === "none");
    const told = texts.flatMap(part => [...part.childNodes]
        .filter(node => node.nodeType === 3).flatMap(node => node.data.match(/\\S+/g) ?? []));
    const count = wanted => within(document.body)
        .filter(part => part.matches(wanted) && seen(part) && inWindow(part)).length;
    const first_screen = {
        words: told.length, tabs: count("[role=tab], .views a"),
        buttons: count("button:not([role=tab]), summary, [role=switch]:not(button)"),
    };
    return [faults, limited, first_screen];
}"""
)
_WORST = {
    "strong curves": max,
    "controls in sight": max,
    "stops to the first control": max,
    "contrast": min,
    "percent of the width": min,
}


def main() -> None:
    """Print what was counted, in all and view by view."""
    arguments = _arguments()
    if arguments.sheets:
        arguments.sheets.mkdir(parents=True, exist_ok=True)
    asked = [(declared.slug, view.key) for _, declared, view in views(arguments.only)]
    if arguments.present:  # the home page is not presented
        asked = [view for view in asked if view[0]]
    windows = [window for window in WINDOWS if window[0] in arguments.widths]
    windows = [WINDOWS[0]] if arguments.present else windows
    opened = _presented if arguments.present else partial(_sizes, windows)
    totals = {window: Counter[str]() for window in windows}
    limited = {window: dict[str, tuple[float, str]]() for window in windows}
    screens: dict[tuple[int, str], list[tuple[int, str]]] = {}
    seen: dict[str, list[Image.Image]] = {}
    with app(arguments.address) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        with Reader.at(browser, address, *WINDOWS[0]) as reader:
            for slug, key in asked:
                for width, height in opened(reader, slug, key):
                    reader.page.keyboard.press("Tab")  # makes a row of views one stop
                    faults, values, first = reader.page.evaluate(_COUNT, "--ink-aside")
                    for name, count in first.items():
                        screens.setdefault((width, name), []).append((count, f"{slug}/{key}"))
                    worst = limited[width, height]
                    for name, value in values.items():
                        one = (value, f"{slug}/{key}")
                        worst[name] = _WORST[name](worst.get(name, one), one)
                    for name, found in faults.items():
                        totals[width, height][name] += len(found)
                        if found:
                            print(f"{slug}/{key} {width}: {name}: {found}", flush=True)
                    if arguments.sheets:
                        kept = arguments.sheets / f"{slug}-{key}-{width}.png"
                        seen.setdefault(f"{width}", []).append(_picture(reader.page, kept))
                if not arguments.sheets or arguments.present:
                    continue
                reader.page.emulate_media(color_scheme="dark")
                dark = [window for window in windows if window[0] in _DARK]
                for width, _ in _sizes(dark, reader, slug, key):
                    kept = arguments.sheets / f"{slug}-{key}-{width}-dark.png"
                    seen.setdefault(f"{width}-dark", []).append(_picture(reader.page, kept))
                reader.page.emulate_media(color_scheme="light")
        browser.close()
    for window, counted in totals.items():
        print(window, dict(counted), limited[window])
    for (width, name), counts in screens.items():
        median = statistics.median(count for count, _ in counts)
        print(f"first screen, {width}: {name}: median {median:g}, most {max(counts)}")
    for name, pictures in seen.items():
        for number in range(0, len(pictures), _A_SHEET):
            sheet = _sheet(pictures[number : number + _A_SHEET])
            sheet.save(arguments.sheets / f"sheet-{name}-{number // _A_SHEET}.png")


def _sizes(
    windows: Sequence[tuple[int, int]], reader: Reader, slug: str, key: str
) -> Iterator[tuple[int, int]]:
    """Open a view, and yield each size of the window once the page has taken its shape."""
    for number, (width, height) in enumerate(windows):
        reader.page.set_viewport_size({"width": width, "height": height})
        if not number:
            reader.open(slug, {"view": key} if len(page(slug).views) > 1 else "")
        reader.frames(3)
        reader.settle()
        reader.page.wait_for_selector(_DRAWN)
        reader.page.wait_for_function(_FITS)
        reader.steady(reader.stage)
        yield width, height


def _presented(reader: Reader, slug: str, key: str) -> Iterator[tuple[int, int]]:
    """Open a view as a class sees it, and yield the size of the window."""
    reader.page.goto(f"{reader.address}/{slug}?view={key}&present=1")
    reader.page.wait_for_selector(".st-key-step-leave")
    reader.page.wait_for_selector(_DRAWN)
    reader.frames(3)
    reader.steady(reader.stage)
    yield WINDOWS[0]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", nargs="+", default=[""], help="views with such a part in page/view"
    )
    parser.add_argument("--address", default="", help="of a server that runs already")
    parser.add_argument("--widths", type=int, nargs="*", default=[width for width, _ in WINDOWS])
    parser.add_argument("--present", action="store_true", help="on a projector")
    parser.add_argument("--sheets", type=Path, help="a folder for pictures")
    return parsed(parser, only=["shared_darts/board"], widths=[390])


def _picture(page: Page, kept: Path) -> Image.Image:
    """Return what is seen, small; and keep it as it is."""
    kept.write_bytes(page.screenshot())
    picture = Image.open(kept).convert("RGB")
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
