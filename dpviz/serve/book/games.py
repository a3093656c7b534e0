"""A game of a book: its figures after every number of rounds, whatever was answered.

There are millions of ways to play twenty rounds. But a figure keeps of each round only whether its
answer was right, and its words, how many were, and whether the last was. So a book has the figures
after all right answers and after all wrong ones, from which its script takes each round as it was
played, and the words apart. How a game ends tells how often each answer was right.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpviz.scene.lectures import LectureScene
from dpviz.scene.scene import Scene
from dpviz.scene.view import Rounds
from dpviz.serve.book.figures import drawn, looks, name_of, named, ways
from dpviz.serve.computing import Computation, Progress
from dpviz.serve.lecture.delta import difference
from dpviz.serve.lecture.scenes import final_line
from dpviz.serve.lecture.states import moved

_WORDS = ("takeaway", "detail", "exact", "alt", "notes", "odds")


def games(
    step: LectureScene, scene: Scene, opening: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield some games of a view with rounds, each with the name of the state that opens it.

    opening: what the page opens with. See `game`.
    """
    rounds = scene.view.rounds
    assert rounds is not None
    yield "", game(step, scene, opening)
    seed = scene.parameter(rounds.again)
    places = [(seed, text) for text in ways(scene, seed)]
    if step.control:  # its question may name some of them
        control = scene.parameter(step.control)
        places += [(control, text) for text in named(scene, control)]
    for control, text in places:
        value, _ = control.read(text, scene.values[control.key])
        there = moved(scene, control.key, value)
        yield name_of(((control.key, text),)), game(step, there, opening)


def game(step: LectureScene, scene: Scene, opening: Mapping[str, Any]) -> dict[str, Any]:
    """Return all of a game in a state of a view with rounds, as differences from `opening`.

    right: what would have been right in each round. rounds: after each but the last, what differs
    if all answers were right, if all were wrong, and the words by how many were right and whether
    the last was. end: how it ends if all were right; over: how that differs, by how often each
    answer was right.
    """
    rounds = scene.view.rounds
    assert rounds is not None
    blind = "".join(itertools.islice(itertools.cycle(rounds.answers), rounds.count))
    right = rounds.right(_played(scene, rounds, blind).result)

    def progress(outcomes: Sequence[bool]) -> Progress:
        return _played(scene, rounds, _answers(rounds, right, outcomes))

    def figure(outcomes: Sequence[bool]) -> dict[str, Any]:
        return drawn(step, scene, progress(outcomes))

    def words(every: Mapping[str, Any], outcomes: Sequence[bool]) -> dict[str, Any]:
        unread = replace(looks(step)[0], frames=True)  # nobody reads anything off it
        end = final_line(scene, progress(outcomes), unread, pulled=True)
        return {key: end[key] for key in _WORDS if end[key] != every[key]}

    def after(count: int) -> dict[str, Any]:
        every = figure([True] * count)
        return {
            "right": difference(opening, every),
            "wrong": difference(opening, figure([False] * count)),
            "words": [
                [
                    words(every, _outcomes(count, won, last=last))
                    if last <= won <= count - 1 + last
                    else None
                    for last in (False, True)
                ]
                for won in range(count + 1)
            ],
        }

    end = figure([True] * rounds.count)
    ends = itertools.product(*(range(right.count(letter) + 1) for letter in rounds.answers))
    return {
        "right": right,
        "rounds": [after(count) for count in range(1, rounds.count)],
        "end": difference(opening, end),
        "over": {
            ",".join(map(str, wons)): difference(end, figure(_ended(rounds, right, wons)))
            for wons in ends
        },
    }


def _played(scene: Scene, rounds: Rounds, letters: str) -> Progress:
    computation = Computation(scene, {rounds.keyword: letters})
    while not computation.whole:
        computation.advance()
    assert computation.progress is not None
    return computation.progress


def _answers(rounds: Rounds, right: str, outcomes: Sequence[bool]) -> str:
    """Return answers that are right or wrong in the first rounds as is wanted."""
    others = {
        letter: next(one for one in rounds.answers if one != letter) for letter in rounds.answers
    }
    pairs = zip(right, outcomes, strict=False)
    return "".join(letter if won else others[letter] for letter, won in pairs)


def _outcomes(count: int, won: int, *, last: bool) -> list[bool]:
    """Return outcomes of so many rounds, of which so many are won, with the last or without."""
    before = won - last
    return [True] * before + [False] * (count - 1 - before) + [last]


def _ended(rounds: Rounds, right: str, wons: Sequence[int]) -> list[bool]:
    """Return outcomes of all rounds in which each answer was right so often."""
    left = dict(zip(rounds.answers, wons, strict=True))
    outcomes = []
    for letter in right:
        outcomes.append(left[letter] > 0)
        left[letter] -= 1
    return outcomes
