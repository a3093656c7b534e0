"""Reads the file of a lecture as its own script does."""

import base64
import gzip
import json
import re
from typing import Any


def changed(old: Any, change: Any) -> Any:
    """What a difference turns a value into."""
    if change is None:
        return old
    kind, content, *gone = change
    if kind == "is":
        return content
    copy = list(old) if kind == "at" else {k: v for k, v in old.items() if k not in gone[0]}
    for place, part in content.items():
        at = int(place) if kind == "at" else place
        copy[at] = changed(old[at] if kind == "at" else old.get(at), part)
    return copy


def packed(html: str, mark: str) -> list[Any]:
    """What the scripts with this attribute hold."""
    texts = re.findall(rf'<script type="text/plain" {mark}>([^<]*)</script>', html)
    return [json.loads(gzip.decompress(base64.b64decode(text))) for text in texts]
