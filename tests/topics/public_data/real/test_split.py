"""Real data: what is in the sets, and that a split keeps its parts apart."""

import numpy as np
import pytest

from dpviz.results.csv_file import DataError, read_csv
from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.noise_levels import regularized_stability
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from dpviz.topics.public_data.oracles.oracle import Objective
from dpviz.topics.public_data.real.data_sets import ALONE, DATA, labelled_data, real_data_set
from dpviz.topics.public_data.real.split import split


@pytest.mark.parametrize(
    ("name", "rows", "units", "features", "positive"),
    [("cancer", 569, 569, 30, 212), ("digits", 361, 361, 58, 180), ("union", 4360, 545, 13, 1064)],
)
def test_the_bundled_sets_are_what_their_sources_say(name, rows, units, features, positive):
    data = real_data_set(name)
    assert data.features.shape == (rows, features)
    assert (data.unit_count, np.sum(data.label > 0)) == (units, positive)
    assert data.name == DATA[name]


def own(text, unit="who", label="ill"):
    return labelled_data(read_csv(text.encode()), unit=unit, label=label)


HEADER = "who,age,town,note,ill\n"
ROWS = [f"p{i // 2},{i},{'ab'[i % 2]},text {i},{'yn'[i % 3 == 0]}\n" for i in range(90)]


def test_a_table_becomes_numbers_indicators_and_units():
    data = own(HEADER + "".join(ROWS) + "p0,,a,x,y\n")
    assert data.features.shape == (90, 3)
    assert data.features[5].tolist() == [5, 0, 1]
    assert data.unit_count == 45
    assert (data.positive, data.left_out, data.ignored) == ("y", 1, ("note",))
    assert data.label[:4].tolist() == [-1, 1, 1, -1]
    assert own(HEADER + "".join(ROWS), unit=ALONE).unit_count == 90


@pytest.mark.parametrize(
    ("text", "unit", "label", "problem"),
    [
        (HEADER + "".join(ROWS), "who", "age", "90 different values"),
        (HEADER + "".join(ROWS), "who", "who", "same column"),
        (HEADER + "".join(ROWS), "who", "no", "no column"),
        (HEADER + "".join(ROWS[:20]), "who", "ill", "10 units"),
        (HEADER + "p,,,,\n", "who", "ill", "No row"),
        ("who,ill\n" + "".join(f"{i},{i % 2}\n" for i in range(50)), "who", "ill", "No column is"),
        (
            "who,ill,"
            + ",".join(f"c{j}" for j in range(20))
            + "\n"
            + "".join(f"{i},{i % 2}" + f",w{i % 11}" * 20 + "\n" for i in range(60)),
            "who",
            "ill",
            "220 features",
        ),
        ("a,ill\n" + "1,0\n" * 6000, ALONE, "ill", "6,000 rows"),
    ],
)
def test_a_table_that_cannot_be_used_says_why(text, unit, label, problem):
    with pytest.raises(DataError, match=problem):
        own(text, unit, label)


def test_no_file_no_data():
    with pytest.raises(ParameterError, match="until a file"):
        real_data_set("own")
    with pytest.raises(ParameterError, match="cancer"):
        real_data_set("iris")


@pytest.mark.parametrize("name", ["cancer", "union"])
def test_a_split_has_each_unit_once_and_features_of_length_one_at_most(name):
    data = real_data_set(name)
    parts = split(data, np.random.default_rng(0), public_share=0.3, components=4)
    units, rows = data.unit_count, len(data.label)
    assert len(parts.public) == round(0.3 * units)
    assert parts.private.size == units - round(0.3 * units) - round(0.25 * units)
    each = rows // units
    assert len(parts.private.y) == each * parts.private.size
    assert len(parts.private.y) + len(parts.test.y) + each * len(parts.public) == rows
    every = np.concatenate([parts.public, parts.private.x, parts.test.x])
    assert np.linalg.norm(every, axis=1).max() <= 1 + 1e-12
    assert parts.dimension == 5


def test_private_and_test_rows_decide_nothing_about_the_features():
    data = real_data_set("cancer")
    first = split(data, np.random.default_rng(1), public_share=0.2, components=3)
    # All that is not public is moved; the order of the units, which chance alone decides, stays.
    order = np.random.default_rng(1).permutation(data.unit_count)
    tests, publics = round(0.25 * data.unit_count), round(0.2 * data.unit_count)
    public = order[tests : tests + publics]
    features = data.features * 1e3 + 7
    features[public] = data.features[public]
    moved = type(data)(data.name, "1", "rows", features, data.label, data.unit)
    second = split(moved, np.random.default_rng(1), public_share=0.2, components=3)
    np.testing.assert_array_equal(first.public, second.public)


def test_a_split_too_small_names_the_share():
    data = own(HEADER + "".join(ROWS))
    with pytest.raises(ParameterError, match="public_share"):
        split(data, np.random.default_rng(0), public_share=0.02, components=2)


def test_a_person_with_many_rows_moves_algorithm_3_by_no_more_than_rho():
    rng, worst = np.random.default_rng(2), 0.0
    for _ in range(40):
        units, rows, m, eta = 6, 4, 5, 10.0 ** rng.uniform(-1.5, 0.5)
        x = rng.normal(size=(units * rows, 3))
        x /= np.maximum(1, np.linalg.norm(x, axis=1, keepdims=True))
        y = rng.choice([-1.0, 1.0], units * rows)
        z = x[rng.permutation(units * rows)[:m]]
        found = []
        for flip in (1, -1):
            label = y.copy()
            label[:rows] = flip
            data = Labelled(x, label, np.full(units * rows, 1 / rows))
            penalty = Objective(z, np.zeros(m), np.full(m, eta / m))
            oracle = LinearFunctions(lambda features: features)
            w = oracle.minimize(data.loss(1 / data.size).plus(penalty))
            found.append(z @ w)
        distance = np.sqrt(np.mean((found[0] - found[1]) ** 2))
        worst = max(worst, distance / float(regularized_stability(units, eta=eta)))
    assert 0.1 < worst <= 1
