"""How figures stand with sliders at their ends: python -m benchmarks.ends.

Puts the drawing of every view into a real browser, in the fonts of the app, at its defaults and
with each slider at both of its ends, one at a time, and counts what is wrong inside it (see
marks.js), with the labels that a page shows, or with all of them. Each is drawn for a page of that
width: the defaults as far as a page computes by itself, the rest from a shorter computation, once
for all the widths named. With --sheets FOLDER
it saves what was seen, ten figures a sheet; with --defaults it leaves sliders where they are.
"""

import argparse
import io
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import Page, sync_playwright

from benchmarks.options import parsed
from benchmarks.views import views
from dpviz.plot.schemes import variables
from dpviz.results.folders import ASSETS, ROOT
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Number, Seed
from dpviz.scene.scene import Scene
from dpviz.serve import lines
from dpviz.serve.computing import Computation, Progress
from dpviz.serve.lines import Look, stepped
from tests.support.chromium import FLAGS, chromium_path
from tests.support.declarations import opened

# The width of a figure's place at the width of a window or on a projector, and how it is drawn.
PLACES = {
    name: (wide, replace(look, width=stepped(wide)))
    for name, wide, look in (
        ("1280", 898, Look(low=460)),
        ("1440", 1058, Look(low=640)),
        ("1024", 642, Look(low=500)),
        ("390", 358, Look(narrow=True)),
        ("present", 898, Look(room=410)),
    )
}
_SECONDS = 0.3  # of processor time a figure with a slider at an end
_A_SHEET, _SHRUNK = 10, 390  # figures on a sheet, and the width of each in pixels

_SHELL = """<!doctype html><meta charset="utf-8"><style>
@font-face {{ font-family: "Source Sans"; src: url({fonts}/sans.woff2); font-weight: 100 900 }}
@font-face {{ font-family: "Source Sans"; src: url({fonts}/sans-italic.woff2); font-style: italic;
    font-weight: 100 900 }}
{variables}
:root {{ color-scheme: {scheme} }}
body {{ font: 16px "Source Sans"; margin: 16px; width: {wide}px; color: var(--ink-text);
    background: var(--ink-background) }}
#told {{ font-size: 1.3rem; line-height: 1.4; margin: 0 0 .5rem }}
{css}
</style><p id="told"></p><div class="dpviz-stage"><div class="plot"></div></div>
<div id="legend"></div>"""
_DRAW = """async ({ takeaway, legend, svg }) => {
    document.querySelector("#told").innerHTML = takeaway;
    document.querySelector("#legend").innerHTML = legend;
    const plot = document.querySelector(".plot");
    plot.innerHTML = svg;
    const drawing = plot.firstElementChild; // as drawing.js puts it into a page
    drawing.setAttribute("preserveAspectRatio", "none");
    drawing.setAttribute("style", `height: ${drawing.getAttribute("height")}px`);
    await document.fonts.ready;
}"""
_MARKS = (Path(__file__).with_name("marks.js")).read_text(encoding="utf-8").split("\n\n", 1)[1]
_COUNT = f"known => ({_MARKS})(document.querySelector('.plot'), known)"


def main() -> None:
    """Print what was counted, view by view and in all."""
    arguments = _arguments()
    totals: dict[str, Counter[str]] = {width: Counter() for width in arguments.width}
    pictures: dict[str, list[Image.Image]] = {width: [] for width in arguments.width}
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        places = {}
        for width in arguments.width:
            wide, look = PLACES[width]
            look = replace(look, labels=arguments.labels)
            tab = browser.new_page(viewport={"width": wide + 32, "height": 200})
            file = _shell(Path(folder) / f"{width}.html", wide, dark=arguments.dark)
            tab.goto(file.as_uri())
            places[width] = (tab, look)
        for name, scene in _states(arguments.only):
            if arguments.defaults and "=" in name:
                continue
            seconds = _SECONDS if "=" in name else scene.view.first_seconds
            progress = _progress(scene, seconds)
            if isinstance(progress, str):
                print(f"{name}: {progress}")
                continue
            for width, (tab, look) in places.items():
                said = _line(scene, look, progress)
                tab.evaluate(_DRAW, said)
                faults = tab.evaluate(_COUNT, {key: said[key] for key in ("scales", "readings")})
                if "=" in name:  # at an end a curve may well be level
                    del faults["level"]
                totals[width].update({fault: len(found) for fault, found in faults.items()})
                totals[width]["figures"] += 1
                for fault, found in faults.items():
                    if found:
                        print(f"{name} {width}: {fault}: {found}", flush=True)
                if arguments.sheets:
                    pictures[width].append(_picture(tab, name))
        browser.close()
    for width, counted in totals.items():
        print(width, dict(counted))
        for number in range(0, len(pictures[width]), _A_SHEET):
            file = arguments.sheets / f"{width}-{number // _A_SHEET:03}.png"
            _sheet(pictures[width][number : number + _A_SHEET]).save(file)


def _states(only: list[str]) -> Iterator[tuple[str, Scene]]:
    """Yield every view at its defaults, then with each slider at either end; named."""
    for name, declared, view in views(only):
        scene = opened(declared, view.key)
        yield name, scene
        idle = scene.idle
        for key in view.parameters:
            parameter = scene.parameter(key)  # with the ends that its control has here
            if key in idle or isinstance(parameter, Seed) or not isinstance(parameter, Number):
                continue
            for end in (parameter.limit.grid[0], parameter.limit.grid[-1]):
                moved = int(end) if parameter.limit.integer else end
                values = {**scene.values, key: moved}
                yield f"{name} {key}={parameter.write(end)}", Scene.opened(declared, values)


def _progress(scene: Scene, seconds: float) -> Progress | str:
    """Return how far a view has come after so many seconds of computation, or why it is refused."""
    computation = Computation(scene)
    try:
        computation.advance()
        while not computation.whole and computation.spent < seconds:
            computation.advance()
    except ParameterError as error:
        return str(error)
    assert computation.progress is not None, "a view that computes nothing"
    return computation.progress


def _line(scene: Scene, look: Look, progress: Progress) -> dict[str, Any]:
    """Return what the figure route answers."""
    view = lines.adapted(scene, look)
    return dict(json.loads(lines.line(view, progress.result, look, whole=progress.whole)))


def _shell(file: Path, wide: int, *, dark: bool) -> Path:
    """Write the page on which figures are drawn one after the other."""
    text = _SHELL.format(
        fonts=(ASSETS / "fonts").as_uri(),
        css=(ROOT / "dpviz" / "ui" / "stage.css").read_text(encoding="utf-8"),
        variables=variables(),
        scheme="dark" if dark else "light",
        wide=wide,
    )
    file.write_text(text, encoding="utf-8")
    return file


def _picture(tab: Page, name: str) -> Image.Image:
    """Return what is seen, small, under its name."""
    picture = Image.open(io.BytesIO(tab.screenshot(full_page=True))).convert("RGB")
    high = round(picture.height * _SHRUNK / picture.width)
    framed = Image.new("RGB", (_SHRUNK + 4, high + 16), "white")
    framed.paste(picture.resize((_SHRUNK, high), Image.Resampling.LANCZOS), (0, 16))
    ImageDraw.Draw(framed).text((2, 2), name, fill="black")
    return framed


def _sheet(pictures: list[Image.Image]) -> Image.Image:
    wide, high = (max(getattr(one, side) for one in pictures) for side in ("width", "height"))
    across = _A_SHEET // 2
    sheet = Image.new("RGB", (across * wide, 2 * high), "white")
    for number, picture in enumerate(pictures):
        row, column = divmod(number, across)
        sheet.paste(picture, (column * wide, row * high))
    return sheet


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", default=["1280"], nargs="+", choices=PLACES, help="of windows")
    parser.add_argument("--labels", default="few", choices=("few", "all"), help="as on a page")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument(
        "--only", nargs="+", default=[""], help="views with such a part in page/view"
    )
    parser.add_argument("--defaults", action="store_true", help="no slider is moved")
    parser.add_argument("--sheets", type=Path, help="a folder for pictures")
    return parsed(parser, only=["shared_darts/board"])


if __name__ == "__main__":
    main()
