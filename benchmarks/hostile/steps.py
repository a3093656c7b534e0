"""The longest step, the longest stretch without a pause, and the most memory of every view.

Each state is followed by some that differ in one value, and so begin with what it left behind.
"""

import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dpviz.results.parameters import ParameterError
from dpviz.results.refining import pausing
from dpviz.scene.codec import Choice, Flag, Number, Parameter, Seed, Value
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from dpviz.serve.computing import Computation
from dpviz.ui.server import prepare
from tests.support.declarations import SLUGS, page
from tests.support.heavy import HEAVY

_ENOUGH = 2.5  # seconds of processor time for a state
_LONG = 0.5  # seconds that deserve to be looked at
_LARGE = 300  # and MB


@dataclass
class _Clock:
    """Processor time since the last pause, and the most there was of it.

    where: what paused, or came to an end, after the longest stretch.
    """

    last: float = field(default_factory=time.thread_time)
    longest: float = 0.0
    where: str = ""

    def look(self) -> None:
        """Take the time at a pause."""
        caller = sys._getframe(2)
        if caller.f_code.co_name == "due" and caller.f_back is not None:
            caller = caller.f_back
        self.lap(f"{caller.f_code.co_filename.rpartition('dpviz/')[2]}:{caller.f_lineno}")

    def lap(self, where: str) -> None:
        """End a stretch."""
        now = time.thread_time()
        if now - self.last > self.longest:
            self.longest, self.where = now - self.last, where
        self.last = now


def report(only: list[str], *, states: int, seconds: float) -> None:
    """Print a line for each view, each in a process of its own.

    only: pages, or views as "page/view".
    """
    prepare()
    print("| view | states | longest step | without a pause | memory |\n|---|---|---|---|---|")
    for slug in SLUGS:
        for view in page(slug).views:
            if only and not {slug or "home", f"{slug or 'home'}/{view.key}"} & set(only):
                continue
            job = multiprocessing.get_context("fork").Process(
                target=_view, args=(slug, view, states, seconds)
            )
            job.start()
            job.join()


def _view(slug: str, view: View, states: int, seconds: float) -> None:
    declared, name = page(slug), f"{slug or 'home'}/{view.key}"
    usual: dict[str, Value] = {p.key: p.default for p in declared.parameters}
    _measured(declared, view, usual)  # what is imported and made only once
    rng, base, begin = random.Random(name), _peak(), time.process_time()
    worst = {"step": (0.0, ""), "stretch": (0.0, "")}
    chosen = [usual | dict(state) for state in HEAVY.get(name, ())]
    tried = 0
    while tried < states + len(chosen) and (
        tried < len(chosen) or time.process_time() - begin < seconds
    ):
        turn = tried - len(chosen)
        state = (
            chosen[tried]
            if turn < 0
            else {p.key: _extreme(rng, p, turn) for p in declared.parameters}
        )
        tried += 1
        for moved in ({}, *_moves(rng, declared, view)):
            step, clock = _measured(declared, view, state | dict(moved))
            state_text = str({key: state[key] for key in view.parameters})
            state_text += f" and then {moved}" if moved else ""
            worst["step"] = max(worst["step"], (step, state_text))
            worst["stretch"] = max(
                worst["stretch"], (clock.longest, f"up to {clock.where} {state_text}")
            )
    (step, slow), (stretch, place), large = worst["step"], worst["stretch"], _peak() - base
    print(
        f"| {name} | {tried} | {step:.2f} s | {stretch:.2f} s | {large:.0f} MB |"
        + (f"\n        step: {slow}" if step > _LONG else "")
        + (f"\n        stretch: {place}" if stretch > _LONG or large > _LARGE else ""),
        flush=True,
    )


def _measured(declared: Page, view: View, state: dict[str, Value]) -> tuple[float, _Clock]:
    """Return the longest step of a state, and the clock that timed its stretches."""
    computation = Computation(Scene(declared, view, state | {"view": view.key}))
    clock, longest, spent = _Clock(), 0.0, 0.0
    while not computation.whole and spent < _ENOUGH:
        begin = time.thread_time()
        try:
            with pausing(clock.look):
                computation.advance()
        except ParameterError:
            break
        clock.lap("a result")
        step = time.thread_time() - begin
        longest, spent = max(longest, step), spent + step
    return longest, clock


def _moves(rng: random.Random, declared: Page, view: View) -> Iterator[Mapping[str, Value]]:
    """Yield what a reader moves next, who finds what the wish before has left behind.

    Every other word of one choice, then another end of one number.
    """
    parameters = [declared.parameter(key) for key in view.parameters]
    choices = [parameter for parameter in parameters if isinstance(parameter, Choice)]
    numbers = [parameter for parameter in parameters if isinstance(parameter, Number)]
    if choices:
        choice = rng.choice(choices)
        yield from ({choice.key: option} for option in choice.options)
    if numbers:
        number = rng.choice(numbers)
        yield {number.key: _extreme(rng, number, 2)}


def _extreme(rng: random.Random, parameter: Parameter, turn: int) -> Value:
    match parameter:
        case Seed():
            return rng.randrange(1000)
        case Number(limit=limit):
            ends = [limit.maximum, limit.minimum]
            value = ends[turn] if turn < 2 else rng.choice([*ends, *ends, limit.default])
            return int(value) if limit.integer else float(value)
        case Choice(options=options):
            return rng.choice(list(options))
        case Flag():
            return rng.random() < 0.5
    raise TypeError(parameter)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
