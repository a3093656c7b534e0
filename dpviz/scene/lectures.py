"""Lectures: ordered scenes, each a page in a state with words to it, carried whole in a link.

No Streamlit here: any text can be tried on it.
"""

import base64
import binascii
import json
import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from dpviz.plot.formulas import FormulaError
from dpviz.plot.written import html
from dpviz.results.folders import ASSETS
from dpviz.scene.catalogue import PAGES
from dpviz.scene.codec import LONGEST_LINK, MODES, quote

_SHIPPED = ASSETS / "lectures"
FIRST = "first-steps"
"""The path for who begins."""
_VERSION = 2  # of links whose lecture has texts or questions of its own; of others it is 1
TEXT = "lectures"
"""The page of scenes that are text, or a question of the lecturer's own, instead of a figure."""
_LONGEST_STATE = 1500  # characters of a scene's parameters in a link
LONGEST = LONGEST_LINK - _LONGEST_STATE - 500  # characters of a lecture in one
_LARGEST = 1 << 16  # bytes unpacked
_MOST_SCENES = 40
LONGEST_PROMPT = 400  # characters
LONGEST_NOTES = 1000
LONGEST_WRITTEN = 1500  # of a scene that is text
LONGEST_CHOICE = 100
MOST_CHOICES = 8
LONGEST_COUNTDOWN = 3600  # seconds
_LONGEST_VALUE = 64  # characters of one parameter
# Of a scene in a link, without those at the end that it has not.
_PARTS = (
    *("page", "state", "prompt", "ask", "notes", "control", "after", "minutes", "text", "poll"),
)
_MOST_QUESTIONS = 10
MOST_MINUTES = 60  # of a scene
AUDIENCES = {
    "newcomers": "For newcomers: no formulas",
    "course": "For a course: definitions and proofs in pictures",
    "seminar": "For a seminar: theorems of the papers",
}
"""Who a lecture is for, in the order in which lectures are offered."""
_UNHALVED = re.compile(r"[^\ud800-\udfff]*")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,31}")
# What a link says about how a page is shown is not for a scene to say, but for what it asks the
# phones of a class; Streamlit has words, too.
_RESERVED = frozenset({*MODES, "embed", "embed_options"} - {"class"})


class LectureError(ValueError):
    """A lecture that can't be read, or not be packed into a link; the message says why."""


def _damaged() -> LectureError:
    return LectureError("The lecture in this link is damaged; ask for the link again.")


@dataclass(frozen=True)
class Poll:
    """What a lecturer asks in their own words, and how it is answered.

    kind: "choice" among `answers`, a "number", or "words". right: the place of the right answer,
    from 0, or the number as text; "" where nothing is right or wrong. within: how far a number may
    be from it. because: what is said once it is revealed. seconds: of a countdown, 0 for none.
    """

    kind: str
    answers: tuple[str, ...] = ()
    right: str = ""
    within: float = 0.0
    because: str = ""
    seconds: int = 0

    @property
    def answer(self) -> str:
        """The right answer as one would give it, "" where there is none."""
        if self.right and self.kind == "choice":
            return self.answers[int(self.right)]
        return self.right

    def lettered(self) -> dict[str, str]:
        """Return the answers to choose from, and each with its letter."""
        letters = (chr(ord("A") + place) for place in range(len(self.answers)))
        return {answer: f"{next(letters)}. {answer}" for answer in self.answers}

    def is_right(self, given: str) -> bool:
        """Return whether an answer, a number as text, is right."""
        if self.kind == "number" and self.right:
            return abs(float(given) - float(self.right)) <= self.within
        return bool(self.right) and given == self.answer


@dataclass(frozen=True)
class LectureScene:
    """One step: a page, the parameters of its URL, and what the lecturer says.

    ask: whether the class predicts before the figure shows everything. notes: for the lecturer
    alone. control: the one parameter a reader moves here, in a view with nothing else around it; ""
    for a page as it is. after: what is said there below the figure once all is seen, in place of
    the view's own reason; "" for that. minutes: planned for it; 0 for two, and two more where a
    class predicts. text: what stands there in place of a figure, as `dpviz.plot.written` reads it.
    poll: how the prompt is answered, where it is a question; then ask is whether an answer is
    right.
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

    @property
    def planned(self) -> int:
        """The minutes that this step takes."""
        return self.minutes or 2 * (1 + (self.ask or self.poll is not None))

    @property
    def is_written(self) -> bool:
        """Whether it has words in place of a figure."""
        return self.page == TEXT


@dataclass(frozen=True)
class Question:
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
    questions: tuple[Question, ...] = field(default=(), compare=False)
    onward: tuple[Onward, ...] = field(default=(), compare=False)

    @property
    def minutes(self) -> int:
        """About how long it takes: what its scenes are planned for, and one a question."""
        return sum(scene.planned for scene in self.scenes) + len(self.questions)

    def query(self, number: int, text: str) -> dict[str, str]:
        """Return the query of a link to the scene `number`, from 1; text: the lecture in links."""
        scene = self.scenes[number - 1]
        asked = {"ask": "1"} if scene.ask else {}
        return dict(scene.state) | asked | {"lecture": text, "scene": str(number)}


def shipped() -> dict[str, Lecture]:
    """Return the lectures that come with dpviz, by the name a link gives them.

    Those for newcomers first, and of them the path on which a reader is alone.
    """
    known = [(file.stem, _shipped(file.stem)) for file in sorted(_SHIPPED.glob("*.json"))]
    places = list(AUDIENCES)
    known.sort(key=lambda one: (places.index(one[1].audience), one[0] != FIRST, one[1].minutes))
    return dict(known)


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
    version = _VERSION if any(scene.is_written for scene in lecture.scenes) else 1
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
    asked: list[object] = []
    if poll is not None:
        answers = [poll.answers, poll.right, poll.within, poll.because, poll.seconds]
        asked = [poll.kind, *_without_ends(answers)]
    return [scene.notes, scene.control, scene.after, scene.minutes, scene.text, asked]


def _without_ends(parts: list[object]) -> list[object]:
    while parts and not parts[-1]:
        parts.pop()
    return parts


def pasted(link: str) -> Lecture:
    """Return the lecture of a link that a reader pasted, or of the text that links carry."""
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
        raise _damaged() from None
    match content:
        case [title, [*scenes]] if all(
            isinstance(s, list) and 4 <= len(s) <= len(_PARTS) for s in scenes
        ):
            named = [dict(zip(_PARTS, s, strict=False)) for s in scenes]
            return _lecture({"title": title, "scenes": named})
    raise _damaged()


def _lecture(data: Mapping[str, Any]) -> Lecture:
    """Return the lecture these data are, checked: the one place that says what a lecture is."""
    scenes = tuple(_scene(scene) for scene in data["scenes"])
    if not 1 <= len(scenes) <= _MOST_SCENES:
        raise _damaged()
    if (audience := data.get("audience", "course")) not in AUDIENCES:
        raise _damaged()
    questions = tuple(_question(one, len(scenes)) for one in data.get("questions", ()))
    if len(questions) > _MOST_QUESTIONS:
        raise _damaged()
    return Lecture(
        _text(data["title"], LONGEST_PROMPT),
        scenes,
        _text(data.get("about", ""), LONGEST_PROMPT),
        audience,
        questions,
        tuple(map(_onward, data.get("onward", ()))),
    )


def _scene(data: Mapping[str, Any]) -> LectureScene:
    page, values = (TEXT, {}) if data.get("page") == TEXT else _place(data)
    prompt, ask = _text(data["prompt"], LONGEST_PROMPT), data.get("ask", False)
    control = _text(data.get("control", ""), LONGEST_PROMPT)
    if ask not in (False, True) or (control and not _KEY.fullmatch(control)):
        raise _damaged()
    notes = _text(data.get("notes", ""), LONGEST_NOTES)
    after = _text(data.get("after", ""), LONGEST_PROMPT)
    minutes = _whole(data.get("minutes", 0), MOST_MINUTES)
    text, poll = written(data.get("text", "")), None
    if data.get("poll"):
        poll = poll_of(data["poll"])
    if page == TEXT:
        if data.get("state") or control or after or not (text or poll):
            raise _damaged()
        ask = poll is not None and bool(poll.right)
    elif text or poll:
        raise _damaged()
    return LectureScene(page, values, prompt, bool(ask), notes, control, after, minutes, text, poll)


def written(value: object) -> str:
    """Return the text of a scene, whose formulas can be read. Raises `LectureError`."""
    text = _text(value, LONGEST_WRITTEN)
    try:
        html(text)
    except FormulaError as error:
        raise LectureError(str(error)) from None
    return text


_POLL = ("kind", "answers", "right", "within", "because", "seconds")


def poll_of(data: object) -> Poll:
    """Return a question of somebody's own, of a mapping or a list. Raises `LectureError`."""
    if isinstance(data, list):
        data = dict(zip(_POLL, data, strict=False))
    if not isinstance(data, dict) or set(data) - set(_POLL):
        raise _damaged()
    if not isinstance(data.get("answers", []), list):
        raise _damaged()
    poll = Poll(
        _text(data.get("kind"), LONGEST_PROMPT),
        tuple(_text(answer, LONGEST_CHOICE) for answer in data.get("answers", ())),
        _text(data.get("right", ""), LONGEST_CHOICE),
        _finite(data.get("within", 0.0)),
        _text(data.get("because", ""), LONGEST_PROMPT),
        _whole(data.get("seconds", 0), LONGEST_COUNTDOWN),
    )
    if poll.kind not in ("choice", "number", "words"):
        raise _damaged()
    if poll.kind == "choice":
        if not 2 <= len(set(poll.answers)) == len(poll.answers) <= MOST_CHOICES:
            raise LectureError(f"A choice has 2 to {MOST_CHOICES} answers, no two of them alike.")
        if poll.right and poll.right not in map(str, range(len(poll.answers))):
            raise _damaged()
    elif poll.answers or (poll.kind == "words" and poll.right):
        raise _damaged()
    if poll.kind == "number" and poll.right:
        try:
            _finite(float(poll.right))
        except ValueError:
            raise LectureError(f"The right answer is no number: {quote(poll.right)}.") from None
    return poll


def _finite(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < math.inf:
        raise _damaged()
    return float(value)


def _question(data: Mapping[str, Any], scenes: int) -> Question:
    answers, because = (
        tuple(_text(said, LONGEST_PROMPT) for said in data[key]) for key in ("answers", "because")
    )
    right, scene = data["right"], data["scene"]
    if right not in range(len(answers)) or scene not in range(1, scenes + 1):
        raise _damaged()
    if len(because) != len(answers):
        raise _damaged()
    return Question(_text(data["question"], LONGEST_PROMPT), answers, right, because, scene)


def _onward(data: Mapping[str, Any]) -> Onward:
    return Onward(_text(data["words"], LONGEST_PROMPT), *_place(data))


def _place(data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Return a page and the parameters of its address."""
    page, state = _text(data["page"], LONGEST_PROMPT), data["state"]
    if not isinstance(state, dict):
        raise _damaged()
    if any(not _KEY.fullmatch(key) or key in _RESERVED for key in state):
        raise _damaged()
    if page not in {known.slug for known in PAGES}:
        raise LectureError(
            f"The lecture in this link asks for a page that is not here: {quote(page)}."
        )
    values = {key: _text(value, _LONGEST_VALUE) for key, value in state.items()}
    if len(urlencode(values)) > _LONGEST_STATE:
        raise _damaged()
    return page, values


def _whole(value: object, most: int) -> int:
    """Return a whole number from 0 to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise _damaged()
    return value


def _text(value: object, longest: int) -> str:
    """Return text as it is, but neither what is too long nor halves of characters."""
    if not isinstance(value, str) or len(value) > longest or not _UNHALVED.fullmatch(value):
        raise _damaged()
    return value
