"""Groups of users with neighbouring sums, and one each way for those who are far from the rest."""

import numpy as np

from dpviz.maths.groups import edges_around
from dpviz.results.evidence import FloatArray

_FAR = 3.0  # interquartile ranges beyond which users share a group


def edges_of(sums: FloatArray, most: int) -> FloatArray:
    """Return the ends of at most `most` groups around most users, and of one for the rest each way.

    Users farther than three interquartile ranges from the middle half share a group of their own.
    """
    low, high = np.quantile(sums, (0.25, 0.75))
    far = _FAR * max(float(high - low), 1.0)
    usual = sums[(sums >= low - far) & (sums <= high + far)]
    edges = edges_around(usual, most - 1)
    step = edges[1] - edges[0]
    below = [edges[0] - step] if sums.min() < edges[0] else []
    above = [edges[-1] + step] if sums.max() >= edges[-1] else []
    return np.concatenate([below, edges, above])
