"""What a lecturer has before them while they speak: notes, what comes next, and the minutes."""

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from dpviz.plot.written import bare, html, line
from dpviz.scene.lectures import LectureScene
from dpviz.serve import solving
from dpviz.serve.links import scene_of
from dpviz.serve.rooms import scenes
from dpviz.serve.topics import Topics

_KINDS = {"choice": "a choice", "number": "a number", "words": "a few words"}


def plan(link: str, topics: Topics) -> dict[str, Any]:
    """Return what is planned where a link is in a lecture; nothing where it is in none.

    Notes, and the words of the next scene, are HTML.
    before: minutes planned for the scenes before this one, minutes: for itself, total: for all.
    """
    query = parse_qs(urlsplit(link).query)
    if "lecture" not in query or (found := scenes.scene_at(query)) is None:
        return {}
    lecture, number = found
    scene, after = lecture.scenes[number - 1], lecture.scenes[number : number + 1]
    return {
        "title": bare(lecture.title),
        "number": number,
        "count": len(lecture.scenes),
        "notes": html(scene.notes, strict=False),
        "solution": solving.solution_html(solving.given(scene, topics.page).solution),
        "minutes": scene.planned,
        "before": sum(each.planned for each in lecture.scenes[: number - 1]),
        "total": lecture.minutes,
        "next": _next(after[0], topics) if after else None,
    }


def _next(scene: LectureScene, topics: Topics) -> dict[str, str]:
    """Return what a speaker sees of the scene to come: its words, and its picture or its text."""
    given = solving.given(scene, topics.page, solved=False)
    step = {"prompt": line(scene.prompt), "asks": "", "picture": "", "text": given.html}
    if given.step.poll is not None:
        step["asks"] = f"Asks for {_KINDS[given.step.poll.kind]}"
    elif scene.exercise:
        step["asks"] = "An exercise to read"
    elif scene.ask or "class" in scene.state:
        step["asks"] = "Asks the class"
    page = topics.page(scene.page)
    if page is not None:
        view = scene_of(page, {key: [text] for key, text in scene.state.items()}).view.key
        state = {key: text for key, text in scene.state.items() if key not in ("view", "class")}
        step["picture"] = f"/picture/{page.name}/{view}.svg?{urlencode(state)}"
    return step
