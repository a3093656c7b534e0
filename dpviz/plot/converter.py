"""vl-convert, in processes that end: the only place where it runs.

It needs no browser. But none of the memory that it takes is given back; and a server has to live on
if reading a picture goes wrong.
"""

import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
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


def main() -> None:
    """Call the function that stands in the input."""
    make, arguments, named = pickle.loads(sys.stdin.buffer.read())
    sys.stdout.buffer.write(pickle.dumps(make(*arguments, **named)))


if __name__ == "__main__":
    main()
