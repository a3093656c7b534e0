"""GET /figure/<topic>/<view>?<the page's parameters>: a figure as lines of JSON, coarse to fine.

The same link gives everybody the same figure; so finished answers are kept for all readers, and by
their browsers. When a reader goes away, the computation ends.
"""

import asyncio
import contextlib
import logging
import time
import zlib
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Protocol, cast

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from dpviz.plot.filling import drawn_by_now
from dpviz.results.caching import Recent
from dpviz.results.evidence import Chart, Result
from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import decode_link
from dpviz.scene.page import Page
from dpviz.scene.pulled import pulled_in
from dpviz.scene.scene import Scene
from dpviz.serve import places
from dpviz.serve.clients import CLIENT, Client, is_vouched, network_of
from dpviz.serve.computing import Computation
from dpviz.serve.faults import kinds
from dpviz.serve.grants import Grant, recognised
from dpviz.serve.jobs import BusyError, Job, Listener, Wish
from dpviz.serve.lines import LOOKS, Look, adapted, charts_before, line, odds, problem, waiting
from dpviz.serve.lines import drawn as drawn_as
from dpviz.serve.monitor import FIRST_LINES
from dpviz.serve.scheduler import SCHEDULER
from dpviz.serve.topics import Topics
from dpviz.serve.workers import DRAWINGS, PLAYS, SLOW_DRAWINGS, STARTS

TOKEN = "x-dpviz-session"
BUSY = "x-dpviz-busy"  # header of an answer without a figure, because others are waiting
CALM = "This figure could not be computed. The parameters above still work; try other values."
CROWDED = "Many figures are being computed. Ask for this one again in a few seconds."
_ABOUT = (
    "moving",
    "whole",
    "idle",
    "v",
    "n",
    "since",
)  # what an address says beside parameters and looks
_PATIENCE = 0.04  # seconds a figure of a movement waits for a finer one
_PAUSE = 0.1  # seconds between the first two lines at least
_WIDENING = 1.6  # from each pause between two lines to the next
_LONGEST = 1.0  # seconds of a pause
_LONG_TEXT = 100_000  # bytes: they take some milliseconds to pack
_LOOK = 0.2  # seconds between looks whether the reader is still there

Stream = AsyncGenerator[bytes, None]

_log = logging.getLogger(__name__)
_HEAVY = 0.3  # seconds of computing after which a figure is drawn among other slow ones
ANSWERS = Recent[bytes](32 * 2**20)


class Reader(Protocol):
    """Who waits for a figure."""

    async def is_disconnected(self) -> bool:
        """Return whether nobody waits any more."""


class _Waiting:
    """Readers who are still to come."""

    async def is_disconnected(self) -> bool:
        return False


@cache
def version() -> str:
    """Return a mark of this version of dpviz: another version gives other figures."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def fields(query: QueryParams) -> dict[str, list[str]]:
    """Return what an address says, by key, in time that grows with its length only."""
    found: dict[str, list[str]] = {}
    for key, value in query.multi_items():
        found.setdefault(key, []).append(value)
    return found


@dataclass(frozen=True)
class Asked:
    """What an address asks for, and who asks.

    since: the scene whose figure the reader has seen last, if this one follows it. said: what was
    answered in its rounds, a letter each, where no session keeps that.
    """

    scene: Scene
    notes: tuple[str, ...]
    look: Look
    moving: bool
    idle: bool
    grant: Grant | None
    client: Client
    since: Scene | None = None
    said: str = ""

    @classmethod
    def read(cls, request: Request, page: Page, key: str) -> "Asked":
        """Read an address as the page reads its own; key: that of the view, or a former one."""
        query = request.query_params
        aside = (*LOOKS, *_ABOUT, "view", "said")
        given = {name: texts for name, texts in fields(query).items() if name not in aside}
        if len(page.views) > 1:
            given["view"] = [key]
        values, notes = decode_link(given, page.url_parameters)
        view = page.open_view(values)
        look = Look.read(query)
        grant, network = recognised(request.headers.get(TOKEN, "")), network_of(request)
        if grant is not None:
            grant.network = network
        token = request.headers.get(TOKEN, "")
        client = Client(network, token if is_vouched(token, network) else "")
        if grant is not None:
            client = grant.client
        moving, idle = (query.get(word) == "1" for word in ("moving", "idle"))
        since = None
        if "since" in query:
            before = given | fields(QueryParams(query["since"]))
            since = Scene(page, view, decode_link(before, page.url_parameters)[0])
        said = view.rounds.read(query.get("said", "")) if view.rounds and grant is None else ""
        scene = Scene(page, view, values)
        return cls(scene, notes, look, moving, idle, grant, client, since, said)

    @property
    def wish(self) -> Wish:
        """How far the computation is to go, if nobody asked for all of it."""
        return Wish.SOON if self.moving else Wish.IDLE if self.idle else Wish.LINK

    @property
    def address(self) -> tuple[object, ...]:
        """All that the answer depends on, for everybody."""
        scene = self.scene
        return (scene.page.slug, scene.view.key, *scene.query.items(), self.notes, self.look)

    @property
    def is_usual(self) -> bool:
        """Whether the figure is one that everybody gets of a link, at rest."""
        return not self.moving and not self.look.guess and self.scene.is_common

    def computation(self) -> Computation:
        """Return the computation that answers, as far as the session has it."""
        return self._of(self.scene)

    def before(self) -> tuple[Chart, ...]:
        """Return the charts that the reader has seen last, if they are still known here.

        Of charts in part, the curves that are told by then.
        """
        if self.since is None:
            return ()
        computation = self._of(self.since)
        whole = computation.whole  # asked first: what is finer may come in between
        charts = charts_before(computation.result, self.look)
        return charts if whole else tuple(map(drawn_by_now, charts))

    def _of(self, scene: Scene) -> Computation:
        if self.grant is None:
            rounds = scene.view.rounds
            return Computation(scene, {rounds.keyword: self.said} if rounds and self.said else {})
        return self.grant.resumed(Computation(scene, self.grant.lent(scene)))

    @property
    def refused(self) -> str:
        """Why the reader's own data, which the figure would show, cannot be used, or ""."""
        return "" if self.grant is None or self.scene.upload is None else self.grant.refused


def routes(topics: Topics) -> list[Route]:
    """Return the routes of all figures."""

    async def figure(request: Request) -> Response:
        name = request.path_params["topic"]
        page = topics.loaded(name) or await STARTS.do(topics.page, name)
        key = request.path_params["view"]
        if page is None or key not in page.keys_of_views:
            return PlainTextResponse("There is no such figure.\n", 404)
        asked = Asked.read(request, page, key)
        CLIENT.set(asked.client)
        if asked.idle:
            return await _ahead(request, asked)
        if asked.scene.is_common and (kept := ANSWERS.get(asked.address)) is not None:
            return _kept(request, asked, kept)
        return _streamed(request, asked)

    return [Route("/figure/{topic}/{view}", figure, methods=["GET"])]


async def make_ready(scene: Scene, look: Look) -> None:
    """Compute and draw what many will ask for at once, and keep it."""
    asked = Asked(scene, (), look, moving=False, idle=False, grant=None, client=CLIENT.get())
    await _keep(_Waiting(), asked)


async def _ahead(request: Request, asked: Asked) -> Response:
    """Compute what may be asked for next, and keep it; never while anybody else waits."""
    if len(SCHEDULER):
        return Response(status_code=204, headers={BUSY: "1"})
    await _keep(request, asked)
    return Response(status_code=204)


async def _keep(reader: Reader, asked: Asked) -> None:
    if asked.scene.is_common and ANSWERS.get(asked.address) is None:
        async with contextlib.aclosing(_lines(reader, asked)) as lines:
            async for _ in lines:
                pass


def _kept(request: Request, asked: Asked, packed: bytes) -> Response:
    """Return a whole answer, which browsers keep as long as dpviz is the same."""
    mark = f'W/"{sha256(repr((version(), asked.address)).encode()).hexdigest()[:20]}"'
    known = request.query_params.get("v") == version()
    keep = "public, max-age=86400, immutable" if known else "no-cache"
    headers = {"ETag": mark, "Cache-Control": keep, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == mark:
        return Response(status_code=304, headers=headers)
    if not _unpacks(request):
        packed = zlib.decompress(packed, wbits=31)
    else:
        headers["Content-Encoding"] = "gzip"
    return Response(packed, headers=headers, media_type="application/x-ndjson")


def _unpacks(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


class _Lines(StreamingResponse):
    """A stream that ends its source when the reader goes, and not when memory is tidied up."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with contextlib.aclosing(cast(AsyncGenerator[bytes, None], self.body_iterator)):
            await super().__call__(scope, receive, send)


def _streamed(request: Request, asked: Asked) -> Response:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    # Named even where nothing is packed: else a middleware would hold lines back to pack them.
    headers["Content-Encoding"] = "gzip" if _unpacks(request) else "identity"
    if request.method == "HEAD":  # nobody gets what would be computed
        return Response(headers=headers, media_type="application/x-ndjson")
    body = _packed(_timed(_lines(request, asked)), pack=_unpacks(request))
    return _Lines(body, headers=headers, media_type="application/x-ndjson")


async def _timed(lines: Stream) -> Stream:
    """Pass lines on, and note how long the first of them took."""
    begin, is_first = time.monotonic(), True
    async with contextlib.aclosing(lines):
        async for text in lines:
            if is_first:
                FIRST_LINES.note(time.monotonic() - begin)
                is_first = False
            yield text


async def _packed(lines: Stream, *, pack: bool) -> Stream:
    """Compress lines so that each can be read as it arrives."""
    packer = zlib.compressobj(1, wbits=31)
    async with contextlib.aclosing(lines):
        async for text in lines:
            yield await _pressed(text, packer, zlib.Z_SYNC_FLUSH) if pack else text
    if pack:
        yield packer.flush()


async def _pressed(text: bytes, packer: "zlib._Compress", end: int) -> bytes:
    """Return a text compressed; a long one in another thread, as the event loop answers all."""

    def press() -> bytes:
        return packer.compress(text) + packer.flush(end)

    if len(text) >= _LONG_TEXT:
        with contextlib.suppress(BusyError):  # what is drawn is not thrown away
            return await SLOW_DRAWINGS.do(press)
    return press()


async def _lines(reader: Reader, asked: Asked) -> Stream:
    """Yield the lines of an answer; keep the last if it is whole and for everybody."""
    last = (b"", False)
    if refused := asked.refused:
        yield problem(refused, grave=False)
        return
    try:
        async with contextlib.aclosing(_results(reader, asked)) as results:
            async for last in results:
                yield last[0]
    except ParameterError as refusal:
        yield problem(str(refusal), grave=False)
    except BusyError:
        yield problem(CROWDED, grave=False, busy=True)
    except Exception as fault:
        _log.error("%s failed: %s", asked.scene.name, kinds(fault))
        yield problem(CALM, grave=True)
    else:
        text, whole = last
        if whole and asked.scene.is_common and not asked.moving:
            packer = zlib.compressobj(6, wbits=31)
            ANSWERS.add(asked.address, await _pressed(text, packer, zlib.Z_FINISH))


async def _results(reader: Reader, asked: Asked) -> AsyncGenerator[tuple[bytes, bool], None]:
    """Yield results as they come, but no more than there is time to look at, and which are whole.

    A figure of a movement is one only: the first, or a finer one that comes soon after it.
    """
    loop, news, plays = asyncio.get_running_loop(), asyncio.Event(), asked.look.frames
    view = adapted(asked.scene, asked.look)
    computation, grant, before = asked.computation(), asked.grant, asked.before()
    said = await DRAWINGS.do(odds, asked.scene)
    pulled = pulled_in(asked.scene)
    long = grant is not None and grant.leave == computation.state
    drawn, due, pause = 0, 0.0, _PAUSE
    wish = Wish.ALL if long else asked.wish

    def tell() -> None:
        with contextlib.suppress(RuntimeError):  # the server has ended
            loop.call_soon_threadsafe(news.set)

    def draw(result: Result, whole: bool, last: bool) -> bytes:
        old = () if last and not asked.moving else before
        return line(
            view,
            result,
            asked.look,
            whole=whole,
            corrections=asked.notes,
            odds=said,
            before=old,
            pulled=pulled,
            moving=asked.moving,
        )

    with SCHEDULER.watched(computation, tell, Listener(wish, asked.client)) as job:
        if grant is not None and not asked.moving:
            grant.computation = job.computation
            job.computation.kept = True
        async for _ in _seen(reader, job, news):
            if asked.moving and job.count:
                await _finer(job, news)
            ended = job.ended or (asked.moving and job.count > 0)
            count, whole, result = job.count, job.computation.whole, job.computation.result
            if grant is not None and whole and not asked.moving:
                grant.shown = job.computation
            if long and not ended and (ahead := SCHEDULER.ahead(job)):
                yield waiting(ahead), False
            is_due = count > drawn and time.monotonic() >= due and not plays
            if result is not None and (ended or is_due):
                begin = time.monotonic()
                slow = job.computation.spent > _HEAVY
                artists = PLAYS if plays else SLOW_DRAWINGS if slow else DRAWINGS
                yield await artists.do(draw, result, whole, ended), whole
                # No more time goes into drawing than into computing, however many draw at once.
                end = time.monotonic()
                drawn, due = count, end + max(pause, 2 * (end - begin))
                pause = min(pause * _WIDENING, _LONGEST)
            if ended:
                break
        if job.fault is not None:
            raise job.fault
    is_new = asked.is_usual and not places.is_known(asked.scene, asks=asked.look.ask)
    if is_new and result is not None and not plays:
        made = partial(drawn_as, view, result, whole=whole, pulled=pulled)
        learn = partial(places.learn, asked.scene, made, asks=asked.look.ask)
        with contextlib.suppress(BusyError):
            await SLOW_DRAWINGS.do(learn)


async def _seen(reader: Reader, job: Job, news: asyncio.Event) -> AsyncIterator[None]:
    """Yield whenever there may be news, until the reader has gone."""
    while True:
        news.clear()
        yield
        if job.ended:
            news.set()  # the end itself is still to be seen
        try:
            await asyncio.wait_for(news.wait(), _LOOK)
        except TimeoutError:
            if await reader.is_disconnected():
                return


async def _finer(job: Job, news: asyncio.Event) -> None:
    """Wait a little for something finer than the first result there is."""
    end = time.monotonic() + _PATIENCE
    while not job.ended and (left := end - time.monotonic()) > 0:
        news.clear()
        try:
            await asyncio.wait_for(news.wait(), left)
        except TimeoutError:
            return
