"""What a link shows, computed to the end: for the command, and for notebooks."""

import math
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from dpviz.results.refining import unseen
from dpviz.scene.catalogue import PAGES
from dpviz.scene.codec import decode_address
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation, Progress
from dpviz.serve.topics import Topics

_EMBEDDING = ("embed", "embed_options")  # of a page within another, as Streamlit has it
_REPORTED = 2.0  # seconds between two partial results of which only their part is told


class LinkError(ValueError):
    """A link cannot be opened; the message says why, in words for a reader."""


def opened(link: str, **parameters: Any) -> tuple[Scene, tuple[str, ...]]:
    """Return the scene of a link, and what could not be read, in plain text. Raises `LinkError`.

    parameters: in place of those in the link.
    """
    try:
        parts = urlsplit(link)
        query = parse_qs(parts.query, keep_blank_values=True)
    except ValueError as error:
        raise LinkError(f"this is no link: {error}") from error
    slug = parts.path.strip("/").split("/")[-1]
    page = Topics().page(slug)
    if page is None:
        names = ", ".join(entry.slug for entry in PAGES)
        raise LinkError(f"the link must lead to one of {names}; got {slug!r}")
    keys = {parameter.key for parameter in page.url_parameters}
    for name in parameters:
        if name not in keys:
            raise LinkError(f"{slug} has no {name!r}; it has {', '.join(sorted(keys))}")
    query = {name: texts for name, texts in query.items() if name not in _EMBEDDING}
    query |= {name: [_written(value)] for name, value in parameters.items()}
    values, notes = decode_address(query, page.url_parameters)
    scene = Scene.opened(page, values)
    notes, scene = (*notes, *scene.reset), Scene.settled(page, values)
    if scene.upload is not None:
        raise LinkError("a link does not carry a reader's own data; the page's code reads them")
    return scene, tuple(map(_plain, notes))


def _plain(note: str) -> str:
    """Return a note without its Markdown: names in bold and, between backticks, what was read."""
    return re.sub(r"^\*\*(\w+)\*\*", r"\1", note).replace("`", "'")


def _written(value: Any) -> str:
    """Write a value as a link has it."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def computed(scene: Scene, tell: Callable[[float], None] | None = None) -> Progress:
    """Return the finest result of a scene.

    tell: gets every other second which part of it there is, where that is known.
    """
    computation = Computation(scene)
    with unseen(math.inf if tell is None else _REPORTED):
        while not computation.whole:
            computation.advance()
            done = None if computation.result is None else computation.result.done
            if tell is not None and done is not None:
                tell(done)
    assert computation.progress is not None
    return computation.progress
