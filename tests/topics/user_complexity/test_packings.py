"""Explicit packings: distances by definition, codes by brute force, bounds in closed form."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from dpviz.maths.coin_tests import total_variation
from dpviz.topics.user_complexity.covers import product_laws
from dpviz.topics.user_complexity.learning_tasks import LEARNED
from dpviz.topics.user_complexity.packings import (
    Packing,
    bits_apart,
    code,
    packings,
    proven_users,
)


@pytest.mark.parametrize(("length", "distance", "words"), [(6, 3, 8), (6, 2, 32), (5, 5, 2)])
def test_words_of_the_code_are_far_apart(length, distance, words):
    found = code(length, distance)
    apart = [(a != b).sum() for a, b in itertools.combinations(found, 2)]
    assert len(found) == words
    assert min(apart) == distance


@pytest.mark.parametrize("tosses", [1, 2, 5, 8, 101])
def test_coins_are_apart_as_their_tosses_are(tosses):
    assert bits_apart(tosses, 0.07) == pytest.approx(total_variation(0.57, 0.43, tosses), abs=1e-12)


def test_no_answer_is_right_for_two_words_of_a_product_packing():
    alpha = 0.1
    for distance, packing in enumerate(packings("product", 4, alpha), start=1):
        words = code(4, distance)
        differ = np.unique((words[1:] != words[0]).sum(axis=1))
        rate = packing.divergence[0] / differ[0]
        lean = brentq(lambda s, rate: _kl(s) - rate, 1e-9, 0.2, args=(rate,))
        laws = product_laws(0.5 + lean * (2 * words - 1))
        apart = np.abs(laws[:, None] - laws[None]).sum(axis=2) / 2
        np.fill_diagonal(apart, 1)
        assert apart.min() == pytest.approx(2 * alpha)


def _kl(lean):
    return 2 * lean * math.log((0.5 + lean) / (0.5 - lean))


@pytest.mark.parametrize("m", [1, 4])
def test_labellings_are_apart_as_all_data_of_a_user_are(m):
    """Two points, labels 1 with probability ½ ± lean/2; every user listed."""
    alpha, d = 0.2, 2
    lean = 3 * alpha
    (noisy,) = packings("noisy_labels", d, alpha)
    cells = {}
    for word in itertools.product((0, 1), repeat=d):
        law = np.array([[1 + lean, 1 - lean] if b == 0 else [1 - lean, 1 + lean] for b in word])
        cells[word] = (law / (2 * d)).reshape(-1)
    users = list(itertools.product(range(2 * d), repeat=m))
    laws = {w: np.array([np.prod(law[list(u)]) for u in users]) for w, law in cells.items()}
    for place, other in enumerate([(0, 1), (1, 1)]):
        apart = np.abs(laws[0, 0] - laws[other]).sum() / 2
        assert noisy.apart(m)[place] == pytest.approx(apart, abs=1e-12)
        kl = stats.entropy(cells[other], cells[0, 0])
        assert noisy.divergence[place] == pytest.approx(kl)


@pytest.mark.parametrize("key", ["known", "bounded"])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_means_of_a_lattice_keep_their_distance(key, d):
    lattice = next(packings(key, d, 0.1))
    least = min(lattice.apart(1))
    assert least > 0.2
    assert lattice.words == {1: 5, 2: 31, 3: 141}[d] if key == "known" else lattice.words > 2


def test_two_coins_need_as_many_users_as_the_closed_form_says():
    """W = 2: ⅔(1 + f⁻ⁿ) ≤ 1 is n ≥ ln 2 / ln f."""
    packing = Packing(2, 1, np.ones(1), lambda _: np.array([0.3]), np.array([9.0]))
    assert packing.by_privacy(1, 0.5) == pytest.approx(
        math.log(2) / math.log1p(0.3 * np.expm1(0.5))
    )
    assert packing.by_information(1) == 1


def test_far_members_need_a_logarithm_over_epsilon():
    """Lemma 39's first term, from group privacy: ⅔(1 + (W − 1)e^(−εn)) ≤ 1."""
    packing = Packing(100, 1, np.array([99.0]), lambda _: np.ones(1), np.array([np.inf]))
    assert packing.by_privacy(1, 0.1) == pytest.approx(math.log(198) / 0.1)


@pytest.mark.parametrize("key", LEARNED)
def test_more_examples_or_privacy_given_up_ask_for_no_more_users(key):
    d = 3
    users = [
        [proven_users(key, dimension=d, alpha=0.1, epsilon=e, examples=m) for m in (1, 3, 30, 100)]
        for e in (0.1, 0.5, 2.0)
    ]
    assert np.all(np.diff(users, axis=0) <= 0)
    assert np.all(np.diff(users, axis=1) <= 0)
    assert users[0][0] > 1


def test_no_packing_no_bound():
    assert proven_users("product", dimension=3, alpha=0.4, epsilon=0.1, examples=1) == 1
