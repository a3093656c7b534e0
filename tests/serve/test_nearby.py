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


def test_a_link_for_a_class_has_the_address_that_its_phones_reach(monkeypatch):
    asked = []
    monkeypatch.setattr(nearby, "reached", lambda port: asked.append(port) or ["192.0.2.7"])
    nearby._reached_lately.cache_clear()
    here = "http://localhost:8501/exercises"
    assert nearby.for_others(here, 8501) == "http://192.0.2.7:8501/exercises"
    for other in ("https://dp.example/lectures", "http://localhost:22/", "http://localhost:x/", ""):
        assert nearby.for_others(other, 8501) == other
    assert asked == [8501]
    monkeypatch.setattr(nearby, "reached", lambda _: [])
    nearby._reached_lately.cache_clear()
    assert nearby.for_others(here, 8501) == here
    nearby._reached_lately.cache_clear()


def test_an_address_counts_where_something_answers(monkeypatch):
    assert not [a for a in nearby.own_addresses() if a.startswith(("127.", "0.", "169.254."))]
    monkeypatch.setattr(nearby, "own_addresses", lambda: ["127.0.0.1"])
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
        assert nearby.reached(port) == ["127.0.0.1"]
    assert nearby.reached(port) == []
