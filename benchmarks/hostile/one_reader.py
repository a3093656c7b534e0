"""What one reader's small requests do to thirty others, on two processes behind the proxy.

Thirty ask for a light figure about once a second; a lecturer goes on to the next scene, and a first
visit takes a script. Beside them is one attacker of another address, whose requests have at most 20
kB and are bounded in number. `--folder` runs another checkout.
"""

import asyncio
import itertools
import json
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed

from benchmarks.hostile.crowd import moved
from benchmarks.hostile.inputs import brackets, digits, lecture, message, names
from benchmarks.hostile.rooms import Client
from benchmarks.hostile.row import Row
from dpviz.results.folders import ROOT
from dpviz.serve.quotas import ROOMS_EACH
from tests.hosting.site import Site, hosted
from tests.hosting.tab import Tab
from tests.support.heavy import HEAVY

_READERS = 30
_ATTACKER, _LECTURER, _THEIRS = "127.0.0.9", "127.0.0.8", "127.0.0.1"
_PATIENCE = 60.0  # seconds
_SECONDS = 10.0  # of an attack
_AT_ONCE = 8  # requests of the attacker
_MOST = 200  # of them
_TABS, _WINDOWS, _LINES = 10, 40, 50
# Views that ask something, and take long to answer it.
_ASKED = ("few_users/votes", "few_users/agreement")
_numbers = itertools.count(1)

Attack = Callable[[str], Coroutine[object, object, None]]


async def ask(
    address: str, path: str, source: str, method: str = "GET", body: bytes = b"", **headers: str
) -> tuple[int, float]:
    """Ask once; return the status, 0 for none, and how long all of the answer took."""
    place, begin = urlsplit(address), time.monotonic()
    lines = {"Host": place.netloc, "Connection": "close", "Content-Length": str(len(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    try:
        async with asyncio.timeout(_PATIENCE):
            reader, writer = await asyncio.open_connection(
                place.hostname, place.port, local_addr=(source, 0)
            )
            try:
                writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
                first = await reader.readline()
                while await reader.read(65536):
                    pass
                took = time.monotonic() - begin
            finally:
                writer.close()
        return int(first.split()[1]), took
    except (OSError, TimeoutError, IndexError, ValueError):
        return 0, time.monotonic() - begin


@dataclass
class Seen:
    """What honest ones had: seconds, and statuses."""

    took: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)

    def note(self, what: str, found: tuple[int, float]) -> None:
        """Note an answer."""
        self.statuses[found[0]] += 1
        self.took.setdefault(what, []).append(found[1])

    def __str__(self) -> str:
        parts = []
        for what, took in self.took.items():
            middle, high = np.quantile(took, [0.5, 0.95])
            parts.append(f"{what} {middle:.2f}, {high:.2f}")
        wrong = sum(n for status, n in self.statuses.items() if status != 200)
        return f"{'; '.join(parts)} s; {wrong} of {self.statuses.total()} failed"


async def _honest(site: str, replica: str, script: str, room: "Room", seconds: float) -> Seen:
    seen, end = Seen(), time.monotonic() + seconds
    rng = np.random.default_rng(2026)

    async def reader() -> None:
        await asyncio.sleep(rng.random())
        while time.monotonic() < end:
            path = f"/figure/shared_darts/board?gap={1 + next(_numbers) % 4000 / 1000}&moving=1"
            seen.note("figure", await ask(site, path, _THEIRS))
            await asyncio.sleep(0.5 + rng.random())

    async def lecturer() -> None:
        while time.monotonic() < end:
            epsilon = 1 + next(_numbers) % 900 / 1000
            said = {"word": "go", "figure": f"/figure/promise/odds?epsilon={epsilon}"}
            seen.note("Next", await room.do(**said, link="/promise"))
            await asyncio.sleep(1.0)

    async def network_of() -> None:
        while time.monotonic() < end:
            seen.note("script", await ask(replica, script, _THEIRS))
            seen.note("page", await ask(site, "/promise", _THEIRS))
            await asyncio.sleep(1.0)

    async def keeper() -> None:
        begin = time.monotonic()
        with suppress(TimeoutError):
            async with Tab.at(site, "promise", "tab=Share") as tab:
                file = (await files_of(tab))[-2]  # the code: no converter is needed
                while (begin := time.monotonic()) < end:
                    await want(tab, file)
                    wrong = await had(tab)
                    seen.note("file", (503 if wrong else 200, time.monotonic() - begin))
                    await asyncio.sleep(1.0)
                return
        seen.note("file", (0, time.monotonic() - begin))

    everybody = (
        *(reader() for _ in range(_READERS)),
        lecturer(),
        network_of(),
        *(keeper() for _ in range(3)),
    )
    await asyncio.gather(*everybody)
    return seen


@dataclass
class Room:
    """A room, and who leads it."""

    address: str
    code: str
    secret: str
    source: str

    @classmethod
    def opened(cls, address: str, source: str) -> "Room":
        """Open one."""
        _, code, secret = Client(address, source).open()
        return cls(address, code, secret, source)

    async def do(self, **said: object) -> tuple[int, float]:
        """Do what a lecturer does."""
        path, body = f"/room/{self.code}/do", json.dumps(said).encode()
        return await ask(self.address, path, self.source, "POST", body, X_Dpviz_Lead=self.secret)

    async def get(self, name: str, **headers: str) -> tuple[int, float]:
        """Ask for what a lecturer may see."""
        path = f"/room/{self.code}/{name}"
        return await ask(
            self.address, path, self.source, "GET", b"", X_Dpviz_Lead=self.secret, **headers
        )


async def _over(asks: Iterator[Coroutine[object, object, object]], at_once: int = _AT_ONCE) -> None:
    """Ask so many at once, until the end."""

    async def one() -> None:
        for each in asks:
            await each

    await asyncio.gather(*(one() for _ in range(at_once)))


async def links(address: str) -> None:
    """Follow links with a number of as many digits as they hold."""
    await _over(
        ask(address, digits("/figure/promise/odds") + str(n), _ATTACKER) for n in range(_MOST)
    )


async def messages(address: str) -> None:
    """Say 20 kB of digits over a WebSocket, from a few tabs."""

    async def say() -> None:
        async with Tab.at(address, "promise") as tab:
            await tab.run()
            assert tab._socket is not None
            for _ in range(5):
                await tab._socket.send(message())
                await asyncio.sleep(2.0)

    await asyncio.gather(*(say() for _ in range(2)), return_exceptions=True)


async def repeated(address: str) -> None:
    """Say over a WebSocket what is small until it is unpacked."""
    async with Tab.at(address, "promise") as tab:
        assert tab._socket is not None
        with suppress(ConnectionClosed):
            for _ in range(3):
                await tab._socket.send(names())
                await tab._socket.recv()


async def components(address: str) -> None:
    """Say over fifty WebSockets what is small until it is read, as often as they are heard."""

    async def one() -> None:
        async with Tab.at(address, "promise", source=_ATTACKER) as tab:
            assert tab._socket is not None
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(tab._socket.send(brackets()), 1.0)
                await asyncio.sleep(0.05)

    await asyncio.gather(*(one() for _ in range(_LINES)), return_exceptions=True)


async def ranges(address: str) -> None:
    """Ask each process for a figure on axes that no number is on, and keep the lines open."""
    path = "/figure/promise/rows?across=960&held=-5000,5000,-5000,5000"
    await asyncio.gather(*(ask(address, path, _ATTACKER) for _ in range(_AT_ONCE)))


async def cookies(address: str) -> None:
    """Send cookies that are nothing but backslashes."""
    slow = '"' + "\\" * 14_000 + '"'
    await _over(ask(address, "/room/aaaa", _ATTACKER, Cookie=f"a={slow}") for _ in range(_MOST))


async def lectures(address: str) -> None:
    """Follow links to lectures that are small until they are unpacked."""
    await _over(
        ask(address, f"/lectures?lecture={lecture(f'*a {n}' + '*a ' * 480)}&scene=40", _ATTACKER)
        for n in range(_MOST)
    )


async def plans(address: str) -> None:
    """Ask for the notes of such lectures, without a room."""

    def path(n: int) -> str:
        link = f"/lectures?lecture={lecture(f'$a {n}' + '$a ' * 480)}&scene=40"
        return f"/room/notes/plan?at={quote(link, safe='')}"

    await _over(ask(address, path(n), _ATTACKER) for n in range(_MOST))


async def formulas(address: str) -> None:
    """Follow links to lectures of twenty thousand formulas."""
    await _over(
        ask(address, f"/lectures?lecture={lecture(f'{n} ' + '$a$' * 485)}&scene=40", _ATTACKER)
        for n in range(_MOST)
    )


async def files_of(tab: Tab) -> list[str]:
    """Run the page of a tab; return what its buttons for PDF, PNG and others are known by."""
    assert tab._socket is not None
    await tab.ask()
    found = list[str]()
    async with asyncio.timeout(_PATIENCE):
        while True:
            said = ForwardMsg()
            said.ParseFromString(await tab._socket.recv(decode=False))
            if said.WhichOneof("type") == "new_session":
                tab.session = said.new_session.initialize.session_id
            button = said.delta.new_element.download_button
            if button.HasField("deferred_file_id"):
                found.append(button.deferred_file_id)
            if said.WhichOneof("type") == "script_finished":
                return found


async def want(tab: Tab, file: str) -> None:
    """Press a download button."""
    assert tab._socket is not None
    said = BackMsg()
    said.backend_operation_request.session_id = tab.session
    said.backend_operation_request.request_id = str(next(_numbers))
    said.backend_operation_request.deferred_file.file_id = file
    await tab._socket.send(said.SerializeToString())


async def had(tab: Tab) -> str:
    """Return what came of it, in words; "" for a file."""
    assert tab._socket is not None
    while True:
        said = ForwardMsg()
        said.ParseFromString(await tab._socket.recv(decode=False))
        if said.WhichOneof("type") == "backend_operation_response":
            return said.backend_operation_response.error_msg


async def downloads(address: str) -> None:
    """Have tabs press their buttons for PNG and PDF twenty times a second, two on each process."""

    async def one() -> None:
        async with Tab.at(address, "promise", "tab=Share", source=_ATTACKER) as tab:
            for file in itertools.islice(itertools.cycle((await files_of(tab))[1:4]), _MOST):
                await want(tab, file)
                await asyncio.sleep(0.05)
            while True:
                await had(tab)

    await asyncio.gather(*(one() for _ in range(4)), return_exceptions=True)


async def tabs(address: str) -> None:
    """Have ten tabs ask for a new state of a page fifty times a second."""

    async def hear(tab: Tab) -> None:
        assert tab._socket is not None
        async for _ in tab._socket:
            pass

    async def one() -> None:
        async with Tab.at(address, "promise", source=_ATTACKER) as tab:
            await tab.run()
            hearing = asyncio.create_task(hear(tab))
            try:
                for _ in range(10 * _MOST):
                    tab.query = f"epsilon={1 + next(_numbers) % 900 / 1000}"
                    await tab.ask()
                    await asyncio.sleep(0.02)
            finally:
                hearing.cancel()

    await asyncio.gather(*(one() for _ in range(_TABS)), return_exceptions=True)


async def rooms(address: str) -> None:
    """Lead ten rooms of one's own to heavy figures, and have each answer many times at once."""
    mine = [await asyncio.to_thread(Room.opened, address, _ATTACKER) for _ in range(ROOMS_EACH)]

    async def lead(room: Room) -> None:
        for _ in range(3):
            number = next(_numbers)
            name = _ASKED[number % len(_ASKED)]
            query = dict(HEAVY[name][0]) | moved(name, number) | {"seed": number, "ask": 1}
            figure = f"/figure/{name}?{urlencode(query)}"
            await room.do(word="go", figure=figure, link=f"/{name.partition('/')[0]}")
            await room.do(word="predict")
            await asyncio.gather(
                *(room.do(word="reveal") for _ in range(16)),
                *(room.do(word="sketch") for _ in range(4)),
                *(room.get("report") for _ in range(4)),
            )
            await room.do(word="over")

    await asyncio.gather(*map(lead, mine))


async def codes(address: str) -> None:
    """Ask for QR codes for ever new names of the site."""
    room = await asyncio.to_thread(Room.opened, address, _ATTACKER)
    await _over(room.get("qr.svg", Host=f"{n}{'a' * 200}") for n in range(_MOST))


async def plays(address: str) -> None:
    """Ask for what a figure plays, each time as another window would have it."""

    def path(n: int) -> str:
        sides = f"left={n % 150}&right={n // 150}"
        return f"/figure/perfect_generalization/pairs?across=2400&frames=1&{sides}"

    every = (ask(address, path(n), _ATTACKER, Accept_Encoding="gzip") for n in itertools.count())
    await _over(every, _WINDOWS)


ATTACKS: dict[str, Attack] = {
    "a number of 7,850 digits": links,
    "20 kB of digits over a WebSocket": messages,
    "half a million names over a WebSocket": repeated,
    "brackets over fifty WebSockets": components,
    "axes that no number is on": ranges,
    "cookies of backslashes": cookies,
    "a lecture of 260 characters": lectures,
    "its notes without a room": plans,
    "a lecture of formulas": formulas,
    "rooms that reveal, sketch and report": rooms,
    "QR codes for any Host": codes,
    "four tabs that ask for files": downloads,
    "ten tabs that ask for pages": tabs,
    "forty windows that play a figure": plays,
}


@asynccontextmanager
async def _attacked(attack: Attack, address: str) -> AsyncIterator[None]:
    task = asyncio.create_task(attack(address))
    try:
        await asyncio.sleep(1.0)
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, OSError):
            await asyncio.gather(task, return_exceptions=True)


def rows(replicas: int, folder: Path = ROOT, only: str = "") -> Iterator[Row]:
    """Yield a row for each attack, on a site of its own."""
    for name, attack in {"nobody": _nobody, **ATTACKS}.items():
        if only not in name:
            continue
        with hosted(replicas, folder=folder) as site:
            yield asyncio.run(_row(site, name, attack))


async def _row(site: Site, name: str, attack: Attack) -> Row:
    room = await asyncio.to_thread(Room.opened, site.address, _LECTURER)
    for slug in ("", "promise", "shared_darts", "few_users"):
        for _ in site.ports:
            await ask(site.address, f"/{slug}", _THEIRS)
    replica = f"http://127.0.0.1:{site.ports[0]}"  # a proxy has its files of its own
    script = re.findall(r"/static/js/[\w.-]+\.js", Client(replica).ask("/")[2])[0]
    began = [site.process(port) for port in site.ports]
    async with _attacked(attack, site.address):
        seen = await _honest(site.address, replica, script, room, _SECONDS)
    await asyncio.sleep(1.0)
    killed = 0
    for port, process in zip(site.ports, began, strict=True):
        try:
            killed += site.process(port) != process
        except LookupError:
            killed += 1
    return Row(name, f"{_READERS} readers, p50, p95", f"{seen}; {killed} processes killed")


async def _nobody(_: str) -> None:
    await asyncio.sleep(_SECONDS)
