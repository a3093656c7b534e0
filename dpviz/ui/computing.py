"""How the results of a view are computed: what a link gives, and what a reader asks for.

No Streamlit here: `dpviz.ui.frame` draws what this module yields.
"""

import contextlib
import inspect
import itertools
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType

import numpy as np

from dpviz.scene.codec import Value
from dpviz.scene.page import Page, Result, View

# Seconds after which no finer result is begun, and after which none is waited for.
_PATIENCE, _LONGEST = 0.1, 0.4


class Recent:
    """The last whole results, for all readers, bounded in number and in bytes.

    A class that opens one link computes it once, and a change that does not concern the view
    (theme, fold, another control) costs nothing.
    """

    def __init__(self, entries: int, size: int) -> None:
        self._entries, self._size = entries, size
        self._results: OrderedDict[tuple[object, ...], tuple[Result, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, state: tuple[object, ...]) -> Result | None:
        """Return the result of a state, if it is still there."""
        with self._lock:
            if state not in self._results:
                return None
            self._results.move_to_end(state)
            return self._results[state][0]

    def add(self, state: tuple[object, ...], result: Result) -> None:
        """Keep a result, and drop the ones not asked for longest."""
        with self._lock:
            self._results[state] = (result, weight(result))
            while len(self._results) > self._entries or self.bytes > self._size:
                self._results.popitem(last=False)

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


class Crowd:
    """Those who compute at this moment, in the whole process."""

    def __init__(self) -> None:
        self._size = 0
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def joined(self) -> Iterator[None]:
        """Be one of them for a while."""
        with self._lock:
            self._size += 1
        try:
            yield
        finally:
            with self._lock:
                self._size -= 1

    def __len__(self) -> int:
        return self._size


CROWD = Crowd()


class Computation:
    """One view at one state, for one reader: what is known of it, and the way to know more.

    result: the finest there is so far; whole: whether there is no finer one. own: keywords with
    the reader's own data; with them nothing is shared with other readers.
    """

    def __init__(
        self,
        page: Page,
        view: View,
        values: Mapping[str, Value],
        own: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        arguments = page.arguments(view, values)
        name = (view.compute.__module__, view.compute.__qualname__)
        self.state = (*name, *arguments.items(), *own.items())
        self.result: Result | None = None
        self.whole = False
        self._page, self._view, self._arguments, self._own = page, view, arguments, own
        self._finer: Iterator[Result] | None = None

    @property
    def several(self) -> bool:
        """Whether there are results coarse and fine."""
        return inspect.isgeneratorfunction(self._view.compute)

    def first(self) -> Iterator[Result]:
        """Yield what is known; if nothing is, results coarse to fine for a limited time.

        The time is the view's `first_seconds`: so no link keeps the server busy. It shrinks with
        the square of those who compute at once: what they want first is a first figure each.
        """
        if self.result is None and not self._own:
            self.result = RECENT.get(self.state)
            self.whole = self.result is not None
        if self.result is not None:
            yield self.result
            return
        with CROWD.joined():
            spent, begin = 0.0, time.thread_time()
            for result in self.further():
                spent += time.thread_time() - begin
                yield result
                if spent * len(CROWD) ** 2 >= self._view.first_seconds:
                    return
                begin = time.thread_time()

    def further(self) -> Iterator[Result]:
        """Yield ever finer results to the end; what was computed is never computed again."""
        if self.whole:
            return
        if self._finer is None:
            outcome = self._view.compute(**self._page.call(self._arguments), **self._own)
            self._finer = outcome if self.several else iter([outcome])
        try:
            for result in self._finer:
                self.result = result
                yield result
        except Exception:
            self._finer = None  # what failed half-way must not pass for whole
            raise
        self.whole = True
        if self.result is not None and not self._own:
            RECENT.add(self.state, self.result)


class Hasty:
    """The results of a view while a control is moved, for one reader.

    The next value is then more welcome than a finer figure of this one. But a first result can
    be a single point; so a finer one gets a little time, and more only in the background. As
    long as one is computed there, first results have to do: a reader never occupies more.
    """

    def __init__(self) -> None:
        self._finer = threading.Thread()

    def results(
        self,
        page: Page,
        view: View,
        values: Mapping[str, Value],
        own: Mapping[str, object] = MappingProxyType({}),
    ) -> Iterator[Result]:
        """Yield one result: the finest that takes little time, or the first there is."""
        begin = time.monotonic()
        computation = Computation(page, view, values, own)
        stages = computation.first()
        found = list(itertools.islice(stages, 1))

        def refine() -> None:
            # What goes wrong will be told when the movement has ended.
            with contextlib.suppress(Exception):
                for result in stages:
                    found.append(result)
                    if time.monotonic() - begin > _PATIENCE:
                        break

        if (
            computation.several
            and not self._finer.is_alive()
            and time.monotonic() - begin < _PATIENCE
        ):
            self._finer = threading.Thread(target=refine, name="finer", daemon=True)
            self._finer.start()
            self._finer.join(_LONGEST)
        yield from found[-1:]


class Line:
    """The line before the places where long computations run, one for the whole process.

    places: how many run at once. turn: seconds after which one that runs goes to the end of the
    line if others wait, so that nobody waits for a whole long computation of somebody else.
    """

    def __init__(self, places: int, turn: float) -> None:
        self.places, self.turn = places, turn
        self._tickets: list[Ticket] = []
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def join(self) -> Iterator["Ticket"]:
        """Stand in the line, and leave it at the end, however that comes."""
        ticket = Ticket(self)
        with self._lock:
            self._tickets.append(ticket)
        try:
            yield ticket
        finally:
            with self._lock:
                self._tickets.remove(ticket)

    def __len__(self) -> int:
        return len(self._tickets)

    def ahead(self, ticket: "Ticket") -> int:
        """Return how many have to leave a place before it is the turn of `ticket`."""
        with self._lock:
            now = time.monotonic()
            place = self._tickets.index(ticket)
            if place >= self.places:
                ticket.running_since = None
                return place - self.places + 1
            if ticket.running_since is None:
                ticket.running_since = now
            waiting = len(self._tickets) - self.places
            if waiting > 0 and now - ticket.running_since > self.turn:
                self._tickets.append(self._tickets.pop(place))
                ticket.running_since = None
                return waiting
            return 0


class Ticket:
    """One reader's place in a `Line`."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self.running_since: float | None = None

    def ahead(self) -> int:
        """Return how many others come first: 0 while the reader may compute."""
        return self._line.ahead(self)


LINE = Line(places=max(1, (os.cpu_count() or 1) - 1), turn=10.0)
