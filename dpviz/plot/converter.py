"""vl-convert, in processes that end: the only place where it runs.

It needs no browser. But none of the memory that it takes is given back; and a server has to live on
if reading a picture goes wrong.
"""

import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar, cast

from dpviz.results.folders import ASSETS

_PATIENCE = 120.0  # seconds that drawing may take on a busy machine
_PLACES = threading.Semaphore(2)  # of processes at a time, for all readers
_FONTS = ASSETS / "fonts"

P = ParamSpec("P")
T = TypeVar("T")


def apart(make: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Return what a function makes, called in a process of its own.

    make: can be found by its name, and its arguments and what it returns can be pickled.
    """
    with _PLACES:
        done = subprocess.run(
            [sys.executable, "-m", "dpviz.plot.converter"],
            input=pickle.dumps((make, arguments, named)),
            stdout=subprocess.PIPE,
            check=True,
            timeout=_PATIENCE,
        )
    return cast(T, pickle.loads(done.stdout))


def png(svg: str, scale: float) -> bytes:
    """Return an SVG as PNG, `scale` pixels for each of its own; to be called `apart`."""
    import vl_convert

    # Else each line is in a font of the machine's that has all of its characters, if there is one.
    vl_convert.register_font_directory(str(_FONTS))
    return bytes(vl_convert.svg_to_png(svg, scale=scale))


def pdf(svg: str, folders: Sequence[str] = ()) -> bytes:
    """Return an SVG as PDF, as large as it says; to be called `apart`.

    folders: of fonts that it names, besides ours and those the system knows.
    """
    import vl_convert

    for folder in (str(_FONTS), *folders):
        vl_convert.register_font_directory(folder)
    return bytes(vl_convert.svg_to_pdf(svg))


def described(pdf: bytes, about: Mapping[str, str]) -> bytes:
    """Return what `pdf` made with what readers of PDF and catalogues of papers say of it.

    about: Title, Subject, Creator. It stands in an update at the end of the file, as the format
    has it (ISO 32000-1, 7.5.6); vl-convert writes none.
    """
    tail = re.search(rb"trailer\s*<<([^>]*)>>\s*startxref\s+(\d+)\s+%%EOF\s*$", pdf)
    assert tail, "vl-convert writes PDF in another way"
    entries = dict(re.findall(rb"/(\w+) (\d+)", tail[1]))
    number, begin = int(entries[b"Info"]), len(pdf) + 1
    meta = "".join(f" /{name} <{_in_hex(text)}>" for name, text in about.items())
    info = f"{number} 0 obj\n<<{meta} >>\nendobj\n"
    trailer = b"trailer\n<<%s/Prev %s >>\nstartxref\n" % (tail[1], tail[2])
    table = f"xref\n0 1\n0000000000 65535 f \n{number} 1\n{begin:010} 00000 n \n"
    at = begin + len(info)
    return b"".join((pdf, b"\n", info.encode(), table.encode(), trailer, f"{at}\n%%EOF\n".encode()))


def _in_hex(text: str) -> str:
    return f"\ufeff{text}".encode("utf-16-be").hex()


def main() -> None:
    """Call the function that stands in the input."""
    make, arguments, named = pickle.loads(sys.stdin.buffer.read())
    sys.stdout.buffer.write(pickle.dumps(make(*arguments, **named)))


if __name__ == "__main__":
    main()
