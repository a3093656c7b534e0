r"""Several mechanisms together: ε for δ, δ for ε, or how many more answers fit.

`dpviz.compose` and the command `dpviz compose` are `compose`. Answers may be chosen adaptively.
What one mechanism is told is in `dpviz.maths.mechanisms`, how losses are added up in
`dpviz.maths.composed_losses`. Gaussian answers alone have a closed form (Balle & Wang 2018, Theorem
8, with μ² added up), bounded noise of one kind alone the accountant of
`dpviz.maths.accounting.calibration`, pure guarantees at δ = 0 the sum of their ε.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy

from dpviz.maths import composed_losses
from dpviz.maths.accounting import calibration, inverse
from dpviz.maths.composed_losses import Composed, Group, onto
from dpviz.maths.gaussian import least_epsilon, log_delta_of_mu
from dpviz.maths.logspace import log1mexp
from dpviz.maths.mechanisms import (
    EXAMPLE,
    MOST_BINS,
    BoundedAnswers,
    LossRegion,
    Mechanism,
    read_mechanism,
)
from dpviz.results.answer import Answer, Parameters
from dpviz.results.ends import told_apart
from dpviz.results.evidence import Bracket, Evidence, Source
from dpviz.results.limit import Limit
from dpviz.results.parameters import LIMITS, WIDE_EPSILON, ParameterError

GAUSSIAN = Source("Balle & Wang 2018", "Theorem 8, with μ² added up")
PURE = Source("Dwork & Roth 2014", "Theorem 3.16: the sum of all ε")
COMPOSED = Source("dpviz.maths.composed_losses", "losses added up on a lattice, from both sides")

DELTA = Limit("delta", "δ", LIMITS["delta"].meaning, 0.0, LIMITS["delta"].maximum, 1e-10, log=False)
"""Here δ may be 0, where all are pure."""

_MOST_MECHANISMS = 30
FINE = 2**17
"""Sites of a convolution."""

_COARSE, _FINEST = 2**12, 2**19
_NARROW = 2e-5  # relative: bounds that are closer need no finer lattice
_FAR = 1e3  # an ε beyond which nobody asks for digits
_NARROW_DELTA = 1e-3  # likewise of δ
_APPROACHES = 8
_SHALLOW, _DEPTH = 30.0, 24.0  # what may be charged in full is less than e^−24 of δ
_LEAST = -750.0  # ln δ: below it is no number
_CERTAIN = 12.0  # so far above ε a loss may as well be infinite
_EXACT = 1e-11  # relative, of the closed form
_MOST_MORE = 10**10


class _Direction(NamedTuple):
    """Mechanisms on lattices, with the Gaussian apart."""

    groups: tuple[Group, ...]
    mu: float


@dataclass(frozen=True)
class _Total:
    """All the answers together; the counts of mechanisms that are alike are added up."""

    mechanisms: tuple[Mechanism, ...]

    @property
    def mu(self) -> float:
        """The μ of the Gaussian ones together."""
        return math.sqrt(math.fsum(m.count * m.gaussian_mu**2 for m in self.mechanisms))

    @property
    def others(self) -> tuple[Mechanism, ...]:
        """Those that are not Gaussian."""
        return tuple(m for m in self.mechanisms if m.gaussian_mu == 0)

    @property
    def largest(self) -> float:
        """The largest loss of all together."""
        if self.mu:
            return math.inf
        return math.fsum(m.count * m.largest for m in self.others)

    @property
    def directions(self) -> tuple[bool, ...]:
        """The directions between neighbours that differ."""
        return (True,) if all(m.symmetric for m in self.mechanisms) else (True, False)

    def log_delta(self, epsilon: float, sites: int) -> tuple[float, float]:
        """Return bounds on ln δ(ε)."""
        if not self.others:
            exact = float(log_delta_of_mu(np.array([epsilon]), np.array([self.mu]))[0][0])
            return exact - _EXACT, min(exact + _EXACT, 0.0)
        if epsilon >= self.largest * (1 + 1e-12):
            return -math.inf, -math.inf
        found = [self.composed(epsilon, sites, way).log_bounds(epsilon) for way in self.directions]
        return max(low for low, _ in found), max(high for _, high in found)

    def enough(self, log_delta: float, forwards: bool) -> float:
        """Return an ε that is enough in a direction by Chernoff's bound: about the least, or above.

        Raises `ParameterError` where δ is less than what may count as revealed.
        """
        rough = self._rough(LossRegion(self._depth(log_delta), forwards=forwards))
        log_infinite, log_revealed = (
            composed_losses.log_infinite(rough.groups, above=above) for above in (True, False)
        )
        if log_infinite >= log_delta:
            is_sure = log_revealed >= log_delta
            chance = f"{math.exp(log_revealed):.6g}" if is_sure else "about as much"
            words = f"larger: all may be revealed with probability {chance}"
            raise ParameterError("delta", words, math.exp(log_delta))
        rest = log_delta + float(log1mexp(log_infinite - log_delta))

        def excess(log_c: float) -> float:
            at = composed_losses.cumulants(rough.groups, rough.mu, math.exp(log_c))
            return rest - at.log_total + math.exp(log_c) * at.mean

        c = math.exp(composed_losses.bisected(excess, -20.0, 14.0, 1e-3))
        # (1 − e^(ε − Λ))₊ is at most e^(c(Λ − ε))·c^c/(1 + c)^(1 + c)
        share = c * math.log(c) - (1 + c) * math.log1p(c)
        at = composed_losses.cumulants(rough.groups, rough.mu, c)
        return min(max((at.log_total + share - rest) / c, 1e-9), self.largest)

    def composed(self, epsilon: float, sites: int, forwards: bool) -> Composed:
        """Return the sum of the losses near an ε, on about so many sites."""
        region = LossRegion(_SHALLOW, 0.0, epsilon + _CERTAIN, forwards)
        while True:
            rough = self._rough(region)
            tilt = composed_losses.saddle(rough.groups, rough.mu, epsilon)
            about = composed_losses.cumulants(rough.groups, rough.mu, tilt).log_total
            needed = self._depth(min(about - tilt * epsilon, 0.0))
            if needed <= region.depth + 1:
                break
            region = region._replace(depth=needed)
        low, high = composed_losses.window(rough.groups, tilt)
        step = self._step(max((high - low) / sites, 1e-13 * max(abs(high), abs(low))))
        region = region._replace(tilt=tilt)
        groups = [Group(onto(m.rounded(step, region), step), m.count) for m in self.others]
        return Composed(groups, rough.mu, tilt)

    def _depth(self, log_delta: float) -> float:
        """Return how much of the mass of one answer matters."""
        most = max(m.count for m in self.others)
        return _DEPTH - max(log_delta, _LEAST) + math.log(most)

    def _rough(self, region: LossRegion) -> _Direction:
        """Return each mechanism on a lattice of its own, good enough for this region of the sum."""
        groups = [Group(m.rounded(m.typical / 8, region), m.count) for m in self.others]
        return _Direction(tuple(groups), self.mu)

    def certain_epsilon(self, log_delta: float) -> float:
        """Return an ε that is not enough because all losses may be at their largest."""
        log_top = 0.0
        for m in self.others:
            law = m.rounded(m.typical / 8, LossRegion(self._depth(log_delta))).below
            log_top += m.count * float(law.log_masses[-1])
        if log_delta >= log_top:
            return 0.0
        return max(self.largest * (1 - 1e-12) + float(log1mexp(log_delta - log_top)), 0.0)

    def _step(self, step: float) -> float:
        """Return a step about as long, of a lattice on which most of the answers are already."""
        own = [m for m in self.others if m.natural >= step]
        if not own:
            return step
        natural = max(own, key=lambda m: m.count).natural
        parts = math.ceil(natural / step)
        return natural / (parts if parts < MOST_BINS else MOST_BINS * math.ceil(parts / MOST_BINS))


def compose(
    mechanisms: Sequence[Mechanism | str],
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    more: Mechanism | str | None = None,
) -> Answer:
    """Return what answers of several mechanisms keep to together, adaptive or not.

    mechanisms: as `dpviz.maths.mechanisms` has them, or as they are typed, such as
    "gaussian:sigma=2,count=3", "laplace:scale=1,sensitivity=2", "approximate:epsilon=1,delta=1e-6".
    Each sensitivity is the most by which one person moves one answer, all for the same neighbours.
    delta: then the least ε, in [0, 100], is returned; 0 asks for a pure guarantee. epsilon: then
    the least δ. Both, and more: how many answers of `more`, whose own count is left out, fit in
    beside the others. The value is the end that is private. Raises `ParameterError`.
    """
    total = _read(mechanisms, more)
    if more is not None:
        if epsilon is None or delta is None:
            missing = "epsilon" if epsilon is None else "delta"
            raise ParameterError(missing, "given beside more", None)
        return _how_many_more(total, _one(more), WIDE_EPSILON.validate(epsilon), _delta(delta))
    if (epsilon is None) is (delta is None):
        raise ParameterError("delta", "given, or epsilon; both only beside more", delta)
    parameters: Parameters = {"mechanisms": _in_words(total)}
    if delta is not None:
        goal = _delta(delta)
        bounds, evidence, source = _least_epsilon(total, goal)
        words = "Smallest ε that these answers keep to"
        return _answer(
            "epsilon", "ε", words, bounds, evidence, source, {**parameters, "delta": goal}
        )
    assert epsilon is not None
    at = WIDE_EPSILON.validate(epsilon)
    bounds, evidence, source = _least_delta(total, at)
    words = "Smallest δ that these answers keep to"
    return _answer("delta", "δ", words, bounds, evidence, source, {**parameters, "epsilon": at})


def log_delta(
    mechanisms: Sequence[Mechanism], epsilon: float, sites: int = FINE
) -> tuple[float, float]:
    """Return bounds on ln δ(ε) of answers together, on about so many sites of a lattice."""
    return _Total(_merged(mechanisms)).log_delta(epsilon, sites)


def _answer(
    name: str,
    symbol: str,
    words: str,
    bounds: Bracket,
    evidence: Evidence,
    source: Source,
    parameters: Parameters,
) -> Answer:
    value = bounds.upper
    return Answer(
        name, symbol, "", words, bounds.lower, bounds.upper, value, evidence, source, parameters
    )


def _read(mechanisms: Sequence[Mechanism | str], more: Mechanism | str | None) -> _Total:
    """Return the mechanisms, those that are alike together."""
    if isinstance(mechanisms, Mechanism | str):
        mechanisms = [mechanisms]
    if len(mechanisms) > _MOST_MECHANISMS or (not mechanisms and more is None):
        raise ParameterError("mechanisms", f"1 to {_MOST_MECHANISMS} of them", len(mechanisms))
    return _Total(
        _merged([one if isinstance(one, Mechanism) else read_mechanism(one) for one in mechanisms])
    )


def _merged(mechanisms: Sequence[Mechanism]) -> tuple[Mechanism, ...]:
    """Return the mechanisms, those that are alike as one."""
    counts: dict[Mechanism, int] = {}
    for one in mechanisms:
        alone = replace(one, count=1)
        counts[alone] = counts.get(alone, 0) + one.count
    return tuple(replace(one, count=count) for one, count in counts.items())


def _one(more: Mechanism | str) -> Mechanism:
    found = more if isinstance(more, Mechanism) else read_mechanism(more)
    if found.count != 1:
        raise ParameterError("more", f"one mechanism without its count, as in {EXAMPLE}", str(more))
    return found


def _in_words(total: _Total) -> str:
    return " ".join(str(one) for one in total.mechanisms) or "none"


def _delta(delta: float) -> float:
    found = DELTA.validate(delta)
    if 0 < found < LIMITS["delta"].minimum:
        raise ParameterError("delta", f"0, or {LIMITS['delta'].allowed}", delta)
    return found


Sourced = tuple[Bracket, Evidence, Source]


def _bounded_alone(total: _Total) -> BoundedAnswers | None:
    """Return the bounded noise that is all there is, which has an accountant of its own."""
    [one, *others] = total.mechanisms
    return one if isinstance(one, BoundedAnswers) and not others else None


def _least_delta(total: _Total, epsilon: float) -> Sourced:
    bounded = _bounded_alone(total)
    if bounded and epsilon <= LIMITS["epsilon"].maximum:
        bracket = calibration.privacy_delta(
            bounded.noise,
            bounded.radius,
            epsilon=epsilon,
            queries=bounded.count,
            sensitivity=bounded.sensitivity,
        )
        return told_apart(bracket), Evidence.CERTIFIED, calibration.SOURCE
    low, high = total.log_delta(epsilon, FINE)
    if total.others and not total.mu and low < high - _NARROW_DELTA:
        low, high = total.log_delta(epsilon, _FINEST)
    source = COMPOSED if total.others else GAUSSIAN
    if high == -math.inf:
        return Bracket(0.0, 0.0), Evidence.EXACT, PURE
    bounds = told_apart(Bracket(math.exp(low), math.exp(high)))
    return bounds, Evidence.CERTIFIED, source


def _least_epsilon(total: _Total, delta: float) -> Sourced:
    if delta == 0:
        if math.isinf(total.largest):
            raise ParameterError("delta", "above 0, as not all of these answers are pure", delta)
        return Bracket(total.largest, total.largest), Evidence.EXACT, PURE
    if not total.others:
        found = float(least_epsilon(np.array([total.mu]), np.array([delta]))[0])
        return Bracket(found * (1 - _EXACT), found), Evidence.CERTIFIED, GAUSSIAN
    bounded = _bounded_alone(total)
    if bounded:
        radius = bounded.radius / bounded.sensitivity
        reach = inverse.epsilon_of_radius(bounded.noise, radius, delta=delta, queries=bounded.count)
        if reach is not None:  # up to ε = 10
            low = 0.0 if reach.lower == LIMITS["epsilon"].minimum else reach.lower
            return Bracket(low, reach.upper), Evidence.CERTIFIED, calibration.SOURCE
    goal = math.log(delta)
    sites = FINE
    while True:
        ends = [_epsilon_ends(total, goal, forwards, sites) for forwards in total.directions]
        low, high = max(low for low, _ in ends), max(high for _, high in ends)
        if high - low <= _NARROW * high or sites == _FINEST or total.mu or high > _FAR:
            break
        sites = _FINEST
    return Bracket(min(low, high), high), Evidence.CERTIFIED, COMPOSED


def _epsilon_ends(total: _Total, goal: float, forwards: bool, sites: int) -> tuple[float, float]:
    """Return an ε that is not enough in one direction, and one that is."""
    most = total.enough(goal, forwards)
    near, is_near = most, False
    for fineness in (*[_COARSE] * _APPROACHES, sites, sites):
        if fineness == _COARSE and is_near:
            continue
        composed = total.composed(near, fineness, forwards)
        before, near = near, _crossing(composed.log_above, goal, near, most)
        # the tilt serves where ln δ is not much different
        is_near = abs(near - before) * composed.tilt < 1
        if fineness == sites and is_near:
            break
    if near == 0:
        return 0.0, 0.0

    def excess(epsilon: float) -> float:
        return max(composed.log_below(epsilon, goal) - goal, -1e4)

    if near >= total.largest:
        return total.certain_epsilon(goal), near
    width = near * 1e-9
    while excess(max(near - width, 0.0)) <= 0:
        if width > near:
            return 0.0, near
        width *= 10
    low, high = max(near - width, 0.0), near - width / 10
    if excess(high) > 0:
        return high, near
    root = float(scipy.optimize.brentq(excess, low, high, xtol=1e-9 * high, rtol=1e-9))
    ends = (root * (1 - step) for step in (0.0, 1e-9, 1e-8, 1e-6))
    return next((end for end in ends if excess(end) > 0), low), near


def _crossing(falling: Callable[[float], float], goal: float, near: float, most: float) -> float:
    """Return about the least ε ≥ 0 at which a bound on ln δ is at most the goal, certified so.

    most: one that is enough, whatever this bound says.
    """
    if falling(0.0) <= goal:
        return 0.0
    low, high, width = 0.0, min(near, most), max(near, 1e-9) * 1e-3
    if falling(high) <= goal:
        while high - width > 0 and falling(high - width) <= goal:
            high, width = high - width, 4 * width
        low = max(high - width, 0.0)
    else:
        while falling(min(high + width, most)) > goal:
            if high >= most:
                return most
            high, width = high + width, 4 * width
        low, high = high, min(high + width, most)

    def excess(epsilon: float) -> float:
        return max(falling(epsilon) - goal, -1e4)

    root = float(scipy.optimize.brentq(excess, low, high, xtol=1e-9 * high, rtol=1e-9))
    ends = (root * (1 + step) for step in (0.0, 1e-9, 1e-8, 1e-6))
    return next((end for end in ends if excess(end) <= 0), high)


def _how_many_more(total: _Total, more: Mechanism, epsilon: float, delta: float) -> Answer:
    """Return how many answers fit in beside the others."""

    def bounds(count: int, sites: int) -> tuple[float, float]:
        added = [replace(more, count=count)] if count else []
        all_of_them = _Total(_merged([*total.mechanisms, *added]))
        if not all_of_them.mechanisms:
            return -math.inf, -math.inf
        if delta == 0:  # the sum of all ε decides, up to how it is rounded
            is_over = all_of_them.largest > epsilon * (1 + 1e-12)
            return (0.0, 0.0) if is_over else (-math.inf, -math.inf)
        return all_of_them.log_delta(epsilon, sites)

    goal = math.log(delta) if delta else -1.0
    enough, too_many = 0, _MOST_MORE + 1  # certified, both
    low, high = bounds(0, FINE)
    if high > goal:
        most = "already" if low > goal else "perhaps"
        raise ParameterError("epsilon", f"larger: {most} without more it is used up", epsilon)
    is_exact = delta == 0 or (not total.others and more.gaussian_mu > 0)
    apart = 0.0 if is_exact else _NARROW
    for sites in (_COARSE, FINE):
        at = partial(bounds, sites=sites)
        enough, too_many = _narrowed(at, goal, enough, too_many, apart)
    is_pure = delta == 0
    is_gaussian = not total.others and more.gaussian_mu > 0
    source = PURE if is_pure else GAUSSIAN if is_gaussian else COMPOSED
    return Answer(
        "more",
        "n",
        "answers",
        f"Most answers of {more} that fit in beside the others",
        enough,
        math.inf if too_many > _MOST_MORE else too_many - 1,
        enough,
        Evidence.EXACT if enough == too_many - 1 < _MOST_MORE else Evidence.CERTIFIED,
        source,
        {"mechanisms": _in_words(total), "more": str(more), "epsilon": epsilon, "delta": delta},
        rounds_down=True,
    )


def _narrowed(
    bounds: Callable[[int], tuple[float, float]],
    goal: float,
    enough: int,
    too_many: int,
    apart: float,
) -> tuple[int, int]:
    """Return counts closer to each other, of which one fits and the other does not.

    apart: as near to the last that fits, relative to it, is near enough.
    """
    step = 1
    while enough + step < too_many:  # as far as it fits
        if bounds(enough + step)[1] > goal:
            break
        enough, step = enough + step, 4 * step
    # the two ends are sought apart, as between them neither may be known
    left, right = enough, min(enough + step, too_many)
    while right - left > 1 + left * apart:
        middle = (left + right) // 2
        if bounds(middle)[1] <= goal:
            left = middle
        else:
            right = middle
    first, step = left, 1
    while first + step < too_many and bounds(first + step)[0] <= goal:
        step *= 4
    low_end, high_end = first + step // 4, min(first + step, too_many)
    while high_end - low_end > 1 + low_end * apart:
        middle = (low_end + high_end) // 2
        if bounds(middle)[0] > goal:
            high_end = middle
        else:
            low_end = middle
    return left, high_end
