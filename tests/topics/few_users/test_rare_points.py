"""Stability on rare points: exact laws against enumeration, and against the learners run."""

import itertools
import math

import numpy as np
import pytest

from dpviz.maths.intervals import clopper_pearson
from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.learners import NOTHING
from dpviz.topics.few_users.littlestone import FiniteClass
from dpviz.topics.few_users.rare_points import (
    BranchedLists,
    RareLearner,
    RarePoints,
    TournamentLaws,
    joined_runs,
)
from dpviz.topics.few_users.views.notions_of_stability import notions_of_stability

SETTING = {"sighting": 0.5, "alpha": 0.1, "failure_probability": 0.05, "share": 0.9}


def rng(seed=0):
    return np.random.default_rng(seed)


def subsets(rare):
    return [frozenset(s) for k in range(rare + 1) for s in itertools.combinations(range(rare), k)]


def seen_by_enumeration(points):
    """The law of the set of rare points seen, over all sequences of examples."""
    each = points.mass / points.rare
    kinds = [(i, each) for i in range(points.rare)] + [(None, 1 - points.mass)]
    law = dict.fromkeys(subsets(points.rare), 0.0)
    for drawn in itertools.product(kinds, repeat=points.examples):
        held = frozenset(kind for kind, _ in drawn if kind is not None)
        law[held] += math.prod(chance for _, chance in drawn)
    return law


def tournament_by_enumeration(points):
    """The law of the learner's set, pair by pair of sets."""
    seen = seen_by_enumeration(points)

    def with_fresh_examples(law):
        result = dict.fromkeys(law, 0.0)
        for (known, p), (new, q) in itertools.product(law.items(), seen.items()):
            result[known | new] += p * q
        return result

    stages, drawn = [seen], [0.0]
    for _ in range(points.rare):
        kept = dict.fromkeys(seen, 0.0)
        for (first, p), (second, q) in itertools.product(stages[-1].items(), repeat=2):
            for point in first ^ second:
                for coin in (0, 1):
                    loser = first if (point in first) != bool(coin) else second
                    after = loser | {point} if coin else loser - {point}
                    kept[after] += p * q / len(first ^ second) / 2
        differ = sum(kept.values())
        stages.append(with_fresh_examples({known: p / differ for known, p in kept.items()}))
        drawn.append(2 * (drawn[-1] + points.examples) / differ)
    law = {known: np.mean([stage[known] for stage in stages]) for known in seen}
    return law, np.mean(drawn) + points.examples


def by_size(law, rare):
    return np.array([sum(p for s, p in law.items() if len(s) == k) for k in range(rare + 1)])


SMALL = [RarePoints(1, 0.3, 4), RarePoints(2, 0.5, 3), RarePoints(3, 0.6, 4), RarePoints(3, 1.0, 5)]


@pytest.mark.parametrize("points", SMALL)
def test_what_is_seen_follows_the_law_of_all_sequences(points):
    law = seen_by_enumeration(points)
    np.testing.assert_allclose(points.seen, by_size(law, points.rare), atol=1e-14)
    assert points.stability(points.seen) == pytest.approx(max(law.values()), rel=1e-12)


@pytest.mark.parametrize("points", SMALL)
def test_lists_hold_a_set_as_often_as_enumeration_says(points):
    law = seen_by_enumeration(points)
    for left_out in range(points.rare + 1):
        listed = {
            h: sum(p for s, p in law.items() if h <= s and len(s) - len(h) <= left_out) for h in law
        }
        for h, chance in listed.items():
            assert points.listed(left_out)[len(h)] == pytest.approx(chance, abs=1e-13)
        assert points.list_stability(left_out) == pytest.approx(max(listed.values()))
        longest = max(sum(1 for h in law if h <= s and len(s) - len(h) <= left_out) for s in law)
        assert points.list_size(left_out) == longest
        learner = RareLearner(points, left_out, 0.05)
        assert learner.law @ learner.lists == pytest.approx(
            [
                listed[frozenset(i for i in range(points.rare) if h >> i & 1)]
                for h in range(2**points.rare)
            ]
        )


@pytest.mark.parametrize("points", SMALL)
def test_the_tournament_has_the_law_of_all_pairs(points):
    law, drawn = tournament_by_enumeration(points)
    found = TournamentLaws(points)
    np.testing.assert_allclose(found.sizes, by_size(law, points.rare), atol=1e-13)
    assert found.stability == pytest.approx(max(law.values()), rel=1e-12)
    assert found.examples == pytest.approx(drawn, rel=1e-12)


def hypothesis(concept, examples):
    """The standard optimal algorithm after these examples, one label a point.

    Where no hypothesis fits any more, a label counts for its own point.
    """
    held, fixed = concept.all, {}
    for point, label in examples:
        rest = concept.fitting(held, point, label)
        if rest and not fixed:
            held = rest
        else:
            fixed[point] = label
    return tuple(fixed.get(x, concept.predict(held, x)) for x in range(concept.labels.shape[1]))


def stage(concept, number, fresh, chance):
    """A run of stage `number`, as its learner is written down: examples, not sets of points."""
    if number == 0:
        return []
    while True:
        runs = [stage(concept, number - 1, fresh, chance) + fresh() for _ in range(2)]
        said = [hypothesis(concept, run) for run in runs]
        if said[0] != said[1]:
            break
    point = int(chance.choice(np.flatnonzero(np.not_equal(*said))))
    label = int(chance.integers(2))
    loser = 0 if said[0][point] != label else 1
    return [*runs[loser], (point, label)]


def test_the_tournament_run_on_the_class_has_the_exact_law():
    """On labelings of 6 points with at most 2 ones; points 0 and 1 are the rare ones."""
    labels = [
        [i in ones for i in range(6)]
        for k in range(3)
        for ones in itertools.combinations(range(6), k)
    ]
    concept, points, chance = FiniteClass.of(labels), RarePoints(2, 0.4, 3), rng(3)
    weights = [0.2, 0.2, 0.15, 0.15, 0.15, 0.15]

    def fresh():
        return [(int(x), int(x < 2)) for x in chance.choice(6, size=3, p=weights)]

    exact, trials = TournamentLaws(points).stages, 500
    for number in range(3):
        known = np.zeros(3)
        for _ in range(trials):
            said = hypothesis(concept, stage(concept, number, fresh, chance) + fresh())
            assert not any(said[2:])
            known[sum(said)] += 1
        low, high = clopper_pearson(known, trials, level=0.999)
        assert np.all((low <= exact[number]) & (exact[number] <= high))


def branches(concept, number, fresh, chance, tries):
    """A list of stage `number`, as it is written down: every run of it, without fresh examples."""
    if number == 0:
        return [[]]
    found = []
    for _ in range(tries):
        one, other = (
            [(run + more, hypothesis(concept, run + more)) for run in runs]
            for runs, more in (
                (branches(concept, number - 1, fresh, chance, tries), fresh()) for _ in range(2)
            )
        )
        for pair in itertools.product(one, other):
            if pair[0][1] != pair[1][1]:
                point = int(chance.choice(np.flatnonzero(np.not_equal(pair[0][1], pair[1][1]))))
                for label in (0, 1):
                    [loser] = [run for run, said in pair if said[point] != label]
                    found.append([*loser, (point, label)])
    return found


def test_lists_that_keep_both_outcomes_hold_one_set_as_often_as_said():
    """The learner on the class of at most 2 ones; points 0 and 1 are the rare ones."""
    labels = [[i in ones for i in range(5)] for k in range(3) for ones in subsets_of(5, k)]
    concept, points, chance, trials = FiniteClass.of(labels), RarePoints(2, 0.3, 3), rng(5), 120
    weights = [0.15, 0.15, 0.25, 0.25, 0.2]

    def fresh():
        return [(int(x), int(x < 2)) for x in chance.choice(5, size=3, p=weights)]

    said = BranchedLists(points, tries=2)
    law = TournamentLaws(points, right=1.0)
    held, longest = np.zeros((3, 4)), 0
    for _ in range(trials):
        size = 0
        for number in range(3):
            runs, more = branches(concept, number, fresh, chance, 2), fresh()
            size += len(runs)
            listed = {hypothesis(concept, run + more)[:2] for run in runs}
            held[number] += [h in listed for h in ((0, 0), (1, 0), (0, 1), (1, 1))]
        longest = max(longest, size)
    assert longest <= 2**said.log2_size
    _, high = clopper_pearson(held, trials, level=0.999)
    promised = said.complete[:, None] * law.stages / [1, 2, 1]
    assert np.all(high >= promised[:, [0, 1, 1, 2]])
    assert said.stability == promised.max()
    assert said.examples == 3 + (4 * 3 + 3) + (4 * (4 * 3 + 3) + 3)


def subsets_of(size, count):
    return [set(ones) for ones in itertools.combinations(range(size), count)]


@pytest.mark.parametrize("sighting", [0.05, 0.5, 0.95])
def test_lists_that_keep_both_outcomes_are_as_stable_as_proved(sighting):
    for rare in range(1, 9):
        points = RarePoints.sighted(rare, 0.1, sighting)
        found = BranchedLists(points)
        assert found.stability >= 0.49
        law = TournamentLaws(points, right=1.0).stages
        assert law[-1] == pytest.approx([*[0] * rare, 1])  # after d mistakes all is known
        # Two runs of one stage agree with the probability that sets of the law meet.
        meet = (law[:-1] ** 2 / [math.comb(rare, k) for k in range(rare + 1)]).sum(axis=1)
        assert TournamentLaws(points, right=1.0).differing == pytest.approx(1 - meet)


@pytest.mark.parametrize("rare", range(1, 9))
def test_alone_it_is_as_good_as_never_stable_where_each_point_is_seen_half_of_the_time(rare):
    points = RarePoints.sighted(rare, 1e-3, 0.5)
    assert points.stability(points.seen) == pytest.approx(2.0**-rare, rel=0.01)
    left_out = points.least_left_out(1 / rare)
    assert points.list_stability(left_out) >= 1 / rare
    assert left_out == 0 or points.list_stability(left_out - 1) < 1 / rare


def test_picks_follow_the_law_of_algorithm_1():
    """With many examples every user's law is the one of the probabilities themselves."""
    points = RarePoints(2, 0.2, 7)
    learner = RareLearner(points, 1, 0.05)
    share = learner.law @ learner.lists
    weights = np.where(share >= learner.tau, np.exp(learner.gamma * share), 0)
    picks = learner.picks(4000, examples=10**9, seed=None, rng=rng(1))
    low, high = clopper_pearson(np.bincount(picks, minlength=4), 4000, level=0.999)
    law = weights / weights.sum()
    assert np.all((low <= law) & (law <= high))
    shared = learner.picks(200, examples=10**9, seed=5, rng=rng(1))
    assert np.bincount(shared).max() >= 195
    assert set(learner.picks(3, examples=13, seed=5, rng=rng())) == {NOTHING}
    assert learner.errors.tolist() == pytest.approx([0.2, 0.1, 0.1, 0.0])


@pytest.mark.parametrize(
    "broken",
    [
        lambda: RarePoints(9, 0.1, 5),
        lambda: RarePoints(2, 1.1, 5),
        lambda: RarePoints(2, 0.1, 0),
        lambda: RarePoints.sighted(2, 0.1, 1.0),
        lambda: RarePoints.sighted(2, math.nan, 0.5),
        lambda: next(
            notions_of_stability(rare=0, examples_per_user=1e4, runs=3, rng=rng(), **SETTING)
        ),
    ],
)
def test_what_makes_no_sense_is_refused(broken):
    with pytest.raises(ParameterError):
        broken()


# The proof of Theorem 20.


def test_the_steps_of_the_proof_are_those_of_the_definitions():
    """One user after the other, set by set, from the same counts."""
    points = RarePoints(3, 0.3, 6)
    learner = RareLearner(points, 1, 0.1)
    users, runs = 40, 15
    found = learner.proof_steps(users, examples=2 * runs * 6, rng=rng(4))
    draws = rng(4)
    lists = learner.lists.toarray()
    drawn = [draws.multinomial(runs, learner.law, size=users) @ lists / runs for _ in range(2)]
    true, tau, seen = learner.law @ lists, learner.tau, set()

    def law(some, shares):
        weights = {h: math.exp(learner.gamma * shares[h]) for h in some}
        return {h: weight / sum(weights.values()) for h, weight in weights.items()}

    def far(p, q):
        return sum(max(p.get(h, 0) - q.get(h, 0), 0) for h in range(8))

    for user in range(users):
        held = {h for h in range(8) if drawn[0][user, h] >= tau}
        least = {h for h in range(8) if true[h] >= 1.1 * tau}
        most = {h for h in range(8) if true[h] >= 0.9 * tau}
        inside = least <= held <= most
        seen.add(inside)
        assert found[0][user] == inside
        mine = law(held, true)
        assert found[2][user] == pytest.approx(far(mine, law(held, drawn[1][user])), abs=1e-12)
        if inside:
            assert found[1][user] == pytest.approx(far(law(most, true), mine), abs=1e-12)
        else:
            assert math.isnan(found[1][user])
    assert seen == {True, False}


@pytest.mark.parametrize("dimension", range(1, 41))
def test_joined_lists_hold_a_hypothesis_as_often_as_said_and_one_less_does_not(dimension):
    """Theorem 18 has stability 1/d; joined, its lists have that of a list of all coins."""
    runs = joined_runs(dimension)
    missed = 1 - 1 / dimension
    assert 1 - missed**runs >= 0.49
    assert runs == 1 or 1 - missed ** (runs - 1) < 0.49
