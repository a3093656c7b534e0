"""What a screen on this machine says of the phones in its network."""

import socket
from contextlib import closing

import pytest
from starlette.requests import Request

from dpviz.results.folders import ROOT
from dpviz.serve import local_network
from dpviz.serve.rooms.senders import for_phones


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8501", "[::1]:8501", "a.localhost:80"])
def test_an_address_of_this_machine_alone(host):
    assert local_network.is_local(host)


@pytest.mark.parametrize("host", ["dp.example", "192.168.1.5:8501", "", "127.example", "[::1"])
def test_an_address_that_others_have(host):
    assert not local_network.is_local(host)


def test_a_link_for_a_class_has_the_address_that_its_phones_reach(monkeypatch):
    asked = []
    monkeypatch.setattr(local_network, "reached", lambda port: asked.append(port) or ["192.0.2.7"])
    local_network._reached_lately.cache_clear()
    here = "http://localhost:8501/exercises"
    assert local_network.for_others(here, 8501) == "http://192.0.2.7:8501/exercises"
    for other in ("https://dp.example/lectures", "http://localhost:22/", "http://localhost:x/", ""):
        assert local_network.for_others(other, 8501) == other
    assert asked == [8501]
    monkeypatch.setattr(local_network, "reached", lambda _: [])
    local_network._reached_lately.cache_clear()
    assert local_network.for_others(here, 8501) == here
    local_network._reached_lately.cache_clear()


def test_the_address_that_an_operator_names_stands_for_this_machine_alone(monkeypatch):
    monkeypatch.setattr(local_network, "reached", lambda _: ["192.0.2.7"])
    monkeypatch.setenv("DPVIZ_ADDRESS", "https://dp.example/dp/")
    here = "http://localhost:8501/exercises"
    assert local_network.for_others(here, 8501) == "https://dp.example/dp/exercises"
    assert (
        local_network.for_others("http://192.0.2.9/exercises", 8501) == "http://192.0.2.9/exercises"
    )


def test_a_container_gives_out_no_address_of_its_own(monkeypatch):
    monkeypatch.setenv("DPVIZ_CONTAINED", "1")
    assert local_network.own_addresses() == []
    assert "DPVIZ_CONTAINED=1" in (ROOT / "Dockerfile").read_text()


@pytest.mark.parametrize(
    ("host", "client", "named", "known"),
    [
        ("dp.example", "192.0.2.9", "https://other.example", "http://dp.example"),
        ("localhost:8501", "172.17.0.1", "http://192.168.1.5:8501", "http://192.168.1.5:8501"),
        ("localhost:8501", "172.17.0.1", "", ""),  # through a port that a container publishes
        ("localhost:8501", "127.0.0.1", "", "http://localhost:8501"),
    ],
)
def test_phones_get_no_address_that_is_a_container_s_alone(monkeypatch, host, client, named, known):
    monkeypatch.setenv("DPVIZ_ADDRESS", named)
    scope = {"type": "http", "scheme": "http", "client": (client, 1), "path": "/room/1"}
    request = Request(scope | {"headers": [(b"host", host.encode())]})
    assert for_phones(request) == known


def test_an_address_counts_where_something_answers(monkeypatch):
    assert not [
        a for a in local_network.own_addresses() if a.startswith(("127.", "0.", "169.254."))
    ]
    monkeypatch.setattr(local_network, "own_addresses", lambda: ["127.0.0.1"])
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
        assert local_network.reached(port) == ["127.0.0.1"]
    assert local_network.reached(port) == []
