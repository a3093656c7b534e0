"""What a screen on this machine says of the phones in its network."""

import socket
from contextlib import closing

import pytest

from dpviz.serve import nearby


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8501", "[::1]:8501", "a.localhost:80"])
def test_an_address_of_this_machine_alone(host):
    assert nearby.is_local(host)


@pytest.mark.parametrize("host", ["dp.example", "192.168.1.5:8501", "", "127.example", "[::1"])
def test_an_address_that_others_have(host):
    assert not nearby.is_local(host)


def test_an_address_counts_where_something_answers(monkeypatch):
    assert not [a for a in nearby.own_addresses() if a.startswith(("127.", "0.", "169.254."))]
    monkeypatch.setattr(nearby, "own_addresses", lambda: ["127.0.0.1"])
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
        assert nearby.reached(port) == ["127.0.0.1"]
    assert nearby.reached(port) == []
