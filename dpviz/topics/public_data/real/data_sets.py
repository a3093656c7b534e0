"""Real data with labels: two that scikit-learn ships, the wage panel, or a reader's own table.

Read with the standard library, so that the core needs no data-frame package. A *unit* is whom
privacy protects: a patient, an image, a person with all their rows, or a row.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.results.csv_file import DataError, Table, is_missing, read_csv, shown
from dpviz.results.evidence import FloatArray
from dpviz.results.folders import ASSETS
from dpviz.results.parameters import NoFileError, ParameterError
from dpviz.results.refining import pause

DATA = {
    "cancer": "Breast cancer",
    "digits": "Digits 4 and 9",
    "union": "Union membership",
    "own": "Your own CSV",
}
"""The data by name, and in words."""

ALONE = "each row for itself"
"""What stands in place of a column of units where every row is a unit."""

MOST_ROWS, MOST_FEATURES = 5000, 200
_MOST_CATEGORIES = 16
_LEAST_UNITS = 40


@dataclass(frozen=True, eq=False)
class RealData:
    """Rows with features and a label.

    features: a row each, numbers; label: ±1, 1 for `positive`; unit: the number of each row's
    unit. left_out: rows with a missing cell, which are not used; ignored: columns that are neither
    numbers nor few categories.
    """

    name: str
    positive: str
    units: str
    features: FloatArray
    label: FloatArray
    unit: NDArray[np.integer[Any]]
    left_out: int = 0
    ignored: tuple[str, ...] = ()

    @property
    def unit_count(self) -> int:
        """How many units there are."""
        return int(self.unit.max()) + 1


def real_data_set(name: str, own: RealData | None = None) -> RealData:
    """Return the data of a name of `DATA`, or the reader's own. Raises `ParameterError`."""
    if name not in DATA:
        raise ParameterError("data_set", f"one of {', '.join(DATA)}", name)
    if name != "own":
        return _bundled(name)
    if own is None:
        raise NoFileError("data_set")
    return own


@cache
def _bundled(name: str) -> RealData:
    """Return a bundled set; see assets/data/README.md for where they are from."""
    file, unit, label, positive, units = {
        "cancer": ("breast_cancer", ALONE, "malignant", "1", "patients"),
        "digits": ("digits_4_9", ALONE, "digit", "9", "images"),
        "union": ("wage_panel", "person", "union", "1", "people"),
    }[name]
    table = read_csv((ASSETS / "data" / f"{file}.csv").read_bytes())
    categories = ("occupation",) if name == "union" else ()
    data = labelled_data(table, unit=unit, label=label, categories=categories)
    assert data.positive == positive
    return RealData(DATA[name], positive, units, data.features, data.label, data.unit)


def labelled_data(
    table: Table, *, unit: str, label: str, categories: Sequence[str] = ()
) -> RealData:
    """Return the rows of a table with a column of two values as the label.

    unit: the column that says which rows protect one another, or `ALONE`; all columns beside these
    two are features: numbers as they are, others (and those named in categories) as one indicator
    for each of up to 16 values. Rows with a missing cell are left out. Raises `DataError`.
    """
    for name in {unit, label} - {ALONE}:
        if name not in table.names:
            raise DataError(f"there is no column {shown(name)}")
    if unit == label:
        raise DataError("the units and the labels are the same column", column=unit)
    if table.rows > MOST_ROWS:
        raise DataError(f"{table.rows:,} rows, and {MOST_ROWS:,} is the most")
    rows = [[cell.strip() for cell in cells] for _, cells in table.cells(*table.names)]
    whole = [cells for cells in rows if not any(map(is_missing, cells))]
    if not whole:
        raise DataError("no row without a missing cell")
    columns = dict(zip(table.names, zip(*whole, strict=True), strict=True))
    number_of = {value: table.number(value) for value in set(columns[label])}
    values = sorted(number_of, key=lambda v: (np.nan_to_num(number_of[v]), v))
    if len(values) != 2:
        problem = f"{len(values)} different values, and a label has two"
        raise DataError(problem, column=label)
    owners = range(len(whole)) if unit == ALONE else columns[unit]
    places = {owner: place for place, owner in enumerate(dict.fromkeys(owners))}
    if len(places) < _LEAST_UNITS:
        problem = f"{len(places)} units, and at least {_LEAST_UNITS} are needed"
        raise DataError(problem, column=None if unit == ALONE else unit)
    features, ignored = [], []
    for name in table.names:
        if name in (unit, label):
            continue
        pause()
        read = None if name in categories else table.number
        numbers = _numbers(columns[name], read)
        features += numbers
        ignored += [] if numbers else [name]
    if len(features) > MOST_FEATURES:
        problem = f"{len(features)} features, indicators counted, and {MOST_FEATURES} is the most"
        raise DataError(problem)
    if not features:
        raise DataError("no column is left that says anything about the label")
    return RealData(
        name=label,
        positive=values[1],
        units="rows" if unit == ALONE else f"values of {unit}",
        features=np.stack(features, axis=1),
        label=np.where(np.array(columns[label]) == values[1], 1.0, -1.0),
        unit=np.array([places[owner] for owner in owners]),
        left_out=len(rows) - len(whole),
        ignored=tuple(ignored),
    )


def _numbers(cells: Sequence[str], read: Callable[[str], float] | None) -> list[FloatArray]:
    """Return a column as numbers, or an indicator for each category; nothing if it is neither.

    read: what returns the number in a cell, NaN for none; None for categories.
    """
    numbers = np.array([math.nan] if read is None else list(map(read, cells)))
    if not np.isnan(numbers).any():
        spread = float(np.ptp(numbers / max(1.0, float(np.abs(numbers).max()))))
        return [numbers] if math.isfinite(spread) and spread > 0 else []
    values = sorted(set(cells))
    if not 2 <= len(values) <= _MOST_CATEGORIES:
        return []
    column = np.array(cells)
    return [(column == value).astype(float) for value in values]
