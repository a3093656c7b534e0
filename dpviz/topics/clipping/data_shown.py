"""The controls of real data, and a reader's own, which several views have."""

from collections.abc import Mapping
from typing import Any

from dpviz.scene.codec import Value
from dpviz.scene.view import Upload
from dpviz.topics.clipping.data import most_used

_IMPORTS = "from dpviz.results.user_data import read_csv, user_data"
_LOAD = """    own=user_data(
        read_csv(Path("file.csv").read_bytes()),  # your own file
        user={user},
        value={value},
        bins={bins},
    ),"""

UPLOAD = Upload("own", lambda values: values["data"] == "own", _IMPORTS, _LOAD, bins="bins")


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on some data: only numbers are sorted into bins."""
    return set() if values["data"] in ("log_wage", "own") else {"bins"}


def largest_useful(values: Mapping[str, Any]) -> Mapping[str, float]:
    """Say what the rows of the data allow."""
    keys = ("data", "bins", "candidates", "examples_per_user", "unequal")
    return most_used(**{key: values[key] for key in keys}, own=values.get("own"))
