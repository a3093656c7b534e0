"""The place of a figure that is not drawn yet: as high as the view's last one was.

Whatever they show, nearly all figures of a view have one height, and the same lines below it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from dpviz.plot.legend import also_html
from dpviz.plot.schemes import inked
from dpviz.scene.scene import Scene
from dpviz.serve.lines import Drawn, Look

NARROW, TALL = Look(narrow=True, labels="few"), Look(labels="few")


@dataclass(frozen=True)
class Place:
    """Pixels of a figure's height: in a high window, in one that is lower, on a phone.

    legend: the one on a phone, as HTML; named: whether there is a line below it on a wide page.
    """

    high: int
    free: int
    low: int
    legend: str = ""
    named: bool = False

    @classmethod
    def of(cls, drawn_as: Callable[[Look], Drawn]) -> "Place":
        """Return the place of a figure, which can be drawn in any look."""
        tall, narrow = drawn_as(TALL), drawn_as(NARROW)
        high, low = _height(tall), _height(narrow)
        free = _height(drawn_as(replace(TALL, low=high)))
        return cls(high, free, low, inked(narrow.legend), bool(also_html(tall.figure)))

    def style(self, around: int) -> str:
        """Return what the style of the page has to know of it; around: pixels of all the rest."""
        heights = f"--high:{self.high}px;--free:{self.free}px;--low:{self.low}px"
        return f"{heights};--around:{around}px"


_USUAL = Place(500, 500, 330)
_KNOWN: dict[tuple[str, bool], Place] = {}  # a few for each view there is


def learn(scene: Scene, drawn_as: Callable[[Look], Drawn], *, asks: bool) -> Place:
    """Return the place of a figure of a scene, and expect the next one of its view there."""
    place = _KNOWN[scene.name, asks] = Place.of(drawn_as)
    return place


def is_known(scene: Scene, *, asks: bool) -> bool:
    """Return whether a figure of the view was drawn before."""
    return (scene.name, asks) in _KNOWN


def expected(scene: Scene, *, asks: bool) -> Place:
    """Return where the figure of a scene will be."""
    return _KNOWN.get((scene.name, asks), _USUAL)


def _height(drawn: Drawn) -> int:
    return int(drawn.figure.layout["height"])
