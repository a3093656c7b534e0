"""What a room may be asked, and which answers it takes: no server and no clock here."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from dpviz.plot.text import in_full, superscript
from dpviz.plot.written import line, typeset
from dpviz.scene.codec import Choice, Number
from dpviz.serve.rooms.tokens import giving_way, network_of

LONGEST_TEXT = 400  # characters of a lecturer's sentence
LONGEST_ANSWER = 100  # characters of a phone's
CLOSED = "This question is closed."
COUNTED = "You have answered already; the first answer counts."
ANSWERS = 500
"""At most to a round."""
LEFT_OUT = 50
"""Answers at most that are not counted."""
ENOUGH = f"{ANSWERS} phones have answered already."


class RoomError(Exception):
    """What a room does not do; the message is for the one who asked for it.

    status: of HTTP. ended: whether asking again is of no use, as there is no such room any more.
    """

    def __init__(self, words: str, status: int = 409, *, ended: bool = False) -> None:
        super().__init__(words)
        self.status, self.ended = status, ended


def plain_text(value: object, longest: int = LONGEST_TEXT) -> str:
    """Return a lecturer's sentence in one line, or refuse what is none."""
    if not isinstance(value, str):
        raise RoomError("A sentence was expected.", 400)
    seen = value[: 2 * longest]  # with blanks that are left out
    text = " ".join("".join(c if c.isprintable() else " " for c in seen).split())
    if len(value) > 2 * longest or len(text) > longest:
        raise RoomError(f"That is longer than {longest} characters.", 400)
    return text


class Prompt(ABC):
    """What is asked.

    sealed: whether the class may see no answer before the lecturer shows them. adds_up: whether
    answers are numbers of which the sum alone is kept. may_change: whether a phone may answer anew
    as long as the question is open; its last answer counts.
    """

    kind: str
    sealed = False
    adds_up = False
    may_change = False

    @abstractmethod
    def read(self, text: str) -> str:
        """Return an answer as it is kept; raise `RoomError`."""

    @abstractmethod
    def for_phones(self) -> dict[str, Any]:
        """Return what every phone gets."""

    @abstractmethod
    def stored(self) -> dict[str, Any]:
        """Return all of it but what follows from its view, to be made again elsewhere."""

    @property
    def parameters(self) -> Mapping[str, str] | None:
        """What it was asked with, where that is not the state of its view."""
        return None

    @property
    def tells(self) -> bool:
        """Whether there is an answer to reveal."""
        return True

    @property
    def answer(self) -> tuple[str, str]:
        """What is right, in words and as one would give it, where it says so itself."""
        return "", ""

    def is_right(self, given: str, truth: str) -> bool:
        """Return whether an answer is right, given the one that was revealed."""
        return bool(truth) and given == truth

    def dealt(self, phone: str, phase: "Phase") -> object:  # noqa: ARG002
        """Return what one phone alone gets, None for nothing."""
        return None

    def figure(self, question: "Question") -> Mapping[str, str] | None:  # noqa: ARG002
        """Return the query of the class's own figure, None where there is none."""
        return None

    def in_words(self, question: "Question") -> str:  # noqa: ARG002
        """Return how it was answered, where no chart of the answers says so."""
        return ""

    def tally(self, answers: Sequence[str]) -> dict[str, int]:
        """Return how often each answer was given."""
        return dict(Counter(answers))


@dataclass(frozen=True)
class Predicted(Prompt):
    """A prediction of a view: a number or a choice, sealed until it is shown."""

    question: str
    guess: Number | Choice
    kind = "prediction"
    sealed = True

    def read(self, text: str) -> str:
        """Take what the guess can be, and nothing else."""
        value, problem = self.guess.read(text, self.guess.default)
        if problem:
            raise RoomError(f"Your answer {problem}.", 400)
        return self.guess.write(value)

    def stored(self) -> dict[str, Any]:
        """Keep which of its view's questions it is."""
        return {"question": self.question}

    def for_phones(self) -> dict[str, Any]:
        """Tell the question, and how it is answered."""
        return {"question": self.question, "guess": control_data(self.guess)}


def control_data(parameter: Number | Choice) -> dict[str, Any]:
    """Return what a page needs to draw a control for a parameter."""
    if isinstance(parameter, Choice):
        label, options = parameter.label, dict(parameter.options)
        return {"key": parameter.key, "label": label, "options": options}
    limit = parameter.limit
    grid = [parameter.write(value) for value in limit.grid]
    return {
        "key": limit.name,
        "label": f"{limit.symbol} {superscript(limit.meaning)}",
        "grid": grid,
        "words": [in_full(text) for text in grid],
        "log": limit.log,
    }


class Phase(Enum):
    """How far a question is; answers are taken while it is open."""

    OPEN = "open"
    SHOWN = "shown"
    REVEALED = "revealed"


@dataclass
class Question:
    """A question with its answers, in one round or two.

    number: that of the question in its room, from 1. about: the address of the figure that is asked
    about, with its parameters. exactly: the answer in words, once it is revealed, and truth: as one
    would have given it. total: of answers that add up. rounds: the answers of each round, by phone.
    left_out: answers that the lecturer has not counted.
    """

    number: int
    prompt: Prompt
    about: str = ""
    phase: Phase = Phase.OPEN
    exactly: str = ""
    truth: str = ""
    total: int = 0
    rounds: list[dict[str, str]] = field(default_factory=lambda: [{}])
    left_out: list[str] = field(default_factory=list)

    @property
    def round(self) -> int:
        """The round that is open, or was last, from 1."""
        return len(self.rounds)

    @property
    def is_sealed(self) -> bool:
        """Whether the class may not see any answer yet."""
        return self.prompt.sealed and self.phase is Phase.OPEN and self.round == 1

    @property
    def hides(self) -> bool:
        """Whether the scene would give away what is asked."""
        return self.prompt.sealed and self.phase is not Phase.REVEALED

    def has_of(self, phone: str) -> bool:
        """Return whether a phone has answered in any round."""
        return any(phone in answers for answers in self.rounds)

    def take(self, phone: str, given: int, text: str) -> bool:
        """Count an answer of a phone to round `given`; return whether it is new.

        The same answer sent again, as after a lost confirmation, counts once; another one is
        refused, or takes its place where it may change. Raises `RoomError`.
        """
        earlier = self.rounds[given - 1].get(phone) if 1 <= given <= self.round else None
        answer = self.prompt.read(text)
        if earlier is not None:
            if earlier == answer or self.prompt.adds_up:
                return False
            if not self.prompt.may_change:
                raise RoomError(COUNTED)
        if self.phase is not Phase.OPEN or given != self.round:
            raise RoomError(CLOSED)
        if earlier is None and len(self.rounds[-1]) >= ANSWERS:
            self._give_way(phone)
        self.rounds[-1][phone] = "" if self.prompt.adds_up else answer
        self.total += int(answer) if self.prompt.adds_up else 0
        return True

    def _give_way(self, phone: str) -> None:
        """Drop an answer of the address that has sent most, for one from elsewhere."""
        leaving = None if self.prompt.adds_up else giving_way(self.rounds[-1], phone)
        if leaving is None:
            raise RoomError(ENOUGH, 503)
        del self.rounds[-1][leaving]

    def clear(self, network: str) -> None:
        """Forget what phones of an address have answered. Raises `RoomError`."""
        if self.prompt.adds_up:
            raise RoomError(
                "Of messages the sum alone is known. Close this question, and ask again."
            )
        for answers in self.rounds:
            for phone in [each for each in answers if network_of(each) == network]:
                del answers[phone]

    def leave_out(self, answer: str) -> None:
        """Count an answer no more, or again, whoever gave it. Raises `RoomError`."""
        if answer in self.left_out:
            self.left_out.remove(answer)
        elif self.is_sealed or self.prompt.adds_up:
            raise RoomError("No single answer is in sight.")
        elif not any(answer in answers.values() for answers in self.rounds):
            raise RoomError("Nobody has answered that.", 400)
        elif len(self.left_out) >= LEFT_OUT:
            raise RoomError(f"{LEFT_OUT} answers are left out; turn their phones out instead.")
        else:
            self.left_out.append(answer)

    def show(self) -> None:
        """Close the round, and show which way it went."""
        if self.phase is Phase.OPEN:
            self.phase = Phase.SHOWN

    def again(self) -> None:
        """Open a second round. Raises `RoomError`."""
        if not self.prompt.sealed or self.phase is not Phase.SHOWN or self.round > 1:
            raise RoomError("A second vote follows the first, once, before the answer is revealed.")
        self.rounds.append({})
        self.phase = Phase.OPEN

    def reveal(self, exactly: str, truth: str = "") -> None:
        """Close the question, and show the answer."""
        self.phase, self.exactly, self.truth = Phase.REVEALED, exactly, truth

    def close(self) -> None:
        """Take no more answers; what has been revealed stays known."""
        self.phase = Phase.REVEALED

    @property
    def parameters(self) -> str:
        """The parameters of what is asked about, as a file of the answers names them."""
        parameters = self.prompt.parameters
        pairs = parse_qsl(urlsplit(self.about).query) if parameters is None else parameters.items()
        return " ".join(f"{key}={value}" for key, value in pairs)

    def counts(self) -> list[dict[str, int]]:
        """Return how often each answer was given, round by round; or what all add up to."""
        if self.prompt.adds_up:
            return [{"messages": self.total}]
        out = set(self.left_out)
        return [
            self.prompt.tally([answer for answer in answers.values() if answer not in out])
            for answers in self.rounds
        ]

    def for_phones(self) -> dict[str, Any]:
        """Return what every phone gets: nothing of any answer.

        typeset: those of its words that have formulas, as HTML.
        """
        state = self.prompt.for_phones()
        guess = state.get("guess", {})
        words = state["question"], guess.get("label", ""), *guess.get("options", {}).values()
        return {
            "number": self.number,
            "kind": self.prompt.kind,
            "phase": self.phase.value,
            "round": self.round,
            "typeset": typeset(*words),
            **state,
        }

    def for_phone(self, phone: str) -> dict[str, Any]:
        """Return what one phone gets: what it answered itself, and what it alone was dealt."""
        given = [answers.get(phone) for answers in self.rounds]
        return {"said": given, "dealt": self.prompt.dealt(phone, self.phase)}

    def for_screen(self) -> dict[str, Any]:
        """Return what the lecturer's screen gets: which way it went only once that is shown."""
        state: dict[str, Any] = {"answered": len(self.rounds[-1]), "tells": self.prompt.tells}
        if (query := self.prompt.figure(self)) is not None:
            state["figure"] = [f"/figure/class/{self.prompt.kind}", dict(query)]
        if not self.prompt.sealed or self.phase is not Phase.OPEN:
            state["counts"] = self.counts()
        elif self.round > 1:
            state["counts"] = self.counts()[:-1]
        if self.left_out:
            state["left_out"] = self.left_out
        if self.phase is Phase.REVEALED:
            state |= {"exactly": line(self.exactly), "truth": self.truth}
        return state


def counted(count: int, thing: str) -> str:
    """Return "1 phone", "2 phones"."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def table(questions: Sequence[Question]) -> Mapping[str, list[Any]]:
    """Return the counts of closed questions as columns: one row for each answer given."""
    rows = [
        (
            question.number,
            question.prompt.for_phones()["question"],
            question.prompt.kind,
            urlsplit(question.about).path,
            question.parameters,
            question.truth,
            number,
            answer,
            count,
        )
        for question in questions
        if question.phase is not Phase.OPEN
        for number, counts in enumerate(question.counts(), 1)
        for answer, count in sorted(counts.items())
    ]
    names = (
        "question",
        "asked",
        "kind",
        "about",
        "parameters",
        "exact",
        "round",
        "answer",
        "phones",
    )
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}
