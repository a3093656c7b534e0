"""Tables as data frames: the one place where pandas is loaded, by whoever asks for one."""

from collections.abc import Mapping
from typing import Any


def data_frame(columns: Mapping[str, Any]) -> Any:
    """Return equally long columns as a data frame."""
    import pandas as pd

    return pd.DataFrame(dict(columns))
