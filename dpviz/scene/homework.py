"""Exercises to be solved: what a link asks for, and what a reader has answered.

No Streamlit here: any text can be tried on it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dpviz.scene.catalogue import entry
from dpviz.scene.codec import FreeText, Value, quote
from dpviz.scene.exercise import LEVELS, Exercise
from dpviz.scene.page import Page

MOST_EXERCISES = 40
"""Exercises of a homework."""

LONGEST_WORDS = 4000
"""Characters of an answer in a reader's own words."""

TOPIC = FreeText("topic", 40)
EXERCISE = FreeText("exercise", 60)
SET = FreeText("set", 3000)
PARAMETERS = (TOPIC, EXERCISE, SET)
"""What the address of the page of exercises holds."""


@dataclass(frozen=True)
class Task:
    """An exercise, and the topic that asks it."""

    topic: str
    exercise: Exercise

    @property
    def key(self) -> str:
        """Its name in the link of a homework."""
        return f"{self.topic}.{self.exercise.name}"

    @property
    def query(self) -> dict[str, str]:
        """What the address of the page is followed by."""
        return {TOPIC.key: self.topic, EXERCISE.key: self.exercise.name}

    @property
    def about(self) -> str:
        """Say of what kind it is, and how long it takes."""
        return f"{LEVELS[self.exercise.level]}, {self.exercise.minutes}\N{NO-BREAK SPACE}min"


@dataclass
class Attempt:
    """What a reader has made of an exercise, while the browser's tab is open.

    given: the answer that counts, as it was typed or drawn: the right one, or else the last one.
    drawn: a curve in words. right: whether it is, None before. remark: what is said of the last
    answer. stays: whether that one is not right, but one before was, which counts. checked: the
    different answers that were checked, each written in one way; the right one is the last. words:
    the answer in words. done: whether the reader calls it done. hint, open: whether the hint, the
    solution is shown. solved: whether the solution ever was. after: whether the right answer came
    after the solution.
    """

    given: str = ""
    drawn: str = ""
    right: bool | None = None
    remark: str = ""
    stays: bool = False
    checked: list[str] = field(default_factory=list)
    words: str = ""
    done: bool = False
    hint: bool = False
    open: bool = False
    solved: bool = False
    after: bool = False

    def refuse(self, given: str, remark: str) -> None:
        """Take an answer that can't be checked, and say why; one that was right stays so."""
        self.remark, self.stays = remark, bool(self.right)
        if not self.right:
            self.given, self.drawn, self.right = given, "", None

    def take(self, given: str, *, same: str, right: bool, remark: str, drawn: str = "") -> None:
        """Take an answer that was checked. What was right stays right, whatever comes after.

        same: how the answer is written in one way, whichever it was typed in.
        """
        self.remark, self.stays = remark, bool(self.right and not right)
        if self.right:
            return
        if same not in self.checked:
            self.checked.append(same)
        self.given, self.drawn, self.right, self.after = given, drawn, right, self.solved

    @property
    def tries(self) -> int:
        """How many different answers were checked until one was right."""
        return len(self.checked)

    @property
    def shows_answer(self) -> bool:
        """Whether the reader may see the answer."""
        return bool(self.right) or self.solved

    @property
    def in_words(self) -> str:
        """Say how far it is."""
        if self.right:
            tries = "" if self.tries == 1 else f" after {self.tries} tries"
            return f"right{tries}{', with the solution seen before' if self.after else ''}"
        if self.right is not None:
            return "not right yet"
        if self.done:
            return "done"
        if self.words:
            return "answered"
        return "open"

    @property
    def solution_in_words(self) -> str:
        """Say whether the solution was opened, and when."""
        if not self.solved:
            return "not opened"
        if not self.right:
            return "opened"
        return f"opened {'before' if self.after else 'after'} the right answer"


@dataclass(frozen=True)
class ExerciseRequest:
    """What an address asks for.

    topic: the one whose exercises are listed, "" for all. task: the exercise that is open, if any.
    chosen: the exercises of a homework, none outside of one. notes: what could not be found. tasks:
    all there are, by their keys.
    """

    topic: str = ""
    task: Task | None = None
    chosen: tuple[Task, ...] = ()
    notes: tuple[str, ...] = ()
    tasks: Mapping[str, Task] = field(default_factory=dict)

    @property
    def around(self) -> tuple[Task, ...]:
        """The exercises among which the reader goes forward and back."""
        if self.chosen:
            return self.chosen
        listed = self.tasks.values()
        return tuple(t for t in listed if not self.topic or t.topic == self.topic)

    @property
    def homework(self) -> dict[str, str]:
        """What the addresses within a homework have in common."""
        return set_query(self.chosen) if self.chosen else {}

    @property
    def values(self) -> dict[str, Value]:
        """The address as it should be, with nothing in it that was not found."""
        written = {TOPIC.key: self.topic, EXERCISE.key: "", SET.key: ""} | self.homework
        return {**written, **(self.task.query if self.task else {})}


def tasks(pages: Iterable[Page]) -> dict[str, Task]:
    """Return all exercises of some pages by their keys, in the order of the pages."""
    every = (Task(page.slug, exercise) for page in pages for exercise in page.exercises)
    return {task.key: task for task in every}


def set_query(chosen: Iterable[Task]) -> dict[str, str]:
    """Return the query of a link to a homework."""
    return {SET.key: ",".join(task.key for task in chosen)}


def exercise_request(values: Mapping[str, Value], all_tasks: Mapping[str, Task]) -> ExerciseRequest:
    """Return what an address asks for; what there is not is left out, with a note."""
    topic, name, listed = (str(values[parameter.key]) for parameter in PARAMETERS)
    notes = []
    topics = {task.topic for task in all_tasks.values()}
    if topic and topic not in topics:
        notes.append(f"There are no exercises on {quote(topic, '“”')}; here are all.")
        topic = name = ""
    task = all_tasks.get(f"{topic}.{name}")
    if name and task is None:
        where = f" on “{entry(topic).title}”" if topic else ""
        notes.append(f"There is no exercise {quote(name, '“”')}{where}; choose one of these.")
    keys = dict.fromkeys(filter(None, (key.strip() for key in listed.split(","))))
    chosen = tuple(all_tasks[key] for key in keys if key in all_tasks)
    if missing := [key for key in keys if key not in all_tasks]:
        more = len(missing) - 1
        others = f" and {more} more, which are" if more else ", which is"
        notes.append(f"This homework names {quote(missing[0], '“”')}{others} not here.")
    if len(chosen) > MOST_EXERCISES:
        notes.append(f"A homework has at most {MOST_EXERCISES} exercises; here are the first.")
    return ExerciseRequest(topic, task, chosen[:MOST_EXERCISES], tuple(notes), all_tasks)


def minutes(chosen: Iterable[Task]) -> int:
    """Return about how long exercises take."""
    return sum(task.exercise.minutes for task in chosen)
