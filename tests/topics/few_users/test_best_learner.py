"""The best private learner: its program against one over all data sets, and its certificate."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import lil_array

from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.best_learner import best_learner, fewest_users, proven
from dpviz.topics.few_users.equal_targets import Targets
from dpviz.topics.few_users.models import grown, least_users_exchanged
from dpviz.topics.few_users.problems import points_served, problem

every_delta = pytest.mark.parametrize("delta", [0.0, 0.03])


def neighbours(data):
    """Every ordered pair of data sets that differ in one user, by their numbers."""
    return [
        (i, j)
        for i, j in itertools.permutations(range(len(data)), 2)
        if sum(a != b for a, b in zip(data[i], data[j], strict=True)) == 1
    ]


def over_all_data(users, targets, served, epsilon, delta):
    """The optimum by brute force: users have names, targets have names, nothing is merged."""
    data = list(itertools.product(range(targets), repeat=users))
    outputs = list(itertools.combinations(range(targets), served))
    pairs, size = neighbours(data), len(outputs)
    unknown = len(data) * size + len(pairs) * size + 1
    rows, ends = lil_array((len(pairs) * (size + 1) + targets, unknown)), []
    for number, (i, j) in enumerate(pairs):
        row, over = number * (size + 1), (len(data) + number) * size
        for o in range(size):
            rows[row + o, i * size + o] = 1
            rows[row + o, j * size + o] = -math.exp(epsilon)
            rows[row + o, over + o] = -1
            rows[row + size, over + o] = 1
        ends += [0.0] * size + [delta]
    for target in range(targets):
        agreed = data.index((target,) * users) * size
        for o, output in enumerate(outputs):
            rows[target - targets, agreed + o] = -float(target in output)
        rows[target - targets, unknown - 1] = 1
        ends.append(0.0)
    whole = lil_array((len(data), unknown))
    for i in range(len(data)):
        whole[i, i * size : (i + 1) * size] = 1
    cost = np.append(np.zeros(unknown - 1), -1)
    done = linprog(cost, rows.tocsr(), ends, whole.tocsr(), np.ones(len(data)), bounds=(0, 1))
    return -done.fun


@pytest.mark.parametrize(("users", "targets", "served"), [(3, 2, 1), (2, 3, 1), (2, 4, 2)])
@every_delta
def test_the_optimum_is_that_of_the_program_over_all_data_sets(users, targets, served, delta):
    expected = over_all_data(users, targets, served, 0.7, delta)
    found = best_learner(Targets(users, targets, served), epsilon=0.7, delta=delta).success
    assert found.lower - 1e-8 <= expected <= found.upper + 1e-8
    assert found.upper - found.lower < 1e-7


@every_delta
def test_the_mechanism_is_private_without_exception_and_as_good_as_promised(delta):
    """Written out: every user and every target by name."""
    task = Targets(3, 4, 2)
    found = best_learner(task, epsilon=0.5, delta=delta)
    data = list(itertools.product(range(4), repeat=3))
    outputs = list(itertools.combinations(range(4), 2))
    laws = np.zeros((len(data), len(outputs)))
    ways = np.zeros(len(task.kinds))
    for i, one in enumerate(data):
        kinds = []
        for output in outputs:
            counts = [one.count(t) for t in range(4)]
            inside = tuple(sorted((counts[t] for t in output if counts[t]), reverse=True))
            outside = (counts[t] for t in range(4) if t not in output and counts[t])
            kinds.append(task.kinds[inside, tuple(sorted(outside, reverse=True))])
        ways = np.bincount(kinds, minlength=len(task.kinds))
        laws[i] = found.chances[kinds] / ways[kinds]
    assert laws.sum(axis=1) == pytest.approx(1, abs=1e-12)
    first, second = np.array(neighbours(data)).T
    lost = np.maximum(laws[first] - math.exp(0.5) * laws[second], 0).sum(axis=1)
    assert lost.max() <= delta + 1e-15
    served = [laws[data.index((t,) * 3), [t in o for o in outputs]].sum() for t in range(4)]
    assert min(served) >= found.success.lower


@pytest.mark.parametrize(
    ("task", "delta"), [(Targets(6, 4, 1), 0.01), (Targets(5, 2**30, 2**28), 0.0)]
)
def test_the_certificate_holds_in_rational_arithmetic(task, delta):
    found = best_learner(task, epsilon=0.5, delta=delta)
    rows, loss = task.rows, Fraction(math.nextafter(math.exp(0.5), 2))  # allows more mechanisms
    value = [Fraction(int(gain)) for gain in task.serving]
    dearest = [Fraction(0)] * (int(rows.pair[-1]) + 1)
    for one, two, share, other, pair, weight in zip(
        rows.first.tolist(), rows.second.tolist(), rows.share_first, rows.share_second,
        rows.pair.tolist(), found.multipliers, strict=True,
    ):  # fmt: skip
        exact = [Fraction(float(part)).limit_denominator(2**62) for part in (share, other)]
        value[one] -= Fraction(float(weight)) * exact[0]
        value[two] += loss * Fraction(float(weight)) * exact[1]
        dearest[pair] = max(dearest[pair], Fraction(float(weight)))
    best = [Fraction(-1)] * len(task.data)
    for place, one in zip(task.data_of_kind.tolist(), value, strict=True):
        best[place] = max(best[place], one)
    bound = sum(best) + Fraction(delta) * sum(dearest)
    assert found.success.lower <= bound <= found.success.upper
    assert found.success.upper - found.success.lower < 1e-8


def test_multipliers_of_no_use_still_bound_the_optimum_from_above():
    task, draws = Targets(4, 3, 1), np.random.default_rng(1)
    truth = best_learner(task, epsilon=0.5).success.lower
    for scale in (0.0, 1e-2, 1.0):
        noise = scale * draws.random(task.rows.first.size)
        assert proven(task, noise, math.exp(0.5), 0.0) >= truth


@pytest.mark.parametrize("users", [1, 2, 5, 6])
@pytest.mark.parametrize("targets", [2, 3, 6, 2**40])
@pytest.mark.parametrize("epsilon", [0.4, 1.5])
def test_where_no_function_serves_two_group_privacy_at_its_tightest_is_the_truth(
    users, targets, epsilon
):
    """The optimum p is where a chance (1 − p)/(N − 1) of being served in error grows to p."""
    found = best_learner(Targets(users, targets, 1), epsilon=epsilon).success
    for end, above in ((found.lower - 1e-9, False), (found.upper + 1e-9, True)):
        reached = grown((1 - end) / (targets - 1), users, epsilon=epsilon, delta=0.0)
        assert (end > reached) == above


def test_with_delta_group_privacy_is_no_less_than_the_truth_and_can_be_more():
    for targets, tight in ((3, True), (2**40, False)):
        found = best_learner(Targets(6, targets, 1), epsilon=1.0, delta=0.01).success
        end = found.upper + 1e-9
        reached = grown((1 - end) / (targets - 1), 6, epsilon=1.0, delta=0.01)
        assert (end > reached) == tight


def test_kinds_are_counted_and_their_chances_sum_to_one():
    for task in (Targets(6, 4, 1), Targets(7, 9, 3), Targets(5, 2**40, 2**38)):
        assert len(task.kinds) == task.how_many_kinds == task.data_of_kind.size
        assert np.bincount(task.data_of_kind, task.blind) == pytest.approx(1)
        rows = task.rows  # a set drawn at random does not tell neighbours apart
        one = task.blind[rows.first] * rows.share_first
        assert one == pytest.approx(task.blind[rows.second] * rows.share_second)
        assert np.bincount(rows.pair, one) == pytest.approx(1)


def test_one_who_may_output_any_function_does_better_than_blocks_and_keeps_to_the_bound():
    blocks, points = (best_learner(Targets(6, n, k), epsilon=1.0) for n, k in ((4, 1), (8, 2)))
    assert points.success.lower > blocks.success.upper
    end = points.success.upper
    assert end < grown((2 - end) / 7, 6, epsilon=1.0, delta=0.0)


@pytest.mark.parametrize(("targets", "served"), [(2, 1), (16, 1), (16, 4), (2**40, 2**38)])
def test_the_fewest_users_are_the_fewest(targets, served):
    found = fewest_users(targets=targets, served=served, epsilon=1.0, beta=0.1)
    assert found.lower == found.upper
    n = int(found.upper)
    bound = least_users_exchanged(targets=targets, served=served, epsilon=1.0, delta=0.0, beta=0.1)
    assert bound <= n
    assert best_learner(Targets(n, targets, served), epsilon=1.0).success.lower >= 0.9
    assert best_learner(Targets(n - 1, targets, served), epsilon=1.0).success.upper < 0.9


def test_what_is_too_large_is_bounded_from_one_side_and_nothing_is_asked_of_nobody():
    assert fewest_users(targets=2**20, served=2, epsilon=0.2, beta=0.1).upper == math.inf
    votes = fewest_users(targets=2**20, served=1, epsilon=0.2, beta=0.1)
    assert votes.lower == votes.upper == math.ceil(votes.upper) > 40  # in closed form
    assert fewest_users(targets=4, served=3, epsilon=1.0, beta=0.3).upper == 0


def test_any_so_many_points_are_served_by_one_function_and_windows_cover_thresholds():
    """By all functions on eight points."""
    functions = np.array(list(itertools.product((0, 1), repeat=8)))
    for alpha in (0.1, 0.125, 0.3):
        served = points_served(3, alpha)
        good = {}
        for name in ("points", "thresholds"):
            made = [problem(name, bits=3, target=t) for t in range(8)]
            errors = [(functions != p.labels[p.target]) @ p.weights for p in made]
            good[name] = np.transpose(errors) <= alpha + 1e-12
        sets = {tuple(np.flatnonzero(row)) for row in good["points"]}
        assert max(map(len, sets)) == served
        assert sets.issuperset(itertools.combinations(range(8), served))
        window = 2 * math.floor(8 * alpha) + 1
        assert good["thresholds"][:, ::window].sum(axis=1).max() == 1  # who are apart
        for start in range(0, 8, window):
            assert good["thresholds"][:, start : start + window].all(axis=1).any()


@pytest.mark.parametrize("broken", [(0, 4, 1), (3, 1, 1), (3, 4, 4), (3, 4, 0)])
def test_what_makes_no_sense_is_refused(broken):
    with pytest.raises(ParameterError):
        Targets(*broken)
