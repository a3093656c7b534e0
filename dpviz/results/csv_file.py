"""A CSV file: checked as a whole when it arrives, and read again for the columns that are used.

As text in columns, a file would take up to twenty times its size. Every problem is a `DataError`
that says what is wrong and in which row and column; rows are counted as a spreadsheet does, the
header being row 1.
"""

import codecs
import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dpviz.results.numbers import read_number

MOST_BYTES = 20 * 1024 * 1024
MOST_ROWS = 10**6
MOST_COLUMNS = 200
_LONGEST_ROW = 2**18  # characters
_DELIMITERS = ",;\t"
_SHOWN = 30


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
    """A CSV file that can be read: the names of its columns, its rows, and the file itself."""

    names: tuple[str, ...]
    rows: int
    content: bytes = field(repr=False)
    delimiter: str

    def cells(self, *columns: str) -> Iterator[tuple[str, ...]]:
        """Yield, row by row, the cells of these columns, as text."""
        places = [self.names.index(name) for name in columns]
        records = _records(self.content, self.delimiter)
        next(records)
        for cells in records:
            yield tuple(cells[place] for place in places)


def read_csv(content: bytes) -> Table:
    """Return the table in a CSV file: UTF-8, a header, commas (or semicolons, or tabs).

    At most 20 MB, a million rows and 200 columns. Raises `DataError`.
    """
    _refuse_unreadable(content)
    header = content[:_LONGEST_ROW].partition(b"\n")[0].decode("utf-8", "replace")
    delimiter = max(_DELIMITERS, key=header.count)
    records = _records(content, delimiter)
    cells = next(records, None)
    if cells is None:
        raise DataError("the file is empty")
    names, rows = _header(cells), 0
    for row, cells in enumerate(records, 2):
        if len(cells) != len(names):
            raise DataError(f"{len(cells)} cells where the header has {len(names)}", row=row)
        if rows == MOST_ROWS:
            raise DataError(f"the file holds more than {MOST_ROWS:,} rows")
        rows += 1
    if not rows:
        raise DataError("the file holds a header and no rows")
    return Table(tuple(names), rows, content, delimiter)


def shown(text: str | None) -> str:
    """Return text from a file between quotation marks, shortened and printable."""
    plain = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text or "")
    return f"“{plain[:_SHOWN]}…”" if len(plain) > _SHOWN else f"“{plain}”"


def is_number(text: str) -> bool:
    """Return whether text is a finite number."""
    return math.isfinite(read_number(text))


def _records(content: bytes, delimiter: str) -> Iterator[list[str]]:
    """Yield the rows of a file, the header first, without the empty ones."""
    text = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="")
    row, taken = 1, 0

    def lines() -> Iterator[str]:
        nonlocal taken
        while line := text.readline(_LONGEST_ROW - taken + 1):
            taken += len(line)
            if taken > _LONGEST_ROW:
                raise DataError(f"the row has more than {_LONGEST_ROW:,} characters", row=row)
            yield line

    try:
        for cells in csv.reader(lines(), delimiter=delimiter, strict=True):
            taken = 0
            if cells:
                yield cells
                row += 1
    except csv.Error as error:
        raise DataError(f"not valid CSV ({error})", row=row) from None
    except UnicodeDecodeError:
        raise _not_utf8(content) from None


def _refuse_unreadable(content: bytes) -> None:
    if not content.strip():
        raise DataError("the file is empty")
    if len(content) > MOST_BYTES:
        size, most = len(content) / 2**20, MOST_BYTES // 2**20
        raise DataError(f"the file has {size:.1f} MB, and {most} MB is the most")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError("the file is UTF-16; save it as UTF-8")
    if (place := content.find(b"\0")) >= 0:
        raise DataError("a zero byte: this is no text file", row=content.count(b"\n", 0, place) + 1)


def _not_utf8(content: bytes) -> DataError:
    for row, line in enumerate(io.BytesIO(content), 1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            byte = line[error.start]
            problem = f"byte 0x{byte:02X} is not UTF-8; save the file as UTF-8"
            return DataError(problem, row=row)
    return DataError("the file is not UTF-8; save it as UTF-8")


def _header(cells: Sequence[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    if len(names) > MOST_COLUMNS:
        raise DataError(f"{len(names)} columns, and {MOST_COLUMNS} is the most", row=1)
    if all(is_number(name) for name in names):
        raise DataError("only numbers where the names of the columns belong", row=1)
    if len(names) < 2:
        raise DataError("one column; needed are one for the user and one for the value", row=1)
    for place, name in enumerate(names, 1):
        if not name:
            raise DataError(f"column number {place} has no name", row=1)
        if name in names[: place - 1]:
            raise DataError("the name occurs twice", row=1, column=name)
    return names
