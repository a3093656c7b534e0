"""The expected divergence of the outputs on two fresh samples, Lemma 14, along ε′."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpviz.maths.distance_mechanism import DistanceMechanism
from dpviz.maths.finite_exponential import FiniteExponential, Mechanism
from dpviz.maths.generalization_bounds import lemma_14_derived
from dpviz.maths.lattice_law import walk_law
from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.results.refining import pause
from dpviz.topics.perfect_generalization.item_privacy import item_privacy
from dpviz.topics.perfect_generalization.named_mechanisms import check_samples, named_mechanism

_POINTS = 61
_FEW_POINTS = 13  # where each is a sum over pairs of sums
_CELLS = 20_000  # of a table of divergences computed at once
_GROUPS = 2000  # of distances; of more, neighbours are taken together
LEAST = 1e-15
"""Divergences below are not told."""
DRAWN = 1e-6
"""Down to here divergences are drawn."""
_FALL = 10.0 ** -np.arange(1.0, 8.0)  # divergences of the most unlike data sets that are on x
_NEAREST = 1e-6  # ε′ from which the axis begins at most, where δ alone covers one item
_SEEN = -60.0  # log masses of distances below are far smaller than what is drawn


@dataclass(frozen=True, eq=False, kw_only=True)
class ExpectedChart(Chart):
    """E[d_ε′(A(x)‖A(x'))] along ε′, beside the bound of the proof and the most unlike data sets.

    expected, proven, worst: at the reader's ε′. later: what is proven at the largest ε′. allowed:
    δ′. samples: n.
    """

    expected: float
    proven: float
    later: float
    worst: float
    allowed: float
    samples: int


def expected_divergence(
    *,
    mechanism: str,
    samples: float,
    epsilon: float,
    sigma: float,
    delta: float,
    rate: float,
    closeness_delta: float,
    closeness_epsilon: float,
) -> ExpectedChart:
    """Return the expected divergence of a named mechanism.

    The arguments are those of `how_close_how_likely`.
    A sum over the law of the distance, or over all pairs of sums: exact, but for many thousands of
    distances, which are taken together and bounded from both sides. closeness_epsilon: the
    reader's ε′. Raises `ParameterError`.
    """
    check_samples(mechanism, samples)
    chosen = named_mechanism(mechanism, samples=samples, epsilon=epsilon, sigma=sigma)
    n, p = int(validate("samples", samples)), validate("rate", rate)
    allowed = validate("closeness_delta", closeness_delta)
    here = validate("closeness_epsilon", closeness_epsilon)
    privacy = item_privacy(chosen, np.array([float(n)]), delta=allowed, item_delta=delta)
    needed = float(privacy.epsilon[0])
    unit = max(needed, _NEAREST)
    ends = math.log(unit / 3), math.log(4 * unit * n)
    points = _FEW_POINTS if isinstance(chosen, FiniteExponential) else _POINTS
    x = np.unique([*np.exp(np.linspace(*ends, points)), here, *_fall(chosen, n)])
    pause()
    low, expected = mean_divergence(chosen, n, p, x)
    pause()
    worst = _worst(chosen, n, x)
    log_proven = lemma_14_derived(n, epsilon=needed, log_delta=float(privacy.log_delta[0]), loss=x)
    # the bound grows again with e^ε′·n·δ, but no divergence grows with ε′
    proven = np.exp(np.minimum.accumulate(log_proven))
    place = int(np.searchsorted(x, here))
    return ExpectedChart(
        x=Axis("closeness_epsilon", "Privacy loss at which two outputs count as close, ε′"),
        y=Axis("divergence", "Probability beyond ε′ (δ), on average over pairs", least=DRAWN),
        curves=_curves(x, low, expected, proven, worst),
        here=here,
        in_headline=("exact", "worst"),
        expected=float(expected[place]),
        proven=float(proven[place]),
        later=float(proven[-1]),
        worst=float(worst[place]),
        allowed=allowed,
        samples=n,
    )


def mean_divergence(
    mechanism: Mechanism, samples: int, rate: float, losses: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return E[d_ε′(A(x)‖A(x'))] for each ε′ of `losses`, from below and from above."""
    if isinstance(mechanism, RandomizedResponse):
        exact = np.array(list(_mean_of_response(mechanism, samples, rate, losses)))
        return exact, exact
    if isinstance(mechanism, FiniteExponential):
        exact = np.array(list(_mean_of_choice(mechanism, samples, rate, losses)))
        return exact, exact
    law = mechanism.distance_law(samples, rate)
    seen = law.log_pmf > _SEEN
    apart, masses = law.values[seen], np.exp(law.log_pmf[seen])
    first = np.arange(0, apart.size, math.ceil(apart.size / _GROUPS))
    last = np.append(first[1:], apart.size) - 1  # the divergence grows with the distance
    grouped = np.add.reduceat(masses, first)
    low, high = (
        np.array(list(_mean_of_groups(mechanism, grouped, ends, losses)))
        for ends in (apart[first], apart[last])
    )
    return low, high


def _mean_of_groups(
    mechanism: DistanceMechanism, masses: FloatArray, distances: FloatArray, losses: FloatArray
) -> Iterator[float]:
    """Yield the expectation over distances with these masses."""
    for few in np.array_split(losses, math.ceil(losses.size * distances.size / _CELLS)):
        pause()
        apart = mechanism.log_divergence(distances, epsilon=few[:, None])
        yield from (np.exp(apart) @ masses).tolist()


def _mean_of_choice(
    mechanism: FiniteExponential, samples: int, rate: float, losses: FloatArray
) -> Iterator[float]:
    """Yield the expectation over all pairs of sums for a choice among candidates."""
    law = mechanism.pairs(samples, rate)
    masses = np.exp(np.add.outer(law.log_pmf, law.log_pmf))
    for allowed in losses:
        pause()
        apart = mechanism.log_divergence(law.values[:, None], law.values, epsilon=allowed)
        yield float((masses * np.exp(apart)).sum())


def _mean_of_response(
    mechanism: RandomizedResponse, samples: int, rate: float, losses: FloatArray
) -> Iterator[float]:
    """Yield the expectation over pairs of samples for randomised response.

    Bit by bit: with probability q = 2p(1 − p) the samples differ there, and then the answer is the
    true one with probability e^ε/(1 + e^ε), a loss of ε, or else of −ε. So the whole loss is a
    walk.
    """
    differ, kept = 2 * rate * (1 - rate), float(expit(mechanism.epsilon))
    law = walk_law(samples, up=differ * kept, down=differ * (1 - kept))
    loss, masses = mechanism.epsilon * law.values, np.exp(law.log_pmf)
    for allowed in losses:
        more = loss > allowed
        yield float(masses[more] @ -np.expm1(allowed - loss[more]))


def _worst(mechanism: Mechanism, samples: int, losses: FloatArray) -> FloatArray:
    """Return d_ε′ of the two most unlike data sets: all items at one end, or all at the other."""
    if isinstance(mechanism, FiniteExponential):
        ends = np.array([0.0, float(samples)])
        far = [mechanism.log_divergence(ends, ends[::-1], epsilon=e).max() for e in losses]
        return np.exp(far)
    return np.exp(mechanism.log_divergence(mechanism.most_apart(samples), epsilon=losses))


def _fall(mechanism: Mechanism, samples: int) -> list[float]:
    """Return where d_ε′ of the two most unlike data sets falls, for pure mechanisms at once."""
    if isinstance(mechanism, FiniteExponential):
        ends = [0.0], [float(samples)]
        found = [float(mechanism.least_epsilon(*ends, delta=d)[0, 0]) for d in _FALL]
    else:
        found = [
            float(mechanism.least_epsilon(float(mechanism.most_apart(samples)), delta=d))
            for d in _FALL
        ]
    return [one for one in found if one > 0]


def _curves(
    x: FloatArray, low: FloatArray, high: FloatArray, proven: FloatArray, worst: FloatArray
) -> tuple[Curve, ...]:
    own = Source("dpviz.topics.perfect_generalization", "all pairs of samples")
    proof = Source(UL, "proof of Lemma 14, constants reconstructed")
    exact = bool(np.array_equal(low, high))

    def shown(y: FloatArray) -> FloatArray:
        return np.where(y > LEAST, y, np.nan)

    return (
        Curve(
            "exact",
            "two fresh samples",
            Subject.ITEM_LEVEL,
            Evidence.EXACT if exact else Evidence.CERTIFIED,
            own,
            x,
            shown(high),
            lower=None if exact else shown(low),
            upper=None if exact else shown(high),
        ),
        Curve(
            "derived",
            "Lemma 14, its proof's constants",
            Subject.USER_LEVEL,
            Evidence.UPPER,
            proof,
            x,
            shown(proven),
        ),
        Curve(
            "worst",
            "the most unlike data sets",
            Subject.EARLIER,
            Evidence.EXACT,
            own,
            x,
            shown(worst),
        ),
    )
