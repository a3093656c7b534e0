"""The file of a lecture: one page of HTML with all in it, packed."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from html import escape
from pathlib import Path

from dpviz.plot.schemes import variables
from dpviz.plot.standalone import font_face
from dpviz.plot.written import bare, line
from dpviz.scene.lectures import Lecture
from dpviz.serve.lecture import classic
from dpviz.serve.lecture.scenes import opened
from dpviz.serve.lecture.share import Share, Tell, packed
from dpviz.serve.lecture.share_process import ShareProcess
from dpviz.serve.topics import Topics

LARGEST = 5_900_000  # bytes of a file
SECONDS = 25.0  # for all of a lecture; what its scenes open with takes a third of them
_PROCESSES = 2  # at most, for one file

_FOLDER = Path(__file__).parent
_UI = _FOLDER.parents[1] / "ui"  # the browser's halves of the app, which the file carries along


def made(
    lecture: Lecture,
    topics: Topics,
    *,
    site: str,
    seconds: float,
    processes: int = 1,
    tell: Tell = lambda *_: None,
    enough: Callable[[], bool] = lambda: False,
) -> bytes:
    """Return the file of a lecture.

    First come all figures with which scenes open, then those that their controls can reach.
    site: where its links lead, ending in "/". seconds: for all of it; where the machine is so busy
    that its scenes take most of them to open, another third follows. processes: which
    compute every so many-th scene each, one of them this one. tell: gets how far it is, from 0 to
    1, and in words; it may raise to stop. enough: whether what there is has to do, once all scenes
    open. Raises `dpviz.scene.lecture_checks.LectureError`.
    """
    for step in lecture.scenes:
        if not step.is_written:
            opened(step, topics)  # what cannot be is refused before anything is computed
    shell, steps = _page(lecture), dict(enumerate(lecture.scenes, 1))
    count = len(steps)
    shares = []
    for first in range(1, min(processes, count) + 1):
        ours = {number: steps[number] for number in range(first, count + 1, processes)}
        room = (LARGEST - len(shell)) * len(ours) // count
        shares.append(Share(ours, count, site, seconds, room))
    mine, *others = shares
    with ExitStack() as stack:
        beside = [stack.enter_context(ShareProcess(share)) for share in others]

        def far(part: float, words: str) -> None:
            tell((part + sum(one.done for one in beside)) / (1 + len(beside)), words)
            if enough():
                for one in beside:
                    one.hurry()

        found = mine.computed(topics, far, enough)
        for one in beside:
            found |= one.result(lambda: far(1.0, "What the controls of the last scenes can reach."))
    handouts, scenes = zip(*(found[number] for number in steps), strict=True)
    parts = [f'<script type="text/plain" class="scene">{text}</script>\n' for text in scenes]
    parts.append(f'<script type="text/plain" id="handouts">{packed(handouts)}</script>\n')
    return shell.replace("<!-- scenes -->", "".join(parts), 1).encode()


def idle_processors() -> int:
    """Return how many processes may make a file on this machine."""
    return min(_PROCESSES, os.cpu_count() or 1)


def _page(lecture: Lecture) -> str:
    """Return the file without its scenes."""
    faces = font_face("sans.woff2") + font_face("serif.woff2", "dpviz Serif")
    style = faces + variables() + _text(_UI / "stage.css") + _text(_FOLDER / "player.css")
    controls = _UI / "controls"
    parts = {
        "/* style */": style,
        "<!-- range -->": _text(controls / "range_control.html"),
        "/* range */": _text(controls / "range_control.css"),
        "<!-- stage -->": _text(_UI / "stage.html"),
        "/* script */": classic.script(_text(_FOLDER / "player.js")),
        "<!-- title -->": escape(bare(lecture.title)),  # last: a title may name any of these
        "<!-- heading -->": line(lecture.title),
    }
    page = _text(_FOLDER / "player.html")
    for place, text in parts.items():
        page = page.replace(place, text)
    return page


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
