"""Hostile links: nothing but figures and sentences comes back, and never a fault."""

import http.client
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from urllib.parse import quote, urlencode, urlsplit

from benchmarks.hostile.row import Row
from dpviz.scene.codec import Choice, Number, Parameter
from tests.browser.conftest import running_app
from tests.support.declarations import SLUGS, page

_NOISE = (
    *("%00", "%ff", "%ed%a0%bd", "<script>", "javascript:", "1e999", "-1", "nan", "é", "💥"),
    *("&&", "=", "%", "'", '"', "../", "\\", "[]", "{}", "$1"),
)


def rows(count: int) -> Iterator[Row]:
    """Follow so many links to figures, and tell what came back."""
    rng, found, longest = random.Random(2026), Counter[str](), 0.0
    with running_app() as address:
        line = http.client.HTTPConnection(urlsplit(address).netloc, timeout=300)
        for _ in range(count):
            path, begin = _link(rng), time.monotonic()
            line.request("GET", path)
            answer = line.getresponse()
            body = answer.read()
            longest = max(longest, time.monotonic() - begin)
            kind = _kind(answer.status, body)
            found[kind] += 1
            if kind in ("fault", "500"):
                yield Row("hostile link", path[:300], kind)
    summary = ", ".join(f"{times} × {kind}" for kind, times in found.most_common())
    yield Row("hostile links", f"{count}", f"{summary}; longest {longest:.1f} s")


def _kind(status: int, body: bytes) -> str:
    if status != 200:
        return str(status)
    last = json.loads(body.splitlines()[-1])
    if "spec" in last:
        return "figure"
    return "fault" if last.get("grave") else "sentence"


def _link(rng: random.Random) -> str:
    declared = page(rng.choice(SLUGS))
    view = rng.choice(declared.views)
    query = {p.key: _value(rng, p) for p in declared.parameters}
    text = urlencode(query, quote_via=quote)
    for _ in range(rng.randrange(4)):
        place = rng.randrange(len(text) + 1)
        noise = quote(rng.choice(_NOISE), safe="%&=")
        text = text[:place] + noise * rng.choice([1, 1, 1, 1000]) + text[place:]
    return f"/figure/{declared.name}/{view.key}?{text}&moving={rng.randrange(2)}"


def _value(rng: random.Random, parameter: Parameter) -> str:
    if isinstance(parameter, Number):
        limit = parameter.limit
        ends = [limit.minimum, limit.maximum, limit.default, limit.maximum * 2, -limit.maximum]
        return repr(rng.choice(ends))
    if isinstance(parameter, Choice):
        return rng.choice([*parameter.options, ""])
    return rng.choice(["0", "1", "2"])
