"""Who has had how much of the server lately: what turns go by.

Each network has an account, and each reader one within it. Whoever asks much finds those who asked
little before them, and is first again a few seconds later. One network with many readers gets no
more than another with one, as long as both want something.
"""

import math
from collections.abc import Callable

from dpviz.serve.clients import Client

_HALVED = 3.0  # seconds in which what somebody has had counts half
_FORGOTTEN = 1e-3  # seconds of work that no longer count
_SWEPT = 1000  # accounts from which on old ones are looked for


class Usage:
    """Seconds of work that networks and readers have had, the longer ago the less of them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._accounts: dict[Client | str, tuple[float, float]] = {}  # seconds, and when they were

    def charge(self, client: Client, seconds: float) -> None:
        """Note that somebody has had so many seconds of work."""
        now = self._clock()
        for account in (client, client.network_id):
            self._accounts[account] = (self._left(account, now) + seconds, now)
        if len(self._accounts) > _SWEPT:
            kept = {
                account: (left, now)
                for account in self._accounts
                if (left := self._left(account, now)) > _FORGOTTEN
            }
            self._accounts = kept

    def spent(self, client: Client) -> float:
        """Return what somebody's network, and this reader of it, have had lately."""
        now = self._clock()
        return self._left(client.network_id, now) + self._left(client, now)

    def _left(self, account: Client | str, now: float) -> float:
        seconds, when = self._accounts.get(account, (0.0, now))
        return seconds * math.exp2((when - now) / _HALVED)
