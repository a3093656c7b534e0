"""What headlines say of simulations holds whatever was drawn: claims with intervals, and no more.

Each view that simulates is computed at its fewest runs, and at a few more, from five seeds.
"""

import itertools
import math
import re
from functools import cache

import numpy as np
import pytest

from dpviz.results.evidence import Bracket, Claim, Curve, Evidence, Result, parts_of
from dpviz.scene.codec import Number
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from tests.support.declarations import SLUGS, finest, first, page
from tests.support.examples import by_ring, chosen

SEEDS = range(1, 6)
A_FEW = 3  # runs, from which on there are intervals
CHANCE = 0.5  # of a half-width: of ten pairs of 95% intervals some lie side by side
WINNER = re.compile(
    r"\b(the best for|did best|better|worse|beats?|wins?|pays? here|pay at no|lowers|are enough)\b"
)
UNDECIDED = ("do not tell", "is not known")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
NO_CLAIM = {
    "clipping/threshold": "its words are about the data drawn, of which they are exact",
}
QUICK = {
    "few_users/agreement",
    "public_data/points",
}
LATER = ["clipping/threshold", "propose_test_release/naming"]  # their first result is exact
SLOW = {
    "public_data/shift",
    *LATER,
}


def simulates(slug: str, key: str) -> bool:
    curves = parts_of(first(page(slug), key), Curve)
    return any(curve.evidence is Evidence.SIMULATED for curve in curves)


SIMULATING = [
    f"{slug}/{view.key}"
    for slug in SLUGS
    for view in page(slug).views
    if f"{slug}/{view.key}" in LATER or ("seed" in view.parameters and simulates(slug, view.key))
]
every_simulation = pytest.mark.parametrize(
    "name",
    by_ring(
        [name for name in SIMULATING if name in QUICK],
        [name for name in SIMULATING if name not in SLOW],
        SIMULATING,
    ),
)


@cache
def drawn(name: str, runs: int) -> list[tuple[View, Result]]:
    """The whole results from every seed, with so many runs or the fewest there may be."""
    slug, key = name.split("/")
    declared, found = page(slug), []
    usual = declared.usual(key)
    if "runs" in declared.open_view(usual).parameters:
        parameter = declared.parameter("runs")
        assert isinstance(parameter, Number)
        usual |= {"runs": max(runs, int(parameter.limit.minimum))}
    for seed in SEEDS:
        scene = Scene.settled(declared, usual | {"seed": seed})
        found.append((scene.view, finest(declared, scene.view, scene.values)))
    return found


def numbers(text: str) -> set[float]:
    found = set()
    for said in NUMBER.findall(text):
        plain = said.replace(",", "").replace(" × 10", "e").translate(SCRIPTS)
        found.add(float(plain))
    return found


SCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def claimed(number: float, claims: tuple[Claim, ...]) -> bool:
    """Whether a number is an estimate or an end of one of the claims, as it is or in hundredths."""
    ends = [end for claim in claims for end in (claim.value, claim.lower, claim.upper)]
    return any(
        abs(number - times * end) <= 0.5 * 10 ** math.floor(math.log10(abs(times * end)))
        for end in ends
        for times in (1, 100)
        if math.isfinite(end) and end
    ) or (number == 0 and 0 in ends)


def counts(result: Result) -> set[float]:
    """How many of the runs did something: what was seen, and no claim."""
    made = result.so_far.made if result.so_far else 0
    return {round(made * claim.value) for claim in result.claims if math.isfinite(claim.value)} | {
        made
    }


def far_apart(one: Claim, other: Claim) -> bool:
    """Whether the intervals lie further apart than intervals of the same truth do."""
    gap = max(one.lower, other.lower) - min(one.upper, other.upper)
    return gap > CHANCE * min(one.upper - one.lower, other.upper - other.lower) / 2


@every_simulation
@pytest.mark.parametrize("runs", chosen([0, A_FEW], [A_FEW]))
def test_claims_of_other_draws_agree_and_keep_within_what_is_proved(name, runs):
    results = drawn(name, runs)
    by_name: dict[str, list[Claim]] = {}
    for _, result in results:
        for claim in result.claims:
            by_name.setdefault(claim.what, []).append(claim)
            assert claim.lower <= claim.upper
            assert claim.proven.lower <= claim.lower
            assert claim.upper <= claim.proven.upper
    for claims in by_name.values():
        for one, other in itertools.combinations(claims, 2):
            assert not far_apart(one, other), (one, other)


@every_simulation
@pytest.mark.parametrize("runs", chosen([0, A_FEW], [A_FEW]))
def test_a_headline_says_what_is_claimed_and_names_no_winner_before_it_is_known(name, runs):
    if name in NO_CLAIM:
        return
    results = drawn(name, runs)
    said = [numbers(view.takeaway(result)) for view, result in results]
    for (view, result), mine in zip(results, said, strict=True):
        headline = view.takeaway(result)
        for number in mine - set.intersection(*said):
            assert claimed(number, result.claims) or number in counts(result), (number, headline)
        decides = not any(words in headline for words in UNDECIDED)
        if result.claims and decides and WINNER.search(headline):
            known = [c for c in result.claims if c.is_known]
            apart = any(a.is_apart(b) for a, b in itertools.combinations(known, 2))
            decided = any(not c.lower <= 0 <= c.upper for c in known)
            assert apart or decided, headline


@every_simulation
def test_no_estimate_is_told_beyond_a_bound_of_the_same_figure(name):
    """A claim that has a bound in its figure, by a curve with an end, knows it."""
    slug, key = name.split("/")
    result = first(page(slug), key)
    for claim in result.claims:
        assert claim.proven.lower <= claim.lower <= claim.upper <= claim.proven.upper


def test_a_claim_is_cut_off_where_it_is_proved():
    claim = Claim("users", 3.0, 1.0, math.inf, Bracket(8.0, 20.0))
    assert (claim.value, claim.lower, claim.upper) == (8.0, 8.0, 20.0)
    assert not Claim("unknown", math.nan, math.nan, math.nan).is_known


def test_claims_are_apart_where_their_intervals_are():
    low, high = Claim("a", 1.0, 0.5, 1.5), Claim("b", 2.0, 1.6, 2.5)
    assert low.is_below(high)
    assert high.is_apart(low)
    assert not low.is_apart(Claim("c", 1.6, 1.5, 1.7))
    assert not low.is_apart(Claim("unknown", np.nan, np.nan, np.nan))


def test_there_are_simulations_to_look_at():
    assert {"few_users/agreement", "public_data/points"} <= set(SIMULATING)
    assert NO_CLAIM.keys() | SLOW <= set(SIMULATING)
