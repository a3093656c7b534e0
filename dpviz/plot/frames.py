"""What a button plays: drawings of one figure, each as what differs from the whole one."""

from collections.abc import Mapping, Sequence
from typing import Any

from dpviz.plot.picture import Picture, picture
from dpviz.plot.schemes import inked
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme

Change = tuple[int, int, str]
"""From which part of a drawing up to which there are others, and these."""


def play(figure: Figure, made: Picture) -> dict[str, float] | None:
    """Return where the button of a figure is, in its pixels, and how long each frame stands.

    right, top: of its upper right corner. each: in milliseconds. None for a figure without one.
    """
    if not figure.frames or not figure.layout.get("updatemenus"):
        return None
    menu = figure.layout["updatemenus"][0]
    timing = menu["buttons"][0]["args"][1]
    right, top = (made.paper.at(menu[letter], "paper", letter) for letter in "xy")
    return {"right": right, "top": top + menu["pad"]["t"], "each": timing["frame"]["duration"]}


def frames(figure: Figure, theme: Theme, width: int, whole: Picture) -> list[list[Change]]:
    """Return the frames of a figure, each as its changes to the drawing of all of it."""
    parts, notes = whole.parts, dict[str, Any]()
    found = []
    for frame in figure.frames:
        notes |= frame.get("layout", {})
        still = _still(figure, frame, notes).with_exponents()
        found.append(_changes(parts, picture(still, theme, width, whole.ink.name).parts))
    return found


def _still(figure: Figure, frame: Mapping[str, Any], notes: Mapping[str, Any]) -> Figure:
    """Return a frame as a figure; notes: what of its layout is another."""
    data = list(figure.data)
    for number, now in zip(frame["traces"], frame["data"], strict=True):
        data[number] = data[number] | now
    return Figure(data).update_layout(**{**figure.layout, **notes})


def _changes(whole: Sequence[str], now: Sequence[str]) -> list[Change]:
    """Return what turns one drawing into another, from the last part to the first."""
    if len(whole) == len(now):
        pairs = enumerate(zip(whole, now, strict=True))
        return [(at, at + 1, inked(new)) for at, (old, new) in pairs if old != new]
    same = [old == new for old, new in zip(whole, now, strict=False)]
    first = same.index(False) if False in same else len(same)
    back = [old == new for old, new in zip(whole[::-1], now[::-1], strict=False)]
    last = min(back.index(False) if False in back else len(back), len(same) - first)
    middle = "".join(now[first : len(now) - last])
    return [(first, len(whole) - last, inked(middle))]
