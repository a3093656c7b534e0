"""The command `dpviz`: start the app, or write what a link shows to a file.

    dpviz                                       start the app, as `streamlit run app.py` does
    dpviz --class                               the same for the phones of a class in this network
    dpviz radius --epsilon .1 --delta 1e-10 --queries 1e6
                                                the smallest radius of bounded noise; in the same
                                                way sigma, epsilon, delta, error, users and compare
    dpviz compose gaussian:sigma=2,count=3 laplace:scale=1 --delta 1e-6
                                                what answers of several kinds keep to together
    dpviz convert --rho 0.1 --delta 1e-6        between zCDP, Gaussian DP, Renyi DP and (ε, δ)
    dpviz figure LINK -o FILE                   the figure as .svg, .png, .html, or .json of the
                                                figure route; the numbers as .csv, the code as .py,
                                                the sources as .bib; --lenient draws what can be
                                                drawn of a link with mistakes
    dpviz figure LINK -o FILE.pdf --width 3.3in --font "Latin Modern Roman"
                                                for a paper, without words around it; or .svg
    dpviz lecture LECTURE -o FILE.html          a lecture as one file that moves without a network;
                                                a link, a name, or a file of JSON
    dpviz book -o FOLDER                        the course as plain files, which need no server:
                                                open index.html, or put the folder on any host
    dpviz reference -o FOLDER                   what the public core offers, as HTML
    dpviz completion bash                       what lets a shell complete these words

A link is one of any copy of the app, or the part after its name: "promise?epsilon=2&view=odds".
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import dpviz
from dpviz.results.extras import what_to_install
from dpviz.results.folders import ROOT
from dpviz.results.parameters import ParameterError
from dpviz.results.version import VERSION
from dpviz.shell import completing
from dpviz.shell.parser import Parser, number
from dpviz.shell.questions import QUESTIONS, WORDS, help_of, metavar
from dpviz.shell.waiting import Waiting

_UNITS = {"in": 1.0, "cm": 2.54, "mm": 25.4, "pt": 72.27}  # how many an inch has; TeX's points
_PIPE_CLOSED = 128 + 13  # as a shell has it of a command that SIGPIPE ends
_INTERRUPTED = 128 + 2  # likewise, of one that SIGINT ends
HOME = "http://127.0.0.1:8501/"  # where the app is if nobody says


class CommandError(Exception):
    """What was asked for cannot be done; the message says why, in words for a reader."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its arguments, by default those of the process; return its status."""
    try:
        try:
            return _run(sys.argv[1:] if arguments is None else list(arguments))
        finally:
            sys.stdout.flush()
    except ModuleNotFoundError as missing:
        if not (words := what_to_install(missing)):
            raise
        print(f"dpviz: {words}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever reads, `head` say, has had enough
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())  # what Python has still to write at its end
        return _PIPE_CLOSED
    except KeyboardInterrupt:
        return _INTERRUPTED


def _parser() -> Parser:
    """Return what reads the words of the command."""
    parser = Parser(
        prog="dpviz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--class",
        action="store_true",
        help="let the phones of this network reach the app, and print its address",
    )
    parser.add_argument("--version", action="version", version=f"dpviz {VERSION}")
    commands = parser.add_subparsers(dest="command")
    for name, (needed, more, example) in QUESTIONS.items():
        typed = f"dpviz {name} {example}"
        question = commands.add_parser(name, help=f"as in: {typed}", epilog=f"as in: {typed}")
        for flag in (*needed, *more):
            if flag == "mechanisms":
                described = {"metavar": metavar(name, flag), "help": help_of(name, flag)}
                question.add_argument(flag, nargs="*", **described)
                continue
            question.add_argument(
                f"--{flag}",
                type=str if flag in WORDS else number,
                required=flag in needed,
                metavar=metavar(name, flag),
                default=argparse.SUPPRESS,
                help=help_of(name, flag),
            )
        question.add_argument("--json", action="store_true", help="all that is known, as JSON")
    figure = commands.add_parser("figure", help="write what a link shows to a file")
    figure.add_argument("link", help="of any copy of the app, or the part after its name")
    ends = ".svg, .png, .pdf, .html, .json, .csv, .py or .bib"
    figure.add_argument("-o", "--output", type=Path, required=True, help=f"ends in {ends}")
    figure.add_argument("--site", help="the copy of the app whose address it names")
    figure.add_argument(
        "--width", help="for a paper: of a column, such as 3.3in or 84mm; from 1.5in to 20in"
    )
    figure.add_argument(
        "--points", type=number, help="for a paper: size of the type, from 4 to 24; 8 unless said"
    )
    figure.add_argument("--font", help='for a paper: a font of this machine, "Latin Modern Roman"')
    curves = "for a paper: in one column the few curves it is about, as usual, or all of them"
    figure.add_argument("--curves", choices=("few", "all"), help=curves)
    figure.add_argument("--dark", action="store_const", const=True, help="in the dark theme")
    figure.add_argument(
        "--bare", action="store_const", const=True, help="CSV without units and sources"
    )
    figure.add_argument(
        "--lenient", action="store_true", help="draw what can be drawn of a link with mistakes"
    )
    lecture = commands.add_parser("lecture", help="write a lecture as one file of HTML")
    lecture.add_argument("lecture", help="a link, a name, or a file of JSON")
    lecture.add_argument("-o", "--output", type=Path, required=True, help="a file, .html")
    lecture.add_argument("--site", default="", help="where the links of the handout lead")
    lecture.add_argument(
        "--seconds", type=number, help="to compute for, at least 0; 25 unless said"
    )
    book = commands.add_parser("book", help="write the course as plain files, without a server")
    book.add_argument(
        "contents", nargs="*", help="topics, lectures or links; by default all for everyone"
    )
    book.add_argument("-o", "--output", type=Path, required=True, help="a folder")
    book.add_argument("--live", default="", help="a copy of the app, for what is not in the book")
    book.add_argument("--site", default="", help="the address at which the book will be")
    reference = commands.add_parser("reference", help="write the reference of the core")
    reference.add_argument("-o", "--output", type=Path, required=True, help="a folder")
    completion = commands.add_parser("completion", help="print what lets a shell complete words")
    completion.add_argument("shell", choices=completing.SHELLS, help="which shell")
    return parser


def _run(given: Sequence[str]) -> int:
    parser = _parser()
    own = {*parser.commands, "-h", "--help", "--version"}
    if not given or (given[0].startswith("-") and not own & set(given)):
        if find_spec("streamlit") is None:
            raise ModuleNotFoundError(name="streamlit")
        # All is for `streamlit run`, values of its options too; each of those is in a section.
        options = [word for word in given if word != "--class"]
        ours = options[: options.index("--")] if "--" in options else options
        for word in ours:
            if word.startswith("-") and "." not in word:
                parser.refuse_option(word)
        return start(for_a_class(options) if "--class" in given else options)
    args = parser.parse_args(given)
    if vars(args)["class"]:
        parser.error(f"--class has no effect on {args.command}; it is for the app")
    if args.command == "completion":
        print(completing.script(parser, args.shell))
        return 0
    try:
        with Waiting() as waiting:
            answer = _done(args, waiting)
    except CommandError as refusal:
        print(f"dpviz: {refusal}", file=sys.stderr)
        return 2
    if args.command in QUESTIONS:
        print(*answer)
    for words in answer if args.command not in QUESTIONS else ():
        print(f"dpviz: {words}", file=sys.stderr)
    return 0


def _done(args: argparse.Namespace, waiting: Waiting) -> Sequence[str]:
    """Do what is asked for; return what there is to say in the end, when nobody waits any more."""
    if args.command in QUESTIONS:
        return [answer(args.command, vars(args))]
    if args.command == "reference":
        write_reference(args.output, waiting)
        return ()
    if args.command == "book":
        return [
            write_book(
                args.contents,
                args.output,
                waiting,
                live=args.live,
                site=args.site,
            )
        ]
    if args.command == "lecture":
        how = {"site": args.site, "seconds": args.seconds}
        return [write_lecture(args.lecture, args.output, waiting, **how)]
    given = {name: getattr(args, name) for name in ("site", "dark", "bare", *_PAPER)}
    options = {name: value for name, value in given.items() if value is not None}
    return write(args.link, args.output, waiting, options=options, lenient=args.lenient)


def answer(name: str, given: Mapping[str, Any]) -> str:
    """Return the answer to one of `QUESTIONS`. Raises `CommandError`."""
    needed, more, example = QUESTIONS[name]
    keys = [flag.replace("-", "_") for flag in (*needed, *more)]
    try:
        found = getattr(dpviz, name)(**{key: given[key] for key in keys if key in given})
    except ParameterError as refusal:
        flag = refusal.name.replace("_", "-")
        is_option = refusal.name in keys and flag != "mechanisms"
        got = "" if refusal.value is None else f"; got {refusal.value!r}"
        raise CommandError(
            f"{'--' if is_option else ''}{flag} must be {refusal.allowed}{got}; "
            f"as in: dpviz {name} {example}"
        ) from refusal
    return json.dumps(found.as_dict(), ensure_ascii=False) if given["json"] else repr(found)


def _check_folder(output: Path) -> None:
    """Say before anything is computed that there is no place for it."""
    folder = output.parent
    if not folder.is_dir():
        raise CommandError(f"there is no folder {folder}; make it first")


def for_a_class(options: Sequence[str]) -> list[str]:
    """Return the options with which a network reaches the app; print where it does."""
    from dpviz.serve import local_network

    parser = argparse.ArgumentParser(add_help=False)
    usual = os.environ.get("STREAMLIT_SERVER_PORT", "8501")
    parser.add_argument("--server.port", dest="port", default=usual)
    port = parser.parse_known_args(options)[0].port
    addresses = local_network.own_addresses()
    for address in addresses:
        print(f"dpviz: phones of this network open http://{address}:{port}/")
    if not addresses:
        print("dpviz: this machine is in no network; phones cannot reach it", file=sys.stderr)
    # Else Streamlit, where it opens no browser, asks a site what this machine's address is.
    return ["--server.address", "0.0.0.0", "--browser.serverAddress", "localhost", *options]


def start(options: Sequence[str]) -> int:
    """Start the app, with options of `streamlit run`; it takes the place of this process.

    So whoever ends the command ends the server, which a network reaches only if an option says so.
    """
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    if "STREAMLIT_SERVER_ADDRESS" not in os.environ:
        command.append("--server.address=127.0.0.1")  # which one among the options overrides
    command += options
    if os.name != "nt":
        sys.stdout.flush()
        os.execv(sys.executable, command)
    return subprocess.call(command)


def _on_paper(
    width: str | None, points: float | None, font: str | None, curves: str | None
) -> dict[str, Any]:
    """Return what was said of a figure for a paper, by the names of `Sheet`."""
    from dpviz.plot.printed import LEAST_INCHES, MOST_INCHES, Sheet

    found: dict[str, Any] = {}
    if width is not None:
        match = re.fullmatch(r"([0-9.]+) ?(in|cm|mm|pt)", width.strip())
        try:
            inches = float(match[1]) / _UNITS[match[2]] if match else math.nan
        except ValueError:
            inches = math.nan
        if not LEAST_INCHES <= inches <= MOST_INCHES:
            ends = f"from {LEAST_INCHES:g}in to {MOST_INCHES:g}in"
            raise CommandError(f"--width must be {ends}, as in 3.3in; got {width!r}")
        found["width"] = inches
    if points is not None:
        if not 4 <= points <= 24:
            raise CommandError(f"--points must be from 4 to 24; got {points:g}")
        found["points"] = points
    if font is not None:
        if not re.fullmatch(r"[\w .+-]{1,80}", font):
            raise CommandError(f"--font must be the name of a font; got {font!r}")
        found["font"] = font
    if curves is not None:
        found["curves"] = curves
        if not Sheet(**found).theme.compact:
            raise CommandError("--curves has no effect on so wide a figure, which has all of them")
    return found


_PAPER = ("width", "points", "font", "curves")
_EFFECT = {
    "dark": ("svg", "png", "html", "json"),
    "bare": ("csv",),
    "site": ("svg", "png", "html", "csv", "py", "bib"),
    **dict.fromkeys(_PAPER, ("svg", "pdf")),
}
"""The kinds of files on which an option of a figure has an effect."""


def _check_effect(kind: str, options: Mapping[str, Any]) -> None:
    """Refuse options of a figure that would change nothing. Raises `CommandError`."""
    on_paper = [name for name in _PAPER if name in options]
    for name in options:
        if kind not in _EFFECT[name]:
            kinds = " or ".join(f".{suffix}" for suffix in _EFFECT[name])
            raise CommandError(f"--{name} has no effect on a .{kind}; it is for {kinds}")
        if on_paper and name not in _PAPER:
            raise CommandError(f"--{name} has no effect on a figure for a paper (--{on_paper[0]})")


def write(
    link: str, output: Path, waiting: Waiting, *, options: Mapping[str, Any], lenient: bool
) -> Sequence[str]:
    """Compute what a link shows, to the end, and write it to a file.

    options: those given of site, dark, bare and, for a figure for a paper, width, points and font.
    site: the copy of the app whose address the file names, by default that of the link; where
    that says none, the file names what leads there in any copy. lenient: whether to draw what can
    be drawn of a link that has what cannot be read. Return what that is. Raises `CommandError`.
    """
    from dpviz.plot.drawable import UnknownPartError
    from dpviz.plot.printed import Sheet
    from dpviz.plot.typefaces import FontError, folders_of
    from dpviz.serve import files, link_results

    kind = next((suffix for suffix in files.KINDS if f".{suffix}" == output.suffix), None)
    if kind is None:
        ends = ", ".join(files.KINDS)
        raise CommandError(f"the file must end in one of {ends}; got {output.name!r}")
    _check_effect(kind, options)
    paper = _on_paper(*(options.get(name) for name in _PAPER))
    _check_folder(output)
    try:
        if font := paper.get("font"):
            folders_of(font)  # before anything is computed
    except FontError as fault:
        raise CommandError(str(fault)) from fault
    try:
        scene, notes = link_results.opened(link)
    except link_results.LinkError as refusal:
        raise CommandError(str(refusal)) from refusal
    if notes and not lenient:
        text = "\n  ".join(notes)
        raise CommandError(f"nothing is drawn of this link; --lenient draws it so:\n  {text}")
    try:
        progress = link_results.computed(scene, lambda part: waiting.tell(f"{part:.0%} computed"))
    except ParameterError as refusal:
        raise CommandError(str(refusal)) from refusal
    waiting.tell(f"computed, writing the .{kind}")
    base = link.split("?")[0] if "://" in link else scene.page.slug
    if site := options.get("site"):
        base = f"{site.rstrip('/')}/{scene.page.slug}"
    address = f"{base}?{urlencode(scene.query)}"
    try:
        content = files.contents(
            kind,
            scene,
            progress,
            address,
            dark="dark" in options,
            bare="bare" in options,
            sheet=Sheet(**paper) if paper else None,
        )
    except UnknownPartError as fault:
        raise CommandError(f"{fault}; write its .csv") from fault
    _save(output, content)
    return notes


def _save(output: Path, content: bytes) -> None:
    try:
        output.write_bytes(content)
    except OSError as fault:
        raise CommandError(f"{output} cannot be written: {fault.strerror}") from fault


def write_reference(folder: Path, waiting: Waiting) -> None:
    """Write the reference of the public core into a folder."""
    from dpviz.serve import reference

    try:
        reference.write(folder, waiting.tell)
    except OSError as fault:
        raise CommandError(f"{folder} cannot be written: {fault.strerror}") from fault


def write_book(
    named: Sequence[str], folder: Path, waiting: Waiting, *, live: str, site: str
) -> str:
    """Write a book of topics, lectures and links, by default of all there is for everyone.

    live, site: addresses of a copy of the app and of the book itself. Return how large it is.
    Raises `CommandError`.
    """
    from dpviz.serve.book import contents
    from dpviz.serve.book.site import processors, write
    from dpviz.serve.topics import Topics

    try:
        chapters = contents.chosen(named, Topics()) if named else contents.usual(Topics())
        done = write(
            chapters,
            folder,
            live=f"{live.rstrip('/')}/" if live else "",
            site=f"{site.rstrip('/')}/" if site else "",
            processes=processors(),
            tell=lambda part, words: waiting.tell(f"{part:.0%} {words}"),
        )
    except (contents.ContentsError, OSError) as refusal:
        raise CommandError(str(refusal)) from refusal
    many = f"{done.pages} page{'' if done.pages == 1 else 's'}"
    return f"{many}, {done.size / 1e6:.1f} MB in {folder}; open index.html there"


def write_lecture(
    named: str, output: Path, waiting: Waiting, *, site: str, seconds: float | None
) -> str:
    """Write a lecture that a link carries or names, or that a file holds, as one file of HTML.

    site: where links lead, by default as `named` does. seconds: None for those of the app. Return
    how large it is. Raises `CommandError`.
    """
    from dpviz.plot.drawable import UnknownPartError
    from dpviz.scene import lecture_checks, lectures
    from dpviz.serve.lecture.file import SECONDS, idle_processors, made
    from dpviz.serve.topics import Topics

    _check_folder(output)
    if seconds is not None and not 0 <= seconds < math.inf:
        raise CommandError(f"--seconds must be at least 0 and finite; got {seconds:g}")
    try:
        file = Path(named) if named.endswith(".json") else None
        lecture = (
            lectures.read(file.read_text(encoding="utf-8")) if file else lectures.pasted(named)
        )
        there = f"{named.split('?')[0].rsplit('/', 1)[0]}/" if "://" in named else HOME
        home = f"{site.rstrip('/')}/" if site else there
        content = made(
            lecture,
            Topics(),
            site=home,
            seconds=SECONDS if seconds is None else seconds,
            processes=idle_processors(),
            tell=lambda part, words: waiting.tell(f"{part:.0%} {words}"),
        )
    except (lecture_checks.LectureError, OSError, UnknownPartError) as refusal:
        raise CommandError(str(refusal).replace("`", "'")) from refusal
    _save(output, content)
    return f"{len(content) / 1e6:.1f} MB in {output}"


if __name__ == "__main__":
    sys.exit(main())
