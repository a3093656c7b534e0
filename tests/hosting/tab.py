"""A browser tab as the server knows it: Streamlit's messages over a WebSocket, without a browser.

What a tab says is a BackMsg, what it hears are ForwardMsgs (streamlit.proto). Like a browser it
keeps the proxy's cookie, the page it is on, the state of the widgets that are there, the address
bar, and large messages that it was sent before, which the server then only names.
"""

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

from tests.hosting.line import Line
from tests.support.loops import run

COOKIE = "dpviz_replica"
T = TypeVar("T")
_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
_numbers = itertools.count(int(time.time() * 1000))


@dataclass
class Run:
    """What one run of a page's script sent; times in seconds since the tab asked for it."""

    first_figure: float | None = None
    last_figure: float | None = None
    finished: float = 0.0
    figures: int = 0
    messages: int = 0
    received: int = 0
    texts: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def take(self, message: ForwardMsg) -> None:
        """Note a message."""
        element = message.delta.new_element
        match element.WhichOneof("type"):
            case "markdown":
                self.texts.append(element.markdown.body)
            case "exception":
                self.faults.append(element.exception.message)
            case "alert" if element.alert.format in (Alert.ERROR, Alert.WARNING):
                self.faults.append(element.alert.body)

    def draw(self, line: Mapping[str, Any], seconds: float) -> None:
        """Note a line of a figure that came after so many seconds."""
        if line.get("grave"):
            self.faults.append(line["problem"])
        if not line.keys() & {"spec", "svg", "problem"}:
            return
        self.first_figure = self.first_figure or seconds
        self.last_figure = seconds
        self.figures += 1
        self.texts.append(line.get("alt", ""))


@dataclass
class Tab:
    """A tab at an address; open it with `Tab.at`.

    query: what stands behind the question mark in the address bar.
    controls: the range controls that are there: parameter to widget id and what was said about it.
    stage: what was said about the figure.
    """

    address: str
    slug: str
    query: str
    cookie: str = ""
    session: str = ""
    controls: dict[str, tuple[str, dict[str, object]]] = field(default_factory=dict)
    stage: dict[str, Any] = field(default_factory=dict)
    _page: str = ""
    _sent: set[str] = field(default_factory=set)
    _drawn: str = ""
    _lines: list[Line] = field(default_factory=list)
    _drawing: asyncio.Task[None] | None = None
    _widgets: dict[str, WidgetState] = field(default_factory=dict)
    _known: dict[str, ForwardMsg] = field(default_factory=dict)
    _older: dict[str, ForwardMsg] = field(default_factory=dict)
    _socket: ClientConnection | None = None

    @classmethod
    @asynccontextmanager
    async def at(
        cls, address: str, slug: str = "", query: str = "", cookie: str = "", source: str = ""
    ) -> AsyncIterator["Tab"]:
        """Connect, from an address of this machine; the page runs when it is asked to."""
        tab = cls(address, slug, query, cookie)
        try:
            await tab.connect(**({"local_addr": (source, 0)} if source else {}))
            yield tab
        finally:
            await tab.close()

    @property
    def values(self) -> dict[str, str]:
        """The parameters in the address bar."""
        return dict(parse_qsl(self.query, keep_blank_values=True))

    def grid(self, key: str) -> list[str]:
        """The values the slider of `key` can be moved to."""
        grid = self.controls[key][1]["grid"]
        assert isinstance(grid, list)
        return grid

    async def connect(self, **options: object) -> None:
        """Connect, or connect again: with the old cookie, asking for the old session."""
        place = urlsplit(self.address)
        # The second word would be the token against forged requests, which only uploads need.
        words = ["streamlit", "none", *([self.session] if self.session else [])]
        self._socket = await connect(
            f"ws://{place.netloc}/_stcore/stream",
            origin=self.address,
            subprotocols=words,
            additional_headers={"Cookie": self.cookie} if self.cookie else {},
            max_size=None,
            # A busy machine is no failure: what takes longer than the test may, ends it.
            **{"open_timeout": None, "ping_interval": None} | options,
        )
        assert self._socket.response is not None
        for cookie in self._socket.response.headers.get_all("Set-Cookie"):
            if cookie.startswith(f"{COOKIE}="):
                self.cookie = cookie.partition(";")[0]

    async def close(self) -> None:
        """Close the connection, as a tab does that is left."""
        if self._drawing is not None:
            self._drawing.cancel()
            await asyncio.gather(self._drawing, return_exceptions=True)
            self._drawing = None
        if self._socket is not None:
            await self._socket.close()
        for line in self._lines:
            await line.close()
        self._lines.clear()

    async def vanish(self) -> None:
        """Lose the connection without a word."""
        assert self._socket is not None
        self._socket.transport.abort()

    def pause(self) -> None:
        """Take nothing any more, as a phone does in a tunnel."""
        assert self._socket is not None
        self._socket.transport.pause_reading()

    async def run(self, **limit: float) -> Run:
        """Ask the server to run the page, and listen until it has."""
        self._drawn = ""
        await self.ask()
        return await self.listen(**limit)

    async def follow(self, slug: str) -> Run:
        """Follow a link to another page, and listen until it stands."""
        self.slug, self.query, self._page = slug, "", ""
        return await self.run()

    async def release(self, key: str, text: str, **limit: float) -> Run:
        """Let go of the slider of `key` at a value, and listen until page and figure stand."""
        self.set(key, text)
        run, begin = Run(), time.perf_counter()
        self._ask_figure(self.figure_address(**{key: text}), run, begin)
        await self.ask()
        return await self.listen(run, begin, **limit)

    def figure_address(self, **moved: str) -> str:
        """The address of the figure, with some values that the server has not answered."""
        stage = self.stage
        look = {key: value for key, value in stage["look"].items() if value}
        # Older checkouts have drawings beside specs, which have themes, or have none yet.
        if stage.get("drawn") or "theme" not in look:
            look = {key: part for key, part in look.items() if key != "theme"} | {"across": "960"}
        query = stage["query"] | moved | look | {"v": stage["version"]}
        return f"{stage['figure']}?{urlencode(query)}"

    async def figure(self, address: str) -> AsyncIterator[dict[str, Any]]:
        """Ask for a figure, on a line that is free."""
        line = self._lines.pop() if self._lines else Line(self.address)
        name, token = self.stage["token"]
        headers = {name: token} | ({"Cookie": self.cookie} if self.cookie else {})
        try:
            async for line_read in line.ask(address, headers):
                yield line_read
        except asyncio.IncompleteReadError as error:
            await line.close()
            raise ConnectionError(f"{address}: the server hung up") from error
        except BaseException:
            await line.close()
            raise
        self._lines.append(line)

    def _ask_figure(self, address: str, run: Run, begin: float) -> None:
        if address == self._drawn:
            return
        self._drawn = address

        async def draw() -> None:
            async for drawn in self.figure(address):
                run.draw(drawn, time.perf_counter() - begin)

        if self._drawing is not None:
            self._drawing.cancel()
        self._drawing = asyncio.create_task(draw())

    def set(self, key: str, text: str) -> None:
        """Set the slider of `key`; the server hears of it when it is asked next."""
        widget, _ = self.controls[key]
        state = json.dumps({"end": {"text": text, "number": next(_numbers)}})
        self._widgets[widget] = WidgetState(id=widget, json_value=state)

    async def ask(self) -> None:
        """Ask the server to run the page."""
        assert self._socket is not None
        message = BackMsg()
        request = message.rerun_script
        request.query_string = self.query
        request.page_script_hash = self._page
        request.page_name = "" if self._page else self.slug
        request.widget_states.widgets.extend(self._widgets.values())
        request.cached_message_hashes.extend(self._known)
        request.context_info.url = f"{self.address}/{self.slug}?{self.query}"
        request.context_info.color_scheme = "light"
        await self._socket.send(message.SerializeToString())

    async def listen(
        self, run: Run | None = None, begin: float | None = None, *, seconds: float = 900.0
    ) -> Run:
        """Take messages until the script has finished and its figure stands."""
        run, begin = run or Run(), begin or time.perf_counter()
        self._older, self._known = self._known, {}
        async with asyncio.timeout(seconds):
            while await self._take(run, begin):
                pass
            if self._drawing is not None:
                await self._drawing
        self._drawing = None
        run.finished = time.perf_counter() - begin
        return run

    def _leave_out(self) -> None:
        """Let go of the controls that a run of the whole page has not sent again."""
        self.controls = {k: one for k, one in self.controls.items() if one[0] in self._sent}
        self._widgets = {k: one for k, one in self._widgets.items() if k in self._sent}

    async def _take(self, run: Run, begin: float) -> bool:
        assert self._socket is not None
        data = await self._socket.recv(decode=False)
        run.messages += 1
        run.received += len(data)
        message = ForwardMsg()
        message.ParseFromString(data)
        match message.WhichOneof("type"):
            case "new_session":
                self.session = message.new_session.initialize.session_id
                self._sent = set()
            case "navigation":
                self._page = message.navigation.page_script_hash
            case "page_info_changed":
                self.query = message.page_info_changed.query_string
            case "ref_hash":
                message = (self._older | self._known)[message.ref_hash]
            case "script_finished":
                if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    self._leave_out()
                return message.script_finished not in _DONE
        if message.metadata.cacheable:
            self._known[message.hash] = message
        component = message.delta.new_element.bidi_component
        if component.component_name == "dpviz.range":
            data = json.loads(component.json)
            self.controls[data["key"]] = component.id, data
            self._sent.add(component.id)
        if component.component_name == "dpviz.stage":
            self.stage = json.loads(component.json)
            self._ask_figure(self.figure_address(), run, begin)
        run.take(message)
        return True


def played(scene: Coroutine[Any, Any, T], seconds: float = 3600) -> T:
    """Run a scene to its end, in a thread: Playwright keeps an event loop in this one."""
    return run(asyncio.wait_for(scene, seconds))
