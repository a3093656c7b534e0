"""The scenes of a lecture with all their figures, within so many bytes and seconds."""

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from typing import Any
from urllib.parse import urlencode

import orjson
import segno

from dpviz.plot.text import unbroken
from dpviz.plot.written import html
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import decode_link, encode
from dpviz.scene.lectures import TEXT, Lecture, LectureScene, pack
from dpviz.scene.pulled import pulled_in
from dpviz.scene.reading import LectureError
from dpviz.scene.scene import Scene
from dpviz.serve import files
from dpviz.serve.computing import Progress
from dpviz.serve.lecture.delta import difference
from dpviz.serve.lecture.states import described, moved, reachable
from dpviz.serve.lines import Look, adapted, line, odds
from dpviz.serve.links import finest
from dpviz.serve.solving import Given, solution_html
from dpviz.serve.topics import Topics

_PATIENCE = 60.0  # seconds for the figure with which a scene opens
_BRIEF = 0.25  # seconds of processor time for each other figure, at least: there are hundreds
_HEIGHT = 460  # pixels of a figure, all of which stands above the bar of a window 720 high
_LOOK = Look(room=_HEIGHT)
_LONGEST_CODED = 1000  # characters: 117 squares a side, which a phone reads from paper


@dataclass(frozen=True)
class Allowance:
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
    said: dict[str, Any] = orjson.loads(
        line(
            adapted(scene, look),
            progress.result,
            look,
            whole=progress.whole,
            odds=odds(scene),
            pulled=pulled_in(scene) if pulled and not look.ask else {},
        )
    )
    said.pop("linked", None)  # Vega is not in the file: such a view is drawn as it is printed
    said["whole"] = True  # nothing finer can come
    if not look.ask:
        parts = {key: (said[key], said["remark"]) for key in ("detail", "exact")}
        said |= {key: " ".join(filter(None, texts)) for key, texts in parts.items()}
    return said


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
    allowance: Allowance,
    report: Callable[[float], None],
) -> dict[str, Any]:
    """Return all that the file knows of a scene.

    opening: what it opens with. report: called with how far it is, from 0 to 1.
    """
    end, first = time.monotonic() + allowance.seconds, final_line(scene, opening, _LOOK)
    ask = step.ask and scene.prediction is not None
    states: dict[str, dict[str, Any]] = {}
    used, steps = 0, list(reachable(scene, step.control))
    for number, (control, value) in enumerate(steps):
        left = end - time.monotonic()
        report(max(number / len(steps), min(1 - left / max(allowance.seconds, 1e-9), 1.0)))
        if left <= 0 or used > allowance.size or allowance.enough():
            break
        text = control.write(value)
        there = _brief(moved(scene, control.key, value), left / (len(steps) - number))
        if (progress := finest(there, left)) is not None:
            change = difference(first, final_line(there, progress.stopped(), _LOOK))
            used += len(zlib.compress(orjson.dumps(change)))
            states.setdefault(control.key, {})[text] = change
    parameters = {control.key: control for control, _ in steps if control.key in states}
    return {
        "question": entry(step.page).question,
        "title": scene.view.title,
        "prompt": unbroken(step.prompt),
        "notes": step.notes,
        "name": scene.name,
        "query": encode(scene.values, scene.page.parameters),
        "controls": [
            described(control, [control.write(scene.values[key]), *states[key]])
            for key, control in parameters.items()
        ],
        "rounds": scene.view.rounds is not None,
        "first": first,
        "asked": final_line(scene, opening, replace(_LOOK, ask=True)) if ask else None,
        "states": states,
    }


def _brief(scene: Scene, seconds: float) -> Scene:
    """Return a scene that takes no more than its share of the time, where a link would."""
    view, most = scene.view, max(seconds, _BRIEF)
    return replace(scene, view=replace(view, first_seconds=min(view.first_seconds, most)))


def written_data(given: Given) -> dict[str, Any]:
    """Return all that the file knows of a scene without a figure."""
    step, poll = given.step, given.step.poll
    answer = "" if poll is None else poll.said
    return {
        "question": "",
        "title": "",
        "prompt": unbroken(step.prompt),
        "notes": step.notes,
        "solution": solution_html(given.solution),
        "text": html(step.text),
        "options": [] if poll is None else list(poll.lettered().values()),
        "answer": answer and f"The answer: {answer}. {'' if poll is None else poll.because}",
        "controls": [],
    }


def written_handout(given: Given, site: str) -> dict[str, str]:
    """Return what is printed of a scene without a figure.

    Its code leads to the exercise, or to a lecture of this scene alone, where a code can hold that.
    """
    step, asked = given.step, given.step.poll
    options = [] if asked is None else [*asked.lettered().values()]
    listed = "".join(f"<p>{escape(option)}</p>" for option in options if len(option) > 1)
    text = html(step.text) + listed
    if step.exercise:
        topic, _, name = step.exercise.partition(".")
        link = f"{site}exercises?{urlencode({'topic': topic, 'exercise': name})}"
    else:
        alone = Lecture(step.prompt, (replace(step, notes=""),))
        link = f"{site}{TEXT}?{urlencode(alone.query(1, pack(alone)))}"
    return {"prompt": step.prompt, "text": text} | _coded(link)


def _coded(link: str) -> dict[str, str]:
    """Return a link with its QR code, nothing where that would be too fine to be read."""
    if len(link) > _LONGEST_CODED:
        return {}
    return {"link": link, "code": segno.make(link, error="l").svg_inline(scale=3, border=2)}


def handout(step: LectureScene, scene: Scene, progress: Progress, site: str) -> dict[str, str]:
    """Return what is printed of a scene: figure, sentence and sources in one picture, its code."""
    link = f"{site}{step.page}?{urlencode(dict(step.state))}"
    picture = files.contents("svg", scene, progress, link)
    return {"prompt": step.prompt, "picture": picture.decode()} | _coded(link)
