"""User-level data from a CSV file: each row belongs to a user, and its value to a category.

Read with the standard library, so that the core needs no data-frame package. Every problem is a
`DataError` that says what is wrong and in which row and column.
"""

import itertools
import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.results.csv_file import (
    MOST_BYTES,
    MOST_ROWS,
    DataError,
    Table,
    is_missing,
    read_csv,
    shown,
)
from dpviz.results.folders import ASSETS
from dpviz.results.parameters import LIMITS, ParameterError, validate

__all__ = [
    "MOST_BYTES",
    "PANEL_COLUMNS",
    "UNEQUAL",
    "DataError",
    "Table",
    "UserData",
    "read_csv",
    "user_column",
    "user_data",
    "wage_panel",
]

MOST_USERS = int(LIMITS["users"].maximum)
MOST_CATEGORIES = int(LIMITS["bins"].maximum)

UNEQUAL = {
    "cap": "as they are",
    "resample": "resampled",
    "drop": "left out",
}
"""What is done with users of fewer than m rows; of those with more, m rows are drawn."""

PANEL_COLUMNS = {
    "union": "Union membership",
    "occupation": "Occupation",
    "log_wage": "Log wage",
}
"""The columns of the wage panel worth estimating, and in words."""

_PANEL = ASSETS / "data" / "wage_panel.csv"
_OUTER = (1, 99)  # percentiles between which numbers are cut into equal bins
_SAMPLES = (1000, 10**5, MOST_ROWS)  # rows: mostly few show which column has a value twice
_LIKELY = 5  # columns from the left that may say whose a row is
_LARGEST, _NEAREST = 1e100, 1e-100  # numbers that are binned, and how near their ends may be


@dataclass(frozen=True, eq=False)
class UserData:
    """One categorical column of rows that belong to users.

    name: of the column. categories: in words, ascending. user, value: for each row, the number
    of its user and of its category. left_out: how many rows were not used, as a cell was empty.
    """

    name: str
    categories: tuple[str, ...]
    user: NDArray[np.integer[Any]]
    value: NDArray[np.integer[Any]]
    left_out: int = 0

    @cached_property
    def rows_of(self) -> NDArray[np.int64]:
        """The number of rows of each user."""
        return np.bincount(self.user)

    @property
    def users(self) -> int:
        """The number of users."""
        return self.rows_of.size

    def most_examples(self, unequal: str = "cap") -> float:
        """Return the largest m that makes a difference: beyond it, too few users hold as many rows.

        unequal: one of `UNEQUAL`. Infinite where users of fewer rows are resampled.
        """
        if unequal == "resample":
            return math.inf
        return float(np.sort(self.rows_of)[-2 if unequal == "drop" else -1])

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader might not expect of how the rows were read, in sentences."""
        found = []
        if self.left_out:
            rows = self.left_out + self.user.size
            one = self.left_out == 1
            found.append(
                f"{self.left_out:,} of {rows:,} rows {'lacks' if one else 'lack'} the user or the "
                f"value and {'is' if one else 'are'} left out."
            )
        if self.users == self.user.size:
            found.append(
                "No user occurs twice: each holds one row. If users hold more, another column "
                "says whose a row is."
            )
        return tuple(found)

    @property
    def law(self) -> NDArray[np.float64]:
        """The share of each category among all rows."""
        counts = np.bincount(self.value, minlength=len(self.categories))
        return counts / self.value.size

    def counts(
        self, rng: np.random.Generator, *, examples_per_user: float, unequal: str = "cap"
    ) -> NDArray[np.int64]:
        """Return how many of each user's examples lie in each category, at most m examples each.

        Users with more rows give m of them, drawn without replacement. unequal: one of `UNEQUAL`,
        which says what is done with users who hold fewer rows. Raises `ParameterError`, also if
        nobody is left.
        """
        m = int(validate("examples_per_user", examples_per_user))
        if unequal not in UNEQUAL:
            raise ParameterError("unequal", f"one of {', '.join(UNEQUAL)}", unequal)
        order = np.lexsort((rng.random(self.user.size), self.user))
        user, value, rows = self.user[order], self.value[order], self.rows_of
        first = np.cumsum(rows) - rows
        kept = np.arange(user.size) - first[user] < m
        short = np.flatnonzero(rows < m)
        if unequal == "drop":
            kept &= rows[user] >= m
        counts = np.zeros((self.users, len(self.categories)), dtype=np.int64)
        np.add.at(counts, (user[kept], value[kept]), 1)
        if unequal == "resample" and short.size:
            shares = counts[short] / rows[short, None]
            counts[short] += rng.multinomial(m - rows[short], shares)
        if unequal == "drop":
            counts = counts[rows >= m]
        if len(counts) < 2:
            most = int(np.sort(rows)[-2])
            raise ParameterError("examples_per_user", f"at most {most}, for 2 users to have", m)
        return counts

    def permuted(self, rng: np.random.Generator) -> "UserData":
        """Return the same rows dealt out to the users at random: no correlation is left."""
        return replace(self, value=rng.permutation(self.value))


def user_column(table: Table) -> tuple[str, tuple[str, ...]]:
    """Return the column that may say whose a row is, and those before it, which do not.

    It is the first that has a value twice, the last of all aside; the very first if none has.
    """
    names = table.names[:-1][:_LIKELY]
    first = len(names)
    for rows in _SAMPLES:
        first = next((i for i in range(first) if _repeats(table, names[i], rows)), first)
        if table.rows <= rows:
            break
    first %= len(names)
    return names[first], names[:first]


def _repeats(table: Table, name: str, rows: int) -> bool:
    """Return whether a column has a value twice in the first so many rows."""
    cells = (cell.strip() for _, (cell,) in itertools.islice(table.cells(name), rows))
    # as numbers, of which a million take 8 MB
    hashes = np.array(array("q", (hash(cell) for cell in cells if not is_missing(cell))))
    return np.unique(hashes).size < hashes.size


def user_data(table: Table, *, user: str, value: str, bins: float = 4) -> UserData:
    """Return the column `value` of the rows as categories, the column `user` telling whose.

    Up to 16 different values are categories; more have to be numbers, which are sorted into
    `bins` of equal width between their 1st and 99th percentile, the outer ones open. A column
    most of whose cells are numbers must hold no text. Rows in which either cell is missing are
    left out, and counted. Raises `DataError`, `ParameterError`.
    """
    for name in (user, value):
        if name not in table.names:
            raise DataError(f"there is no column {shown(name)}")
    if user == value:
        raise DataError("the users and the values are the same column", column=user)
    people: dict[str, int] = {}
    owners, values, left_out = array("i"), _Values(value, table.number), 0
    for row, cells in table.cells(user, value):
        person, cell = map(str.strip, cells)
        if is_missing(person) or is_missing(cell):
            left_out += 1
            continue
        owners.append(people.setdefault(person, len(people)))
        if len(people) > MOST_USERS:
            raise DataError(
                f"more than {MOST_USERS:,} different users, which is the most; is it the column "
                "that says which user a row belongs to?",
                column=user,
            )
        values.add(cell, row)
    if not people:
        raise DataError("no row has both a user and a value", column=value)
    if len(people) == 1:
        raise DataError(
            f"all {len(owners):,} rows belong to one user, {shown(next(iter(people)))}; "
            "at least two users are needed",
            column=user,
        )
    categories, places = values.categories(int(validate("bins", bins)))
    owner = np.array(owners, np.int32)
    return UserData(value, categories, owner, places.astype(np.uint8), left_out)


@cache
def wage_panel(column: str, bins: int = 4) -> UserData:
    """Return a column of the bundled wage panel: 545 people, 8 yearly rows each.

    column: one of `PANEL_COLUMNS`. Source: Vella & Verbeek 1998, see assets/data/README.md.
    """
    if column not in PANEL_COLUMNS:
        raise ParameterError("column", f"one of {', '.join(PANEL_COLUMNS)}", column)
    return user_data(read_csv(_PANEL.read_bytes()), user="person", value=column, bins=bins)


@dataclass
class _Values:
    """A column as it is read: what its cells are as numbers, and the first different texts.

    read: returns the number that a cell holds, NaN for none. texts: their numbers; the one after
    the last stands for all others. odd: the first text that is no number, and its row; late: the
    first text too many.
    """

    name: str
    read: Callable[[str], float]
    numbers: "array[float]" = field(default_factory=lambda: array("d"))
    texts: dict[str, int] = field(default_factory=dict)
    places: "array[int]" = field(default_factory=lambda: array("B"))
    odd: tuple[str, int] | None = None
    late: tuple[str, int] | None = None

    def add(self, text: str, row: int) -> None:
        """Take the next cell."""
        place = self.texts.get(text)
        if place is None:
            place = len(self.texts)
            if place < MOST_CATEGORIES:
                self.texts[text] = place
            else:
                self.late = self.late or (text, row)
        self.places.append(place)
        number = self.read(text)
        self.numbers.append(number)
        if math.isnan(number):
            self.odd = self.odd or (text, row)

    def categories(self, bins: int) -> tuple[tuple[str, ...], NDArray[np.int64]]:
        """Return the categories in words, and for each cell the number of its own."""
        numbers = np.array(self.numbers)
        if 2 * np.count_nonzero(~np.isnan(numbers)) > numbers.size:
            if self.odd is not None:
                text, row = self.odd
                raise DataError(
                    f"{shown(text)} is not a finite number, and most of the column are",
                    row=row,
                    column=self.name,
                )
            order, place = np.unique(numbers, return_inverse=True)
            if order.size > MOST_CATEGORIES:
                return _binned(numbers, self.name, bins)
            found = tuple(f"{number:g}" for number in order)
            if len(set(found)) == order.size:
                return _at_least_two(found, place, self.name)
        if self.late is not None:
            text, row = self.late
            raise DataError(
                f"{shown(text)} is the {MOST_CATEGORIES + 1}th different value, and "
                f"{MOST_CATEGORIES} is the most unless all are numbers",
                row=row,
                column=self.name,
            )
        texts = list(self.texts)
        rank = np.argsort(np.argsort(texts))
        return _at_least_two(tuple(sorted(texts)), rank[np.array(self.places)], self.name)


def _at_least_two(
    texts: tuple[str, ...], values: NDArray[np.int64], name: str
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    if len(texts) < 2:
        raise DataError(f"every value is {shown(texts[0])}: nothing to estimate", column=name)
    return texts, values


def _binned(
    values: NDArray[np.float64], name: str, bins: int
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    if np.abs(values).max() > _LARGEST:
        raise DataError(f"numbers beyond ±{_LARGEST:g} cannot be put into bins", column=name)
    low, high = np.percentile(values, _OUTER)
    if not high - low > _NEAREST:
        raise DataError("almost all numbers are the same: no bins can be made", column=name)
    digits = 2 - math.floor(math.log10((high - low) / bins))
    edges = np.unique(np.round(np.linspace(low, high, bins + 1)[1:-1], max(digits - 1, 0)) + 0.0)
    texts = [f"{edge:g}" for edge in edges]
    between = [f"{a} to {b}" for a, b in itertools.pairwise(texts)]
    words = (f"below {texts[0]}", *between, f"{texts[-1]} and above")
    return words, np.searchsorted(edges, values, side="right").astype(np.int64)
