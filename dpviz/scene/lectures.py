"""Lectures: ordered scenes, each a page in a state with words to it, carried whole in a link.

No Streamlit here: any text can be tried on it.
"""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from functools import cache, lru_cache
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from dpviz.plot.formulas import FormulaError
from dpviz.plot.written import html
from dpviz.results.folders import ASSETS
from dpviz.scene.catalogue import PAGES
from dpviz.scene.codec import LONGEST_LINK, MODES, quote
from dpviz.scene.lecture_checks import LectureError, damaged, whole
from dpviz.scene.lecture_checks import text as text_of
from dpviz.scene.poll import LONGEST_PROMPT, Poll, poll_of

_SHIPPED = ASSETS / "lectures"
FIRST = "first-steps"
"""The path for who begins."""
_VERSION = 3  # of links whose lecture has exercises; with texts or questions it is 2, or else 1
TEXT = "lectures"
"""The page of scenes that are text, or a question of the lecturer's own, instead of a figure."""
_LONGEST_STATE = 1500  # characters of a scene's parameters in a link
LONGEST = LONGEST_LINK - _LONGEST_STATE - 500  # characters of a lecture in one
_LARGEST = 1 << 16  # bytes unpacked
_MOST_SCENES = 40
LONGEST_NOTES = 1000
LONGEST_WRITTEN = 1500  # of a scene that is text
_LONGEST_VALUE = 64  # characters of one parameter
# Of a scene in a link, without those at the end that it has not.
_PARTS = (
    *("page", "state", "prompt", "ask", "notes", "control", "after", "minutes", "text", "poll"),
    "exercise",
)
_MOST_QUESTIONS = 10
MOST_MINUTES = 60  # of a scene
AUDIENCES = {
    "newcomers": "For newcomers: no formulas",
    "course": "For a course: definitions and proofs in pictures",
    "seminar": "For a seminar: theorems of the papers",
}
"""Who a lecture is for, in the order in which lectures are offered."""
_EXERCISE = re.compile(r"([a-z_]{1,40})\.[a-z0-9-]{1,40}")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,31}")
# What a link says about how a page is shown is not for a scene to say, but for what it asks the
# phones of a class; Streamlit has words, too.
_RESERVED = frozenset({*MODES, "embed", "embed_options"} - {"class"})


@dataclass(frozen=True)
class LectureScene:
    """One step: a page, the parameters of its URL, and what the lecturer says.

    ask: whether the class predicts before the figure shows everything. notes: for the lecturer
    alone. control: the one parameter a reader moves here, in a view with nothing else around it; ""
    for a page as it is. after: what is said there below the figure once all is seen, in place of
    the view's own reason; "" for that. minutes: planned for it; 0 for two, and two more where a
    class predicts. text: what stands there in place of a figure, as `dpviz.plot.written` reads it.
    poll: how the prompt is answered, where it is a question; then ask is whether an answer is
    right. exercise: the topic and the name of one that stands there, with a point between them;
    `dpviz.serve.solving.given` makes text and poll of it.
    """

    page: str
    state: Mapping[str, str]
    prompt: str
    ask: bool = False
    notes: str = ""
    control: str = ""
    after: str = ""
    minutes: int = 0
    text: str = ""
    poll: Poll | None = None
    exercise: str = ""

    @property
    def planned(self) -> int:
        """The minutes that this step takes."""
        return self.minutes or 2 * (1 + (self.ask or self.poll is not None))

    @property
    def is_written(self) -> bool:
        """Whether it has words in place of a figure."""
        return self.page == TEXT


@dataclass(frozen=True)
class EndQuestion:
    """What a reader is asked after the last scene.

    answers: of which one is right, by its place. because: what is said to who gives each of them.
    scene: the one to look at again, from 1.
    """

    words: str
    answers: tuple[str, ...]
    right: int
    because: tuple[str, ...]
    scene: int


@dataclass(frozen=True)
class Onward:
    """Where to go on from the end: words, and the page in a state that they name."""

    words: str
    page: str
    state: Mapping[str, str]


@dataclass(frozen=True)
class Lecture:
    """A title, and scenes in order.

    What links do not carry: about, what it teaches; audience, one of `AUDIENCES`; questions, for a
    reader at the end; onward, where to go from there.
    """

    title: str
    scenes: tuple[LectureScene, ...]
    about: str = field(default="", compare=False)
    audience: str = field(default="course", compare=False)
    questions: tuple[EndQuestion, ...] = field(default=(), compare=False)
    onward: tuple[Onward, ...] = field(default=(), compare=False)

    @property
    def minutes(self) -> int:
        """About how long it takes: what its scenes are planned for, and one a question."""
        return sum(scene.planned for scene in self.scenes) + len(self.questions)

    def query(self, number: int, text: str) -> dict[str, str]:
        """Return the query of a link to the scene `number`, from 1; text: the lecture in links."""
        scene = self.scenes[number - 1]
        mode = {"ask": "1"} if scene.ask else {}
        return dict(scene.state) | mode | {"lecture": text, "scene": str(number)}


def shipped() -> dict[str, Lecture]:
    """Return the lectures that come with dpviz, by the name a link gives them.

    Those for newcomers first, and of them the path on which a reader is alone.
    """
    lectures = [(file.stem, _shipped(file.stem)) for file in sorted(_SHIPPED.glob("*.json"))]
    places = list(AUDIENCES)
    lectures.sort(key=lambda one: (places.index(one[1].audience), one[0] != FIRST, one[1].minutes))
    return dict(lectures)


@cache
def _shipped(name: str) -> Lecture:
    return _lecture(json.loads((_SHIPPED / f"{name}.json").read_text(encoding="utf-8")))


def pack(lecture: Lecture) -> str:
    """Return the text that carries a lecture in a link; raise `LectureError` if it is too long."""
    scenes = [
        [s.page, dict(s.state), s.prompt, int(s.ask), *_without_ends(_further(s))]
        for s in lecture.scenes
    ]
    data = json.dumps([lecture.title, scenes], ensure_ascii=False, separators=(",", ":"))
    packed = base64.urlsafe_b64encode(zlib.compress(data.encode(), 9)).decode().rstrip("=")
    written = [scene for scene in lecture.scenes if scene.is_written]
    version = _VERSION if any(scene.exercise for scene in written) else 1 + bool(written)
    text = f"{version}.{packed}"
    too_long = len(text) > LONGEST or len(data.encode()) > _LARGEST
    if too_long or len(lecture.scenes) > _MOST_SCENES:
        raise LectureError(
            f"The lecture is too long for a link: {len(text)} of at most {LONGEST} characters, "
            f"{len(lecture.scenes)} of at most {_MOST_SCENES} scenes."
        )
    return text


def _further(scene: LectureScene) -> list[object]:
    poll = scene.poll
    poll_parts: list[object] = []
    if poll is not None:
        poll_parts = _without_ends(list(astuple(poll)))
    own = [scene.text, poll_parts, scene.exercise]
    return [scene.notes, scene.control, scene.after, scene.minutes, *own]


def _without_ends(parts: list[object]) -> list[object]:
    while parts and not parts[-1]:
        parts.pop()
    return parts


def pasted(link: str) -> Lecture:
    """Return the lecture of a link that a reader pasted, or of the text that links carry."""
    if len(link) > LONGEST_LINK:
        raise LectureError(f"This link is longer than {LONGEST_LINK:,} characters.")
    try:
        texts = parse_qs(urlsplit(link.strip()).query).get("lecture", [link.strip()])
    except ValueError:  # an address that is none
        texts = [link]
    return unpack(texts[-1])


def read(text: str) -> Lecture:
    """Return the lecture in a text of JSON, like the shipped ones; raise `LectureError`."""
    try:
        return _lecture(json.loads(text))
    except LectureError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LectureError(f"This file holds no lecture: {error!r}") from None


@lru_cache(maxsize=8)  # a class reads the one it follows again and again
def unpack(text: str) -> Lecture:
    """Return the lecture that a link carries or names; raise `LectureError` if there is none.

    What is returned can be shown, followed and packed again, whoever made the link.
    """
    if re.fullmatch(r"[a-z-]{1,40}", text) and (_SHIPPED / f"{text}.json").is_file():
        return _shipped(text)
    if len(text) > LONGEST:
        raise LectureError(f"The lecture in this link is longer than {LONGEST} characters.")
    version, dot, packed = text.partition(".")
    if not dot or not re.fullmatch(r"[0-9]{1,6}", version):
        raise LectureError(f"There is no lecture named {quote(text)}.")
    if int(version) > _VERSION:
        raise LectureError("The lecture in this link is from a newer version of dpviz.")
    try:
        compressed = base64.b64decode(
            packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True
        )
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(compressed, _LARGEST)
        if not unpacking.eof:
            raise ValueError("cut short, or too large")
        content = json.loads(data.decode())
    except (ValueError, RecursionError, zlib.error, binascii.Error):
        raise damaged() from None
    match content:
        case [title, [*scenes]] if all(
            isinstance(s, list) and 4 <= len(s) <= len(_PARTS) for s in scenes
        ):
            named = [dict(zip(_PARTS, s, strict=False)) for s in scenes]
            return _lecture({"title": title, "scenes": named})
    raise damaged()


def _lecture(data: Mapping[str, Any]) -> Lecture:
    """Return the lecture these data are, checked: the one place that says what a lecture is."""
    scenes = tuple(_scene(scene) for scene in data["scenes"])
    if not 1 <= len(scenes) <= _MOST_SCENES:
        raise damaged()
    if (audience := data.get("audience", "course")) not in AUDIENCES:
        raise damaged()
    questions = tuple(_question(one, len(scenes)) for one in data.get("questions", ()))
    if len(questions) > _MOST_QUESTIONS:
        raise damaged()
    return Lecture(
        text_of(data["title"], LONGEST_PROMPT),
        scenes,
        text_of(data.get("about", ""), LONGEST_PROMPT),
        audience,
        questions,
        tuple(map(_onward, data.get("onward", ()))),
    )


def _scene(data: Mapping[str, Any]) -> LectureScene:
    page, values = (TEXT, {}) if data.get("page") == TEXT else _place(data)
    prompt, ask = text_of(data["prompt"], LONGEST_PROMPT), data.get("ask", False)
    control = text_of(data.get("control", ""), LONGEST_PROMPT)
    if ask not in (False, True) or (control and not _KEY.fullmatch(control)):
        raise damaged()
    notes = text_of(data.get("notes", ""), LONGEST_NOTES)
    after = text_of(data.get("after", ""), LONGEST_PROMPT)
    minutes = whole(data.get("minutes", 0), MOST_MINUTES)
    text, poll = written(data.get("text", "")), None
    if data.get("poll"):
        poll = poll_of(data["poll"])
    exercise = text_of(data.get("exercise", ""), LONGEST_PROMPT)
    if exercise:
        named = _EXERCISE.fullmatch(exercise)
        if text or poll or named is None or named[1] not in {each.slug for each in PAGES}:
            raise damaged()
    if page == TEXT:
        if data.get("state") or control or after or not (text or poll or exercise):
            raise damaged()
        ask = bool(exercise) or (poll is not None and bool(poll.right))
    elif text or poll or exercise:
        raise damaged()
    fields = (prompt, bool(ask), notes, control, after, minutes)
    return LectureScene(page, values, *fields, text, poll, exercise)


def written(value: object) -> str:
    """Return the text of a scene, whose formulas can be read. Raises `LectureError`."""
    text = text_of(value, LONGEST_WRITTEN)
    try:
        html(text)
    except FormulaError as error:
        raise LectureError(str(error)) from None
    return text


def _question(data: Mapping[str, Any], scenes: int) -> EndQuestion:
    answers, because = (
        tuple(text_of(one, LONGEST_PROMPT) for one in data[key]) for key in ("answers", "because")
    )
    right, scene = data["right"], data["scene"]
    if right not in range(len(answers)) or scene not in range(1, scenes + 1):
        raise damaged()
    if len(because) != len(answers):
        raise damaged()
    return EndQuestion(text_of(data["question"], LONGEST_PROMPT), answers, right, because, scene)


def _onward(data: Mapping[str, Any]) -> Onward:
    return Onward(text_of(data["words"], LONGEST_PROMPT), *_place(data))


def _place(data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Return a page and the parameters of its address."""
    page, state = text_of(data["page"], LONGEST_PROMPT), data["state"]
    if not isinstance(state, dict):
        raise damaged()
    if any(not _KEY.fullmatch(key) or key in _RESERVED for key in state):
        raise damaged()
    if page not in {declared.slug for declared in PAGES}:
        raise LectureError(
            f"The lecture in this link asks for a page that is not here: {quote(page)}."
        )
    values = {key: text_of(value, _LONGEST_VALUE) for key, value in state.items()}
    if len(urlencode(values)) > _LONGEST_STATE:
        raise damaged()
    return page, values
