"""One table of the parameters: what they mean, their ranges, defaults and grids.

Widgets, validators and property tests all read this table, so the core accepts
exactly the values that a reader can choose.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from types import MappingProxyType
from typing import ParamSpec, SupportsFloat, TypeVar

import numpy as np

from dpviz.results.limit import Limit, NoFileError, ParameterError, format_number

__all__ = [
    "EPSILON_SAYS",
    "LIMITS",
    "PROMISES",
    "WIDE_EPSILON",
    "Limit",
    "NoFileError",
    "ParameterError",
    "format_number",
    "of_one",
    "validate",
    "validate_array",
]


def _table(*limits: Limit) -> Mapping[str, Limit]:
    return MappingProxyType({limit.name: limit for limit in limits})


EPSILON_SAYS = "smaller is safer: outputs depend less on you"
"""What ε does, on the pages where a reader meets it first."""

LIMITS: Mapping[str, Limit] = _table(
    Limit("epsilon", "ε", "privacy loss", 1e-7, 10.0, 0.1, better="smaller is safer"),
    Limit(
        "delta",
        "δ",
        "slack added to every probability",
        1e-300,
        0.5,
        1e-10,
        better="smaller is safer",
    ),
    Limit(
        "answer_epsilon",
        "ε₀",
        "privacy loss of one answer",
        1e-3,
        10.0,
        0.1,
        better="smaller is safer",
    ),
    Limit(
        "false_alarms",
        "a",
        "false alarms: share of the innocent whom an attacker accuses",
        1e-9,
        0.999,
        0.05,
    ),
    Limit("prior", "π", "suspicion before the answers", 0.001, 0.9, 0.1),
    Limit(
        "hit_rate",
        "h",
        "hits: share of those in the data whom an attacker accuses",
        0.01,
        0.99,
        0.2,
        log=False,
        step=0.01,
    ),
    Limit("queries", "k", "queries answered", 1, 10**10, 10**6, integer=True),
    Limit(
        "power", "p", "shape of the noise, f(u) = (1 − u²)^−p", 0.5, 8.0, 2.0, log=False, step=0.1
    ),
    Limit("barrier", "a", "barrier at the ends of tuned noise, a(1 − u²)^−p", 1e-12, 1e3, 0.1),
    Limit("bulk", "b", "power of 1 − u² in the density", 0, 100, 2, log=False, step=0.5),
    Limit("cut", "θ", "how far −b·ln(1 − θu²) climbs, in tuned noise", 0.01, 1, 1, log=False),
    Limit("sensitivity", "Δ", "most one person can move an answer", 1e-9, 1e9, 1.0),
    Limit("radius", "R", "largest possible error of bounded noise", 1e-12, 1e27, 1.0),
    Limit(
        "sigma",
        "σ",
        "standard deviation of Gaussian noise",
        1e-12,
        1e27,
        1.0,
        better="larger is safer, smaller more accurate",
    ),
    Limit(
        "failure_probability",
        "β",
        "probability an error bound may fail",
        1e-12,
        0.5,
        0.05,
        better="smaller is surer",
    ),
    Limit("target", "T", "largest error accepted, in units of Δ", 1, 1e12, 1e5),
    Limit("constant", "C", "hidden constant of an asymptotic shape", 0.01, 100.0, 1.0),
    Limit("examples_per_user", "m", "examples each user holds", 1, 1e24, 100, integer=True),
    Limit(
        "alpha",
        "α",
        "error the learner may make",
        1e-6,
        0.5,
        0.05,
        better="smaller is more accurate",
    ),
    Limit(
        "beta",
        "β",
        "probability that some error is larger",
        1e-9,
        0.5,
        0.05,
        better="smaller is surer",
    ),
    Limit("dimension", "d", "dimension (of a class: representation dimension)", 1, 1e6, 100),
    Limit("domain_size", "k", "points in the domain", 2, 10**9, 1000, integer=True),
    Limit("littlestone_dimension", "d_L", "Littlestone dimension", 1, 10**6, 3, integer=True),
    Limit("vc_dimension", "d_VC", "VC dimension", 1, 10**6, 10, integer=True),
    Limit("sq_dimension", "d_SQ", "statistical-query dimension", 1, 1e20, 1e6),
    Limit("hypotheses", "|F|", "hypotheses to select from", 2, 1e300, 1e6, integer=True),
    Limit(
        "littlestone_power",
        "c_L",
        "power in the item-level bound LDim^O(1)",
        1,
        12,
        6,
        log=False,
        step=0.5,
    ),
    Limit(
        "sq_power",
        "c_SQ",
        "power in the item-level bound SQDim^O(1)",
        0.5,
        10,
        1,
        log=False,
        step=0.5,
    ),
    Limit(
        "examples_power",
        "c_m",
        "power in the examples per user (LDim/α)^O(1)",
        1,
        12,
        6,
        log=False,
        step=0.5,
    ),
    Limit("log_power", "p", "power of the logarithm that Õ hides", 0, 6, 1, log=False, step=0.5),
    Limit("samples", "n", "samples in one data set", 1, 10**6, 10**4, integer=True),
    Limit("sample_size", "n", "samples the analyst holds", 1, 10**4, 1000, integer=True),
    Limit("questions", "k", "questions asked, each about one coin", 1, 10**4, 3000, integer=True),
    Limit("users", "n", "users", 1, 10**5, 1000, integer=True),
    Limit("rate", "p", "probability that a sample is 1", 0.005, 0.995, 0.5, log=False, step=0.005),
    Limit(
        "closeness_epsilon",
        "ε′",
        "privacy loss at which two outputs count as close",
        1e-8,
        1e7,
        1.0,
    ),
    Limit(
        "closeness_delta",
        "δ′",
        "slack added to every probability, beside ε′",
        1e-304,
        0.5,
        1e-6,
    ),
    Limit("runs", "runs", "repetitions of a simulation", 1, 1000, 20, integer=True),
    Limit("outliers", "k", "users who are outliers", 1, 1000, 60, integer=True),
    Limit(
        "outlier_distance",
        "d",
        "distance of the outliers, where 1 is the largest honest sum",
        0,
        10,
        2,
        log=False,
        step=0.1,
    ),
    Limit(
        "noise_factor", "c", "noise, in units of the least for well-behaved users", 0.1, 100, 1.2
    ),
    Limit("candidates", "|H|", "candidates to select from", 2, 64, 16, integer=True),
    Limit(
        "threshold",
        "τ",
        "clipping threshold: the most a user's examples may count",
        0.01,
        1e6,
        3.0,
        better="smaller means less noise, but cuts more",
    ),
    Limit("rival", "r", "rank of the other candidate, by true error", 2, 64, 5, integer=True),
    Limit("excess", "a", "distance from the best score", 0, 1e12, 1.0, log=False),
    Limit("bins", "b", "categories that numbers are sorted into", 2, 16, 4, integer=True),
    Limit("outcomes", "K", "outcomes to pick from", 2, 60, 20, integer=True),
    Limit("darts", "T", "shared darts", 1, 1000, 20, integer=True),
    Limit("gap", "s", "distance between the two bells", 0, 20, 1, log=False, step=0.1),
    Limit("width", "w", "spread of the bell P", 0.3, 20, 3),
    Limit("width_ratio", "v", "spread of Q, in units of that of P", 0.2, 5, 1),
    Limit("bits", "d", "size: 2^d points", 2, 8, 5, integer=True, log=False),
    Limit("depth", "d", "size: 2^d hypotheses, or d ones", 1, 8, 4, integer=True, log=False),
    Limit("rare", "d", "rare points", 1, 8, 6, integer=True, log=False),
    Limit(
        "sighting",
        "q",
        "chance that one run sees a given rare point",
        0.05,
        0.99,
        0.5,
        log=False,
        step=0.01,
    ),
    Limit("class_bits", "d", "class of 2^d hypotheses", 1, 40, 20, integer=True, log=False),
    Limit(
        "question_examples",
        "m₁",
        "examples each user holds for a question",
        100,
        1e12,
        1e9,
        integer=True,
    ),
    Limit("share", "η", "share of users who agree", 0.5, 0.999, 0.9, log=False, step=0.01),
    Limit("public_points", "m", "public points, without labels", 1, 10**4, 20, integer=True),
    Limit(
        "smoothness",
        "σ",
        "smoothness: private data may be 1/σ times as dense as public (1: no shift)",
        0.01,
        1,
        1,
        better="larger is more accurate",
    ),
    Limit(
        "label_noise", "p", "probability that a label is wrong", 0, 0.45, 0.1, log=False, step=0.01
    ),
    Limit(
        "public_share",
        "π",
        "share of the units whose unlabelled rows are public",
        0.02,
        0.5,
        0.25,
        log=False,
        step=0.01,
    ),
    Limit(
        "components",
        "k",
        "principal components of the public rows that are used",
        1,
        12,
        5,
        integer=True,
        log=False,
    ),
    Limit("eta", "η", "strength of the perturbation or regularisation", 1e-4, 100, 0.1),
    Limit("averages", "J", "minimisers averaged by Algorithm 2", 1, 10**5, 1000, integer=True),
    Limit("coin", "p", "chance of heads of the first coin", 0.05, 0.45, 0.35, log=False, step=0.05),
    Limit("bit_users", "n", "users with one item each", 17, 100, 60, integer=True),
    Limit(
        "promised_epsilon",
        "ε",
        "privacy loss that is promised",
        1.0,
        10.0,
        3.0,
        better="smaller is safer",
    ),
    Limit(
        "promised_delta",
        "δ",
        "slack added to every probability",
        1e-6,
        0.1,
        1e-3,
        better="smaller is safer",
    ),
    Limit("noise_epsilon", "ε′", "privacy loss of the noise for one example", 0.005, 5.0, 0.1),
    Limit("lean", "b", "lead of the right answer", 0.01, 0.3, 0.02),
    Limit("repeats", "m", "examples each user holds", 1, 10**4, 1000, integer=True),
    Limit("subsample", "η", "share of the examples that the learner is given", 1e-3, 1.0, 1.0),
    Limit("tosses", "m", "tosses each user makes", 1, 100, 3, integer=True),
    Limit(
        "task_epsilon",
        "ε",
        "privacy loss for a user with all their data",
        0.1,
        4.0,
        0.5,
        better="smaller is safer",
    ),
    Limit(
        "success",
        "γ",
        "probability with which the right one is to be named",
        0.5,
        0.9,
        0.75,
        log=False,
        step=0.05,
    ),
    Limit("seed", "seed", "seed of the random draws", 0, 2**31 - 1, 0, integer=True, log=False),
)


WIDE_EPSILON = replace(LIMITS["epsilon"], maximum=100.0)
"""The range of ε where formulas hold beyond that of the pages."""


_Asking = ParamSpec("_Asking")
_Found = TypeVar("_Found")


def of_one(arrays: str) -> Callable[[Callable[_Asking, _Found]], Callable[_Asking, _Found]]:
    """Make a function of single numbers refuse an array, and say what is for arrays."""

    def refusing(function: Callable[_Asking, _Found]) -> Callable[_Asking, _Found]:
        @wraps(function)
        def checked(*args: _Asking.args, **given: _Asking.kwargs) -> _Found:
            for name, value in given.items():
                if np.ndim(value):  # type: ignore[arg-type]
                    raise ParameterError(name, f"one number here; {arrays}", value)
            return function(*args, **given)

        return checked

    return refusing


PROMISES: Mapping[str, Limit] = {
    "rho": Limit("rho", "ρ", "zero-concentrated DP", 1e-12, 1e4, 0.1),
    "mu": Limit("mu", "μ", "Gaussian DP", 1e-6, 100.0, 1.0),
    "epsilon": WIDE_EPSILON,
    "delta": LIMITS["delta"],
    "order": Limit("order", "α", "order of a Rényi divergence", 1.0001, 1e6, 8.0),
    "rows": Limit("rows", "m", "rows of a group", 1, 10**6, 1, integer=True),
}
"""The ranges of promises of other kinds, and of what they are converted to."""


def validate(name: str, value: SupportsFloat) -> float:
    """Return value validated against the table entry `name` (see `Limit.validate`)."""
    return LIMITS[name].validate(value)


def validate_array(name: str, values: object, limit: Limit | None = None) -> np.ndarray:
    """Return values as a float array, every entry inside the range of `name`, or raise.

    limit: another range than that of the table.
    """
    limit = limit or LIMITS[name]
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(name, limit.allowed, values) from None
    bad = ~((array >= limit.minimum) & (array <= limit.maximum))
    if limit.integer:
        bad |= array != np.floor(array)
    if bad.any():
        raise ParameterError(name, limit.allowed, float(array[bad].flat[0]))
    return array
