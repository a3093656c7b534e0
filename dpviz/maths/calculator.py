"""What a researcher asks about noise, each question answered by one number with bounds and source.

One data set answers k adaptive queries. Neighbouring data sets differ in one person's record, and
that moves each answer by at most the sensitivity Δ, all of them at once: by √k·Δ in ℓ₂. A histogram
in which a person is in one cell is one query, however many cells it has (two, if substituting a
person may move one from cell to cell): `dpviz.sensitivity` counts. All functions raise
`ParameterError` for a parameter out of range. `dpviz.radius` and the others, and `dpviz radius` on
the shell, are these functions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpviz.maths import gaussian
from dpviz.maths.bounded_noise import (
    BoundedNoise,
    IteratedExponentialNoise,
    PowerNoise,
    max_error,
)
from dpviz.results import noise_names
from dpviz.results.answer import Answer, Parameters
from dpviz.results.ends import told_apart
from dpviz.results.evidence import Bracket, Evidence, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, WIDE_EPSILON, ParameterError, of_one, validate

if TYPE_CHECKING:
    from dpviz.maths.mechanisms import Mechanism

# What one question alone asks is loaded by it: Gaussian noise is most often asked for, and waits
# for nothing else.

NOISES = {
    "power": "(1 − u²)^−p",
    "iterated": "exp(exp(1/(1 − u²)))",
    "tuned": "tuned",
    "joint": "drawn together",
}
"""The bounded noises that can be asked for, by name."""

_MOST_EXAMPLES = 1000
_L2 = replace(LIMITS["sensitivity"], name="l2")
_SIGMA_ERROR = 1e-11  # `gaussian.minimal_sigma` is nearer to the least σ that is private
_DELTA_ERROR = 1e-11  # on ln δ of Gaussian noise

TUNED = Source("dpviz.maths.accounting.tuning", "tuned noise, accounted exactly")
JOINT = Source("dpviz.maths.joint_noise", "noise drawn together, δ in closed form")
BOUNDED = Source("dpviz.maths.accounting", "exact version of Dagan & Kur, Lemma 10.2")
ANALYTIC = Source("Balle & Wang 2018", "Algorithm 1")
TEXTBOOK = Source("Dwork & Roth 2014", "Theorem A.1, for the ℓ₂ sensitivity √k")


@of_one("dpviz.minimal_radii and dpviz.tuned_noises take arrays")
def radius(
    *,
    epsilon: float,
    delta: float,
    queries: float,
    noise: str | BoundedNoise | None = None,
    power: float | None = None,
    sensitivity: float = 1.0,
) -> Answer:
    """Return the smallest radius R of noise that no error exceeds and that is (ε, δ)-DP.

    noise: drawn for each answer, "power", f(u) = (1 − u²)^−p with p = power, 2 unless said, the
    usual one, "iterated", or "tuned" to k, ε and δ, "truncated_laplace" or, for whole numbers,
    "truncated_discrete_laplace", for up to 3,000 answers, "end_staircase" for one; or "joint",
    drawn together for up to 100,000 answers. sensitivity: Δ, the most by which one person moves
    each answer. The value is the upper bound, which is certified to be private. PowerNoise and
    IteratedExponentialNoise are taken as their names are.
    """
    from dpviz.maths import cut_noises
    from dpviz.maths.accounting import calibration, tuning
    from dpviz.maths.joint_noise import joint_radius

    noise, power = _chosen(noise, power, noise_names.TAKEN["radius"])
    privacy: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "queries": queries}
    parameters: Parameters = {**privacy, "sensitivity": sensitivity, "noise": noise}
    if noise == "tuned":
        found = tuning.tuned_noise(**privacy, sensitivity=sensitivity).best
        shape = found.noise
        how = {name: getattr(shape, name) for name in ("barrier", "bulk", "power", "cut")}
        return _radius(found.radius, TUNED, parameters, how)
    if noise == "joint":
        return _radius(joint_radius(**privacy, sensitivity=sensitivity), JOINT, parameters)
    if noise in noise_names.CUT:
        cut = cut_noises.least(noise, **privacy, sensitivity=sensitivity)
        return _radius(cut.radius, cut.source, parameters, cut.how, cut.evidence)
    shaped = _shaped(noise, power)
    bounds = calibration.minimal_radius(shaped, **privacy, sensitivity=sensitivity)
    return _radius(bounds, BOUNDED, {**parameters, **_power(noise, power)})


def _radius(
    bounds: Bracket,
    source: Source,
    parameters: Parameters,
    how: Mapping[str, float] | None = None,
    evidence: Evidence = Evidence.CERTIFIED,
) -> Answer:
    return Answer(
        "radius",
        "R",
        _unit(parameters),
        "Smallest radius of bounded noise that is private",
        bounds.lower,
        bounds.upper,
        bounds.upper,
        evidence,
        source,
        parameters,
        how,
    )


@of_one("dpviz.minimal_sigma takes arrays")
def sigma(
    *,
    epsilon: float,
    delta: float,
    queries: float | None = None,
    noise: str | BoundedNoise | None = None,
    power: float | None = None,
    sensitivity: float | None = None,
    l2: float | None = None,
) -> Answer:
    """Return the smallest standard deviation σ of noise that is (ε, δ)-DP for k answers.

    noise: "gaussian", the usual one, "laplace", or for whole numbers "discrete_gaussian" (whose
    parameter σ is returned) and "discrete_laplace", all with ε up to 100; "textbook_gaussian", for
    ε < 1; or one of `radius`, of least radius. sensitivity: Δ, the most by which one person moves
    each answer, 1 unless said; or, for Gaussian noise, l2 in place of Δ and k: the most by which
    one person moves all answers together, in ℓ₂. The value is private; for the Gaussian, the least
    is a few parts in 1e12 below.
    """
    noise, power = _chosen(noise or "gaussian", power, noise_names.TAKEN["sigma"])
    queries, sensitivity, moves = _moved(queries, sensitivity, l2, noise)
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    parameters: Parameters = {"epsilon": epsilon, "delta": delta, **moves}
    how: Mapping[str, float] | None = None
    evidence, source = Evidence.CERTIFIED, ANALYTIC
    if noise != "gaussian":
        parameters = {**parameters, "noise": noise, **_power(noise, power)}
    if noise == "gaussian":
        least = float(gaussian.minimal_sigma(**privacy, sensitivity=sensitivity))
        bounds = Bracket(least * (1 - _SIGMA_ERROR), least)
    elif noise == "textbook_gaussian":
        usual = gaussian.textbook_sigma(**privacy, sensitivity=sensitivity)
        bounds, evidence, source = Bracket(0.0, usual), Evidence.UPPER, TEXTBOOK
    elif noise in noise_names.COMPOSED:
        from dpviz.maths import noises

        family = noises.FAMILIES[noise]
        found = noises.least_parameter(noise, **privacy, sensitivity=sensitivity)
        source, how = noises.SOURCE, {family.parameter: found.upper}
        bounds = found
        if family.parameter != "sigma":
            bounds = Bracket(family.deviation(found.lower), family.deviation(found.upper))
    else:
        at = {**privacy, "noise": noise, "sensitivity": sensitivity, **_power(noise, power)}
        largest = radius(**at)  # type: ignore[arg-type]
        from dpviz.maths import cut_noises

        share = cut_noises.deviation(noise, power, largest)
        bounds = Bracket(share * largest.lower, share * largest.upper)
        how = {"radius": largest.value, **(largest.how or {})}
        evidence, source = largest.evidence, largest.source
    return Answer(
        "sigma",
        "σ",
        _unit(parameters),
        "Smallest standard deviation of noise of this kind that is private",
        bounds.lower,
        bounds.upper,
        bounds.upper,
        evidence,
        source,
        parameters,
        how,
    )


@of_one("call it once for each")
def epsilon(
    *,
    delta: float,
    queries: float | None = None,
    radius: float | None = None,
    sigma: float | None = None,
    noise: str | None = None,
    power: float | None = None,
    scale: float | None = None,
    sensitivity: float | None = None,
    l2: float | None = None,
) -> Answer:
    """Return the smallest ε of noise of a radius that no error exceeds, or of a sigma.

    noise: of a sigma "gaussian", the usual one, "laplace", "discrete_laplace" (sigma is their
    standard deviation) or "discrete_gaussian" (its parameter), up to ε = 100. Of a radius those of
    `radius`, up to ε = 10; "truncated_laplace" and "truncated_discrete_laplace" have a scale b as
    well, and density ∝ e^(−|x|/b); for tuned noise see `dpviz.compose`. sensitivity,
    l2: as in `sigma`. Where even the smallest ε of the table of limits is enough, the lower bound
    is 0.
    """
    size = _one_size(radius, sigma)
    noise, power = _of_size(radius, noise, power, scale)
    queries, sensitivity, moves = _moved(queries, sensitivity, l2, noise)
    size /= sensitivity
    parameters = {**_sized(radius, sigma, noise, power, scale), "delta": delta, **moves}
    from dpviz.maths.accounting import inverse
    from dpviz.maths.composing import compose
    from dpviz.maths.joint_noise import joint_epsilon

    k, bounds = queries, None
    evidence, source = Evidence.CERTIFIED, BOUNDED
    if noise == "gaussian":
        bounds = inverse.epsilon_bounds_of_sigma(size, delta=validate("delta", delta), queries=k)
        source = ANALYTIC
    elif noise in ("joint", "end_staircase"):
        if noise == "end_staircase" and k != 1:
            raise ParameterError("queries", "1 for end staircase noise", queries)
        bounds, source = joint_epsilon(radius=size, delta=delta, queries=queries), JOINT
    elif noise in noise_names.COMPOSED or noise in noise_names.CUT:
        one = _mechanism(noise, radius, sigma, scale, k, sensitivity)
        found = compose([one], delta=validate("delta", delta))
        bounds, source = Bracket(found.lower, found.upper), found.source
    else:
        bounds = inverse.epsilon_of_radius(
            _shaped(noise, power), size, delta=delta, queries=queries
        )
    most = 10 if noise in noise_names.BOUNDED or noise == "end_staircase" else WIDE_EPSILON.maximum
    if bounds is None or bounds.upper > most:
        name, given = ("sigma", sigma) if radius is None else ("radius", radius)
        raise ParameterError(name, f"large enough to be private at ε = {most:g}", given)
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
        parameters,
    )


@of_one("privacy_delta in dpviz.maths.gaussian and privacy_deltas in sweeps take arrays")
def delta(
    *,
    epsilon: float,
    queries: float | None = None,
    radius: float | None = None,
    sigma: float | None = None,
    noise: str | None = None,
    power: float | None = None,
    scale: float | None = None,
    sensitivity: float | None = None,
    l2: float | None = None,
) -> Answer:
    """Return the smallest δ of noise of a radius that no error exceeds, or of a sigma.

    noise, power, scale: as in `epsilon`; sensitivity, l2: as in `sigma`.
    """
    size = _one_size(radius, sigma)
    noise, power = _of_size(radius, noise, power, scale)
    queries, sensitivity, moves = _moved(queries, sensitivity, l2, noise)
    parameters = {**_sized(radius, sigma, noise, power, scale), "epsilon": epsilon, **moves}
    at = {"epsilon": epsilon, "queries": queries, "sensitivity": sensitivity}
    from dpviz.maths.accounting import calibration
    from dpviz.maths.composing import compose
    from dpviz.maths.joint_noise import JointNoise

    evidence, source = Evidence.CERTIFIED, BOUNDED
    if noise == "gaussian":
        least = float(gaussian.privacy_delta(size, **at))
        bounds = Bracket(least * (1 - _DELTA_ERROR), min(least * (1 + _DELTA_ERROR), 1.0))
        source = ANALYTIC
    elif noise in ("joint", "end_staircase"):
        if noise == "end_staircase" and at["queries"] != 1:
            raise ParameterError("queries", "1 for end staircase noise", queries)
        unit = validate("sensitivity", sensitivity)
        bounds = JointNoise(validate("epsilon", epsilon), at["queries"], size / unit).delta
        source = JOINT
    elif noise in noise_names.COMPOSED or noise in noise_names.CUT:
        one = _mechanism(noise, radius, sigma, scale, at["queries"], sensitivity)
        found = compose([one], epsilon=epsilon)
        bounds, source = Bracket(found.lower, found.upper), found.source
    else:
        bounds = calibration.privacy_delta(_shaped(noise, power), size, **at)
    bounds = bounds if bounds.upper == 0 and noise in noise_names.COMPOSED else told_apart(bounds)
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
        parameters,
    )


@of_one("max_error in dpviz.maths.gaussian and bounded_noise takes arrays")
def error(
    *,
    queries: float,
    sigma: float | None = None,
    radius: float | None = None,
    most: float | None = None,
    noise: str | None = None,
    power: float | None = None,
    failure_probability: float = 0.05,
) -> Answer:
    """Return what the largest of k errors exceeds with probability β, or the noise for an error.

    sigma, or for noise with a bound radius: of the noise, as in `epsilon`; then the error is
    returned. most: an error one wants; then the largest sigma or radius is, with which the largest
    of k errors exceeds it with probability at most β. noise: "gaussian", the usual one, "laplace",
    "discrete_gaussian", "discrete_laplace"; or "power" and "iterated", which have a radius.
    """
    k = validate("queries", queries)
    beta = validate("failure_probability", failure_probability)
    given = [value for value in (sigma, radius, most) if value is not None]
    if len(given) != 1:
        raise ParameterError("most", "given, or sigma, or radius, but one of them", most)
    usual = "power" if radius is not None else "gaussian"
    noise, power = _chosen(noise or usual, power, noise_names.TAKEN["error"])
    is_bounded = noise in noise_names.BOUNDED
    if (sigma if is_bounded else radius) is not None:
        names = ("radius", "sigma") if is_bounded else ("sigma", "radius")
        raise ParameterError(names[1], f"left out for {noise}, which has a {names[0]}", given[0])
    size = validate("radius" if is_bounded else "sigma", given[0])
    if noise in noise_names.COMPOSED:
        from dpviz.maths import noises

        family = noises.FAMILIES[noise]
        if most is not None:
            parameter = noises.largest_parameter(noise, size, queries=k, failure=beta)
            value = parameter if family.parameter == "sigma" else family.deviation(parameter)
        else:
            value = family.error(family.parameter_of(size), k, beta)
    else:
        at = {"queries": k, "failure_probability": beta}
        unit = (
            float(max_error(_shaped(noise, power), 1.0, **at))
            if is_bounded
            else float(gaussian.max_error(1.0, **at))
        )
        value = size / unit if most is not None else size * unit
    parameters = {"queries": k, "noise": noise, **_power(noise, power), "failure_probability": beta}
    if most is None:
        kind = ("error", "T", "What the largest of k errors exceeds with this probability")
    elif is_bounded:
        kind = ("radius", "R", "Largest radius with which errors are so small")
    else:
        kind = ("sigma", "σ", "Largest standard deviation with which errors are so small")
    name = "most" if most is not None else "radius" if is_bounded else "sigma"
    return Answer(
        kind[0],
        kind[1],
        "",
        kind[2],
        value,
        value,
        value,
        Evidence.EXACT,
        Source("dpviz.maths.noises", "the law of one error, k of them independent"),
        {name: size, **parameters},
        rounds_down=most is not None,
    )


def _mechanism(
    noise: str,
    radius: float | None,
    sigma: float | None,
    scale: float | None,
    queries: float,
    sensitivity: float,
) -> "Mechanism":
    """Return k answers with such noise."""
    from dpviz.maths import cut_noises, noises

    if noise in noise_names.COMPOSED:
        assert sigma is not None
        family = noises.FAMILIES[noise]
        return family.of(family.parameter_of(sigma), int(queries), sensitivity)
    assert radius is not None
    assert scale is not None
    return cut_noises.mechanism(noise, radius, scale, int(queries), sensitivity)


def _of_size(
    radius: float | None, noise: str | None, power: float | None, scale: float | None
) -> tuple[str, float]:
    """Return the noise that a radius or a sigma is of, and its power."""
    taken = noise_names.TAKEN["epsilon"]
    usual = "gaussian" if radius is None else "power"
    families = [name for name in taken if (name in noise_names.UNBOUNDED) is (radius is None)]
    chosen = _chosen(noise or usual, power, families)
    has_scale = chosen[0] in ("truncated_laplace", "truncated_discrete_laplace")
    if has_scale is (scale is None):
        words = (
            f"given for {chosen[0]}" if has_scale else "left out but for truncated Laplace noise"
        )
        raise ParameterError("scale", words, scale)
    return chosen


@of_one("call it once for each")
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
    from dpviz.maths.coin_tests import (
        MOST_USERS,
        Coins,
        clipped_laplace_success,
        least_users_clipped,
        proven_least,
    )

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


def _unit(parameters: Parameters) -> str:
    """Return Δ where one is the most that a person moves an answer; else errors have its unit."""
    return "Δ" if parameters.get("sensitivity") == 1 else ""


def _moved(
    queries: float | None, sensitivity: float | None, l2: float | None, noise: str
) -> tuple[float, float, Parameters]:
    """Return for how many answers of which Δ noise must do, and what was said of that.

    l2: what moves in ℓ₂ is like one answer that moves by so much, if noise is Gaussian.
    """
    if l2 is None:
        if queries is None:
            allowed = "given (or l2 in its place, for Gaussian noise)"
            raise ParameterError("queries", allowed, queries)
        unit = 1.0 if sensitivity is None else sensitivity
        return validate("queries", queries), unit, {"queries": queries, "sensitivity": unit}
    if noise not in ("gaussian", "textbook_gaussian"):
        allowed = f"left out for {noise}, whose privacy depends on more than ℓ₂"
        raise ParameterError("l2", allowed, l2)
    for name, given in (("queries", queries), ("sensitivity", sensitivity)):
        if given is not None:
            raise ParameterError(name, "left out beside l2, which is of all answers", given)
    moved = _L2.validate(l2)
    return 1.0, moved, {"l2": moved}


def _one_size(radius: float | None, sigma: float | None) -> float:
    if (radius is None) is (sigma is None):
        raise ParameterError("radius", "given, or sigma, but not both", radius)
    if radius is not None:
        return validate("radius", radius)
    assert sigma is not None
    return validate("sigma", sigma)


def _chosen(
    noise: str | BoundedNoise | None, power: float | None, allowed: Sequence[str]
) -> tuple[str, float]:
    """Return the noise and its power, the usual ones where none is named.

    allowed: which noises can be chosen. Raises `ParameterError`, also for what has no effect.
    """
    if isinstance(noise, PowerNoise) and power is None:
        name, power = "power", noise.power
    elif isinstance(noise, IteratedExponentialNoise):
        name = "iterated"
    else:  # as `compare` has it
        name = "power" if noise in (None, "bounded") else noise if isinstance(noise, str) else ""
    if name not in allowed:
        raise ParameterError("noise", f"{', '.join(allowed[:-1])} or {allowed[-1]} here", noise)
    if power is not None and name != "power":
        raise ParameterError("power", f"left out where noise is {name}", power)
    return name, 2.0 if power is None else power


def _sized(
    radius: float | None, sigma: float | None, noise: str, power: float, scale: float | None
) -> Parameters:
    if radius is None:
        assert sigma is not None
        return {"sigma": sigma} if noise == "gaussian" else {"sigma": sigma, "noise": noise}
    more = {} if scale is None else {"scale": scale}
    return {"radius": radius, **more, "noise": noise, **_power(noise, power)}


def _power(noise: str, power: float) -> Parameters:
    return {"power": power} if noise == "power" else {}


def _shaped(noise: str, power: float) -> BoundedNoise:
    return PowerNoise(power) if noise == "power" else IteratedExponentialNoise()
