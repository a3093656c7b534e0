"""Rooms behind the proxy: each lives in one replica where its class gets, or in all of them."""

import contextlib
import json
import re
import time
import urllib.error
import urllib.request
from urllib.parse import urlencode

from tests.hosting.site import MISSING, hosted
from tests.support.examples import only_in_ci
from tests.support.valkey import server

ROOMS = 6
PHONES = 6


class _Stay(urllib.request.HTTPRedirectHandler):
    """Redirections are looked at, not followed."""

    def redirect_request(self, *_):
        return None


def ask(url, body=None, cookie=""):
    """Ask as a browser that knows nothing but a cookie."""
    asked = urllib.request.Request(url, data=body, headers={"Cookie": cookie})
    try:
        with urllib.request.build_opener(_Stay).open(asked) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers, answer.read()


def listen(room, cookie):
    """Hear what a phone hears first, and leave."""
    asked = urllib.request.Request(f"{room}/events", headers={"Cookie": cookie})
    with urllib.request.urlopen(asked) as stream:
        assert b"event: room\n" in [stream.readline() for _ in range(6)]


def test_a_class_comes_to_the_replica_of_its_room(site):
    """With two replicas, rooms that went anywhere would be found once in two to this power."""
    for _ in range(ROOMS):
        _, _, page = insist(f"{site.address}/room")
        code = re.search(rb'action="[./]*room/(\w+)"', page)[1].decode()
        room = f"{site.address}/room/{code}"
        status, headers, _ = insist(room, urlencode({"at": "/promise"}).encode())
        assert status == 200
        lecturer = headers["Set-Cookie"].split(";")[0]
        for _ in range(2):
            status, headers, _ = insist(room)
            assert status == 200
        phone = headers["Set-Cookie"].split(";")[0]
        listen(room, phone)  # at once: nothing is held back
        assert insist(f"{room}/screen", cookie=lecturer)[0] == 200
        assert insist(f"{room}/screen", cookie=phone)[0] == 403
        typed = insist(f"{site.address}/room?code={code[:3]}+{code[3:].upper()}")
        assert typed[1]["Location"] == f"./room/{code}"


def insist(url, body=None, cookie=""):
    """Ask until the site answers for itself: phones go on as well while the proxy finds nobody."""
    while True:
        with contextlib.suppress(OSError):
            said = ask(url, body, cookie)
            if said[0] < 500:
                return said
        time.sleep(0.05)


def answer(room, cookie, bit):
    """Send a bit, as a phone does."""
    body = json.dumps({"question": 1, "round": 1, "answer": bit}).encode()
    return insist(f"{room}/answer", body, cookie)[0]


def lead(room, cookie, **said):
    """Have the lecturer do something."""
    return insist(f"{room}/do", json.dumps(said).encode(), cookie)[0]


@only_in_ci
def test_a_killed_replica_loses_no_confirmed_vote():
    assert not MISSING, MISSING
    with server() as url, hosted(surroundings={"DPVIZ_ROOMS": url}) as site:
        _, _, page = insist(f"{site.address}/room")
        code = re.search(rb'action="[./]*room/(\w+)"', page)[1].decode()
        room = f"{site.address}/room/{code}"
        doomed = f"http://127.0.0.1:{site.ports[0]}/room/{code}"
        _, headers, _ = ask(room, urlencode({"at": "/promise"}).encode())
        lecturer = headers["Set-Cookie"].split(";")[0]
        ways = (room, doomed) * (PHONES // 2)
        phones = [insist(at)[1]["Set-Cookie"].split(";")[0] for at in ways]
        for at, phone in zip(ways, phones, strict=True):
            listen(at, phone)
        assert lead(room, lecturer, word="ask", kind="survey", text="Do you?", epsilon="1") == 200
        for phone in phones[:3]:
            assert answer(doomed, phone, "1") == 200
        site.kill(site.ports[0])
        for phone in phones[3:]:
            assert answer(room, phone, "0") == 200
        assert answer(room, phones[0], "0") == 409  # it has counted
        assert lead(room, lecturer, word="reveal") == 200
        table = insist(f"{room}/counts", cookie=lecturer)[2].decode().splitlines()
        assert table[1:] == [
            "1,Do you?,survey,,epsilon=1,,1,0,3",
            "1,Do you?,survey,,epsilon=1,,1,1,3",
        ]
