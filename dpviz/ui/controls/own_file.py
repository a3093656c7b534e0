"""A reader's own file, as far as it has been read. No Streamlit here."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakSet

from dpviz.results.csv_file import DataError, Table, read_csv, shown
from dpviz.results.parameters import ParameterError
from dpviz.results.user_data import user_column
from dpviz.scene.view import Upload

MOST_TOGETHER = 256 * 2**20  # bytes of all readers' files
READING = threading.Lock()  # one at a time: who reads a million rows holds up nobody's figures
_TABLES: WeakSet[Table] = WeakSet()


@dataclass
class OwnFile:
    """The last file that could be read, and the data made of two of its columns.

    seen: the last file that was tried; unread: why it could not be read, or "". table: the last one
    that could, and its name. user: the column that may say whose a row is; passed: those before it,
    which do not. refused: why there are no data of the columns chosen, or "".
    made_from: what `data` were made of, and how; said: what there is to say of them.
    """

    seen: str = ""
    unread: str = ""
    table: Table | None = None
    name: str = ""
    user: str = ""
    passed: tuple[str, ...] = ()
    refused: str = ""
    data: object | None = None
    made_from: tuple[object, ...] = ()
    data_remarks: Sequence[str] = ()

    def read(self, content: bytes, name: str) -> bool:
        """Take a file and return whether it can be read; if not, the one before stays."""
        with READING:
            others = sum(len(table.content) for table in _TABLES if table is not self.table)
            if others + len(content) > MOST_TOGETHER:
                self.unread = "Too many files are open here now; try again in a while."
                return False
            try:
                table = read_csv(content)
            except DataError as error:
                self.unread = str(error)
                return False
            _TABLES.add(table)
            self.user, self.passed = user_column(table)
        self.table, self.name, self.unread = table, name, ""
        return True

    def choose(self, table: Table, upload: Upload, *, user: str, value: str, bins: int) -> bool:
        """Make data of two columns; none if that fails: older ones are of other columns.

        Return whether they are others than before.
        """
        # What makes the data is known by its code: every run of a page declares its functions anew.
        made_from = (table, user, value, bins, upload.code)
        if self.made_from == made_from:
            return False
        self.made_from = made_from
        try:
            with READING:
                self.data = upload.make(table, user, value, bins)
            self.refused, self.data_remarks = "", upload.remarks(self.data)
        except (DataError, ParameterError) as error:
            self.data, self.refused, self.data_remarks = None, str(error), ()
        return True

    @property
    def columns(self) -> tuple[str, str]:
        """The columns of the users and of the values, as far as they are known."""
        if len(self.made_from) < 3:
            return "person", "answer"
        return str(self.made_from[1]), str(self.made_from[2])

    @property
    def problems(self) -> list[str]:
        """What is wrong with the last file, and with the columns of the one that is used."""
        unread = self.unread
        if unread and self.table is not None:
            unread = f"{unread.rstrip('.')}. Still using the file before, {shown(self.name)}."
        return [problem for problem in (unread, self.refused) if problem]

    @property
    def remarks(self) -> list[str]:
        """What a reader might not expect of how the file was read, in sentences."""
        found = [*(self.table.remarks if self.table else ())]
        if self.passed and self.columns[0] == self.user:
            named = " and ".join(map(shown, self.passed[:3]))
            found.append(
                f"{shown(self.user)} is taken for the user: in {named} no value occurs twice."
            )
        return [*found, *self.data_remarks]
