"""Small answers are not held back until the client has acknowledged the one before."""

import asyncio
import socket
from types import SimpleNamespace

import pytest
from streamlit.web.server.starlette.starlette_server import _bind_socket

from dpviz.serve.tcp_nodelay import LARGEST_MESSAGE, _prompt_protocol, prompt
from tests.support.loops import run


async def accepted_option(*, promptly: bool) -> int:
    """TCP_NODELAY of a connection accepted by the socket Streamlit listens on."""
    option: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    class FairSemaphore(asyncio.Protocol):
        def connection_made(self, transport):
            accepted = transport.get_extra_info("socket")
            option.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            transport.close()

    async def come() -> int:
        listener = _bind_socket("127.0.0.1", 0, 10)
        # Whoever comes while the server starts, as a proxy does, waits at the door.
        opening = asyncio.open_connection(*listener.getsockname())
        _, writer = await asyncio.wait_for(opening, 600)
        server = await asyncio.get_running_loop().create_server(FairSemaphore, sock=listener)
        try:
            return await asyncio.wait_for(option, 600)
        finally:
            writer.close()
            server.close()

    if not promptly:
        return await come()
    async with prompt(None):
        return await come()


def test_every_accepted_connection_sends_at_once():
    assert run(accepted_option(promptly=True)) == 1


def test_this_is_needed_as_long_as_streamlit_names_no_protocol():
    if run(accepted_option(promptly=False)):
        pytest.fail("Streamlit or Python sets the option now: dpviz.serve.tcp_nodelay can go")


def test_the_loop_listens_as_before_afterwards():
    async def listens():
        loop = asyncio.get_running_loop()
        before = loop.create_server
        async with prompt(None):
            assert loop.create_server is not before
        return loop.create_server == before

    assert run(listens())


def test_less_is_heard_over_a_websocket_than_is_said():
    config = SimpleNamespace(ws_max_size=20 * 2**20)
    _prompt_protocol(SimpleNamespace(config=config, app=None, connection_made=None))
    assert config.ws_max_size == LARGEST_MESSAGE
