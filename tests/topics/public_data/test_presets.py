"""The presets of the page show what they say."""

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from tests.support.declarations import page, shown
from tests.support.examples import chosen

PAGE = page("public_data")
PRESETS = [preset.label for preset in PAGE.presets]
# Of these a run takes seconds.
LONG = ("Shifted data", "60 splits", "Breast cancer")


@pytest.mark.parametrize(
    "preset", chosen(PRESETS, [p for p in PRESETS if not any(words in p for words in LONG)])
)
def test_presets_show_what_they_say(preset):
    view, result, values = shown(PAGE, preset)
    words = view.takeaway(result) + view.detail(result)
    assert view.figure(result, LIGHT).data
    if preset.startswith("Algorithm"):
        assert preset.partition(":")[0] in words
    if preset == "Too much public data":
        here = result.value("rrspm")
        assert here > 5 * np.nanmin(result.curve("rrspm").y)
    if preset == "A class that keeps the promise":
        assert result.true_delta < values["delta"]
        assert "Gaussian weights on public points hide a private label from this attack" in words
    if preset.startswith("Shifted"):
        assert result.value("rrspm") > 5 * result.curve("rrspm").y[-1]
