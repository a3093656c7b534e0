"""What a researcher asks about noise, each question answered by one number with bounds and source.

One data set answers k adaptive queries. Neighbouring data sets differ in one person's record, and
that moves an answer by at most the sensitivity. All functions raise `ParameterError` for a
parameter out of range. `dpviz.radius` and the others, and `dpviz radius` on the shell, are these
functions.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dpviz.maths import gaussian
from dpviz.maths.accounting import calibration, inverse, tuning
from dpviz.maths.bounded_noise import BoundedNoise, IteratedExponentialNoise, PowerNoise
from dpviz.maths.coin_tests import (
    MOST_USERS,
    Coins,
    clipped_laplace_success,
    least_users_clipped,
    proven_least,
)
from dpviz.maths.joint_noise import JointNoise, joint_epsilon, joint_radius
from dpviz.results.answer import Answer, Asked
from dpviz.results.ends import told_apart
from dpviz.results.evidence import Bracket, Evidence, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, ParameterError, validate

NOISES = {
    "power": "(1 − u²)^−p",
    "iterated": "exp(exp(1/(1 − u²)))",
    "tuned": "tuned",
    "joint": "drawn together",
}
"""The bounded noises that can be asked for, by name."""

_UNTUNED = ("power", "iterated", "joint")
_MOST_EXAMPLES = 1000
_SIGMA_ERROR = 1e-11  # `gaussian.minimal_sigma` is nearer to the least σ that is private
_DELTA_ERROR = 1e-11  # on ln δ of Gaussian noise

TUNED = Source("dpviz.maths.accounting.tuning", "tuned noise, accounted exactly")
JOINT = Source("dpviz.maths.joint_noise", "noise drawn together, δ in closed form")
ANALYTIC = Source("Balle & Wang 2018", "Algorithm 1")


def radius(
    *,
    epsilon: float,
    delta: float,
    queries: float,
    noise: str | None = None,
    power: float | None = None,
    sensitivity: float = 1.0,
) -> Answer:
    """Return the smallest radius R of bounded noise that is (ε, δ)-DP: no error exceeds R.

    noise: drawn for each answer, "power", f(u) = (1 − u²)^−p with p = power, 2 unless said, the
    usual one, "iterated", or "tuned" to k, ε and δ; or "joint", drawn together for up to 100,000
    answers. The value is the upper bound, which is certified to be private.
    """
    noise, power = _chosen(noise, power, tuple(NOISES))
    privacy: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "queries": queries}
    asked: Asked = {**privacy, "sensitivity": sensitivity, "noise": noise}
    if noise == "tuned":
        found = tuning.tuned_noise(**privacy, sensitivity=sensitivity).best
        shape = found.noise
        how = {name: getattr(shape, name) for name in ("barrier", "bulk", "power", "cut")}
        return _radius(found.radius, TUNED, asked, how)
    if noise == "joint":
        return _radius(joint_radius(**privacy, sensitivity=sensitivity), JOINT, asked)
    shaped = _shaped(noise, power)
    bounds = calibration.minimal_radius(shaped, **privacy, sensitivity=sensitivity)
    return _radius(bounds, calibration.SOURCE, {**asked, **_power(noise, power)})


def _radius(
    bounds: Bracket,
    source: Source,
    asked: Asked,
    how: Mapping[str, float] | None = None,
) -> Answer:
    return Answer(
        "radius",
        "R",
        _unit(asked),
        "Smallest radius of bounded noise that is private",
        bounds.lower,
        bounds.upper,
        bounds.upper,
        Evidence.CERTIFIED,
        source,
        asked,
        how,
    )


def sigma(*, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0) -> Answer:
    """Return the smallest standard deviation σ of Gaussian noise that is (ε, δ)-DP.

    The value is private; the least σ that is lies a few parts in 1e12 below.
    """
    privacy = {"epsilon": epsilon, "delta": delta, "queries": validate("queries", queries)}
    least = float(gaussian.minimal_sigma(**privacy, sensitivity=sensitivity))
    asked = {**privacy, "sensitivity": sensitivity}
    return Answer(
        "sigma",
        "σ",
        _unit(asked),
        "Smallest standard deviation of Gaussian noise that is private",
        least * (1 - _SIGMA_ERROR),
        least,
        least,
        Evidence.CERTIFIED,
        ANALYTIC,
        asked,
    )


def epsilon(
    *,
    delta: float,
    queries: float,
    radius: float | None = None,
    sigma: float | None = None,
    noise: str | None = None,
    power: float | None = None,
    sensitivity: float = 1.0,
) -> Answer:
    """Return the smallest ε of bounded noise of a radius, or of Gaussian noise of a sigma.

    noise, power: of bounded noise, as in `radius`, but not tuned; of Gaussian noise, neither. Where
    even the smallest ε of the table of limits is enough, the lower bound is 0.
    """
    size = _one_size(radius, sigma) / validate("sensitivity", sensitivity)
    noise, power = _chosen(noise, power, () if radius is None else _UNTUNED)
    asked = _sized(radius, sigma, noise, power)
    asked = {**asked, "delta": delta, "queries": queries, "sensitivity": sensitivity}
    if radius is None:
        delta, queries = validate("delta", delta), validate("queries", queries)
        bounds = inverse.epsilon_bounds_of_sigma(size, delta=delta, queries=queries)
        evidence, source = Evidence.CERTIFIED, ANALYTIC
    elif noise == "joint":
        bounds = joint_epsilon(radius=size, delta=delta, queries=queries)
        evidence, source = Evidence.CERTIFIED, JOINT
    else:
        bounds = inverse.epsilon_of_radius(
            _shaped(noise, power), size, delta=delta, queries=queries
        )
        evidence, source = Evidence.CERTIFIED, calibration.SOURCE
    if bounds is None:
        name, given = ("sigma", sigma) if radius is None else ("radius", radius)
        raise ParameterError(name, "large enough to be private at ε = 10", given)
    if bounds.lower == LIMITS["epsilon"].minimum:  # where the search ended
        bounds = Bracket(0.0, bounds.upper)
    return Answer(
        "epsilon",
        "ε",
        "",
        "Smallest ε that this noise keeps to",
        bounds.lower,
        bounds.upper,
        bounds.upper,
        evidence,
        source,
        asked,
    )


def delta(
    *,
    epsilon: float,
    queries: float,
    radius: float | None = None,
    sigma: float | None = None,
    noise: str | None = None,
    power: float | None = None,
    sensitivity: float = 1.0,
) -> Answer:
    """Return the smallest δ of bounded noise of a radius, or of Gaussian noise of a sigma.

    noise, power: as in `epsilon`.
    """
    size = _one_size(radius, sigma)
    noise, power = _chosen(noise, power, () if radius is None else _UNTUNED)
    asked = _sized(radius, sigma, noise, power)
    at = {"epsilon": epsilon, "queries": validate("queries", queries), "sensitivity": sensitivity}
    if radius is None:
        least = float(gaussian.privacy_delta(size, **at))
        bounds = Bracket(least * (1 - _DELTA_ERROR), least * (1 + _DELTA_ERROR))
        evidence, source = Evidence.CERTIFIED, ANALYTIC
    elif noise == "joint":
        unit = validate("sensitivity", sensitivity)
        bounds = JointNoise(validate("epsilon", epsilon), at["queries"], size / unit).delta
        evidence, source = Evidence.CERTIFIED, JOINT
    else:
        bounds = calibration.privacy_delta(_shaped(noise, power), size, **at)
        evidence, source = Evidence.CERTIFIED, calibration.SOURCE
    bounds = told_apart(bounds)
    return Answer(
        "delta",
        "δ",
        "",
        "Smallest δ that this noise keeps to",
        bounds.lower,
        bounds.upper,
        bounds.upper,
        evidence,
        source,
        {**asked, **at},
    )


def users(
    *,
    bias: float,
    examples_per_user: int,
    epsilon: float,
    success: float = 2 / 3,
) -> Answer:
    """Return bounds on the fewest users with whom an ε-DP algorithm tells two coins apart.

    The coins show heads with probability 1/2 − bias and 1/2 + bias. Each user holds
    examples_per_user tosses of one of them, and is protected with all tosses together. With fewer
    users than `lower` no algorithm names the coin with the probability `success`; with `upper`
    users a sum of clipped votes with Laplace noise does: infinity where none of up to 20,000 is
    known to be enough.
    """
    at = {"examples": int(validate("examples_per_user", examples_per_user))}
    if not 0 < bias < 0.5:
        raise ParameterError("bias", "between 0 and 1/2", bias)
    if not 0.5 < success < 1:
        raise ParameterError("success", "between 1/2 and 1", success)
    if at["examples"] > _MOST_EXAMPLES:
        raise ParameterError("examples_per_user", f"at most {_MOST_EXAMPLES} here", at["examples"])
    epsilon = validate("epsilon", epsilon)
    coins = Coins((0.5 - bias, 0.5 + bias))
    lower = proven_least(coins, **at, target=success, epsilon=epsilon)

    def succeeds(count: int, clip: int) -> float:
        return clipped_laplace_success(coins, users=count, clip=clip, **at, epsilon=epsilon)

    ended = lower > MOST_USERS
    upper = (
        math.inf
        if ended
        else least_users_clipped(succeeds, success, at["examples"], too_few=int(lower) - 1)
    )
    return Answer(
        "users",
        "n",
        "users",
        "Fewest users that tell two coins apart",
        MOST_USERS if ended else lower,
        upper,
        upper,
        Evidence.CERTIFIED,
        Source(UL, "exchange of users from below, clipped votes with Laplace noise from above"),
        {"bias": bias, "examples_per_user": at["examples"], "epsilon": epsilon, "success": success},
        beyond=ended,
    )


def _unit(asked: Asked) -> str:
    """Return Δ where one is the most that a person moves an answer; else errors have its unit."""
    return "Δ" if asked["sensitivity"] == 1 else ""


def _one_size(radius: float | None, sigma: float | None) -> float:
    if (radius is None) is (sigma is None):
        raise ParameterError("radius", "given, or sigma, but not both", radius)
    if radius is not None:
        return validate("radius", radius)
    assert sigma is not None
    return validate("sigma", sigma)


def _chosen(noise: str | None, power: float | None, allowed: Sequence[str]) -> tuple[str, float]:
    """Return the noise and its power, the usual ones where none is named.

    allowed: which noises can be chosen; none for Gaussian noise. Raises `ParameterError`, also for
    what would have no effect.
    """
    if not allowed:
        for name, value in (("noise", noise), ("power", power)):
            if value is not None:
                raise ParameterError(name, "left out where sigma is given", value)
    elif noise is not None and noise not in allowed:
        raise ParameterError("noise", f"{', '.join(allowed[:-1])} or {allowed[-1]} here", noise)
    elif power is not None and noise not in (None, "power"):
        raise ParameterError("power", f"left out where noise is {noise}", power)
    return noise or "power", 2.0 if power is None else power


def _sized(radius: float | None, sigma: float | None, noise: str, power: float) -> Asked:
    if radius is None:
        assert sigma is not None
        return {"sigma": sigma}
    return {"radius": radius, "noise": noise, **_power(noise, power)}


def _power(noise: str, power: float) -> Asked:
    return {"power": power} if noise == "power" else {}


def _shaped(noise: str, power: float) -> BoundedNoise:
    return PowerNoise(power) if noise == "power" else IteratedExponentialNoise()
