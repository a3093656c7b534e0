"""User-level data from a CSV file: who a row belongs to, and which category its value is in.

Read with the standard library, so that the core needs no data-frame package. Every problem is a
`DataError` that says what is wrong and in which row and column; rows are counted as a
spreadsheet does, the header being row 1.
"""

import codecs
import csv
import io
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from dpviz.results.files import ASSETS
from dpviz.results.parameters import LIMITS, ParameterError, validate

MOST_BYTES = 20 * 1024 * 1024
MOST_ROWS = 10**6
MOST_COLUMNS = 200
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
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
_DELIMITERS = ",;\t"
_SHOWN = 30
_OUTER = (1, 99)  # percentiles between which numbers are cut into equal bins


class DataError(ValueError):
    """A file or a column cannot be used; the message says why and where."""

    def __init__(self, problem: str, *, row: int | None = None, column: str | None = None) -> None:
        self.problem, self.row, self.column = problem, row, column
        places = [f"row {row:,}"] if row is not None else []
        places += [f"column {shown(column)}"] if column is not None else []
        text = f"{', '.join(places)}: {problem}" if places else problem
        super().__init__(text[0].upper() + text[1:])


@dataclass(frozen=True, eq=False)
class Table:
    """A CSV file's columns by name, as text, in the order of the file."""

    columns: dict[str, tuple[str, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)


@dataclass(frozen=True, eq=False)
class UserData:
    """One categorical column of rows that belong to users.

    name: of the column. categories: in words, ascending. user, value: for each row, the number
    of its user and of its category. left_out: how many rows were not used, as a cell was empty.
    """

    name: str
    categories: tuple[str, ...]
    user: NDArray[np.int64]
    value: NDArray[np.int64]
    left_out: int = 0

    @cached_property
    def rows_of(self) -> NDArray[np.int64]:
        """The number of rows of each user."""
        return np.bincount(self.user)

    @property
    def users(self) -> int:
        """The number of users."""
        return self.rows_of.size

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
        what is done with users of fewer rows. Raises `ParameterError`, also if nobody is left.
        """
        m = int(validate("examples_per_user", examples_per_user))
        if unequal not in UNEQUAL:
            raise ParameterError("unequal", f"one of {', '.join(UNEQUAL)}", unequal)
        order = np.lexsort((rng.random(self.user.size), self.user))
        user, value, held = self.user[order], self.value[order], self.rows_of
        first = np.cumsum(held) - held
        kept = np.arange(user.size) - first[user] < m
        short = np.flatnonzero(held < m)
        if unequal == "drop":
            kept &= held[user] >= m
        counts = np.zeros((self.users, len(self.categories)), dtype=np.int64)
        np.add.at(counts, (user[kept], value[kept]), 1)
        if unequal == "resample" and short.size:
            shares = counts[short] / held[short, None]
            counts[short] += rng.multinomial(m - held[short], shares)
        if unequal == "drop":
            counts = counts[held >= m]
        if len(counts) < 2:
            most = int(np.sort(held)[-2])
            raise ParameterError("examples_per_user", f"at most {most}, for 2 users to have", m)
        return counts

    def permuted(self, rng: np.random.Generator) -> "UserData":
        """Return the same rows dealt out to the users at random: no correlation is left."""
        return replace(self, value=rng.permutation(self.value))


def read_csv(content: bytes) -> Table:
    """Return the columns of a CSV file: UTF-8, a header, commas (or semicolons, or tabs).

    At most 20 MB and a million rows. Raises `DataError`.
    """
    text = _decoded(content)
    header_line = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    names: list[str] | None = None
    try:
        for cells in reader:
            if not cells:
                continue
            if names is None:
                names = _header(cells)
                continue
            if len(cells) != len(names):
                raise DataError(
                    f"{len(cells)} cells where the header has {len(names)}", row=len(rows) + 2
                )
            if len(rows) == MOST_ROWS:
                raise DataError(f"the file holds more than {MOST_ROWS:,} rows")
            rows.append(cells)
    except csv.Error as error:
        raise DataError(f"not valid CSV ({error})", row=len(rows) + 2) from None
    if names is None:
        raise DataError("the file is empty")
    if not rows:
        raise DataError("the file holds a header and no rows")
    return Table(dict(zip(names, zip(*rows, strict=True), strict=True)))


def user_data(table: Table, *, user: str, value: str, bins: float = 4) -> UserData:
    """Return the column `value` of the rows as categories, the column `user` telling whose.

    Up to 16 different values are categories; more have to be numbers, which are sorted into
    `bins` of equal width between their 1st and 99th percentile, the outer ones open. A column
    most of whose cells are numbers must hold no text. Rows in which either cell is missing are
    left out, and counted. Raises `DataError`, `ParameterError`.
    """
    for name in (user, value):
        if name not in table.columns:
            raise DataError(f"there is no column {shown(name)}")
    if user == value:
        raise DataError("the users and the values are the same column", column=user)
    rows = _complete(table.columns[user], table.columns[value])
    if not rows:
        raise DataError("no row has both a user and a value", column=value)
    people, owner = _numbered([table.columns[user][row] for row in rows])
    if len(people) == 1:
        raise DataError(
            f"all {owner.size:,} rows belong to one user, {shown(people[0])}; "
            "at least two users are needed",
            column=user,
        )
    if len(people) > MOST_USERS:
        raise DataError(
            f"{len(people):,} different users, and {MOST_USERS:,} is the most; is it the column "
            "that says which user a row belongs to?",
            column=user,
        )
    cells = [table.columns[value][row] for row in rows]
    categories, values = _categories(cells, rows, value, int(validate("bins", bins)))
    left_out = len(table.columns[value]) - len(rows)
    return UserData(value, categories, owner, values, left_out)


@cache
def wage_panel(column: str, bins: int = 4) -> UserData:
    """Return a column of the bundled wage panel: 545 people, 8 yearly rows each.

    column: one of `PANEL_COLUMNS`. Source: Vella & Verbeek 1998, see assets/data/README.md.
    """
    if column not in PANEL_COLUMNS:
        raise ParameterError("column", f"one of {', '.join(PANEL_COLUMNS)}", column)
    return user_data(read_csv(_PANEL.read_bytes()), user="person", value=column, bins=bins)


def shown(text: str | None) -> str:
    """Return text from a file between quotation marks, shortened and printable."""
    plain = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text or "")
    return f"“{plain[:_SHOWN]}…”" if len(plain) > _SHOWN else f"“{plain}”"


def _decoded(content: bytes) -> str:
    if not content.strip():
        raise DataError("the file is empty")
    if len(content) > MOST_BYTES:
        size, most = len(content) / 2**20, MOST_BYTES // 2**20
        raise DataError(f"the file has {size:.1f} MB, and {most} MB is the most")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError("the file is UTF-16; save it as UTF-8")
    if (place := content.find(b"\0")) >= 0:
        raise DataError("a zero byte: this is no text file", row=content.count(b"\n", 0, place) + 1)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"byte 0x{content[error.start]:02X} is not UTF-8; save the file as UTF-8",
            row=content.count(b"\n", 0, error.start) + 1,
        ) from None


def _header(cells: Sequence[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    if len(names) > MOST_COLUMNS:
        raise DataError(f"{len(names)} columns, and {MOST_COLUMNS} is the most", row=1)
    if all(_is_number(name) for name in names):
        raise DataError("only numbers where the names of the columns belong", row=1)
    if len(names) < 2:
        raise DataError("one column; needed are one for the user and one for the value", row=1)
    for place, name in enumerate(names, 1):
        if not name:
            raise DataError(f"column number {place} has no name", row=1)
        if name in names[: place - 1]:
            raise DataError("the name occurs twice", row=1, column=name)
    return names


def _complete(*columns: Sequence[str]) -> list[int]:
    """Return the rows, from 0, in which no column misses its cell."""
    return [
        row
        for row, cells in enumerate(zip(*columns, strict=True))
        if not any(cell.strip().lower() in _MISSING for cell in cells)
    ]


def _numbered(cells: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the different texts in the order in which they come, and each cell's number."""
    number: dict[str, int] = {}
    places = [number.setdefault(cell.strip(), len(number)) for cell in cells]
    return list(number), np.array(places, dtype=np.int64)


def _categories(
    cells: Sequence[str], rows: Sequence[int], name: str, bins: int
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the categories, and each cell's number; rows: where the file has the cells, from 0."""
    texts, place = _numbered(cells)
    numeric = np.array([_is_number(text) for text in texts])
    if 2 * np.count_nonzero(numeric[place]) > place.size:
        if not numeric.all():
            row = int(np.argmin(numeric[place]))
            raise DataError(
                f"{shown(cells[row])} is not a finite number, and most of the column are",
                row=rows[row] + 2,
                column=name,
            )
        values = np.array([float(text) for text in texts])
        if np.unique(values).size > MOST_CATEGORIES:
            return _binned(values[place], name, bins)
        order = np.unique(values)
        found = tuple(f"{value:g}" for value in order)
        if len(set(found)) == order.size:
            return _at_least_two(found, np.searchsorted(order, values)[place], name)
    if len(texts) > MOST_CATEGORIES:
        row = int(np.argmax(place == MOST_CATEGORIES))
        raise DataError(
            f"{shown(cells[row])} is the {MOST_CATEGORIES + 1}th different value, and "
            f"{MOST_CATEGORIES} is the most unless all are numbers",
            row=rows[row] + 2,
            column=name,
        )
    rank = np.argsort(np.argsort(texts))
    return _at_least_two(tuple(sorted(texts)), rank[place], name)


def _at_least_two(
    found: tuple[str, ...], values: NDArray[np.int64], name: str
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    if len(found) < 2:
        raise DataError(f"every value is {shown(found[0])}: nothing to estimate", column=name)
    return found, values


def _binned(
    values: NDArray[np.float64], name: str, bins: int
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    low, high = np.percentile(values, _OUTER)
    if not low < high:
        raise DataError("almost all numbers are the same: no bins can be made", column=name)
    digits = 2 - math.floor(math.log10((high - low) / bins))
    edges = np.unique(np.round(np.linspace(low, high, bins + 1)[1:-1], max(digits - 1, 0)) + 0.0)
    texts = [f"{edge:g}" for edge in edges]
    between = [f"{a} to {b}" for a, b in itertools.pairwise(texts)]
    words = (f"below {texts[0]}", *between, f"{texts[-1]} and above")
    return words, np.searchsorted(edges, values, side="right").astype(np.int64)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False
