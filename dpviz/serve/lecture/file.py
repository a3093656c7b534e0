"""The file of a lecture: one page of HTML with all in it, packed."""

import base64
import gzip
import time
from collections.abc import Callable
from html import escape
from pathlib import Path

import orjson

from dpviz.plot.standalone import font_face
from dpviz.plot.theme import LIGHT
from dpviz.scene.lectures import Lecture
from dpviz.serve import bundles, scripts
from dpviz.serve.computing import Progress
from dpviz.serve.lecture.scenes import Allowance, begun, handout, opened, scene_data
from dpviz.serve.topics import Topics

LARGEST = 5_900_000  # bytes of a file
_SPARE = 0.8  # of the room for figures that their sizes, each by itself, may add up to
_PACKING = 9
_OPENING = 0.3  # of the progress bar that belongs to the figures with which scenes open

Tell = Callable[[float, str], None]

_HERE = Path(__file__).parent
_UI = _HERE.parents[1] / "ui"  # the browser's halves of the app, which the file carries along


def made(
    lecture: Lecture,
    topics: Topics,
    *,
    site: str,
    seconds: float,
    tell: Tell = lambda *_: None,
    enough: Callable[[], bool] = lambda: False,
) -> bytes:
    """Return the file of a lecture.

    First come all figures with which scenes open, then those that their controls can reach.
    site: where its links lead, ending in "/". seconds: for all of it; where scenes have taken them
    before all of them open, their controls move nothing. tell: gets
    how far it is, from 0 to 1, and in words; it may raise to stop. enough: whether what there is
    has to do, once all scenes open. Raises `dpviz.scene.lectures.LectureError`.
    """
    end = time.monotonic() + seconds
    shell, count = _page(lecture), len(lecture.scenes)
    steps, openings, handouts = [], list[Progress](), list[dict[str, str]]()
    for number, step in enumerate(lecture.scenes):
        tell(
            _OPENING * number / count, f"The figure with which scene {number + 1} of {count} opens."
        )
        scene = opened(step, topics)
        openings.append(begun(step, scene))  # computed once for all that shows it
        handouts.append(handout(step, scene, openings[-1], site))
        steps.append((step, scene))
    room, scenes = LARGEST - len(shell) - len(_packed(handouts)), list[str]()
    for number, ((step, scene), opening) in enumerate(zip(steps, openings, strict=True)):

        def far(part: float, before: int = number) -> None:
            words = f"What the controls of scene {before + 1} of {count} can reach."
            tell(_OPENING + (1 - _OPENING) * (before + part) / count, words)

        left = count - number
        until = (end - time.monotonic()) / left
        allowance = Allowance(until, int(_SPARE * 3 / 4 * room / left), enough)
        scenes.append(_packed(scene_data(step, scene, opening, allowance, far)))
        room -= len(scenes[-1])
    parts = [f'<script type="text/plain" class="scene">{text}</script>\n' for text in scenes]
    parts.append(f'<script type="text/plain" id="handouts">{_packed(handouts)}</script>\n')
    return shell.replace("<!-- scenes -->", "".join(parts), 1).encode()


def _page(lecture: Lecture) -> str:
    """Return the file without its scenes."""
    faces = font_face("sans.woff2") + font_face("serif.woff2", "dpviz Serif")
    style = faces + _text(_UI / "stage.css") + _text(_HERE / "player.css")
    for name in ("background", "text", "muted", "grid"):
        style = style.replace(f"var(--{name})", getattr(LIGHT, name))
    controls = _UI / "controls"
    parts = {
        "/* style */": style,
        "<!-- range -->": _text(controls / "range_control.html"),
        "/* range */": _text(controls / "range_control.css"),
        "<!-- stage -->": _text(_UI / "stage.html"),
        "<!-- plotly -->": _encoded(bundles.plotly().read_bytes()),
        "/* modules */": import_map("stage.js", "range_control.js"),
        "/* script */": _bare(_text(_HERE / "player.js")),
        "<!-- title -->": escape(lecture.title),  # last: a title may name any of these places
    }
    page = _text(_HERE / "player.html")
    for place, text in parts.items():
        page = page.replace(place, text)
    return page


def import_map(*names: str) -> str:
    """Return what tells a page where modules and all that they import are: in itself.

    Browsers load no module from a file beside the page, but they do from an address that holds it.
    """
    held = {name: _bare(scripts.modules()[name]) for name in scripts.needed(*names)}
    addresses = {
        name: f"data:text/javascript;base64,{base64.b64encode(text.encode()).decode()}"
        for name, text in held.items()
    }
    return orjson.dumps({"imports": addresses}).decode()


def _bare(script: str) -> str:
    """Return a module that imports others by their names: next to such an address nothing lies."""
    return scripts.IMPORT.sub(r'"\1"', script)


def _packed(value: object) -> str:
    return _encoded(orjson.dumps(value))


def _encoded(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, _PACKING, mtime=0)).decode()


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
