"""A CSV file: checked as a whole when it arrives, and read again for the columns that are used.

As text in columns, a file would take up to twenty times its size. Every problem is a `DataError`
that says what is wrong and in which row and column; rows are counted as a spreadsheet does, blank
ones too, the first being row 1. The standard library reads it: a data-frame package would hold all
of a file as text, and names no row.
"""

import codecs
import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpviz.results.numbers import LONGEST, read_number

MOST_BYTES = 20 * 1024 * 1024
MOST_ROWS = 10**6
MOST_COLUMNS = 200
_LONGEST_ROW = 2**18  # characters
_SAMPLE = 10_000  # bytes that decide how a file is written
_DELIMITERS = "\t;|,"  # the first that fits nearly best: commas are in names and numbers, too
_NEARLY = 0.9
_SEPARATOR = re.compile(r'"?sep=(.)"?\r?\n?', re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")  # a thousand, or three decimals
_MISSING = frozenset(
    ("", "na", "n/a", "n.a.", "<na>", "#n/a", "nan", "null", "none", "nil", "?", ".", "..", "--")
) | {"\N{EN DASH}", "\N{EM DASH}"}
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # .xlsx and .ods; .xls
_QUOTED: Any = {"strict": True, "skipinitialspace": True}
_SHOWN = 30


class DataError(ValueError):
    """A file or a column cannot be used; the message says why and where."""

    def __init__(self, problem: str, *, row: int | None = None, column: str | None = None) -> None:
        self.problem, self.row, self.column = problem, row, column
        places = [f"row {row:,}"] if row is not None else []
        places += [f"column {shown(column)}"] if column is not None else []
        text = f"{', '.join(places)}: {problem}" if places else problem
        super().__init__(text[0].upper() + text[1:])


@dataclass(frozen=True)
class _Manner:
    """How a file is written: what separates cells, whether its first line says so, decimal mark."""

    delimiter: str
    is_declared: bool = False
    decimal: str = "."


@dataclass(frozen=True, eq=False)
class Table:
    """A CSV file that can be read: the names of its columns, its rows, and the file itself.

    remarks: sentences on what a reader might not expect of how it was read.
    """

    names: tuple[str, ...]
    rows: int
    content: bytes = field(repr=False)
    manner: _Manner
    places: tuple[int, ...]
    remarks: tuple[str, ...] = ()

    def cells(self, *columns: str) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield, for each row, its number and the cells of these columns, as text."""
        places = [self.places[self.names.index(name)] for name in columns]
        records = _records(self.content, self.manner)
        next(records)
        for row, cells in records:
            yield row, tuple(cells[place] for place in places)

    def number(self, text: str) -> float:
        """Return the finite number that a cell holds; NaN for none."""
        return _number(text, self.manner.decimal)


def read_csv(content: bytes) -> Table:
    """Return the table in a CSV file: UTF-8, a header, cells of any usual way to separate them.

    Commas, semicolons, tabs or bars, as the first 10 kB have them; decimal commas where commas
    separate nothing. At most 20 MB, a million rows and 200 columns. Columns without a name are left
    out. Raises `DataError`.
    """
    _refuse_unreadable(content)
    manner, example = _manner(content)
    records = _records(content, manner)
    row, cells = next(records, (0, []))
    if not row:
        raise DataError("the file is empty")
    places, rows = _header(cells, row, manner.decimal), 0
    for row, record in records:
        if len(record) != len(cells):
            raise DataError(f"{len(record)} cells where the header has {len(cells)}", row=row)
        if rows == MOST_ROWS:
            raise DataError(f"the file holds more than {MOST_ROWS:,} rows")
        rows += 1
    if not rows:
        raise DataError("the file holds a header and no rows")
    remarks = []
    if nameless := [
        str(place) for place in range(1, len(cells) + 1) if not cells[place - 1].strip()
    ]:
        many = len(nameless) > 1
        which = f"{', '.join(nameless[:-1])} and {nameless[-1]}" if many else nameless[0]
        have = "s {} have no name and are" if many else " {} has no name and is"
        remarks.append(f"Column{have.format(which)} left out.")
    if example:
        read = f"{_number(example, manner.decimal):.15g}"
        remarks.append(f"Commas are read as decimal points: {example} is {read}.")
    return Table(tuple(places), rows, content, manner, tuple(places.values()), tuple(remarks))


def shown(text: str | None) -> str:
    """Return text from a file between quotation marks, shortened and printable."""
    plain = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text or "")
    return f"“{plain[:_SHOWN]}…”" if len(plain) > _SHOWN else f"“{plain}”"


def is_missing(text: str) -> bool:
    """Return whether a cell holds nothing, or one of the ways to say so."""
    return text.strip().lower() in _MISSING


def _number(text: str, decimal: str) -> float:
    if len(text) > LONGEST:
        return math.nan
    if decimal == ",":
        text = "" if "." in text else text.replace(",", ".")
    number = read_number(text)
    return number if math.isfinite(number) else math.nan


def _manner(content: bytes) -> tuple[_Manner, str]:
    """Return how a file is written, and the first number with a decimal comma, or ""."""
    sample = content[:_SAMPLE]
    whole = len(content) <= _SAMPLE or b"\n" not in sample
    text = (sample if whole else sample[: sample.rindex(b"\n") + 1]).decode("utf-8-sig", "replace")
    if separator := _SEPARATOR.match(text):
        delimiter = separator[1]
        if delimiter not in _DELIMITERS:
            problem = f"cells separated by {shown(delimiter)}; write commas, semicolons or tabs"
            raise DataError(problem, row=1)
        text = text[separator.end() :]
    else:
        fits = {delimiter: _fit(*_sampled(text, delimiter)) for delimiter in _DELIMITERS}
        best = max(fits.values())
        delimiter = next(d for d in _DELIMITERS if fits[d] >= _NEARLY * best) if best else ","
    example = _decimal_comma(_sampled(text, delimiter)[0][1:], delimiter)
    return _Manner(delimiter, bool(separator), "," if example else "."), example


def _sampled(text: str, delimiter: str) -> tuple[list[list[str]], bool]:
    """Return the rows at the beginning of a file, and whether all of it can be read."""
    rows: list[list[str]] = []
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, **_QUOTED):
            rows += [cells] * (not _is_blank(cells))
    except csv.Error as error:
        return rows, "unexpected end" in str(error)  # of a quotation that goes on
    return rows, True


def _fit(rows: Sequence[Sequence[str]], readable: bool) -> float:
    """Return which part of the rows has as many cells as the first, 0 where that is one.

    Half of it, where not all can be read.
    """
    if not rows or len(rows[0]) < 2:
        return 0.0
    part = sum(len(cells) == len(rows[0]) for cells in rows) / len(rows)
    return part if readable else part / 2


def _decimal_comma(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    """Return the first number with a decimal comma where numbers are written so, or "".

    Between semicolons commas are decimal; between tabs, unless they may separate thousands.
    """
    if delimiter == ",":
        return ""
    cells = [cell.strip() for row in rows for cell in row]
    commas = [c for c in cells if "," in c and not math.isnan(_number(c, ","))]
    points = sum("." in cell and not math.isnan(_number(cell, ".")) for cell in cells)
    clear = [cell for cell in commas if not _GROUPED.fullmatch(cell)]
    if len(commas) <= points or not (clear or delimiter == ";"):
        return ""
    return (clear or commas)[0]


def _is_blank(cells: Sequence[str]) -> bool:
    return not cells or (len(cells) == 1 and not cells[0].strip())


def _records(content: bytes, manner: _Manner) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file, each with its number, the header first, without the blank ones."""
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
        if manner.is_declared:
            text.readline()  # no spreadsheet shows it
        for cells in csv.reader(lines(), delimiter=manner.delimiter, **_QUOTED):
            taken = 0
            if not _is_blank(cells):
                yield row, cells
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
    if content.startswith(_SPREADSHEETS):
        raise DataError("this is a spreadsheet (.xlsx, .xls or .ods); save it as CSV")
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


def _header(cells: Sequence[str], row: int, decimal: str) -> dict[str, int]:
    """Return where the columns with a name are, by their names."""
    if len(cells) > MOST_COLUMNS:
        raise DataError(f"{len(cells)} columns, and {MOST_COLUMNS} is the most", row=row)
    places: dict[str, int] = {}
    for place, name in enumerate(map(str.strip, cells)):
        if name in places:
            raise DataError("the name occurs twice", row=row, column=name)
        if name:
            places[name] = place
    if not any(math.isnan(_number(name, decimal)) for name in places):
        raise DataError("only numbers where the names of the columns belong", row=row)
    if len(places) < 2:
        raise DataError("one column; needed are one for the user and one for the value", row=row)
    return places
