"""What is said before a class of what is missing, and what digests are written where."""

import json
import re
import socket
import subprocess

import pytest

from dpviz.results.folders import ROOT
from hosting import __main__ as starting
from hosting import checking, digests
from tests.support.ports import own_ports
from tests.support.valkey import server


def found(port=0, address="127.0.0.1", replicas=2, **surroundings):
    known = checking.findings(address, port or own_ports(5), replicas, surroundings)
    return {finding.what: finding for finding in known}


def test_what_is_there_is_in_order():
    said = found(address="0.0.0.0", DPVIZ_COOKIE_KEY="secret")
    assert not [str(f) for f in said.values() if f.ok is False and f.what != "descriptors"]
    assert re.search(r"http://[\d.]+:\d+$", said["address"].words)
    assert said["Chromium"].ok is None


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(checking.shutil, "which", lambda _: None)
    monkeypatch.setattr(checking, "_free", lambda: 300)
    said = found(DPVIZ_PROXIES="proxy.example", DPVIZ_ROOMS="redis://127.0.0.1:1/0")
    missing = {what for what, finding in said.items() if finding.ok is False}
    assert missing >= {"caddy", "brotli", "memory", "proxies", "rooms"}
    assert "apt-get install caddy" in said["caddy"].words
    assert "secret" not in str(found(DPVIZ_ROOMS="redis://u:secret@127.0.0.1:1/0")["rooms"])


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"port": 99999}, "--port"),
        ({"port": 65534}, "--port"),
        ({"port": -1}, "--port"),
        ({"replicas": 0}, "--replicas"),
        ({"replicas": -1}, "--replicas"),
        ({"replicas": 40_000}, "--replicas"),
        ({"address": "no address"}, "--address"),
        ({"address": "192.0.2.1"}, "--address"),
        ({"address": "999.1.1.1"}, "--address"),
        ({"address": "224.0.0.1"}, "--address"),
    ],
)
def test_options_that_nothing_starts_with_are_named(options, named):
    said = found(**options)["options"]
    assert (said.ok, said.words.startswith(named)) == (False, True)


@pytest.mark.parametrize("secret", ['pa"s {$HOME}', "`", "line\nline", "x" * 201, "\udcff"])
def test_the_proxy_can_take_any_secret(secret, monkeypatch):
    monkeypatch.setattr(starting, "compress", lambda _: None)
    monkeypatch.setenv("DPVIZ_COOKIE_KEY", secret)
    known = starting._surroundings("127.0.0.1", 8080, range(8081, 8083))
    assert re.fullmatch("[0-9a-f]{64}", known["DPVIZ_COOKIE_KEY"])
    text = (ROOT / "Dockerfile").read_text()
    [said] = re.findall(r'^CMD \["sh", "-c", (.*?)\]$', text, re.MULTILINE | re.DOTALL)
    command = json.loads(said.replace("\\\n", "")).partition("; exec")[0]
    shell = ["sh", "-c", f'{command}; printf %s "$DPVIZ_COOKIE_KEY"']
    there = subprocess.run(shell, capture_output=True, text=True, check=True)
    assert there.stdout == known["DPVIZ_COOKIE_KEY"]


def test_a_port_that_is_taken_is_named():
    with socket.socket() as other:
        port = own_ports(5)
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port + 1))
        other.listen()
        said = found(port)["ports"]
    assert (said.ok, str(port + 1) in said.words) == (False, True)


def test_the_server_of_rooms_is_asked():
    with server() as url:
        assert found(DPVIZ_ROOMS=url)["rooms"].ok is True


def test_digests_stand_behind_the_tags_and_are_renewed():
    text = (ROOT / "Dockerfile").read_text()
    one = digests.written(text, lambda _: f"sha256:{'1' * 64}")
    two = digests.written(one, lambda _: f"sha256:{'2' * 64}")
    assert one.count("1" * 64) == two.count("2" * 64) == 2
    assert re.sub("@sha256:2{64}", "", two) == text


def test_without_a_registry_nothing_is_written_and_it_says_so(monkeypatch):
    def nobody(*_, **__):
        return subprocess.CompletedProcess([], 1, "", "no daemon")

    monkeypatch.setattr(digests.subprocess, "run", nobody)
    with pytest.raises(SystemExit, match="Nothing was written"):
        digests.main()
