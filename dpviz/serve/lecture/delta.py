"""What JSON differs from other JSON in: figures of one view share most of what they say.

A difference is ["is", value], or ["in", {place: difference}, [places that are gone]] for a mapping,
or ["at", {number: difference}] for a list of the same length.
"""

from typing import Any


def difference(old: Any, new: Any) -> list[Any] | None:
    """Return what turns `old` into `new`, None where they are equal."""
    if isinstance(old, dict) and isinstance(new, dict):
        parts = {key: difference(old[key], new[key]) for key in new if key in old}
        changed = {key: part for key, part in parts.items() if part}
        changed |= {key: ["is", value] for key, value in new.items() if key not in old}
        gone = [key for key in old if key not in new]
        return ["in", changed, gone] if changed or gone else None
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(map(difference, old, new))
        altered = {str(number): part for number, part in pairs if part}
        return ["at", altered] if altered else None
    same = old == new and type(old) is type(new)
    return None if same else ["is", new]
