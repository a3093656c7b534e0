"""What a room looks at, read from the address of a figure as the lecturer's screen names it."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from dpviz.plot.text import unbroken
from dpviz.scene.catalogue import GUIDES, HOME, PAGES, entry
from dpviz.scene.codec import LONGEST_LINK, Choice, Number, Seed
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import TEXT, Lecture, unpack
from dpviz.scene.scene import Scene
from dpviz.serve import solving
from dpviz.serve.links import finest, scene_of
from dpviz.serve.rooms import modes
from dpviz.serve.rooms.asking import Predicted, Prompt, RoomError, control_data, plain_text
from dpviz.serve.rooms.own import Own
from dpviz.serve.rooms.room import Slide
from dpviz.serve.rooms.sketching import Sketched, sketch_of
from dpviz.serve.topics import Topics

_PATIENCE = 3.0  # seconds for an exact answer
_FIELDS = 200  # of an address that are read
_SLUGS = {page.slug for page in (HOME, *PAGES, *GUIDES)}


def slide(topics: Topics, address: object, heading: object) -> Slide:
    """Return the view at the address of a figure, ``/figure/<topic>/<view>?...``.

    Of ``/lectures?lecture=...&scene=...`` it is the text of that scene. heading: what stands above
    it; the question of its page unless given. Raises `RoomError`.
    """
    text, heading_text = plain_address(address), plain_text(heading or "")
    parts = urlsplit(text)
    match parts.path.split("/"):
        case ["", "figure", topic, key]:
            page = topics.page(topic)
        case ["", path] if path == TEXT:
            return _written(topics, _query(parts.query), heading_text)
        case _:
            page = None
    if page is None or key not in {view.key for view in page.views}:
        raise RoomError("There is no such figure.", 404)
    query = _query(parts.query)
    scene = scene_of(page, query | ({"view": [key]} if len(page.views) > 1 else {}))
    return Slide(
        figure=f"/figure/{topic}/{key}",
        query={**scene.movable, **scene.query},
        heading=unbroken(heading_text or entry(page.slug).question),
        controls=tuple(_controls(scene)),
        prediction=scene.prediction,
        answer=partial(_answer, scene),
        ask=query.get("ask") == ["1"] and scene.prediction is not None,
        scene=scene,
        sketch=None if scene.sketch is None else partial(sketch_of, scene, _PATIENCE),
    )


def scene_at(query: Mapping[str, list[str]]) -> tuple[Lecture, int] | None:
    """Return the lecture that a link names and which of its scenes, from 1; None for none."""
    number = query.get("scene", ["1"])[-1]
    try:
        lecture = unpack(query.get("lecture", [""])[-1])
    except LectureError:
        return None
    numbers = map(str, range(1, len(lecture.scenes) + 1))
    return (lecture, int(number)) if number in numbers else None


def prompt_at(link: str) -> str:
    """Return the words of the scene that a link opens, as they were written; "" for none.

    What the page shows has lost how a formula was written.
    """
    path, query = urlsplit(link).path, _query(urlsplit(link).query)
    found = scene_at(query) if "lecture" in query else None
    scene = None if found is None else found[0].scenes[found[1] - 1]
    return scene.prompt if scene is not None and path == f"/{scene.page}" else ""


def _written(topics: Topics, query: Mapping[str, list[str]], heading: str) -> Slide:
    found = scene_at(query)
    scene = None if found is None else found[0].scenes[found[1] - 1]
    if scene is None or not scene.is_written:
        raise RoomError("There is no such text.", 404)
    given = solving.given(scene, topics.page)
    poll, question = given.step.poll, heading or scene.prompt
    return Slide(
        figure=f"/{TEXT}",
        query={key: query[key][-1] for key in ("lecture", "scene")},
        heading=unbroken(question),
        text=given.html,
        prompt=None if poll is None else Own(plain_text(scene.prompt), poll),
        seconds=0 if poll is None else poll.seconds,
    )


def _answer(scene: Scene) -> tuple[str, str]:
    """Return the answer to the prediction of a scene, in words and as one would give it.

    Both are "" where there is none in time.
    """
    progress = finest(scene, _PATIENCE)
    if scene.prediction is None or progress is None:
        return "", ""
    value = scene.prediction.value(progress.result)
    truth = f"{value:.6g}" if isinstance(value, int | float) else value
    return scene.prediction.answer(progress.result), truth or ""


def address(slide: Slide) -> str:
    """Return the address of a figure from which `slide` makes the same again."""
    asking = {"ask": "1"} if slide.ask else {}
    return f"{slide.figure}?{urlencode({**slide.query, **asking})}"


def restored(topics: Topics, kind: str, about: str, stored: Mapping[str, Any]) -> Prompt:
    """Return what was asked in another replica, about the view at this address."""
    if kind == "sketch":
        return Sketched.restored(stored)
    if kind != "prediction":
        return modes.restored(kind, stored)
    _, _, topic, key = urlsplit(about).path.split("/")
    page = topics.page(topic)
    views = page.views if page else ()
    predictions = (one for view in views if view.key == key for one in view.predictions)
    prediction = next((one for one in predictions if one.question == stored.get("question")), None)
    if prediction is None:
        raise KeyError(about)
    return Predicted(prediction.question, prediction.guess)


def _query(text: str) -> dict[str, list[str]]:
    try:
        return parse_qs(text, max_num_fields=_FIELDS)
    except ValueError:
        raise RoomError("There is no such figure.", 404) from None


def _controls(scene: Scene) -> list[dict[str, object]]:
    """Return the controls a phone gets: as few as a class in front of a projector."""
    view = scene.view
    parameters = [scene.parameter(key) for key in view.in_sight if key not in scene.idle]
    return [
        control_data(parameter)
        for parameter in parameters
        if isinstance(parameter, Number | Choice) and not isinstance(parameter, Seed)
    ]


def plain_address(value: object) -> str:
    """Return an address within this site, or refuse what is none."""
    if not isinstance(value, str) or not value.startswith("/") or value.startswith("//"):
        raise RoomError("An address of this site was expected.", 400)
    if len(value) > LONGEST_LINK or not value.isprintable() or "\\" in value:
        raise RoomError("An address of this site was expected.", 400)
    return value


def page_link(value: object) -> str:
    """Return a link to a page of the app, the home page for anything else."""
    try:
        text = plain_address(value)
        slug = urlsplit(text).path.removeprefix("/")
    except (RoomError, ValueError):
        return "/"
    return text if slug in _SLUGS else "/"
