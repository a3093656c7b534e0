"""The scenes of a lecture with all their figures, within so many bytes and seconds."""

import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any
from urllib.parse import urlencode

import orjson
import segno

from dpviz.plot.text import unbroken
from dpviz.plot.written import html, line
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import decode_link, encode
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import TEXT, Lecture, LectureScene, pack
from dpviz.scene.pulled import pulled_in
from dpviz.scene.scene import Scene
from dpviz.serve import files
from dpviz.serve.computing import Progress
from dpviz.serve.lecture.compact import NARROW, both, compact, played
from dpviz.serve.lecture.delta import Difference, columns, difference
from dpviz.serve.lecture.states import described, moved, reachable
from dpviz.serve.lines import Look, adapted, odds
from dpviz.serve.lines import line as figure_line
from dpviz.serve.links import finest
from dpviz.serve.solving import Given, solution_html
from dpviz.serve.topics import Topics

_PATIENCE = 60.0  # seconds for the figure with which a scene opens
_BRIEF = 0.25  # seconds of processor time for each other figure, at least: there are hundreds
_HEIGHT = 460  # pixels of a figure, all of which stands above the bar of a window 720 high
# What a window 1280 wide leaves beside the controls, and a phone.
_LOOKS = (
    Look(room=_HEIGHT, width=900, unplayed=True),
    Look(narrow=True, width=360, unplayed=True),
)
_SHORT = 1500  # bytes, packed, of what a button plays
PLAYED = "frames", f"{NARROW}frames"
"""The names of what a button plays, on a wide page and on a phone."""
_LONGEST_CODED = 1000  # characters: 117 squares a side, which a phone reads from paper


Looks = tuple[Look, Look]
"""How a figure is drawn for a wide window and for a phone."""


@dataclass(frozen=True)
class SceneLimits:
    """What a scene may take: seconds until it ends, and bytes, packed; enough: less will do."""

    seconds: float
    size: int
    enough: Callable[[], bool] = lambda: False


def opened(step: LectureScene, topics: Topics) -> Scene:
    """Return the state in which a scene of a lecture opens."""
    page = topics.page(step.page)
    if page is None:
        raise LectureError(f"There is no page {step.page}.")
    values, _ = decode_link({key: [text] for key, text in step.state.items()}, page.url_parameters)
    scene = Scene.settled(page, values)
    if scene.upload is not None:
        raise LectureError(f"{step.prompt!r} shows a reader's own data, which no file can carry.")
    return scene


def final_line(
    scene: Scene, progress: Progress, look: Look, *, pulled: bool = False
) -> dict[str, Any]:
    """Return what the figure route says of a scene in the end.

    What is not computed to its end says so in its detail: a file can't go on. pulled: whether
    numbers of the sentence can be pulled.
    """
    final: dict[str, Any] = orjson.loads(
        figure_line(
            adapted(scene, look),
            progress.result,
            look,
            whole=progress.whole,
            odds=odds(scene),
            pulled=pulled_in(scene) if pulled and not look.ask else {},
        )
    )
    final["whole"] = True  # nothing finer can come
    if not look.ask:
        parts = {key: (final[key], final["remark"]) for key in ("detail", "exact")}
        final |= {key: " ".join(filter(None, texts)) for key, texts in parts.items()}
    return final


def figure_of(
    scene: Scene, progress: Progress, looks: Looks, *, pulled: bool = False
) -> dict[str, Any]:
    """Return a figure in both looks as files hold it. pulled: see `final_line`.

    Nobody can be chosen in it: there are as many figures as ways to choose.
    """
    wide, narrow = (compact(final_line(scene, progress, look, pulled=pulled)) for look in looks)
    return both(wide, narrow)


def first_figure(
    scene: Scene, progress: Progress, looks: Looks, *, pulled: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the figure with which a scene opens, and what its button plays.

    What is short is in the figure itself: then other states have it as well.
    """
    figure = figure_of(scene, progress, looks, pulled=pulled)
    plays = _plays(scene, progress, looks) if figure["play"] else {}
    return (figure | plays, {}) if packed_size(plays) <= _SHORT else (figure, plays)


def next_figure(
    first: Mapping[str, Any],
    scene: Scene,
    progress: Progress,
    looks: Looks,
    *,
    pulled: bool = False,
) -> Difference:
    """Return in what the figure of another state differs from that with which a scene opens."""
    figure = figure_of(scene, progress, looks, pulled=pulled)
    plays = _plays(scene, progress, looks) if PLAYED[0] in first else {}
    return difference(first, figure | plays if plays else still(figure))


def _plays(scene: Scene, progress: Progress, looks: Looks) -> dict[str, Any]:
    wide, narrow = (final_line(scene, progress, replace(look, frames=True)) for look in looks)
    if not wide["play"]:
        return {}
    return dict(zip(PLAYED, (played(line["frames"]) for line in (wide, narrow)), strict=True))


def still(figure: dict[str, Any]) -> dict[str, Any]:
    """Return a figure without the button that plays it."""
    return {key: part for key, part in figure.items() if key != f"{NARROW}play"} | {"play": None}


def packed_size(value: object) -> int:
    """Return about how many bytes a value takes, packed."""
    return len(zlib.compress(orjson.dumps(value), 1))


def begun(step: LectureScene, scene: Scene) -> Progress:
    """Return what a scene opens with, as a link to it gives it. Raises `LectureError`."""
    progress = finest(scene, _PATIENCE)
    if progress is None:
        raise LectureError(f"The figure of {step.prompt!r} could not be computed in time.")
    return progress.stopped()


def scene_data(
    step: LectureScene,
    scene: Scene,
    opening: Progress,
    limits: SceneLimits,
    report: Callable[[float], None],
) -> dict[str, Any]:
    """Return all that the file knows of a scene.

    opening: what it opens with. report: called with how far it is, from 0 to 1.
    """
    end = time.monotonic() + limits.seconds
    first, plays = first_figure(scene, opening, _LOOKS)
    ask = step.ask and scene.prediction is not None
    states: dict[str, dict[str, Difference]] = {}
    used, steps = 0, list(reachable(scene, step.control))
    for number, (control, value) in enumerate(steps):
        left = end - time.monotonic()
        report(max(number / len(steps), min(1 - left / max(limits.seconds, 1e-9), 1.0)))
        if left <= 0 or used > limits.size or limits.enough():
            break
        text = control.write(value)
        there = _brief(moved(scene, control.key, value), left / (len(steps) - number))
        if (progress := finest(there, left)) is not None:
            change = next_figure(first, there, progress.stopped(), _LOOKS)
            used += packed_size(change)
            states.setdefault(control.key, {})[text] = change
    parameters = {control.key: control for control, _ in steps if control.key in states}
    return {
        "question": entry(step.page).question,
        "title": scene.view.title,
        "prompt": line(unbroken(step.prompt)),
        "notes": html(step.notes, strict=False),
        "query": encode(scene.values, scene.page.parameters),
        "controls": [
            described(control, [control.write(scene.values[key]), *states[key]])
            for key, control in parameters.items()
        ],
        "rounds": scene.view.rounds is not None,
        "first": first,
        "plays": plays,
        "masked": difference(first, _prediction(scene, opening)) if ask else None,
        "states": {key: held(found) for key, found in states.items()},
    }


def _prediction(scene: Scene, opening: Progress) -> dict[str, Any]:
    wide, narrow = (replace(look, ask=True) for look in _LOOKS)
    return still(figure_of(scene, opening, (wide, narrow)))


def held(states: Mapping[str, Difference]) -> dict[str, Any]:
    """Return figures by their names as files hold them, which dpviz/serve/lecture/held.js reads."""
    return {"names": [*states], "parts": columns([*states.values()])}


def _brief(scene: Scene, seconds: float) -> Scene:
    """Return a scene that takes no more than its share of the time, where a link would."""
    view, most = scene.view, max(seconds, _BRIEF)
    return replace(scene, view=replace(view, first_seconds=min(view.first_seconds, most)))


def written_data(given: Given, site: str = "") -> dict[str, Any]:
    """Return all that the file knows of a scene without a figure; its words are HTML.

    site: where the app is, ending in "/"; then the figure of an exercise is a link to it.
    """
    step, poll = given.step, given.step.poll
    figure = f"{site}{given.figure.removeprefix('/')}" if site and given.figure else ""
    way = f'<p><a href="{escape(figure)}" target="_blank">Open the figure in the app</a></p>'
    answer = "" if poll is None else line(poll.right_in_words)
    return {
        "question": "",
        "title": "",
        "prompt": line(unbroken(step.prompt)),
        "notes": html(step.notes, strict=False),
        "solution": solution_html(given.solution),
        "text": html(step.text) + (way if figure else ""),
        "options": [] if poll is None else [line(each) for each in poll.lettered().values()],
        "answer": answer and f"The answer: {answer}. {'' if poll is None else line(poll.because)}",
        "controls": [],
    }


def written_handout(given: Given, site: str) -> dict[str, str]:
    """Return what is printed of a scene without a figure.

    Its code leads to the exercise, or to a lecture of this scene alone, where a code can hold that.
    """
    step, poll = given.step, given.step.poll
    options = [] if poll is None else [*poll.lettered().values()]
    listed = "".join(f"<p>{line(option)}</p>" for option in options if len(option) > 1)
    text = html(step.text) + listed
    if step.exercise:
        topic, _, name = step.exercise.partition(".")
        link = f"{site}exercises?{urlencode({'topic': topic, 'exercise': name})}"
    else:
        alone = Lecture(step.prompt, (replace(step, notes=""),))
        link = f"{site}{TEXT}?{urlencode(alone.query(1, pack(alone)))}"
    return {"prompt": line(step.prompt), "text": text} | _coded(link)


def _coded(link: str) -> dict[str, str]:
    """Return a link with its QR code, nothing where that would be too fine to be read."""
    if len(link) > _LONGEST_CODED:
        return {}
    return {"link": link, "code": segno.make(link, error="l").svg_inline(scale=3, border=2)}


def handout(step: LectureScene, scene: Scene, progress: Progress, site: str) -> dict[str, str]:
    """Return what is printed of a scene: figure, sentence and sources in one picture, its code."""
    link = f"{site}{step.page}?{urlencode(dict(step.state))}"
    picture = files.contents("svg", scene, progress, link)
    return {"prompt": line(step.prompt), "picture": picture.decode()} | _coded(link)
