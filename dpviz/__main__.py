"""The command `dpviz`: start the app, or write what a link shows to a file.

    dpviz                                       start the app, as `streamlit run app.py` does
    dpviz figure LINK -o FILE                   the figure as .svg, .png, .html, or .json of the
                                                figure route; the numbers as .csv; the code as .py
    dpviz lecture LECTURE -o FILE.html          a lecture as one file that moves without a network;
                                                a link, a name, or a file of JSON
    dpviz reference -o FOLDER                   what the public core offers, as HTML

A link is one of any copy of the app, or the part after its name: "promise?epsilon=2&view=odds".
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

from dpviz.results.folders import ROOT
from dpviz.results.parameters import ParameterError
from dpviz.scene.catalogue import PAGES
from dpviz.scene.codec import decode_address
from dpviz.scene.scene import Scene

if TYPE_CHECKING:
    from dpviz.serve.computing import Progress

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
    figure.add_argument("--site", default="", help="the copy of the app whose address it names")
    figure.add_argument("--dark", action="store_true", help="in the dark theme")
    figure.add_argument("--bare", action="store_true", help="CSV without units and sources")
    lecture = commands.add_parser("lecture", help="write a lecture as one file of HTML")
    lecture.add_argument("lecture")
    lecture.add_argument("-o", "--output", type=Path, required=True)
    lecture.add_argument("--site", default="", help="where the links of the handout lead")
    lecture.add_argument("--seconds", type=float, default=300.0, help="to compute for, at most")
    reference = commands.add_parser("reference", help="write the reference of the core")
    reference.add_argument("-o", "--output", type=Path, required=True)
    known, rest = parser.parse_known_args(arguments)
    if known.command is None:
        return start(rest)
    if rest:
        parser.error(f"unknown: {' '.join(rest)}")
    try:
        if known.command == "figure":
            write(known.link, known.output, site=known.site, dark=known.dark, bare=known.bare)
        elif known.command == "reference":
            write_reference(known.output)
        else:
            write_lecture(known.lecture, known.output, site=known.site, seconds=known.seconds)
    except CommandError as refusal:
        print(f"dpviz: {refusal}", file=sys.stderr)
        return 2
    return 0


def _check_folder(output: Path) -> None:
    """Say before anything is computed that there is no place for it."""
    folder = output.parent
    if not folder.is_dir():
        raise CommandError(f"there is no folder {folder}; make it first")


def start(options: Sequence[str]) -> int:
    """Start the app, with options of `streamlit run`."""
    return subprocess.call([sys.executable, "-m", "streamlit", "run", ROOT / "app.py", *options])


def write(link: str, output: Path, *, site: str, dark: bool, bare: bool) -> None:
    """Compute what a link shows, to the end, and write it to a file.

    site: the copy of the app whose address the file names, by default that of the link; where
    that says none, the file names what leads there in any copy. What could not be read
    in the link is said on the standard error. Raises `CommandError`.
    """
    from dpviz.plot.known_parts import UnknownPartError
    from dpviz.serve import files

    kind = next((known for known in files.KINDS if f".{known}" == output.suffix), None)
    if kind is None:
        ends = ", ".join(files.KINDS)
        raise CommandError(f"the file must end in one of {ends}; got {output.name!r}")
    _check_folder(output)
    scene, notes = opened(link)
    for note in notes:
        print(f"dpviz: {note}", file=sys.stderr)
    try:
        progress = computed(scene)
    except ParameterError as refusal:
        raise CommandError(str(refusal)) from refusal
    base = link.split("?")[0] if "://" in link else scene.page.slug
    if site:
        base = f"{site.rstrip('/')}/{scene.page.slug}"
    address = f"{base}?{urlencode(scene.query)}"
    try:
        content = files.contents(kind, scene, progress, address, dark=dark, bare=bare)
    except UnknownPartError as fault:
        raise CommandError(f"{fault}; open the link, or write its .html") from fault
    _save(output, content)


def _save(output: Path, content: bytes) -> None:
    try:
        output.write_bytes(content)
    except OSError as fault:
        raise CommandError(f"{output} cannot be written: {fault.strerror}") from fault


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
    values, notes = decode_address(query, page.url_parameters)
    scene = Scene.opened(page, values)
    notes, scene = (*notes, *scene.reset), Scene.settled(page, values)
    if scene.upload is not None:
        raise CommandError("a link does not carry a reader's own data; the page's code reads them")
    return scene, notes


def computed(scene: Scene) -> "Progress":
    """Return the finest result of a scene."""
    from dpviz.serve.computing import Computation

    computation = Computation(scene)
    while not computation.whole:
        computation.advance()
    assert computation.progress is not None
    return computation.progress


def write_reference(folder: Path) -> None:
    """Write the reference of the public core into a folder."""
    from dpviz.serve import reference

    try:
        reference.write(folder)
    except OSError as fault:
        raise CommandError(f"{folder} cannot be written: {fault.strerror}") from fault


def write_lecture(named: str, output: Path, *, site: str, seconds: float) -> None:
    """Write a lecture that a link carries or names, or that a file holds, as one file of HTML.

    site: where links lead, by default as `named` does. Raises `CommandError`.
    """
    from dpviz.plot.known_parts import UnknownPartError
    from dpviz.scene import lectures
    from dpviz.serve.lecture.file import made
    from dpviz.serve.topics import Topics

    def tell(part: float, words: str) -> None:
        print(f"\rdpviz: {part:4.0%} {words:70}", end="", file=sys.stderr)

    _check_folder(output)
    try:
        file = Path(named) if named.endswith(".json") else None
        lecture = (
            lectures.read(file.read_text(encoding="utf-8")) if file else lectures.pasted(named)
        )
        there = f"{named.split('?')[0].rsplit('/', 1)[0]}/" if "://" in named else HOME
        home = f"{site.rstrip('/')}/" if site else there
        content = made(lecture, Topics(), site=home, seconds=seconds, tell=tell)
    except (lectures.LectureError, OSError, UnknownPartError) as refusal:
        raise CommandError(str(refusal)) from refusal
    _save(output, content)
    print(f"\rdpviz: {f'{len(content) / 1e6:.1f} MB in {output}':75}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
