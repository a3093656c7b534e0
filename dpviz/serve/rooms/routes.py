"""The routes of rooms, beside Streamlit: a class is no Streamlit session.

    GET  /room?at=<link>       the page that opens a room there
    GET  /room/notes           a lecturer's notes beside a projector without a room
    GET  /room/notes/plan?at=  what the lecture has planned at a link
    POST /room/<code>          opens it; the answer is the lecturer's page, with what it leads by
    GET  /room/<code>          a phone's page; ?k= is of a QR code alone, ?word= what is asked
    GET  /room/<code>/screen   the lecturer's page, for a projector; POST where cookies are not kept
    POST /room/<code>/speaker  the speaker's view, in a second window; GET where cookies are kept
    GET  /room/<code>/plan     what the lecture has planned for where the class is
    GET  /room/<code>/events   what changes, for phones; with ?screen for the lecturer's page, and
                               with ?speaker for the speaker's view
    POST /room/<code>/answer   a phone's answer
    POST /room/<code>/leave    the last word of a phone whose browser keeps nothing
    POST /room/<code>/do       what the lecturer does
    GET  /room/<code>/counts   all counts as CSV
    GET  /room/<code>/report   what was asked and answered, as a page to print
    GET  /room/<code>/sketches what the class has drawn, as a figure; with .csv or .png as a file

The code leads the path, so that a proxy can send a room to the one process that has it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from dpviz.scene.page import csv_text
from dpviz.scene.scene import Scene
from dpviz.serve import local_network, quotas
from dpviz.serve.clients import CLIENT, Client, network_id
from dpviz.serve.figures import make_ready
from dpviz.serve.jobs import BusyError
from dpviz.serve.lines import STEP, Look, line
from dpviz.serve.rooms import modes, proof, scenes, sheets, sketching, speaking, streams
from dpviz.serve.rooms.asking import LONGEST_ANSWER, Predicted, Prompt, Question, RoomError, table
from dpviz.serve.rooms.report import report
from dpviz.serve.rooms.room import (
    GONE,
    NOTHING,
    STRANGER,
    NoRoomError,
    RateLimits,
    Room,
    Slide,
    is_code,
    written,
)
from dpviz.serve.rooms.senders import (
    belongs,
    for_phones,
    form,
    give_secret,
    give_token,
    host,
    is_here,
    json,
    keeps,
    leads,
    phones,
    port,
    reads,
    same_site,
    site,
    speaks,
)
from dpviz.serve.rooms.shared import SharedStore
from dpviz.serve.rooms.store import LostError, MemoryStore, RoomStore
from dpviz.serve.site import at, prefix
from dpviz.serve.topics import Topics
from dpviz.serve.workers import ASIDES, FILES, ROOMS
from dpviz.topics.classroom.views import class_sketches_shown

_LONGEST_ADDRESS = 500  # characters, in a QR code that a phone can read
_WIDTHS = range(320, 401, STEP)  # pixels, of figures on phones whose screens have 350 to 440
_SOON = 0.3  # seconds that phones wait for a figure which is the same for all of them
_IN_MEMORY = (
    "Answers are kept in the memory of this server only: a restart of the server, three hours of "
    "silence or your click end the room and forget all of it."
)
_DURABLE = "Three hours of silence or your click end the room and forget all of it."
_COMPUTED = ("go", "predict", "sketch", "ask", "reveal")  # words for which something is
_KEEP = "public, max-age=86400, immutable"

_NOT_YOURS = "Only the browser that opened this room leads it."

Handler = Callable[[Request], Awaitable[Response]]


class Classrooms:
    """All rooms of this process, and what is asked of them."""

    def __init__(
        self,
        topics: Topics,
        clock: Callable[[], float] = time.monotonic,
        shared: str = "",
        processes: int = 1,
    ) -> None:
        """Keep rooms in this process, one of so many, or where `shared`, a Redis URL, says so."""
        self.hub, self._topics = streams.Hub(), topics
        self._drawing: set[asyncio.Task[None]] = set()
        self._computations = RateLimits(clock, *quotas.ROOM_COMPUTATIONS)
        self.store: RoomStore = MemoryStore(self.hub, clock, processes)
        if shared:
            self.store = SharedStore(shared, self.hub, topics, clock)

    @property
    def _kept(self) -> str:
        """What a lecturer is told of how long answers are kept."""
        return _DURABLE if self.store.durable else _IN_MEMORY

    def routes(self) -> list[Route]:
        """Return the routes of all rooms."""
        endpoints = [
            ("GET", "/room", self._begin),
            ("GET", "/room/files/{version}/{name}", self._file),
            ("GET", "/room/notes", self._notes),
            ("GET", "/room/notes/plan", self._notes_plan),
            ("POST", "/room/{code}", self._open),
            ("GET", "/room/{code}", self._phone),
            ("GET", "/room/{code}/screen", self._screen),
            ("POST", "/room/{code}/screen", self._screen),
            ("GET", "/room/{code}/speaker", self._speaker),
            ("POST", "/room/{code}/speaker", self._speaker),
            ("GET", "/room/{code}/plan", self._plan),
            ("GET", "/room/{code}/qr.svg", self._qr),
            ("GET", "/room/{code}/events", self._events),
            ("POST", "/room/{code}/answer", self._answer),
            ("POST", "/room/{code}/leave", self._leave),
            ("POST", "/room/{code}/do", self._do),
            ("GET", "/room/{code}/counts", self._counts),
            ("GET", "/room/{code}/report", self._report),
            ("GET", "/room/{code}/sketches", self._sketches),
            ("GET", "/room/{code}/sketches.{kind}", self._sketch_file),
        ]
        return [Route(path, _careful(handler), methods=[verb]) for verb, path, handler in endpoints]

    # ---- pages -----------------------------------------------------------------------------

    async def _begin(self, request: Request) -> Response:
        """Return the page that opens a room; or lead to the room whose code is asked for.

        Another process may have that room: so its path is all that is asked of here.
        """
        if code := request.query_params.get("code", ""):
            return _to_room(written(code))
        link = scenes.page_link(request.query_params.get("at", "/"))
        return await self._offer(network_id(request), link)

    async def _offer(self, client: str, link: str, words: str = "", status: int = 200) -> Response:
        """Return the page that opens a room; where many are taken, it has something to compute."""
        code = self.store.fresh_code()
        task = proof.task(code, client, await self.store.crowding())
        values = {"at": link, "code": code, "kept": self._kept, "task": task, "words": words}
        page = sheets.sheet("open", **values)
        return HTMLResponse(page, status, {"Cache-Control": "no-store"})

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        found = sheets.served(name)
        if found is None:
            raise RoomError("There is no such file.", 404)
        content, kind = found
        headers = {"Cache-Control": _KEEP, "Vary": "Accept-Encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"], content = "gzip", sheets.packed(name)
        return Response(content, media_type=kind, headers=headers)

    async def _open(self, request: Request) -> Response:
        same_site(request)
        code, client, given = request.path_params["code"], network_id(request), await form(request)
        link = scenes.page_link(given.get("at", ["/"])[-1])
        if not proof.is_done(
            given.get("work", [""])[-1], code, client, await self.store.crowding()
        ):
            return await self._offer(client, link, proof.TO_COMPUTE, 403)
        room = await self.store.open(code, link, client)
        return await self._lead(request, room)

    async def _lead(self, request: Request, room: Room) -> Response:
        """Return the page by which a room is led, to the browser that may lead it."""
        named, where = host(request), for_phones(request)
        is_local = is_here(request) and not local_network.public_address()
        # What phones of the network reach, where this screen is shown on the machine itself.
        near = await ROOMS.do(local_network.reached, port(request)) if is_local else []
        typed = f"{near[0]}:{port(request)}{prefix(request.scope)}" if near else ""
        typed = typed or where.partition("://")[2] or named
        words = {
            "host": named,
            "short": f"{typed}/room",
            "local": " ".join(near or ["nowhere"]) if is_local or not where else "",
            "kept": self._kept,
            "secret": room.secret,
            "read": room.reading,
        }
        spoken = sheets.spoken(room.code)
        words |= {"spoken": spoken, "title": f"{spoken}, for the projector"}
        page = sheets.sheet("screen", code=room.code, **words)
        answer = HTMLResponse(page, headers={"Cache-Control": "no-store"})
        give_secret(answer, request, room)
        return answer

    @staticmethod
    async def _address(request: Request, room: Room) -> str:
        """Return the address of a QR code, whose secret part nobody guesses."""
        near = request.query_params.get("at", "")
        where = for_phones(request) or site(request)
        if near and is_here(request) and near in await ROOMS.do(local_network.own_addresses):
            where = f"http://{near}:{port(request)}{prefix(request.scope)}"
        word = f"&word={room.word}" if room.word else ""
        return f"{where}/room/{room.code}?k={room.key}{word}"

    async def _phone(self, request: Request) -> Response:
        code = request.path_params["code"]
        if code != written(code):
            return _to_room(written(code))
        room = await self._room(request)
        if request.method == "HEAD":  # who only looks does not take part
            return HTMLResponse(headers={"Cache-Control": "no-store"})
        token = phones(request, room)
        if not (token and room.admits(token)):
            try:
                word = request.query_params.get("word", "")
                token = await self.store.welcome(room, network_id(request), word)
            except RoomError as refusal:
                return _outside(request, room, refusal)
        page = sheets.sheet("phone", code=room.code, spoken=sheets.spoken(room.code), phone=token)
        answer = HTMLResponse(page, headers={"Cache-Control": "no-store"})
        give_token(answer, request, token, room)
        return answer

    async def _screen(self, request: Request) -> Response:
        """Return the lecturer's page, to the browser that may lead the room."""
        room = await self._room(request)
        if not await _may_lead(request, room):
            return _not_theirs(room)
        return await self._lead(request, room)

    async def _speaker(self, request: Request) -> Response:
        """Return the speaker's view, to the browser that may lead the room."""
        room = await self._room(request)
        if not await _may_lead(request, room):
            return _not_theirs(room)
        keys = {"secret": room.secret, "read": room.reading, "speaker": room.speaking}
        title = f"{sheets.spoken(room.code)}, for the speaker"
        page = sheets.sheet("speaker", code=room.code, title=title, **keys)
        answer = HTMLResponse(page, headers={"Cache-Control": "no-store"})
        give_secret(answer, request, room)
        return answer

    async def _notes(self, _: Request) -> Response:
        page = sheets.sheet("notes", title="Notes, for the speaker")
        return HTMLResponse(page, headers={"Cache-Control": "no-store"})

    async def _notes_plan(self, request: Request) -> Response:
        self._allow()
        link = scenes.page_link(request.query_params.get("at", "/"))
        return _json(await ROOMS.do(speaking.plan, link, self._topics))

    async def _plan(self, request: Request) -> Response:
        room = await self._speakers(request)
        self._allow()
        return _json(await ROOMS.do(speaking.plan, room.link, self._topics))

    async def _qr(self, request: Request) -> Response:
        room = await self._readers(request)
        self._allow()
        address = await self._address(request, room)
        if len(address) > _LONGEST_ADDRESS:
            raise RoomError("The name of this site is too long for a QR code.", 400)
        drawn = await ASIDES.do(sheets.qr_code, address)
        return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})

    # ---- events ----------------------------------------------------------------------------

    async def _events(self, request: Request) -> Response:
        sweep = self.store.sweep
        if "speaker" in request.query_params:
            room, phone = await self._speakers(request), ""
            state = room.for_speaker
        elif "screen" in request.query_params:
            room, phone = await self._readers(request), ""
            state = room.for_screen
        else:
            room = await self._room(request)
            phone, state = _phone(request, room), room.for_screen
        if request.method == "HEAD":  # nobody would listen
            return Response(headers=streams.HEADERS, media_type="text/event-stream")
        if phone:
            await self.store.join(room, phone)

        async def seen() -> None:
            with suppress(LostError):  # it is seen again soon
                await self.store.seen(room, phone)

        if phone:
            left = partial(self.store.left, room, phone)
            has_cookie = keeps(request, phone)
            events = streams.for_phone(
                self.hub, room, phone, sweep, seen, left, has_cookie=has_cookie
            )
        else:
            events = streams.for_screen(self.hub, room, sweep, seen, state)
        return StreamingResponse(events, headers=streams.HEADERS, media_type="text/event-stream")

    # ---- what phones and lecturers do ------------------------------------------------------

    async def _answer(self, request: Request) -> Response:
        same_site(request)
        room = await self._room(request)
        body = await json(request)
        match body:
            case {"question": int(number), "round": int(given), "answer": str(text)} if (
                len(text) <= LONGEST_ANSWER
            ):
                phone = _phone(request, room)
                await self.store.answer(room, phone, number, given, text)
            case _:
                raise RoomError("This answer cannot be read.", 400)
        return _json({"counted": True})

    async def _leave(self, request: Request) -> Response:
        """Take back the place of a phone that joins anew if its page is loaded again."""
        same_site(request)
        room = await self._room(request)
        await self.store.leave(room, _phone(request, room))
        return _json({"left": True})

    async def _do(self, request: Request) -> Response:
        same_site(request)
        room = await self._lecturers(request)
        body = await json(request)
        await self._led(room, body)
        return _json({"done": True})

    async def _led(self, room: Room, body: dict[str, Any]) -> None:
        """Do what the lecturer says."""
        word, lead = body.get("word"), self.store.lead
        if word in _COMPUTED:
            self._allow()
        if word == "go":
            link = scenes.page_link(body.get("link"))
            heading = scenes.prompt_at(link) or body.get("heading")
            slide = await ROOMS.do(scenes.slide, self._topics, body.get("figure"), heading)
            await self._go(room, slide, link, body.get("question"))
        elif word == "predict":
            if room.slide is not None:
                await self._make_ready(room.slide, ask=True)
            await lead(room, room.predict)
        elif word == "sketch":
            await self._ask_sketch(room)
        elif word == "ask":
            prompt = await ROOMS.do(modes.prompt_of, body, len(room.joined))
            await lead(room, lambda: room.ask(prompt))
        elif word == "reveal":
            await self._reveal(room)
        elif word == "countdown":
            seconds = body.get("seconds")
            await lead(room, lambda: room.count_down(seconds if type(seconds) is int else 0))
        elif word == "leave out":
            answer = str(body.get("answer"))[: LONGEST_ANSWER + 1]
            await lead(room, lambda: room.leave_out(answer))
        elif word == "clear":
            await self.store.clear(room, str(body.get("mark")))
        elif word == "end":
            await self.store.end(room)
        else:
            await lead(room, lambda: room.act(str(word)))

    def _allow(self) -> None:
        """Have the network that asks for something to be computed do so no faster than people do.

        Asked for before anything is, whatever the rooms. Raises `RoomError`.
        """
        self._computations.of(CLIENT.get().network_id).take()

    async def _reveal(self, room: Room) -> None:
        question = room.question
        exactly, truth = ("", "") if question is None else question.prompt.answer
        predicted = question is not None and isinstance(question.prompt, Predicted)
        if predicted and room.slide is not None:
            exactly, truth = await ROOMS.do(room.slide.answer)
        number = 0 if question is None else question.number

        def reveal() -> None:
            if question is None or (room.question is not None and room.question.number == number):
                room.reveal(exactly, truth)  # else another step came first

        await self.store.lead(room, reveal)

    async def _go(self, room: Room, slide: Slide, link: str, last: object) -> None:
        """Show a scene; a link with ``class=`` asks its heading, or for its curve, once.

        So does a scene with a question of the lecturer's own.

        A curve that is to be drawn is asked for in the same breath, lest phones are led to it.
        """
        kind = parse_qs(urlsplit(link).query).get("class", [""])[-1]
        prompt, latest = slide.prompt, last if isinstance(last, int) else None
        if kind == "sketch" and not room.is_at(slide):
            prompt = await _sketch_of(slide)
        elif kind and not room.is_at(slide):
            body = {"kind": kind, "text": slide.heading, "epsilon": slide.query.get("epsilon", "1")}
            prompt = await ROOMS.do(modes.prompt_of, body, len(room.joined))
        if not room.is_at(slide):
            await self._make_ready(slide, ask=slide.ask or kind == "sketch")

        def go() -> None:
            if room.go(slide, link, asks=bool(kind), latest=latest) and prompt is not None:
                room.ask(prompt, slide.seconds)

        await self.store.lead(room, go)

    async def _make_ready(self, slide: Slide, *, ask: bool) -> None:
        """Draw the figure for all phones once, before they are led to it, if that is soon done."""
        if slide.scene is not None:
            task = asyncio.create_task(_make_ready(slide.scene, ask=ask))
            self._drawing.add(task)
            task.add_done_callback(self._drawing.discard)
            await asyncio.wait([task], timeout=_SOON)

    async def _ask_sketch(self, room: Room) -> None:
        """Ask the class to draw the curve of what it sees."""
        slide = room.slide
        prompt = await _sketch_of(slide)

        def ask() -> None:
            if slide is not None and room.is_at(slide):  # the lecturer may have gone on
                room.ask(prompt)

        await self.store.lead(room, ask)

    async def _counts(self, request: Request) -> Response:
        room = await self._readers(request)
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="dpviz-room-{room.code}.csv"',
        }
        content = await ROOMS.do(_table, room.questions)
        return Response(content, media_type="text/csv", headers=headers)

    async def _report(self, request: Request) -> Response:
        room = await self._readers(request)
        self._allow()
        page = await ROOMS.do(report, room.questions, room.link, site(request), self._topics)
        return HTMLResponse(page, headers={"Cache-Control": "no-store"})

    async def _sketches(self, request: Request) -> Response:
        """Return the class's figure; before it is shown, axes alone."""
        room = await self._readers(request)
        if room.question is None:
            raise RoomError(NOTHING, 404)
        look = Look.read(request.query_params)
        content = await ROOMS.do(_drawn, room.question, look)
        headers = {"Cache-Control": "no-store"}
        return Response(content, headers=headers, media_type="application/x-ndjson")

    async def _sketch_file(self, request: Request) -> Response:
        """Return the last sketches that were shown, as a table or as a picture."""
        room, kind = await self._readers(request), request.path_params["kind"]
        found = [q for q in room.questions if q.prompt.kind == "sketch" and not q.is_sealed]
        if not found or kind not in ("csv", "png"):
            raise RoomError("No sketches have been shown yet.", 404)
        self._allow()
        content = await FILES.do(sketching.as_file, found[-1], kind)
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="dpviz-room-{room.code}.{kind}"',
        }
        media = {"csv": "text/csv", "png": "image/png"}[kind]
        return Response(content, media_type=media, headers=headers)

    # ---- who may -----------------------------------------------------------------------------

    async def _room(self, request: Request) -> Room:
        """Return the room that is asked for; who only has its code is not to guess it.

        Whether an address has guessed too often is asked before it learns whether it was right.
        """
        client = network_id(request)
        try:
            room = await self.store.find(request.path_params["code"])
        except NoRoomError:
            await self.store.guessed(client, wrong=True)
            raise
        if not belongs(request, room):
            await self.store.guessed(client, wrong=False)
        return room

    async def _readers(self, request: Request) -> Room:
        """Return the room, for the page of the browser that opened it, and its links."""
        room = await self._room(request)
        if not reads(request, room):
            raise RoomError(_NOT_YOURS, 403)
        return room

    async def _speakers(self, request: Request) -> Room:
        """Return the room, for the speaker's view of the browser that opened it."""
        room = await self._room(request)
        if not speaks(request, room):
            raise RoomError(_NOT_YOURS, 403)
        return room

    async def _lecturers(self, request: Request) -> Room:
        """Return the room, for the browser that opened it alone."""
        room = await self._room(request)
        if not leads(request, room):
            raise RoomError(_NOT_YOURS, 403)
        return room


def _phone(request: Request, room: Room) -> str:
    """Return the token of a phone that is known here. Raises `RoomError`."""
    if not (phone := phones(request, room)):
        raise RoomError(STRANGER, 403)
    return phone


async def _may_lead(request: Request, room: Room) -> bool:
    """Return whether the browser that opened a room asks: by its cookie, or by a form.

    A page without cookies posts the secret. WebKit posts once more, as a page is loaded again, what
    the page came by, which need not have it.
    """
    if request.method != "POST":
        return leads(request, room)
    same_site(request)
    given = (await form(request)).get("secret", [""])[-1]
    return room.is_lecturer(given) or leads(request, room)


def _not_theirs(room: Room) -> Response:
    """Return a page that leads on whoever has kept the secret of a room."""
    page = sheets.sheet("again", words=_NOT_YOURS, code=room.code, kind="lead")
    return HTMLResponse(page, 403, {"Cache-Control": "no-store"})


def _outside(request: Request, room: Room, refusal: RoomError) -> Response:
    """Return a page for a phone that is not let in, unless it was here before."""
    words = {"words": str(refusal), "code": room.code, "kind": "phone"}
    words["k"] = request.query_params.get("k", "")
    words["spoken"] = sheets.spoken(room.code)
    page = sheets.sheet("word" if refusal.status == 401 else "again", **words)
    return HTMLResponse(page, refusal.status, {"Cache-Control": "no-store"})


def _careful(handler: Handler) -> Handler:
    """Return the handler, whose refusals become plain answers."""

    async def handled(request: Request) -> Response:
        CLIENT.set(Client(network_id(request)))
        sheets.DEPTH.set(request.scope["path"].count("/"))
        try:
            return await handler(request)
        except RoomError as refusal:
            is_page = request.method == "GET" and not request.url.path.endswith("/events")
            if is_page or "text/html" in request.headers.get("accept", ""):
                page = sheets.refused(str(refusal), ended=refusal.ended)
                return HTMLResponse(page, refusal.status, {"Cache-Control": "no-store"})
            return _json({"refused": str(refusal), "ended": refusal.ended}, refusal.status)
        except (LostError, BusyError):
            return Response("Ask again in a moment.\n", 503, {"Retry-After": "1"})
        except ClientDisconnect:
            return Response(status_code=400)

    return handled


async def _make_ready(scene: Scene, *, ask: bool) -> None:
    """Draw a figure as wide as phones want it, one after the other: the first has to compute it."""
    for width in _WIDTHS:
        await make_ready(scene, Look(narrow=True, ask=ask, width=width, unplayed=True))


def _table(questions: Sequence[Question]) -> str:
    """Return all counts as CSV."""
    return csv_text({name: np.array(column) for name, column in table(questions).items()})


def _drawn(question: Question, look: Look) -> bytes:
    """Return the class's figure as a line."""
    return line(class_sketches_shown.VIEW, sketching.drawn(question), look, whole=True)


async def _sketch_of(slide: Slide | None) -> Prompt:
    """Return the curve of a view as it is asked for, which may take a moment to compute."""
    compute = None if slide is None else slide.sketch
    prompt = None if compute is None else await ROOMS.do(compute)
    if prompt is None:
        raise RoomError("There is no curve to draw here.")
    return prompt


def _to_room(code: str) -> Response:
    if not is_code(code):
        raise RoomError(GONE, 404)
    return RedirectResponse(at(f"/room/{code}", sheets.DEPTH.get()), 303)


def _json(data: object, status: int = 200) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(orjson.dumps(data), status, headers, media_type="application/json")
