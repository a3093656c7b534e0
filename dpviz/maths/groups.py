"""People in groups of neighbouring values."""

import numpy as np

from dpviz.results.evidence import FloatArray


def edges_around(values: FloatArray, most: int) -> FloatArray:
    """Return the ends of at most `most` + 1 groups around values, one wide, or wider ones."""
    low, high = float(values.min()), float(values.max())
    width = max(1.0, float(np.ceil((high - low) / most)))
    count = int(np.floor((high - low) / width + 0.5)) + 1
    return np.asarray(low - 0.5 + width * np.arange(count + 1), dtype=float)
