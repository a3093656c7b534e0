"""Rooms in the memory of one process: who is in, what they see, and when a room ends.

No server here, and the clock is given. A room holds no name and no address of anybody: a phone is
a random token that its browser keeps.
"""

import math
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpviz.scene.codec import LONGEST_LINK
from dpviz.scene.page import Prediction
from dpviz.serve.rooms.asking import Asked, Phase, Predicted, Question, RoomError

PHONES = 500
"""At most in a room."""
ROOMS = 100
"""At most at a time."""
QUESTIONS = 100
"""At most in a room."""
SILENCE = 3 * 3600.0
"""Seconds after which a silent room ends."""
EMPTY = 1800.0
"""Seconds after which a silent room that no phone joined may give way to a new one."""
_LETTERS = "bcdfghjkmnpqrtvwxz"  # none that is read as another, and no words of them
_LENGTH = 6
NOTHING = "Nothing is asked at the moment."
GONE = "This room has ended, or there has been none of this code. Ask for the code again."

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

    figure: its address without a query, and query: its parameters. heading: the question above
    it. controls: what a phone may move, as a page draws it. prediction: what can be predicted;
    answer: computes the answer to it, in words. ask: whether the page asks for it by itself.
    """

    figure: str
    query: Mapping[str, str]
    heading: str
    controls: tuple[Mapping[str, Any], ...] = ()
    prediction: Prediction | None = None
    answer: Callable[[], str] = str
    ask: bool = False

    def told(self, *, ask: bool) -> dict[str, Any]:
        """Return what every phone is told."""
        told = {"figure": self.figure, "query": dict(self.query), "heading": self.heading}
        return told | {"controls": [] if ask else list(self.controls), "ask": ask}


@dataclass
class Room:
    """One class. `version` grows with every change that phones see, `news` with every change.

    link: where in the app the lecturer is, for their own screen. joined: the phones by their
    tokens, with how often each may still answer.
    """

    code: str
    clock: Clock
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    link: str = "/"
    shown: Shown | None = None
    paused: bool = False
    past: list[Question] = field(default_factory=list)
    question: Question | None = None
    joined: dict[str, Allowance] = field(default_factory=dict, repr=False)
    version: int = 0
    news: int = 0
    heard: float = 0.0
    over: bool = False

    def __post_init__(self) -> None:
        self.heard = self.clock()
        self._acts = Allowance(self.clock, burst=60, rate=10)
        self._asked_here = False

    def is_lecturer(self, secret: str) -> bool:
        """Return whether this is the secret of the lecturer's browser."""
        return secrets.compare_digest(secret.encode(), self.secret.encode())

    # ---- phones ----------------------------------------------------------------------------

    def join(self, phone: str) -> str:
        """Return the token of a phone: its own if it was here before. Raises `RoomError`."""
        if phone in self.joined:
            return phone
        if len(self.joined) >= PHONES:
            raise RoomError(f"This room is full: {PHONES} phones have joined.", 503)
        token = secrets.token_urlsafe(12)
        self.joined[token] = Allowance(self.clock, burst=10, rate=1)
        self._heard(seen=False)
        return token

    def answer(self, phone: str, number: int, given: int, text: str) -> None:
        """Count the answer of a phone to round `given` of a question. Raises `RoomError`."""
        if phone not in self.joined:
            raise RoomError("This phone has not joined; load the page again.", 403)
        self.joined[phone].take()
        known = [q for q in (*self.past, self.question) if q is not None and q.number == number]
        if not known:
            raise RoomError("There is no such question.")
        if known[0] is not self.question:
            raise RoomError("This question is closed.")
        if known[0].take(phone, given, text):
            self._heard(seen=False)

    # ---- the lecturer ----------------------------------------------------------------------

    def go(self, shown: Shown, link: str) -> bool:
        """Show the class a state, and return whether it is another one.

        A view that hides its answer asks for it, once.
        """
        self._acts.take()
        before, self.shown = self.shown, shown
        self.link = link[:LONGEST_LINK]
        known = None if before is None else (before.figure, before.query)
        is_new = known != (shown.figure, shown.query)
        if is_new:
            self._file()
            self._asked_here = False
        if shown.ask and not self._asked_here:
            self._predict()
        self._heard(seen=True)
        return is_new

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
        self._asked_here = True

    def _ask(self, asked: Asked) -> None:
        if len(self.past) >= QUESTIONS:
            raise RoomError(f"A room takes {QUESTIONS} questions; open another one.")
        about = "" if self.shown is None else self.shown.figure
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

    def reveal(self, exactly: str) -> None:
        """Reveal the answer to what was predicted, which is this in words. Raises `RoomError`."""
        self._acts.take()
        if self.question is None:
            raise RoomError(NOTHING)
        self.question.reveal(exactly)
        self._heard(seen=True)

    def _file(self) -> None:
        if self.question is not None:
            self.question.reveal()
            self.past.append(self.question)
            self.question = None

    # ---- what is told ----------------------------------------------------------------------

    def told(self) -> dict[str, Any]:
        """Return what every phone is told, and nothing of any answer."""
        told: dict[str, Any] = {"version": self.version, "paused": self.paused}
        question = self.question
        if self.shown is not None:
            predicted = question is not None and isinstance(question.asked, Predicted)
            told["scene"] = self.shown.told(
                ask=predicted and question is not None and question.phase is not Phase.REVEALED
            )
        if question is not None:
            told["question"] = question.told()
        return told

    def told_to(self, phone: str) -> dict[str, Any]:
        """Return what one phone is told beside that."""
        return {} if self.question is None else self.question.told_to(phone)

    def told_on_screen(self) -> dict[str, Any]:
        """Return what the lecturer's screen is told."""
        told = self.told() | {"link": self.link, "joined": len(self.joined)}
        told["asks"] = self.shown is not None and self.shown.prediction is not None
        told["asked"] = len(self.past) + (self.question is not None)
        if self.question is not None:
            told["question"] |= self.question.told_on_screen()
        return told

    def _heard(self, *, seen: bool) -> None:
        self.heard = self.clock()
        self.news += 1
        self.version += seen


class Rooms:
    """All rooms of this process. on_end: called with each room that has ended."""

    def __init__(self, clock: Clock, on_end: Callable[[Room], None] = lambda _: None) -> None:
        self._clock, self._on_end = clock, on_end
        self._rooms: dict[str, Room] = {}
        self._openings = Allowance(clock, burst=20, rate=0.2)

    def __len__(self) -> int:
        return len(self._rooms)

    def fresh_code(self) -> str:
        """Return a code that no room here has."""
        while (code := "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))) in self._rooms:
            pass
        return code

    def open(self, code: str, link: str = "/") -> Room:
        """Open a room under a code of `fresh_code`. Raises `RoomError`."""
        if not is_code(code) or code in self._rooms:
            raise RoomError("Another room has this code; open yours again.")
        self._openings.take()
        self.sweep()
        if len(self._rooms) >= ROOMS:
            empty = [r for r in self._rooms.values() if not r.joined and self._silence(r) > EMPTY]
            if not empty:
                raise RoomError(f"All {ROOMS} rooms of this server are taken.", 503)
            self.end(max(empty, key=self._silence))
        room = self._rooms[code] = Room(code, self._clock, link=link[:LONGEST_LINK])
        return room

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


def written(code: str) -> str:
    """Return a code as it is kept: people type it in capitals, and with gaps."""
    return "".join(code.split()).replace("-", "").lower()[: 2 * _LENGTH]


def is_code(code: str) -> bool:
    """Return whether a code has the form of those given out."""
    return len(code) == _LENGTH and set(code) <= set(_LETTERS)
