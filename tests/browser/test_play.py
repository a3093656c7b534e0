"""The buttons that play a figure, pressed by mouse and by keys, and what they then show."""

import pytest

from tests.support.examples import chosen

KEYS = {
    ("perfect_generalization", "pairs"): "Enter",
    ("bounded_noise", "noise"): " ",
    ("adaptive_analysis", "attack"): "Enter",
}
USUAL = list(KEYS)[:2]


@pytest.mark.parametrize(("slug", "view"), chosen(KEYS, USUAL))
def test_a_figure_is_played_by_key(reader, slug, view):
    reader.open(slug, {"view": view})
    first = reader.figure()
    reader.unfold("seed")
    reader.page.get_by_role("button", name="Draw again").click()
    reader.figure_after(first)  # what is drawn a second time plays as well
    reader.settle()
    still = reader.figure()
    button = reader.page.get_by_role("button", name="Play")
    button.focus()
    assert button.evaluate("element => element === document.activeElement")
    reader.page.keyboard.press(KEYS[slug, view])
    reader.figure_after(still)
