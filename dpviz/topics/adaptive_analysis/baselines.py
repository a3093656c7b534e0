"""What the private mechanisms compete with, and the shape of Corollary 1.3."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.maths.logspace import log_failure_of_each
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate
from dpviz.topics.adaptive_analysis.transfer import ALPHA, BETA, SAMPLES


def split_sample_queries(*, samples: float, alpha: float, beta: float) -> float:
    """Return how many adaptive queries a fresh part of the sample for each can answer.

    The largest k for which k means of ⌊n/k⌋ samples each are all within α of their expectations
    but for a probability β. A query may depend on all parts before its own, yet given those its
    mean errs by more than α with probability at most 2·e^(−2⌊n/k⌋α²) (Hoeffding 1963, for all
    queries with values in [0, 1]), hence (1 − that)^k ≥ 1 − β is enough.
    Ranges as for `max_queries`; raises `ParameterError`.
    """
    n, a, b = SAMPLES.validate(samples), ALPHA.validate(alpha), BETA.validate(beta)

    def enough(k: int) -> bool:
        each = math.log(2) - 2 * (n // k) * a**2
        return each <= float(log_failure_of_each(b, k))

    low, high = 0, int(n) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return float(low)


def log_nonadaptive_queries(*, samples: float, alpha: float, beta: float) -> float:
    """Return ln k for the k queries, all fixed in advance, that means over the sample answer.

    By Hoeffding's inequality and the union bound 2k·e^(−2nα²) ≤ β. k itself soon exceeds every
    floating-point number. The bound counts whole queries only where ln k ≥ 0; below, not even
    one is answered. Ranges as for `max_queries`; raises `ParameterError`.
    """
    n, a, b = SAMPLES.validate(samples), ALPHA.validate(alpha), BETA.validate(beta)
    return 2 * n * a**2 + math.log(b / 2)


def corollary_queries(
    *, samples: ArrayLike, alpha: float, beta: float, constant: float = 1.0
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the shape of Corollary 1.3, solved for k, and where its assumption holds.

    n = C·√(k·ln(1/αβ))/α², hence k = (nα²/C)²/ln(1/αβ); C = constant is hidden in the paper.
    The assumption is αβ ≥ 4·e^(−k/(log²k·(log log k)⁴)), natural logarithms, read as failing
    where log log k ≤ 0. Raises `ParameterError`. Source: Dagan & Kur, Corollary 1.3.
    """
    n = np.asarray([SAMPLES.validate(x) for x in np.ravel(np.asarray(samples, dtype=float))])
    a, b, scale = ALPHA.validate(alpha), BETA.validate(beta), validate("constant", constant)
    log_one = math.log(1 / (a * b))
    k = (n * a**2 / scale) ** 2 / log_one
    with np.errstate(divide="ignore", invalid="ignore"):
        log_k = np.log(k)
        exponent = k / (log_k**2 * np.log(log_k) ** 4)
        holds = (log_k > 1) & (math.log(a * b / 4) >= -exponent)
    return k, holds
