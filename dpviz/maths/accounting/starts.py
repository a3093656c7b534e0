"""Where a search for the least radius begins: closed forms that come near it.

Two regimes. Where many small losses add up, the noise of an answer counts by its Fisher information
I, as if it were Gaussian: R ≈ σ√I. Where δ is so small, or k so low, that one rare loss decides, it
is the largest one. Then δ/k is about the chance that an answer costs more than ε, times what is
then lost. So the loss v·f′(u) is about ε at the u beyond which that mass lies, and R ≈ f′(u)/ε. The
larger of the two errs by 2% in the median, and by less than 15% in random settings (tested). What
is found from there is certified, whatever led there.
"""

import math

from dpviz.maths.accounting.search import RootSearch
from dpviz.maths.bounded_noise import BoundedNoise

_LOST = 0.3  # of ε: about what a loss is above it where it decides, if ε is small
_RARE = -3.0  # log mass of the losses that decide alone, at most
_DEAR = -250.0  # log δ below which a certified value takes as long as many rough ones
_STEP = 1.1  # times the log mass: from there to here the slope of the search is measured


def likely_radius(
    noise: BoundedNoise,
    sigma: float,
    *,
    epsilon: float,
    delta: float,
    queries: float,
    search: RootSearch | None = None,
) -> float:
    """Return about the least radius; sigma: the least of Gaussian noise of the same privacy.

    Both are in units of the sensitivity, and no more than a start for a search. The search learns
    as well how fast δ falls there, if it is given, or comes nearer by rough values where δ is tiny.
    """
    usual = sigma * math.sqrt(noise.usual_information)
    log_mass = _deciding(epsilon, delta, queries)
    if log_mass > _RARE:
        return usual
    slope = noise.slope_beyond(log_mass)
    if slope <= epsilon * usual:
        return usual
    if search is not None and math.log(delta) < _DEAR:
        return search.approach(slope / epsilon)
    if search is not None:
        growth = math.log(noise.slope_beyond(_STEP * log_mass) / slope) / math.log(_STEP)
        search.slope = log_mass / (growth * math.log(delta))
    return slope / epsilon


def _deciding(epsilon: float, delta: float, queries: float) -> float:
    """Return the log mass of the losses that would decide alone."""
    return math.log(delta) - math.log(queries) - math.log(min(1.0, _LOST * epsilon))
