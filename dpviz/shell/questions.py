"""What the command can be asked for a number, and what its help says of each option."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dpviz.results.limit import Limit
from dpviz.results.noise_names import NEIGHBOURS, TAKEN
from dpviz.results.parameters import LIMITS, PROMISES, WIDE_EPSILON

QUESTIONS: Mapping[str, tuple[Sequence[str], Sequence[str], str]] = {
    "radius": (
        ("epsilon", "delta", "queries"),
        ("noise", "power", "sensitivity"),
        "--epsilon 0.1 --delta 1e-10 --queries 1e6 --noise tuned",
    ),
    "sigma": (
        ("epsilon", "delta"),
        ("queries", "noise", "power", "sensitivity", "l2"),
        "--epsilon 0.1 --delta 1e-10 --queries 1e6",
    ),
    "epsilon": (
        ("delta",),
        ("queries", "radius", "sigma", "noise", "power", "scale", "sensitivity", "l2"),
        "--delta 1e-10 --queries 1e6 --radius 211e3",
    ),
    "delta": (
        ("epsilon",),
        ("queries", "radius", "sigma", "noise", "power", "scale", "sensitivity", "l2"),
        "--epsilon 0.1 --queries 1e6 --sigma 55e3",
    ),
    "error": (
        ("queries",),
        ("sigma", "radius", "most", "noise", "power", "failure-probability"),
        "--queries 100 --most 50 --noise laplace",
    ),
    "users": (
        ("bias", "examples-per-user", "epsilon"),
        ("success",),
        "--bias 0.1 --examples-per-user 10 --epsilon 1",
    ),
    "compare": (
        ("epsilon", "delta", "queries"),
        ("failure-probability", "sensitivity", "released"),
        "--epsilon 0.1 --delta 1e-10 --queries 1e6",
    ),
    "sensitivity": (
        ("touched", "most", "neighbours"),
        ("least", "cells"),
        "--touched 16 --most 1 --neighbours substitute",
    ),
    "compose": (
        ("mechanisms",),
        ("epsilon", "delta", "more"),
        "gaussian:sigma=2,count=3 laplace:scale=1 --delta 1e-6",
    ),
    "convert": (
        (),
        ("rho", "mu", "renyi", "epsilon", "delta", "rows", "to", "order"),
        "--rho 0.1 --delta 1e-6",
    ),
}
"""What can be asked for: what it must be told, what it may be, and what to type, as an example."""

WORDS = ("noise", "mechanisms", "more", "renyi", "to", "neighbours")
"""What is told by a word, not a number."""

_METAVARS = {
    "mechanisms": "MECHANISM",
    "more": "MECHANISM",
    "renyi": "ORDER:EPSILON,...",
    "to": "{epsilon,delta,rho,mu,renyi}",
    "neighbours": f"{{{','.join(NEIGHBOURS)}}}",
}

_SIGMA, _UNIT = LIMITS["sigma"], LIMITS["sensitivity"]
_HALVES = {  # both ends of these are left out
    "bias": "how far the chance of heads is from 1/2; between 0 and 1/2",
    "success": "probability of naming the right coin, 2/3 unless said; between 1/2 and 1",
}

_RANGES: Mapping[str, Limit] = {
    **LIMITS,
    **PROMISES,
    "epsilon": WIDE_EPSILON,
    "sensitivity": replace(
        _UNIT, meaning="the most by which one person moves one answer; 1 unless said"
    ),
    "l2": replace(
        _UNIT,
        symbol="ℓ₂",
        meaning="the most by which one person moves all answers together, for Gaussian noise, in "
        "place of --queries and --sensitivity",
    ),
    "queries": replace(
        LIMITS["queries"],
        meaning="answers, each of which one person may move by Δ: √k·Δ in ℓ₂, as dpviz sensitivity "
        "counts",
    ),
    "released": replace(
        LIMITS["queries"],
        symbol="n",
        meaning="answers there are, if one person moves only k of them; k unless said",
    ),
    "radius": replace(LIMITS["radius"], meaning="what no error exceeds"),
    "sigma": replace(_SIGMA, meaning="standard deviation of noise without a bound"),
    "scale": replace(
        _SIGMA, symbol="b", meaning="of truncated Laplace noise, density ∝ e^(−|x|/b)"
    ),
    "most": replace(_SIGMA, symbol="T", meaning="an error that one wants"),
    "examples-per-user": replace(LIMITS["examples_per_user"], maximum=1000),
    "failure-probability": replace(
        LIMITS["failure_probability"],
        meaning="how often the largest error may be larger; 0.05 unless said",
    ),
    "power": replace(
        LIMITS["power"], meaning="of --noise power, f(u) = (1 − u²)^−p; 2 unless said"
    ),
}

_FLAGS: Mapping[tuple[str, str], str] = {
    ("sensitivity", "touched"): "in how many cells one person counts, at most; "
    + LIMITS["queries"].allowed,
    ("sensitivity", "cells"): "how many cells there are, if only a few; "
    + LIMITS["queries"].allowed,
    ("sensitivity", "most"): "the most by which one person counts in a cell; " + _UNIT.allowed,
    ("sensitivity", "least"): "the least, 0 unless said; a number from -1e9 to 0",
    ("sensitivity", "neighbours"): "whether neighbouring data have one person more, or another one",
    ("compose", "delta"): "δ, then the least ε is returned; 0 or " + LIMITS["delta"].allowed,
    ("compose", "epsilon"): "ε, then the least δ is returned; " + WIDE_EPSILON.allowed,
    ("compose", "more"): "how many of these fit in beside the others, within --epsilon and --delta",
    (
        "compose",
        "mechanisms",
    ): "such as gaussian:sigma=2,count=3; a wrong one is answered by all there are",
    ("convert", "renyi"): "orders α and what is kept at each, as in 8:0.5,16:1.1; orders above 1",
    ("convert", "to"): "what to return, where it does not follow from what is given",
    ("radius", "epsilon"): f"ε, privacy loss; {LIMITS['epsilon'].allowed}",
    ("compare", "epsilon"): f"ε, privacy loss; {WIDE_EPSILON.allowed}; many rows end at 10",
    ("convert", "epsilon"): f"ε, privacy loss; {WIDE_EPSILON.allowed}",
    (
        "error",
        "queries",
    ): f"k, answers, of whose errors the largest counts; {LIMITS['queries'].allowed}",
    ("users", "epsilon"): "ε, for a user with all tosses; " + LIMITS["epsilon"].allowed,
}


def metavar(name: str, flag: str) -> str:
    """Return what stands for the value of an option in the help of a question."""
    if flag == "noise":
        return f"{{{','.join(TAKEN[name])}}}"
    return _METAVARS.get(flag, "WORD" if flag in WORDS else "NUMBER")


def help_of(name: str, flag: str) -> str:
    """Return what the help of a question says of an option: its meaning, and its range."""
    if flag == "noise":
        return "what is added to each answer; the names are those of dpviz compare"
    if flag_words := _FLAGS.get((name, flag)) or _HALVES.get(flag):
        return flag_words
    limit = _RANGES[flag]
    bounded = "; 10 at most for noise with a bound" if limit is WIDE_EPSILON else ""
    return f"{limit.symbol}, {limit.meaning}; {limit.allowed}{bounded}"
