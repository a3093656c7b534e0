"""A computation that goes on while somebody watches it, and how far each of them wants it to go."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from dpviz.serve.clients import Client
from dpviz.serve.computing import Computation

_WEIGHT = 0.3  # of the newest, in the mean of what results of a view take

Notify = Callable[[], None]


class Wish(Enum):
    """How far somebody who watches wants a computation to go."""

    SOON = "the first result, or a finer one that takes hardly longer"
    IDLE = "all of it, if that takes little and nobody else waits"
    LINK = "what a link gives"
    ALL = "to the end"


# Seconds of work after which no finer result is begun.
_LIMITS = {Wish.SOON: 0.02, Wish.IDLE: 0.1}


class LeftError(Exception):
    """Nobody waits any more for what would still take long."""


class BusyError(Exception):
    """So many others wait that this is not computed now; who still wants it asks again."""


@dataclass(frozen=True)
class Listener:
    """One who watches a computation.

    patient: waits however long it takes, as a session's own script does.
    """

    wish: Wish
    client: Client = Client()  # noqa: RUF009, it is frozen
    patient: bool = False


class Durations:
    """Processor seconds that results of a view take, learned from those there were."""

    def __init__(self) -> None:
        self._means: dict[object, float] = {}

    def learn(self, name: object, seconds: float) -> None:
        """Note what a result of this view has taken."""
        before = self._means.get(name, seconds)
        self._means[name] = before + _WEIGHT * (seconds - before)

    def of(self, name: object, unknown: float) -> float:
        """Return what a result of this view is expected to take, or what stands for unknown."""
        return self._means.get(name, unknown)


class Job:
    """A computation, and who waits for its results.

    count: of the results so far. ended: nothing more will come. fault: why, if it failed.
    listeners: by what tells each of them that there is news. step: seconds that a result after the
    first is expected to take. running: a step of it is being taken; heavy: and did not begin as a
    short one. waiting_since: when its last step ended, or it was first asked for; last_request:
    when it was last asked for.
    """

    def __init__(
        self,
        computation: Computation,
        tell: Notify,
        listener: Listener,
        now: float,
        step: float = 0.0,
    ) -> None:
        self.computation = computation
        self.count = 0 if computation.result is None else 1
        self.fault: Exception | None = None
        self.running = self.heavy = False
        self.waiting_since = self.last_request = now
        self.listeners = {tell: listener}
        self.step = step
        self.ended = computation.whole or (self.count > 0 and not self.long and self._over(1))

    @property
    def long(self) -> bool:
        """Whether it goes on to the end, and not only as far as a link gives."""
        return any(listener.wish is Wish.ALL for listener in self.listeners.values())

    @property
    def idle(self) -> bool:
        """Whether it is only what somebody might ask for next."""
        return all(listener.wish is Wish.IDLE for listener in self.listeners.values())

    @property
    def left(self) -> bool:
        """Whether nobody waits any more, nor comes back to what there is of it."""
        resumable = self.computation.resumable and self.computation.result is not None
        return not (self.listeners or resumable)

    @property
    def dispensable(self) -> bool:
        """Whether it has not begun, and all who wait can ask for it again."""
        begun = self.running or self.count > 0 or self.long
        return not begun and not any(listener.patient for listener in self.listeners.values())

    def advance(self) -> None:
        """Take one step."""
        before = self.computation.result
        try:
            self.computation.advance()
        except LeftError:
            pass  # whoever has come meanwhile has it computed anew
        except Exception as fault:  # reported to those who watch
            self.fault = fault
        self.count += self.computation.result is not before

    def settle(self, crowd: int, now: float) -> None:
        """End where the work is done, or where the time for it is over, and report what is new.

        The time shrinks with the square of the crowd: what they want first is a first figure each.
        """
        self.waiting_since = now
        has_result = self.computation.result is not None
        self.ended = bool(
            self.fault
            or self.computation.whole
            or (has_result and not self.long and self._over(crowd))
        )
        self._tell()

    def refuse(self) -> None:
        """End before it has begun: others come first."""
        self.fault, self.ended = BusyError(), True
        self._tell()

    def _tell(self) -> None:
        for tell in list(self.listeners):
            tell()

    def _over(self, crowd: int) -> bool:
        spent, most = self.computation.spent, self.computation.first_seconds
        wishes = (listener.wish for listener in self.listeners.values())
        limit = max((_LIMITS.get(wish, most) for wish in wishes), default=0.0)
        if limit < most or crowd > 1:
            spent += self.step  # it cannot be left half-way: one that takes too long must not begin
        return spent * crowd**2 >= min(limit, most)
