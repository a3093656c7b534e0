"""How views look while a finger drags on a slow phone: python -m benchmarks.touches FOLDER.

For every view: 390 pixels wide, a touch screen, the processor slowed down four times. A finger
moves the view's first slider; pictures are taken on the way and one when all is at rest, and laid
side by side, a row for each view, on sheets in the folder. Beside that it tells what a picture may
hide: frames without any curve, and by how many pixels the slider jumped under the finger.
"""

import argparse
import io
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import CDPSession, sync_playwright

from benchmarks.app import app
from benchmarks.dragging import Course, courses, reading
from benchmarks.options import parsed
from tests.support.chromium import FLAGS, chromium_path
from tests.support.reader import Reader

_SLOWER = 4
_PARTS = (0.35, 0.6, 0.9)  # of the slider's length, where pictures are taken
_STEPS = 5  # of the finger, from one to the next
_PAUSE = 60  # milliseconds between two steps
_SHRUNK = 240  # pixels of a picture on a sheet
_ROWS = 4  # views on a sheet
_COUNT = """slider => {
    const seen = window.seen = { blank: 0, frames: 0, jumped: 0 };
    const top = slider.getBoundingClientRect().top;
    const shown = part => part.getClientRects().length;
    const look = () => {
        const stage = document.querySelector(".dpviz-stage");
        const kinds = ".plot > svg, .main-svg :is(.trace, .hm), canvas, svg.marks";
        const drawn = [...stage.querySelectorAll(kinds)];
        seen.frames += 1;
        seen.blank += !drawn.some(shown);
        seen.jumped = Math.max(seen.jumped, Math.abs(slider.getBoundingClientRect().top - top));
        requestAnimationFrame(look);
    };
    look();
}"""


def chosen(only: list[str]) -> Iterator[Course]:
    """Yield the first slider in sight of every view whose name contains one of these parts."""
    seen = set()
    for course in courses(only):
        name = f"{course.page.slug or 'home'}/{course.view.key}"
        folded = course.number.key not in course.view.in_sight
        if name in seen or folded:
            continue
        seen.add(name)
        yield course


def drag(reader: Reader, course: Course) -> tuple[list[Image.Image], dict[str, float]]:
    """Drag the slider; return pictures on the way and at rest, and what was counted."""
    course.open(reader)
    slider = reader.slider(course.number.key)
    slider.evaluate("slider => slider.scrollIntoView({ block: 'end' })")  # clear of the figure
    session = reader.page.context.new_cdp_session(reader.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
    slider.evaluate(_COUNT)
    box = slider.bounding_box()
    assert box is not None
    height, at, pictures = box["y"] + box["height"] / 3, 0.05, []

    def along(part: float) -> float:
        return box["x"] + box["width"] * part

    _touch(session, "touchStart", along(at), height)
    for part in _PARTS:
        for step in range(1, _STEPS + 1):
            _touch(session, "touchMove", along(at + (part - at) * step / _STEPS), height)
            reader.page.wait_for_timeout(_PAUSE)
        at = part
        pictures.append(_picture(reader))
    counted = reader.page.evaluate("seen")
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    reader.settle()
    pictures.append(_picture(reader))
    return pictures, counted


def _touch(session: CDPSession, kind: str, x: float, y: float) -> None:
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})


def _picture(reader: Reader) -> Image.Image:
    picture = Image.open(io.BytesIO(reader.page.screenshot())).convert("RGB")
    return picture.resize((_SHRUNK, round(picture.height * _SHRUNK / picture.width)))


def _sheet(rows: list[tuple[str, list[Image.Image]]]) -> Image.Image:
    height = max(picture.height for _, pictures in rows for picture in pictures)
    per_row = len(_PARTS) + 1
    sheet = Image.new("RGB", (2 * per_row * _SHRUNK, -(-len(rows) // 2) * height), "white")
    for number, (name, pictures) in enumerate(rows):
        row, half = divmod(number, 2)
        for column, picture in enumerate(pictures):
            sheet.paste(picture, ((half * per_row + column) * _SHRUNK, row * height))
        corner = (half * per_row * _SHRUNK + 2, row * height + 2)
        ImageDraw.Draw(sheet).text(corner, name, fill="red")
    return sheet


def main() -> None:
    """Drag, count, and save the sheets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--only", nargs="+", default=[""], help="views with such a part in page/view"
    )
    parser.add_argument("--address", default="", help="of a server that runs already")
    options = parsed(parser, only=["shared_darts/board"])
    rows: list[tuple[str, list[Image.Image]]] = []
    sheets = 0
    with app(options.address) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        courses_left = list(chosen(options.only))
        with reading(browser, address, phone=True) as reader:
            for number, course in enumerate(courses_left, 1):
                pictures, counted = drag(reader, course)
                summary = ", ".join(f"{name} {value:.0f}" for name, value in counted.items())
                print(f"{course!s:<44} {summary}", flush=True)
                rows.append((str(course), pictures))
                if len(rows) == _ROWS or number == len(courses_left):
                    _sheet(rows).save(options.folder / f"{sheets}.png")
                    rows, sheets = [], sheets + 1


if __name__ == "__main__":
    main()
