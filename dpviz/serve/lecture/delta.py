"""What JSON differs from other JSON in: figures of one view share most of what they say.

A difference is ["is", value], or of a mapping ["in", {place: difference}], in which ["gone"] takes
a place away, or of a list ["at", {number: difference}] or ["cut", from, to, [what comes there]].
"""

from collections.abc import Sequence
from typing import Any

Difference = list[Any] | None


def difference(old: Any, new: Any) -> Difference:
    """Return what turns `old` into `new`, None where they are equal."""
    if isinstance(old, dict) and isinstance(new, dict):
        parts: dict[str, Any] = {
            key: difference(old[key], value) if key in old else ["is", value]
            for key, value in new.items()
        }
        parts |= {key: ["gone"] for key in old if key not in new}
        changed = {key: part for key, part in parts.items() if part}
        return ["in", changed] if changed else None
    if isinstance(old, list) and isinstance(new, list):
        return _of_lists(old, new)
    same = old == new and type(old) is type(new)
    return None if same else ["is", new]


def columns(differences: Sequence[Difference]) -> dict[str, list[Difference]]:
    """Return differences of one mapping place by place: what is alike packs best side by side."""
    parts: list[dict[str, Difference]] = [{} if one is None else one[1] for one in differences]
    places = dict.fromkeys(place for part in parts for place in part)
    return {place: [part.get(place) for part in parts] for place in places}


def _of_lists(old: list[Any], new: list[Any]) -> Difference:
    if len(old) == len(new):
        pairs = enumerate(map(difference, old, new))
        altered = {str(number): part for number, part in pairs if part}
        if not altered:
            return None
        # Number by number most of a curve would take more than all of it.
        if 2 * len(altered) <= len(new) or any(isinstance(part, dict | list) for part in new):
            return ["at", altered]
    first = _alike(old, new)
    last = _alike(old[first:][::-1], new[first:][::-1])
    return ["cut", first, len(old) - last, new[first : len(new) - last]]


def _alike(old: list[Any], new: list[Any]) -> int:
    """Return how many parts at the beginning of two lists are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    others = (number for number, pair in pairs if difference(*pair) is not None)
    return next(others, min(len(old), len(new)))
