"""Controls that several views have."""

import numpy as np

from tests.support.declarations import begun, page

PAGE = page("few_users")


def test_a_hidden_class_has_no_effect():
    values = {p.key: p.default for p in PAGE.url_parameters} | {"learner": "queries", "bits": 4}
    view = PAGE.open_view(values | {"view": "votes"})
    assert view.idle(values) == {"concept"}
    tables = [
        begun(PAGE, view, values | {"view": "votes", "concept": concept}).columns()
        for concept in ("thresholds", "parities")
    ]
    for name, column in tables[0].items():
        np.testing.assert_array_equal(column, tables[1][name])
