"""What a class hands in: the file of one reader's answers, and the table of all files.

No Streamlit here: any file can be tried on it. A file is Markdown to be read; its last line says
the same for the table. A file can be changed like any other: the table says what the files say.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

import numpy as np

from dpviz.plot.text import counted
from dpviz.scene.catalogue import entry
from dpviz.scene.exercise import ChoiceAnswer, Exercise
from dpviz.scene.homework import LONGEST_WORDS, MOST_EXERCISES, Attempt, Task, set_query
from dpviz.scene.page import csv_text

LONGEST_NAME = 80
"""Characters of a reader's name."""
LARGEST = 2**20
"""Bytes of a file: all answers of a homework in words are fewer."""
MOST_FILES = 200
"""Of one class."""

_BEGIN, _END = "<!-- dpviz answers ", " -->"
_LONGEST_SAID = 200  # characters of what a file says of an exercise, in one of its fields
_MOST_TRIES = 10**6
_KEY = re.compile(r"[a-z_]{1,40}+\.[a-z0-9-]{1,60}+")


class HandedInError(ValueError):
    """A file holds no answers; the message says why."""


@dataclass(frozen=True)
class Done:
    """What a file says of an exercise.

    state: how far it is, in words. right: whether it is, None where the app does not check it.
    tries: how many different answers were checked. solution: whether it was opened, in words.
    answer: in one line.
    """

    state: str
    right: bool | None = None
    tries: int = 0
    solution: str = "not opened"
    answer: str = ""

    @property
    def in_short(self) -> str:
        """In a cell of a table: "right after 2 tries, solution opened before the right answer"."""
        # The state of a right answer says by itself that the solution was seen before it.
        seen = "" if self.solution == "not opened" or "solution" in self.state else self.solution
        tries = (
            f", {counted(self.tries, 'try', 'tries', digits=7)}"
            if self.tries and not self.right
            else ""
        )
        return f"{self.state}{tries}{f', solution {seen}' if seen else ''}"


@dataclass(frozen=True)
class HandedIn:
    """The answers of one reader: by whom, in which file, and of each exercise what was done."""

    name: str
    file: str
    done: Mapping[str, Done]

    @property
    def right(self) -> int:
        """How many of the answers that the app checks are right."""
        return sum(bool(one.right) for one in self.done.values())


@dataclass
class ClassFiles:
    """What a class handed in, as long as the tab of whoever collects it is open.

    files: by a mark of their contents: what is dropped twice is there once. refused: why others
    were not taken. dropped: how often files came.
    """

    files: dict[str, HandedIn] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    dropped: int = 0

    def take(self, dropped: Iterable[tuple[str, bytes]]) -> None:
        """Take files by their names; of those that hold no answers it is said why."""
        refused = []
        for name, content in dropped:
            try:
                handed = read_file(content, name)
                if len(self.files) >= MOST_FILES:
                    raise HandedInError(f"{MOST_FILES} files are here already")
            except HandedInError as error:
                refused.append(f"{_text(name, LONGEST_NAME)} is left out: {error}.")
            else:
                self.files[sha256(content).hexdigest()] = handed
        self.refused = tuple(refused)
        self.dropped += 1

    @property
    def in_order(self) -> list[HandedIn]:
        """The files, by the names of who wrote them."""
        return sorted(self.files.values(), key=lambda one: (one.name.casefold(), one.file))


def file_name(name: str) -> str:
    """Return a name for the file of somebody's answers."""
    words = "-".join(re.findall(r"[^\W_]++", name[:LONGEST_NAME]))
    return f"answers-{words}.md" if words else "answers.md"


def as_file(
    chosen: Sequence[Task], attempts: Mapping[str, Attempt], page: str, name: str = ""
) -> str:
    """Return a reader's answers as a text of Markdown.

    page: the address of the page of exercises, with which links begin. name: of who answers, if
    they say so.
    """
    done = {task.key: _done(task, attempts.get(task.key, Attempt())) for task in chosen}
    link = f"{page}?{urlencode(set_query(chosen), safe=',')}"
    lines = ["# Answers to exercises", "", *([f"Name: {name}", ""] if name else [])]
    lines += [f"{_summary(done.values())} The exercises: <{link}>", ""]
    for number, task in enumerate(chosen, 1):
        attempt, given = attempts.get(task.key, Attempt()), done[task.key]
        title = f"{entry(task.topic).title}: {task.exercise.title}"
        lines += [f"## {number}. {title}", "", task.exercise.question.strip(), ""]
        tries = "" if given.right is None else f" Tries: {given.tries}."
        lines += [f"State: {given.state}.{tries} Solution: {given.solution}.", ""]
        if given.answer:
            lines += [f"Answer: {given.answer}", ""]
        if attempt.words:
            lines += ["Answer in words:", "", attempt.words.strip(), ""]
    return "\n".join([*lines, _kept(name, done), ""])


def _summary(done: Iterable[Done]) -> str:
    """Say how much is done of what the app checks, and of what it does not."""
    attempts = list(done)
    checked = [one for one in attempts if one.right is not None]
    others = [one for one in attempts if one.right is None]
    right = sum(bool(one.right) for one in checked)
    parts = []
    if checked:
        parts.append(f"{right} of {counted(len(checked), 'answer')} that the app checks")
        parts[-1] += f" {'is' if right == 1 else 'are'} right."
    if others:
        ticked = sum(one.state == "done" for one in others)
        parts.append(f"{ticked} of {len(others)} to prove or to program ticked as done.")
    return " ".join(parts)


def _done(task: Task, attempt: Attempt) -> Done:
    is_checked = task.exercise.answer is not None
    answer = attempt.drawn or _unit(task.exercise, attempt.given) if attempt.given else ""
    return Done(
        attempt.in_words,
        bool(attempt.right) if is_checked else None,
        attempt.tries,
        attempt.solution_in_words,
        answer,
    )


def _unit(exercise: Exercise, given: str) -> str:
    """Return an answer in one line, with the unit of a number, and the words of a choice."""
    if isinstance(exercise.answer, ChoiceAnswer):
        return exercise.answer.options[int(given)]
    unit = getattr(exercise.answer, "unit", "")
    return f"{given} {unit}" if unit and not given.endswith(unit) else given


def _kept(name: str, done: Mapping[str, Done]) -> str:
    """Return the line that `read_file` reads; no text of a reader's can end it."""
    attempts = {key: {**vars(one)} for key, one in done.items()}
    text = json.dumps({"name": name, "done": attempts}, ensure_ascii=False).replace(">", r"\u003e")
    return f"{_BEGIN}{text}{_END}"


def read_file(content: bytes, file: str = "") -> HandedIn:
    """Return what a file of answers says. Raises `HandedInError`."""
    if len(content) > LARGEST:
        raise HandedInError(f"it has more than {LARGEST // 1024} kB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise HandedInError("it is no text in UTF-8") from None
    _, begun, rest = text.rpartition(_BEGIN)
    line, ended, _ = rest.partition(_END)
    if not (begun and ended):
        raise HandedInError("it holds no answers saved by this app, or its last line is missing")
    try:
        data = json.loads(line)
        done = {_key(key): _one(one) for key, one in data["done"].items()}
        name = _text(data["name"], LONGEST_NAME)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise HandedInError("its last line was changed, and cannot be read") from None
    if len(done) > MOST_EXERCISES:
        raise HandedInError(f"it has more than {MOST_EXERCISES} exercises")
    return HandedIn(name, _text(file, LONGEST_NAME), done)


def _key(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise ValueError(key)
    return key


def _text(value: object, longest: int = LONGEST_WORDS) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return " ".join("".join(c if c.isprintable() else " " for c in value[:longest]).split())


def _one(data: Mapping[str, Any]) -> Done:
    right, tries = data["right"], data["tries"]
    if right not in (None, True, False) or not isinstance(tries, int):
        raise TypeError(data)
    texts = (_text(data[key], _LONGEST_SAID) for key in ("state", "solution", "answer"))
    state, solution, answer = texts
    return Done(state, right, min(max(tries, 0), _MOST_TRIES), solution, answer)


def exercises_of(files: Iterable[HandedIn]) -> list[str]:
    """Return the keys of all exercises that files speak of, in the order in which they come."""
    return list(dict.fromkeys(key for file in files for key in file.done))


def table(files: Sequence[HandedIn], titles: Mapping[str, str]) -> dict[str, list[str]]:
    """Return a table of a class: a row for each file, a column for each exercise.

    titles: of exercises, by their keys; of those that are not here, the key stands in their place.
    """
    keys = exercises_of(files)
    checked = {key: any(_of(file, key).right is not None for file in files) for key in keys}
    columns = {"Name": [file.name or file.file for file in files]}
    columns["Right"] = [f"{file.right} of {sum(checked.values())}" for file in files]
    for key in keys:
        title = titles.get(key, key)
        while title in columns:
            title += " "
        columns[title] = [_of(file, key).in_short for file in files]
    return columns


_NOTHING = Done("not in the file")


def _of(file: HandedIn, key: str) -> Done:
    return file.done.get(key, _NOTHING)


def as_csv(files: Sequence[HandedIn]) -> str:
    """Return all that files say: a row for each, and for each exercise a column of each kind."""
    columns: dict[str, list[object]] = {
        "name": [file.name for file in files],
        "file": [file.file for file in files],
        "right": [file.right for file in files],
    }
    for key in exercises_of(files):
        found = [_of(file, key) for file in files]
        columns |= {
            f"{key} state": [one.state for one in found],
            f"{key} right": ["" if one.right is None else int(one.right) for one in found],
            f"{key} tries": [one.tries for one in found],
            f"{key} solution": [one.solution for one in found],
            f"{key} answer": [one.answer for one in found],
        }
    return csv_text({name: np.array(cells, dtype=object) for name, cells in columns.items()})
