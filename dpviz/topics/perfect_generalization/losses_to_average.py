r"""How far the output on one sample is from the average output: perfect generalization, exactly.

x holds n independent Bernoulli(rate) bits, A(x) is their sum s plus two-sided geometric noise, and
Ā is what A outputs on a sample nobody has seen: the mixture of all A(x). Outputs are compared with
Ā, which is Definition 29 of Ghazi, Kamath et al. 2023 with the average output as SIM. Neighbouring
data sets differ in one bit (substitute).

**Sets.** The noise has masses ∝ e^(−ε|k|), so Ā(o)/A(s)(o) falls in o up to s and rises from there:
every term of the mixture does. Below the lowest sum that occurs, and above the highest, the ratio
is constant, so that these outputs are one each. Hence {Ā < t·A(s)} is an interval around s, whose
ends two searches find; its masses, and those of the rest, are closed for A(s), and sums of positive
terms from both ends for Ā.

**ε′.** d_e(P‖Q) ≤ δ′ says P(I) − e^e·Q(I) ≤ δ′ for every set I, so the least e is the largest
ln((P(I) − δ′)/Q(I)) over the sets {Q < t·P}. Dinkelbach's iteration finds it: from a set to its e,
from that e to its set, upwards, until nothing moves, with a bisection beside it. No difference of
nearly equal divergences is formed, so a δ′ of 1e-30 costs no digits.

Sums of a probability below e^−640 are left out, as in `dpviz.maths.lattice_law`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded

from dpviz.maths.lattice_law import LatticeLaw, binomial_law
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate
from dpviz.results.refining import pause

_RARE = 1e-9  # of β: the share of samples that are not looked at, but counted as far away

Places = NDArray[np.intp]


def average_quantile(
    *, samples: float, rate: float, epsilon: float, delta: float, failure_probability: float
) -> float:
    """Return the least ε′ with Pr[A(x) ≈_{ε′,δ′} Ā] ≥ 1 − β for geometric noise of `epsilon`.

    delta: δ′; failure_probability: β. Raises `ParameterError`.
    """
    n, p = int(validate("samples", samples)), validate("rate", rate)
    beta = validate("failure_probability", failure_probability)
    law = binomial_law(n, p)
    masses = np.exp(law.log_pmf)
    rare = _RARE * beta / 2
    low = int(np.searchsorted(np.cumsum(masses), rare))
    high = masses.size - int(np.searchsorted(np.cumsum(masses[::-1]), rare))
    losses = losses_to_average(law, law.values[low:high], epsilon=epsilon, delta=delta)
    order = np.argsort(losses)
    seen = masses[low:high][order]
    above = np.append(np.cumsum(seen[:0:-1])[::-1], 0.0) + 2 * rare
    return float(losses[order][int(np.argmax(above <= beta))])


def losses_to_average(
    law: LatticeLaw, sums: FloatArray, *, epsilon: float, delta: float
) -> FloatArray:
    """Return, for each of the sums, the least ε′ ≥ 0 with A(s) ≈_{ε′,δ′} Ā, both ways.

    law: of the sum, so that Ā is its mixture; sums: of those with mass. Raises `ParameterError`.
    """
    average = _Average.of(law, validate("epsilon", epsilon))
    places = (np.asarray(sums) - law.first).astype(np.intp)
    allowed = validate("closeness_delta", delta)
    first, last = (average.log_ratio(end, places) for end in (0, law.log_pmf.size - 1))
    return np.maximum(
        _largest(
            lambda e: average.from_sum(places, e, allowed), -average.log_ratio(places, places)
        ),
        _largest(lambda e: average.from_average(places, e, allowed), np.maximum(first, last)),
    )


def _largest(improved: Callable[[FloatArray], FloatArray], most: FloatArray) -> FloatArray:
    """Return the ε′ below which `improved` returns more than it is given, and from which not.

    A step of Dinkelbach's iteration from below, and one in the middle of what is left, in turn: the
    first finds the end exactly, the second reaches it where each step of the first is small.
    most: from where nothing is larger.
    """
    least, most = np.zeros_like(most), np.maximum(most, 0) * (1 + 1e-12)
    while np.any(most > least):
        pause()
        better = improved(least)
        if not np.any(better > least * (1 + 1e-15)):
            break
        least = np.maximum(least, better)
        middle = (least + most) / 2
        better = improved(middle)
        larger = better > middle
        least = np.where(larger, better, least)
        most = np.where(larger, most, middle)
        if np.all(most - least <= 4e-16 * most):
            break
    return least


@dataclass(frozen=True, eq=False)
class _Average:
    """Ā on the outputs 0 … last: smaller ones count as 0, larger ones as `last`.

    log_scaled: ln of its masses over that of no noise; below, above: its mass up to an output, and
    from it on, each with a 0 where nothing is left.
    """

    epsilon: float
    log_scaled: FloatArray
    below: FloatArray
    above: FloatArray

    @classmethod
    def of(cls, law: LatticeLaw, epsilon: float) -> "_Average":
        """Return the mixture of the noisy sums under a law."""
        pmf, a = np.exp(law.log_pmf), math.exp(-epsilon)
        left, right = _faded(pmf, a), _faded(pmf[::-1], a)[::-1]
        scaled = left + a * np.append(right[1:], 0.0)
        masses = scaled * (-math.expm1(-epsilon) / (1 + a))
        masses[[0, -1]] = right[0] / (1 + a), left[-1] / (1 + a)
        below, above = np.cumsum(masses), np.cumsum(masses[::-1])[::-1]
        return cls(epsilon, np.log(scaled), np.append(0.0, below), np.append(above, 0.0))

    def from_sum(self, sums: Places, loss: FloatArray, delta: float) -> FloatArray:
        """Return ln((A(s)(I) − δ′)/Ā(I)) for I = {Ā < e^−loss·A(s)}; −inf where A(s)(I) ≤ δ′."""
        low, high = self._interval(sums, -loss)
        a, last = math.exp(-self.epsilon), self.log_scaled.size - 1
        sides = [
            np.where(end, 1.0, -np.expm1(-self.epsilon * steps))
            for end, steps in ((low == 0, sums - low), (high == last, high - sums))
        ]
        own = (-math.expm1(-self.epsilon) + a * (sides[0] + sides[1])) / (1 + a)
        from_left = self.below[high + 1] < self.above[low]
        average = np.where(
            from_left,
            self.below[high + 1] - self.below[low],
            self.above[low] - self.above[high + 1],
        )
        return _log_ratio(own - delta, np.log(average))

    def from_average(self, sums: Places, loss: FloatArray, delta: float) -> FloatArray:
        """Return ln((Ā(J) − δ′)/A(s)(J)) for J = {Ā > e^loss·A(s)}; −inf where Ā(J) ≤ δ′."""
        low, high = self._interval(sums, loss)
        last = self.log_scaled.size - 1
        tails = [
            np.where(end, -np.inf, -self.epsilon * (steps + 1.0))
            for end, steps in ((low == 0, sums - low), (high == last, high - sums))
        ]
        own = np.logaddexp(*tails) - math.log1p(math.exp(-self.epsilon))
        return _log_ratio(self.below[low] + self.above[high + 1] - delta, own)

    def log_ratio(self, output: Places | int, sums: Places) -> FloatArray:
        """Return ln(Ā/A(s)) at an output: least at s, largest at an end."""
        ratio: FloatArray = self.log_scaled[output] + self.epsilon * abs(output - sums)
        return ratio

    def _interval(self, sums: Places, most: FloatArray) -> tuple[Places, Places]:
        """Return the first and the last output with ln(Ā/A(s)) ≤ most; s itself counts."""

        def end(outer: Places) -> Places:
            inner = sums  # within; beyond `outer` nobody looks
            away = np.sign(outer - sums)
            while np.any(apart := abs(outer - inner) > 0):
                middle = inner + away * ((abs(outer - inner) + 1) // 2)
                within = apart & (self.log_ratio(middle, sums) <= most)
                inner = np.where(within, middle, inner)
                outer = np.where(apart & ~within, middle - away, outer)
            return inner

        first = np.zeros_like(sums)
        return end(first), end(first + self.log_scaled.size - 1)


def _faded(masses: FloatArray, a: float) -> FloatArray:
    """Return Σ_{j ≤ o} a^(o−j)·masses_j for each o: y_o = masses_o + a·y_{o−1}, all positive."""
    bands = np.ones((2, masses.size))
    bands[1] = -a
    faded: FloatArray = solve_banded((1, 0), bands, masses, check_finite=False)
    return faded


def _log_ratio(numerator: FloatArray, log_denominator: FloatArray) -> FloatArray:
    """Return ln(numerator) less the other logarithm, −inf where there is no numerator."""
    left = numerator > 0
    return np.where(left, np.log(np.where(left, numerator, 1.0)) - log_denominator, -np.inf)
