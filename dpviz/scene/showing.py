"""How a page is shown, as its address says: to whom, and at which scene of which lecture.

No Streamlit here: the page that stands asks the same as the live one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dpviz.plot.focus import Labels
from dpviz.scene.catalogue import Entry, entry
from dpviz.scene.lectures import TEXT, Lecture, LectureScene, unpack
from dpviz.scene.scene import Scene

_END = TEXT  # the page on which a lecture asks its questions, too


@dataclass(frozen=True)
class LecturePosition:
    """Where a reader is in a lecture.

    text: the lecture as links carry it. number: from 1; one more than there are scenes where the
    questions at the end are asked. presenting: whether a class sees it.
    """

    lecture: Lecture
    text: str
    number: int
    presenting: bool = False

    @property
    def scene(self) -> LectureScene:
        """The scene that is shown."""
        return self.lecture.scenes[self.number - 1]

    @property
    def at_end(self) -> bool:
        """Whether the questions at the end are asked."""
        return self.number > len(self.lecture.scenes)

    @property
    def last(self) -> int:
        """The number of the last scene, or of the questions after it."""
        return len(self.lecture.scenes) + bool(self.lecture.questions)

    @property
    def heading(self) -> str:
        """What stands above the page."""
        return "What did you see?" if self.at_end else self.scene.prompt

    @property
    def how_far(self) -> str:
        """Which scene of how many it is."""
        return "the end" if self.at_end else f"{self.number} of {len(self.lecture.scenes)}"

    @property
    def alone(self) -> bool:
        """Whether this is for a reader alone: a scene of one control, or the end of such."""
        return not self.presenting and (self.at_end or bool(self.scene.control))

    @property
    def notes(self) -> str:
        """What the lecturer says here; a reader alone has no lecturer."""
        return "" if self.at_end or self.alone else self.scene.notes

    def link(self, number: int, *, again: bool = False) -> tuple[Entry, dict[str, str]]:
        """Return the page of another scene, or of the end, and the query that opens it there.

        again: to look at what was revealed before.
        """
        present = {"present": "1"} if self.presenting else {}
        if number > len(self.lecture.scenes):
            where = {"lecture": self.text, "scene": str(number)}
            return entry(_END), where | present
        scene = self.lecture.scenes[number - 1]
        query = self.lecture.query(number, self.text) | present
        if again:
            query.pop("ask", None)
        return entry(scene.page), query

    def control(self, scene: Scene) -> str:
        """Return the one parameter a reader moves in a scene, "" on a page as it is."""
        if self.at_end or self.scene.page != scene.page.slug:
            return ""
        key = self.scene.control
        return key if key in scene.view.parameters and key not in scene.idle else ""


def position(slug: str | None, modes: Mapping[str, str]) -> LecturePosition | None:
    """Return where a page is in a lecture; raise `LectureError` where that cannot be followed.

    modes: what its address says of `dpviz.scene.codec.MODES`.
    """
    if "lecture" not in modes:
        return None
    lecture = unpack(modes["lecture"])
    text = modes.get("scene", "1")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 1
    within = min(max(number, 1), len(lecture.scenes))
    found = LecturePosition(lecture, modes["lecture"], within, modes.get("present") == "1")
    is_text = found.number == number and found.scene.is_written
    if lecture.questions and slug == _END and not is_text:
        return replace(found, number=len(lecture.scenes) + 1)
    return found


@dataclass(frozen=True)
class Showing:
    """How a page is shown.

    asks: whether the reader is to predict first. only: the one control that is there, "" for a page
    as it is. presenting: large, for a class. position: where it is in a lecture. modes: what its
    address says of `MODES`. within: "" but in another site's page, where the scheme that it asks
    for is named: "light", "dark" or "any".
    """

    asks: bool = False
    only: str = ""
    presenting: bool = False
    position: LecturePosition | None = None
    modes: Mapping[str, str] = field(default_factory=dict)
    within: str = ""

    @property
    def labels(self) -> Labels:
        """Of which curves there are labels."""
        return "only" if self.only else "few"

    @property
    def alone(self) -> bool:
        """Whether this is for a reader alone, on a path."""
        return self.position is not None and self.position.alone

    @property
    def step(self) -> str:
        """The number of the scene of a lecture, as its address says it."""
        return self.modes.get("scene", "")

    @property
    def has_steps(self) -> bool:
        """Whether there are ways to the next step and back."""
        return self.presenting or self.position is not None


AS_IT_IS = Showing()


def showing(slug: str, modes: Mapping[str, str], scene: Scene | None) -> Showing:
    """Return how a page is shown at an address; raise `LectureError` as `position` does."""
    found = position(slug, modes)
    asks = modes.get("ask") == "1" and scene is not None and scene.prediction is not None
    only = found.control(scene) if found is not None and scene is not None else ""
    return Showing(asks, only, modes.get("present") == "1", found, dict(modes))
