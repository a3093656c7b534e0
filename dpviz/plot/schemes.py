"""One drawing for the light and the dark scheme: the browser takes the colours of the reader's."""

import re
from collections.abc import Mapping

_COLOR = re.compile(r"(#[0-9a-f]{6}(?:[0-9a-f]{2})?\b)")
_PALE = re.compile(r'fill="(#[0-9a-f]{6})" fill-opacity="([\d.]+)"')

Pairs = Mapping[str, str]


def pairs(light: str, dark: str) -> Pairs | None:
    """Return the dark colour for each light one, None where more than colours differs."""
    one, other = _parts(light), _parts(dark)
    if one[::2] != other[::2]:
        return None
    found: dict[str, str] = {}
    for a, b in zip(one[1::2], other[1::2], strict=True):
        if found.setdefault(a, b) != b:
            return None
    return found


def in_both(light: str, known: Pairs) -> str | None:
    """Return markup with the colours of both, None where it has one of which that is not known.

    What takes it says ``color-scheme: light dark``.
    """
    parts = _parts(light)
    if not known.keys() >= set(parts[1::2]):
        return None
    parts[1::2] = [a if a == known[a] else f"light-dark({a},{known[a]})" for a in parts[1::2]]
    return "".join(parts)


def _parts(markup: str) -> list[str]:
    return _COLOR.split(_PALE.sub(_whole, markup))


def _whole(found: re.Match[str]) -> str:
    """Return a pale colour as one, with how much of it there is."""
    return f'fill="{found[1]}{round(255 * float(found[2])):02x}"'
