"""What all but a share β of simulated values do not exceed, with its interval of confidence."""

import math

import numpy as np
from scipy.stats import binom

from dpviz.results.evidence import FloatArray

BETA = 0.05
"""The share of data sets, or of pairs of samples, on which a value may be larger."""


def quantile_interval(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the 1 − β quantile of each column, and an interval of confidence 95% for it.

    The interval's ends are order statistics (binomial law of how many values are below).
    """
    runs, share = len(values), 1 - BETA
    ordered = np.sort(values, axis=0)
    low = int(binom.ppf(0.025, runs, share)) - 1
    high = int(binom.ppf(0.975, runs, share))
    top = ordered[high] if high < runs else np.full(ordered.shape[1], math.nan)
    return ordered[min(math.ceil(share * runs), runs) - 1], ordered[max(low, 0)], top
