"""The last whole answers, for all readers, bounded in bytes."""

import threading
from collections import OrderedDict


class Answers:
    """Packed answers by what they depend on; those not asked for longest go first."""

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
            self.bytes += len(answer) - len(self._kept.pop(address, b""))
            self._kept[address] = answer
            while self.bytes > self._size:
                self.bytes -= len(self._kept.popitem(last=False)[1])
