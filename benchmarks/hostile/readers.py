"""Every reader of what strangers write, fed with bad input of doubling lengths.

The table has the longest time of a reader and the largest ratio of times from one length to twice
that: about 2 where time grows with the length, 4 where it grows with its square. Times below 50 µs
are not compared. `tests/test_readers.py` holds that no module that reads is missing here.
"""

import base64
import json
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import QueryParams
from starlette.requests import Request
from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.hostile.row import Row
from dpviz.plot import formulas, steady, written
from dpviz.plot import text as words
from dpviz.results import csv_file, numbers
from dpviz.results.limit import Limit
from dpviz.scene import (
    arithmetic,
    codec,
    homework,
    index,
    lecture_checks,
    lectures,
    poll,
    submissions,
)
from dpviz.serve import clients, guard, lines, links, previews, site
from dpviz.serve.rooms import asking, own, proof, report, room, scenes, senders, speaking
from dpviz.serve.topics import Topics
from dpviz.topics.classroom import sketches
from dpviz.ui import messages
from tests.support.declarations import page

_SHORTEST, _LONGEST = 500, 64_000
_WORTH = 50e-6  # seconds
_BEST_OF = 3
_LIMIT = Limit("epsilon", "ε", "privacy", 0.01, 10, 1, log=False)
_NUMBER = codec.Number(_LIMIT)

Bad = Callable[[int], str]


def _repeated(*parts: str) -> tuple[Bad, ...]:
    return tuple(lambda n, part=part: (part * (n // len(part) + 1))[:n] for part in parts)


def _ended(*pairs: tuple[str, str]) -> tuple[Bad, ...]:
    return tuple(lambda n, pair=pair: pair[0] * (n - 1) + pair[1] for pair in pairs)


_DIGITS = (
    *_ended(("1", "x"), ("1", "."), ("0", "e")),
    *_repeated("1,000", "1.000", "10^", "1e", "−"),
)
_MARKED = _repeated(
    "*a ", "**a ", "*", "**", "***", "$a ", "$$", "$", "$a$", "\n ", "- a\n", "1. ", "_"
)
_LATEX = _repeated(
    *(
        "\\text{",
        "\\text ",
        "{",
        "}",
        "^1",
        "'^a",
        "^",
        "\\frac",
        "\\left(",
        "\\",
        "a",
        "1",
        "1.",
        " ",
    ),
    *("\\mathbb{", "\\mathrm{aaaaaaaa", "'"),
)
_ADDRESS = _repeated("a=&", "&", "=", "a", "%41", "+", "epsilon=1&", "/", "?", "#", ";", "a=%ff&")


@dataclass(frozen=True)
class Reader:
    """What reads a text; module: where. longest: characters that it reads, 0 for what limits it.

    bad: makes a text of so many characters.
    """

    read: Callable[[str], Any]
    bad: tuple[Bad, ...]
    module: str
    longest: int = 0


def _packed(text: str) -> str:
    data = json.dumps(["t", [["lectures", {}, "p", 0, "", "", "", 0, text[:1500]]] * 40])
    return "2." + base64.urlsafe_b64encode(zlib.compress(data.encode())).decode().rstrip("=")


def _asked(query: str = "", **headers: str) -> Request:
    pairs = [(name.encode(), text.encode("latin-1", "replace")) for name, text in headers.items()]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": pairs, "server": ("a", 80)}
    scope |= {"query_string": query.encode(), "client": ("127.0.0.1", 1), "scheme": "http"}
    return Request(scope)


def _message(text: str) -> bytes | None:
    said = BackMsg()
    said.rerun_script.query_string = text
    field = said.rerun_script.widget_states.widgets.add()
    field.string_value = text
    return messages.short(said.SerializeToString())


def _parameters() -> tuple[codec.Parameter, ...]:
    return tuple(page("promise").url_parameters)


READERS: Mapping[str, Reader] = {
    "a number": Reader(numbers.read_number, _DIGITS, "dpviz.results.numbers", numbers.LONGEST),
    "a number, commas": Reader(
        lambda text: numbers.read_number(text, comma=True, whole=True),
        _DIGITS,
        "dpviz.results.numbers",
        numbers.LONGEST,
    ),
    "a parameter": Reader(
        lambda text: codec.read_note(_NUMBER, text, 1),
        _DIGITS,
        "dpviz.scene.codec",
        numbers.LONGEST,
    ),
    "an address": Reader(
        lambda text: codec.decode_address(parse_qs(text, True), _parameters()),
        _ADDRESS,
        "dpviz.scene.codec",
    ),
    "an answer": Reader(
        lambda text: arithmetic.read(text, "users"),
        (*_DIGITS, *_repeated("(", "-", "2^", "sqrt ", "e", " ", "1 000 ", "% ", "½", "users ")),
        "dpviz.scene.arithmetic",
        numbers.LONGEST,
    ),
    "a lecture in a link": Reader(
        lectures.unpack.__wrapped__,  # else it is kept
        (*_repeated("a", "-", "1.", "1.A"), *(lambda n, b=b: _packed(b(n)) for b in _MARKED)),
        "dpviz.scene.lectures",
        lectures.LONGEST,
    ),
    "a lecture that is pasted": Reader(
        lectures.pasted, _ADDRESS, "dpviz.scene.lectures", codec.LONGEST_LINK
    ),
    "a lecture in a file": Reader(
        lectures.read, _repeated("[", "{", '{"a":', '"', "1", "\\u"), "dpviz.scene.lectures"
    ),
    "the text of a scene": Reader(
        lectures.written, _MARKED, "dpviz.scene.lectures", lectures.LONGEST_WRITTEN
    ),
    "a text of a lecture": Reader(
        lambda text: lecture_checks.text(text, 400),
        _repeated("a", "\ud800"),
        "dpviz.scene.lecture_checks",
        400,
    ),
    "a question": Reader(
        lambda text: poll.poll_of({"kind": "number", "right": text}), _DIGITS, "dpviz.scene.poll"
    ),
    "a search": Reader(
        index.query_tokens,
        _repeated("a", "1.", "1", "theorem 1 to ", "a=", "\\a", "e=1.", "theorems "),
        "dpviz.scene.index",
        index.LONGEST,
    ),
    "a homework": Reader(
        lambda text: homework.exercise_request({"topic": text, "exercise": text, "set": text}, {}),
        _repeated(",", "a,", " "),
        "dpviz.scene.homework",
    ),
    "a file of answers": Reader(
        lambda text: submissions.read_file(text.encode()),
        _repeated("<!-- dpviz answers ", "[", "{", '"', "a", " -->"),
        "dpviz.scene.submissions",
    ),
    "a line with marks": Reader(written.line, _MARKED, "dpviz.plot.written"),
    "a line in plain words": Reader(written.bare, _MARKED, "dpviz.plot.written"),
    "marks as HTML": Reader(written.html, _MARKED, "dpviz.plot.written"),
    "marks as Markdown": Reader(written.markdown, _MARKED, "dpviz.plot.written"),
    "a formula": Reader(formulas.mathml, _LATEX, "dpviz.plot.formulas"),
    "the formulas of our prose": Reader(formulas.parted, _MARKED, "dpviz.plot.formulas"),
    "plain text": Reader(words.plain, _repeated(":", "www.", "*", "a@", " "), "dpviz.plot.text"),
    "exponents": Reader(
        words.superscript, _repeated("^", "^(", "^O(", "^a", "^1."), "dpviz.plot.text"
    ),
    "a number in full": Reader(words.in_full, _ended(("1", "0"), ("1", ".")), "dpviz.plot.text"),
    "places in a figure": Reader(
        lambda text: steady.places_in(text.split(",", 40)[:40]),
        _repeated("a", "a:1,", "-", ":"),
        "dpviz.plot.steady",
    ),
    "the looks of a figure": Reader(
        lambda text: lines.Look.read({"places": text, "room": text, "low": text}),
        (*_DIGITS, *_repeated("a:1,", ",")),
        "dpviz.serve.lines",
    ),
    "fields": Reader(lambda text: links.fields(QueryParams(text)), _ADDRESS, "dpviz.serve.links"),
    "the link of a page": Reader(previews._read, _ADDRESS, "dpviz.serve.previews"),
    "a network": Reader(
        lambda text: clients.network_id(_asked(**{"x-forwarded-for": text})),
        _repeated("1.", ",", ":", "[", "1.2.3.4, "),
        "dpviz.serve.clients",
    ),
    "a path that a proxy strips": Reader(
        lambda text: site._configured(_asked(**{"x-forwarded-prefix": text}).scope),
        _repeated("/", "/a", "a", ".", "/~"),
        "dpviz.serve.site",
    ),
    "an origin": Reader(
        lambda text: guard.Guard(_nothing, content="")._is_own(_asked(origin=text).headers),
        _repeated("[", "http://", "/", ":", "@"),
        "dpviz.serve.guard",
    ),
    "a message of a browser": Reader(_message, _ADDRESS, "dpviz.ui.messages"),
    "a CSV file": Reader(
        lambda text: csv_file.read_csv(text.encode()),
        _repeated("a,b\n", ",", '"', '""', "\n", "1,"),
        "dpviz.results.csv_file",
    ),
    "a sketch": Reader(
        sketches.is_sketch, _repeated("a", "00", "-", "--"), "dpviz.topics.classroom.sketches"
    ),
    "a lecturer's sentence": Reader(
        asking.plain_text,
        _repeated(" ", "a", "\x00", "a "),
        "dpviz.serve.rooms.asking",
        2 * asking.LONGEST_TEXT,
    ),
    "a lecturer's question": Reader(
        lambda text: own.own({"text": "?", "answers": text}),
        _repeated("\n", "a\n", " ", "a"),
        "dpviz.serve.rooms.own",
    ),
    "an address for a room": Reader(
        scenes.page_link,
        _repeated("/", "/promise?a=&", "/a", "/?epsilon=1&"),
        "dpviz.serve.rooms.scenes",
        codec.LONGEST_LINK,
    ),
    "a lecture for a room": Reader(
        lambda text: scenes.scene_at(scenes._query(text)), _ADDRESS, "dpviz.serve.rooms.scenes"
    ),
    "the notes of a lecture": Reader(
        lambda text: speaking.plan(f"/lectures?lecture={text}", Topics()),
        _repeated("a", "&", "=", "%41"),
        "dpviz.serve.rooms.speaking",
    ),
    "the votes of a report": Reader(
        lambda text: report._sorted({text: 1, "2": 1}), _DIGITS, "dpviz.serve.rooms.report"
    ),
    "a code": Reader(room.written, _repeated(" ", "-", "a "), "dpviz.serve.rooms.room"),
    "work for a room": Reader(
        lambda text: proof.is_done(text, "code", "client", 1.0),
        _repeated(".", "1", "1.", "٣."),
        "dpviz.serve.rooms.proof",
    ),
    "a page that posts": Reader(
        lambda text: senders.same_site(_asked(origin=text)),
        _repeated("[", "http://", "/", "@"),
        "dpviz.serve.rooms.senders",
    ),
}


async def _nothing(*_: object) -> None:
    """Answer nothing."""


# Other modules that have patterns, or take texts apart: what they read is not a stranger's, or
# comes through one of the readers first.
OURS = {
    "dpviz.__main__": "the command",
    "dpviz.plot.boxes": "our labels",
    "dpviz.plot.converter": "what the converter says",
    "dpviz.plot.partial_chart": "our sentences",
    "dpviz.plot.ink": "our labels",
    "dpviz.plot.printed": "our labels",
    "dpviz.plot.prose": "our prose, and formulas by a reader",
    "dpviz.plot.readings": "our labels",
    "dpviz.plot.schemes": "our drawings",
    "dpviz.plot.spec": "our figures",
    "dpviz.results.limit": "our words",
    "dpviz.results.papers": "our sources",
    "dpviz.scene.catalogue": "our headings",
    "dpviz.scene.coverage": "our tables",
    "dpviz.scene.exercise": "names of exercises; answers by a reader",
    "dpviz.scene.glossary": "our prose",
    "dpviz.scene.pulled": "our headlines",
    "dpviz.serve.alone": "our style",
    "dpviz.serve.book.page": "our links",
    "dpviz.serve.book.site": "our figures",
    "dpviz.serve.fonts": "Streamlit's page",
    "dpviz.serve.lecture.classic": "our scripts",
    "dpviz.serve.lecture.compact": "our drawings",
    "dpviz.serve.lecture.scenes": "our figures",
    "dpviz.serve.modules": "our scripts",
    "dpviz.serve.placeholders": "our file",
    "dpviz.serve.local_network": "a browser's Host, as the server has limited it",
    "dpviz.serve.link_results": "the command",
    "dpviz.serve.rooms.reaching": "a setting",
    "dpviz.serve.rooms.routes": "what a reader has limited",
    "dpviz.serve.rooms.shared": "what we have written",
    "dpviz.serve.rooms.sheets": "our pages",
    "dpviz.serve.scripts": "our scripts",
    "dpviz.serve.solving": "our exercises",
    "dpviz.serve.standing": "our drawings",
    "dpviz.topics.promise.views.play_the_attacker_shown": "our words",
    "dpviz.topics.public_data.real.beforehand": "what we computed beforehand",
    "dpviz.ui.classroom.lectures_page": "a title, by a reader",
    "dpviz.ui.evidence": "our words",
}


def rows() -> Iterator[Row]:
    """Yield a row for each reader."""
    for name, reader in READERS.items():
        ratio, longest = 0.0, 0.0
        for bad in reader.bad:
            before, length = 0.0, _SHORTEST
            while length <= _LONGEST:
                took = min(_took(reader, bad(length)) for _ in range(_BEST_OF))
                longest = max(longest, took)
                if min(before, took) > _WORTH:
                    ratio = max(ratio, took / before)
                before, length = took, 2 * length
        limit = f"at most {reader.longest:,}" if reader.longest else "no limit of its own"
        found = f"up to {1000 * longest:.2f} ms"
        found += f", {ratio:.1f} times as long for twice the length" if ratio else ""
        yield Row(f"reading: {name}", f"{_LONGEST:,} characters, {limit}", found)


def _took(reader: Reader, text: str) -> float:
    begin = time.thread_time()
    with suppress(ValueError, asking.RoomError):
        reader.read(text)
    return time.thread_time() - begin
