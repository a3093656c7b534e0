"""What a hand on a figure has chosen there: groups of people, and a place that no control knows."""

from dataclasses import dataclass

_MOST = 4  # digits of a number


@dataclass(frozen=True)
class Hand:
    """What is chosen.

    groups: the first and the last of them, None for everybody. place: among the stops of what only
    the figure shows, None where it is as usual.
    """

    groups: tuple[int, int] | None = None
    place: int | None = None

    @classmethod
    def read(cls, groups: str, place: str) -> "Hand":
        """Read what an address says, "2-5" and "17"; what cannot be read is left out."""
        ends = [_whole(text) for text in groups[: 2 * _MOST + 1].split("-")]
        first, last = ends if len(ends) == 2 else (None, None)
        if first is None or last is None or first > last:
            return cls(None, _whole(place))
        return cls((first, last), _whole(place))

    def among(self, groups: int, places: int = 1) -> "Hand":
        """Return what there is of it where there are so many groups, and places."""
        chosen, place = self.groups, self.place
        if chosen is not None:
            chosen = (chosen[0], min(chosen[1], groups - 1)) if chosen[0] < groups else None
        return Hand(chosen, None if place is None else min(place, places - 1))


NOBODY = Hand()


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST else None
