"""Three ways into the app: for who learns, for who teaches, and for who checks or computes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dpviz.scene.catalogue import Entry, entry
from dpviz.scene.lectures import FIRST, shipped


@dataclass(frozen=True)
class Way:
    """A way in: key, its name; to, the page it leads to, and with what query; words, about it."""

    key: str
    label: str
    words: str
    to: Entry
    query: Mapping[str, str] = field(default_factory=dict)


def ways() -> tuple[Way, ...]:
    """Return the ways, in their order."""
    path = shipped()[FIRST]
    scenes = f"A path of {len(path.scenes)} scenes; each lets you guess first."
    first, query = entry(path.scenes[0].page), path.query(1, FIRST)
    rooms = "Lectures for a projector, and phones that answer."
    everything = "All views, theorems and words, to search."
    return (
        Way("learn", "I want to understand it", scenes, first, query),
        Way("teach", "I teach it", rooms, entry("lectures")),
        Way("check", "I work on it", everything, entry("index")),
    )
