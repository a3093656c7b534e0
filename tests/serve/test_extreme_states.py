"""Whatever a link asks for, no stretch of work between two pauses is long or needs much memory.

A pause is where the desk may stop or interrupt a computation: between two results, and at every
`dpviz.results.refining.pause`. What is counted does not depend on the machine: calls of functions,
in Python and in C, and evaluations of δ, between two pauses; and the most bytes that are allocated
at once. A call on a large array is bounded by its bytes, not by its count; seconds are measured by
`python -m benchmarks.hostile steps`.
"""

import sys
import tracemalloc
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpviz.maths.accounting.composition import composed
from dpviz.maths.loss_laws import convolved
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import pausing
from dpviz.scene.codec import Choice, Flag, Number, Seed
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation
from tests.support.declarations import page
from tests.support.examples import examples

CALLS = 200_000  # about a tenth of a second of a processor, where arrays are small
KERNELS = {composed.__code__, convolved.__code__}  # an evaluation of δ each
EVALUATIONS = 4
BYTES = 64 * 2**20
ENOUGH = 40_000  # calls of a state that are looked at, in all
# Others compute on large arrays, where calls tell nothing.
TOPICS = ("", "promise", "bounded_noise", "adaptive_analysis", "user_complexity")
TOPICS += ("perfect_generalization", "propose_test_release")
VIEWS = [(slug, view.key) for slug in TOPICS for view in page(slug).views]


class EnoughError(Exception):
    """The state has been looked at for long enough."""


class Work:
    """Counts calls since the last pause, and in all."""

    def __init__(self):
        self.since = self.total = self.longest = self.evaluations = 0
        self.where = ""

    def pause(self):
        self.total += self.since
        self.longest, self.since = max(self.longest, self.since), 0
        self.evaluations = 0
        if self.total > ENOUGH:
            raise EnoughError

    def event(self, frame, kind, _):
        if kind in ("call", "c_call"):
            self.since += 1
            self.evaluations += kind == "call" and frame.f_code in KERNELS
            if self.since > CALLS or self.evaluations > EVALUATIONS:
                code = frame.f_code
                raise AssertionError(f"no pause up to {code.co_filename}, {code.co_qualname}")

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


@contextmanager
def traced():
    """Tell the most bytes allocated at once, beyond those that were there."""
    most = []
    tracemalloc.start()
    try:
        base, _ = tracemalloc.get_traced_memory()
        yield most
        most.append(tracemalloc.get_traced_memory()[1] - base)
    finally:
        tracemalloc.stop()


def computed(slug, key, state):
    """Compute a state as far as it is looked at, and return the work."""
    declared, work = page(slug), Work()
    [view] = [view for view in declared.views if view.key == key]
    computation = Computation(Scene(declared, view, state | {"view": key}))
    try:
        while not computation.whole:
            with work.counted():
                computation.advance()
                work.pause()
    except (ParameterError, EnoughError):
        pass
    return work


@pytest.mark.parametrize(("slug", "key"), VIEWS)
def test_no_extreme_state_works_long_without_a_pause(slug, key):
    controls = {p.key: ends(p) for p in page(slug).parameters}

    @settings(examples(8), suppress_health_check=list(HealthCheck), deadline=None)
    @given(st.fixed_dictionaries(controls))
    def tried(state):
        with traced() as most:
            computed(slug, key, state)
        assert most[0] < BYTES, f"{most[0] / 2**20:.0f} MB"

    tried()
