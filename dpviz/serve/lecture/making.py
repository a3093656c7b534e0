"""Files of lectures made for readers: one at a time in the whole process, and kept for a while."""

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache

from dpviz.results.caching import Cache
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import Lecture
from dpviz.serve.faults import kinds
from dpviz.serve.lecture.file import SECONDS, idle_processors, made
from dpviz.serve.topics import Topics

_LEFT = 20.0  # seconds without a look, after which its reader has gone
_BROKEN = "The file could not be made."
_FIRST = "Another lecture comes first."

_log = logging.getLogger(__name__)
_maker = ThreadPoolExecutor(1, thread_name_prefix="lecture")
_lock = threading.Lock()
_FILES = Cache[bytes](24 * 2**20)


class _GoneError(Exception):
    """Nobody waits for the file any more."""


@dataclass(eq=False)
class Making:
    """A file on its way.

    done: how far it is, from 0 to 1. words: what is computed now. hurried: whether somebody said
    that what there is will do. content: the file, once it is there. problem: why there will
    be none, in words for a reader. looked: when somebody last asked for it.
    """

    done: float = 0.0
    words: str = _FIRST
    hurried: bool = False
    content: bytes | None = None
    problem: str = ""
    looked: float = field(default_factory=time.monotonic)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.content is not None or bool(self.problem)


_running: dict[tuple[str, str], Making] = {}


def making(lecture: Lecture, text: str, site: str, *, hurried: bool = False) -> Making:
    """Return the file of a lecture as far as it is; whoever wants it has to ask again and again.

    text: the lecture as links carry it. site: where its links lead. hurried: have all scenes in it,
    and of what their controls can reach no more than there is.
    """
    now = time.monotonic()
    with _lock:
        for key, old in tuple(_running.items()):
            if old.problem and now - old.looked > _LEFT:
                del _running[key]
        for less in (False, True)[: 1 + hurried]:
            if (kept := _FILES.get((text, site, less))) is not None:
                return Making(1.0, content=kept)
        work = _running.get((text, site))
        if work is None:
            work = _running[text, site] = Making()
            _maker.submit(_make, work, lecture, text, site)
        work.looked = now
        work.hurried |= hurried
        return work


def _make(work: Making, lecture: Lecture, text: str, site: str) -> None:
    def tell(done: float, words: str) -> None:
        work.done, work.words = done, words
        with _lock:
            if time.monotonic() - work.looked > _LEFT:
                del _running[text, site]
                raise _GoneError

    try:
        tell(0.0, "")
        content = made(
            lecture,
            _topics(),
            site=site,
            seconds=SECONDS,
            processes=idle_processors(),
            tell=tell,
            enough=lambda: work.hurried,
        )
    except _GoneError:
        return
    except LectureError as refusal:
        work.problem = str(refusal)
    except Exception as fault:
        _log.error("a lecture could not be made into a file: %s", kinds(fault))
        work.problem = _BROKEN
    else:
        with _lock:
            _FILES.add((text, site, work.hurried), content)
            work.done, work.content = 1.0, content
            del _running[text, site]


@cache
def _topics() -> Topics:
    return Topics()
