"""A table of noises of equal privacy, side by side: which one a mechanism should add.

Each noise is as small as (ε, δ) allows for k adaptive answers. Errors are in units of the
sensitivity Δ, the most by which substituting one person's record moves each answer.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dpviz.maths import gaussian, joint_noise, noises
from dpviz.maths.accounting import calibration, tuning
from dpviz.maths.bounded_noise import BoundedNoise, PowerNoise, max_error
from dpviz.maths.discrete_noise import (
    GeometricNoise,
    discrete_gaussian_noise,
    geometric_noise,
    truncated_geometric_noise,
)
from dpviz.maths.laplace_rivals import MOST_QUERIES, TruncatedLaplace
from dpviz.maths.rivals import RIVALS
from dpviz.results.answer import ComparedNoise, Comparison
from dpviz.results.evidence import Evidence, Source
from dpviz.results.parameters import LIMITS, WIDE_EPSILON, ParameterError, of_one, validate
from dpviz.results.refining import Pace, Steps, paused

_TEXTBOOK = Source("Dwork & Roth 2014", "Theorem A.1, for the ℓ₂ sensitivity √k")
_ANALYTIC = Source("Balle & Wang 2018", "Algorithm 1")
_WHOLE = Source("dpviz.maths.discrete_noise", "loss composed on a lattice, from above")
_BY_TUNING = Source("dpviz.maths.accounting.tuning", "tuned noise, accounted exactly")
_MANY = Source("dpviz.maths.noises", "losses of many answers, from above")
_RELEASED = replace(LIMITS["queries"], name="released")
_ONLY_WHOLE = "for answers that are whole numbers"
_CLOSED = 2  # rows at the top, in closed form


@dataclass(frozen=True)
class _Row:
    """A noise of the table.

    compute: takes the privacy, ε, δ and k, and of how many errors the largest counts, with how
    often it may be larger. on_counts: whether it is for whole numbers alone.
    """

    title: str
    compute: Callable[[dict[str, float], dict[str, float]], Steps[ComparedNoise]]
    on_counts: bool = False


@of_one("dpviz.minimal_sigma and dpviz.minimal_radii take arrays")
def compare(
    *,
    epsilon: float,
    delta: float,
    queries: float,
    failure_probability: float = 0.05,
    sensitivity: float = 1.0,
    released: float | None = None,
) -> Comparison:
    """Return each noise, as small as (ε, δ)-DP for k answers allows, with its errors.

    sensitivity: Δ, the most by which one person moves each answer, in whose unit errors are; for
    noise on counts a whole number. The largest of the k errors exceeds `likely` with probability
    `failure_probability`. released: how many answers there are, if one person moves only k of them,
    as of a histogram with k cells of theirs: then the largest of all those errors. Each noise is
    certified to be private; where none of a family is, or its formulas end (most at ε = 10; ε may
    be up to 100), its numbers are NaN, and `remark` says why.
    """
    parameters = {
        "epsilon": WIDE_EPSILON.validate(epsilon),
        "delta": validate("delta", delta),
        "queries": validate("queries", queries),
        "failure_probability": validate("failure_probability", failure_probability),
    }
    unit = validate("sensitivity", sensitivity)
    if released is not None:
        parameters["released"] = _RELEASED.validate(released)
        if parameters["released"] < parameters["queries"]:
            least = f"at least queries, {parameters['queries']:g}"
            raise ParameterError("released", least, released)
    if parameters["epsilon"] > LIMITS["epsilon"].maximum:
        table = _beyond(parameters)
    else:
        *_, table = compared_so_far(**parameters)
    if unit == 1:
        return table
    rows = tuple(
        _counted(row, parameters, unit) if row.key in COUNTS else _scaled(row, unit)
        for row in table.rows
    )
    return Comparison(rows, {**parameters, "sensitivity": unit})


def _likely(parameters: dict[str, float]) -> dict[str, float]:
    """Return of how many errors the largest counts, and how often it may be larger."""
    count = parameters.get("released", parameters["queries"])
    return {"queries": count, "failure_probability": parameters["failure_probability"]}


def _beyond(parameters: dict[str, float]) -> Comparison:
    """Return the table for an ε that only some of the formulas reach."""
    privacy = {name: parameters[name] for name in ("epsilon", "delta", "queries")}
    likely = _likely(parameters)
    rows = [_textbook(privacy, likely), _gaussian(privacy, likely)]
    for key in list(NAMES)[_CLOSED:]:
        if key in noises.FAMILIES:
            rows.append(_of_family(key, parameters, 1.0))
        else:
            rows.append(_unknown(key, Evidence.UPPER, _WHOLE, "computed up to ε = 10"))
    return Comparison(tuple(rows), parameters)


def _of_family(key: str, parameters: dict[str, float], unit: float) -> ComparedNoise:
    """Return noise without a bound, as `dpviz.maths.noises` accounts for it."""
    family, k = noises.FAMILIES[key], _likely(parameters)["queries"]
    privacy = {name: parameters[name] for name in ("epsilon", "delta", "queries")}
    source, remark = noises.SOURCE, _ONLY_WHOLE if key in COUNTS else ""
    try:
        least = noises.enough_parameter(key, **privacy, sensitivity=unit)
        errors = family.deviation(least), family.error(least, k, parameters["failure_probability"])
    except ParameterError as refusal:
        return _unknown(key, Evidence.UPPER, source, f"{refusal.name} {refusal.allowed}")
    name = NAMES[key]
    return ComparedNoise(key, name, errors[0], math.inf, errors[1], Evidence.UPPER, source, remark)


def _of_many(key: str, parameters: dict[str, float]) -> ComparedNoise:
    """Return noise for more answers than its losses are composed for, by a bound from above.

    Truncated noise has the scale that is private without an end at δ/2, and an end that a person
    reveals with probability at most δ/2 in k answers. Given that none does, losses are those
    without an end; all probabilities grow by what was beyond it, by less than 1.002 times for k.
    """
    whole = key in COUNTS
    if not key.startswith("truncated"):
        return replace(_of_family(key, parameters, 1.0), source=_MANY)
    privacy = {name: parameters[name] for name in ("epsilon", "delta", "queries")}
    privacy["delta"] *= 0.499
    if privacy["delta"] < LIMITS["delta"].minimum:
        return _unknown(key, Evidence.UPPER, _MANY, "computed for δ above 2e-300")
    try:
        scale = noises.enough_parameter(key.removeprefix("truncated_"), **privacy)
    except ParameterError as refusal:
        return _unknown(key, Evidence.UPPER, _MANY, f"{refusal.name} {refusal.allowed}")
    rate, each = 1 / scale, 0.498 * parameters["delta"] / parameters["queries"]
    beyond = scale * math.log(1000 * parameters["queries"])
    if whole:  # the last place has the mass tanh(λ/2)·e^(−λR), over what is inside
        end = scale * math.log(math.tanh(rate / 2) / each)
        noise: GeometricNoise | TruncatedLaplace = GeometricNoise(rate, math.ceil(max(end, beyond)))
    else:
        end = scale * math.log(math.expm1(rate) / (2 * each))
        noise = TruncatedLaplace(rate, max(end, beyond))
    likely = _likely(parameters)
    errors = noise.standard_deviation, float(noise.radius), noise.max_error(**likely)
    remark = _ONLY_WHOLE if whole else ""
    return ComparedNoise(key, NAMES[key], *errors, Evidence.UPPER, _MANY, remark)


def _counted(row: ComparedNoise, parameters: dict[str, float], unit: float) -> ComparedNoise:
    """Return noise on counts for a Δ that is not 1."""
    if unit != math.floor(unit):
        return _unknown(row.key, row.evidence, row.source, "for Δ that is a whole number")
    if row.key not in noises.FAMILIES:
        return _unknown(row.key, row.evidence, row.source, "for Δ = 1")
    return _of_family(row.key, parameters, unit)


def _scaled(row: ComparedNoise, unit: float) -> ComparedNoise:
    """Return noise on numbers for a Δ that is not 1: it grows with Δ."""
    errors = row.deviation * unit, row.bound * unit, row.likely * unit
    return replace(row, deviation=errors[0], bound=errors[1], likely=errors[2])


def compared_so_far(
    *,
    epsilon: float,
    delta: float,
    queries: float,
    failure_probability: float,
    released: float | None = None,
) -> Iterator[Comparison]:
    """Yield what `compare` returns as far as it is known: with each row, and at every pause."""
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    parameters = privacy | {"failure_probability": failure_probability}
    parameters |= {} if released is None else {"released": released}
    likely, pace = _likely(parameters), Pace()
    rows: list[ComparedNoise] = []
    for row in _ROWS.values():
        so_far = Comparison(tuple(rows), parameters)
        if len(rows) >= _CLOSED:
            yield so_far
        rows.append((yield from paused(row.compute(privacy, likely), pace, so_far)))
    yield Comparison(tuple(rows), parameters)


def _at_once(
    row: Callable[[dict[str, float], dict[str, float]], ComparedNoise],
) -> Callable[[dict[str, float], dict[str, float]], Steps[ComparedNoise]]:
    """Return a row that needs no pause in steps, as others are."""

    def steps(privacy: dict[str, float], likely: dict[str, float]) -> Steps[ComparedNoise]:
        yield from ()
        return row(privacy, likely)

    return steps


def _textbook(privacy: dict[str, float], likely: dict[str, float]) -> ComparedNoise:
    """Return Gaussian noise with the σ of the textbook, which is proven for ε below 1."""
    key, epsilon = "textbook_gaussian", privacy["epsilon"]
    if epsilon >= 1:
        return _unknown(key, Evidence.UPPER, _TEXTBOOK, "proven for ε < 1 alone")
    sigma = gaussian.textbook_sigma(**privacy)
    error = float(gaussian.max_error(sigma, **likely))
    return ComparedNoise(key, NAMES[key], sigma, math.inf, error, Evidence.UPPER, _TEXTBOOK)


def _gaussian(privacy: dict[str, float], likely: dict[str, float]) -> ComparedNoise:
    sigma = float(gaussian.minimal_sigma(**privacy))
    error = float(gaussian.max_error(sigma, **likely))
    name = NAMES["gaussian"]
    return ComparedNoise("gaussian", name, sigma, math.inf, error, Evidence.EXACT, _ANALYTIC)


def _rival(key: str, privacy: dict[str, float], likely: dict[str, float]) -> Steps[ComparedNoise]:
    """Return a noise of the list that all comparisons share."""
    rival = RIVALS[key]
    if privacy["queries"] > rival.most > 1:
        yield
        return _of_many(key, {**likely, "released": likely["queries"], **privacy})
    if privacy["queries"] > rival.most:
        return _unknown(key, rival.evidence, rival.source, rival.limit)
    noise = yield from rival.make(**privacy)
    errors = noise.standard_deviation, noise.radius, noise.max_error(**likely)
    return ComparedNoise(key, rival.title, *errors, rival.evidence, rival.source)


def _composed(
    key: str, make: Callable[..., Any], privacy: dict[str, float], likely: dict[str, float]
) -> Steps[ComparedNoise]:
    """Return noise for whole numbers: its losses are composed, which few answers allow."""
    yield
    noise = make(**privacy) if privacy["queries"] <= MOST_QUERIES else None
    if noise is None:
        return _of_many(key, {**likely, "released": likely["queries"], **privacy})
    return ComparedNoise(
        key,
        NAMES[key],
        noise.standard_deviation,
        getattr(noise, "radius", math.inf),
        noise.max_error(**likely),
        Evidence.UPPER,
        _WHOLE,
        _ONLY_WHOLE,
    )


def _power(privacy: dict[str, float], likely: dict[str, float]) -> Steps[ComparedNoise]:
    noise = PowerNoise(2.0)
    epsilon, delta, queries = (privacy[name] for name in ("epsilon", "delta", "queries"))
    radius = yield from calibration.minimal_radius.steps(
        noise, epsilon=epsilon, delta=delta, queries=queries
    )
    return _bounded("bounded", noise, radius.upper, calibration.SOURCE, likely)


def _tuned(privacy: dict[str, float], likely: dict[str, float]) -> Steps[ComparedNoise]:
    epsilon, delta, queries = (privacy[name] for name in ("epsilon", "delta", "queries"))
    found = yield from tuning.tuned_noise.steps(epsilon=epsilon, delta=delta, queries=queries)
    radius = found.best.radius.upper
    return _bounded("tuned", found.best.noise, radius, _BY_TUNING, likely)


def _joint(privacy: dict[str, float], likely: dict[str, float]) -> Steps[ComparedNoise]:
    """Return noise drawn for all answers together: of each error, and of the largest."""
    yield
    key, name = "joint", NAMES["joint"]
    k, most = privacy["queries"], joint_noise.MOST_QUERIES
    if likely["queries"] > k:
        remark = "drawn for all answers that are released, as if each moved"
        return _unknown(key, Evidence.CERTIFIED, joint_noise.SOURCE, remark)
    if k == 1 or k > most:
        remark = "as end staircase" if k == 1 else f"computed up to k = {most:,}"
        return _unknown(key, Evidence.CERTIFIED, joint_noise.SOURCE, remark)
    noise = joint_noise.joint_noise(**privacy)
    largest = float(noise.largest_quantile(1 - likely["failure_probability"]))
    errors = noise.deviation, noise.radius, largest
    return ComparedNoise(key, name, *errors, Evidence.CERTIFIED, joint_noise.SOURCE)


def _bounded(
    key: str, noise: BoundedNoise, radius: float, source: Source, likely: dict[str, float]
) -> ComparedNoise:
    error = float(max_error(noise, radius, **likely))
    deviation = radius * noise.standard_deviation
    return ComparedNoise(key, NAMES[key], deviation, radius, error, Evidence.CERTIFIED, source)


def _unknown(key: str, evidence: Evidence, source: Source, remark: str) -> ComparedNoise:
    return ComparedNoise(key, NAMES[key], math.nan, math.nan, math.nan, evidence, source, remark)


_WHOLE_NUMBERS = (
    ("discrete_gaussian", "Discrete Gaussian", discrete_gaussian_noise),
    ("discrete_laplace", "Discrete Laplace", geometric_noise),
    ("truncated_discrete_laplace", "Discrete Laplace, truncated", truncated_geometric_noise),
)
_ROWS = {
    "textbook_gaussian": _Row("Gaussian, textbook σ", _at_once(_textbook)),
    "gaussian": _Row("Gaussian, analytic", _at_once(_gaussian)),
    **{key: _Row(rival.title, partial(_rival, key)) for key, rival in RIVALS.items()},
    **{
        key: _Row(title, partial(_composed, key, make), on_counts=True)
        for key, title, make in _WHOLE_NUMBERS
    },
    "bounded": _Row("Bounded, (1 − u²)⁻²", _power),
    "tuned": _Row("Bounded, tuned", _tuned),
    "joint": _Row("Bounded, drawn together", _joint),
}

NAMES = {key: row.title for key, row in _ROWS.items()}
"""The noises that are compared, in the order of the rows: a new one is a line of `_ROWS`.

One for real numbers, drawn for each answer, is an entry of `dpviz.maths.rivals.RIVALS`, and so in
the sweeps along k, too. With a family in `dpviz.maths.noises.FAMILIES` a row goes on where its own
computation ends: for more answers, beyond ε = 10, and for another Δ. Whoever takes a noise by its
name reads `TAKEN` of `dpviz.results.noise_names`; what sentences call it is `_IN_WORDS` beside the
view that compares, but for rivals, which say it themselves. Tests name what is missing.
"""

COUNTS = tuple(key for key, row in _ROWS.items() if row.on_counts)
"""Those for whole numbers alone."""
