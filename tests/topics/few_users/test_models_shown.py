"""What is said where models with other neighbours stand side by side."""

import pytest

from tests.support.declarations import begun, page

PAGE = page("few_users")


@pytest.mark.parametrize("view", ["votes", "rich"])
def test_models_with_other_neighbours_are_not_compared_in_silence(view):
    values = {p.key: p.default for p in PAGE.url_parameters} | {"view": view, "epsilon": 0.4}
    opened = PAGE.open_view(values)
    notes = " ".join(opened.notes(begun(PAGE, opened, values)))
    assert "At the same ε = 0.4 the models do not promise the same" in notes
    assert "only ε = 0.8" in notes
