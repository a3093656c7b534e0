"""What an author writes: paragraphs, lists, **bold**, *italic*, and formulas in dollars.

As HTML where there is no Streamlit, and as Markdown where there is. Whoever wrote it, perhaps in a
link: nothing else that HTML or Markdown could do is let through.
"""

import re
from dataclasses import dataclass
from html import escape

from dpviz.plot.formulas import mathml
from dpviz.plot.text import plain

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(?=\S)(.+?)(?<=\S)\$", re.S)
_MARKED = re.compile(r"(\*\*(?=\S).+?(?<=\S)\*\*|\*(?=\S).+?(?<=\S)\*)")
_PLACE = re.compile("\ue000(\\d+)\ue001")  # of a formula, while the words around it are marked
_ITEM = re.compile(r"(?:[-*]|\d+\.)\s+")


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
    for block in filter(str.strip, re.split(r"\n\s*\n", text)):
        lines = block.strip().splitlines()
        if all(_ITEM.match(line) for line in lines):
            kind = "ul" if lines[0][0] in "-*" else "ol"
            found.append([_Line(_ITEM.sub("", line, count=1), kind) for line in lines])
        else:
            found.append([_Line(" ".join(line.strip() for line in lines), "p")])
    return found


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
    return _PLACE.sub(lambda place: shown[int(place[1])], "".join(parts))


def _parts(words: str) -> list[tuple[str, str]]:
    """Return the parts of a line, each with the mark around it, "" for none."""
    found = []
    for place, part in enumerate(_MARKED.split(words)):
        mark = ("**" if part.startswith("**") else "*") if place % 2 else ""
        found.append((mark, part.removeprefix(mark).removesuffix(mark)))
    return found


def _without_formulas(text: str) -> tuple[str, list[tuple[str, bool]]]:
    """Return a line with the places of its formulas, and each of them; whether it stands alone."""
    formulas: list[tuple[str, bool]] = []

    def keep(found: re.Match[str]) -> str:
        block, within = found.groups()
        formulas.append((block.strip() if block else within, bool(block)))
        return f"\ue000{len(formulas) - 1}\ue001"

    return _FORMULA.sub(keep, re.sub("[\ue000\ue001]", "", text)), formulas
