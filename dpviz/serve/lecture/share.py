"""A share of a lecture's scenes, computed one after the other: here, or in a process beside."""

import base64
import gzip
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import orjson

from dpviz.scene.lectures import LectureScene
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Progress
from dpviz.serve.lecture.scenes import (
    SceneLimits,
    begun,
    handout,
    opened,
    scene_data,
    written_data,
    written_handout,
)
from dpviz.serve.solving import given
from dpviz.serve.topics import Topics

_SPARE = 0.8  # of the room for figures that their sizes, each by itself, may add up to
_KEPT = 0.3  # of an even part of that room, which others leave to a scene
_PACKING = 9
_REACHED = 1 / 3  # of the seconds that what controls can reach has in any case
_OPENING = 0.3  # of the progress bar that belongs to the figures with which scenes open

Tell = Callable[[float, str], None]
Handout = dict[str, str]


@dataclass(frozen=True)
class Share:
    """Some scenes of a lecture, and what they may take.

    steps: by their number in the lecture, from 1. count: of the lecture's scenes. site: where links
    lead, ending in "/". seconds: for all of it, see `file.made`. room: bytes, packed,
    of figures and handouts.
    """

    steps: Mapping[int, LectureScene]
    count: int
    site: str
    seconds: float
    room: int

    def computed(
        self, topics: Topics, tell: Tell, enough: Callable[[], bool]
    ) -> dict[int, tuple[Handout, str]]:
        """Return the handout of each scene, and all that the file knows of it, packed.

        All of them open before anything else is computed. Then quick ones come first, as what they
        leave of their time is for the others. tell, enough: see `file.made`.
        """
        written = {
            number: given(step, topics.page)
            for number, step in self.steps.items()
            if step.is_written
        }
        found = {
            number: (written_handout(scene, self.site), packed(written_data(scene, self.site)))
            for number, scene in written.items()
        }
        steps = {number: step for number, step in self.steps.items() if number not in written}
        end, count = time.monotonic() + self.seconds, len(steps)
        begun_with: dict[int, tuple[Scene, Progress, Handout]] = {}
        took: dict[int, float] = {}
        for done, (number, step) in enumerate(steps.items()):
            tell(
                _OPENING * done / count,
                f"The figure with which scene {number} of {self.count} opens.",
            )
            start, scene = time.monotonic(), opened(step, topics)
            opening = begun(step, scene)  # computed once for all that shows it
            begun_with[number] = scene, opening, handout(step, scene, opening, self.site)
            took[number] = time.monotonic() - start
        # A busy machine is late by now; a file whose controls move nothing is not what was wanted.
        end = max(end, time.monotonic() + _REACHED * self.seconds)
        taken = sum(len(text) for _, text in found.values())
        room = self.room - taken - len(packed([page for *_, page in begun_with.values()]))
        least = room / max(count, 1) * _KEPT
        for done, number in enumerate(sorted(took, key=lambda number: took[number])):
            scene, opening, page = begun_with[number]

            def far(part: float, before: int = done, number: int = number) -> None:
                words = f"What the controls of scene {number} of {self.count} can reach."
                tell(_OPENING + (1 - _OPENING) * (before + part) / count, words)

            left = count - done
            until = (end - time.monotonic()) / left
            size = max(min(room / min(left, 2), room - (left - 1) * least), least)
            limits = SceneLimits(until, int(_SPARE * 3 / 4 * size), enough)
            text = packed(scene_data(self.steps[number], scene, opening, limits, far))
            found[number] = page, text
            room -= len(text)
        return found


def packed(value: object) -> str:
    """Return JSON as the file holds it."""
    data = gzip.compress(orjson.dumps(value), _PACKING, mtime=0)
    return base64.b64encode(data).decode()
