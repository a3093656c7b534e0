"""A little work for who opens a room where many are taken: a lecturer's browser does it once.

To be found is a number whose hash, behind a text that the server has signed, begins with zero bits.
"""

import time
from hashlib import sha256
from secrets import compare_digest

from dpviz.serve.clients import keyed_hash

TO_COMPUTE = (
    "Many rooms are open on this server: this browser is to compute for a few seconds first."
)
_FROM = 0.5  # the share of taken rooms from which on work is asked for
_LEAST, _MOST = 14, 19  # zero bits, half full and full
_LASTS = 600  # seconds


def _bits(crowding: float) -> int:
    return _LEAST + round((_MOST - _LEAST) * min(1.0, (crowding - _FROM) / (1 - _FROM)))


def _signed(text: str, code: str, client: str) -> str:
    return keyed_hash(f"{text} {code} {client}".encode(), "room work")


def task(code: str, client: str, crowding: float, now: float | None = None) -> str:
    """Return what is to be done to open a room under a code, "" for nothing."""
    if crowding < _FROM:
        return ""
    text = f"{int(time.time() if now is None else now)}.{_bits(crowding)}"
    return f"{text}.{_signed(text, code, client)}"


def is_done(work: str, code: str, client: str, crowding: float, now: float | None = None) -> bool:
    """Return whether what was sent is a task that was done, where one is asked for."""
    if crowding < _FROM:
        return True
    text, _, rest = work[:200].rpartition(".")
    begun, _, bits = text.rpartition(".")[0].partition(".")
    signature = text.rpartition(".")[2]
    if not (begun.isdecimal() and bits.isdecimal() and rest.isdecimal()):
        return False
    real = _signed(f"{begun}.{bits}", code, client)
    age = (time.time() if now is None else now) - int(begun)
    if not compare_digest(signature.encode(), real.encode()) or age > _LASTS:
        return False
    return int.from_bytes(sha256(work.encode()).digest(), "big") >> (256 - int(bits)) == 0
