"""What a computation is: one view at one state, results coarse to fine, and what is kept of them.

No Streamlit here, and no thread: `dpviz.serve.scheduler` decides which computation continues when.
"""

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from dpviz.results.caching import Cache
from dpviz.results.evidence import Result
from dpviz.scene.scene import Scene

ComputationKey = tuple[object, ...]


RESULTS = Cache[Result](32 * 2**20)
"""The last whole results, for all readers.

A class that opens one link computes it once, and a change that does not concern the view (theme,
fold, another control) costs nothing.
"""


@dataclass(frozen=True, eq=False)
class Progress:
    """How far a computation has come: all that becomes a file or a picture is made of this.

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
        far = "" if done is None else f", with {math.floor(100 * done)}% of its points and runs"
        return f"This is what a short computation gives{far}."

    def stopped(self) -> "Progress":
        """Return it as it is where nothing goes on: no sentence says "so far"."""
        part = self.result.so_far
        if self.whole or part is None:
            return self
        return replace(self, result=replace(self.result, so_far=replace(part, stopped=True)))


class Computation:
    """One view at one state: what is known of it, and the way to know more.

    result: the finest there is so far; whole: whether there is no finer one. spent: seconds of
    processor time that went into it. resumable: whether it is to go on later where it was left.
    own: keywords with a reader's own data; with them nothing is shared with other readers.
    """

    def __init__(
        self,
        scene: Scene,
        own: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        compute = scene.view.compute
        self.name = (compute.__module__, compute.__qualname__)
        self.state: ComputationKey = (*self.name, *scene.effective.items(), *own.items())
        self.result: Result | None = None if own else RESULTS.get(self.state)
        self.whole = self.result is not None
        self.spent, self.resumable = 0.0, False
        self.first_seconds = scene.view.first_seconds
        self._scene, self._own = scene, own
        self._finer: Iterator[Result] | None = None

    @property
    def progress(self) -> Progress | None:
        """What is known so far, None where that is nothing; another thread may go on meanwhile."""
        whole = self.whole  # asked first: a finer result may come in between, never a coarser one
        return None if self.result is None else Progress(self.result, whole)

    def advance(self) -> None:
        """Compute the next result, or learn that there is none; nothing is computed twice."""
        if self.whole:
            return
        begin = time.thread_time()
        try:
            self.whole = not self._step() or not self._scene.view.in_parts
        except Exception:
            self._finer = None  # what failed half-way must not pass for whole
            raise
        finally:
            self.spent += time.thread_time() - begin
        if self.whole and self.result is not None and not self._own:
            RESULTS.add(self.state, self.result)

    def _step(self) -> bool:
        if self._finer is None:
            call = self._scene.page.call(self._scene.arguments)
            computed = self._scene.view.compute(**call, **self._own)
            self._finer = iter([computed]) if isinstance(computed, Result) else computed
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
