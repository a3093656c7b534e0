"""What comes over a WebSocket, without a network."""

import asyncio
import zlib
from random import Random

from streamlit.web.server.starlette.starlette_server import _get_websocket_protocol
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from dpviz.serve.tcp_nodelay import LARGEST_MESSAGE, _prompt_protocol
from dpviz.serve.websocket_frames import AT_ONCE, PIECE, LittleByLittle
from tests.support.loops import run

_OPENING = (
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover; "
    b"client_max_window_bits\r\n\r\n"
)
_PING, _PONG, _BINARY, _MORE = 9, 10, 2, 0


class Line:
    """A transport that goes nowhere."""

    def __init__(self):
        self.written, self.aborted, self.reading = [], False, True

    def get_extra_info(self, *_):
        return None

    def write(self, data):
        self.written.append(data)

    def is_closing(self):
        return self.aborted

    def abort(self):
        self.aborted = True

    close = abort

    def pause_reading(self):
        self.reading = False

    def resume_reading(self):
        self.reading = True


def frame(kind, content=b"", *, packed=False, last=True):
    first = bytes([kind | 128 * last | 64 * packed, 128 + min(len(content), 126)])
    length = len(content).to_bytes(2, "big") if len(content) > 125 else b""
    return first + length + bytes(4) + content


def packed(content):
    packer = zlib.compressobj(9, zlib.DEFLATED, -12)
    return (packer.compress(content) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]


def settings(app):
    config = Config(app, ws=_get_websocket_protocol(), ws_max_size=LARGEST_MESSAGE)
    config.load()
    return config


async def opened(app):
    """A line on which somebody has just been let in."""
    protocol = LittleByLittle(
        config=settings(app), server_state=ServerState(), app_state={}, clock=lambda: 7.0
    )
    line = Line()
    protocol.connection_made(line)
    protocol.data_received(_OPENING)
    while not line.written:
        await asyncio.sleep(0)
    return protocol, line


def heard(count):
    """An application that hears so much, when it is told to; and what it has heard."""
    said, go = [], asyncio.Event()

    async def app(_, receive, send):
        await receive()
        await send({"type": "websocket.accept"})
        await go.wait()
        while len(said) < count:
            said.append((await receive())["bytes"])
        await asyncio.Event().wait()

    return app, said, go


def test_this_is_what_streamlit_has_read_websockets():
    config = settings(None)
    protocol = H11Protocol(config=config, server_state=ServerState(), app_state={}, _loop=object())
    assert _prompt_protocol(protocol).ws_protocol_class is LittleByLittle


def test_who_sends_more_frames_than_a_page_loses_the_line():
    async def end(piece):
        app, _, _ = heard(0)
        protocol, line = await opened(app)
        protocol.data_received(piece * AT_ONCE)
        assert not line.aborted
        line.written.clear()
        protocol.data_received(piece * 40_000)
        assert line.aborted
        assert len(line.written) <= PIECE / len(piece) + 1
        for task in protocol.tasks:
            task.cancel()

    run(end(frame(_PING)))
    run(end(frame(_PONG)))


def test_parts_of_a_message_count_as_well():
    async def end():
        app, _, _ = heard(0)
        protocol, line = await opened(app)
        protocol.data_received(frame(_BINARY, last=False))
        protocol.data_received(frame(_MORE, last=False) * AT_ONCE)
        assert not line.aborted
        protocol.data_received(frame(_MORE, last=False) * AT_ONCE)
        assert line.aborted
        for task in protocol.tasks:
            task.cancel()

    run(end())


def test_nothing_more_is_unpacked_before_a_message_has_been_heard():
    async def end():
        app, said, go = heard(30)
        protocol, line = await opened(app)
        texts = [bytes(300_000) + Random(number).randbytes(600) for number in range(30)]
        protocol.data_received(b"".join(frame(_BINARY, packed(t), packed=True) for t in texts))
        assert protocol.queue.qsize() <= 2
        assert not line.reading
        go.set()
        while len(said) < 30:
            await asyncio.sleep(0)
            assert protocol.queue.qsize() <= 2
        assert said == texts
        assert line.reading
        for task in protocol.tasks:
            task.cancel()

    run(end())
