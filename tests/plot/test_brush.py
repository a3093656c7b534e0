import numpy as np
import vl_convert

from dpviz.plot.brush import MOST_POINTS, brushed
from dpviz.plot.theme import DARK, LIGHT


def test_the_people_and_what_they_come_to_are_in_the_chart():
    values = {"score": np.array([1.0, 2.0, 6.0]), "clipped": np.array([1.0, 2.0, 3.0])}
    for theme in (LIGHT, DARK):
        chart = brushed(values, theme).to_dict()
        [people] = chart["datasets"].values() if "datasets" in chart else [chart["data"]["values"]]
        assert [tuple(one.values()) for one in people] == [(1, 1), (2, 2), (6, 3)]
        drawn = vl_convert.vegalite_to_svg(chart)
        assert "3 users; mean score: 3; mean clipped: 2" in drawn  # before a brush, all are chosen


def test_too_many_people_are_not_sent():
    assert brushed({"score": np.zeros(MOST_POINTS + 1)}, LIGHT) is None
