"""The placeholder of a figure that is not drawn yet: as high as the view's last one was.

Whatever they show, nearly all figures of a view have one height, and the same lines below it.
Before a server has drawn any, a file of the tree tells how high each is as its view opens; `make
placeholders` writes it anew.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from dpviz.plot.legend import also_html
from dpviz.plot.schemes import inked
from dpviz.results.folders import ASSETS
from dpviz.scene.scene import Scene
from dpviz.serve.lines import Drawn, Look


@dataclass(frozen=True)
class Placeholder:
    """Pixels of a figure's height: in a high window, in one that is lower at most, on a phone.

    legend: the one on a phone, as HTML; named: whether there is a line below it on a wide page;
    sentence: the words above it as the view opens, which take as many lines as others of it.
    """

    high: int
    free: int
    low: int
    legend: str = ""
    named: bool = False
    sentence: str = ""

    @classmethod
    def of(cls, drawn_as: Callable[[Look], Drawn], look: Look) -> "Placeholder":
        """Return that of a figure, which can be drawn in any look; look: its usual one."""
        tall, narrow = drawn_as(look), drawn_as(replace(look, narrow=True))
        high, low = _height(tall), _height(narrow)
        free = _height(drawn_as(replace(look, low=_AMPLE)))
        return cls(high, free, low, inked(narrow.legend), bool(also_html(tall.figure)))

    @property
    def style(self) -> str:
        """What the style of the page has to know of it."""
        return f"--high:{self.high}px;--free:{self.free}px;--low:{self.low}px"


FILE = ASSETS / "placeholders.json"

_AMPLE = 640  # pixels that the highest of the lower windows leaves: dpviz/scripts/address.js
_USUAL = Placeholder(500, 500, 330)
_LATEST: dict[tuple[str, Look], Placeholder] = {}  # a few for each view there is


def usual(look: Look) -> Look:
    """Return the look by which the placeholder is measured, of all that can be asked for."""
    return Look(ask=look.ask, labels="only" if look.labels == "only" else "few")


def learn(scene: Scene, drawn_as: Callable[[Look], Drawn], look: Look) -> Placeholder:
    """Return the placeholder of a scene's figure, and expect the next one of its view there."""
    placeholder = _LATEST[scene.name, look] = Placeholder.of(drawn_as, look)
    return placeholder


def is_known(scene: Scene, look: Look) -> bool:
    """Return whether a figure of the view was drawn before."""
    return (scene.name, look) in _LATEST


def expected(scene: Scene, look: Look) -> Placeholder:
    """Return the placeholder of the figure that a scene will have.

    Its words are those of the tree, never what another reader was told.
    """
    opening = _opening().get(scene.name, _USUAL)
    return replace(_LATEST.get((scene.name, look), opening), sentence=opening.sentence)


@cache
def _opening() -> dict[str, Placeholder]:
    """Return the placeholders of all views as they open, by name."""
    return {name: Placeholder(**each) for name, each in json.loads(FILE.read_bytes()).items()}


def _height(drawn: Drawn) -> int:
    return int(drawn.figure.layout["height"])
