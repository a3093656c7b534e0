"""Headlines say one thing in a sentence: few words, at most three numbers, no item of a paper."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random

import orjson
import pytest

from dpviz.plot.chart import DASHES
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Chart, Evidence, Result, parts_of
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Choice, Flag, Number, Parameter, Value
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from dpviz.serve.lines import Look, line
from tests.support.declarations import SLUGS, begun, page
from tests.support.examples import by_ring, chosen, in_nightly
from tests.support.headlines import faults

# The figures behind the headline stand in a line of their own where a view declares one.
AS_BARS = {"bits", "mechanism", "measure"}  # drawn as bars or rows, with a name at each
PLAIN = View.__dataclass_fields__["detail"].default
# Views whose first result takes a few milliseconds, and those it takes less than 50.
QUICKEST = {
    "/attackers",
    "/play",
    "/reading",
    "promise/play",
    "bounded_noise/compare",
    "user_complexity/users",
    "propose_test_release/outliers",
    "clipping/user",
    "shared_darts/board",
    "shared_darts/joint",
    "few_users/mistakes",
    "few_users/rich",
    "public_data/real",
    "public_data/weights",
}
QUICK = {
    "promise/again",
    "promise/attackers",
    "promise/odds",
    "promise/rows",
    "adaptive_analysis/queries",
    "user_complexity/representation",
    "user_complexity/truth",
    "perfect_generalization/pairs",
    "perfect_generalization/growth",
    "perfect_generalization/users",
    "propose_test_release/naming",
    "propose_test_release/noise",
    "clipping/real",
    "clipping/selected",
    "clipping/threshold",
    "shared_darts/disagreement",
    "few_users/agreement",
    "few_users/messages",
    "few_users/stability",
    "few_users/votes",
    "public_data/noise",
    "public_data/points",
}
every_view = pytest.mark.parametrize(
    ("slug", "key"), [(slug, view.key) for slug in SLUGS for view in page(slug).views]
)


def first(slug: str, values: dict[str, Value]) -> tuple[View, Result]:
    opened = page(slug)
    scene = Scene.opened(opened, values)
    scene = Scene.opened(opened, {**values, **scene.fallen_back})
    return scene.view, begun(opened, scene.view, scene.values)


@cache
def first_usual(slug: str, key: str) -> tuple[View, Result]:
    return first(slug, usual(slug, key))


def usual(slug: str, key: str) -> dict[str, Value]:
    return page(slug).usual(key)


def at_the_ends(slug: str, key: str) -> Iterator[dict[str, Value]]:
    """The ends of all ranges at once, by default one end; at night of one slider, too."""
    declared, values = page(slug), usual(slug, key)
    view = declared.open_view(values)
    numbers = [p for p in declared.parameters if isinstance(p, Number) and p.key in view.parameters]
    ends = ["minimum", "maximum"]
    turn = [view.key for view in declared.views].index(key) % 2
    for moved in (numbers, numbers[:1])[: 2 if in_nightly() else 1]:
        for end in chosen(ends, [ends[turn]]):
            yield values | {p.key: p.read(p.write(getattr(p.limit, end)), 0)[0] for p in moved}


@pytest.mark.parametrize(
    ("headline", "fault"),
    [
        ("Theorem 4 asks for much.", "an item of a paper"),
        ("As (14) says.", "an item of a paper"),
        ("1 in 10, 2 × 10⁻⁷, 1,000.5 and 10⁶.", "4 numbers"),
        ("Word" + " word, so" * 15 + ".", "31 words"),
        ("It is nan.", "a number that is none"),
        ("Noise gives 0.5; without noise it is 0.5.", "a number twice"),
        ("It takes 1 users.", "one of many"),
        ("It takes 20 user.", "many of one"),
        ("So 3 users needs it.", "many with a verb for one"),
        ("So 1 user need it.", "one with a verb for many"),
        ("With a 8% error.", "a before a vowel"),
        ("With an 9% error.", "an before a consonant"),
        ("As many as many.", ""),
        ("It takes as many as as many.", "a word twice"),
        ("It takes the the most.", "a word twice"),
        ("It takes 5 , or more.", "a stray space"),
        ("It takes 5.. or more.", "stray signs"),
        ("It takes 1e6 users.", "stray signs"),
        ("it takes 5.", "no capital at its beginning"),
        ("It takes 5", "no stop at its end"),
        ("It takes 5 (or more.", "a bracket left open"),
    ],
)
def test_faults_are_found(headline, fault):
    assert faults(headline) == [fault] * bool(fault)


@pytest.mark.parametrize(
    "headline",
    [
        "From 1 in 10 to 6.3 × 10⁶.",
        "It clips 7 of 7 users, “1.4 to 2.09” at ε = 11.",
        "An 8% error of a user, in a one-way test.",
        "With 6 tosses each it needs 6 users; a user needs 1 toss.",
    ],
)
def test_what_is_no_fault_is_not_found(headline):
    assert not faults(headline)


@every_view
def test_a_headline_has_one_idea_and_few_numbers_at_the_ends_of_ranges(slug, key):
    for values in at_the_ends(slug, key):
        try:
            view, result = first(slug, values)
        except ParameterError:
            continue  # the ends of two ranges may contradict each other
        headline = view.takeaway(result)
        assert not faults(headline), headline


def drawn(slug: str, key: str) -> Iterator[dict[str, Value]]:
    """Random values of all controls of a view: a few states, at night many of quick views."""
    declared, rng = page(slug), Random(f"{slug}/{key}")
    view = declared.open_view(usual(slug, key))
    moved = [p for p in declared.parameters if p.key in view.parameters]
    many = 500 if f"{slug}/{key}" in QUICKEST else 50 if f"{slug}/{key}" in QUICK else 20
    for _ in range(by_ring(2, 8, many)):
        yield usual(slug, key) | {p.key: any_value(p, rng) for p in moved}


def any_value(parameter: Parameter, rng: Random) -> Value:
    """A value that a reader can give to a control."""
    match parameter:
        case Choice(options=options):
            return rng.choice(list(options))
        case Flag():
            return rng.random() < 0.5
        case Number(limit=limit):
            low, high = max(limit.minimum, 1) if limit.integer else limit.minimum, limit.maximum
            if limit.log:
                value = math.exp(rng.uniform(math.log(low), math.log(high)))
            else:
                value = rng.uniform(limit.minimum, high)
            value = min(max(value, limit.minimum), high)
            return parameter.read(parameter.write(round(value) if limit.integer else value), 0)[0]
    raise TypeError(parameter)


@every_view
def test_a_headline_reads_like_a_sentence_at_random_states(slug, key):
    for values in drawn(slug, key):
        try:
            view, result = first(slug, values)
        except ParameterError:
            continue  # two values may contradict each other
        headline = view.takeaway(result)
        assert not faults(headline), (headline, values)


@pytest.mark.parametrize(
    ("slug", "key", "values"),
    [
        (
            "propose_test_release",
            "outliers",
            {"data": "clusters", "outliers": 20, "outlier_distance": 9.36, "users": 14357}
            | {"examples_per_user": 3, "epsilon": 0.0453, "delta": 0.00268, "noise_factor": 0.741},
        ),
        (
            "clipping",
            "user",
            {"task": "intervals", "domain_size": 6, "candidates": 23, "rival": 52, "users": 7}
            | {"threshold": 1.995, "examples_per_user": 2, "seed": 1314668415},
        ),
        (
            "shared_darts",
            "joint",
            {"gap": 4.39, "width": 1.69, "width_ratio": 0.244, "outcomes": 57},
        ),
        (
            "public_data",
            "points",
            {"task": "intervals", "samples": 36, "public_points": 244, "epsilon": 0.467}
            | {"delta": 2.35e-16, "smoothness": 0.514, "label_noise": 0.373, "eta": 8.36}
            | {"averages": 18, "runs": 27, "more": "private", "seed": 1676582418},
        ),
        (
            "user_complexity",
            "representation",
            {"examples_per_user": 7 * 10**21, "epsilon": 5.2, "alpha": 2.5e-4, "domain_size": 5},
        ),
    ],
)
def test_a_headline_reads_like_a_sentence_where_random_states_found_one_that_did_not(
    slug, key, values
):
    view, result = first(slug, usual(slug, key) | values)
    headline = view.takeaway(result)
    assert not faults(headline), headline


@pytest.mark.parametrize("slug", SLUGS)
def test_each_view_for_everyone_says_why_in_few_sentences(slug):
    declared = page(slug)
    assert all(view.why for view in declared.for_everyone)
    states = [declared.preset_values(preset) for preset in declared.presets]
    here = [declared.open_view(state).why_here(state) for state in states]
    for why in filter(None, (*(view.why for view in declared.views), *here)):
        assert 2 <= len(re.findall(r"[.?!](?= |$)", why)) <= 3
        assert 25 <= len(why.split()) <= 75
        assert not re.search(r"\d|[₀-₉√]", why)


@every_view
def test_a_headline_has_one_idea_and_the_figures_behind_it_stand_below(slug, key):
    view, result = first_usual(slug, key)
    headline = view.takeaway(result)
    assert not faults(headline), headline
    sent = orjson.loads(line(view, result, Look(), whole=True))
    detail = view.exactly(result)
    assert detail != headline
    assert sent["alt"] == (detail or view.headline(result)).replace("**", "")
    assert sent["detail"].startswith(detail)
    papers = [o for o in result.origins if not o.source.paper.startswith("dpviz")]
    assert ("Source" in sent["detail"]) == (bool(papers) and view.rounds is None)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@every_view
def test_no_two_lines_of_a_chart_look_the_same(slug, key, theme):
    _, result = first_usual(slug, key)
    for chart in parts_of(result, Chart):
        lines = [c for c in chart.curves if c.evidence is not Evidence.SIMULATED and c.x.size > 2]
        looks = [(theme.color(c), DASHES[c.evidence], c.weight) for c in lines]
        same = {look for look, count in Counter(looks).items() if count > 1}
        alike = [c.label for c, look in zip(lines, looks, strict=True) if look in same]
        assert not alike or chart.x.name in AS_BARS, alike
