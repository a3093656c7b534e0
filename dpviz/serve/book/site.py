"""A book written into a folder: its pages, what they share, and what is kept to go on from."""

import gzip
import json
import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import orjson

from dpviz.plot.drawable import UnknownPartError
from dpviz.plot.schemes import variables
from dpviz.results.caching import Cache
from dpviz.results.folders import ASSETS, ROOT
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import encode
from dpviz.scene.lectures import LectureScene
from dpviz.scene.scene import Scene
from dpviz.serve import fonts, tiles
from dpviz.serve.book.contents import Chapter, Leaf
from dpviz.serve.book.figures import drawn, held, packed
from dpviz.serve.book.games import games
from dpviz.serve.book.page import (
    Book,
    OpeningFigure,
    end_page,
    glossary_page,
    index_page,
    leaf_page,
    missing_page,
    text_of,
    written_page,
)
from dpviz.serve.book.parts import figure, sources
from dpviz.serve.book.searching import index_of
from dpviz.serve.computing import Progress
from dpviz.serve.files import contents
from dpviz.serve.lecture import classic
from dpviz.serve.lecture.scenes import opened
from dpviz.serve.lecture.share import Tell
from dpviz.serve.solving import given
from dpviz.serve.topics import Topics

CACHE = ".kept"
"""The folder of what is computed, by what it was computed from: nothing in a page leads there."""

# For hosts that read it (Netlify, Cloudflare Pages): another content has another name there.
_HEADERS = """\
/held/*
  Cache-Control: public, max-age=31536000, immutable
/*
  X-Content-Type-Options: nosniff
"""

# GitHub Pages lays out no page anew where the first lies; a repository leaves out what is kept.
_FOR_REPOSITORIES = {".nojekyll": b"", ".gitignore": f"/{CACHE}/\n".encode()}

# What of the server figures are computed and drawn by; the rest lays out pages, or serves them.
_DRAWING = {
    *(f"serve/book/{name}.py" for name in ("figures", "games", "parts")),
    *(f"serve/lecture/{name}.py" for name in ("compact", "delta", "scenes", "states")),
    *(f"serve/{name}.py" for name in ("computing", "lines", "standing")),
}
_FACES = """@font-face{font-family:"Source Sans";font-weight:100 900;src:url(sans.woff2)}
@font-face{font-family:"dpviz Serif";font-weight:400 600;src:url(serif.woff2)}
"""
_LISTED = "files.json"  # what an earlier run has written
_PACKAGE = Path(__file__).parents[2]


@dataclass(frozen=True)
class Written:
    """What was written. pages: how many; size: bytes of all; new: figures that were computed."""

    pages: int
    size: int
    new: int


@dataclass(frozen=True)
class _Made:
    """What is computed of a figure: what its page shows, and its chunks by their names.

    picture: the PNG by which links to the page unfold, in base64, "" where there is none.
    """

    shown: Mapping[str, Any]
    chunks: Mapping[str, str]
    picture: str = ""


def write(
    chapters: tuple[Chapter, ...],
    folder: Path,
    *,
    live: str = "",
    site: str = "",
    processes: int = 1,
    tell: Tell = lambda *_: None,
) -> Written:
    """Write a book into a folder; go on where an earlier run, with the same contents, has stopped.

    What else of a book lies there goes. live, site: of a `Book`. tell: gets how far it is, from 0
    to 1, and in words; it may raise to stop. Raises OSError.
    """
    own = _shared()
    index = packed(index_of(chapters, _topics()))
    searched = f"search-{_mark(index.encode())}"
    names = {kind: name for kind, (name, _) in own.items()} | {"search": searched}
    book = Book(chapters, names, live, site)
    cache = folder / CACHE
    cache.mkdir(parents=True, exist_ok=True)
    all_leaves = [(chapter, leaf) for chapter in chapters for leaf in chapter.leaves]
    leaves = [(chapter, leaf) for chapter, leaf in all_leaves if not leaf.step.is_written]
    keys = {leaf.path: _key(leaf.step, site) for _, leaf in leaves}
    wanted = {keys[leaf.path]: leaf for _, leaf in leaves}  # one of those that show the same
    missing = [leaf for key, leaf in wanted.items() if not (cache / key).is_file()]
    cached = len(wanted) - len(missing)
    tell(cached / max(len(wanted), 1), f"{cached} of {len(wanted)} figures are there.")
    for number, (leaf, made) in enumerate(_computed(missing, site, processes), cached + 1):
        _save(cache / keys[leaf.path], made)
        tell(number / len(wanted), leaf.path)
    files: dict[str, bytes] = {f"own/{name}": content for name, content in own.values()}
    for chapter, leaf in leaves:
        made = _Made(**orjson.loads(gzip.decompress((cache / keys[leaf.path]).read_bytes())))
        scene = opened(leaf.step, _topics())
        page = leaf_page(
            book, chapter, leaf, scene, OpeningFigure(**made.shown), pictured=bool(made.picture)
        )
        files[leaf.path] = page.encode()
        files |= {f"held/{name}.js": text.encode() for name, text in made.chunks.items()}
        if made.picture:
            files[leaf.picture] = b64decode(made.picture)
    for chapter, leaf in all_leaves:
        if leaf.step.is_written:
            files[leaf.path] = written_page(
                book, chapter, leaf, given(leaf.step, _topics().page)
            ).encode()
    files[f"held/{searched}.js"] = _registered(searched, index).encode()
    files["index.html"] = index_page(book).encode()
    files |= {"_headers": _HEADERS.encode(), **_FOR_REPOSITORIES}
    files |= {f"own/{name}": content for name, content in _tiles(chapters).items()}
    files["glossary.html"] = glossary_page(book).encode()
    if site:  # without it a page cannot know in which folder a host shows it
        files["404.html"] = missing_page(book).encode()
    ends = [chapter for chapter in chapters if chapter.end]
    files |= {chapter.end: end_page(book, chapter).encode() for chapter in ends}
    _put(folder, files)
    for old in cache.iterdir():
        if old.name not in {*keys.values(), _LISTED}:
            old.unlink()
    return Written(len(all_leaves), sum(map(len, files.values())), len(missing))


def _computed(leaves: Sequence[Leaf], site: str, processes: int) -> Iterator[tuple[Leaf, _Made]]:
    """Yield leaves as their figures are computed, in this process or in so many others."""
    if processes <= 1 or len(leaves) <= 1:
        yield from ((leaf, _make(leaf.step, site)) for leaf in leaves)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        ways = {pool.submit(_make, leaf.step, site): leaf for leaf in leaves}
        try:
            for way in as_completed(ways):
                yield ways[way], way.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _put(folder: Path, files: dict[str, bytes]) -> None:
    """Write what is new or another, and take away what an earlier book had besides."""
    listed = folder / CACHE / _LISTED
    before = json.loads(listed.read_text()) if listed.is_file() else []
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_file() or place.read_bytes() != content:
            place.write_bytes(content)
    for name in set(before) - set(files):
        (folder / name).unlink(missing_ok=True)
    listed.write_text(json.dumps(sorted(files)))


def _save(place: Path, made: _Made) -> None:
    """Write what is kept whole or not at all."""
    half = place.with_suffix(".half")
    half.write_bytes(gzip.compress(orjson.dumps(made), 1, mtime=0))
    half.replace(place)


def _make(step: LectureScene, site: str) -> _Made:
    _forget()
    scene = opened(step, _topics())
    first, kept = held(step, scene)
    stem = f"{scene.page.slug}-{scene.view.key}"
    chunks: dict[str, str] = {}

    def registered(text: str) -> str:
        name = f"{stem}-{_mark(text.encode())}"
        chunks[name] = _registered(name, text)
        return name

    names = [registered(text) for text in kept.chunks]
    parts = [
        {"name": name, "states": states}
        for name, states in zip(names, kept.page["chunks"], strict=True)
    ]
    plays = registered(kept.plays) if kept.plays else ""
    page = {**kept.page, "chunks": parts, "plays": plays}
    if (rounds := scene.view.rounds) is not None:
        played = games(step, scene, page["first"])
        page["game"] = {
            "count": rounds.count,
            "answers": [*rounds.answers.items()],
            "again": rounds.again,
            "chunks": {state: registered(packed(one)) for state, one in played},
        }
    opening = registered(packed(page))
    asks = kept.page["masked"]
    line = drawn(step, scene, first, ask=True) if asks else kept.page["first"]
    shown = OpeningFigure(
        line={key: line[key] for key in ("takeaway", "exact", "legend", "notes")},
        figure="" if asks else figure(step, scene, first),
        sources=sources(scene, first),
        sentence="" if asks else scene.view.headline(first.result).replace("**", ""),
        first=opening,
    )
    return _Made(vars(shown), chunks, "" if asks or not site else _picture(scene, first, site))


def _picture(scene: Scene, progress: Progress, site: str) -> str:
    with suppress(UnknownPartError):  # then links to the page unfold without one
        return b64encode(contents("png", scene, progress, site, scale=1)).decode()
    return ""


@cache
def _topics() -> Topics:
    return Topics()


def _forget() -> None:
    """Drop what is kept of computations: after them others would take fewer pauses."""
    Cache.clear_all()
    for name, module in [*sys.modules.items()]:
        if name.startswith(("dpviz.maths.", "dpviz.topics.")):
            for part in vars(module).values():
                if hasattr(part, "cache_clear"):
                    part.cache_clear()


def _key(step: LectureScene, site: str) -> str:
    """Return the name under which a figure is kept: another one, or dpviz, has another.

    What is said around it does not count: scenes that show the same share it.
    """
    scene = opened(step, _topics())
    shown = (step.page, scene.view.key, encode(scene.values, scene.page.parameters))
    task = (step.control, step.ask)
    return f"{_mark(repr((_source(step.page), shown, task, site)).encode(), 24)}.gz"


@cache
def _source(slug: str) -> str:
    """Return a mark of all that the figures of a topic are computed and drawn by."""
    mark = sha256()
    files = {f"dpviz/{file.relative_to(_PACKAGE).as_posix()}": file for file in _code(slug)}
    data = [*(ASSETS / "data").rglob("*.*"), entry("glossary").prose, ROOT / entry(slug).path]
    files |= {file.relative_to(ROOT).as_posix(): file for file in data if file.is_file()}
    for name in sorted(files):
        mark.update(name.encode())
        mark.update(files[name].read_bytes())
    return mark.hexdigest()


def _code(slug: str) -> Iterator[Path]:
    """Yield what a topic is computed by: no other topic, nor what only lays out pages."""
    own = (f"topics/{slug}/", "topics/classroom/")
    for file in _PACKAGE.rglob("*.py"):
        place = file.relative_to(_PACKAGE).as_posix()
        if place.startswith(("ui/", "serve/")) and place not in _DRAWING:
            continue
        if place.startswith("topics/") and not place.startswith(own):
            continue
        yield file


def _shared() -> dict[str, tuple[str, bytes]]:
    """Return what all pages share: the name of each file, and its content."""
    stage = (_PACKAGE / "ui" / "stage.css").read_text(encoding="utf-8")
    style = f"{_FACES}{variables()}{stage}{text_of('book.css')}"
    return {
        "style": _named("book.css", style.encode()),
        "leaf": _named("leaf.js", classic.script(text_of("leaf.js")).encode()),
        "cover": _named("cover.js", classic.script(text_of("cover.js")).encode()),
        **{
            name: (name, (fonts.FOLDER / name).read_bytes()) for name in ("sans.woff2", fonts.SERIF)
        },
    }


def _tiles(chapters: Sequence[Chapter]) -> dict[str, bytes]:
    """Return the pictures of the topics of a book, by name."""
    topics = (chapter.name for chapter in chapters if chapter.topic)
    names = [tiles.name(slug, dark=dark) for slug in topics for dark in (False, True)]
    return {name: (tiles.FOLDER / name).read_bytes() for name in names}


def _named(name: str, content: bytes) -> tuple[str, bytes]:
    stem, _, kind = name.partition(".")
    return f"{stem}-{_mark(content)}.{kind}", content


def _mark(content: bytes, length: int = 10) -> str:
    """Return what names a content: another one has another name."""
    return sha256(content).hexdigest()[:length]


def _registered(name: str, text: str) -> str:
    """Return a script that registers what it holds."""
    return f'(window.dpvizHeld??={{}})["{name}"]="{text}";\n'


def processors() -> int:
    """Return how many processes make a book on this machine."""
    return os.cpu_count() or 1
