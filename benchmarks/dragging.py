"""How well figures follow a slider, measured in a real browser: python -m benchmarks.dragging.

For every number of every view: the figures a reader sees in a second while the slider moves over
its whole range, the faster the fewer values it has, and the time from letting go to the last
figure, told apart for views that compute long. Then random drags, after each of which field,
address and figure have to tell the same, namely where the drag ended. With --phone a finger
moves on a small touch screen, and with --slow 4 the browser's processor is four times as slow. With
--old every slider of another checkout is moved first, in the same run, if it has it.

A screen paints 60 times a second, and no more figures are seen on it whatever they cost. With
--free the browser paints as often as it can, and the hand goes to and fro and reports 125 times a
second, as mice do at most: then figures a second are what server, way and browser manage together.
What a figure costs is told in processor milliseconds, of all processes of the browser (the hand's
events and the slider among them) and of the server.

A mouse does not wait until a page has answered its last movement, and nor does this hand: it tells
the browser of its movements and hears nothing. One that waits moves with every other frame at most.
"""

import argparse
import itertools
import json
import statistics
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from playwright.sync_api import Browser, expect, sync_playwright
from websockets.sync.client import ClientConnection, connect

from benchmarks import processor
from benchmarks.app import app
from benchmarks.options import parsed
from benchmarks.views import pages
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Number, Seed, Value, decode, encode
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from dpviz.serve.computing import Computation
from dpviz.ui.server import prepare
from tests.browser.conftest import running_app
from tests.support.chromium import FLAGS, chromium_path
from tests.support.declarations import state_showing
from tests.support.ports import own_ports
from tests.support.reader import Reader

# Seconds: a mouse reports about as often as the screen is painted.
_BETWEEN_MOVES = 0.014
_FREE_MOVES = 0.008  # where the screen sets no pace
_UNFOLDING = 1000  # milliseconds
_LONG = 0.1  # processor seconds from which a whole figure is a long computation
_GOAL = 10  # figures a second, of a slider that has so many values
_PASSED = 60  # values a second that a hand passes at least: there are no more figures than values
_PATIENCE = 20_000  # milliseconds, for a figure after a random drag to say what it must
_SHORTEST = 0.5  # seconds of a sweep
_FREE = ["--disable-frame-rate-limit", "--disable-gpu-vsync"]  # paint without a screen's pace

# Notes how many figures came into sight, each of another value than the one before, and when the
# last of them did.
WATCH = """() => {
    const stage = document.querySelector(".dpviz-stage");
    const seen = window.seen = {figures: 0, last: "", at: 0, released: 0};
    new MutationObserver(() => {
        seen.figures += stage.dataset.query !== seen.last;
        seen.last = stage.dataset.query;
        seen.at = performance.now();
    }).observe(stage, {attributeFilter: ["data-number"]});
    addEventListener("pointerup", () => { seen.released = performance.now(); }, true);
}"""


@dataclass(frozen=True)
class Course:
    """A slider on a view of a page, in the state `values` that shows it."""

    page: Page
    view: View
    number: Number
    values: Mapping[str, Value]

    def __str__(self) -> str:
        return f"{self.page.slug or 'home'}/{self.view.key} {self.number.key}"

    @property
    def end(self) -> float:
        """Where the slider ends, which is short of the range where a page has no use for more."""
        return self.grid[-1]

    @property
    def grid(self) -> Sequence[float]:
        """The values that the slider has."""
        here = Scene.opened(self.page, self.values).parameter(self.number.key)
        assert isinstance(here, Number)
        return here.slider.grid

    def open(self, reader: Reader) -> bool:
        """Open the view with the slider in sight; return whether there is one."""
        reader.open(self.page.slug, encode(self.values, self.page.url_parameters))
        reader.figure()
        if self.number.key not in self.view.in_sight:
            reader.open_fold("fold-controls")
            reader.page.wait_for_timeout(_UNFOLDING)
        slider = reader.slider(self.number.key)
        if not slider.count():
            return False
        slider.scroll_into_view_if_needed()
        return True


def courses(only: Sequence[str]) -> Iterator[Course]:
    """Yield every slider whose name, as "page/view key", contains one of these parts."""
    for declared in pages(only):
        for view in declared.views:
            for key in view.parameters:
                parameter = declared.parameter(key)
                if isinstance(parameter, Number) and not isinstance(parameter, Seed):
                    values = state_showing(declared.slug, key, view.key)
                    if values is None:
                        continue
                    course = Course(declared, view, parameter, values)
                    if any(part in str(course) for part in only):
                        yield course


@dataclass(frozen=True)
class Sweep:
    """How a hand moves: seconds in all, times over the range, and seconds between two moves."""

    seconds: float
    passes: int = 1
    between: float = _BETWEEN_MOVES

    @classmethod
    def over(cls, course: Course, most: float, *, free: bool) -> "Sweep":
        """Return one that passes 60 values a second at least; `free`, one with each move."""
        values = len(course.grid)
        if not free:
            return cls(min(most, max(values / _PASSED, _SHORTEST)))
        there_and_back = 2 * max(values * _FREE_MOVES, _SHORTEST / 2)
        return cls(most, 1 + 2 * int(most / there_and_back), _FREE_MOVES)

    def places(self) -> Iterator[tuple[float, float]]:
        """Yield when the hand is where, as a part of the range."""
        for due in np.arange(0, self.seconds, self.between):
            course, part = divmod(self.passes * due / self.seconds, 1)
            yield due, 1 - part if course % 2 else part


class Hand:
    """What moves a thumb: a mouse, or a finger on a browser so many times as `slow`."""

    def __init__(self, line: ClientConnection, *, phone: bool, slow: float) -> None:
        self._line, self.phone, self.slow = line, phone, slow
        self._numbers = itertools.count(1)

    @classmethod
    @contextmanager
    def on(cls, reader: Reader, port: int, *, phone: bool, slow: float) -> Iterator["Hand"]:
        """Yield a hand on the page of a browser that listens on `port`."""
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            pages = {one["url"]: one["webSocketDebuggerUrl"] for one in json.load(answer)}
        with connect(pages[reader.page.url], max_size=None) as line:
            yield cls(line, phone=phone, slow=slow)

    def press(self, x: float, y: float) -> None:
        """Touch a point."""
        self._tell("Emulation.setCPUThrottlingRate", rate=self.slow)
        if self.phone:
            self._touch("touchStart", x, y)
        else:
            self._mouse("mouseMoved", x, y, buttons=0)
            self._mouse("mousePressed", x, y)

    def move(self, x: float, y: float) -> None:
        """Go to a point."""
        if self.phone:
            self._touch("touchMove", x, y)
        else:
            self._mouse("mouseMoved", x, y)
        self.at = x, y

    def lift(self) -> None:
        """Let go, and wait until the page knows."""
        if self.phone:
            self._touch("touchEnd")
        else:
            self._mouse("mouseReleased", *self.at)
        last = self._tell("Emulation.setCPUThrottlingRate", rate=1)
        while json.loads(self._line.recv()).get("id") != last:
            pass

    def _mouse(self, kind: str, x: float, y: float, buttons: int = 1) -> None:
        pressed = {"button": "left", "buttons": buttons, "clickCount": 1} if buttons else {}
        self._tell("Input.dispatchMouseEvent", type=kind, x=x, y=y, **pressed)

    def _touch(self, kind: str, *at: float) -> None:
        points = [dict(zip("xy", at, strict=True))] if at else []
        self._tell("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def _tell(self, method: str, **parameters: object) -> int:
        number = next(self._numbers)
        self._line.send(json.dumps({"id": number, "method": method, "params": parameters}))
        return number


@contextmanager
def reading(browser: Browser, address: str, *, phone: bool) -> Iterator[Reader]:
    """Yield a reader at a scheduler, or one with a phone."""
    width, height = (390, 844) if phone else (1280, 1400)
    context = browser.new_context(has_touch=phone, is_mobile=phone)
    with Reader.within(context, address, width, height) as reader:
        yield reader
    context.close()


@dataclass(frozen=True)
class Pace:
    """What a sweep has shown of figures.

    figures: a second. late: milliseconds from letting go to the last one. browser, server:
    processor milliseconds of each for one figure.
    """

    figures: float
    late: float
    browser: float
    server: float


def sweep(reader: Reader, hand: Hand, course: Course, way: Sweep, port: int) -> Pace:
    """Move over the whole range; port: that of the browser."""
    processes = [
        processor.listening("--remote-debugging-port", port),
        processor.listening("--server.port", urlsplit(reader.address).port or 0),
    ]
    box = reader.slider(course.number.key).bounding_box()
    assert box is not None
    reader.page.evaluate(WATCH)
    height = box["y"] + box["height"] / 3
    hand.press(box["x"] + 1, height)
    used = [processor.seconds_of_all(process) for process in processes]
    begin = time.monotonic()
    for due, part in way.places():
        time.sleep(max(begin + due - time.monotonic(), 0))
        hand.move(box["x"] + box["width"] * part, height)
    hand.move(box["x"] + box["width"] + 5, height)
    count = reader.page.evaluate("seen.figures")
    costs = [processor.seconds_of_all(process) for process in processes]
    each = [1e3 * (now - then) / max(count, 1) for now, then in zip(costs, used, strict=True)]
    hand.lift()
    reader.wait_for_query(**{course.number.key: course.number.write(course.end)})
    reader.settle()
    late = reader.page.evaluate("seen.at - seen.released")
    return Pace(count / way.seconds, max(late, 0.0), *each)


def computing(course: Course) -> tuple[float, str]:
    """Return the median processor seconds of a figure's first numbers, over the slider's range.

    And how many of the values tried give different numbers: there may be nothing to follow.
    """
    values = dict(course.values)
    times, outcomes = [], []
    grid = course.grid
    for value in np.random.default_rng(0).choice(grid, min(9, len(grid)), replace=False):
        values[course.number.key] = course.number.read(course.number.write(float(value)), 0)[0]
        start = time.process_time()
        try:
            result = next(Computation(Scene(course.page, course.view, values)).first())
        except ParameterError:
            continue
        times.append(time.process_time() - start)
        outcomes.append(repr({key: c.tolist() for key, c in result.columns().items()}))
    return statistics.median(times), f"{len(set(outcomes))}/{len(outcomes)}"


def finishing(course: Course) -> float:
    """Return the processor seconds of all that a link gives where a sweep ends."""
    end = course.number.write(course.end)
    values = dict(course.values) | {course.number.key: course.number.read(end, 0)[0]}
    start = time.process_time()
    try:
        for _ in Computation(Scene(course.page, course.view, values)).first():
            pass
    except ParameterError:
        pass
    return time.process_time() - start


@dataclass(frozen=True)
class Swept:
    """What a sweep of `seconds` has shown.

    whole: processor seconds of the last figure.
    """

    course: Course
    seconds: float
    shown: Pace
    whole: float

    @property
    def pace(self) -> float:
        """Figures a second."""
        return self.shown.figures

    @property
    def values(self) -> int:
        """How many values the slider has: more figures there cannot be."""
        return len(self.course.grid)

    @property
    def is_slow(self) -> bool:
        """Whether figures lag behind the values."""
        return self.pace < min(_GOAL, 0.9 * self.values / self.seconds)


def report(swept: Sequence[Swept]) -> None:
    """Print what all sweeps have shown together."""
    paces = [one.pace for one in swept]
    many = [one.pace for one in swept if one.values >= _GOAL * one.seconds]
    slow = sum(one.is_slow for one in swept)
    print(f"figures a second: median {np.median(paces):.1f}, least {min(paces):.1f}")
    if many:
        summary = f"median {np.median(many):.1f}, least {min(many):.1f}"
        print(f"  where there are {_GOAL} values a second ({len(many)} sliders): {summary}")
    print(f"  sliders with fewer than {_GOAL} a second, and fewer than their values: {slow}")
    for words, long in (("short computations", False), ("long ones", True)):
        waits = [one.shown.late for one in swept if (one.whole > _LONG) == long]
        if waits:
            summary = f"median {np.median(waits):.0f} ms, p95 {np.quantile(waits, 0.95):.0f} ms"
            print(f"last figure after letting go, {words} ({len(waits)} sliders): {summary}")


def compare(old: Sequence[Swept], new: Sequence[Swept]) -> None:
    """Print what one figure costs, and how many there are in a second, beside the old code's."""
    before = {str(one.course): one.shown for one in old}
    pairs = [(before[str(one.course)], one) for one in new if str(one.course) in before]
    ratios = [one.pace / max(then.figures, 0.1) for then, one in pairs]
    print(f"{len(pairs)} sliders that both have, figures a second, new / old: median")
    print(f"  {np.median(ratios):.2f}, least {min(ratios):.2f}, most {max(ratios):.2f}")
    for part in ("browser", "server"):
        ratios = [getattr(one.shown, part) / max(getattr(then, part), 0.1) for then, one in pairs]
        print(f"processor a figure, {part}, new / old: median {np.median(ratios):.2f}")
    for then, one in pairs:
        if one.pace < then.figures:
            print(f"below the old: {one.course!s:<44} {one.pace:.1f}, old {then.figures:.1f}")


def drag_at_random(reader: Reader, course: Course, rng: np.random.Generator) -> bool:
    """Drag once, in jerks; return whether everything on the page tells where it ended."""
    key = course.number.key
    reader.slider(key).scroll_into_view_if_needed()
    box = reader.slider(key).bounding_box()
    assert box is not None
    mouse, height = reader.page.mouse, box["y"] + box["height"] / 3
    mouse.move(box["x"] + box["width"] * rng.random(), height)
    mouse.down()
    for _ in range(rng.integers(1, 12)):
        mouse.move(box["x"] + box["width"] * rng.uniform(-0.1, 1.1), height + rng.uniform(-99, 99))
        reader.page.wait_for_timeout(float(rng.exponential(40)))
    mouse.up()
    text = reader.number(key)
    reader.wait_for_query(**{key: text})
    values, notes = decode({k: [v] for k, v in reader.query.items()}, course.page.url_parameters)
    *_, result = Computation(Scene(course.page, course.view, values)).first()
    reader.settle()
    figure = reader.stage.locator(".plot")
    detail = (course.view.exactly(result) or course.view.headline(result)).replace("**", "")
    try:
        expect(figure).to_have_attribute("aria-label", detail, timeout=_PATIENCE)
    except AssertionError:
        return False
    return not notes and text == reader.query[key] == reader.number(key)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=3.0, help="the longest sweep")
    parser.add_argument("--drags", type=int, default=100, help="random drags over all sliders")
    parser.add_argument("--every", type=int, default=1, help="measure only each so many-th slider")
    parser.add_argument("--phone", action="store_true", help="a finger on a small touch screen")
    parser.add_argument("--slow", type=float, default=1.0, help="times as slow a browser")
    parser.add_argument("--free", action="store_true", help="without the pace of a screen")
    parser.add_argument("--old", type=Path, help="a checkout to be measured by turns with this one")
    parser.add_argument("--address", default="", help="of a server that runs already")
    parser.add_argument("--only", nargs="+", default=[""], help='with a part of "page/view key"')
    options = parsed(parser, seconds=0.5, drags=2, only=["promise/odds delta"])
    prepare()  # what is computed here is to cost what it costs a server
    chosen = list(courses(options.only))[:: options.every]
    path = chromium_path()
    if path is None or not chosen:
        sys.exit("no Chromium" if path is None else "no such slider")
    port = own_ports()
    with ExitStack() as stack:
        addresses = {"": stack.enter_context(app(options.address))}
        if options.old:
            old = stack.enter_context(running_app(folder=options.old.resolve()))
            addresses = {"old": old} | addresses
        playwright = stack.enter_context(sync_playwright())
        flags = [*FLAGS, f"--remote-debugging-port={port}", *(_FREE if options.free else [])]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        titles = "first      whole  distinct  values  figures/s  last after  browser   server"
        print(f"{'slider':<48}     {titles}")
        swept: dict[str, list[Swept]] = {name: [] for name in addresses}
        for course in chosen:
            way = Sweep.over(course, options.seconds, free=options.free)
            whole = finishing(course)
            seconds, distinct = computing(course)
            known = f"{1e3 * seconds:>6.0f} ms {1e3 * whole:>7.0f} ms {distinct:>9}"
            for name, address in addresses.items():
                with reading(browser, address, phone=options.phone) as reader:
                    if not course.open(reader):
                        continue
                    with Hand.on(reader, port, phone=options.phone, slow=options.slow) as hand:
                        shown = sweep(reader, hand, course, way, port)
                one = Swept(course, way.seconds, shown, whole)
                swept[name].append(one)
                cells = f"{known} {one.values:>7} {shown.figures:>10.1f} {shown.late:>8.0f} ms"
                cells += f"{shown.browser:>7.1f} {shown.server:>8.1f}"
                print(f"{name:<3} {course!s:<44} {cells}", flush=True)
        for name, all_of_it in swept.items():
            print(f"{name or 'this code'}:")
            report(all_of_it)
        if options.old:
            compare(swept["old"], swept[""])
        with reading(browser, addresses[""], phone=options.phone) as reader:
            rng = np.random.default_rng(1)
            right, last = 0, None
            for number in range(options.drags):
                course = chosen[number * len(chosen) // options.drags]
                if course != last:
                    course.open(reader)
                right, last = right + drag_at_random(reader, course, rng), course
            print(f"{right} of {options.drags} random drags ended right")


if __name__ == "__main__":
    main()
