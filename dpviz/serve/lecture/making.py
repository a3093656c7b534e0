"""Files of lectures made for readers: one at a time in the whole process, and kept for a while."""

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache

from dpviz.scene.lectures import Lecture, LectureError
from dpviz.serve.answers import Answers
from dpviz.serve.lecture.file import made
from dpviz.serve.topics import Topics

SECONDS = 60.0  # for the figures of a lecture
_LEFT = 20.0  # seconds without a look, after which its reader has gone
_BROKEN = "The file could not be made."

_log = logging.getLogger(__name__)
_maker = ThreadPoolExecutor(1, thread_name_prefix="lecture")
_lock = threading.Lock()
_FILES = Answers(size=24 * 2**20)


class _GoneError(Exception):
    """Nobody waits for the file any more."""


@dataclass(eq=False)
class Making:
    """A file on its way.

    done: how far it is, from 0 to 1. content: the file, once it is there. problem: why there will
    be none, in words for a reader. looked: when somebody last asked for it.
    """

    done: float = 0.0
    content: bytes | None = None
    problem: str = ""
    looked: float = field(default_factory=time.monotonic)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.content is not None or bool(self.problem)


_running: dict[tuple[str, str], Making] = {}


def making(lecture: Lecture, text: str, site: str) -> Making:
    """Return the file of a lecture as far as it is; whoever wants it has to ask again and again.

    text: the lecture as links carry it. site: where its links lead.
    """
    now = time.monotonic()
    with _lock:
        for key, old in tuple(_running.items()):
            if old.problem and now - old.looked > _LEFT:
                del _running[key]
        if (kept := _FILES.get((text, site))) is not None:
            return Making(1.0, kept)
        work = _running.get((text, site))
        if work is None:
            work = _running[text, site] = Making()
            _maker.submit(_make, work, lecture, text, site)
        work.looked = now
        return work


def _make(work: Making, lecture: Lecture, text: str, site: str) -> None:
    def tell(done: float) -> None:
        work.done = done
        with _lock:
            if time.monotonic() - work.looked > _LEFT:
                del _running[text, site]
                raise _GoneError

    try:
        content = made(lecture, _topics(), site=site, seconds=SECONDS, tell=tell)
    except _GoneError:
        return
    except LectureError as refusal:
        work.problem = str(refusal)
    except Exception:
        _log.exception("a lecture could not be made into a file")
        work.problem = _BROKEN
    else:
        with _lock:
            _FILES.add((text, site), content)
            work.done, work.content = 1.0, content
            del _running[text, site]


@cache
def _topics() -> Topics:
    return Topics()
