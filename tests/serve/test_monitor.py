"""What a server tells those who run it."""

import asyncio
import json
import logging
import socket

from dpviz.serve import monitor
from dpviz.serve.monitor import Lately, Monitor
from tests.support.loops import run
from tests.support.ports import own_ports


def test_only_the_last_minute_counts():
    now = 0.0
    lately = Lately(lambda: now)
    assert lately.numbers() == {"count": 0, "p50": None, "p95": None}
    lately.note(100.0)
    now = 50.0
    for seconds in range(1, 21):
        lately.note(seconds)
    now = 100.0
    assert lately.numbers() == {"count": 20, "p50": 10, "p95": 19}


def test_numbers_are_told_on_a_port_and_in_the_log_when_something_goes_on(monkeypatch, caplog):
    monkeypatch.setattr(monitor, "_MINUTE", 0.01)
    port = own_ports()
    busy = {"readers": 0}

    async def asked():
        async with Monitor({"readers": lambda: busy["readers"]}).listening(str(port)):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.0\r\n\r\n")
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            writer.close()
            while busy["readers"] < 3:
                busy["readers"] += 1
                before = len(caplog.records)
                while len(caplog.records) == before:
                    await asyncio.sleep(0.01)
            return head, json.loads(body)

    with caplog.at_level(logging.INFO, logger=monitor.__name__):
        head, numbers = run(asked())
    assert head.startswith(b"HTTP/1.1 200 OK")
    assert numbers["readers"] == 0
    assert numbers["memory_mb"] > 10
    said = [json.loads(record.getMessage())["readers"] for record in caplog.records]
    assert said[-3:] == [1, 2, 3]
    assert len(said) == len(set(said))  # nothing where nothing has changed


def test_a_port_that_is_taken_stops_nobody(caplog):
    async def begin(port):
        async with Monitor({}).listening(port):
            return True

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert run(begin(str(other.getsockname()[1])))
    assert run(begin("8502x"))
    assert len(caplog.records) == 2
