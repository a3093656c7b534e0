"""Reads the file of a lecture as its own script does: with that script, in Node."""

import base64
import gzip
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dpviz.results.folders import ROOT
from tests.scripts.test_modules import node

_HELD = (ROOT / "dpviz/serve/lecture/held.js").as_uri()
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_EACH = ("places", "said", "at")
_RUN = """import {{ readFileSync }} from "node:fs";
import * as held from "{held}";
const after = (first, changes, place) => held.lineOf(changes.reduce(held.changed, first), place);
const known = {{ ...held, after }};
const asked = JSON.parse(readFileSync(process.env.DPVIZ_ASKED, "utf-8"));
console.log(JSON.stringify(asked.map(([name, ...given]) => known[name](...given))));
"""


def held(*asked: tuple[Any, ...]) -> list[Any]:
    """What functions of held.js return, each named with what it is given.

    after: of a figure, some differences and a place, the line at which they end.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "asked.json"
        file.write_text(json.dumps(asked))
        script = _RUN.format(held=_HELD)
        return json.loads(node("--input-type=module", "-e", script, DPVIZ_ASKED=str(file)))


def packed(html: str, mark: str) -> list[Any]:
    """What the scripts with this attribute hold."""
    texts = re.findall(rf'<script type="text/plain" {mark}>([^<]*)</script>', html)
    return [json.loads(gzip.decompress(base64.b64decode(text))) for text in texts]


def agree(line: dict[str, Any], route: dict[str, Any], *, within: float = 0) -> None:
    """A line says and draws what the route does, with numbers so many pixels apart."""
    plain = {key: part for key, part in line.items() if key not in ("svg", "readings")}
    assert plain == {key: route[key] for key in plain}
    assert _NUMBER.sub("#", line["svg"]) == _NUMBER.sub("#", route["svg"])
    drawn, wanted = (np.array(_NUMBER.findall(one["svg"]), float) for one in (line, route))
    assert np.all(np.abs(drawn - wanted) <= within)
    for reading, said in zip(line["readings"], route["readings"], strict=True):
        known = [number for number, words in enumerate(said["said"]) if words is not None]
        some = {key: [said[key][at] for at in known] for key in _EACH if key in said}
        places = np.array([reading["places"], some["places"]], float)
        assert np.all(np.abs(places[0] - places[1]) <= 1)  # a tenth of a pixel, rounded twice
        assert reading | {"places": 0} == said | some | {"places": 0}
