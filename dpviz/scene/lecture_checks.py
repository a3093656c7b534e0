"""What a lecture is read with: each refuses what is too long or too large, or no such thing."""

import math
import re

_UNHALVED = re.compile(r"[^\ud800-\udfff]*")


class LectureError(ValueError):
    """A lecture that can't be read, or not be packed into a link; the message says why."""


def damaged() -> LectureError:
    """Return what is said of a lecture that no dpviz has written."""
    return LectureError("The lecture in this link is damaged; ask for the link again.")


def text(value: object, longest: int) -> str:
    """Return text as it is, but neither what is too long nor halves of characters."""
    if not isinstance(value, str) or len(value) > longest or not _UNHALVED.fullmatch(value):
        raise damaged()
    return value


def whole(value: object, most: int) -> int:
    """Return a whole number from 0 to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise damaged()
    return value


def finite(value: object) -> float:
    """Return a number that is neither infinite nor none."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < math.inf:
        raise damaged()
    return float(value)
