"""What is kept of computations goes by bytes."""

import threading
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.caching import Cache, cached, weight
from tests.support.examples import examples

SIZES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3000)), max_size=40)


@dataclass(frozen=True, eq=False)
class Law:
    masses: np.ndarray

    @cached_property
    def tail(self):
        return np.cumsum(self.masses[::-1])


class Plain:
    def __init__(self, held):
        self.held = held


def zeros(count):
    return np.zeros(count, np.uint8)


@pytest.mark.parametrize(
    "value",
    [
        zeros(10**6),
        zeros(10**6)[:3],  # which keeps all of it
        (zeros(10**6),),
        {"of": [zeros(10**6)]},
        Law(zeros(10**6)),
        Plain(Law(zeros(10**6))),
        Plain([part := zeros(10**6), part]),  # twice the same
        "x" * 10**6,
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_weight_is_what_is_held_wherever_it_is(value):
    assert 10**6 <= weight(value) < 10**6 + 1000


def test_what_was_computed_since_weighs_too():
    law = Law(np.zeros(10**5))
    before = weight(law)
    assert law.tail.size == 10**5
    assert weight(law) == pytest.approx(2 * before, rel=0.01)


@given(SIZES)
@examples(80)
def test_the_last_are_kept_and_never_more_bytes_than_allowed(asked):
    cache = Cache(10_000)
    for key, size in asked:
        cache.add(key, b"x" * size)
        assert cache.get(key) == b"x" * size
        alive = [other for other in range(10) if cache.get(other) is not None]
        assert sum(len(cache.get(other)) for other in alive) <= cache.bytes <= 10_000
        assert len(cache) == len(alive)
    cache.clear()
    assert (cache.bytes, len(cache)) == (0, 0)
    other = Cache(10_000)
    cache.add(0, b"x")
    other.add(0, b"x")
    Cache.clear_all()
    assert (len(cache), len(other)) == (0, 0)


def test_who_was_not_asked_for_longest_goes_first():
    cache = Cache(10_000)
    for key in range(3):
        cache.add(key, b"x" * 2500)
    cache.get(0)
    cache.add(3, b"x" * 2500)
    assert [cache.get(key) is not None for key in range(4)] == [True, False, True, True]


def test_one_too_large_is_not_kept_and_drives_no_other_out():
    cache = Cache(10_000)
    cache.add("small", b"x")
    cache.add("large", b"x" * 10_000)
    assert cache.get("small") == b"x"
    assert cache.get("large") is None
    cache.add("small", b"x" * 10_000)
    assert cache.get("small") is None  # what was there is out of date
    assert not cache.bytes


def test_what_a_value_depends_on_weighs_too():
    """Else long links to small figures would fill the memory, though few bytes are kept of each."""
    cache = Cache(10_000)
    for key in range(20):
        cache.add(("x" * 4000, key), b"")
    assert len(cache) == 2
    for key in range(2000):
        cache.add(key, b"")
    assert len(cache) <= 20


@given(SIZES)
@examples(80)
def test_results_of_a_function_are_kept_up_to_so_many_bytes(asked):
    made = []

    @cached(10_000)
    def bytes_of(key, *, size):
        made.append((key, size))
        return b"x" * size

    for key, size in asked:
        count = len(made)
        assert bytes_of(key, size=size) == b"x" * size
        assert bytes_of(key, size=size) == b"x" * size
        assert len(made) <= count + 1
        assert sum(map(len, bytes_of.cache._kept.values())) <= bytes_of.cache.bytes <= 10_000


def test_a_result_too_large_is_made_anew():
    made = []

    @cached(10_000)
    def large():
        made.append(b"x" * 10_000)
        return made[-1]

    assert large() == large()
    assert len(made) == 2


def test_a_result_is_weighed_with_what_else_it_computes():
    @cached(10**6)
    def law(size):
        return Law(np.zeros(size))

    for size in range(10_000, 10_020):
        law(size)
    assert sum(map(weight, law.cache._kept.values())) <= law.cache.bytes
    assert law(10_019).tail.size == 10_019
    assert sum(map(weight, law.cache._kept.values())) <= law.cache.bytes <= 10**6


def test_what_failed_is_not_kept():
    @cached(10_000)
    def refusing(value):
        raise ValueError(value)

    for _ in range(2):
        with pytest.raises(ValueError, match="3"):
            refusing(3)


def test_threads_get_the_same_and_none_waits_for_another():
    inside, go_on = threading.Barrier(2, timeout=600), threading.Event()

    @cached(10_000)
    def slow(key):
        if key == "slow":
            inside.wait()
            go_on.wait(600)
        return [key]

    found = []
    thread = threading.Thread(target=lambda: found.append(slow("slow")))
    thread.start()
    inside.wait()
    assert slow("quick") == ["quick"]
    go_on.set()
    thread.join()
    assert slow("slow") is found[0]


def test_threads_that_fill_a_cache_at_once_keep_it_within_its_bytes():
    cache, most = Cache(10_000), []

    @cached(10_000)
    def bytes_of(key):
        return b"x" * (key % 3000)

    def fill(seed):
        for key in np.random.default_rng(seed).integers(10**6, size=500).tolist():
            cache.add(key % 50, b"x" * (key % 3000))
            assert len(bytes_of(key)) == key % 3000
            most.append(max(cache.bytes, bytes_of.cache.bytes))

    threads = [threading.Thread(target=fill, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 2000
    assert max(most) <= 10_000
