"""The average output: what its curves and its sentences say."""

import numpy as np

from dpviz.plot.text import readable
from dpviz.topics.perfect_generalization import average_output_shown
from dpviz.topics.perfect_generalization.average_output import average_output
from tests.support.declarations import last, page

VIEW = average_output_shown
PAGE = page("perfect_generalization")


def test_the_view_says_what_its_curves_show_at_the_readers_n():
    setting = {"samples": 400, "epsilon": 0.01, "rate": 0.5}
    *_, chart = average_output(closeness_delta=1e-6, failure_probability=0.05, **setting)
    assert chart.value("average") == chart.needed
    assert chart.value("second") == chart.second
    average, group = chart.curve("average").y, chart.curve("group").y
    assert np.all((average <= group * (1 + 1e-9)) | np.isnan(average))
    assert 0 < chart.needed < chart.second < chart.proven
    said = f"from the average output by no more than ε′ = {chart.needed:.3g}."
    assert said in VIEW.takeaway(chart)
    assert "the proof of Theorem 31 with its constants promises" in VIEW.detail(chart)


def test_where_delta_covers_everything_the_view_says_so():
    setting = {"samples": 1, "epsilon": 1e-4, "rate": 0.5, "failure_probability": 0.5}
    *_, chart = average_output(closeness_delta=0.5, **setting)
    assert chart.needed == 0
    assert "δ′ covers it" in VIEW.takeaway(chart)


def test_an_output_near_a_second_one_may_be_far_from_the_average():
    near = {"samples": 1, "epsilon": 0.000394, "failure_probability": 0.5, "rate": 0.73}
    chart = last(PAGE, "closeness", compared="average", **near)
    assert chart.second <= 0 < chart.needed
    assert f"by no more than ε′ = {readable(chart.needed)}." in VIEW.takeaway(chart)
