"""Rooms in the memory of one process: who is in, what they see, and when a room ends.

No server here, and the clock is given. A room holds no name and no address of anybody: a phone is
a random token that its browser keeps.
"""

import math
import secrets
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from dpviz.scene.codec import LONGEST_LINK
from dpviz.scene.scene import Scene
from dpviz.scene.view import Prediction
from dpviz.serve.rooms.asking import CLOSED, Asked, Predicted, Question, RoomError

PHONES = 500
"""At most in a room."""
ROOMS = 100
"""At most at a time."""
ROOMS_EACH = 10
"""At most at a time that one network address has opened: a school may have one for all."""
QUESTIONS = 100
"""At most in a room."""
SILENCE = 3 * 3600
"""Seconds after which a silent room ends."""
EMPTY = 1800
"""Seconds after which a silent room that no phone joined may give way to a new one."""
_VISITORS = 1000  # visitors of whom it is known how many rooms they opened lately
_LETTERS = "bcdfghjkmnpqrtvwxz"  # none that is read as another, and no words of them
_LENGTH = 6
NOTHING = "Nothing is asked at the moment."
GONE = "This room has ended, or there has been none of this code. Ask for the code again."

TAKEN = "Another room has this code; open yours again."
FULL = f"All {ROOMS} rooms of this server are taken."
FULL_HERE = f"{ROOMS_EACH} rooms are open from this network already; end one of them first."
STRANGER = "This phone has not joined; load the page again."
CROWDED = f"This room is full: {PHONES} phones take part."

Clock = Callable[[], float]


class Allowance:
    """So many acts at once, and then so many a second."""

    def __init__(self, clock: Clock, *, burst: float, rate: float) -> None:
        self._clock, self._burst, self._rate = clock, burst, rate
        self._left, self._since = burst, clock()

    def take(self) -> None:
        """Allow one act, or raise `RoomError`."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._since) * self._rate)
        self._since = now
        if self._left < 1:
            raise RoomError("That was too often; wait a moment.", 429)
        self._left -= 1


@dataclass(frozen=True)
class Shown:
    """What a room looks at: a view in a state.

    figure: its address without a query, and query: its parameters. heading: the question above it.
    controls: what a phone may move, as a page draws it. prediction: what can be predicted; answer:
    computes the answer to it, in words and as one would give it. ask: whether the page asks for it
    by itself. scene: the state, to make its figure ready. sketch: computes what can be drawn before
    it is seen, None where nothing can.
    """

    figure: str
    query: Mapping[str, str]
    heading: str
    controls: tuple[Mapping[str, Any], ...] = ()
    prediction: Prediction | None = None
    answer: Callable[[], tuple[str, str]] = lambda: ("", "")
    ask: bool = False
    sketch: Callable[[], Asked | None] | None = None
    scene: Scene | None = None

    @property
    def about(self) -> str:
        """The address of its figure, with all parameters."""
        return f"{self.figure}?{urlencode(self.query)}"

    def for_phones(self, *, ask: bool) -> dict[str, Any]:
        """Return what every phone gets of it."""
        return {
            "figure": self.figure,
            "query": dict(self.query),
            "heading": self.heading,
            "controls": [] if ask else list(self.controls),
            "ask": ask,
        }


@dataclass
class Room:
    """One class. `version` grows with every change that phones see, `news` with every change.

    link: where in the app the lecturer is, for their own screen. visitor: a mark of who opened it,
    of which nothing can be read. joined: the phones by their
    tokens, with how often each may still answer, in the order of their last sign. listening: how
    many streams of events each phone has open here.
    """

    code: str
    clock: Clock
    link: str = "/"
    visitor: str = field(default="", repr=False)
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    shown: Shown | None = None
    paused: bool = False
    past: list[Question] = field(default_factory=list)
    question: Question | None = None
    joined: dict[str, Allowance] = field(default_factory=dict, repr=False)
    listening: Counter[str] = field(default_factory=Counter, repr=False)
    version: int = 0
    news: int = 0
    heard: float = 0.0
    over: bool = False

    def __post_init__(self) -> None:
        self.heard = self.clock()
        self._acts = Allowance(self.clock, burst=60, rate=10)
        self.asked_here = False

    def is_lecturer(self, secret: str) -> bool:
        """Return whether this is the secret of the lecturer's browser."""
        return secrets.compare_digest(secret.encode(), self.secret.encode())

    # ---- phones ----------------------------------------------------------------------------

    def join(self, phone: str) -> str:
        """Return the token of a phone: its own if it was here before. Raises `RoomError`.

        Of a full room, the phone that has been silent longest makes place: one that listens to
        nothing and never answered, as whoever asks for the page again and again leaves behind.
        """
        if phone in self.joined:
            return phone
        if len(self.joined) >= PHONES:
            silent = next((token for token in self.joined if self._is_silent(token)), None)
            if silent is None:
                raise RoomError(CROWDED, 503)
            del self.joined[silent]
        token = fresh_token()
        self.admit(token)
        self._heard(seen=False)
        return token

    def admit(self, token: str) -> None:
        """Let a phone take part."""
        self.joined[token] = Allowance(self.clock, burst=10, rate=1)

    def _is_silent(self, phone: str) -> bool:
        rounds = (answers for question in self.asked for answers in question.rounds)
        return phone not in self.listening and not any(phone in answers for answers in rounds)

    @contextmanager
    def heard_by(self, phone: str) -> Iterator[None]:
        """Have a phone listen, which is a sign of it until it leaves."""
        self.listening[phone] += 1
        try:
            yield
        finally:
            self.listening[phone] -= 1
            if not self.listening[phone]:
                del self.listening[phone]
            if phone in self.joined:
                self.joined[phone] = self.joined.pop(phone)

    @property
    def asked(self) -> list[Question]:
        """All questions so far, in their order."""
        return [*self.past, *([] if self.question is None else [self.question])]

    def answer(self, phone: str, number: int, given: int, text: str) -> None:
        """Count the answer of a phone to round `given` of a question. Raises `RoomError`."""
        question = self.answered(phone, number)
        if question.take(phone, given, text):
            self._heard(seen=False)

    def answered(self, phone: str, number: int) -> Question:
        """Return the question that a phone may answer, whose answer is not too hasty.

        Raises `RoomError`.
        """
        if phone not in self.joined:
            raise RoomError(STRANGER, 403)
        self.joined[phone].take()
        known = [q for q in self.asked if q.number == number]
        if not known:
            raise RoomError("There is no such question.")
        if known[0] is not self.question:
            raise RoomError(CLOSED)
        return known[0]

    # ---- the lecturer ----------------------------------------------------------------------

    def go(self, shown: Shown, link: str, asks: bool = False) -> bool:
        """Show the class a state, and return whether it is another one.

        A view that hides its answer asks for it, once; unless something else is asked there.
        """
        self._acts.take()
        is_new = not self.is_at(shown)
        self.shown, self.link = shown, link[:LONGEST_LINK]
        if is_new:
            self._file()
            self.asked_here = False
        if shown.ask and not asks and not self.asked_here:
            self._predict()
        self._heard(seen=True)
        return is_new

    def is_at(self, shown: Shown) -> bool:
        """Return whether the class sees this already."""
        now = self.shown
        return now is not None and (now.figure, now.query) == (shown.figure, shown.query)

    def predict(self) -> None:
        """Ask for the prediction of the view that is shown. Raises `RoomError`."""
        self._acts.take()
        self._file()
        self._predict()
        self._heard(seen=True)

    def ask(self, asked: Asked) -> None:
        """Ask something new; what was asked before is over. Raises `RoomError`."""
        self._acts.take()
        self._file()
        self._ask(asked)
        self._heard(seen=True)

    def _predict(self) -> None:
        prediction = None if self.shown is None else self.shown.prediction
        if prediction is None:
            raise RoomError("This view asks for no prediction.")
        self._ask(Predicted(prediction.question, prediction.guess))
        self.asked_here = True

    def _ask(self, asked: Asked) -> None:
        if len(self.past) >= QUESTIONS:
            raise RoomError(f"A room takes {QUESTIONS} questions; open another one.")
        about = "" if self.shown is None else self.shown.about
        self.question = Question(len(self.past) + 1, asked, about)

    def act(self, word: str) -> None:
        """Do one of what a lecturer does with the question, or the room. Raises `RoomError`."""
        self._acts.take()
        if word in ("pause", "resume"):
            self.paused = word == "pause"
        elif self.question is None:
            raise RoomError(NOTHING)
        elif word == "show":
            self.question.show()
        elif word == "again":
            self.question.again()
        elif word == "over":
            self._file()
        else:
            raise RoomError("There is nothing of that name to do.", 400)
        self._heard(seen=True)

    def reveal(self, exactly: str, truth: str = "") -> None:
        """Reveal the answer to what was predicted, in words and as one would have given it.

        Raises `RoomError`.
        """
        self._acts.take()
        if self.question is None:
            raise RoomError(NOTHING)
        self.question.reveal(exactly, truth)
        self._heard(seen=True)

    def _file(self) -> None:
        if self.question is not None:
            self.question.reveal()
            self.past.append(self.question)
            self.question = None

    # ---- what it sends ---------------------------------------------------------------------

    def for_phones(self) -> dict[str, Any]:
        """Return what every phone gets, and nothing of any answer."""
        state: dict[str, Any] = {"version": self.version, "paused": self.paused}
        question = self.question
        if self.shown is not None:
            hidden = question is not None and question.hides
            state["scene"] = self.shown.for_phones(ask=hidden)
        if question is not None:
            state["question"] = question.for_phones()
        return state

    def for_phone(self, phone: str) -> dict[str, Any]:
        """Return what one phone gets beside that."""
        return {} if self.question is None else self.question.for_phone(phone)

    def for_screen(self) -> dict[str, Any]:
        """Return what the lecturer's screen gets."""
        state = self.for_phones() | {"link": self.link, "joined": len(self.joined)}
        state["asks"] = self.shown is not None and self.shown.prediction is not None
        state["draws"] = self.shown is not None and self.shown.sketch is not None
        state["asked"] = len(self.past) + (self.question is not None)
        if self.question is not None:
            state["question"] |= self.question.for_screen()
        return state

    def _heard(self, *, seen: bool) -> None:
        self.heard = self.clock()
        self.news += 1
        self.version += seen


class Rooms:
    """All rooms of this process. on_end: called with each room that has ended."""

    def __init__(self, clock: Clock, on_end: Callable[[Room], None] = lambda _: None) -> None:
        self._clock, self._on_end = clock, on_end
        self._rooms: dict[str, Room] = {}
        self._openings: dict[str, Allowance] = {}

    def __len__(self) -> int:
        return len(self._rooms)

    def fresh_code(self) -> str:
        """Return a code that no room here has."""
        return fresh_code(self._rooms)

    def open(self, code: str, link: str = "/", visitor: str = "") -> Room:
        """Open a room under a code of `fresh_code`. Raises `RoomError`.

        visitor: a mark of who opens it; "" for nobody in particular, to whom no limit applies.
        """
        if not is_code(code) or code in self._rooms:
            raise RoomError(TAKEN)
        self.sweep()
        own = [room for room in self._rooms.values() if visitor and room.visitor == visitor]
        self._give_way(own, ROOMS_EACH, FULL_HERE)
        self._allowance(visitor).take()
        self._give_way(list(self._rooms.values()), ROOMS, FULL)
        room = self._rooms[code] = Room(code, self._clock, link[:LONGEST_LINK], visitor)
        return room

    def _allowance(self, visitor: str) -> Allowance:
        if len(self._openings) >= _VISITORS:
            self._openings.pop(next(iter(self._openings)))
        return self._openings.setdefault(visitor, Allowance(self._clock, burst=20, rate=0.2))

    def _give_way(self, rooms: list[Room], most: int, words: str) -> None:
        """Make place among so many rooms at most, where one is silent and nobody joined it."""
        if len(rooms) < most:
            return
        empty = [room for room in rooms if not room.joined and self._silence(room) > EMPTY]
        if not empty:
            raise RoomError(words, 503)
        self.end(max(empty, key=self._silence))

    def find(self, code: str) -> Room:
        """Return the room of a code, however it is written. Raises `RoomError`."""
        self.sweep()
        room = self._rooms.get(written(code))
        if room is None:
            raise RoomError(GONE, 404, ended=True)
        return room

    def end(self, room: Room) -> None:
        """Forget a room, and all that was answered there."""
        if self._rooms.pop(room.code, None) is not None:
            room.over = True
            self._on_end(room)

    def sweep(self) -> None:
        """End the rooms that have been silent for long."""
        for room in [r for r in self._rooms.values() if self._silence(r) > SILENCE]:
            self.end(room)

    def _silence(self, room: Room) -> float:
        silence = self._clock() - room.heard
        return silence if math.isfinite(silence) else 0.0


def fresh_code(taken: Container[str]) -> str:
    """Return a code that is not taken."""
    while (code := "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))) in taken:
        pass
    return code


def fresh_token() -> str:
    """Return what a phone is known by."""
    return secrets.token_urlsafe(12)


def written(code: str) -> str:
    """Return a code as it is kept: people type it in capitals, and with gaps."""
    return "".join(code.split()).replace("-", "").lower()[: 2 * _LENGTH]


def is_code(code: str) -> bool:
    """Return whether a code has the form of those given out."""
    return len(code) == _LENGTH and set(code) <= set(_LETTERS)
