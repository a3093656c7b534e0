"""How much memory a process takes for one client, who asks for heavy figures, never one twice.

Once with new seeds; once, in a fresh process, with links that also name new laws, tasks and data:
what caches keep by what it depends on.
"""

import http.client
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode, urlsplit

from benchmarks.hostile.row import Row
from dpviz.scene.codec import Value
from tests.browser.conftest import running_app
from tests.hosting.site import Site
from tests.support.heavy import HEAVY

_AT_ONCE = 6
_ROUNDS = 3
_SEEDS = 10**6
MOST = 400.0  # MB: what docs/hosting.md says

Link = tuple[str, dict[str, Value]]


def rows() -> Iterator[Row]:
    """Yield two rows, each with the memory before and after each round."""
    yield _row("hoarding", "heavy figures", "with new seeds", _seeded)
    yield _row("hoarding laws and data", "figures", "of new settings", _named)


def _seeded(rng: random.Random) -> list[Link]:
    return [
        (name, {**state, "seed": rng.randrange(_SEEDS), "moving": 1})
        for name, states in HEAVY.items()
        for state in states
    ]


def _named(rng: random.Random) -> list[Link]:
    """Return figures that are soon computed, and of which much is kept."""
    people: dict[str, Value] = {"data": "clusters", "outliers": 1000, "examples_per_user": 10**6}
    several: list[tuple[int, str, Callable[[], dict[str, Value]]]] = [
        (
            100,
            "propose_test_release/outliers",
            lambda: people | {"users": rng.randint(95_000, 10**5)},
        ),
        (40, "propose_test_release/noise", lambda: {"rate": rng.uniform(0.3, 0.5)}),
        (10, "promise/odds", lambda: {"mechanism": "bounded", "power": rng.uniform(1, 4)}),
        (10, "bounded_noise/errors", lambda: {"epsilon": rng.uniform(0.1, 1), "show_tuned": 1}),
        (8, "clipping/user", lambda: {"task": "gaussian", "candidates": rng.randint(50, 64)}),
        (8, "clipping/selected", lambda: {"task": "gaussian", "candidates": rng.randint(50, 64)}),
    ]
    return [
        (name, setting() | {"seed": rng.randrange(_SEEDS)})
        for count, name, setting in several
        for _ in range(count)
    ]


def _row(attack: str, what: str, how: str, asked: Callable[[random.Random], list[Link]]) -> Row:
    rng = random.Random(2026)
    with running_app() as address:
        port = int(address.rpartition(":")[2])
        server = Site(address, (port,))

        def ask(link: Link) -> None:
            name, state = link
            line = http.client.HTTPConnection(urlsplit(address).netloc, timeout=600)
            try:
                line.request("GET", f"/figure/{name}?{urlencode(state)}")
                line.getresponse().read()
            finally:
                line.close()

        held = [server.memory(port)]
        for _ in range(_ROUNDS):
            links = asked(rng)
            rng.shuffle(links)
            with ThreadPoolExecutor(_AT_ONCE) as clients:
                list(clients.map(ask, links))
            held.append(server.memory(port))
    sizes = ", ".join(f"{megabytes:.0f}" for megabytes in held)
    kept = "within" if max(held) <= MOST else "BEYOND"
    return Row(
        attack,
        f"{len(links)} {what}, {_ROUNDS} times {how}, {_AT_ONCE} at once",
        f"{sizes} MB; {kept} the {MOST:.0f} MB of docs/hosting.md",
    )
