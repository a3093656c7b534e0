"""What machine a measurement ran on: the processor time of a fixed loop.

``python -m benchmarks.machine SECONDS`` says how many loops some seconds are here.

Figures of two days are compared as ratios to it. What else runs on the machine makes the loop take
longer, too, where processors share their caches and their heat: so it runs before and after.
"""

import sys
import time
from dataclasses import dataclass

import numpy as np

_TURNS, _SIZE = 2_000_000, 200_000


def fixed_loop() -> float:
    """Return the milliseconds of processor time of plain Python and of arrays, half of each."""
    begin = time.thread_time()
    total = 0
    for turn in range(_TURNS):
        total += turn & 7
    x = np.linspace(0.1, 1.0, _SIZE)
    for _ in range(40):
        x = np.exp(-np.sqrt(x))
    assert total > x.sum() > 0
    return 1e3 * (time.thread_time() - begin)


@dataclass(frozen=True)
class Machine:
    """How quick the machine is, as it began and as it ended: milliseconds of the fixed loop."""

    before: float
    after: float

    @property
    def loop(self) -> float:
        """Milliseconds of the fixed loop, on the whole."""
        return (self.before + self.after) / 2

    def ratio(self, milliseconds: float) -> str:
        """Return a time as so many fixed loops."""
        return f"{milliseconds / self.loop:.2f} fixed loops"

    def __str__(self) -> str:
        return f"fixed loop: {self.before:.0f} ms of processor before, {self.after:.0f} ms after"


def lasted(seconds: float) -> str:
    """Say how long something took, on this machine and as so many fixed loops."""
    loop = fixed_loop()
    return f"{seconds:.0f} s, {1e3 * seconds / loop:,.0f} fixed loops of {loop:.0f} ms"


if __name__ == "__main__":
    print(lasted(float(sys.argv[1])))
