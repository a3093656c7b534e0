"""Gaussian weights are never told as private."""

from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Subject
from dpviz.topics.public_data.excess_errors_shown import error_notes
from dpviz.topics.public_data.views import one_lesson_shown
from tests.support.declarations import last, page
from tests.support.small_lessons import QUICK

PAGE = page("public_data")


def test_broken_promises_are_told():
    result = last(PAGE, "learn", noise="gaussian", **QUICK)
    assert "without a proof of privacy" in one_lesson_shown.VIEW.detail(result)
    red = LIGHT.subjects[Subject.DANGER]
    drawn = one_lesson_shown.VIEW.figure(result, LIGHT).data
    assert any(trace.get("line", {}).get("color") == red for trace in drawn)
    chart = last(PAGE, "points", more="private", noise="gaussian", **QUICK)
    assert any("Theorem 4" in note for note in error_notes(chart))
    assert any("not proved private" in curve.label for curve in chart.curves)
    sound = last(PAGE, "points", more="private", **QUICK)
    assert not any("Theorem 4" in note for note in error_notes(sound))
