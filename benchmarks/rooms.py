"""What a class costs a server: python -m benchmarks.rooms.

Phones are plain HTTP clients that listen to events and fetch the figures they are led to; they
share the processors with the server. A lecturer leads them from scene to scene, and lets them
predict. Then so many phones as a room takes join at once. Each has an address of its own, which
a trusted proxy would say: behind one address, a class of 60 joins at once and then five a second.
"""

import argparse
import asyncio
import gzip
import json
import os
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlencode, urlsplit

import numpy as np

from benchmarks import processor
from benchmarks.options import parsed
from dpviz.serve.quotas import PHONES
from tests.browser.conftest import running_app

_START = "/promise?view=odds&mechanism=laplace&queries=1&epsilon=1"
_FIRST = ip_address("127.1.0.0")  # of the addresses that clients come from
_PAUSE = 2.0  # seconds between two scenes
Head = tuple[int, dict[str, str]]


def pieces(chunked: bytes) -> Iterator[bytes]:
    """Yield the parts of an answer that is sent in chunks, each after its length."""
    at = 0
    while at < len(chunked):
        end = chunked.index(b"\r\n", at)
        size = int(chunked[at:end], 16)
        yield chunked[end + 2 : end + 2 + size]
        at = end + 4 + size


@dataclass
class Client:
    """A browser, as far as a room knows it: an address and a cookie."""

    host: str
    port: int
    number: int
    cookie: str = ""

    @asynccontextmanager
    async def asked(
        self, path: str, body: bytes | None = None, kind: str = "application/json"
    ) -> AsyncIterator[tuple[Head, asyncio.StreamReader]]:
        """Ask once; yield the head of the answer, and where its body comes."""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        verb = "GET" if body is None else "POST"
        lines = [f"{verb} {path} HTTP/1.1", f"Host: {self.host}:{self.port}"]
        lines += ["Connection: close", f"Cookie: {self.cookie}", f"Content-Type: {kind}"]
        lines += ["Accept-Encoding: gzip", f"X-Forwarded-For: {_FIRST + self.number}"]
        lines += [f"Content-Length: {len(body or b'')}", "", ""]
        try:
            writer.write("\r\n".join(lines).encode() + (body or b""))
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            fields = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            given = [line.split(": ", 1)[1] for line in head if line.startswith("set-cookie")]
            self.cookie = given[-1].split(";")[0] if given else self.cookie
            yield (int(head[0].split()[1]), fields), reader
        finally:
            writer.close()

    async def whole(self, path: str, data: object = None, form: bool = False) -> bytes:
        """Ask once, and return all of the answer."""
        kind = "application/x-www-form-urlencoded" if form else "application/json"
        body = data if data is None or isinstance(data, bytes) else json.dumps(data).encode()
        async with self.asked(path, body, kind) as ((status, fields), reader):
            answer = await reader.read()
            if status >= 400:
                raise OSError(f"{status} {path}: {answer[-200:]!r}")
            if fields.get("transfer-encoding") == "chunked":
                answer = b"".join(pieces(answer))
            packed = fields.get("content-encoding") == "gzip"
            return gzip.decompress(answer) if packed else answer

    async def events(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """Yield what a room tells, as it comes."""
        async with self.asked(path) as (_, reader):
            while True:
                text = (await reader.readuntil(b"\n\n")).decode()
                if found := re.search(r"event: room\ndata: (.*)\n\n", text):
                    yield json.loads(found[1])


@dataclass
class Log:
    """Seconds: to the event of a scene, to its figure, to a vote's being seen, and to joining."""

    events: list[float] = field(default_factory=list)
    figures: list[float] = field(default_factory=list)
    votes: list[float] = field(default_factory=list)
    joined: list[float] = field(default_factory=list)


@dataclass
class Lesson:
    """A room with its lecturer; sent: when each scene was, by its ε."""

    client: Client
    code: str = ""
    sent: dict[str, float] = field(default_factory=dict)
    question: int = 0
    answered: list[tuple[float, int]] = field(default_factory=list)

    async def open(self) -> None:
        """Open the room."""
        page = (await self.client.whole(f"/room?{urlencode({'at': _START})}")).decode()
        found = re.search(r'action="[./]*room/(\w+)"', page)
        assert found is not None
        self.code = found[1]
        form = urlencode({"at": _START}).encode()
        await self.client.whole(f"/room/{self.code}", form, form=True)

    async def do(self, **said: object) -> None:
        """Do what a lecturer does."""
        await self.client.whole(f"/room/{self.code}/do", said)

    async def go(self, epsilon: str) -> None:
        """Go to a scene."""
        self.sent[epsilon] = time.monotonic()
        figure = f"/figure/promise/odds?mechanism=laplace&queries=1&epsilon={epsilon}"
        await self.do(word="go", figure=figure, heading="What now?", link=_START)

    async def watch(self) -> None:
        """Be the projector: note when how many votes are seen."""
        async for state in self.client.events(f"/room/{self.code}/events?screen"):
            if "question" in state:
                self.question = state["question"]["number"]
                self.answered.append((time.monotonic(), state["question"]["answered"]))


async def phone(lesson: Lesson, log: Log, client: Client, ready: asyncio.Event) -> None:
    """Be a phone until it is ended: join, follow, fetch each figure."""
    begin = time.monotonic()
    await client.whole(f"/room/{lesson.code}")
    seen = ""
    async for state in client.events(f"/room/{lesson.code}/events"):
        if not ready.is_set():
            log.joined.append(time.monotonic() - begin)
            ready.set()
        scene = state.get("scene", {})
        epsilon = scene.get("query", {}).get("epsilon", "")
        if epsilon in lesson.sent and epsilon != seen:
            seen = epsilon
            log.events.append(time.monotonic() - lesson.sent[epsilon])
            query = urlencode(scene["query"] | {"across": "360", "narrow": "1"})
            await client.whole(f"{scene['figure']}?{query}")
            log.figures.append(time.monotonic() - lesson.sent[epsilon])


async def vote(lesson: Lesson, log: Log, client: Client, delay: float) -> None:
    """Answer after a while, and note when the projector counts as many as had then answered."""
    await asyncio.sleep(delay)
    begin, before = time.monotonic(), lesson.answered[-1][1] if lesson.answered else 0
    data = {"question": lesson.question, "round": 1, "answer": "50"}
    await client.whole(f"/room/{lesson.code}/answer", data)
    while not lesson.answered or lesson.answered[-1][1] <= before:
        await asyncio.sleep(0.01)
    log.votes.append(next(at for at, count in lesson.answered if count > before) - begin)


async def lesson(address: str, phones: int, process: int, scenes: int, voting: float) -> None:
    """Give a lesson of so many scenes, and print what it cost; voting: seconds."""
    parts = urlsplit(address)
    clients = [Client(parts.hostname or "", parts.port or 80, n) for n in range(phones + 1)]
    given, log = Lesson(clients.pop()), Log()
    await given.open()
    ready = [asyncio.Event() for _ in clients]
    tasks = [asyncio.create_task(given.watch())]
    for client, event in zip(clients, ready, strict=True):
        tasks.append(asyncio.create_task(phone(given, log, client, event)))
    await asyncio.gather(*(event.wait() for event in ready))
    begin, used = time.monotonic(), processor.seconds(process)
    for number in range(scenes):
        await given.go(f"{1 + number / 10:g}")
        await asyncio.sleep(_PAUSE)
    await given.do(word="predict")
    await asyncio.sleep(_PAUSE)
    delays = np.linspace(0, voting, phones)
    voters = zip(clients, delays.tolist(), strict=True)
    await asyncio.gather(*(vote(given, log, client, delay) for client, delay in voters))
    passed, used = time.monotonic() - begin, processor.seconds(process) - used
    print(f"{phones} phones: {used / passed:.0%} of one core over {passed:.0f} s")
    for name in ("events", "figures", "votes"):
        values = np.array(getattr(log, name))
        middle, high = np.quantile(values, [0.5, 0.95])
        print(f"  {name:8} {values.size:5}: p50 {middle:.2f} s, p95 {high:.2f} s")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def crowd(address: str, phones: int) -> None:
    """Have so many join a room at once."""
    parts = urlsplit(address)
    clients = [Client(parts.hostname or "", parts.port or 80, n) for n in range(phones + 1)]
    given, log = Lesson(clients.pop()), Log()
    await given.open()
    await given.go("1")
    begin, ready = time.monotonic(), [asyncio.Event() for _ in clients]
    joining = zip(clients, ready, strict=True)
    tasks = [asyncio.create_task(phone(given, log, client, event)) for client, event in joining]
    await asyncio.gather(*(event.wait() for event in ready))
    print(f"{phones} phones joined at once within {time.monotonic() - begin:.1f} s")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rooms", description=__doc__)
    parser.add_argument("--phones", type=int, default=100)
    parser.add_argument(
        "--port", type=int, default=0, help="of the server, a free one unless given"
    )
    parser.add_argument("--scenes", type=int, default=12)
    parser.add_argument("--voting", type=float, default=20, help="seconds in which phones answer")
    parser.add_argument("--crowd", type=int, default=PHONES, help="phones that join at once")
    options = parsed(parser, phones=2, scenes=1, voting=0.1, crowd=2)
    print(f"load of this machine before: {os.getloadavg()[0]:.1f}")
    with running_app(options.port, surroundings={"DPVIZ_PROXIES": "127.0.0.1"}) as address:
        process = processor.listening("--server.port", urlsplit(address).port or 0)
        asyncio.run(lesson(address, options.phones, process, options.scenes, options.voting))
        asyncio.run(crowd(address, options.crowd))


if __name__ == "__main__":
    main()
