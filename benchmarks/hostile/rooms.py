"""Attacks on the rooms of classes: stuffed votes, taken rooms, guessed codes.

From addresses of this machine's loopback, each of which a server takes for another network. Behind
the proxy, with rooms in Redis or Valkey where it is installed, as a public copy runs.
"""

import asyncio
import http.client
import itertools
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from urllib.parse import urlsplit

from benchmarks.hostile.row import Row
from dpviz.serve.quotas import CLASS
from tests.hosting.site import hosted
from tests.support.valkey import PROGRAM, server

_CODE = re.compile(r'action="[./]*room/(\w+)"')
_SECRET = re.compile(r"dpviz_room=([^;]+)")
_TASK = re.compile(r'data-task="([^"]+)"')
_STUFFED, _HONEST, _GUESSES, _TAKERS = 480, 30, 300, 20
_OTHER, _OWN = "127.0.0.9", "127.0.0.30"
_BESIDE = (
    ("of another address", _OTHER, "nobody listens"),
    ("of the class's own address", _OWN, "nobody listens"),
    ("of the class's own address", _OWN, "each listens a moment"),
    ("of the class's own address", _OWN, "all go on listening"),
)
_BEFORE = 2.0  # seconds that the script has for itself
_IN_TIME = 10.0  # seconds in which a class is to be in
_SEEN = 3.0  # seconds in which a lecturer asks for a word, where the room does not by itself
_TYPING = 5.0  # seconds in which a student reads a word and types it
_AGAIN = 1.5  # seconds until a phone's page tries again


def _worked(task: str) -> str:
    """Return a task with what makes its hash begin with zero bits, as proof.js finds it."""
    bits = int(task.split(".")[1])
    tries = (f"{task}.{number}" for number in itertools.count())
    return next(
        tried
        for tried in tries
        if not int.from_bytes(sha256(tried.encode()).digest()) >> (256 - bits)
    )


@dataclass
class Client:
    """Somebody at an address of their own."""

    address: str
    source: str = "127.0.0.1"
    open_ones: list[http.client.HTTPConnection] = field(default_factory=list)

    def ask(
        self, path: str, body: bytes | None = None, method: str = "", **headers: str
    ) -> tuple[int, str, str]:
        """Ask once; return the status, the cookies that were set, and the answer."""
        line = http.client.HTTPConnection(
            urlsplit(self.address).netloc, timeout=60, source_address=(self.source, 0)
        )
        try:
            line.request(method or ("GET" if body is None else "POST"), path, body, headers)
            answer = line.getresponse()
            cookies = "; ".join(answer.headers.get_all("Set-Cookie") or [])
            return answer.status, cookies, answer.read().decode("utf-8", "replace")
        finally:
            line.close()

    def open(self, *, works: bool = False) -> tuple[int, str, str]:
        """Open a room; return the status, its code and its secret. works: as is asked for."""
        page = self.ask("/room?at=/promise")[2]
        found, task = _CODE.search(page), _TASK.search(page)
        code = found[1] if found else "none"
        work = _worked(task[1]) if works and task else ""
        status, cookies, _ = self.ask(f"/room/{code}", f"at=/promise&work={work}".encode())
        secret = _SECRET.search(cookies)
        return status, code, secret[1] if secret else ""

    def join(self, code: str, word: str = "") -> tuple[int, str]:
        """Ask for a phone's page; return the status and the phone's cookie."""
        status, cookies, _ = self.ask(f"/room/{code}?word={word}")
        found = re.search(r"dpviz_phone=[^;]+", cookies)
        return status, found[0] if found else ""

    def listen(self, path: str, phone: str = "", *, on: bool = False) -> int:
        """Listen until something is heard, or on and on; return the status. phone: its cookie."""
        line = http.client.HTTPConnection(
            urlsplit(self.address).netloc, timeout=60, source_address=(self.source, 0)
        )
        try:
            line.request("GET", path, headers={"Cookie": phone})
            answer = line.getresponse()
            while answer.status == 200 and (said := answer.readline()):
                if said.startswith(b"event: room"):
                    break
            return answer.status
        finally:
            if on:
                self.open_ones.append(line)
            else:
                line.close()

    def stuff(self, code: str, how: str) -> int:
        """Be another phone, and vote; return the status. how: as `_BESIDE` has it."""
        status, phone = self.join(code)
        if status == 200 and how != "nobody listens":
            status = self.listen(f"/room/{code}/events", phone, on=how == "all go on listening")
        return self.vote(code, phone, "1") if status == 200 else status

    def vote(self, code: str, phone: str, bit: str) -> int:
        """Answer the first question."""
        body = json.dumps({"question": 1, "round": 1, "answer": bit}).encode()
        return self.ask(f"/room/{code}/answer", body, Cookie=phone)[0]

    def state(self, code: str, secret: str) -> dict[str, object]:
        """Return what the lecturer's screen is told."""
        line = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=60)
        try:
            line.request(
                "GET", f"/room/{code}/events?screen", headers={"Cookie": f"dpviz_room={secret}"}
            )
            answer = line.getresponse()
            while not (said := answer.readline()).startswith(b"data: "):
                pass
            state: dict[str, object] = json.loads(said[6:])
            return state
        finally:
            line.close()


def rows(replicas: int) -> Iterator[Row]:
    """Yield a row for each attack."""
    with ExitStack() as stack:
        surroundings = {}
        if PROGRAM is not None:
            surroundings["DPVIZ_ROOMS"] = stack.enter_context(server())
        site = stack.enter_context(hosted(replicas, surroundings))
        where = f"{replicas} processes, {'shared' if surroundings else 'own'} rooms"
        for how in ("nobody listens", "each listens a moment"):
            yield _stuffing(site.address, how, where)
        for whose, source, how in _BESIDE:
            yield _class_beside(site.address, whose, source, how, where)
        yield _claimed(site.address, where)
        yield _guessing(site.address, where)
        yield _framed(site.address, where)
        yield _taking(site.address, where)


def _asking(lecturer: Client) -> tuple[str, str]:
    """Open a room that asks a question."""
    _, code, secret = lecturer.open()
    body = json.dumps({"word": "ask", "kind": "survey", "text": "Do you?", "epsilon": "1"})
    lecturer.ask(f"/room/{code}/do", body.encode(), Cookie=f"dpviz_room={secret}")
    return code, secret


def _answered(state: dict[str, object]) -> int:
    question = state.get("question")
    return int(question["answered"]) if isinstance(question, dict) else 0


def _stuffing(address: str, how: str, where: str) -> Row:
    lecturer, attacker = Client(address, "127.0.0.2"), Client(address, "127.0.0.9")
    code, secret = _asking(lecturer)
    begin, counted = time.monotonic(), Counter[int]()
    for _ in range(_STUFFED):
        counted[attacker.stuff(code, how)] += 1
    took = time.monotonic() - begin
    honest, word = Client(address, "127.0.0.31"), lecturer.state(code, secret).get("word", "")
    ours = Counter[int]()
    for _ in range(_HONEST):
        _, phone = honest.join(code, str(word))
        honest.listen(f"/room/{code}/events", phone)
        ours[honest.vote(code, phone, "0")] += 1
    before = lecturer.state(code, secret)
    networks = before.get("networks", [])
    assert isinstance(networks, list)
    left = f"from {len(networks)} address"
    if counted[200] and networks:
        body = json.dumps({"word": "clear", "mark": networks[0]["mark"]}).encode()
        lecturer.ask(f"/room/{code}/do", body, Cookie=f"dpviz_room={secret}")
        left = f"{_answered(lecturer.state(code, secret))} left when its address was cleared"
    return Row(
        f"{_STUFFED} joins and votes of one address, {how}",
        f"{where}, in {took:.1f} s, then {_HONEST} votes of another",
        f"{counted[200]} stuffed, {ours[200]} honest counted; {left}",
    )


def _class_beside(address: str, whose: str, source: str, how: str, where: str) -> Row:
    lecturer, attacker = Client(address, "127.0.0.3"), Client(address, source)
    code, secret = _asking(lecturer)
    over, stuffed = threading.Event(), Counter[int]()

    def attack() -> None:
        while not over.is_set():
            stuffed[attacker.stuff(code, how)] += 1

    def ask() -> None:
        body = json.dumps({"word": "word"}).encode()
        lecturer.ask(f"/room/{code}/do", body, Cookie=f"dpviz_room={secret}")

    thread, by_hand = threading.Thread(target=attack), threading.Timer(_BEFORE + _SEEN, ask)
    thread.start()
    if how == "all go on listening":
        by_hand.start()
    try:
        time.sleep(_BEFORE)
        took = asyncio.run(_class(address, code, lambda: lecturer.state(code, secret)))
    finally:
        over.set()
        thread.join()
        by_hand.cancel()
    for line in attacker.open_ones:
        line.close()
    took.sort()
    late = sum(seconds > _IN_TIME for seconds in took)
    state = lecturer.state(code, secret)
    asked = ", asked for a word" + " by itself" * bool(state.get("by_itself"))
    asked = asked if state.get("word") else ""
    return Row(
        f"joins and votes without end {whose}, {_BEFORE:g} s before, {how}",
        f"{where}, a class of {CLASS} phones behind one address joins beside it",
        f"half in after {took[len(took) // 2]:.1f} s, all after {took[-1]:.1f} s"
        f" ({late} later than {_IN_TIME:.0f} s){asked}; {stuffed[200]} stuffed,"
        f" {stuffed.total() - stuffed[200]} refused",
    )


async def _class(address: str, code: str, screen: Callable[[], dict[str, object]]) -> list[float]:
    """Have a class join at once; return the seconds until each phone hears the room.

    Phones do as their page does, and students read the word that the screen shows.
    """
    place, begin = urlsplit(address), time.monotonic()

    async def asked(path: str, cookie: str) -> tuple[int, str]:
        """Return the status, and the phone's cookie or the first event."""
        reader, writer = await asyncio.open_connection(
            place.hostname, place.port, local_addr=(_OWN, 0)
        )
        try:
            head = f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nCookie: {cookie}\r\n\r\n"
            writer.write(head.encode())
            answer = (await reader.readuntil(b"\r\n\r\n")).decode()
            status = int(answer.split()[1])
            if status == 200 and cookie:
                await reader.readuntil(b"event: room")
                listening.append(writer)
            found = re.search(r"dpviz_phone=[^;]+", answer)
            return status, found[0] if found else ""
        finally:
            if writer not in listening:
                writer.close()

    async def phone() -> float:
        status, cookie, word = 0, "", ""
        while time.monotonic() - begin < 6 * _IN_TIME:
            if not cookie:
                status, cookie = await asked(f"/room/{code}?word={word}", "")
            if status == 401:
                await asyncio.sleep(_TYPING)
                word = str((await asyncio.to_thread(screen))["word"])
            elif status in (200, 429) and cookie:
                status, _ = await asked(f"/room/{code}/events", cookie)
                if status == 200:
                    return time.monotonic() - begin
                cookie = cookie if status == 429 else ""
                await asyncio.sleep(_AGAIN if cookie else 0)
            else:
                await asyncio.sleep(_AGAIN)
        return float("inf")

    listening: list[asyncio.StreamWriter] = []
    try:
        return list(await asyncio.gather(*(phone() for _ in range(CLASS))))
    finally:
        for writer in listening:
            writer.close()


def _claimed(address: str, where: str) -> Row:
    counted = Counter[int]()
    attacker = Client(address, "127.0.0.12")
    for number in range(25):
        code = _CODE.search(attacker.ask("/room")[2])
        made_up = {"X-Forwarded-For": f"198.51.100.{number}"}
        counted[attacker.ask(f"/room/{code[1] if code else ''}", b"at=/", **made_up)[0]] += 1
    return Row(
        "rooms of one address that makes addresses up",
        f"{where}, opens 25",
        ", ".join(f"{times} × {status}" for status, times in sorted(counted.items())),
    )


def _guessing(address: str, where: str) -> Row:
    lecturer, attacker = Client(address, "127.0.0.4"), Client(address, "127.0.0.13")
    _, code, _ = lecturer.open()
    letters, begin, counted = "bcdfghjkmnpqrtvwxz", time.monotonic(), Counter[int]()
    for number in range(_GUESSES):
        guess = "".join(letters[number * 7 // 18**place % 18] for place in range(len(code)))
        counted[attacker.ask(f"/room/{guess}", method="HEAD")[0]] += 1
    rate = counted[404] / (time.monotonic() - begin)
    right = attacker.ask(f"/room/{code}", method="HEAD")[0]
    other = Client(address, "127.0.0.32").ask(f"/room/{code}", method="HEAD")[0]
    return Row(
        "codes guessed by HEAD",
        f"{where}, {_GUESSES} in a row by one address",
        f"{counted[404]} answered ({rate:.0f} a second), {counted[429]} refused; "
        f"then the right code: {right} there, {other} elsewhere",
    )


def _framed(address: str, where: str) -> Row:
    """Be a course's page, in whose frames browsers keep no cookie."""

    def given(page: str, name: str) -> str:
        found = re.search(rf'data-{name}="([^"]+)"', page)
        return found[1] if found else ""

    client = Client(address, "127.0.0.5")
    code = _CODE.search(client.ask("/room?at=/promise")[2])
    path = f"/room/{code[1] if code else ''}"
    secret = given(client.ask(path, b"at=/promise")[2], "secret")
    body = json.dumps({"word": "ask", "kind": "survey", "text": "Do you?", "epsilon": "1"})
    asked, *_ = client.ask(f"{path}/do", body.encode(), **{"X-Dpviz-Lead": secret})
    phone = given(client.ask(path)[2], "phone")
    client.listen(f"{path}/events?phone={phone}")
    vote = json.dumps({"question": 1, "round": 1, "answer": "1"}).encode()
    voted, *_ = client.ask(f"{path}/answer", vote, **{"X-Dpviz-Phone": phone})
    forged, *_ = client.ask(f"{path}/do", body.encode(), **{"X-Dpviz-Lead": phone})
    return Row(
        "a room without cookies, as in a frame",
        f"{where}, the lecturer asks, a phone answers, a phone would lead",
        f"{asked}, {voted}, {forged}",
    )


def _taking(address: str, where: str) -> Row:
    begin, counted = time.monotonic(), Counter[int]()
    for taker in range(_TAKERS):
        client = Client(address, f"127.0.1.{taker + 1}")
        for _ in range(10):
            status, code, _ = client.open()
            if status in (200, 303):
                client.listen(f"/room/{code}/events", client.join(code)[1])
            counted[status] += 1
    took = time.monotonic() - begin
    honest = [Client(address, "127.0.0.33").open(works=works)[0] for works in (False, True)]
    return Row(
        "rooms taken, with a phone in each, without work",
        f"{where}, {_TAKERS} addresses, ten each, {took:.1f} s",
        ", ".join(f"{times} × {status}" for status, times in sorted(counted.items()))
        + f"; then a lecturer: {honest[0]}, whose browser has worked: {honest[1]}",
    )
