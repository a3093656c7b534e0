"""Which results of a computation become lines, when, and in which threads they are drawn."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator
from functools import partial
from typing import Protocol

from dpviz.results.evidence import Result
from dpviz.scene.pulled import pulled_in
from dpviz.serve import placeholders
from dpviz.serve.figure_request import FigureRequest
from dpviz.serve.jobs import BusyError, Job, Listener, Wish
from dpviz.serve.lines import adapted, line, odds, waiting
from dpviz.serve.lines import drawn as drawn_as
from dpviz.serve.scheduler import SCHEDULER
from dpviz.serve.workers import DRAWINGS, PLAYS, SLOW_DRAWINGS

_PATIENCE = 0.04  # seconds a figure of a movement waits for a finer one
_PAUSE = 0.1  # seconds between the first two lines at least
_WIDENING = 1.6  # from each pause between two lines to the next
_LONGEST = 1.0  # seconds of a pause
_LOOK = 0.2  # seconds between looks whether the reader is still there
_HEAVY = 0.3  # seconds of computing after which a figure is drawn among other slow ones


class Reader(Protocol):
    """Who waits for a figure."""

    async def is_disconnected(self) -> bool:
        """Return whether nobody waits any more."""


async def results(
    reader: Reader, request: FigureRequest
) -> AsyncGenerator[tuple[bytes, bool], None]:
    """Yield results as they come, but no more than there is time to look at, and which are whole.

    A figure of a movement is one only: the first, or a finer one that comes soon after it.
    """
    loop, news, plays = asyncio.get_running_loop(), asyncio.Event(), request.look.frames
    view = adapted(request.scene, request.look)
    computation, grant, before = request.computation(), request.grant, request.previous_charts()
    promise = await DRAWINGS.do(odds, request.scene)
    pulled = pulled_in(request.scene)
    long = grant is not None and grant.unlimited == computation.state
    drawn, due, pause = 0, 0.0, _PAUSE
    wish = Wish.ALL if long else request.wish

    def tell() -> None:
        with contextlib.suppress(RuntimeError):  # the server has ended
            loop.call_soon_threadsafe(news.set)

    def draw(result: Result, whole: bool, last: bool) -> bytes:
        old = () if last and not request.moving else before
        return line(
            view,
            result,
            request.look,
            whole=whole,
            corrections=request.notes,
            odds=promise,
            before=old,
            pulled=pulled,
            moving=request.moving,
        )

    with SCHEDULER.watched(computation, tell, Listener(wish, request.client)) as job:
        if grant is not None and not request.moving:
            grant.computation = job.computation
            job.computation.resumable = True
        async for _ in _seen(reader, job, news):
            if request.moving and job.count:
                await _finer(job, news)
            ended = job.ended or (request.moving and job.count > 0)
            count, whole, result = job.count, job.computation.whole, job.computation.result
            if grant is not None and whole and not request.moving:
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
    look = placeholders.usual(request.look)
    is_new = request.is_usual and not placeholders.is_known(request.scene, look)
    if is_new and result is not None and not plays:
        made = partial(drawn_as, view, result, whole=whole, pulled=pulled)
        learn = partial(placeholders.learn, request.scene, made, look)
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
