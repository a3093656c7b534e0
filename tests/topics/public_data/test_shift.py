"""Measures of shift against sums over a fine grid, and what they allow against every set."""

import itertools

import numpy as np
import pytest
from scipy.stats import entropy

from dpviz.topics.public_data.shift import FAMILIES, Shift, chi_square_limit, entropy_limit, shifted

UNEVEN = Shift(
    np.array([0.0, 0.2, 0.5, 0.9, 1.0]),
    np.array([1.0, 2.0, 0.25, 1.0]),
    np.array([0.0, 0.5, 2.0, 0.5]),
)

ALL = [UNEVEN, *(shifted(family, s) for family in FAMILIES for s in (0.03, 0.4, 1.0))]


@pytest.mark.parametrize("pair", ALL)
def test_divergences_are_those_of_the_masses_of_the_pieces(pair):
    widths = np.diff(pair.edges)
    public, private = pair.public * widths, pair.private * widths
    assert pair.relative_entropy == pytest.approx(entropy(private, public), abs=1e-12)
    seen = public > 0
    variance = np.sum((private - public)[seen] ** 2 / public[seen])
    assert pair.chi_square == pytest.approx(variance, abs=1e-12)


def test_the_worst_set_is_the_worst_of_all_sets_of_cells():
    cells = 12
    edges = np.linspace(0, 1, cells + 1)
    rng = np.random.default_rng(2)
    pair = Shift(edges, np.full(cells, 1.0), rng.dirichlet(np.ones(cells)) * cells)
    for taken in (1, 3, 7):
        sets = itertools.combinations(pair.private / cells, taken)
        assert pair.most_private_mass(np.array([taken / cells]))[0] == pytest.approx(
            max(map(sum, sets))
        )


@pytest.mark.parametrize("pair", ALL)
def test_no_set_has_more_private_mass_than_a_measure_allows(pair):
    p = np.geomspace(1e-4, 1, 60)
    most = pair.most_private_mass(p)
    for limit in (
        p / pair.smoothness if pair.smoothness else np.full(60, np.inf),
        entropy_limit(p, pair.relative_entropy),
        chi_square_limit(p, pair.chi_square),
    ):
        assert np.all(most <= limit + 1e-12)


@pytest.mark.parametrize(("p", "q"), [(0.01, 0.3), (0.2, 0.9), (0.5, 0.5)])
def test_two_pieces_reach_what_their_divergences_allow(p, q):
    pair = Shift(np.array([0.0, p, 1.0]), np.ones(2), np.array([q / p, (1 - q) / (1 - p)]))
    at = np.array([p])
    assert entropy_limit(at, pair.relative_entropy) == pytest.approx([q], rel=1e-6)
    assert chi_square_limit(at, pair.chi_square) == pytest.approx([q], rel=1e-6)


def test_where_the_divergence_allows_all_the_limit_is_one():
    assert entropy_limit(np.array([0.5, 1.0]), 1.0).tolist() == [1.0, 1.0]
    assert chi_square_limit(np.array([0.5, 1.0]), 1.0).tolist() == [1.0, 1.0]
