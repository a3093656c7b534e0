"""The command `dpviz`: start the app, or write what a link shows to a file.

    dpviz                                       start the app, as `streamlit run app.py` does
    dpviz figure LINK -o FILE                   the figure as .svg, .png, .html, or .json of the
                                                figure route; the numbers as .csv; the code as .py

A link is one of any copy of the app, or the part after its name: "promise?epsilon=2&view=odds".
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from dpviz.results.evidence import Result
from dpviz.results.files import ROOT
from dpviz.results.parameters import ParameterError
from dpviz.scene.catalogue import PAGES
from dpviz.scene.codec import decode_link
from dpviz.scene.scene import Scene

HOME = "http://127.0.0.1:8501/"  # where the app is if nobody says


class CommandError(Exception):
    """What was asked for cannot be done; the message says why, in words for a reader."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its arguments, by default those of the process; return its status."""
    parser = argparse.ArgumentParser(
        prog="dpviz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command")
    figure = commands.add_parser("figure", help="write what a link shows to a file")
    figure.add_argument("link")
    figure.add_argument("-o", "--output", type=Path, required=True, help="ends in one of these")
    figure.add_argument("--dark", action="store_true", help="in the dark theme")
    known, rest = parser.parse_known_args(arguments)
    if known.command is None:
        return start(rest)
    if rest:
        parser.error(f"unknown: {' '.join(rest)}")
    try:
        write(known.link, known.output, dark=known.dark)
    except CommandError as refusal:
        print(f"dpviz: {refusal}", file=sys.stderr)
        return 2
    return 0


def start(options: Sequence[str]) -> int:
    """Start the app, with options of `streamlit run`."""
    return subprocess.call([sys.executable, "-m", "streamlit", "run", ROOT / "app.py", *options])


def write(link: str, output: Path, *, dark: bool) -> None:
    """Compute what a link shows, to the end, and write it to a file.

    What could not be read in the link is said on the standard error. Raises `CommandError`.
    """
    from dpviz.serve import exports

    kind = next((known for known in exports.KINDS if f".{known}" == output.suffix), None)
    if kind is None:
        ends = ", ".join(exports.KINDS)
        raise CommandError(f"the file must end in one of {ends}; got {output.name!r}")
    scene, notes = opened(link)
    for note in notes:
        print(f"dpviz: {note}", file=sys.stderr)
    try:
        result = computed(scene)
    except ParameterError as refusal:
        raise CommandError(str(refusal)) from refusal
    base = link.split("?")[0] if "://" in link else f"{HOME}{scene.page.slug}"
    address = f"{base}?{urlencode(scene.query)}"
    output.write_bytes(exports.contents(kind, scene, result, address, dark=dark))


def opened(link: str) -> tuple[Scene, tuple[str, ...]]:
    """Return the scene of a link, and what could not be read. Raises `CommandError`."""
    from dpviz.serve.topics import Topics

    try:
        parts = urlsplit(link)
        query = parse_qs(parts.query, keep_blank_values=True)
    except ValueError as error:
        raise CommandError(f"this is no link: {error}") from error
    slug = parts.path.strip("/").split("/")[-1]
    page = Topics().page(slug)
    if page is None:
        names = ", ".join(entry.slug for entry in PAGES)
        raise CommandError(f"the link must lead to one of {names}; got {slug!r}")
    values, notes = decode_link(query, page.url_parameters)
    scene = Scene.opened(page, values)
    if scene.upload is not None:
        raise CommandError("a link does not carry a reader's own data; the page's code reads them")
    return scene, notes


def computed(scene: Scene) -> Result:
    """Return the finest result of a scene."""
    from dpviz.serve.computing import Computation

    computation = Computation(scene)
    while not computation.whole:
        computation.advance()
    assert computation.result is not None
    return computation.result


if __name__ == "__main__":
    sys.exit(main())
