"""A probabilistic representation of the class of points, of a size that does not grow with it.

Definition 9: a random set H of hypotheses that, whatever the concept and the distribution of
examples, holds one of error at most a but with probability b. With shared coins that name H,
Algorithm 3 chooses from it (Theorem 26, Corollary 27), and the vote is about |H| hypotheses.
Lemma 10 has one of every accuracy for each class of finite dimension; this is one for points.
"""

import math

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.selection.heavy_hitters import AffineHash
from dpviz.results.parameters import LIMITS, validate


def representation_bits(bits: int, *, alpha: float, beta: float) -> int:
    """Return log₂|H| of an (α/2, β/2)-representation of the 2^d points 1[x = a], d = bits.

    Hash the points to 2^b buckets, with 2^b >= 4/(αβ); H is the indicators of all buckets but one,
    and the constant 0. If the point has mass up to α/2 the constant errs by no more. Else it lies
    in the bucket left out with probability 2^−b, and of the other points a mass of 2^−b at most
    falls into its bucket on average: more than α/2 with probability 2/(α·2^b)·(1 − α/2) (Markov).
    Together that is 2/(α·2^b) <= β/2. A class with no more points is its own representation.
    Raises `ParameterError`.
    """
    d = int(LIMITS["class_bits"].validate(bits))
    product = validate("alpha", alpha) * validate("failure_probability", beta)
    return min(math.ceil(math.log2(4 / product)), d)


def hashed_hypotheses(
    points: NDArray[np.int64], bits: int, buckets: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return the labels that H drawn from shared coins gives these points: a row for each of 2^b.

    bits: d, the points are numbers below 2^d; buckets: b <= d. Row 0 is the constant 0.
    """
    hashes = AffineHash.draw(bits, buckets, rng)(points)
    labels = hashes == np.arange(2**buckets)[:, None]
    labels[0] = False
    return np.asarray(labels)
