"""Tables as data frames: the one place where pandas is loaded, by whoever asks for one."""

from collections.abc import Mapping
from typing import Any

from dpviz.results.extras import what_to_install


def data_frame(columns: Mapping[str, Any]) -> Any:
    """Return equally long columns as a data frame."""
    return _pandas().DataFrame(dict(columns))


def await_pandas() -> None:
    """Load pandas, or wait for another thread that does: before others look at what is loaded.

    plotly and Altair take it from `sys.modules`, where it is from the first moment on, half loaded.
    """
    _pandas()


def _pandas() -> Any:
    try:
        import pandas
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(what_to_install(missing), name="pandas") from missing
    return pandas
