"""A reader's own CSV file: it is read in the session, and stays there.

Streamlit's memory holds the bytes until they are read, `dpviz.ui.session` from then on, until the
session ends. Nothing of it enters the URL, the results kept for all readers, or a file.
"""

from collections.abc import Mapping

import streamlit as st

from dpviz.plot.text import plain
from dpviz.results.csv_file import MOST_BYTES
from dpviz.scene.scene import Scene
from dpviz.ui import server
from dpviz.ui.session import session

_MEGABYTES = MOST_BYTES // 2**20
_COLUMNS = ("upload-user", "upload-value")


def own(scene: Scene) -> Mapping[str, object]:
    """Return the keyword by which the view takes the reader's data, if it asks for them."""
    data = session().file.data
    return {} if scene.upload is None or data is None else {scene.upload.keyword: data}


def refused(scene: Scene) -> str:
    """Return why a view that asks for the reader's data gets none of a file it was given, or ""."""
    return "" if scene.upload is None else session().file.refused


def draw(scene: Scene) -> None:
    """Draw the control of a view that asks for data: the file, and its two columns.

    What was lowered to the most that other data allow is given back to data that are new.
    """
    upload = scene.upload
    if upload is None:
        return
    own, key = session().file, f"upload-{session().files}"
    file = st.file_uploader(upload.label, key=key, max_upload_size=_MEGABYTES)
    if file is not None and file.file_id != own.seen:
        own.seen = file.file_id
        if own.read(file.getvalue(), file.name):
            for column in _COLUMNS:
                st.session_state.pop(column, None)
        server.forget_upload(file.file_id)
    if own.table is not None:
        names = own.table.names
        users = [upload.alone, *names] if upload.alone else list(names)
        for key, offered in zip(_COLUMNS, (users, names), strict=True):
            if st.session_state.get(key) not in (None, *offered):  # chosen on another page
                st.session_state.pop(key)
        first = 0 if upload.alone else users.index(own.user)
        user = st.selectbox(upload.questions[0], users, index=first, key=_COLUMNS[0])
        value = st.selectbox(upload.questions[1], names, index=len(names) - 1, key=_COLUMNS[1])
        bins = upload.categories(scene.values)
        if own.choose(own.table, upload, user=user, value=value, bins=bins):
            session().give_back()
        # A forgotten file leaves an empty control: a new one.
        st.button("Forget the file", key="forget", on_click=session().forget_file, width="stretch")
    for problem in own.problems:
        st.error(plain(problem))
    if remarks := own.remarks:
        st.info("  \n".join(map(plain, remarks)))
    st.caption(
        f"At most {_MEGABYTES} MB and a million rows. The file stays in this session's memory; "
        "links do not carry it. Which columns are used and which categories there are is read from "
        "all rows, the private ones too, and costs no ε here: a release would fix them beforehand."
    )
