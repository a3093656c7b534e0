"""Rooms in the memory of one process: who is in, what they see, and when a room ends.

No server here, and the clock is given. A room holds no name and no address of anybody: a phone is
a random token that its browser keeps.
"""

import math
import secrets
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from dpviz.plot.written import line, typeset
from dpviz.scene.codec import LONGEST_LINK
from dpviz.scene.poll import LONGEST_COUNTDOWN
from dpviz.scene.scene import Scene
from dpviz.scene.view import Prediction
from dpviz.serve.quotas import (
    AFTER_IT,
    ALL_GUESSES,
    ALL_GUESSING,
    ANSWERING,
    CLASS,
    DEARER,
    GUESSES,
    GUESSING,
    LEADING,
    OPENINGS,
    PHONES,
    QUESTIONS,
    ROOMS,
    ROOMS_EACH,
)
from dpviz.serve.rooms.asking import CLOSED, Predicted, Prompt, Question, RoomError
from dpviz.serve.rooms.tokens import (
    LETTERS,
    door_key,
    era_of,
    fresh_token,
    fresh_word,
    giving_way,
    is_token,
    network_of,
    reading_key,
    speaking_key,
)

SILENCE = 3 * 3600
"""Seconds after which a silent room ends."""
LEFT = 600
"""Seconds after which a room whose screen has gone, and in which nobody listens, may give way."""
STAY, FLEETING = 10.0, 30
"""Seconds that a phone listens at least, and how many of one address may do so for less."""
_VISITORS = 1000  # of whom it is known how often they acted lately
_ENDED = 10_000  # codes of rooms that are known to have ended
_SHOWN = 5  # addresses that a lecturer is told of
_CLEARINGS = 100  # addresses that are turned out of a room at most
_LENGTH = 8  # one address finds one of 200 rooms in a day with a chance of 1 in 3,000
NOTHING = "Nothing is asked at the moment."
GONE = "This room has ended, or there has been none of this code. Ask for the code again."

TAKEN = "Another room has this code; open yours again."
FULL = f"All {ROOMS} rooms of this server are taken."
FULL_HERE = f"{ROOMS_EACH} rooms are open from this network already; end one of them first."
STRANGER = "This phone has not joined; load the page again."
ABSENT = "This phone is not connected at the moment."
CROWDED = f"This room is full: {PHONES} phones take part."
HASTE = "Many phones join from your network at once; yours is let in within seconds."
SHUT = "The lecturer has closed the door of this room."
WORD = "This room asks for the word that stands on its screen."
GUESSED = "Too many wrong codes came from your network. Use the QR code, or wait a minute."

Clock = Callable[[], float]


class NoRoomError(RoomError):
    """There is no room of this code, and there has been none lately."""


class RateLimit:
    """So many acts at once, and then so many a second: a token bucket."""

    def __init__(self, clock: Clock, burst: float, rate: float) -> None:
        self._clock, self._burst, self._rate = clock, burst, rate
        self._left, self._updated = burst, clock()

    def take(self, count: float = 1, words: str = "That was too often; wait a moment.") -> None:
        """Allow one act, which counts as so many, or raise `RoomError`."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._updated) * self._rate)
        self._updated = now
        if self._left < 1:
            raise RoomError(words, 429)
        self._left -= count


class RateLimits:
    """A rate limit for each of those who acted lately."""

    def __init__(self, clock: Clock, burst: float, rate: float) -> None:
        self._clock, self._burst, self._rate = clock, burst, rate
        self._known: dict[str, RateLimit] = {}

    def of(self, who: str) -> RateLimit:
        """Return the rate limit of somebody; whoever acted first is forgotten first."""
        limit = self._known.pop(who, None)
        if limit is None and len(self._known) >= _VISITORS:
            del self._known[next(iter(self._known))]
        fresh = limit or RateLimit(self._clock, burst=self._burst, rate=self._rate)
        self._known[who] = fresh
        return fresh


class Guesses:
    """How many wrong codes have been sent lately, by each address and by all."""

    def __init__(self, clock: Clock) -> None:
        self._each = RateLimits(clock, GUESSES, GUESSING)
        self._all = RateLimit(clock, ALL_GUESSES, ALL_GUESSING)

    def note(self, network: str, *, wrong: bool) -> None:
        """Note a code that somebody typed; raise `RoomError` if theirs were too often wrong.

        It is the same for a right code: else who guesses would just not wait for the wrong ones.
        """
        limit = self._each.of(network)
        limit.take(0, GUESSED)
        if wrong:
            try:
                self._all.take()
            except RoomError:
                limit.take(DEARER)
            else:
                limit.take()


@dataclass(frozen=True)
class Slide:
    """What a room looks at: a view in a state, or a text.

    figure: its address without a query, and query: its parameters. heading: the question above it.
    controls: what a phone may move, as a page draws it. prediction: what can be predicted; answer:
    computes the answer to it, in words and as one would give it. ask: whether the page asks for it
    by itself. scene: the state, to make its figure ready. sketch: computes what can be drawn before
    it is seen, None where nothing can. text: HTML of what stands there in place of a figure;
    prompt: what the lecturer asks there in their own words, and seconds: of its countdown, 0 for
    none.
    """

    figure: str
    query: Mapping[str, str]
    heading: str
    controls: tuple[Mapping[str, Any], ...] = ()
    prediction: Prediction | None = None
    answer: Callable[[], tuple[str, str]] = lambda: ("", "")
    ask: bool = False
    sketch: Callable[[], Prompt | None] | None = None
    scene: Scene | None = None
    text: str = ""
    prompt: Prompt | None = None
    seconds: int = 0

    @property
    def about(self) -> str:
        """The address of its figure, with all parameters."""
        return f"{self.figure}?{urlencode(self.query)}"

    def for_phones(self, *, ask: bool) -> dict[str, Any]:
        """Return what every phone gets of it."""
        heading = {"heading": self.heading, "typeset": typeset(self.heading)}
        if self.scene is None and (self.text or self.prompt):
            nothing: dict[str, Any] = {"figure": "", "query": {}, "controls": [], "ask": False}
            return nothing | heading | {"text": self.text}
        return heading | {
            "figure": self.figure,
            "query": dict(self.query),
            "controls": [] if ask else list(self.controls),
            "ask": ask,
        }


@dataclass
class Room:
    """One class. `version` grows with every change that phones see, `news` with every change.

    link: where in the app the lecturer is, for their own screen. network: a mark of who opened it,
    of which nothing can be read. wall: seconds since the epoch, alike in all replicas; began: when
    the class was let in, and ends: when a countdown does, 0 for not. joined: the phones that have a
    place, by their tokens, with how often each may still answer, in the order of their last sign.
    listening: how many streams of events each phone has open here, and screens: how many the
    lecturer has; left: since when the last of them has been gone. fleeting: the phones that left as
    soon as they had come. word: what new phones have to tell, "" for nothing, word_era: the era in
    which it was asked for first, and by_itself: whether the room did; shut: whether no new phone is
    let in. era: how often an address was turned out or a word asked for; what a phone is known by
    says in which era it came. cleared: the era in which an address was turned out last, by its
    mark.
    """

    code: str
    clock: Clock
    link: str = "/"
    network: str = field(default="", repr=False)
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    slide: Slide | None = None
    paused: bool = False
    past: list[Question] = field(default_factory=list)
    question: Question | None = None
    wall: Clock = time.time
    began: float = 0.0
    ends: float = 0.0
    joined: dict[str, RateLimit] = field(default_factory=dict, repr=False)
    listening: Counter[str] = field(default_factory=Counter, repr=False)
    screens: int = 0
    left: float = 0.0
    fleeting: set[str] = field(default_factory=set, repr=False)
    word: str = ""
    word_era: int = 0
    by_itself: bool = False
    shut: bool = False
    era: int = 0
    cleared: dict[str, int] = field(default_factory=dict)
    version: int = 0
    news: int = 0
    heard: float = 0.0
    over: bool = False

    def __post_init__(self) -> None:
        self.heard = self.left = self.clock()
        self._acts = RateLimit(self.clock, *LEADING)
        self.doors = RateLimits(self.clock, CLASS, AFTER_IT)
        self.asked_here = False

    def is_lecturer(self, secret: str) -> bool:
        """Return whether this is the secret of the lecturer's browser."""
        return secrets.compare_digest(secret.encode(), self.secret.encode())

    @property
    def key(self) -> str:
        """The part of its address that a QR code has, and a typed code has not."""
        return door_key(self.secret)

    @property
    def reading(self) -> str:
        """What lets the lecturer's page read, in links."""
        return reading_key(self.secret)

    @property
    def speaking(self) -> str:
        """What lets the speaker's view hear all counts."""
        return speaking_key(self.secret)

    # ---- phones ----------------------------------------------------------------------------

    def knows(self, phone: str) -> bool:
        """Return whether a token was given out here, and its address not turned out since."""
        if not is_token(self.secret, phone):
            return False
        return era_of(phone) >= self.cleared.get(network_of(phone), 0)

    def admits(self, phone: str) -> bool:
        """Return whether a phone that is known here may have a place without another word.

        Who has one, or has answered what is asked, does. For all others a token alone is not
        enough, which costs nothing and may be of a time when the door was open.
        """
        if phone in self.joined or (self.question and self.question.has_of(phone)):
            return True
        return not self.shut and (not self.word or era_of(phone) >= self.word_era)

    def ask_in(self, word: str) -> None:
        """Raise `RoomError` if no new phone is let in, or none with this word."""
        if self.shut:
            raise RoomError(SHUT, 403)
        typed = "".join(word.split()).replace("-", "").lower()
        if self.word and not secrets.compare_digest(typed.encode(), self.word.encode()):
            raise RoomError(WORD, 401)

    def fresh_token(self, network: str) -> str:
        """Return the token of a new phone, of an address by its mark here."""
        return fresh_token(self.secret, network, self.era)

    def come_in(self, phone: str) -> None:
        """Give a phone that begins to listen a place, as fast as the door of its address allows.

        Where a door is thronged and many of it did not stay, a word is asked for from now on: so
        a class gets in beside a script of its own address. Raises `RoomError`.
        """
        if phone in self.joined:
            return
        if not self.admits(phone):
            raise RoomError(STRANGER, 403)
        try:
            self.doors.of(door_of(phone)).take(words=HASTE)
        except RoomError:
            network, came = network_of(phone), self.fleeting & self.joined.keys()
            crowd = [each for each in came if network_of(each) == network]
            if sum(era_of(each) >= self.word_era for each in crowd) >= FLEETING:
                self.ask_by_itself(self.era)
            raise
        self.join(phone)

    def ask_by_itself(self, era: int) -> None:
        """Ask for a new word, unless the door has changed since that era."""
        if self.era == era:
            self._ask_for_word()
            self.by_itself = True
            self._heard(seen=True)

    def _ask_for_word(self) -> None:
        self.era += 1
        self.word, self.word_era, self.by_itself = fresh_word(), self.era, False

    def join(self, phone: str) -> None:
        """Give a phone a place, and keep its vote if it had one. Raises `RoomError`.

        Of a full room, the phone that does not listen and has been silent longest makes place; it
        may come back. If all listen, one does of the address that has most places.
        """
        if phone in self.joined:
            return
        if not self.knows(phone):
            raise RoomError(STRANGER, 403)
        if len(self.joined) >= PHONES:
            silent = next((token for token in self.joined if token not in self.listening), None)
            leaving = silent or giving_way(self.joined, phone)
            if leaving is None:
                raise RoomError(CROWDED, 503)
            del self.joined[leaving]
        self.admit(phone)
        self._heard(seen=False)

    def admit(self, token: str) -> None:
        """Let a phone take part."""
        self.joined[token] = RateLimit(self.clock, *ANSWERING)

    def leave(self, phone: str) -> bool:
        """Take the place of a phone that leaves for good, and return whether it had one.

        Where a new phone would not be let in it keeps its place, lest nobody gets it back.
        """
        is_open = not self.shut and (not self.word or era_of(phone) >= self.word_era)
        if phone not in self.joined or not is_open:
            return False
        del self.joined[phone]
        self._heard(seen=False)
        return True

    @contextmanager
    def heard_by(self, phone: str) -> Iterator[None]:
        """Have a phone listen, which is a sign of it until it leaves."""
        self.listening[phone] += 1
        self.fleeting.discard(phone)
        begun = self.clock()
        try:
            yield
        finally:
            self.listening[phone] -= 1
            if not self.listening[phone]:
                del self.listening[phone]
                if self.clock() - begun < STAY:
                    self.fleeting = {phone, *(self.fleeting & self.joined.keys())}
            self.left = self.clock()
            if phone in self.joined:
                self.joined[phone] = self.joined.pop(phone)

    @contextmanager
    def shown_on_screen(self) -> Iterator[None]:
        """Have the lecturer's screen listen."""
        self.screens += 1
        try:
            yield
        finally:
            self.screens -= 1
            self.left = self.clock()

    @property
    def is_left(self) -> bool:
        """Whether its screen has been gone for long, and nobody listens."""
        return not self.screens and not self.listening and self.clock() - self.left > LEFT

    @property
    def questions(self) -> list[Question]:
        """All questions so far, in their order."""
        return [*self.past, *([] if self.question is None else [self.question])]

    def answer(self, phone: str, number: int, given: int, text: str) -> None:
        """Count the answer of a phone to round `given` of a question. Raises `RoomError`."""
        question = self.open_question(phone, number)
        if question.take(phone, given, text):
            self._heard(seen=False)

    def open_question(self, phone: str, number: int) -> Question:
        """Return the question that a phone may answer, whose answer is not too hasty.

        Raises `RoomError`.
        """
        if phone not in self.joined:
            raise RoomError(ABSENT, 429)  # its page goes on trying, and has it a place soon
        self.joined[phone].take()
        found = [q for q in self.questions if q.number == number]
        if not found:
            raise RoomError("There is no such question.")
        if found[0] is not self.question:
            raise RoomError(CLOSED)
        return found[0]

    # ---- the lecturer ----------------------------------------------------------------------

    def go(self, slide: Slide, link: str, asks: bool = False, latest: int | None = None) -> bool:
        """Show the class a state, and return whether it is another one.

        A view that hides its answer asks for it, once; unless something else is asked there.
        latest: the last question that the screen had heard of: a page that was drawn late
        ends none that was asked since.
        """
        if self.question is not None and latest is not None and latest < self.question.number:
            return False
        self._acts.take()
        is_new = not self.is_at(slide)
        self.slide, self.link = slide, link[:LONGEST_LINK]
        self.began = self.began or self.wall()
        if is_new:
            self._file()
            self.asked_here = False
        if slide.ask and not asks and not self.asked_here:
            self._predict()
        self._heard(seen=True)
        return is_new

    def is_at(self, slide: Slide) -> bool:
        """Return whether the class sees this already."""
        now = self.slide
        return now is not None and (now.figure, now.query) == (slide.figure, slide.query)

    def predict(self) -> None:
        """Ask for the prediction of the view that is shown. Raises `RoomError`."""
        self._acts.take()
        self._file()
        self._predict()
        self._heard(seen=True)

    def ask(self, prompt: Prompt, seconds: int = 0) -> None:
        """Ask something new; what was asked before is over. Raises `RoomError`.

        seconds: of a countdown, 0 for none.
        """
        self._acts.take()
        self._file()
        self._ask(prompt)
        self.ends = self.wall() + seconds if seconds else 0.0
        self._heard(seen=True)

    def count_down(self, seconds: int) -> None:
        """Begin to count so many seconds down, 0 for none. Raises `RoomError`."""
        self._acts.take()
        if not 0 <= seconds <= LONGEST_COUNTDOWN:
            raise RoomError(f"A countdown has at most {LONGEST_COUNTDOWN} seconds.", 400)
        self.ends = self.wall() + seconds if seconds else 0.0
        self._heard(seen=True)

    def _predict(self) -> None:
        prediction = None if self.slide is None else self.slide.prediction
        if prediction is None:
            raise RoomError("This view asks for no prediction.")
        self._ask(Predicted(prediction.question, prediction.guess))
        self.asked_here = True

    def _ask(self, prompt: Prompt) -> None:
        if len(self.past) >= QUESTIONS:
            raise RoomError(f"A room takes {QUESTIONS} questions; open another one.")
        about = "" if self.slide is None else self.slide.about
        self.question = Question(len(self.past) + 1, prompt, about)

    def act(self, word: str) -> None:
        """Do one of what a lecturer does with the question, or the room. Raises `RoomError`."""
        self._acts.take()
        if word in ("pause", "resume"):
            self.paused = word == "pause"
        elif word in ("shut", "open"):
            self.shut = word == "shut"
        elif word == "word":
            self._ask_for_word()
        elif word == "no word":
            self.word, self.by_itself = "", False
        elif self.question is None:
            raise RoomError(NOTHING)
        elif word == "show":
            self.ends = 0.0
            self.question.show()
        elif word == "again":
            self.question.again()
        elif word == "over":
            self._file()
        else:
            raise RoomError("There is nothing of that name to do.", 400)
        self._heard(seen=True)

    def leave_out(self, answer: str) -> None:
        """Count an answer no more, or again. Raises `RoomError`."""
        self._acts.take()
        if self.question is None:
            raise RoomError(NOTHING)
        self.question.leave_out(answer)
        self._heard(seen=True)

    def clear(self, network: str) -> None:
        """Turn out the phones of an address, and forget what they answered to the question.

        They may join anew, where no word is asked for that they do not know. Raises `RoomError`.
        """
        self._acts.take()
        if network not in map(network_of, self._phones()):
            raise RoomError("No phone has joined from there.", 400)
        if network not in self.cleared and len(self.cleared) >= _CLEARINGS:
            raise RoomError(f"{_CLEARINGS} addresses have been turned out; open another room.")
        if self.question is not None:
            self.question.clear(network)
        self.era += 1  # and the class behind it joins at once again
        self.cleared[network] = self.era
        for phone in [each for each in self.joined if network_of(each) == network]:
            del self.joined[phone]
        self._heard(seen=True)

    def _phones(self) -> set[str]:
        """Return all phones that have a place, or have answered what is asked."""
        answered = [] if self.question is None else self.question.rounds
        return {*self.joined, *(phone for answers in answered for phone in answers)}

    def reveal(self, exactly: str, truth: str = "") -> None:
        """Reveal the answer to what was predicted, in words and as one would have given it.

        Raises `RoomError`.
        """
        self._acts.take()
        if self.question is None:
            raise RoomError(NOTHING)
        self.ends = 0.0
        self.question.reveal(exactly, truth)
        self._heard(seen=True)

    def _file(self) -> None:
        self.ends = 0.0
        if self.question is not None:
            self.question.close()
            self.past.append(self.question)
            self.question = None

    # ---- what it sends ---------------------------------------------------------------------

    def for_phones(self) -> dict[str, Any]:
        """Return what every phone gets, and nothing of any answer."""
        state: dict[str, Any] = {"version": self.version, "paused": self.paused}
        question = self.question
        if self.slide is not None:
            hidden = question is not None and question.hides
            state["scene"] = self.slide.for_phones(ask=hidden)
            if answer := self._revealed:  # else the question alone would stand there
                state["scene"]["text"] += f"<p>The answer: {line(answer)}.</p>"
        if question is not None:
            state["question"] = question.for_phones()
        return state

    @property
    def _revealed(self) -> str:
        """The answer to the question of the scene, once that is over; "" if it was not revealed."""
        prompt = None if self.slide is None or self.question else self.slide.prompt
        answers = (one.exactly for one in reversed(self.past) if prompt and one.prompt == prompt)
        return next(answers, "")

    def for_phone(self, phone: str) -> dict[str, Any]:
        """Return what one phone gets beside that."""
        state = {} if self.question is None else self.question.for_phone(phone)
        return state | ({"left": self._left} if self.ends else {})

    @property
    def _left(self) -> float:
        """Seconds that a countdown still has."""
        return max(self.ends - self.wall(), 0.0)

    def for_screen(self) -> dict[str, Any]:
        """Return what the lecturer's screen gets."""
        state = self.for_phones() | {"link": self.link, "joined": len(self.joined)}
        state["asks"] = self.slide is not None and self.slide.prediction is not None
        state["draws"] = self.slide is not None and self.slide.sketch is not None
        state["questions"] = len(self.past) + (self.question is not None)
        state |= {"shut": self.shut, "word": self.word, "by_itself": self.by_itself}
        state["networks"] = self._networks()
        state["left"] = self._left if self.ends else None
        if self.question is not None:
            state["question"] |= self.question.for_screen()
        return state

    def for_speaker(self) -> dict[str, Any]:
        """Return what the speaker's view gets: all of that, and what the class does not see yet."""
        state = self.for_screen()
        state["elapsed"] = self.wall() - self.began if self.began else None
        if self.question is not None:
            state["question"]["hidden"] = self.question.counts()
            state["question"]["words"] = self.question.prompt.in_words(self.question)
        return state

    def _networks(self) -> list[dict[str, Any]]:
        """Return from which addresses most have joined, and how many of them have answered."""
        joined = Counter(map(network_of, self.joined))
        answers = {} if self.question is None else self.question.rounds[-1]
        answered = Counter(map(network_of, answers))
        most = sorted(joined | answered, key=lambda mark: (-joined[mark] - answered[mark], mark))
        return [
            {"mark": mark, "joined": joined[mark], "answered": answered[mark]}
            for mark in most[:_SHOWN]
        ]

    def _heard(self, *, seen: bool) -> None:
        self.heard = self.clock()
        self.news += 1
        self.version += seen


class Rooms:
    """All rooms of this process. on_end: called with each room that has ended.

    each: how many of them one address may have opened.
    """

    def __init__(
        self, clock: Clock, on_end: Callable[[Room], None] = lambda _: None, each: int = ROOMS_EACH
    ) -> None:
        self._clock, self._on_end, self._each = clock, on_end, each
        self._rooms: dict[str, Room] = {}
        self._ended: dict[str, None] = {}  # codes of rooms that there were
        self._openings = RateLimits(clock, *OPENINGS)

    def __len__(self) -> int:
        return len(self._rooms)

    def fresh_code(self) -> str:
        """Return a code that no room here has."""
        return fresh_code(self._rooms)

    def open(self, code: str, link: str = "/", network: str = "") -> Room:
        """Open a room under a code of `fresh_code`. Raises `RoomError`.

        network: a mark of who opens it; "" for nobody in particular, to whom no limit applies.
        """
        if not is_code(code) or code in self._rooms:
            raise RoomError(TAKEN)
        self.sweep()
        opened = [room for room in self._rooms.values() if network and room.network == network]
        self._give_way(opened, self._each, FULL_HERE)
        self._openings.of(network).take()
        self._give_way(list(self._rooms.values()), ROOMS, FULL)
        room = self._rooms[code] = Room(code, self._clock, link[:LONGEST_LINK], network)
        return room

    def _give_way(self, rooms: list[Room], most: int, words: str) -> None:
        """Make place among so many rooms at most, where one has been left."""
        if len(rooms) < most:
            return
        left = [room for room in rooms if room.is_left]
        if not left:
            raise RoomError(words, 503)
        self.end(min(left, key=lambda room: room.left))

    def find(self, code: str) -> Room:
        """Return the room of a code, however it is written.

        Raises `RoomError`, or `NoRoomError` where there was none lately.
        """
        self.sweep()
        code = written(code)
        room = self._rooms.get(code)
        if room is None:
            raise (RoomError if code in self._ended or not is_code(code) else NoRoomError)(
                GONE, 404, ended=True
            )
        return room

    def end(self, room: Room) -> None:
        """Forget a room, and all that was answered there."""
        if self._rooms.pop(room.code, None) is not None:
            room.over = True
            self._ended[room.code] = None
            if len(self._ended) > _ENDED:
                del self._ended[next(iter(self._ended))]
            self._on_end(room)

    def sweep(self) -> None:
        """End the rooms that have been silent for long."""
        for room in [r for r in self._rooms.values() if self._silence(r) > SILENCE]:
            self.end(room)

    def _silence(self, room: Room) -> float:
        silence = self._clock() - room.heard
        return silence if math.isfinite(silence) else 0.0


def door_of(phone: str) -> str:
    """Return by which door of a room a phone comes: one for each address in each era."""
    return f"{network_of(phone)} {era_of(phone)}"


def fresh_code(taken: Container[str]) -> str:
    """Return a code that is not taken."""
    while (code := "".join(secrets.choice(LETTERS) for _ in range(_LENGTH))) in taken:
        pass
    return code


def written(code: str) -> str:
    """Return a code as it is kept: people type it in capitals, and with gaps."""
    return "".join(code[: 4 * _LENGTH].split()).replace("-", "").lower()[: 2 * _LENGTH]


def is_code(code: str) -> bool:
    """Return whether a code has the form of those given out."""
    return len(code) == _LENGTH and set(code) <= set(LETTERS)
