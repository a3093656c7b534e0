"""A reader's own file: read, refused with a message, and seen by nobody else."""

import csv
import gc
import io
from dataclasses import replace
from weakref import WeakSet, ref

import numpy as np
import pytest
from starlette.formparsers import MultiPartParser
from starlette.requests import Request
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.testing.v1 import AppTest

from dpviz.results.folders import ROOT
from dpviz.results.user_data import MOST_BYTES, UserData, read_csv
from dpviz.scene.catalogue import entry
from dpviz.scene.page import csv_text
from dpviz.scene.scene import Scene, snippet
from dpviz.serve.computing import RESULTS
from dpviz.topics.public_data.real.data_sets import ALONE
from dpviz.ui import frame, server
from dpviz.ui.controls import own_file
from dpviz.ui.controls.own_file import OwnFile
from dpviz.ui.session import Session
from tests.hosting.tab import played
from tests.support.declarations import last, page
from tests.ui.figures import figure
from tests.ui.opening import unfold

GOOD = "person,answer\n" + "\n".join(f"p{i % 40},{'yes' if i % 4 else 'no'}" for i in range(200))
OTHER = GOOD.replace("yes", "tea").replace("no", "milk")
PAGE = page("clipping")


def reader():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=900)
    app.switch_page(entry("clipping").path)
    for key, text in {"view": "real", "data": "own", "threshold": "2"}.items():
        app.query_params[key] = text
    return app.run()


def upload(app, content, name="mine.csv"):
    app.file_uploader[0].upload(name, content.encode() if isinstance(content, str) else content)
    return app.run()


def sentence(app):
    """The sentence above the figure, if there is a figure."""
    last = figure(app).last
    return [last["alt"]] if "alt" in last else []


def waits(app):
    """What stands in place of the figure, "" where that stands."""
    return figure(app).last.get("problem", "")


def test_without_a_file_the_page_says_what_it_waits_for():
    app = reader()
    read = "read from all rows, the private ones too"
    assert any(read in caption.value for caption in app.caption)
    assert waits(app) == "Nothing is shown until a file is uploaded: choose one, or other data."
    assert not app.error


def test_a_file_is_read_and_its_columns_can_be_chosen():
    app = upload(reader(), GOOD)
    assert not waits(app)
    assert not app.error
    assert len(sentence(app)) == 1
    assert [app.selectbox(key=f"upload-{name}").value for name in ("user", "value")] == [
        "person",
        "answer",
    ]
    assert app.session_state["dpviz"].file.data.categories == ("no", "yes")
    app.selectbox(key="upload-user").select("answer").run()
    assert "Column “answer”: the users and the values are the same column" in unescaped(app)
    app.selectbox(key="upload-value").select("person").run()
    assert "column “person”" in unescaped(app)
    assert not sentence(app)
    app.selectbox(key="upload-user").select("person").run()
    app.selectbox(key="upload-value").select("answer").run()
    assert len(sentence(app)) == 1


def unescaped(app):
    [problem] = [error.value for error in app.error]
    return problem.replace("\\", "")


BAD = {
    "empty": b"",
    "binary": b"person,answer\n\x00\x01",
    "Latin-1": "person,answer\na,grün\n".encode("latin-1"),
    "headless": b"1,2\n3,4\n",
    "ragged": b"person,answer\na\n",
    "duplicate columns": b"person,person\na,b\n",
    "markup": b"person,[x](javascript:alert(1)),**b**\n<img src=x onerror=alert(1)>\n",
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_a_bad_file_leaves_the_page_as_it_was(content):
    app = upload(reader(), GOOD)
    before = sentence(app)
    app = upload(app, content, name="bad.csv")
    assert unescaped(app).endswith(". Still using the file before, “mine.csv”.")
    assert not app.exception
    assert sentence(app) == before
    app = upload(app, OTHER, name="better.csv")
    assert not app.error
    assert app.session_state["dpviz"].file.data.categories == ("milk", "tea")


@pytest.mark.parametrize(
    "content",
    ["person,answer\na,1\na,2\n", "person,answer\na,x\nb,\n", "person,answer\na,x\nb,x\n"],
    ids=["one user", "missing", "one value"],
)
def test_of_bad_columns_no_figure_stands_and_its_place_says_why(content):
    app = upload(reader(), GOOD)
    assert sentence(app)
    app = upload(app, content)
    assert not sentence(app)
    assert waits(app) == unescaped(app)
    assert sentence(upload(app, OTHER))


def held(counts, *, counted=False):
    """A file with so many rows of each person; counted: below a number of their own."""
    rows = [f"p{i},{'yn'[(i + row) % 2]}" for i, many in enumerate(counts) for row in range(many)]
    if counted:
        return "\n".join(["record,person,answer", *(f"{n},{row}" for n, row in enumerate(rows))])
    return "\n".join(["person,answer", *rows])


KEYS = ("examples_per_user", "threshold")


def limits(app):
    """What m and τ are, and how far they go."""
    tab = app.session_state["dpviz"]
    scene = replace(Scene.opened(PAGE, tab.values), own={"own": tab.file.data})
    return [(tab.values[key], scene.most[key]) for key in KEYS]


def noted(app):
    return [text for one in app.info if "can be used here" in (text := one.value)]


def test_a_limit_of_a_file_or_a_column_does_not_outlive_it():
    app = upload(reader(), held([20] * 20, counted=True))
    assert app.selectbox(key="upload-user").value == "person"
    assert "“person” is taken for the user: in “record” no value occurs twice" in told(app)
    assert limits(app) == [(8, 20), (2.0, 8)]
    app.selectbox(key="upload-user").select("record").run()
    assert limits(app) == [(1, 1), (1.0, 1)]
    assert noted(app)
    assert "No user occurs twice: each holds one row" in told(app)
    app.selectbox(key="upload-user").select("person").run()
    assert limits(app) == [(8, 20), (2.0, 8)]
    assert not noted(app)
    app = upload(app, held([1, 2, 1] * 10), name="few.csv")
    assert limits(app) == [(2, 2), (2.0, 2)]
    assert "8 is more than can be used here; using 2, the most." in noted(app)[0]
    app = upload(app, held([20] * 20), name="many.csv")
    assert limits(app) == [(8, 20), (2.0, 8)]
    assert not noted(app)
    app = upload(app, held([1] * 30), name="one.csv")
    assert limits(app) == [(1, 1), (1.0, 1)]
    app.button(key="forget").click().run()
    assert [app.session_state["dpviz"].values[key] for key in KEYS] == [8, 2.0]
    assert not noted(app)


def test_a_limit_of_a_view_does_not_outlive_it(monkeypatch):
    tab = Session(values=PAGE.usual("real"))
    monkeypatch.setattr(frame, "session", lambda: tab)
    tab.fall_back({"examples_per_user": 1, "threshold": 1.0}, ["m: one row each."])
    assert (tab.values["examples_per_user"], tab.notes) == (1, ("m: one row each.",))
    values = frame._turning(PAGE).values
    assert values | PAGE.turned(values, "user") == PAGE.usual("user")


def test_what_was_not_expected_of_a_file_is_said_beside_its_columns():
    app = upload(reader(), ",person,answer\n0,a,yes\n1,b,\n2,a,no\n3,b,.\n4,b,no\n")
    assert "Column 1 has no name and is left out." in told(app)
    assert "2 of 5 rows lack the user or the value and are left out." in told(app)
    app = upload(reader(), "person;answer\na;0,5\nb;1,5\na;1,5\nb;0,5\n")
    assert "Commas are read as decimal points: 0,5 is 0.5." in told(app)


def told(app):
    return " ".join(one.value for one in app.info).replace("\\", "")


def test_no_second_session_sees_a_file():
    first = upload(reader(), GOOD)
    second = reader()
    assert not sentence(second)
    assert waits(second)
    second = upload(second, OTHER)
    assert first.run().session_state["dpviz"].file.data.categories == ("no", "yes")
    assert second.session_state["dpviz"].file.data.categories == ("milk", "tea")


def test_nothing_of_a_file_is_kept_for_all_readers():
    before = set(RESULTS._kept)
    assert sentence(upload(reader(), GOOD))
    for state, result in RESULTS._kept.values():
        assert not any(isinstance(part, UserData) for part in state)
        assert getattr(result, "data", None) is None or result.data.name != "answer"
        assert "own" not in state or state in before


def test_nothing_of_a_file_is_in_the_address():
    app = upload(reader(), GOOD)
    assert not any(
        word in str(value)
        for value in app.query_params.values()
        for word in ("person", "answer", "yes", "mine")
    )


def test_a_file_can_be_forgotten():
    app = upload(reader(), GOOD)
    app.button(key="forget").click().run()
    assert waits(app)
    assert not sentence(app)
    assert app.session_state["dpviz"].file.table is None
    assert len(sentence(upload(app, OTHER))) == 1


def test_what_was_read_is_dropped_and_stays_readable(monkeypatch):
    dropped = []
    monkeypatch.setattr(
        MemoryUploadedFileManager, "remove_file", lambda _, *file: dropped.append(file)
    )
    app = upload(reader(), GOOD)
    assert len(dropped) == 1
    app.selectbox(key="upload-user").select("answer").run()
    app.selectbox(key="upload-value").select("person").run()
    assert "different value" in waits(app)
    app.selectbox(key="upload-user").select("person").run()
    app.selectbox(key="upload-value").select("answer").run()
    assert len(sentence(app)) == 1
    assert len(dropped) == 1


def test_files_are_read_one_at_a_time_and_all_together_have_a_limit(monkeypatch):
    locked = []

    def read(content):
        locked.append(own_file.READING.locked())
        return read_csv(content)

    monkeypatch.setattr(own_file, "read_csv", read)
    monkeypatch.setattr(own_file, "_TABLES", WeakSet())
    first, second = OwnFile(), OwnFile()
    assert first.read(GOOD.encode(), "good.csv")
    monkeypatch.setattr(own_file, "MOST_TOGETHER", 2 * len(GOOD) - 1)
    assert not second.read(GOOD.encode(), "good.csv")
    assert "Too many files" in second.unread
    assert first.read(GOOD.encode(), "good.csv")  # in place of the one before
    first.table = None
    gc.collect()
    assert second.read(GOOD.encode(), "good.csv")
    assert locked == [True] * 3


def test_a_forgotten_file_leaves_nothing_behind():
    tab = Session()
    tab.file.read(GOOD.encode(), "good.csv")
    asked = next(view.upload for view in PAGE.views if view.upload)
    tab.file.choose(tab.file.table, asked, user="person", value="answer", bins=4)
    tab.grant.own = {"own": tab.file.data}
    table, data = ref(tab.file.table), ref(tab.file.data)
    tab.forget_file()
    gc.collect()
    assert table() is None
    assert data() is None


def test_the_snippet_runs_as_shown_on_the_readers_file_and_columns(tmp_path, monkeypatch):
    panel = (ROOT / "assets" / "data" / "wage_panel.csv").read_text("utf-8")
    app = upload(reader(), panel)
    app.selectbox(key="upload-value").select("married").run()
    own = app.session_state["dpviz"].file
    values = {p.key: p.default for p in PAGE.url_parameters} | {"view": "real", "data": "own"}
    scene = Scene.opened(PAGE, values)
    (tmp_path / "file.csv").write_text(panel, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    namespace: dict = {}
    exec(snippet(scene, own.columns), namespace)
    assert namespace["result"].data.name == "married"
    np.testing.assert_array_equal(namespace["result"].data.value, own.data.value)
    assert "user_data" not in snippet(Scene.opened(PAGE, values | {"data": "union"}))


def test_beside_the_link_stands_that_the_file_is_not_in_it():
    app = upload(reader(), GOOD)
    unfold(app, "Share")
    app.run()
    assert any("does not carry your file" in caption.value for caption in app.caption)


# No file on disk.


def parsed(size):
    """A multipart body as the server gets it; whether it went to disk, and what it held."""
    content = b"x" * size
    body = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        + content
        + b"\r\n--b--\r\n"
    )
    scope = {
        "type": "http",
        "method": "PUT",
        "headers": [(b"content-type", b"multipart/form-data; boundary=b")],
    }
    pieces = [body[i : i + 2**16] for i in range(0, len(body), 2**16)]

    async def receive():
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def parse():
        async with Request(scope, receive).form() as form:
            file = form["file"]
            return file.file._rolled, len(await file.read())

    return played(parse())


def test_the_largest_upload_stays_in_memory():
    server.prepare()
    assert parsed(MOST_BYTES) == (False, MOST_BYTES)


def test_the_check_would_notice_a_file_on_disk(monkeypatch):
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 2**20)
    assert parsed(MOST_BYTES) == (True, MOST_BYTES)


# Exports.


def test_exports_hold_no_formulas():
    texts = ["=1+1", "+x", "-y", "@SUM(A1)", "\tz", "plain", "'quoted", "a=b"]
    columns = {"=evil": np.array(texts), "number": np.array([-1.5, 2.0, -0.0, 1, 1, 1, 1, 1])}
    rows = list(csv.reader(io.StringIO(csv_text(columns))))
    assert rows[0] == ["'=evil", "number"]
    for (cell, number), text, value in zip(rows[1:], texts, columns["number"], strict=True):
        assert cell[0] not in "=+-@\t"
        assert cell.removeprefix("'") == text.removeprefix("'")
        assert float(number) == value
    assert rows[1][1] == "-1.5"


def test_every_export_of_the_page_is_free_of_formulas():
    for key in ("user", "selected", "threshold", "real"):
        table = csv_text(last(PAGE, key).columns())
        for row in csv.reader(io.StringIO(table)):
            for cell in row:
                assert cell[:1] not in ("=", "+", "@")
                if cell.startswith("-"):
                    float(cell)


ROWS = "".join(f"p{i % 30},{i % 7},{i % 11},{'yn'[i % 7 > 3]}\n" for i in range(60))
ILL = "who,a,b,ill\n" + ROWS


def learner():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=900)
    app.switch_page(entry("public_data").path)
    for key, text in {"view": "real", "data_set": "own", "runs": "1"}.items():
        app.query_params[key] = text
    return app.run()


def test_another_page_makes_other_data_of_a_file_and_rows_may_stand_for_themselves():
    declared = page("public_data")
    app = upload(learner(), ILL)
    own = app.session_state["dpviz"].file
    assert app.selectbox(key="upload-user").value == ALONE
    assert (own.data.unit_count, own.data.features.shape) == (60, (60, 3 - 1 + 0))
    assert not app.error
    assert sentence(app)
    values = {p.key: p.default for p in declared.url_parameters}
    scene = Scene.opened(declared, values | {"view": "real", "data_set": "own", "runs": 1})
    assert "label='ill'" in snippet(scene, own.columns)
    app.selectbox(key="upload-user").select("who").run()
    assert "30 units, and at least 40 are needed" in unescaped(app)


def test_data_are_made_once_though_every_run_declares_the_page_anew():
    app = upload(learner(), ILL)
    own = app.session_state["dpviz"].file
    data = own.data
    upload(app, b"\x89PNG\x00", name="photo.png")
    assert "zero byte" in unescaped(app)
    assert own.data is data
    assert not app.run().exception
    assert own.data is data
    upload(app, "a,b,ill\n" + "".join(f"{i},1,{i % 7}\n" for i in range(60)), name="seven.csv")
    assert "7 different values" in unescaped(app)
    upload(app, b"", name="empty.csv")
    empty, seven = (error.value.replace("\\", "") for error in app.error)
    assert empty == "The file is empty. Still using the file before, “seven.csv”."
    assert "7 different values" in seven
    assert waits(app) == seven


def test_the_snippet_of_public_data_runs_as_shown(tmp_path, monkeypatch):
    rows = "".join(f"{i % 7},{i % 11},{'yn'[i % 7 > 3]}\n" for i in range(60))
    (tmp_path / "file.csv").write_text("a,b,ill\n" + rows, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    declared, namespace = page("public_data"), {}
    values = {p.key: p.default for p in declared.url_parameters}
    scene = Scene.opened(declared, values | {"view": "real", "data_set": "own", "runs": 1})
    exec(snippet(scene, (ALONE, "ill")), namespace)
    assert namespace["result"].samples == 30
