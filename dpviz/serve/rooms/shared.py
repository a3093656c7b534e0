"""Rooms in Valkey or Redis: all replicas serve one room, and none takes a vote with it as it dies.

Each replica has a copy of the rooms that its readers are in. What phones send goes to the server
first, where one script counts it or refuses it; then all copies follow. What the lecturer does is
done to the copy and kept if no other replica was faster. Keys expire with the room.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import orjson

from dpviz.scene.codec import LONGEST_LINK
from dpviz.serve.clients import CLIENT, Client
from dpviz.serve.quotas import (
    AFTER_IT,
    ALL_GUESSES,
    ALL_GUESSING,
    CLASS,
    DEARER,
    GUESSES,
    GUESSING,
    PHONES,
    ROOMS,
    ROOMS_EACH,
)
from dpviz.serve.rooms import lua, scenes
from dpviz.serve.rooms.asking import (
    ANSWERS,
    CLOSED,
    COUNTED,
    ENOUGH,
    Phase,
    Question,
    RoomError,
)
from dpviz.serve.rooms.reaching import Reach, problem
from dpviz.serve.rooms.room import (
    CROWDED,
    FLEETING,
    FULL,
    FULL_HERE,
    GONE,
    GUESSED,
    HASTE,
    LEFT,
    SILENCE,
    STRANGER,
    TAKEN,
    Clock,
    NoRoomError,
    Room,
    door_of,
    fresh_code,
    is_code,
    written,
)
from dpviz.serve.rooms.store import LostError
from dpviz.serve.rooms.streams import SEEN, Hub
from dpviz.serve.rooms.tokens import network_here
from dpviz.serve.topics import Topics
from dpviz.serve.workers import COPIES

_PREFIX = "dpviz:room:"
_ROOMS = "dpviz:rooms"
_WAS = "dpviz:was:"
_GUESSES = "dpviz:guesses"
_OVER = "over"
_CALM = 0.1  # seconds between two looks at the same room, at least
_AGAIN = 0.5  # seconds until a lost connection is tried again
_PRESENT = 3 * SEEN  # seconds for which a phone counts as listening
_TRIES = 5  # attempts at a lecturer's act that other replicas overtake
_REFUSED = {
    "gone": (GONE, 404),
    "stranger": (STRANGER, 403),
    "closed": (CLOSED, 409),
    "first": (COUNTED, 409),
    "crowded": (CROWDED, 503),
    "taken": (TAKEN, 409),
    "full": (FULL, 503),
    "full here": (FULL_HERE, 503),
    "haste": (HASTE, 429),
    "script": (HASTE, 429),
    "guessed": (GUESSED, 429),
    "enough": (ENOUGH, 503),
}


P = ParamSpec("P")
T = TypeVar("T")


Act = Callable[Concatenate["SharedStore", P], Coroutine[Any, Any, T]]


def _reached(act: Act[P, T]) -> Act[P, T]:
    """Return the act, which says `LostError` where the server does not answer."""

    @wraps(act)
    async def reached(store: "SharedStore", /, *given: P.args, **named: P.kwargs) -> T:
        from redis.exceptions import RedisError

        try:
            outcome = await act(store, *given, **named)
        except RedisError as fault:
            store.reach.note(fault)
            raise LostError(str(fault)) from fault
        store.reach.note(None)
        return outcome

    return reached


class SharedStore:
    """Keeps rooms where all replicas find them. url: of the server, ``redis://host:port/0``."""

    durable = True

    def __init__(self, url: str, hub: Hub, topics: Topics, clock: Clock) -> None:
        if wrong := problem(url):
            raise RuntimeError(wrong)
        from redis.asyncio import Redis

        self._server: Any = Redis.from_url(url, decode_responses=True)
        self._scripts: dict[str, Any] = {
            text: self._server.register_script(text)
            for text in (
                *(
                    lua.OPEN,
                    lua.GUESSED,
                    lua.JOIN,
                    lua.ANSWER,
                    lua.CLEAR,
                ),
                *(lua.LEAVE, lua.SAVE),
            )
        }
        self._hub, self._topics, self._clock = hub, topics, clock
        self._copies: dict[str, Room] = {}
        self._turns: dict[str, str] = {}  # how often the lecturer has acted, by the copy
        self._locks: dict[str, asyncio.Lock] = {}
        self._changed: set[str] = set()
        self._listening: asyncio.Task[None] | None = None
        self._following: set[asyncio.Task[None]] = set()
        self.reach = Reach(url)

    def __len__(self) -> int:
        return len(self._copies)

    @property
    def reached(self) -> bool | None:
        """Whether the server answered when it was last asked, None before."""
        return self.reach.reached

    def begin(self) -> None:
        """Look for the server, and say in the log if it does not answer."""
        self._listen()

    def fresh_code(self) -> str:
        """Return a code that no room here has; whether another replica has it, `open` finds out."""
        return fresh_code(self._copies)

    @_reached
    async def open(self, code: str, link: str, network: str) -> Room:
        """Open a room for a network. Raises `RoomError`."""
        if not is_code(code):
            raise RoomError(TAKEN)
        self.sweep()
        room = Room(code, self._clock, link[:LONGEST_LINK], network)
        keys = [_PREFIX + code, _ROOMS, f"{_ROOMS}:{network}", _WAS + code]
        head = orjson.dumps(_head(room))
        most = ROOMS_EACH if network else ROOMS
        given = [code, head, time.time(), LEFT, SILENCE, ROOMS, most, _PREFIX]
        reply, *gone = await self._scripts[lua.OPEN](keys=keys, args=given)
        _check(reply)
        if gone[0]:
            await self._delete(gone[0])
        return await self.find(code)

    @_reached
    async def find(self, code: str) -> Room:
        """Return the room of a code as it is now. Raises `RoomError`."""
        self._listen()
        code = written(code)
        if is_code(code):
            await self._follow(code)
        room = self._copies.get(code)
        if room is None:
            was = not is_code(code) or await self._server.exists(_WAS + code)
            raise (RoomError if was else NoRoomError)(GONE, 404, ended=True)
        return room

    @_reached
    async def guessed(self, network: str, *, wrong: bool) -> None:
        """Note that an address has sent a code. Raises `RoomError` if too many were wrong."""
        keys = [f"{_GUESSES}:{network}", _GUESSES]
        limits = [GUESSES, GUESSING, ALL_GUESSES, ALL_GUESSING, DEARER]
        given = [time.time(), int(wrong), *limits]
        _check(await self._scripts[lua.GUESSED](keys=keys, args=given))

    @_reached
    async def crowding(self) -> float:
        """Return which share of all rooms is taken."""
        return float(await self._server.zcard(_ROOMS)) / ROOMS

    async def welcome(self, room: Room, network: str, word: str) -> str:
        """Return the token of a new phone, if one is let in. Raises `RoomError`."""
        room.ask_in(word)
        return room.fresh_token(network_here(room.secret, network))

    @_reached
    async def join(self, room: Room, phone: str) -> None:
        """Give a phone that begins to listen a place, or leave it the one it has.

        Raises `RoomError`.
        """
        if phone in room.joined:
            return
        if not (room.knows(phone) and room.admits(phone)):
            raise RoomError(STRANGER, 403)
        key, era = _PREFIX + room.code, room.era
        keys = [key, f"{key}:phones", _ROOMS, f"{_ROOMS}:{room.network}"]
        keys += [f"{key}:silent", f"{key}:doors"]
        given = [phone, PHONES, room.code, time.time(), SILENCE, LEFT]
        given += [door_of(phone), CLASS, AFTER_IT, room.word_era, FLEETING, _PRESENT]
        reply = await self._scripts[lua.JOIN](keys=keys, args=given)
        if reply == "script":
            await self.lead(room, lambda: room.ask_by_itself(era))
        _check(reply)
        await self._follow(room.code)

    def left(self, room: Room, phone: str) -> None:
        """Note that a phone does not listen any more, soon."""
        if phone not in room.listening:
            last = 0.0 if phone in room.fleeting else time.time()
            self._in_time(self._left(f"{_PREFIX}{room.code}:silent", phone, last))

    @_reached
    async def leave(self, room: Room, phone: str) -> None:
        """Take the place of a phone that leaves for good; its answers stay."""
        if room.leave(phone):
            key = _PREFIX + room.code
            keys = [key, f"{key}:phones", f"{key}:silent"]
            await self._scripts[lua.LEAVE](keys=keys, args=[phone])
            await self._follow(room.code)

    async def _left(self, silent: str, phone: str, last: float) -> None:
        from redis.exceptions import RedisError

        with contextlib.suppress(RedisError, OSError):  # it is known soon, without
            await self._server.zadd(silent, {phone: last}, xx=True)

    @_reached
    async def seen(self, room: Room, phone: str = "") -> None:
        """Note that a phone, or the screen, listens, until a while after it was seen last."""
        now = time.time()
        if phone:
            until = {phone: now + _PRESENT}
            await self._server.zadd(f"{_PREFIX}{room.code}:silent", until, xx=True)
        for name in (_ROOMS, f"{_ROOMS}:{room.network}"):
            await self._server.zadd(name, {room.code: now + LEFT}, xx=True)

    @_reached
    async def answer(self, room: Room, phone: str, number: int, given: int, text: str) -> None:
        """Count the answer of a phone; it is kept once this returns. Raises `RoomError`."""
        prompt = room.open_question(phone, number).prompt
        answer = prompt.read(text)
        key = _PREFIX + room.code
        answers = _answers(key, number, given)
        keys = [key, f"{key}:phones", answers, f"{key}:total:{number}"]
        flags = [int(prompt.adds_up), int(prompt.may_change)]
        sent = [phone, f"{number}/{given}", answer, *flags, SILENCE, ANSWERS]
        _check(await self._scripts[lua.ANSWER](keys=keys, args=sent))

    @_reached
    async def lead(self, room: Room, act: Callable[[], None]) -> None:
        """Have the lecturer act on the room; it is kept once this returns. Raises `RoomError`."""
        for _ in range(_TRIES):
            await self._follow(room.code)
            async with self._lock(room.code):
                if room.over:
                    raise RoomError(GONE, 404, ended=True)
                before = self._turns.pop(room.code, "")  # a copy that an act breaks is made anew
                act()
                question = room.question
                is_open = question is not None and question.phase is Phase.OPEN
                open_ = f"{question.number}/{question.round}" if question and is_open else ""
                head = orjson.dumps(_head(room))
                key = _PREFIX + room.code
                keys = [key, f"{key}:phones", _ROOMS, f"{_ROOMS}:{room.network}"]
                given = [before, head, open_, room.code, time.time(), SILENCE, LEFT]
                reply = await self._scripts[lua.SAVE](keys=keys, args=given)
            await self._follow(room.code)
            if reply == "kept":
                return
        raise RoomError("Another window leads this room at the same time.")

    @_reached
    async def clear(self, room: Room, network: str) -> None:
        """Turn out the phones of an address. Raises `RoomError`."""
        await self.lead(room, lambda: room.clear(network))
        key, question = _PREFIX + room.code, room.question
        answers = []
        if question is not None:
            rounds = range(1, question.round + 1)
            answers = [_answers(key, question.number, each) for each in rounds]
        keys = [key, f"{key}:phones", f"{key}:silent", *answers]
        await self._scripts[lua.CLEAR](keys=keys, args=[network])
        await self._follow(room.code)

    @_reached
    async def end(self, room: Room) -> None:
        """Forget a room, and all that was answered there."""
        key = _PREFIX + room.code
        await self._delete(room.code)
        for name in (_ROOMS, f"{_ROOMS}:{room.network}"):
            await self._server.zrem(name, room.code)
        await self._server.publish(key, _OVER)
        self._forget(room.code)

    async def _delete(self, code: str) -> None:
        key = _PREFIX + code
        await self._server.delete(key)  # from now on nobody adds to the others
        if keys := [name async for name in self._server.scan_iter(f"{key}:*")]:
            await self._server.delete(*keys)

    def sweep(self) -> None:
        """Look at all rooms: keys expire by themselves."""
        for code in list(self._copies):
            self._soon(code)

    async def close(self) -> None:
        """Let go of the connections."""
        tasks = [*self._following, *([self._listening] if self._listening else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._server.aclose()

    # ---- the copies ------------------------------------------------------------------------

    def _lock(self, code: str) -> asyncio.Lock:
        return self._locks.setdefault(code, asyncio.Lock())

    def _forget(self, code: str) -> None:
        self._turns.pop(code, None)
        self._locks.pop(code, None)
        room = self._copies.pop(code, None)
        if room is not None:
            room.over = True
            self._hub.tell(room)

    async def _follow(self, code: str) -> None:
        """Bring the copy of a room up to date, and tell whoever listens."""
        async with self._lock(code):
            key = _PREFIX + code
            head, turn, version, news = await self._server.hmget(
                key, ["head", "turn", "version", "news"]
            )
            if head is None:
                self._forget(code)
                return
            room = self._copies.get(code)
            if room is not None and str(room.news) == news and self._turns.get(code) == turn:
                return
            if room is None:
                reply = orjson.loads(head)
                room = Room(code, self._clock, reply["link"], reply["network"], reply["secret"])
            if self._turns.get(code) != turn:
                await self._lead_along(room, orjson.loads(head))
            await self._count(room)
            room.version, room.news = int(version), int(news)
            self._copies[code], self._turns[code] = room, turn
            self._hub.tell(room)

    async def _lead_along(self, room: Room, head: Mapping[str, Any]) -> None:
        """Bring a copy to where the lecturer is."""
        room.link, room.paused, room.asked_here = head["link"], head["paused"], head["asked_here"]
        room.word, room.by_itself = head["word"], head["by_itself"]
        room.word_era = head.get("word_era", 0)  # none of a room opened before an update
        room.shut, room.era, room.cleared = head["shut"], head["era"], head["cleared"]
        room.began, room.ends = head["began"], head["ends"]
        if head["shown"] is not None:
            address, heading = head["shown"]
            now = None if room.slide is None else (scenes.address(room.slide), room.slide.heading)
            if now != (address, heading):
                CLIENT.set(Client(room.network))
                room.slide = await COPIES.do(scenes.slide, self._topics, address, heading)
        by_number = {question.number: question for question in room.questions}
        questions = [self._question(stored, by_number) for stored in head["questions"]]
        for question in questions:
            if question is not room.question and question not in room.past:
                await self._answers(room, question)
        room.question = questions.pop() if head["open"] else None
        room.past = questions

    def _question(self, stored: Mapping[str, Any], by_number: Mapping[int, Question]) -> Question:
        question = by_number.get(stored["number"])
        if question is None or not _is_same(question, stored):
            data = stored.get("prompt", stored.get("asked"))  # of a room opened before an update
            prompt = scenes.restored(self._topics, stored["kind"], stored["about"], data)
            question = Question(stored["number"], prompt, stored["about"])
        question.phase = Phase(stored["phase"])
        question.exactly, question.truth = stored["exactly"], stored["truth"]
        question.left_out = list(stored.get("left_out", ()))  # none before an update
        while question.round < stored["rounds"]:
            question.rounds.append({})
        del question.rounds[stored["rounds"] :]
        return question

    async def _count(self, room: Room) -> None:
        """Bring a copy's phones, and the answers to its question, up to date."""
        tokens = await self._server.smembers(f"{_PREFIX}{room.code}:phones")
        for token in tokens - room.joined.keys():
            room.admit(token)
        for token in room.joined.keys() - tokens:
            del room.joined[token]
        room.heard = self._clock()
        if room.question is not None:
            await self._answers(room, room.question)

    async def _answers(self, room: Room, question: Question) -> None:
        key = _PREFIX + room.code
        for place in range(question.round):
            answers = await self._server.hgetall(_answers(key, question.number, place + 1))
            pairs = ((phone, *text.partition(":")[::2]) for phone, text in answers.items())
            inorder = sorted(pairs, key=lambda pair: int(pair[1]))
            question.rounds[place] = {phone: answer for phone, _, answer in inorder}
        question.total = int(await self._server.get(f"{key}:total:{question.number}") or 0)

    # ---- what other replicas do ------------------------------------------------------------

    def _listen(self) -> None:
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._hear())

    async def _hear(self) -> None:
        """Follow all rooms that are told to have changed, and all after a lost connection."""
        from redis.exceptions import RedisError

        while True:
            try:
                async with self._server.pubsub() as channel:
                    await channel.psubscribe(f"{_PREFIX}*")
                    self.reach.note(None)
                    for code in list(self._copies):
                        self._soon(code)
                    async for message in channel.listen():
                        if message["type"] == "pmessage":
                            self._soon(message["channel"].removeprefix(_PREFIX))
            except (RedisError, OSError) as fault:
                self.reach.note(fault)
            await asyncio.sleep(_AGAIN)

    def _soon(self, code: str) -> None:
        """Look at a room, once for all changes that come in a short time."""
        if code not in self._copies or code in self._changed:
            return
        self._changed.add(code)
        self._in_time(self._look(code))

    def _in_time(self, act: Coroutine[Any, Any, None]) -> None:
        """Do something beside all else, until `close`."""
        task = asyncio.create_task(act)
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    async def _look(self, code: str) -> None:
        from redis.exceptions import RedisError

        await asyncio.sleep(_CALM)
        self._changed.discard(code)
        with contextlib.suppress(
            RedisError, OSError
        ):  # the next change, or connection, looks again
            await self._follow(code)


def _answers(key: str, number: int, given: int) -> str:
    return f"{key}:answers:{number}:{given}"


def _is_same(question: Question, stored: Mapping[str, Any]) -> bool:
    prompt = question.prompt
    ours = (prompt.kind, question.about, prompt.stored())
    return ours == (stored["kind"], stored["about"], stored.get("prompt"))


def _check(reply: str) -> None:
    if reply in _REFUSED:
        words, status = _REFUSED[reply]
        raise RoomError(words, status, ended=reply == "gone")


def _head(room: Room) -> dict[str, Any]:
    """Return all that a lecturer has done in a room."""
    slide, question = room.slide, room.question
    return {
        "secret": room.secret,
        "network": room.network,
        "link": room.link,
        "paused": room.paused,
        "asked_here": room.asked_here,
        "word": room.word,
        "word_era": room.word_era,
        "by_itself": room.by_itself,
        "shut": room.shut,
        "began": room.began,
        "ends": room.ends,
        "era": room.era,
        "cleared": room.cleared,
        "shown": None if slide is None else [scenes.address(slide), slide.heading],
        "open": question is not None,
        "questions": [_stored(each) for each in room.questions],
    }


def _stored(question: Question) -> dict[str, Any]:
    return {
        "number": question.number,
        "kind": question.prompt.kind,
        "about": question.about,
        "prompt": question.prompt.stored(),
        "phase": question.phase.value,
        "exactly": question.exactly,
        "truth": question.truth,
        "rounds": question.round,
        "left_out": question.left_out,
    }
