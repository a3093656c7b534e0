"""Whose request it is: the connection's, and only a trusted proxy may say otherwise."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.request import Request as Asked
from urllib.request import urlopen

import pytest
from starlette.requests import Request

from dpviz.results.folders import ROOT
from dpviz.serve.clients import TOKEN, Client, is_vouched, network_id, problem, proxies, vouched
from dpviz.serve.figure_request import FigureRequest
from dpviz.serve.quotas import ROOMS_EACH
from tests.browser.conftest import running_app
from tests.serve.asgi import ask
from tests.support.declarations import page
from tests.support.examples import only_in_ci

CADDY = "127.0.0.1"


def mark(asking, *passed):
    head = [(b"x-forwarded-for", said.encode()) for said in passed if said]
    return network_id(Request({"type": "http", "client": (asking, 1), "headers": head}))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ((CADDY, "203.0.113.5"), (CADDY, "203.0.113.5"), True),
        ((CADDY, "203.0.113.5"), (CADDY, "203.0.113.6"), False),
        ((CADDY, "1.2.3.4, 203.0.113.5"), (CADDY, "9.9.9.9, 203.0.113.5"), True),
        ((CADDY, "1.2.3.4", "203.0.113.5"), (CADDY, "9.9.9.9", "203.0.113.5"), True),
        ((CADDY, "2a00:1::1"), (CADDY, "2a00:1::ffff:2"), True),
        ((CADDY, "2a00:1::1"), (CADDY, "2a00:1:0:1::1"), False),
        (("::ffff:8.8.8.8", ""), ("8.8.8.8", ""), True),
        ((CADDY, "garbage"), (CADDY, "rubbish"), False),
        # who comes straight is not believed, on a private network neither
        (("8.8.8.8", "1.2.3.4"), ("8.8.8.8", "1.2.3.5"), True),
        (("192.168.1.4", "1.2.3.4"), ("192.168.1.4", "1.2.3.5"), True),
        (("192.168.1.4", "1.2.3.4"), ("192.168.1.5", "1.2.3.4"), False),
        # behind a balancer of the campus those differ whom it saw, with a port or without
        ((CADDY, "1.1.1.1, 10.0.0.7"), (CADDY, "2.2.2.2, 10.0.0.7"), False),
        ((CADDY, "1.1.1.1:40, 10.0.0.7"), (CADDY, "6.6.6.6, 1.1.1.1:41, 10.0.0.8"), True),
        ((CADDY, "[2a00:1::1]:40, 10.0.0.7"), (CADDY, "2a00:1::2, 10.0.0.7"), True),
        ((CADDY, ""), (CADDY, ","), True),
    ],
)
def test_which_visitors_are_the_same(monkeypatch, one, other, same):
    monkeypatch.setenv("DPVIZ_PROXIES", "127.0.0.1 10.0.0.0/24")
    assert (mark(*one) == mark(*other)) is same
    assert one[1] not in mark(*one) or not one[1]


def test_a_token_that_came_with_a_page_counts_where_it_came_to():
    one, other = vouched("here"), vouched("here")
    assert one != other
    assert is_vouched(one, "here")
    assert is_vouched(other, "here")
    for made_up in ("", ".", one[:-1], f"x{one}", one.replace(".", ""), "é." + one, "x" * 10_000):
        assert not is_vouched(made_up, "here")
    assert not is_vouched(one, "there")


def test_a_class_behind_one_address_is_not_one_reader_before_it_has_sessions():
    """The pages that stand ask for figures by their own tokens; who has none shares an account."""
    network = mark(CADDY)
    tokens = [
        re.search(r'"token":\["[^"]+","([^"]+)"', ask("/promise").content.decode())[1]
        for _ in range(3)
    ]

    def client(*token):
        head = [(TOKEN.encode(), said.encode()) for said in token]
        place = {"type": "http", "client": (CADDY, 1), "headers": head, "query_string": b""}
        return FigureRequest.read(Request(place), page("promise"), "odds").client

    here = [vouched(network) for _ in range(3)]
    assert {client(one) for one in here} == {Client(network, one) for one in here}
    assert client() == client("made up") == client(vouched("elsewhere")) == Client(network)
    assert len(set(tokens)) == 3


def test_without_a_trusted_proxy_nobody_is_believed(monkeypatch):
    monkeypatch.delenv("DPVIZ_PROXIES", raising=False)
    for asking in (CADDY, "10.0.0.7", "8.8.8.8"):
        assert mark(asking, "1.2.3.4") == mark(asking)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("", False),
        ("10.0.0.1, 192.0.2.0/24 private_ranges", False),
        ("10.0.0.7/8", False),
        ("proxy.example.edu", True),
        ("1.2.3", True),
    ],
)
def test_proxies_are_addresses_and_networks(said, wrong):
    assert bool(problem(said)) is wrong
    if not wrong:
        assert not proxies(said) or proxies(said)[0].num_addresses


@pytest.mark.parametrize("name", ["DPVIZ_COOKIE_KEY", "DPVIZ_ROOMS"])
def test_all_processes_of_a_site_mark_an_address_alike(name):
    """So that ten rooms of an address are ten, whichever replica opens them."""
    program = "from dpviz.serve.clients import keyed_hash; print(keyed_hash(b'address'))"

    def marked(**surroundings):
        known = {k: v for k, v in os.environ.items() if not k.startswith("DPVIZ_")}
        made = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=known | surroundings,
            capture_output=True,
            text=True,
            check=True,
        )
        return made.stdout

    with ThreadPoolExecutor() as processes:
        one, same, other, alone = processes.map(
            lambda given: marked(**given), [{name: "x"}, {name: "x"}, {name: "y"}, {}]
        )
    assert one == same
    assert len({one, other, alone}) == 3


def opened(address, passed):
    """The status of opening a room, as somebody who says where they come from."""
    page = urlopen(f"{address}/room").read().decode()
    code = page.partition('action="./room/')[2].partition('"')[0]
    asked = Asked(f"{address}/room/{code}", data=b"at=/", headers={"X-Forwarded-For": passed})
    try:
        with urlopen(asked) as answer:
            return answer.status
    except HTTPError as refused:
        return refused.code


@only_in_ci
def test_one_process_believes_nobody_about_where_they_come_from():
    """uvicorn by itself believes what comes from this machine, as a test does."""
    with running_app() as address:
        said = [opened(address, f"198.51.100.{number}") for number in range(ROOMS_EACH + 3)]
    assert said[-3:] == [503] * 3
    assert 503 not in said[:-3]
