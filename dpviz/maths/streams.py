"""Chance that moves with nothing but its place: common random numbers for simulated curves."""

import numpy as np


class Streams:
    """Chance for every run at every place, all from one generator.

    What happens at one place depends on the place and on nothing else: where the reader's own place
    is moved, the points of all others stay where they are. base: what all of it follows from.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.base = int(rng.integers(2**63))

    def at(self, run: int, *places: float) -> np.random.Generator:
        """Return the generator of one run at one place, marked by numbers other than 0."""
        bits = np.array(places, dtype=np.float64).view(np.uint64).tolist()
        return np.random.default_rng([self.base, run, *bits])
