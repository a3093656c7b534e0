"""Page scripts and downloads take turns, at the account of the network that asks."""

import asyncio
import threading
from types import SimpleNamespace

from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.runtime import app_session

from dpviz.serve import workers
from dpviz.serve.clients import CLIENT, Client
from dpviz.serve.guard import Guard
from dpviz.serve.script_queue import ScriptQueue
from dpviz.serve.workers import Workers
from dpviz.ui import fairness
from tests.support.loops import run


def asked(network, make, number=1):
    """Press a download button, from a network."""
    CLIENT.set(Client(network))
    handler = app_session.DeferredFileHandler(lambda: SimpleNamespace(execute_deferred=make))
    request = BackendOperationRequest(request_id=str(number))
    request.deferred_file.file_id = network
    return handler.handle(request, "session")


def test_one_network_s_downloads_leave_a_thread_to_those_of_others():
    go, begun = threading.Event(), []

    def make(file):
        begun.append((file, threading.current_thread().name.partition("_")[0]))
        if file == "many":
            go.wait()
        return "/media/file"

    async def scene():
        many = [asyncio.create_task(asked("many", make, number)) for number in range(8)]
        while not begun:
            await asyncio.sleep(0.001)
        other = await asyncio.create_task(asked("other", make))
        assert other.deferred_file.url == "/media/file"
        assert begun == [("many", "files"), ("other", "files")]
        go.set()
        await asyncio.gather(*many)

    run(scene())


def test_a_download_too_many_is_refused_in_words(monkeypatch):
    monkeypatch.setattr(fairness, "FILES", Workers("files", 1, most=1))
    go = threading.Event()

    async def scene():
        made = [asyncio.create_task(asked("many", lambda _: go.wait() and "/a")) for _ in "ab"]
        done, _ = await asyncio.wait(made, return_when=asyncio.FIRST_COMPLETED)
        assert [one.result().error_msg for one in done] == [fairness.BUSY]
        go.set()
        await asyncio.gather(*made)

    run(scene())


def test_what_cannot_be_made_is_said_in_words_alone():
    def broken(_):
        raise ValueError("secret")

    answer = run(asked("one", broken))
    assert answer.error_msg
    assert "secret" not in answer.error_msg


def test_a_websocket_works_at_the_account_of_its_network():
    seen = []

    async def app(*_):
        seen.append(CLIENT.get().network_id)

    scope = {"type": "websocket", "path": "/", "query_string": b"", "headers": []}
    for address in ("10.0.0.1", "10.0.0.2"):
        run(Guard(app, content="")({**scope, "client": (address, 1)}, None, None))
    assert len({"", *seen}) == 3


def test_scripts_of_one_network_leave_a_place_to_others_and_few_run_at_once():
    turn, go = ScriptQueue(capacity=3, each=2), threading.Event()
    inside, changed = [], threading.Condition()

    def script(network, reader):
        with turn.taken(Client(network, reader)):
            with changed:
                inside.append(network)
                changed.notify_all()
            go.wait()

    threads = [threading.Thread(target=script, args=("many", str(n))) for n in range(6)]
    for thread in threads:
        thread.start()
    with changed:
        changed.wait_for(lambda: len(inside) == 2)
    other = threading.Thread(target=script, args=("other", ""))
    other.start()
    with changed:
        changed.wait_for(lambda: len(inside) == 3)
    assert inside == ["many", "many", "other"]
    go.set()
    for thread in (*threads, other):
        thread.join()
    assert len(inside) == 7


def test_a_script_that_waits_lets_others_run():
    turn, begun = ScriptQueue(capacity=1, each=1), threading.Event()

    def script():
        with turn.taken(Client("b")):
            begun.set()

    with turn.taken(Client("a")):
        other = threading.Thread(target=script)
        other.start()
        with turn.away():
            begun.wait()
    other.join()


def test_a_script_that_hangs_keeps_nobody_out():
    now = [0.0]
    turn = ScriptQueue(capacity=1, each=1, clock=lambda: now[0])
    with turn.taken(Client("a")):
        now[0] = 100.0
        begun = threading.Event()
        other = threading.Thread(target=lambda: turn.taken(Client("b")).__enter__() or begun.set())
        other.start()
        begun.wait()
        other.join()


def test_sessions_take_turns():
    assert app_session.ScriptRunner is fairness.FairRunner
    assert app_session.DeferredFileHandler is fairness.Downloads
    assert fairness.FILES is workers.FILES
