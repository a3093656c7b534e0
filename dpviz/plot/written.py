"""What an author writes: paragraphs, lists, **bold**, *italic*, and formulas in dollars.

As HTML where there is no Streamlit, and as Markdown where there is. Whoever wrote it, perhaps in a
link: nothing else that HTML or Markdown could do is let through.
"""

import re
from dataclasses import dataclass
from html import escape

from dpviz.plot.formulas import mathml, parted
from dpviz.plot.text import plain

_PLACE = re.compile("\ue000([0-9]++)\ue001")  # of a formula, while the words around it are marked
_APART = re.compile("(?<=\ue001)(?=\ue000)")  # two formulas, whose dollars would be taken together
_JOINER = "\N{WORD JOINER}"
_ITEM = re.compile(r"(?:[-*]|[0-9]++\.)\s++")


@dataclass(frozen=True)
class _Line:
    """A paragraph, or an item of a list ("ul" or "ol")."""

    text: str
    kind: str


def html(text: str) -> str:
    """Return a text as HTML. Raises `dpviz.plot.formulas.FormulaError`."""
    blocks = []
    for block in _blocks(text):
        parts = [_inline(line.text) for line in block]
        if (kind := block[0].kind) == "p":
            blocks.append(f"<p>{parts[0]}</p>")
        else:
            items = "".join(f"<li>{part}</li>" for part in parts)
            blocks.append(f"<{kind}>{items}</{kind}>")
    return "".join(blocks)


def markdown(text: str) -> str:
    """Return a text, whose formulas `html` can read, as Markdown with nothing else in it."""
    marks = {"p": "", "ul": "- ", "ol": "1. "}
    return "\n\n".join(
        "\n".join(f"{marks[line.kind]}{_marked(line.text)}" for line in block)
        for block in _blocks(text)
    )


def _blocks(text: str) -> list[list[_Line]]:
    found = []
    for block in _between_blank_lines(text):
        lines = block.splitlines()
        if all(_ITEM.match(line) for line in lines):
            kind = "ul" if lines[0][0] in "-*" else "ol"
            found.append([_Line(_ITEM.sub("", line, count=1), kind) for line in lines])
        else:
            found.append([_Line(" ".join(line.strip() for line in lines), "p")])
    return found


def _between_blank_lines(text: str) -> list[str]:
    blocks: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return ["\n".join(lines).strip() for lines in blocks if lines]


def _inline(text: str) -> str:
    words, formulas = _without_formulas(text)
    tags = {"": ("", ""), "*": ("<em>", "</em>"), "**": ("<strong>", "</strong>")}
    parts = [escape(inner).join(tags[mark]) for mark, inner in _parts(words)]
    drawn = [mathml(latex, display=display) for latex, display in formulas]
    return _PLACE.sub(lambda place: drawn[int(place[1])], "".join(parts))


def _marked(text: str) -> str:
    words, formulas = _without_formulas(text)
    parts = []
    for mark, inner in _parts(words):
        before, after = inner[: inner[:1].isspace()], inner[len(inner.rstrip()) :]
        parts.append(f"{mark}{before}{plain(inner)}{after if inner.strip() else ''}{mark}")
    shown = [f"\n\n$$\n{latex}\n$$\n\n" if display else f"${latex}$" for latex, display in formulas]
    return _PLACE.sub(lambda place: shown[int(place[1])], _APART.sub(_JOINER, "".join(parts)))


def _parts(words: str) -> list[tuple[str, str]]:
    """Return the parts of a line, each with the mark around it, "" for none.

    What a mark opens, right before a word, the next one of its kind right behind a word closes. The
    places of these are found once, from the end, so that no mark looks for its own.
    """
    closing = {mark: _closing(words, mark) for mark in ("*", "**")}
    found, begin, at = [], 0, words.find("*")
    while at >= 0:
        for mark in ("**", "*"):
            first = at + len(mark)
            end = closing[mark][min(first + 1, len(words))]
            if words.startswith(mark, at) and end >= 0 and not words[first].isspace():
                found += [("", words[begin:at]), (mark, words[first:end])]
                begin = end + len(mark)
                break
        at = words.find("*", max(at + 1, begin))
    return [*found, ("", words[begin:])]


def _closing(words: str, mark: str) -> list[int]:
    """Return for each place where the next mark behind a word begins, there or later; -1: none."""
    places, last = [-1] * (len(words) + 1), -1
    for at in range(len(words) - 1, 0, -1):
        if words.startswith(mark, at) and not words[at - 1].isspace():
            last = at
        places[at] = last
    return places


def _without_formulas(text: str) -> tuple[str, list[tuple[str, bool]]]:
    """Return a line with the places of its formulas, and each of them; whether it stands alone."""
    parts, formulas = [], list[tuple[str, bool]]()
    for words, latex, alone in parted(text.replace("\ue000", "").replace("\ue001", "")):
        parts.append(words)
        if latex:
            parts.append(f"\ue000{len(formulas)}\ue001")
            formulas.append((latex, alone))
    return "".join(parts), formulas
