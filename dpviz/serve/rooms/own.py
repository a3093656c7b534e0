"""What a lecturer asks in their own words: a choice, a number, or a few words."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dpviz.plot.text import readable
from dpviz.plot.written import unreadable
from dpviz.scene.arithmetic import read
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.poll import Poll, poll_of
from dpviz.serve.rooms.asking import Prompt, RoomError, plain_text

_LONGEST_WORDS = 60  # characters of an answer


@dataclass(frozen=True)
class Own(Prompt):
    """A question and how it is answered, sealed until the lecturer shows the answers."""

    question: str
    poll: Poll
    kind = "own"
    sealed = True

    @property
    def parameters(self) -> Mapping[str, str]:
        """Nothing of a figure belongs to it."""
        return {}

    @property
    def tells(self) -> bool:
        """Whether an answer is right."""
        return bool(self.poll.right)

    @property
    def answer(self) -> tuple[str, str]:
        """The right answer in words, and as one would have given it."""
        return self.poll.right_in_words, self.poll.answer

    def is_right(self, given: str, truth: str) -> bool:
        """Return whether an answer is right once one was revealed: a number may be near it."""
        return bool(truth) and self.poll.is_right(given)

    def read(self, text: str) -> str:
        """Take one of the answers, a number, or a few words."""
        if self.poll.kind == "choice":
            if text not in self.poll.answers:
                raise RoomError("That is none of the answers.", 400)
            return text
        if self.poll.kind == "words":
            if not (words := plain_text(text, _LONGEST_WORDS)):
                raise RoomError("Your answer is empty.", 400)
            return words
        reading = read(text, self.poll.unit)
        if reading.problem:
            raise RoomError(f"{reading.problem}.", 400)
        number = reading.value
        low, high = self.poll.range
        if not low <= number <= high:
            ends = f"{readable(low)} to {readable(high)}"
            raise RoomError(f"Your answer is not within the range from {ends}.", 400)
        return f"{number:.12g}"

    def stored(self) -> dict[str, Any]:
        """Keep what it was made of."""
        poll = asdict(self.poll)
        poll |= {"answers": list(self.poll.answers), "span": list(self.poll.span)}
        return {"question": self.question, "poll": poll}

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> "Own":
        """Return what was asked in another replica."""
        return cls(stored["question"], poll_of(stored["poll"]))

    def for_phones(self) -> dict[str, Any]:
        """Tell the question, and how it is answered: nothing of which answer is right."""
        label = self.poll.label if self.poll.kind == "number" else "Your answer"
        guess: dict[str, Any] = {"key": "own", "label": label}
        if self.poll.kind == "choice":
            guess["options"] = self.poll.lettered()
        else:
            guess["written"] = self.poll.kind
        return {"question": self.question, "guess": guess}


def own(body: Mapping[str, Any]) -> Own:
    """Return what a lecturer asks in a room, off the cuff. Raises `RoomError`."""
    text = plain_text(body.get("text", ""))
    if not text:
        raise RoomError("What is the question?", 400)
    answers = body.get("answers", "")
    lines = [line.strip() for line in str(answers).splitlines() if line.strip()]
    form = body.get("form", "choice")
    try:
        poll = poll_of({"kind": form, "answers": lines if form == "choice" else []})
    except LectureError as error:
        raise RoomError(str(error), 400) from None
    if problem := next(filter(None, map(unreadable, (text, *poll.answers))), ""):
        raise RoomError(problem, 400)
    return Own(text, poll)
