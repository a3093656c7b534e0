"""How long an innocent reader waits for a first figure beside readers of the heaviest links."""

import http.client
import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode, urlsplit

import numpy as np

from tests.browser.conftest import running_app
from tests.hosting.site import hosted

# Found by `python -m benchmarks.hostile steps`; seeds are drawn anew, so that nothing is shared.
HEAVIEST: tuple[tuple[str, dict[str, object]], ...] = (
    ("few_users/votes", {"learner": "lists", "users": 3000, "bits": 8}),
    ("few_users/success", {"learner": "lists", "users": 3000, "bits": 8}),
    (
        "public_data/learn",
        {
            "task": "intervals",
            "learner": "perturbation",
            "samples": 100000,
            "public_points": 1000,
            "averages": 3000,
        },
    ),
    (
        "public_data/shift",
        {
            "task": "intervals",
            "learner": "perturbation",
            "public_points": 1000,
            "averages": 3000,
            "family": "rare",
        },
    ),
    (
        "public_data/points",
        {"task": "intervals", "learner": "perturbation", "samples": 100000, "averages": 3000},
    ),
    ("bounded_noise/errors", {"against": "queries", "shape": "iterated", "delta": 1e-300}),
    (
        "bounded_noise/choice",
        {"objective": "quantile", "queries": 10**10, "epsilon": 1e-7, "delta": 1e-300},
    ),
    ("adaptive_analysis/queries", {"samples": 800000, "alpha": 0.1, "beta": 0.5}),
    ("adaptive_analysis/budget", {"samples": 800000, "alpha": 0.005, "beta": 0.5}),
    ("promise/odds", {"mechanism": "bounded", "epsilon": 10, "queries": 100, "power": 0.5}),
)
# A parameter of each page that may move a little without becoming lighter.
_MOVED = {"promise": "prior", "bounded_noise": "failure_probability", "adaptive_analysis": "beta"}
_PAUSE = 0.3  # seconds between two looks of the innocent reader


def report(*, rounds: int, seconds: float, replicas: int) -> None:
    """Print rows without and with attackers, interleaved, for so many rounds."""
    with _site(replicas) as address:
        rows: dict[int, list[float]] = {0: [], len(HEAVIEST): []}
        asked = itertools.count(1)
        _waits(address, asked, 5.0)  # everything is loaded
        for _ in range(rounds):
            for attackers, waited in rows.items():
                with _attack(address, attackers, asked):
                    waited += _waits(address, asked, seconds)
        print(f"first figure of an innocent reader, {replicas or 'one'} process(es)")
        for attackers, waited in rows.items():
            middle, high = np.quantile(waited, [0.5, 0.95])
            print(
                f"{attackers:>3} attackers: p50 {middle:.2f} s, p95 {high:.2f} s, "
                f"most {max(waited):.2f} s, of {len(waited)}",
                flush=True,
            )


@contextmanager
def _site(replicas: int) -> Iterator[str]:
    if not replicas:
        with running_app() as address:
            yield address
    else:
        with hosted(replicas) as site:
            yield site.address


def _get(address: str, path: str) -> float:
    """Return the seconds to the first line of an answer, and read the rest."""
    begin = time.monotonic()
    line = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
    try:
        line.request("GET", path)
        answer = line.getresponse()
        answer.readline()
        first = time.monotonic() - begin
        answer.read()
        return first
    finally:
        line.close()


def _waits(address: str, asked: Iterator[int], seconds: float) -> list[float]:
    """Return what a reader waits who moves a slider of light views for so long."""
    end, waits = time.monotonic() + seconds, []
    while time.monotonic() < end:
        number = next(asked)
        gap = 1 + (number % 4000) / 1000
        path = ("/figure/home/reading?sigma=", "/figure/shared_darts/board?gap=")[number % 2]
        waits.append(_get(address, f"{path}{gap}&seed={number}"))
        time.sleep(_PAUSE)
    return waits


@contextmanager
def _attack(address: str, attackers: int, asked: Iterator[int]) -> Iterator[None]:
    """Have so many readers ask for the heaviest links, each again and again."""
    over = threading.Event()

    def read(place: int) -> None:
        name, query = HEAVIEST[place % len(HEAVIEST)]
        slug = name.partition("/")[0]
        while not over.is_set():
            number = next(asked)
            moved = {_MOVED[slug]: 0.1 + number % 3000 / 10000} if slug in _MOVED else {}
            try:
                _get(address, f"/figure/{name}?{urlencode(query | moved | {'seed': number})}")
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
