"""Whatever a link asks for, no stretch of work between two pauses is long or needs much memory.

A pause is where the scheduler may stop or interrupt a computation: between results, and at every
`dpviz.results.refining.pause`. What is counted does not depend on the machine: between two pauses,
calls of functions, in Python and in C; evaluations of δ; and the bytes that were written anew, as
far as they were allocated from one call to the next; over all, the most bytes that are allocated at
once. Seconds are measured by `python -m benchmarks.hostile steps`.
"""

import sys
import tracemalloc
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dpviz.maths.accounting.composition import composed
from dpviz.maths.loss_laws import convolved
from dpviz.results import refining
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import Pace, pausing
from dpviz.scene.codec import Choice, Flag, Number, Seed
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation
from dpviz.topics.clipping import scores, tasks
from tests.support.declarations import SLUGS, page
from tests.support.examples import chosen, examples
from tests.support.heavy import HEAVY
from tests.support.pace import never

CALLS = 200_000  # about a tenth of a second of a processor, where arrays are small
KERNELS = {composed.steps.__code__, convolved.__code__}  # an evaluation of δ each
EVALUATIONS = 4
WRITTEN = 256 * 2**20  # bytes
AT_ONCE = 128 * 2**20  # bytes
ENOUGH = 10_000, 2**26  # calls, and bytes, of a state that are looked at, in all
VIEWS = [(slug, view.key) for slug in SLUGS for view in page(slug).views]
PICKED = [(name, place) for name, states in HEAVY.items() for place in range(len(states))]
# Of which a result takes longest, and would without a pause.
LONGEST = ("promise/rows", "bounded_noise/best", "adaptive_analysis/queries")
LONGEST += ("clipping/selected", "public_data/shift")
LONGEST += ("propose_test_release/noise",)


class EnoughError(Exception):
    """The state has been looked at for long enough."""


class Job:
    """Counts since the last pause, and in all; at_once: the most bytes allocated."""

    def __init__(self):
        self.since = self.evaluations = self.written = self.at_once = 0
        self.total = np.zeros(2, dtype=int)
        tracemalloc.reset_peak()
        self.base = self.before = tracemalloc.get_traced_memory()[0]

    def pause(self):
        self.write()
        self.total += self.since, self.written
        self.since = self.evaluations = self.written = 0
        if np.any(self.total > ENOUGH):
            raise EnoughError

    def write(self):
        """Note what was allocated since the last call, and given back or not."""
        now, most = tracemalloc.get_traced_memory()
        self.written += most - self.before
        self.at_once = max(self.at_once, most - self.base)
        self.before = now
        tracemalloc.reset_peak()

    def event(self, frame, kind, _):
        if kind in ("call", "c_call"):
            self.since += 1
            self.evaluations += kind == "call" and frame.f_code in KERNELS
        self.write()
        over = self.since > CALLS or self.evaluations > EVALUATIONS or self.written > WRITTEN
        if over or self.at_once > AT_ONCE:
            code = frame.f_code
            raise AssertionError(
                f"up to {code.co_filename}, {code.co_qualname}, no pause for {self.since} calls, "
                f"{self.written / 2**20:.0f} MB; {self.at_once / 2**20:.0f} MB at once"
            )

    @contextmanager
    def counted(self):
        sys.setprofile(self.event)
        try:
            with pausing(self.pause):
                yield
        finally:
            sys.setprofile(None)


def ends(parameter):
    """Both ends of a control, every option, the default."""
    match parameter:
        case Seed():
            return st.integers(0, 999)
        case Number(limit=limit):
            kind = int if limit.integer else float
            return st.sampled_from([kind(limit.minimum), kind(limit.maximum), parameter.default])
        case Choice(options=options):
            return st.sampled_from(sorted(options))
        case Flag():
            return st.booleans()
    raise TypeError(parameter)


@pytest.fixture(autouse=True, scope="module")
def _memory():
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.fixture(autouse=True, scope="module")
def _no_clock():
    """No result is due before it is whole: what is counted is the same on every machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pace, "due", never)
        still = SimpleNamespace(perf_counter=lambda: 0.0, thread_time=lambda: 0.0)
        patch.setattr(refining, "time", still)
        yield


def look_at(slug, key, state):
    """Compute a state as far as it is looked at."""
    declared, work = page(slug), Job()
    [view] = [view for view in declared.views if view.key == key]
    computation = Computation(Scene(declared, view, state | {"view": key}))
    try:
        while not computation.whole:
            with work.counted():
                computation.advance()
                work.pause()
    except (ParameterError, EnoughError):
        pass


@pytest.mark.parametrize(("slug", "key"), chosen(VIEWS, VIEWS[::4]))
def test_no_extreme_state_works_long_without_a_pause(slug, key):
    controls = {p.key: ends(p) for p in page(slug).parameters}

    # To shrink or explain a state that is too heavy would take all memory there is.
    @settings(
        examples(8),
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(st.fixed_dictionaries(controls))
    def tried(state):
        look_at(slug, key, state)

    tried()


def test_heavy_states_are_of_views_that_there_are():
    """Else another view is tried in its place, and `benchmarks.same_figures` ends in an error."""
    for name in HEAVY:
        slug, key = name.split("/")
        assert key in {view.key for view in page(slug).views}, name


@pytest.mark.parametrize(("name", "place"), chosen(PICKED, [(name, 0) for name in LONGEST]))
def test_no_heavy_state_works_long_without_a_pause(name, place):
    slug, key = name.split("/")
    usual = {p.key: p.default for p in page(slug).parameters}
    state = dict(HEAVY[name][place])
    assert set(state) <= set(usual)
    look_at(slug, key, usual | state)


def test_a_missing_pause_is_noticed(monkeypatch):
    """Before there were any in clipping, a state like this one wrote 5.7 GB without one."""
    for module in (refining, scores, tasks):
        monkeypatch.setattr(module, "pause", lambda: None)
    with pytest.raises(AssertionError, match="no pause for"):
        test_no_heavy_state_works_long_without_a_pause("clipping/selected", 0)
