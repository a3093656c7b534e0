"""What several views say about DelStab."""

import pytest

from dpviz.topics.propose_test_release.delstab_shown import chance_of_refusal


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (0.0, "never a refusal (⊥)"),
        (1.0, "always a refusal (⊥)"),
        (0.25, "a refusal (⊥) with probability 0.25"),
        (0.99991, "a refusal (⊥) with probability 0.99991"),
        (1 - 1e-9, "a refusal (⊥) with probability 1 − 10⁻⁹"),
    ],
)
def test_probabilities_in_words(refusal, expected):
    assert chance_of_refusal(refusal) == expected
