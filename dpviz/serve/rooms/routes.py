"""The routes of rooms, beside Streamlit: a class is no Streamlit session.

    GET  /room?at=<link>       the page that opens a room there
    POST /room/<code>          opens it, and gives its lecturer's browser a cookie
    GET  /room/<code>          a phone's page
    GET  /room/<code>/screen   the lecturer's page, for a projector
    GET  /room/<code>/events   what changes, for phones; with ?screen for the lecturer's page
    POST /room/<code>/answer   a phone's answer
    POST /room/<code>/do       what the lecturer does
    GET  /room/<code>/counts   all counts as CSV

The code leads the path, so that a proxy can send a room to the one process that has it.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from dpviz.scene.page import csv_text
from dpviz.serve.rooms import modes, scenes, sheets, streams
from dpviz.serve.rooms.asking import LONGEST_ANSWER, Predicted, RoomError, table
from dpviz.serve.rooms.room import GONE, Room, Rooms, Shown, is_code, written
from dpviz.serve.topics import Topics

LARGEST = 20_000  # bytes of what is sent to a room
_SECRET, _PHONE = "dpviz_room", "dpviz_phone"  # cookies, each of one room
_KEEP = "public, max-age=86400, immutable"

Handler = Callable[[Request], Awaitable[Response]]


class Classrooms:
    """All rooms of this process, and what is asked of them."""

    def __init__(self, topics: Topics, clock: Callable[[], float] = time.monotonic) -> None:
        self.hub = streams.Hub()
        self.rooms = Rooms(clock, on_end=self.hub.tell)
        self._topics = topics

    def routes(self) -> list[Route]:
        """Return the routes of all rooms."""
        asked = [
            ("GET", "/room", self._begin),
            ("GET", "/room/files/{version}/{name}", self._file),
            ("POST", "/room/{code}", self._open),
            ("GET", "/room/{code}", self._phone),
            ("GET", "/room/{code}/screen", self._screen),
            ("GET", "/room/{code}/qr.svg", self._qr),
            ("GET", "/room/{code}/events", self._events),
            ("POST", "/room/{code}/answer", self._answer),
            ("POST", "/room/{code}/do", self._do),
            ("GET", "/room/{code}/counts", self._counts),
        ]
        return [Route(path, _careful(handler), methods=[verb]) for verb, path, handler in asked]

    # ---- pages -----------------------------------------------------------------------------

    async def _begin(self, request: Request) -> Response:
        """Return the page that opens a room; or lead to the room whose code is asked for.

        Another process may have that room: so its path is all that is asked of here.
        """
        if code := request.query_params.get("code", ""):
            return _to_room(written(code))
        at = scenes.page_link(request.query_params.get("at", "/"))
        page = sheets.sheet("open", at=at, code=self.rooms.fresh_code())
        return HTMLResponse(page, headers={"Cache-Control": "no-store"})

    async def _file(self, request: Request) -> Response:
        found = sheets.served(request.path_params["name"])
        if found is None:
            raise RoomError("There is no such file.", 404)
        content, kind = found
        return Response(content, media_type=kind, headers={"Cache-Control": _KEEP})

    async def _open(self, request: Request) -> Response:
        _same_site(request)
        form = parse_qs((await _body(request)).decode("utf-8", "replace"), max_num_fields=9)
        link = scenes.page_link(form.get("at", ["/"])[-1])
        room = self.rooms.open(request.path_params["code"], link)
        answer = RedirectResponse(f"/room/{room.code}/screen", 303)
        _give(answer, request, _SECRET, room.secret, room)
        return answer

    async def _phone(self, request: Request) -> Response:
        code = request.path_params["code"]
        if code != written(code):
            return _to_room(written(code))
        room = self.rooms.find(code)
        token = room.join(request.cookies.get(_PHONE, ""))
        page = sheets.sheet("phone", code=room.code, spoken=sheets.spoken(room.code))
        answer = HTMLResponse(page, headers={"Cache-Control": "no-store"})
        _give(answer, request, _PHONE, token, room)
        self.hub.tell(room)
        return answer

    async def _screen(self, request: Request) -> Response:
        room = self._lecturers(request)
        address = f"{_site(request)}/room/{room.code}"
        short = urlsplit(address).netloc + "/room"
        page = sheets.sheet(
            "screen", code=room.code, spoken=sheets.spoken(room.code), address=address, short=short
        )
        return HTMLResponse(page, headers={"Cache-Control": "no-store"})

    async def _qr(self, request: Request) -> Response:
        room = self.rooms.find(request.path_params["code"])
        drawn = sheets.qr_code(f"{_site(request)}/room/{room.code}")
        return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})

    # ---- events ----------------------------------------------------------------------------

    async def _events(self, request: Request) -> Response:
        sweep = self.rooms.sweep
        if "screen" in request.query_params:
            events = streams.for_screen(self.hub, self._lecturers(request), sweep)
        else:
            room = self.rooms.find(request.path_params["code"])
            phone = request.cookies.get(_PHONE, "")
            if phone not in room.joined:
                raise RoomError("This phone has not joined; load the page again.", 403)
            events = streams.for_phone(self.hub, room, phone, sweep)
        return StreamingResponse(events, headers=streams.HEADERS, media_type="text/event-stream")

    # ---- what phones and lecturers do ------------------------------------------------------

    async def _answer(self, request: Request) -> Response:
        _same_site(request)
        room = self.rooms.find(request.path_params["code"])
        said = await _json(request)
        match said:
            case {"question": int(number), "round": int(given), "answer": str(text)} if (
                len(text) <= LONGEST_ANSWER
            ):
                room.answer(request.cookies.get(_PHONE, ""), number, given, text)
            case _:
                raise RoomError("This answer cannot be read.", 400)
        self.hub.tell(room)
        return _told({"counted": True})

    async def _do(self, request: Request) -> Response:
        _same_site(request)
        room = self._lecturers(request)
        said = await _json(request)
        word = said.get("word")
        if word == "go":
            address, heading = said.get("figure"), said.get("heading")
            shown = await run_in_threadpool(scenes.shown, self._topics, address, heading)
            self._go(room, shown, scenes.page_link(said.get("link")))
        elif word == "predict":
            room.predict()
        elif word == "ask":
            room.ask(modes.asked(said, len(room.joined)))
        elif word == "reveal":
            question = room.question
            predicted = question is not None and isinstance(question.asked, Predicted)
            exactly = ""
            if predicted and room.shown is not None:
                exactly = await run_in_threadpool(room.shown.answer)
            if room.question is question:  # another step may have come first
                room.reveal(exactly)
        elif word == "end":
            self.rooms.end(room)
        else:
            room.act(str(word))
        self.hub.tell(room)
        return _told({"done": True})

    def _go(self, room: Room, shown: Shown, link: str) -> None:
        """Show a scene; a link with ``class=`` asks its heading, once."""
        is_new = room.go(shown, link)
        kind = parse_qs(urlsplit(link).query).get("class", [""])[-1]
        if kind and is_new:
            said = {"kind": kind, "text": shown.heading, "epsilon": shown.query.get("epsilon", "1")}
            room.ask(modes.asked(said, len(room.joined)))

    async def _counts(self, request: Request) -> Response:
        room = self._lecturers(request)
        questions = [*room.past, room.question] if room.question else room.past
        columns = {name: np.array(column) for name, column in table(questions).items()}
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="dpviz-room-{room.code}.csv"',
        }
        return Response(csv_text(columns), media_type="text/csv", headers=headers)

    def _lecturers(self, request: Request) -> Room:
        """Return the room, for the browser that opened it alone."""
        room = self.rooms.find(request.path_params["code"])
        if not room.is_lecturer(request.cookies.get(_SECRET, "")):
            raise RoomError("Only the browser that opened this room leads it.", 403)
        return room


def _careful(handler: Handler) -> Handler:
    """Return the handler, whose refusals become plain answers."""

    async def handled(request: Request) -> Response:
        try:
            return await handler(request)
        except RoomError as refusal:
            is_page = request.method == "GET" and not request.url.path.endswith("/events")
            if is_page or "text/html" in request.headers.get("accept", ""):
                page = sheets.refused(str(refusal))
                return HTMLResponse(page, refusal.status, {"Cache-Control": "no-store"})
            return _told({"refused": str(refusal), "ended": refusal.ended}, refusal.status)
        except ClientDisconnect:
            return Response(status_code=400)

    return handled


def _to_room(code: str) -> Response:
    if not is_code(code):
        raise RoomError(GONE, 404)
    return RedirectResponse(f"/room/{code}", 303)


def _told(data: object, status: int = 200) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(orjson.dumps(data), status, headers, media_type="application/json")


async def _body(request: Request) -> bytes:
    """Return what was sent; no more is read than a room takes."""
    parts, size = [], 0
    async for part in request.stream():
        parts.append(part)
        if (size := size + len(part)) > LARGEST:
            raise RoomError(f"That is more than {LARGEST:,} bytes.", 413)
    return b"".join(parts)


async def _json(request: Request) -> dict[str, Any]:
    try:
        said = orjson.loads(await _body(request))
    except orjson.JSONDecodeError:
        said = None
    if not isinstance(said, dict):
        raise RoomError("This cannot be read.", 400)
    return said


def _same_site(request: Request) -> None:
    """Refuse what a page of another site sends; browsers name the origin of whatever they post."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host", ""):
        raise RoomError("Another site may not speak to a room.", 403)


def _is_secure(request: Request) -> bool:
    return "https" in (request.url.scheme, request.headers.get("x-forwarded-proto", ""))


def _site(request: Request) -> str:
    """Return the address of this site as the lecturer's browser knows it."""
    scheme = "https" if _is_secure(request) else "http"
    return f"{scheme}://{request.headers.get('host', 'localhost')}"


def _give(answer: Response, request: Request, name: str, value: str, room: Room) -> None:
    """Give a browser a cookie for one room, which no script reads."""
    answer.set_cookie(
        name,
        value,
        path=f"/room/{room.code}",
        httponly=True,
        samesite="lax",
        secure=_is_secure(request),
    )
