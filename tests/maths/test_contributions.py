"""What one person moves, against all contributions that there are."""

import itertools
import math

import pytest

import dpviz
from dpviz.results.parameters import ParameterError


def contributions(touched, cells, least, most):
    """Every contribution to so many cells whose amounts are at the ends."""
    for amounts in itertools.product((0.0, least, most), repeat=cells):
        if sum(amount != 0 for amount in amounts) <= touched:
            yield amounts


@pytest.mark.parametrize("neighbours", ["add_or_remove", "substitute"])
@pytest.mark.parametrize(("least", "most"), [(0, 1), (0, 2.5), (-1, 1), (-0.5, 3), (-3, 1)])
@pytest.mark.parametrize(
    ("touched", "cells"), [(1, 1), (1, 2), (2, 2), (2, 3), (1, 4), (2, 4), (3, 4)]
)
def test_no_two_people_differ_by_more_and_two_differ_by_as_much(
    touched, cells, least, most, neighbours
):
    people = list(contributions(touched, cells, least, most))
    others = people if neighbours == "substitute" else [(0.0,) * cells]
    moves = [
        [abs(a - b) for a, b in zip(one, other, strict=True)] for one in people for other in others
    ]
    asked = {"touched": touched, "most": most, "least": least, "neighbours": neighbours}
    found = dpviz.sensitivity(**asked, cells=cells)
    assert found.value == pytest.approx(max(math.hypot(*move) for move in moves))
    assert found.how["l1"] == pytest.approx(max(map(sum, moves)))
    assert found.how["sensitivity"] == max(map(max, moves))
    assert found.how["queries"] == max(sum(one > 0 for one in move) for move in moves)
    if cells >= 2 * touched:
        free = dpviz.sensitivity(**asked)
        assert (free.value, free.how) == (found.value, found.how)


def test_gaussian_noise_needs_no_more_than_what_moves_in_l2():
    privacy = {"epsilon": 1.0, "delta": 1e-6}
    many = dpviz.sigma(**privacy, queries=16, sensitivity=3)
    assert dpviz.sigma(**privacy, l2=12).value == pytest.approx(many.value, rel=1e-12)
    text = dpviz.sigma(
        epsilon=0.5, delta=1e-6, queries=16, sensitivity=3, noise="textbook_gaussian"
    )
    same = dpviz.sigma(epsilon=0.5, delta=1e-6, l2=12, noise="textbook_gaussian")
    assert same.value == pytest.approx(text.value, rel=1e-12)
    for name, asked in (("epsilon", {"delta": 1e-6}), ("delta", {"epsilon": 1.0})):
        two = (
            getattr(dpviz, name)(sigma=50, **asked, **moved)
            for moved in ({"l2": 12}, {"queries": 16, "sensitivity": 3})
        )
        assert next(two).value == pytest.approx(next(two).value, rel=1e-9)


def test_a_histogram_of_a_million_cells_is_no_million_of_answers_and_it_is_said():
    privacy = {"epsilon": 1.0, "delta": 1e-6}
    one = dpviz.sensitivity(touched=1, most=1, neighbours="add_or_remove")
    right = dpviz.sigma(**privacy, l2=one.value)
    wrong = dpviz.sigma(**privacy, queries=1_000_000)
    assert wrong.value == pytest.approx(1000 * right.value)
    said = "each of the 1,000,000 answers by 1, together by 1,000 in ℓ₂"
    table = dpviz.compare(**privacy, queries=1_000_000)
    for text in (repr(wrong), wrong._repr_html_(), wrong.as_dict()["moves"], repr(table)):
        assert said in text
    assert right.as_dict()["moves"] == ""


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"l2": 3, "queries": 5}, "queries must be left out beside l2"),
        ({"l2": 3, "sensitivity": 1}, "sensitivity must be left out beside l2"),
        ({"l2": 3, "noise": "laplace"}, "l2 must be left out for laplace"),
        ({"l2": 3, "noise": "tuned"}, "l2 must be left out for tuned"),
        ({"l2": -1}, "l2 must be a number from"),
        ({}, "queries must be given"),
    ],
)
def test_what_moves_is_said_once(asked, words):
    with pytest.raises(ParameterError, match=words):
        dpviz.sigma(epsilon=1, delta=1e-6, **asked)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"touched": 0.5}, "touched must be a whole number"),
        ({"cells": 2}, "cells must be at least as many"),
        ({"most": 0}, "most must be a number from"),
        ({"least": 1}, "least must be 0 or a number below"),
        ({"least": math.nan}, "least must be 0"),
        ({"neighbours": "bounded"}, "neighbours must be add_or_remove or substitute"),
    ],
)
def test_bounds_that_bound_nothing_are_refused(changed, words):
    with pytest.raises(ParameterError, match=words):
        dpviz.sensitivity(**{"touched": 3, "most": 1, "neighbours": "substitute"} | changed)
