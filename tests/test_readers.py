"""Whatever reads what strangers write asks for its length first, and is in the list of readers."""

import ast
import importlib
import json
import re
from contextlib import suppress

import pytest

from benchmarks.hostile.inputs import asks
from benchmarks.hostile.readers import OURS, READERS
from dpviz.results.folders import ROOT
from dpviz.scene.catalogue import GUIDES, HOME, PAGES
from dpviz.scene.codec import LONGEST_LINK
from dpviz.serve import figures, fonts, pictures, previews, reference, scripts, tiles
from dpviz.serve.rooms.asking import RoomError
from dpviz.serve.rooms.routes import Classrooms
from dpviz.serve.topics import Topics
from tests.hosting.tab import BackMsg
from tests.serve.asgi import SHELL
from tests.test_patterns import MODULES

TAKE_APART = {
    *("parse_qs", "parse_qsl", "urlsplit", "loads", "b64decode", "ParseFromString", "fromhex"),
}
LIMITED = {name: reader for name, reader in READERS.items() if reader.longest}


class Watched:
    """A pattern that is not to be given more than so many characters."""

    def __init__(self, pattern, longest):
        self._pattern, self._longest = pattern, longest

    def __getattr__(self, name):
        found = getattr(self._pattern, name)
        if not callable(found):
            return found

        def used(*words, **more):
            texts = [word for word in words if isinstance(word, str)]
            assert all(len(text) <= self._longest for text in texts), "read before its length"
            return found(*words, **more)

        return used


class Long(str):
    """A text whose characters are nobody's business before its length was asked for."""

    asked = False

    def __len__(self):
        self.asked = True
        return super().__len__()


def _guarded(name):
    def method(self, *words, **more):
        assert self.asked, f"{name} before its length was asked for"
        return getattr(str, name)(self, *words, **more)

    return method


for _name in ("strip", "replace", "partition", "split", "encode", "lower"):
    setattr(Long, _name, _guarded(_name))


@pytest.mark.parametrize("name", LIMITED)
def test_a_limit_comes_before_a_text_is_read(name, monkeypatch):
    reader = LIMITED[name]
    for module in {reader.module, "dpviz.results.numbers", "dpviz.plot.written"}:
        for kept, value in vars(importlib.import_module(module)).items():
            if isinstance(value, re.Pattern):
                monkeypatch.setattr(f"{module}.{kept}", Watched(value, reader.longest))
    for bad in reader.bad:
        with suppress(ValueError, RoomError):
            reader.read(Long(bad(3 * reader.longest)))


def test_no_reader_is_missing_from_the_list():
    reading = set()
    for module, file in MODULES.items():
        text = file.read_text(encoding="utf-8")
        calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        names = {getattr(func, "attr", getattr(func, "id", "")) for func in calls}
        if names & TAKE_APART or "import re\n" in text:
            reading.add(module)
    listed = {reader.module for reader in READERS.values()}
    assert reading - listed - OURS.keys() == set()
    assert not listed & OURS.keys()
    assert OURS.keys() <= MODULES.keys()


def said(text, kind="string_value", fields=1):
    message = BackMsg()
    message.rerun_script.query_string = text
    for number in range(fields):
        field = message.rerun_script.widget_states.widgets.add()
        field.id = str(number)
        setattr(field, kind, text)
    return message.SerializeToString()


@pytest.mark.parametrize("kind", ["string_value", "json_value", "json_trigger_value"])
def test_what_comes_over_a_websocket_keeps_to_the_limit_of_addresses(kind):
    from dpviz.ui import messages

    fits = said('"' + "é" * (LONGEST_LINK - 2) + '"', kind)
    assert BackMsg.FromString(messages.short(fits)) == BackMsg.FromString(fits)
    kept = BackMsg.FromString(messages.short(said("1" * 20_000, kind))).rerun_script
    assert kept.query_string == ""
    [field] = kept.widget_states.widgets
    assert len(getattr(field, kind)) <= LONGEST_LINK + 1
    assert field.id == "0"


def test_components_say_no_more_together_than_they_need():
    """Packed, five hundred texts full of brackets took 5 kB, and an eighth of a second to read."""
    from dpviz.ui import messages

    text = "[" + ",".join(["[]"] * 600) + "]"
    kept = BackMsg.FromString(messages.short(said(text, "json_value", fields=100)))
    read = [bool(state.json_value) for state in kept.rerun_script.widget_states.widgets]
    assert len(read) == 100
    assert read == sorted(read, reverse=True)
    assert sum(read) == 4 * LONGEST_LINK // len(text)


def test_what_a_browser_calls_a_part_of_a_page_is_a_mark_of_the_server():
    """Streamlit writes it into its log, line breaks and all."""
    from dpviz.ui import messages

    said, name = BackMsg(), "0123456789abcdef" * 2
    for given, kept in ((name, name), ("x\n2026 a line", ""), ("x" * 32, ""), ("", "")):
        said.rerun_script.fragment_id = said.rerun_script.page_script_hash = given
        heard = BackMsg.FromString(messages.short(said.SerializeToString())).rerun_script
        assert heard.fragment_id == heard.page_script_hash == kept


def test_a_message_that_is_too_large_is_none_and_what_is_none_goes_on():
    from dpviz.ui import messages

    assert messages.short(said("1" * messages.LARGEST_MESSAGE)) is None
    assert messages.short(said("1" * 20, fields=messages.MOST_FIELDS + 1)) is None
    assert messages.short(b"\xff" * 9000) == b"\xff" * 9000


def many(*path, count):
    """What a browser says whose message repeats something so often."""
    message = BackMsg()
    part = message
    for name in path[:-1]:
        part = getattr(part, name)
        part = part.add() if hasattr(part, "add") else part
    last = getattr(part, path[-1])
    for _ in range(count):
        last.add() if hasattr(last, "add") else last.append("")
    return message.SerializeToString()


WIDGET = ("rerun_script", "widget_states", "widgets")


@pytest.mark.parametrize(
    ("path", "most"),
    [
        (("file_urls_request", "file_names"), 200),
        (WIDGET, 500),
        ((*WIDGET, "string_array_value", "data"), 500),
        ((*WIDGET, "file_uploader_state_value", "uploaded_file_info"), 500),
        (("rerun_script", "cached_message_hashes"), 500),
    ],
)
def test_a_message_repeats_nothing_too_often(path, most):
    from dpviz.ui import messages

    fits = many(*path, count=most)
    assert messages.short(fits) == fits
    assert messages.short(many(*path, count=most + 1)) is None
    assert messages.short(many(*path, count=300_000)) is None


def test_lists_within_lists_count_together():
    from dpviz.ui import messages

    message = BackMsg()
    for number in range(30):
        field = message.rerun_script.widget_states.widgets.add()
        field.string_array_value.data.extend(["x"] * 40)
        assert (messages.short(message.SerializeToString()) is None) == (number >= 24)


def test_what_a_browser_tells_of_itself_is_no_longer_than_an_address():
    from dpviz.ui import messages

    message = BackMsg()
    message.rerun_script.page_name = "promise"
    message.rerun_script.context_info.url = "http://a/?" + "1" * 300_000
    kept = BackMsg.FromString(messages.short(message.SerializeToString())).rerun_script
    assert kept.page_name == "promise"
    assert kept.context_info.url == ""
    field = message.rerun_script.widget_states.widgets.add()
    field.string_array_value.data.append("1" * (LONGEST_LINK + 1))
    assert messages.short(message.SerializeToString()) is None


@pytest.mark.parametrize(
    "word",
    ["load_git_info", "clear_cache", "set_run_on_save", "debug_shutdown_runtime"],
)
def test_what_no_page_says_has_no_effect(word):
    from dpviz.ui import messages

    heard = BackMsg.FromString(messages.short(BackMsg(**{word: True}).SerializeToString()))
    assert heard.WhichOneof("type") == "app_heartbeat"


@pytest.mark.parametrize("kind", ["json_value", "json_trigger_value"])
@pytest.mark.parametrize("sent", ["[" * 900 + "]" * 900, "1" * 5000, "{", "", '{"end": 1}'])
def test_what_a_component_sends_can_be_read_or_is_left_out(sent, kind):
    from dpviz.ui import messages

    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id="a", **{kind: sent})
    heard = BackMsg.FromString(messages.short(message.SerializeToString()))
    [widget] = heard.rerun_script.widget_states.widgets
    assert widget.HasField(kind) is (sent == '{"end": 1}')


def test_an_operation_for_developers_has_no_effect():
    from dpviz.ui import messages

    said = BackMsg()
    for field in said.backend_operation_request.DESCRIPTOR.oneofs_by_name["payload"].fields:
        said.Clear()
        getattr(said.backend_operation_request, field.name).SetInParent()
        heard = BackMsg.FromString(messages.short(said.SerializeToString()))
        kept = field.name in ("deferred_file", "dataframe_chunk")
        assert heard.HasField("app_heartbeat") is not kept


def test_the_browser_has_the_same_limit():
    text = (ROOT / "dpviz" / "scripts" / "numbers.js").read_text(encoding="utf-8")
    assert f"LONGEST = {READERS['a number'].longest};" in text
    assert json.loads((ROOT / "tests" / "support" / "numbers.json").read_text(encoding="utf-8"))


# Files that are kept, and streams, which only wait.
CHEAP = ("/room/files/", "/scripts/", "/fonts/", "/tile/", "/room/{code}/events")


def test_the_loop_is_timed_at_every_route():
    topics, slugs = Topics(), {f"/{entry.slug}" for entry in (HOME, *PAGES, *GUIDES)}
    routes = [
        *figures.routes(topics),
        *pictures.routes(topics),
        *previews.routes(topics, SHELL),
        reference.route(),
        *scripts.routes(),
        *fonts.routes(),
        tiles.route(),
        *Classrooms(topics).routes(),
    ]
    paths = {"/{page}" if route.path in slugs else route.path for route in routes}
    asked = {ask.route for ask in asks("code", "secret", {})} - slugs
    assert {path for path in paths if not path.startswith(CHEAP)} == asked
