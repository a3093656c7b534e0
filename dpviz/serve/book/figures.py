"""All figures of a leaf, in chunks: what the page opens with, and what its controls reach.

A figure is kept as a difference from the one with which the page opens, and has in it what is
another on a phone (`dpviz.serve.lecture.compact`); its colours are those of the page. Everything is
computed by count of results and pauses, not by the clock (`dpviz.results.refining`), so that the
same state gives the same bytes.
"""

import base64
import gzip
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import orjson

from dpviz.results.parameters import ParameterError
from dpviz.results.refining import counted, pausing
from dpviz.scene.codec import Choice, Number, Parameter, Seed, encode
from dpviz.scene.lectures import LectureScene
from dpviz.scene.ranges import ticks
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation, Progress
from dpviz.serve.lecture.delta import Difference, difference
from dpviz.serve.lecture.scenes import (
    PLAYED,
    Looks,
    figure_of,
    first_figure,
    next_figure,
    packed_size,
    still,
)
from dpviz.serve.lecture.scenes import held as together
from dpviz.serve.lecture.states import controls, described, moved, others
from dpviz.serve.lines import Look

_LOW = 480  # pixels of a figure, so that it stands in a window 720 high with its sentence
_WIDE, _NARROW = 940, 360  # pixels that a window 1280 wide and a phone leave for it
_PAIR = 9  # values of a slider that moves while another is elsewhere
_MOST_PAIRS = 100  # states in which both of two controls are elsewhere
_CHUNK = 80_000  # bytes of a chunk, each state packed by itself: about twice what it takes
_MOST = 300_000  # bytes of all states of a leaf, each packed by itself
_QUICK = 10  # pauses at most of what opens a page on which two controls move at a time

GAMES = 3
"""How many games there are of a view with rounds, the one with which it opens among them."""

_GUESSES = 24  # values of a number that a reader may predict
_GUESS = "guess"  # in the place of a control, in the names of what is told of a prediction


_OPENING = 140_000
"""Pauses of what a page opens with, of which there are some hundreds a second, or thousands."""
_MOVED, _MOST_MOVED, _ALL_MOVED = 3000, 6000, 8000
"""Pauses of another state, of one where the page's own takes as many, and of all states of a leaf.

To these come as many as the page's own takes, but at most as many as one other may. Where states
take long, there are fewer.
"""
_ALL_MORE = 3000  # pauses of all states that controls behind "more" reach
_MOST_MORE = 60_000  # bytes of them, each packed by itself
_BRIEF = 400  # pauses after which a state is known well enough as soon as it is known to _ENOUGH
_ENOUGH = 0.25  # of a state: with less, pictures are points without a curve, and words are false

State = tuple[tuple[str, str], ...]
"""Where controls stand that are not where the page has them: their keys and values, by key."""


@dataclass(frozen=True)
class Held:
    """What is computed of a leaf.

    page: what its script has to know; chunks: the figures of the states, packed; plays: what the
    button of its figure plays, packed, "" where it has none.
    """

    page: Mapping[str, Any]
    chunks: tuple[str, ...]
    plays: str


def looks(step: LectureScene) -> Looks:
    """Return the looks that a book has of each figure."""
    wide = Look(low=_LOW, labels="only" if step.control else "few", width=_WIDE)
    return wide, replace(wide, low=0, narrow=True, width=_NARROW)


class _EnoughError(Exception):
    """A computation has taken as many pauses as it may."""


def settled(scene: Scene, most: int, brief: int = 0) -> tuple[Progress | None, int]:
    """Return what is known of a scene after so many pauses, and how many it took.

    brief: the pauses after which less will do: as much as says something. It is the same on every
    machine; None where the scene cannot be computed.
    """
    computation, pauses = Computation(scene), 0

    def look() -> None:
        nonlocal pauses
        pauses += 1
        progress = computation.progress
        if progress and (pauses > most or (brief and pauses > brief and tells(progress))):
            raise _EnoughError

    with counted(), pausing(look), suppress(_EnoughError):
        try:
            while not computation.whole:
                computation.advance()
        except ParameterError:
            return None, pauses
    progress = computation.progress
    return progress and progress.stopped(), pauses


def tells(progress: Progress) -> bool:
    """Return whether so much is known that a picture of it says what the whole one says."""
    done = progress.result.done
    return progress.whole or done is None or done >= _ENOUGH


def moving(scene: Scene, only: str) -> tuple[Parameter, ...]:
    """Return the controls of a leaf: those of a lecture's scene, and what another game raises."""
    found, rounds = controls(scene, only), scene.view.rounds
    again = [scene.parameter(rounds.again)] if rounds else []
    return (*found, *(one for one in again if one not in found))


def more(scene: Scene, only: str) -> tuple[Parameter, ...]:
    """Return the controls of a leaf that wait behind "more"; a lecture's one is alone."""
    if only in scene.view.parameters:
        return ()
    shown = {control.key for control in moving(scene, only)} | set(scene.idle)
    return tuple(scene.parameter(key) for key in scene.view.parameters if key not in shown)


def states(scene: Scene, only: str, *, pairs: bool) -> Iterator[State]:
    """Yield where the controls of a scene can go: each by itself, in turn, then two at a time."""
    texts = [(control, ways(scene, control)) for control in moving(scene, only)]
    yield from _in_turn(texts)
    for two in itertools.combinations(texts, 2) if pairs else ():
        if any(isinstance(control, Seed) for control, _ in two):
            continue
        keys, few = [control.key for control, _ in two], [_few(*one) for one in two]
        if math.prod(map(len, few)) <= _MOST_PAIRS:
            for pair in itertools.product(*few):
                yield tuple(sorted(zip(keys, pair, strict=True)))


def _in_turn(texts: Sequence[tuple[Parameter, list[str]]]) -> Iterator[State]:
    for turn in itertools.zip_longest(*(values for _, values in texts)):
        for (control, _), text in zip(texts, turn, strict=True):
            if text is not None:
                yield ((control.key, text),)


def ways(scene: Scene, control: Parameter) -> list[str]:
    """Return where a control can go: of a slider first its ends, then the values named along it."""
    texts = [control.write(value) for value in others(scene, control)]
    if scene.view.rounds is not None and control.key == scene.view.rounds.again:
        return texts[: GAMES - 1]
    return [*dict.fromkeys([*texts[:2], *named(scene, control), *texts[2:]])]


def named(scene: Scene, control: Parameter) -> list[str]:
    """Return the other values of a slider that have a label along it: so readers are told to go."""
    if not isinstance(control, Number):
        return []
    labelled = (control.write(value) for value, label in ticks(control.limit) if label)
    offered = {control.write(value) for value in control.limit.grid}
    now = control.write(scene.values[control.key])
    return [text for text in labelled if text in offered and text != now]


def _few(control: Parameter, texts: list[str]) -> list[str]:
    """Return the first values of a control: of a slider its ends and middles."""
    return texts[: _PAIR - 1] if isinstance(control, Number) else texts


def held(step: LectureScene, scene: Scene) -> tuple[Progress, Held]:
    """Compute all that a page knows of its figures; also what it opens with."""
    first, pauses = settled(scene, _OPENING)
    if first is None:
        raise RuntimeError(f"{scene.name} cannot be computed")
    opening, plays = first_figure(scene, first, looks(step), pulled=True)
    # What is known in part would call a curve wrong that is right, or an answer unknown.
    ask = step.ask and scene.prediction is not None and not first.remark
    found: dict[str, Difference] = {}
    along_with: dict[str, dict[str, str]] = {}
    pauses = min(pauses, _MOST_MOVED)
    most = max(_MOVED, pauses)
    waiting = more(scene, step.control)
    beyond = _in_turn([(control, _few(control, ways(scene, control))) for control in waiting])
    for reached, longest, size in (
        (states(scene, step.control, pairs=pauses <= _QUICK), _ALL_MOVED + pauses, _MOST),
        (beyond, _ALL_MORE + pauses, _MOST_MORE),
    ):
        used = taken = 0
        for state in reached:
            if used > size or taken > longest:
                break
            there = _at(scene, state)
            progress, pauses_there = settled(there, most, _BRIEF)
            taken += pauses_there
            if progress is not None and tells(progress):
                change = next_figure(opening, there, progress, looks(step), pulled=True)
                found[name_of(state)] = change
                used += packed_size(change)
                if along := _along(scene, there, state):
                    along_with[name_of(state)] = along
    guesses = [*_guesses(scene)] if ask else []
    for text in ("", *guesses) if ask else ():
        answered = drawn(step, scene, first, guess=text, revealed="" if text else "here")
        kept = {key: opening[key] for key in PLAYED if key in opening}
        now = still(answered) if text else answered | kept
        found[name_of(((_GUESS, text),))] = difference(opening, now)
    single = [dict(state) for state in map(state_of, found) if len(state) == 1]
    page: dict[str, Any] = {
        "query": encode(scene.values, scene.page.parameters),
        "along": along_with,
        "slug": scene.page.slug,
        "view": scene.view.key,
        "labels": "only" if step.control else "few",
        "controls": [
            described(
                control,
                [
                    control.write(scene.values[control.key]),
                    *(one[control.key] for one in single if control.key in one),
                ],
            )
            for control in (*moving(scene, step.control), *waiting)
            if any(control.key in one for one in single)
        ],
        "more": [control.key for control in waiting],
        "first": opening,
        "masked": difference(opening, still(drawn(step, scene, first, ask=True))) if ask else None,
        "guess": described(scene.prediction.guess, guesses) if ask and scene.prediction else None,
    }
    chunks = [*divided(found)]
    page["chunks"] = [list(chunk) for chunk in chunks]
    parts = tuple(packed(together(chunk)) for chunk in chunks)
    return first, Held(page, parts, packed(plays) if plays else "")


def _guesses(scene: Scene) -> Iterator[str]:
    """Yield what a reader may predict in a book: of a number not each of its values."""
    assert scene.prediction is not None
    guess = scene.prediction.guess
    if isinstance(guess, Choice):
        yield from guess.options
    else:
        values = list(guess.limit.grid)
        yield from map(guess.write, values[:: -(-len(values) // _GUESSES)])


def drawn(
    step: LectureScene,
    scene: Scene,
    progress: Progress,
    *,
    ask: bool = False,
    guess: str = "",
    revealed: str = "",
) -> dict[str, Any]:
    """Return a figure in both looks. ask, guess, revealed: of a `Look`."""
    wide, narrow = (replace(look, ask=ask, guess=guess, revealed=revealed) for look in looks(step))
    return figure_of(scene, progress, (wide, narrow), pulled=True)


def _at(scene: Scene, state: State) -> Scene:
    there = scene
    for key, text in state:
        value, _ = scene.parameter(key).read(text, scene.values[key])
        there = moved(there, key, value)
    return there


def _along(scene: Scene, there: Scene, state: State) -> dict[str, str]:
    """Return what else a state has elsewhere: a clipping threshold ends where rows do."""
    before, now = (encode(one.values, one.page.parameters) for one in (scene, there))
    moved = {key: text for key, text in now.items() if text != before.get(key)}
    return {key: text for key, text in moved.items() if (key, text) not in state}


def name_of(state: State) -> str:
    """Return how chunks name a state."""
    return "&".join(f"{key}={text}" for key, text in state)


def state_of(name: str) -> State:
    """Return the state of a name."""
    parts = (part.partition("=") for part in name.split("&"))
    return tuple((key, text) for key, _, text in parts)


def divided(found: Mapping[str, Difference]) -> Iterator[dict[str, Difference]]:
    """Yield small chunks of states, in each those of one control, or of two."""
    keys = {name: tuple(key for key, _ in state_of(name)) for name in found}
    places = {key: place for place, key in enumerate(dict.fromkeys(keys.values()))}
    ordered = sorted(found, key=lambda name: places[keys[name]])
    for _, names in itertools.groupby(ordered, key=keys.__getitem__):
        chunk: dict[str, Difference] = {}
        size = 0
        for name in names:
            chunk[name] = found[name]
            size += packed_size(found[name])
            if size > _CHUNK:
                yield chunk
                chunk, size = {}, 0
        if chunk:
            yield chunk


def packed(value: object) -> str:
    """Return JSON as chunks hold it: small on any host, also one that packs nothing itself."""
    return base64.b64encode(gzip.compress(orjson.dumps(value), 9, mtime=0)).decode()
