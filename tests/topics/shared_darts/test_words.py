"""Games of a hundred in words: no share is called all or none that is not."""

import pytest

from dpviz.topics.shared_darts.bells_shown import of_a_hundred


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (0, "none"),
        (1e-9, "hardly any"),
        (0.0062, "0.62"),
        (0.0889, "8.9"),
        (0.297, "30"),
        (0.9949, "99"),
        (0.99996, "nearly all"),
        (1, "nearly all"),  # as a float: bells that differ share some mass
    ],
)
def test_games_of_a_hundred(part, said):
    assert of_a_hundred(part) == said


@pytest.mark.parametrize(("part", "said"), [(0, "hardly any"), (0.297, "30"), (1, "all")])
def test_games_of_a_hundred_that_agree(part, said):
    assert of_a_hundred(part, agree=True) == said
