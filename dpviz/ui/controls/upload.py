"""A reader's own CSV file: it is read in the session, and stays there.

The bytes are in Streamlit's memory for the session, what was read in the session state; both go
when the session ends. Nothing of it enters the URL, the results kept for all readers, or a file.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from dpviz.plot.text import plain
from dpviz.results.parameters import ParameterError
from dpviz.results.user_data import MOST_BYTES, DataError, Table, UserData, read_csv, user_data
from dpviz.scene.codec import Value
from dpviz.scene.page import View

_LABEL = "CSV file with a header: a column that says whose a row is, and one with values"
_MEGABYTES = MOST_BYTES // 2**20


@dataclass
class _Upload:
    """What one session has uploaded: the last file that could be read."""

    seen: str = ""
    table: Table | None = None
    problem: str = ""
    data: UserData | None = None
    made_of: tuple[object, ...] = ()


def own(view: View, values: Mapping[str, Value]) -> Mapping[str, UserData]:
    """Return the keyword by which the view takes the reader's data, if it asks for them."""
    if view.upload is None or not view.upload.applies(values):
        return {}
    data = _session().data
    return {} if data is None else {view.upload.keyword: data}


def draw(view: View, values: Mapping[str, Value]) -> None:
    """Draw the control of a view that asks for data: the file, and its two columns."""
    if view.upload is None or not view.upload.applies(values):
        return
    session = _session()
    number = st.session_state.get("uploads", 0)
    file = st.file_uploader(_LABEL, key=f"upload-{number}", max_upload_size=_MEGABYTES)
    if file is not None and file.file_id != session.seen:
        session.seen = file.file_id
        _read(session, file.getvalue())
    if session.table is not None:
        _choose(session, session.table, int(values[view.upload.bins]))
        st.button("Forget the file", key="forget", on_click=_forget, width="stretch")
    if session.problem:
        st.error(plain(session.problem))
    st.caption(
        f"At most {_MEGABYTES} MB and a million rows. The file stays in this session's memory; "
        "links do not carry it."
    )


def _session() -> _Upload:
    session: _Upload = st.session_state.setdefault("own", _Upload())
    return session


def _forget() -> None:
    """Drop the file and all that was made of it; the empty control is a new one."""
    st.session_state.pop("own", None)
    st.session_state.pop("guest", None)
    st.session_state["uploads"] = st.session_state.get("uploads", 0) + 1


def _read(session: _Upload, content: bytes) -> None:
    """Take a file; if it cannot be read, what was there before stays."""
    try:
        table = read_csv(content)
    except DataError as error:
        session.problem = str(error)
        return
    session.table, session.problem = table, ""
    for key in ("upload-user", "upload-value"):
        st.session_state.pop(key, None)


def _choose(session: _Upload, table: Table, bins: int) -> None:
    """Let the reader name the two columns, and make users' data of them."""
    user = st.selectbox("Whose a row is", table.names, key="upload-user")
    value = st.selectbox("The values", table.names, index=len(table.names) - 1, key="upload-value")
    if session.made_of == (table, user, value, bins):
        return
    session.made_of = (table, user, value, bins)
    try:
        session.data = user_data(table, user=user, value=value, bins=bins)
        session.problem = ""
    except (DataError, ParameterError) as error:
        session.problem = str(error)
