"""How long an innocent reader waits for a first figure beside readers of the heaviest links."""

import http.client
import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode, urlsplit

import numpy as np

from benchmarks.hostile.row import Row
from tests.browser.conftest import running_app
from tests.hosting.site import hosted
from tests.support.heavy import HEAVY

# The longest steps that `python -m benchmarks.hostile steps` found, each the first of its view in
# `tests.support.heavy`. Seeds are drawn anew, so that nothing is shared; where a view has no seed,
# a number moves a little without becoming lighter.
HEAVIEST = (
    *("few_users/votes", "public_data/shift"),
    *("clipping/threshold", "bounded_noise/best"),
    *("promise/rows", "promise/again"),
)
_MOVED = {
    "bounded_noise/best": "failure_probability",
    "adaptive_analysis/budget": "beta",
    "promise/rows": "epsilon",
    "promise/again": "answer_epsilon",
}
_PAUSE = 0.3  # seconds between two looks of the innocent reader


def rows(rounds: int, seconds: float, *, replicas: int) -> Iterator[Row]:
    """Yield rows without and with attackers, interleaved, for so many rounds."""
    with _site(replicas) as address:
        waited: dict[int, list[float]] = {0: [], len(HEAVIEST): []}
        asked = itertools.count(1)
        _waits(address, asked, 5.0)  # everything is loaded
        for _ in range(rounds):
            for attackers, waits in waited.items():
                with _attack(address, attackers, asked):
                    waits += _waits(address, asked, seconds)
    processes = f"{replicas} processes" if replicas else "one process"
    for attackers, waits in waited.items():
        middle, high = np.quantile(waits, [0.5, 0.95])
        yield Row(
            f"{attackers} readers of the heaviest links",
            f"first figure of a reader beside them, {processes}, {len(waits)} looks",
            f"p50 {middle:.2f} s, p95 {high:.2f} s, most {max(waits):.2f} s",
        )


def moved(name: str, number: int) -> dict[str, float]:
    """Return what makes one of the heaviest links another, where a seed does not."""
    return {_MOVED[name]: 0.1 + number % 3000 / 10000} if name in _MOVED else {}


@contextmanager
def _site(replicas: int) -> Iterator[str]:
    if not replicas:
        with running_app() as address:
            yield address
    else:
        with hosted(replicas) as site:
            yield site.address


def _get(address: str, path: str, over: threading.Event | None = None) -> float:
    """Return the seconds to the first line of an answer, and read the rest, until it is `over`."""
    begin = time.monotonic()
    line = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
    try:
        line.request("GET", path)
        answer = line.getresponse()
        answer.readline()
        first = time.monotonic() - begin
        while not (over is not None and over.is_set()) and answer.readline():
            pass
        return first
    finally:
        line.close()


def _waits(address: str, asked: Iterator[int], seconds: float) -> list[float]:
    """Return what a reader waits who moves a slider of light views for so long."""
    end, waits = time.monotonic() + seconds, []
    while time.monotonic() < end:
        number = next(asked)
        gap = 1 + (number % 4000) / 1000
        path = ("/figure/home/play?epsilon=", "/figure/shared_darts/board?gap=")[number % 2]
        waits.append(_get(address, f"{path}{gap}&seed={number}"))
        time.sleep(_PAUSE)
    return waits


@contextmanager
def _attack(address: str, attackers: int, asked: Iterator[int]) -> Iterator[None]:
    """Have so many readers ask for the heaviest links, each again and again."""
    over = threading.Event()

    def read(place: int) -> None:
        name = HEAVIEST[place % len(HEAVIEST)]
        while not over.is_set():
            number = next(asked)
            query = dict(HEAVY[name][0]) | moved(name, number) | {"seed": number}
            try:
                _get(address, f"/figure/{name}?{urlencode(query)}", over)
            except OSError as fault:
                print(f"        {name}: {fault}")

    threads = [threading.Thread(target=read, args=(place,)) for place in range(attackers)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(2.0 if attackers else 0.0)
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
