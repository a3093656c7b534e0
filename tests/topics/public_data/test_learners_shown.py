"""Gaussian weights are never told as private."""

from dpviz.results.evidence import Subject
from dpviz.topics.public_data.excess_errors_shown import error_notes
from tests.support.declarations import last, page
from tests.support.small_lessons import QUICK

PAGE = page("public_data")


def test_broken_promises_are_told():
    chart = last(PAGE, "points", more="private", noise="gaussian", **QUICK)
    assert any("Theorem 4" in note for note in error_notes(chart))
    [broken] = [curve for curve in chart.curves if "not proved private" in curve.label]
    assert broken.subject is Subject.DANGER
    sound = last(PAGE, "points", more="private", **QUICK)
    assert not any("Theorem 4" in note for note in error_notes(sound))
