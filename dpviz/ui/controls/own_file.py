"""A reader's own file, as far as it has been read. No Streamlit here."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakSet

from dpviz.results.csv_file import DataError, Table, read_csv
from dpviz.results.parameters import ParameterError

Make = Callable[[Table, str, str, int], object]
MOST_TOGETHER = 256 * 2**20  # bytes of all readers' files
READING = threading.Lock()  # one at a time: who reads a million rows holds up nobody's figures
_TABLES: WeakSet[Table] = WeakSet()


@dataclass
class OwnFile:
    """The last file that could be read, and the data made of two of its columns.

    seen: the last file that was tried. problem: what was wrong with it, or with the columns.
    made_from: what `data` were made of.
    """

    seen: str = ""
    table: Table | None = None
    problem: str = ""
    data: object | None = None
    made_from: tuple[object, ...] = ()

    def read(self, content: bytes) -> bool:
        """Take a file and return whether it can be read; if not, the one before stays."""
        with READING:
            others = sum(len(table.content) for table in _TABLES if table is not self.table)
            if others + len(content) > MOST_TOGETHER:
                self.problem = "Too many files are open here now; try again in a while."
                return False
            try:
                table = read_csv(content)
            except DataError as error:
                self.problem = str(error)
                return False
            _TABLES.add(table)
        self.table, self.problem = table, ""
        return True

    def choose(self, table: Table, make: Make, *, user: str, value: str, bins: int) -> None:
        """Make data of two columns; none if that fails: older ones are of other columns."""
        if self.made_from == (table, user, value, bins, make):
            return
        self.made_from = (table, user, value, bins, make)
        try:
            with READING:
                self.data = make(table, user, value, bins)
            self.problem = ""
        except (DataError, ParameterError) as error:
            self.data, self.problem = None, str(error)

    @property
    def columns(self) -> tuple[str, str]:
        """The columns of the users and of the values, as far as they are known."""
        if len(self.made_from) < 3:
            return "person", "answer"
        return str(self.made_from[1]), str(self.made_from[2])

    @property
    def refused(self) -> str:
        """Why there are no data of the columns chosen, or ""."""
        return self.problem if self.table is not None and self.data is None else ""
