"""Looks at all pages of a book: python -m benchmarks.book_pages FOLDER [--live ADDRESS].

Opens each from disk without a network, at a laptop and at a phone, in the light and, every fifth,
in the dark, and lists what axe finds, what a script complains of, what is wider than the screen,
what links lead nowhere, and how many bytes a page takes, as a host packs them: that of its first
figure, all until the figure moves, and that with the fonts, which no movement waits for.
"""

import argparse
import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.options import parsed
from tests.support.axe import violations
from tests.support.chromium import FLAGS, chromium_path
from tests.support.links import broken

_WIDTHS = (1280, 390)
_DARK = 5  # every so many-th page in the dark, too
_AT_REST = """() => document.querySelector("#scene") === null
    || document.querySelector(".dpviz-stage").dataset.state === "rest" """
_WIDE = "() => document.documentElement.scrollWidth - innerWidth"
_OWN = re.compile(r'(?:href|src)="(?:\.\./)?(own/[^"]+)"')
_FIRST = re.compile(r'data-first="([^"]+)"')


def packed(file: Path) -> int:
    """Return how many bytes a host sends of a file: what is packed already, as it is."""
    content = file.read_bytes()
    return len(content) if file.suffix == ".woff2" else len(gzip.compress(content, 9))


def sizes(folder: Path, page: Path) -> tuple[int, int, int]:
    """Return the bytes of a page with its first figure, all until it moves, and with fonts."""
    text, alone = page.read_text(encoding="utf-8"), packed(page)
    first = _FIRST.search(text)
    if first is None:
        return alone, alone, alone
    files = [folder / name for name in _OWN.findall(text)] + [folder / "held" / f"{first[1]}.js"]
    moves = alone + sum(map(packed, files))
    return alone, moves, moves + sum(map(packed, (folder / "own").glob("*.woff2")))


def faults(browser: Browser, pages: list[Path], width: int, *, dark: bool) -> Iterator[str]:
    """Yield what is at fault on pages at a width."""
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if dark else "light",
        offline=True,
    )
    tab = context.new_page()
    said: list[str] = []
    tab.on("pageerror", lambda error: said.append(str(error)))
    for page in pages:
        said.clear()
        tab.goto(page.absolute().as_uri())
        tab.wait_for_function(_AT_REST)
        wider = tab.evaluate(_WIDE)
        found = [*said, *violations(tab), *([f"{wider} px too wide"] if wider > 0 else [])]
        yield from (f"{width}{' dark' * dark} {page}: {fault}" for fault in found)
    context.close()


def main() -> None:
    """Look at the book that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--live", default="", help="the address of the app, as it was built")
    options = parsed(parser)
    folder: Path = options.folder
    pages = sorted(folder.rglob("*.html"))
    for fault in broken(folder, options.live):
        print("leads nowhere:", fault)
    both = {page: sizes(folder, page) for page in pages}
    for number, name in enumerate(("first figure", "until it moves", "with the fonts")):
        largest = sorted(pages, key=lambda page: -both[page][number])[:3]
        told = ", ".join(
            f"{page.relative_to(folder)} {both[page][number] / 1e3:.0f} kB" for page in largest
        )
        print(f"{name}: {told}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        for width in _WIDTHS:
            for fault in faults(browser, pages, width, dark=False):
                print(fault, flush=True)
            for fault in faults(browser, pages[::_DARK], width, dark=True):
                print(fault, flush=True)
        browser.close()
    print(f"{len(pages)} pages looked at")


if __name__ == "__main__":
    main()
