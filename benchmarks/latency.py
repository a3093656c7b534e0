"""How long an empty answer takes on a connection that stays open: python -m benchmarks.latency.

Asked of the app's own port and through the proxy. The health check computes nothing: what it takes
is what every answer and every message takes on top of its own work.
"""

import argparse
import http.client
import time
from urllib.parse import urlsplit

import numpy as np

from benchmarks.options import parsed
from tests.hosting.site import hosted


def answers(address: str, count: int) -> list[float]:
    """Return the milliseconds of so many answers, one after the other, on one connection."""
    line = http.client.HTTPConnection(urlsplit(address).netloc)
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        line.request("GET", "/_stcore/health")
        line.getresponse().read()
        times.append(1e3 * (time.perf_counter() - begin))
    line.close()
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency", description=__doc__)
    parser.add_argument("--answers", type=int, default=200)
    options = parsed(parser, answers=2)
    with hosted(1) as site:
        for name, address in (
            ("the app's own port", f"http://127.0.0.1:{site.ports[0]}"),
            ("behind the proxy", site.address),
        ):
            median, high = np.quantile(answers(address, options.answers), [0.5, 0.95])
            print(f"{name:<20} median {median:6.2f} ms   p95 {high:6.2f} ms")


if __name__ == "__main__":
    main()
