"""What a computation is: one view at one state, results coarse to fine, and what is kept of them.

No Streamlit here, and no thread: `dpviz.serve.desk` decides which computation continues when.
"""

import inspect
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from types import MappingProxyType

import numpy as np

from dpviz.results.evidence import Result
from dpviz.scene.scene import Scene

State = tuple[object, ...]


class Recent:
    """The last whole results, for all readers, bounded in number and in bytes.

    A class that opens one link computes it once, and a change that does not concern the view
    (theme, fold, another control) costs nothing.
    """

    def __init__(self, entries: int, size: int) -> None:
        self._entries, self._size = entries, size
        self._results: OrderedDict[State, tuple[Result, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, state: State) -> Result | None:
        """Return the result of a state, if it is still there."""
        with self._lock:
            if state not in self._results:
                return None
            self._results.move_to_end(state)
            return self._results[state][0]

    def add(self, state: State, result: Result) -> None:
        """Keep a result, and drop the ones not asked for longest."""
        with self._lock:
            self._results[state] = (result, weight(result))
            while len(self._results) > self._entries or self.bytes > self._size:
                self._results.popitem(last=False)

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._results.clear()

    @property
    def bytes(self) -> int:
        """What the results weigh together."""
        return sum(size for _, size in self._results.values())


def weight(value: object) -> int:
    """Return about how many bytes a result holds: its arrays, and a little for all else."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, Mapping):
        return sum(map(weight, value.values()))
    if isinstance(value, tuple | list):
        return sum(map(weight, value))
    if is_dataclass(value):
        return sum(weight(getattr(value, part.name)) for part in fields(value))
    return 64


RECENT = Recent(entries=256, size=64 * 2**20)


@dataclass(frozen=True, eq=False)
class Found:
    """What a computation has found so far: all that becomes a file or a picture is made of this.

    result: the finest there is. whole: whether there is no finer one.
    """

    result: Result
    whole: bool

    @property
    def remark(self) -> str:
        """What everything made of it has to say of the computation, "" where that has ended."""
        done = self.result.done
        if self.whole or (done is not None and done >= 1):
            return ""
        far = "" if done is None else f", {math.floor(100 * done)}% of the whole"
        return f"This is what a short computation gives{far}."


class Computation:
    """One view at one state: what is known of it, and the way to know more.

    result: the finest there is so far; whole: whether there is no finer one. spent: seconds of
    processor time that went into it. kept: whether it is to go on later where it was left. own:
    keywords with a reader's own data; with them nothing is shared with other readers.
    """

    def __init__(
        self,
        scene: Scene,
        own: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        compute = scene.view.compute
        self.name = (compute.__module__, compute.__qualname__)
        self.state: State = (*self.name, *scene.arguments.items(), *own.items())
        self.result: Result | None = None if own else RECENT.get(self.state)
        self.whole = self.result is not None
        self.spent, self.kept = 0.0, False
        self.first_seconds = scene.view.first_seconds
        self._scene, self._own = scene, own
        self._finer: Iterator[Result] | None = None

    @property
    def several(self) -> bool:
        """Whether there are results coarse and fine."""
        return inspect.isgeneratorfunction(self._scene.view.compute)

    @property
    def found(self) -> Found | None:
        """What is known so far, None where that is nothing; another thread may go on meanwhile."""
        whole = self.whole  # asked first: a finer result may come in between, never a coarser one
        return None if self.result is None else Found(self.result, whole)

    def advance(self) -> None:
        """Compute the next result, or learn that there is none; nothing is computed twice."""
        if self.whole:
            return
        begin = time.thread_time()
        try:
            self.whole = not self._step() or not self.several
        except Exception:
            self._finer = None  # what failed half-way must not pass for whole
            raise
        finally:
            self.spent += time.thread_time() - begin
        if self.whole and self.result is not None and not self._own:
            RECENT.add(self.state, self.result)

    def _step(self) -> bool:
        if self._finer is None:
            call = self._scene.page.call(self._scene.arguments)
            outcome = self._scene.view.compute(**call, **self._own)
            self._finer = iter([outcome]) if isinstance(outcome, Result) else outcome
        for result in self._finer:
            self.result = result
            return True
        return False

    def first(self) -> Iterator[Result]:
        """Yield what a link gives, coarse to fine, computed in this thread."""
        if self.result is not None:
            yield self.result
        while not self.whole and (self.result is None or self.spent < self.first_seconds):
            before = self.result
            self.advance()
            if self.result is not None and self.result is not before:
                yield self.result
