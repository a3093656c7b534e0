"""The noisy threshold: how much of its law is refused."""

import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.propose_test_release.views import noisy_threshold_shown
from tests.support.declarations import last, page
from tests.support.specs import Checked

drawn = Checked(noisy_threshold_shown).figure
PAGE = page("propose_test_release")

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])


@THEMES
def test_the_grey_part_of_the_threshold_is_refusal(theme):
    chart = last(PAGE, "threshold")
    curve = chart.curve("pmf")
    assert curve.y[~curve.holds].sum() == pytest.approx(chart.refusal)
    texts = [note.text for note in drawn(chart, theme).layout.annotations]
    assert any("⊥" in text for text in texts)
    quiet = drawn(last(PAGE, "threshold", data="well-behaved"), theme)
    assert not any("⊥" in note.text for note in quiet.layout.annotations)
