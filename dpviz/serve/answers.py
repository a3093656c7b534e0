"""The last whole answers, for all readers, bounded in bytes and in number."""

import threading
from collections import OrderedDict

_ENTRY = 500  # bytes that an entry takes beside what it holds


class Answers:
    """Packed answers by what they depend on; those not asked for longest go first.

    size: bytes of all of them, with what they depend on, which links may make long. bytes: how many
    there are.
    """

    def __init__(self, size: int) -> None:
        self._size, self.bytes = size, 0
        self._kept: OrderedDict[object, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, address: object) -> bytes | None:
        """Return an answer, if it is still there."""
        with self._lock:
            if address in self._kept:
                self._kept.move_to_end(address)
            return self._kept.get(address)

    def add(self, address: object, answer: bytes) -> None:
        """Keep an answer."""
        with self._lock:
            if (before := self._kept.pop(address, None)) is not None:
                self.bytes -= _weight(address, before)
            self._kept[address] = answer
            self.bytes += _weight(address, answer)
            while self.bytes > self._size:
                self.bytes -= _weight(*self._kept.popitem(last=False))


def _weight(address: object, answer: bytes) -> int:
    return len(answer) + len(repr(address)) + _ENTRY
