"""Tables as data frames: the one place where pandas is loaded, by whoever asks for one."""

from collections.abc import Mapping
from typing import Any

from dpviz.results.extras import what_to_install


def data_frame(columns: Mapping[str, Any]) -> Any:
    """Return equally long columns as a data frame."""
    try:
        import pandas as pd
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(what_to_install(missing), name="pandas") from missing
    return pd.DataFrame(dict(columns))
