"""What the page's addresses of former times show."""

import pytest

from dpviz.scene.codec import decode_address
from tests.support.declarations import last, page

PAGE = page("user_complexity")


def _without_view(values):
    return {key: value for key, value in values.items() if key != "view"}


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ({"view": "constants", "constant": "4", "problem": "pac"}, "with these constants"),
        ({"view": "kinds", "examples_per_user": "1000", "alpha": "0.05"}, "with a δ for"),
        ({"view": "own", "n_stat": "10", "c": "1"}, "Theorem 10 asks for"),
        ({"view": "budget", "epsilon": "0.5"}, "Theorem 10 asks for"),
        ({"view": "learning", "learned": "known", "dimensions": "3", "cover": "paper"}, "Theorem"),
    ],
)
def test_views_that_were_taken_out_are_answered_by_bounds_on_users(old, said):
    asked = {key: [text] for key, text in old.items()}
    values, notes = decode_address(asked, PAGE.url_parameters)
    view = PAGE.open_view(values)
    assert (view.key, notes) == ("users", ())
    result = last(PAGE, "users", **_without_view(values))
    assert said in view.takeaway(result) + view.detail(result)
