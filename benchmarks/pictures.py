"""The pictures of README and docs, taken in a real browser: ``make pictures`` takes them anew.

`drag.webp` moves: a reader drags the number of answers, and what each frame shows is what the app
drew at that place. The picture of a room is taken by hand, as it needs a class.
"""

import argparse
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from benchmarks.app import app
from benchmarks.options import parsed
from tests.support.chromium import FLAGS, chromium_path
from tests.support.reader import Reader

_SECONDS = 6
_SMALL = (800, 500)  # pixels of the moving picture
_ERRORS = {"view": "errors", "epsilon": "0.1", "delta": "1e-10"}


def main() -> None:
    """Take all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pictures", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--frames", type=int, default=48, help="of the picture that moves")
    parser.add_argument("--address", default="", help="of a server that runs already")
    options = parsed(parser, frames=2)
    folder = options.folder
    with app(options.address) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        with Reader.at(browser, address, 1280, 800) as reader:
            reader.open("bounded_noise", _ERRORS)
            _still(reader, folder / "bounded_noise.png")
            _moving(reader, folder / "drag.webp", options.frames)
            reader.open("bounded_noise", _ERRORS)
            reader.open_evidence("Share")
            reader.key("at-figure").scroll_into_view_if_needed()
            _still(reader, folder / "cite.png")
        with Reader.at(browser, address, 390, 844) as reader:
            reader.open("bounded_noise", _ERRORS)
            _still(reader, folder / "phone.png")
        with Reader.at(browser, address, 1280, 720) as reader:
            reader.page.goto(f"{address}/bounded_noise?view=errors&present=1")
            reader.page.wait_for_selector(".st-key-step-leave")
            _still(reader, folder / "present.png")
            reader.page.goto(f"{address}/reference/dpviz/maths/accounting/calibration.html")
            _save(_shot(reader.page), folder / "reference.png")
        browser.close()


def _shot(page: Page) -> Image.Image:
    return Image.open(BytesIO(page.screenshot())).convert("RGB")


def _save(picture: Image.Image, file: Path) -> None:
    few = picture.quantize(128, dither=Image.Dither.NONE)
    few.save(file, optimize=True)


def _still(reader: Reader, file: Path) -> None:
    reader.figure()
    reader.frames(3)
    reader.steady(reader.stage)
    _save(_shot(reader.page), file)


def _moving(reader: Reader, file: Path, frames: int) -> None:
    """Drag there and back, a picture at each place once its figure is drawn."""
    slider = reader.slider("queries")
    box = slider.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    turn = np.linspace(0, 2 * np.pi, frames, endpoint=False)
    places = box["x"] + box["width"] * (0.55 - 0.4 * np.sin(turn))
    mouse, pictures = reader.page.mouse, []
    mouse.move(places[0], y)
    mouse.down()
    for x in places:
        mouse.move(x, y)
        reader.frames(12)
        pictures.append(_shot(reader.page).resize(_SMALL, Image.Resampling.LANCZOS))
    mouse.up()
    first, *rest = pictures
    each = 1000 * _SECONDS // frames
    first.save(file, save_all=True, append_images=rest, duration=each, loop=0, quality=60, method=6)


if __name__ == "__main__":
    main()
