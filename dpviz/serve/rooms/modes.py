"""What a class can do beside following: be the data set, be the attacker, be shuffled."""

import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.text import readable
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError
from dpviz.serve.rooms.asking import (
    Phase,
    Prompt,
    Question,
    RoomError,
    counted,
    plain_text,
)
from dpviz.serve.rooms.own import Own, own
from dpviz.serve.rooms.page import CLASS, MOST_MESSAGES
from dpviz.topics.classroom.attack import GUESSES, INSIDE, OUTSIDE, dealt_answers
from dpviz.topics.classroom.survey import ShuffledCount

DELTA = 1e-4
"""δ of the shuffle model here: well below one in the size of a room."""
_WORLDS = (
    "A coin decided for each count below whether you are in it. Was it made with you, or without?"
)


def _epsilon_as_odds(epsilon: float) -> dict[str, Any]:
    """Return ε as odds, for whoever does not know what ε is."""
    return {"epsilon": readable(epsilon), "odds": readable(math.exp(epsilon), 2)}


@dataclass(frozen=True)
class Surveyed(Prompt):
    """A yes/no question, whose answers each phone randomises by itself."""

    text: str
    epsilon: float
    kind = "survey"

    @property
    def parameters(self) -> Mapping[str, str]:
        """What it was asked with."""
        return {"epsilon": f"{self.epsilon:g}"}

    def read(self, text: str) -> str:
        """Take one bit."""
        if text not in ("0", "1"):
            raise RoomError("Your answer is neither yes nor no.", 400)
        return text

    def stored(self) -> dict[str, Any]:
        """Keep what it was made of."""
        return {"text": self.text, "epsilon": self.epsilon}

    def for_phones(self) -> dict[str, Any]:
        """Tell with which probability the truth is to be sent."""
        kept = 1 / (1 + math.exp(-self.epsilon))
        return {"question": self.text, "truth": kept} | _epsilon_as_odds(self.epsilon)

    def in_words(self, question: Question) -> str:
        """Return what the coins left of all answers."""
        bits = list(question.rounds[0].values())
        words = f"After the coin: {bits.count('1')} said yes, {bits.count('0')} said no"
        return words if bits else ""

    def figure(self, question: Question) -> Mapping[str, str] | None:
        """Return the bits in the order in which they came."""
        bits = "".join(question.rounds[0].values())
        return {"bits": bits, "epsilon": f"{self.epsilon:g}"} if bits else None


@dataclass(frozen=True)
class Shuffled(Prompt):
    """A yes/no question in the shuffle model; only the total of all messages is kept.

    users: the phones that were in the room when it was asked, for whom the noise is planned.
    """

    text: str
    epsilon: float
    users: int
    dispersion: float
    kind = "shuffle"
    adds_up = True

    @property
    def parameters(self) -> Mapping[str, str]:
        """What it was asked with."""
        return {
            "epsilon": f"{self.epsilon:g}",
            "delta": f"{DELTA:g}",
            "users": str(self.users),
        }

    def read(self, text: str) -> str:
        """Take a number of messages."""
        if not (text.isascii() and text.isdigit() and len(text) < 8):
            raise RoomError("This is no number of messages.", 400)
        if int(text) * self.users > MOST_MESSAGES:
            raise RoomError("These are more messages than a phone sends.", 400)
        return text

    def stored(self) -> dict[str, Any]:
        """Keep what it was made of."""
        return {name: getattr(self, name) for name in ("text", "epsilon", "users", "dispersion")}

    def for_phones(self) -> dict[str, Any]:
        """Tell the law of a phone's own noise messages: NB(share, p), with p = e^(−0.2ε)."""
        return {
            "question": self.text,
            "share": self.dispersion / self.users,
            "more": math.exp(-0.2 * self.epsilon),
            "delta": readable(DELTA),
        } | _epsilon_as_odds(self.epsilon)

    def in_words(self, question: Question) -> str:
        """Return what is known: the sum of all messages."""
        phones = len(question.rounds[0])
        messages = counted(question.total, "message")
        return f"{messages} from {counted(phones, 'phone')} together" if phones else ""

    def figure(self, question: Question) -> Mapping[str, str] | None:
        """Return the total, and of how many."""
        answers = len(question.rounds[0])
        if not answers:
            return None
        return {
            "total": str(question.total),
            "answers": str(answers),
            "users": str(max(self.users, answers)),
            "epsilon": f"{self.epsilon:g}",
            "delta": f"{DELTA:g}",
        }


@dataclass(frozen=True, eq=False)
class Attacked(Prompt):
    """Answers from two worlds, dealt to each phone; all guess which world each is from.

    seed: secret; from it and a phone's token every replica deals the same hand.
    """

    epsilon: float
    seed: int = field(default_factory=lambda: secrets.randbits(128), repr=False)
    hands: dict[str, tuple[NDArray[np.bool_], FloatArray]] = field(default_factory=dict, repr=False)
    kind = "worlds"

    @property
    def parameters(self) -> Mapping[str, str]:
        """What it was asked with."""
        return {"epsilon": f"{self.epsilon:g}"}

    def read(self, text: str) -> str:
        """Take one letter for each answer."""
        if len(text) != GUESSES or set(text) - {INSIDE, OUTSIDE}:
            raise RoomError(f"{GUESSES} guesses were expected.", 400)
        return text

    def stored(self) -> dict[str, Any]:
        """Keep what it was made of."""
        return {"epsilon": self.epsilon, "seed": str(self.seed)}

    def for_phones(self) -> dict[str, Any]:
        """Tell what is to be guessed."""
        return {"question": _WORLDS} | _epsilon_as_odds(self.epsilon)

    def dealt(self, phone: str, phase: Phase) -> object:
        """Return the answers of one phone, and their worlds once that is revealed."""
        inside, answers = self._hand(phone)
        dealt: dict[str, Any] = {"answers": answers.tolist()}
        if phase is Phase.REVEALED:
            dealt["worlds"] = "".join(
                INSIDE if is_inside else OUTSIDE for is_inside in inside.tolist()
            )
        return dealt

    def in_words(self, question: Question) -> str:
        """Return how often the class was right so far."""
        inside, accused = self._judged(question)
        right = int((inside == accused).sum())
        return f"{right} of {inside.size} guesses are right" if inside.size else ""

    def figure(self, question: Question) -> Mapping[str, str]:
        """Return hits and false alarms of all who have guessed."""
        inside, accused = self._judged(question)
        counts = {
            "hits": (inside & accused).sum(),
            "present": inside.sum(),
            "alarms": (~inside & accused).sum(),
            "absent": (~inside).sum(),
        }
        return {key: str(int(n)) for key, n in counts.items()} | {"epsilon": f"{self.epsilon:g}"}

    def _judged(self, question: Question) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return of each count that was judged whether it is with the phone, and what was said."""
        truth, guesses = [np.zeros(0, dtype=bool)], [np.zeros(0, dtype=bool)]
        for phone, letters in question.rounds[0].items():
            truth.append(self._hand(phone)[0])
            guesses.append(np.array([letter == INSIDE for letter in letters]))
        return np.concatenate(truth), np.concatenate(guesses)

    def _hand(self, phone: str) -> tuple[NDArray[np.bool_], FloatArray]:
        if phone not in self.hands:
            mixed = sha256(f"{self.seed}/{phone}".encode()).digest()
            rng = np.random.default_rng(int.from_bytes(mixed))
            self.hands[phone] = dealt_answers(rng, epsilon=self.epsilon)
        return self.hands[phone]


def restored(kind: str, stored: Mapping[str, Any]) -> Prompt:
    """Return what was asked in another replica: see `Prompt.stored`."""
    match kind:
        case "survey":
            return Surveyed(**stored)
        case "shuffle":
            return Shuffled(**stored)
        case "worlds":
            return Attacked(stored["epsilon"], int(stored["seed"]))
        case "own":
            return Own.restored(stored)
    raise KeyError(kind)


def prompt_of(body: Mapping[str, Any], joined: int) -> Prompt:
    """Return what a lecturer asks the class. joined: phones in the room. Raises `RoomError`."""
    kind = body.get("kind")
    if kind == "own":
        return own(body)
    value, problem = CLASS.parameter("epsilon").read(str(body.get("epsilon", "")), 1.0)
    if problem:
        raise RoomError(f"ε {problem}.", 400)
    epsilon = float(value)
    if kind == "worlds":
        return Attacked(epsilon)
    text = plain_text(body.get("text", ""))
    if not text:
        raise RoomError("What is the question?", 400)
    if kind == "survey":
        return Surveyed(text, epsilon)
    if kind != "shuffle":
        raise RoomError("There is nothing of that name to ask.", 400)
    if not joined:
        raise RoomError("Nobody has joined: the noise is planned for the phones in the room.")
    try:
        dispersion = ShuffledCount(joined, joined, epsilon, DELTA).dispersion
    except ParameterError as error:
        raise RoomError(f"{error}.", 400) from None
    return Shuffled(text, epsilon, joined, dispersion)
