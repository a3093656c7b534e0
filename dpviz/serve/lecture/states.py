"""Which states a scene in a file can be moved to: one control at a time, coarse to fine."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from dpviz.scene.codec import Choice, Flag, Number, Parameter, Seed, Value
from dpviz.scene.ranges import description
from dpviz.scene.scene import Scene

_DRAWS = 6  # further seeds of a random figure
_HALVINGS = 5  # how often the way of a slider is halved


def controls(scene: Scene, only: str = "") -> tuple[Parameter, ...]:
    """Return the parameters whose controls stand in front of a class and do something.

    only: the one of them that a scene of a lecture has, "" for all.
    """
    idle = scene.idle
    keys = (only,) if only in scene.view.parameters else scene.in_front
    return tuple(scene.parameter(key) for key in keys if key not in idle)


def others(scene: Scene, parameter: Parameter) -> Sequence[Value]:
    """Return the other values of a control: of a slider first its ends, then ever finer ones."""
    now = scene.values[parameter.key]
    values: Sequence[Value]
    match parameter:
        case Seed(limit=limit):
            count = int(limit.maximum) + 1
            values = [(int(now) + step) % count for step in range(1, _DRAWS + 1)]
        case Number(limit=limit):
            texts = [parameter.write(value) for value in limit.grid]
            values = [parameter.read(texts[at], now)[0] for at in halved(len(texts))]
        case Choice(key=key, options=options):
            values = list(scene.offers.get(key, options))
        case Flag():
            values = [not now]
        case _:
            raise TypeError(f"no control for {type(parameter).__name__}")
    return [value for value in values if value != now]


def halved(count: int) -> list[int]:
    """Return places of a row: its ends, its middle, the middles between them, and so on."""
    found: dict[int, None] = {}
    for parts in (2**power for power in range(_HALVINGS + 1)):
        found |= dict.fromkeys(round(part * (count - 1) / parts) for part in range(parts + 1))
    return list(found)


def moved(scene: Scene, key: str, value: Value) -> Scene:
    """Return a scene after one of its controls has been moved, as the page would show it."""
    return Scene.settled(scene.page, {**scene.values, key: value})


def reachable(scene: Scene, only: str = "") -> Iterator[tuple[Parameter, Value]]:
    """Yield what each control can be moved to, all of them in turn."""
    ways = [
        [(control, value) for value in others(scene, control)] for control in controls(scene, only)
    ]
    for turn in zip_longest(*ways):
        yield from (step for step in turn if step is not None)


def described(parameter: Parameter, texts: Sequence[str]) -> dict[str, Any]:
    """Return what the file must know of a control that can take these values, in order."""
    match parameter:
        case Seed():
            return {"kind": "seed", "key": parameter.key, "values": texts}
        case Number(limit=limit):
            grid, about = sorted(texts, key=float), description(limit)
            low, high = float(grid[0]), float(grid[-1])
            ticks = [tick for tick in about["ticks"] if low <= tick[0] <= high]
            own = {"grid": grid, "ticks": ticks}  # the way of the slider ends where its values do
            return {"kind": "range", "key": parameter.key, **about, **own}
        case Choice(key=key, label=label, options=options):
            offered = {text: words for text, words in options.items() if text in texts}
            return {"kind": "choice", "key": key, "label": label, "options": offered}
        case Flag(key=key, label=label):
            return {
                "kind": "choice",
                "key": key,
                "label": label,
                "options": {"0": "no", "1": "yes"},
            }
    raise TypeError(parameter)
