"""Files on their way: how many at once, how long, and what stays of the ones before."""

import asyncio
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from dpviz.results.user_data import MOST_BYTES
from dpviz.serve.quotas import Capacity
from dpviz.serve.uploads import ROUTE, Uploads
from dpviz.ui import server
from tests.support.loops import run


class Slow:
    """Streamlit's own, as far as it matters: each file stays on its way until it is let in."""

    def __init__(self):
        self.here, self.most, self.let_in = 0, 0, asyncio.Event()

    async def serve(self, _):
        self.here += 1
        self.most = max(self.most, self.here)
        await self.let_in.wait()
        self.here -= 1
        return Response(status_code=204)


def put(site, session="s", method="PUT", network="192.0.2.1"):
    """Send a file; the coroutine returns the status."""
    scope = {
        "type": "http",
        "method": method,
        "path": f"{ROUTE}{session}/file",
        "raw_path": b"",
        "root_path": "",
        "query_string": b"",
        "headers": [],
        "client": (network, 1),
    }

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def status():
        sent = []

        async def send(message):
            sent.append(message)

        await site(scope, receive, send)
        return sent[0]["status"]

    return status()


def guarded(route, **options):
    options = {"has_room": lambda _: True, **options}
    return Uploads(
        Starlette(routes=[Route("/{rest:path}", route.serve, methods=["PUT", "DELETE"])]), **options
    )


def test_few_files_are_received_at_once_and_all_in_the_end():
    async def crowd():
        route = Slow()
        site = guarded(route, capacity=Capacity(2, 100, 1))
        files = [asyncio.create_task(put(site, network=f"192.0.2.{n}")) for n in range(7)]
        while route.here < 2:
            await asyncio.sleep(0)
        for _ in range(50):
            await asyncio.sleep(0)
        # What sends no file does not wait.
        deletion = asyncio.create_task(put(site, method="DELETE"))
        while route.here < 3:
            await asyncio.sleep(0)
        route.let_in.set()
        assert set(await asyncio.gather(deletion, *files)) == {204}
        return route.most

    assert run(crowd()) == 3


def test_files_of_one_network_that_never_end_leave_a_place_to_others():
    async def crowd():
        route = Slow()
        site = guarded(route)
        endless = [asyncio.create_task(put(site)) for _ in range(9)]
        for _ in range(50):
            await asyncio.sleep(0)
        assert route.here == 2
        other = asyncio.create_task(put(site, network="198.51.100.1"))
        for _ in range(50):
            await asyncio.sleep(0)
        assert route.here == 3
        route.let_in.set()
        assert set(await asyncio.gather(other, *endless)) == {204}

    run(crowd())


def test_where_too_many_files_wait_one_is_refused():
    async def crowd():
        route = Slow()
        site = guarded(route)
        files = [asyncio.create_task(put(site)) for _ in range(101)]
        for _ in range(50):
            await asyncio.sleep(0)
        route.let_in.set()
        found = await asyncio.gather(*files)
        assert sorted(found) == [204] * 100 + [503]

    run(crowd())


def test_a_file_that_never_ends_is_given_up():
    assert run(put(guarded(Slow(), seconds=0.01))) == 408


def test_without_room_a_file_is_refused():
    seen = []
    assert run(put(guarded(Slow(), has_room=seen.append), "me")) == 503
    assert seen == ["me"]


class Files:
    """Streamlit's store of files."""

    def __init__(self, **sizes):
        self.file_storage = {
            session: {str(n): SimpleNamespace(data=bytes(size)) for n, size in enumerate(sent)}
            for session, sent in sizes.items()
        }

    def remove_file(self, session, file):
        del self.file_storage[session][file]


@pytest.mark.parametrize(("others", "room"), [(4, True), (6, False)])
def test_a_session_keeps_one_file_and_all_together_a_few(monkeypatch, others, room):
    files = Files(me=[MOST_BYTES] * 3, they=[MOST_BYTES] * others)
    monkeypatch.setattr(server.inside, "files", lambda: files)
    [uploads] = [one for one in server.guards() if one.cls is Uploads]
    assert uploads.kwargs["has_room"]("me") is room
    assert not files.file_storage["me"]
    assert len(files.file_storage["they"]) == others
    assert uploads.kwargs["has_room"]("nobody") is room
    assert "nobody" not in files.file_storage
