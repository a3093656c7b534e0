"""The longest step and the most memory of every view, at extreme states."""

import multiprocessing
import random
import resource
import time

from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Choice, Flag, Number, Parameter, Seed, Value
from dpviz.scene.page import Page, View
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation
from dpviz.ui.server import prepare
from tests.support.declarations import SLUGS, page

_ENOUGH = 2.5  # seconds of processor time for a state


def report(only: list[str], *, states: int, seconds: float) -> None:
    """Print a line for each view, each in a process of its own."""
    prepare()
    for slug in SLUGS:
        for view in page(slug).views if not only or slug in only else ():
            job = multiprocessing.get_context("fork").Process(
                target=_view, args=(slug, view, states, seconds)
            )
            job.start()
            job.join()


def _view(slug: str, view: View, states: int, seconds: float) -> None:
    rng, base, begin = random.Random(f"{slug} {view.key}"), _peak(), time.process_time()
    longest, slow, tried = 0.0, "", 0
    while tried < states and time.process_time() - begin < seconds:
        state = {p.key: _extreme(rng, p, tried) for p in page(slug).parameters}
        tried += 1
        step = _longest_step(page(slug), view, state | {"view": view.key})
        if step > longest:
            longest, slow = step, str({key: state[key] for key in view.parameters})
    print(
        f"{slug or 'home'}/{view.key}: {tried} states, longest step {longest:.2f} s, "
        f"{_peak() - base:.0f} MB",
        flush=True,
    )
    if longest > 0.5:
        print(f"        {slow}", flush=True)


def _longest_step(declared: Page, view: View, state: dict[str, Value]) -> float:
    computation, longest, spent = Computation(Scene(declared, view, state)), 0.0, 0.0
    while not computation.whole and spent < _ENOUGH:
        begin = time.thread_time()
        try:
            computation.advance()
        except ParameterError:
            break
        step = time.thread_time() - begin
        longest, spent = max(longest, step), spent + step
    return longest


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
