"""Rooms behind the proxy: each lives in one replica, and all of its class get there."""

import re
import urllib.error
import urllib.request
from urllib.parse import urlencode

ROOMS = 6


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


def test_a_class_comes_to_the_replica_of_its_room(site):
    """With two replicas, rooms that went anywhere would be found once in two to this power."""
    for _ in range(ROOMS):
        _, _, page = ask(f"{site.address}/room")
        code = re.search(rb'action="/room/(\w+)"', page)[1].decode()
        room = f"{site.address}/room/{code}"
        status, headers, _ = ask(room, urlencode({"at": "/promise"}).encode())
        assert (status, headers["Location"]) == (303, f"/room/{code}/screen")
        lecturer = headers["Set-Cookie"].split(";")[0]
        for _ in range(2):
            status, headers, _ = ask(room)
            assert status == 200
        phone = headers["Set-Cookie"].split(";")[0]
        asked = urllib.request.Request(f"{room}/events", headers={"Cookie": phone})
        with urllib.request.urlopen(asked) as stream:
            lines = [stream.readline() for _ in range(6)]  # at once: nothing is held back
            assert b"event: room\n" in lines
        assert ask(f"{room}/screen", cookie=lecturer)[0] == 200
        assert ask(f"{room}/screen", cookie=phone)[0] == 403
        typed = ask(f"{site.address}/room?code={code[:3]}+{code[3:].upper()}")
        assert typed[1]["Location"] == f"/room/{code}"
