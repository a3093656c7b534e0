"""Real data: the columns of the wage panel, or a reader's own."""

from dpviz.results.parameters import NoFileError, ParameterError, validate
from dpviz.results.user_data import PANEL_COLUMNS, UserData, wage_panel
from dpviz.topics.clipping.covers import cover

DATA = PANEL_COLUMNS | {"own": "Your own CSV"}
"""The data by name, and in words."""


def column_of(data: str, bins: float, own: UserData | None) -> UserData:
    """Return the data of this name, or the reader's own. Raises `ParameterError`."""
    if data not in DATA:
        raise ParameterError("data", f"one of {', '.join(DATA)}", data)
    if data != "own":
        return wage_panel(data, int(validate("bins", bins)))
    if own is None:
        raise NoFileError("data")
    return own


def most_used(
    *,
    data: str,
    bins: float,
    candidates: float,
    examples_per_user: float,
    unequal: str,
    own: UserData | None = None,
) -> dict[str, float]:
    """Return the largest m, τ and rank of a rival that make a difference on these data.

    Nobody's examples count more than all rows they have. Without data of one's own, nothing.
    """
    if data == "own" and own is None:
        return {}
    column = column_of(data, bins, own)
    most = column.most_examples(unequal)
    rivals = cover(column.law.size, int(validate("candidates", candidates))).points.shape[0]
    return {
        "examples_per_user": most,
        "threshold": min(most, examples_per_user),
        "rival": float(rivals),
    }
