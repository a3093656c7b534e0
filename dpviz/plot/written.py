"""What an author writes: paragraphs, lists, **bold**, *italic*, and formulas in dollars.

A text is refused where one of its formulas cannot be read; in a line (a question, an answer, a
reason, a title) it stands as it was written, since links of lectures hold lines of all ages.

As HTML where there is no Streamlit, and as Markdown where there is. Whoever wrote it, perhaps in a
link: nothing else that HTML or Markdown could do is let through.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from dpviz.plot.formulas import FormulaError, mathml, parted
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


def html(text: str, *, strict: bool = True) -> str:
    """Return a text as HTML. Raises `dpviz.plot.formulas.FormulaError`, if `strict`."""
    draw = _display if strict else _drawn_or_source
    blocks = []
    for block in _blocks(text):
        parts = [_inline(line.text, draw) for line in block]
        if (kind := block[0].kind) == "p":
            blocks.append(f"<p>{parts[0]}</p>")
        else:
            items = "".join(f"<li>{part}</li>" for part in parts)
            blocks.append(f"<{kind}>{items}</{kind}>")
    return "".join(blocks)


def markdown(text: str) -> str:
    """Return a text as Markdown with nothing else in it."""
    marks = {"p": "", "ul": "- ", "ol": "1. "}
    return "\n\n".join(
        "\n".join(f"{marks[line.kind]}{_marked(line.text)}" for line in block)
        for block in _blocks(text)
    )


def line(text: str) -> str:
    """Return a line as HTML."""
    return _inline(text, lambda latex, _: _drawn_or_source(latex, display=False))


def line_markdown(text: str) -> str:
    """Return a line as Markdown with nothing else in it."""
    return _marked(text, alone=False)


def bare(text: str) -> str:
    """Return a line without its marks, its formulas as in "e^ε": for the title of a window."""
    words, formulas = _without_formulas(text)
    parts = "".join(inner for _, inner in _parts(words))
    latex_lines = [_in_one_line(latex) for latex, _ in formulas]
    return _PLACE.sub(lambda place: latex_lines[int(place[1])], parts)


def typeset(*lines: str) -> dict[str, str]:
    """Return those lines that have formulas or marks, each with its HTML."""
    return {text: line(text) for text in lines if is_marked(text)}


def is_marked(text: str) -> bool:
    """Return whether a line has a formula or a mark, and so is more than its words."""
    return line(text) != escape(text)


def unreadable(text: str) -> str:
    """Return why a formula of a line cannot be read, "" where all can."""
    for _, latex, _ in parted(text):
        try:
            mathml(latex)
        except FormulaError as error:
            return str(error)
    return ""


def _display(latex: str, display: bool) -> str:
    return mathml(latex, display=display)


def _drawn(latex: str, *, display: bool = False) -> str:
    """Return a formula as MathML, "" where it cannot be read."""
    try:
        return mathml(latex, display=display)
    except FormulaError:
        return ""


def _drawn_or_source(latex: str, display: bool) -> str:
    return _drawn(latex, display=display) or escape(f"${latex}$")


def _in_one_line(latex: str) -> str:
    drawn = _drawn(latex)
    return _spoken(ET.fromstring(drawn)) if drawn else f"${latex}$"


_BETWEEN = {"msup": "^", "msub": "_", "msubsup": "_^", "mfrac": "/"}


def _spoken(part: ET.Element) -> str:
    """Return a part of a formula in one line: x^2, a/(b + c)."""
    inner = [_spoken(one) for one in part]
    if part.tag == "msqrt":
        return f"√{_closed(''.join(inner))}"
    signs = _BETWEEN.get(part.tag, "")
    if not signs or len(inner) != len(signs) + 1 or inner[-1].startswith("′"):
        return (part.text or "") + "".join(inner)
    rest = (sign + _closed(one) for sign, one in zip(signs, inner[1:], strict=True))
    return (_closed(inner[0]) if part.tag == "mfrac" else inner[0]) + "".join(rest)


def _closed(words: str) -> str:
    return words if len(words) < 2 or words.isalnum() else f"({words})"


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


def _inline(text: str, draw: Callable[[str, bool], str] = _display) -> str:
    words, formulas = _without_formulas(text)
    tags = {"": ("", ""), "*": ("<em>", "</em>"), "**": ("<strong>", "</strong>")}
    parts = [escape(inner).join(tags[mark]) for mark, inner in _parts(words)]
    drawn = [draw(latex, display) for latex, display in formulas]
    return _PLACE.sub(lambda place: drawn[int(place[1])], "".join(parts))


def _marked(text: str, *, alone: bool = True) -> str:
    words, formulas = _without_formulas(text)
    parts = []
    for mark, inner in _parts(words):
        before, after = inner[: inner[:1].isspace()], inner[len(inner.rstrip()) :]
        parts.append(f"{mark}{before}{plain(inner)}{after if inner.strip() else ''}{mark}")
    shown = [_dollars(latex, alone=alone and display) for latex, display in formulas]
    return _PLACE.sub(lambda place: shown[int(place[1])], _APART.sub(_JOINER, "".join(parts)))


def _dollars(latex: str, *, alone: bool) -> str:
    if not _drawn(latex):
        return plain(f"${latex}$")
    return f"\n\n$$\n{latex}\n$$\n\n" if alone else f"${latex}$"


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
