"""Lectures: ordered scenes, each a page in a state with words to it, carried whole in a link.

No Streamlit here: any text can be tried on it.
"""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from dpviz.results.files import ASSETS
from dpviz.scene.codec import quote

_SHIPPED = ASSETS / "lectures"
_VERSION = 1
LONGEST = 6000  # characters: some browsers and proxies cut links of 8 kB
_LARGEST = 1 << 16  # bytes unpacked
_MOST_SCENES = 40
LONGEST_PROMPT = 400  # characters


class LectureError(ValueError):
    """A lecture that can't be read, or not be packed into a link; the message says why."""


@dataclass(frozen=True)
class LectureScene:
    """One step: a page, the parameters of its URL, and what the lecturer says.

    ask: whether the class predicts before the figure shows everything.
    """

    page: str
    state: Mapping[str, str]
    prompt: str
    ask: bool = False


@dataclass(frozen=True)
class Lecture:
    """A title, and scenes in order."""

    title: str
    scenes: tuple[LectureScene, ...]

    def query(self, number: int, text: str) -> dict[str, str]:
        """Return the query of a link to the scene `number`, from 1; text: the lecture in links."""
        scene = self.scenes[number - 1]
        asked = {"ask": "1"} if scene.ask else {}
        return dict(scene.state) | asked | {"lecture": text, "scene": str(number)}


def shipped() -> dict[str, Lecture]:
    """Return the lectures that come with dpviz, by the name a link gives them."""
    return {file.stem: _shipped(file.stem) for file in sorted(_SHIPPED.glob("*.json"))}


@cache
def _shipped(name: str) -> Lecture:
    return _lecture(json.loads((_SHIPPED / f"{name}.json").read_text(encoding="utf-8")))


def pack(lecture: Lecture) -> str:
    """Return the text that carries a lecture in a link; raise `LectureError` if it is too long."""
    scenes = [[s.page, dict(s.state), s.prompt, int(s.ask)] for s in lecture.scenes]
    data = json.dumps([lecture.title, scenes], ensure_ascii=False, separators=(",", ":"))
    packed = base64.urlsafe_b64encode(zlib.compress(data.encode(), 9)).decode().rstrip("=")
    text = f"{_VERSION}.{packed}"
    if len(text) > LONGEST or len(lecture.scenes) > _MOST_SCENES:
        raise LectureError(
            f"The lecture is too long for a link: {len(text)} of at most {LONGEST} characters, "
            f"{len(lecture.scenes)} of at most {_MOST_SCENES} scenes."
        )
    return text


def unpack(text: str) -> Lecture:
    """Return the lecture that a link carries or names; raise `LectureError` if there is none."""
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
        title, scenes = json.loads(data.decode())
        keys = ("page", "state", "prompt", "ask")
        scenes = [dict(zip(keys, scene, strict=True)) for scene in scenes]
        return _lecture({"title": title, "scenes": scenes})
    except (ValueError, TypeError, KeyError, RecursionError, zlib.error, binascii.Error):
        raise LectureError("The lecture in this link is damaged; ask for the link again.") from None


def _lecture(data: Mapping[str, Any]) -> Lecture:
    scenes = tuple(_scene(scene) for scene in data["scenes"])
    if not 1 <= len(scenes) <= _MOST_SCENES:
        raise ValueError(f"{len(scenes)} scenes")
    return Lecture(_words(data["title"]), scenes)


def _scene(data: Mapping[str, Any]) -> LectureScene:
    state = {_words(key): _words(value) for key, value in data["state"].items()}
    page, prompt = _words(data["page"]), _words(data["prompt"])
    return LectureScene(page, state, prompt, bool(data.get("ask", False)))


def _words(value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_PROMPT:
        raise ValueError("not a text, or a long one")
    return value
