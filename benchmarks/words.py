"""How long sentences are: python -m benchmarks.words.

For every view at its defaults: words and numbers of the first sentence of its headline, and words
of the longest sentence of its texts (the details and the notes below the figure). For every page:
words of the longest sentence of its prose. What stands in formulas counts as one word.

With textstat 0.7.4 beside it (later ones download a dictionary, or stop at a word outside of it)
it ends with the grade of Flesch and Kincaid: years of school to read headlines, prose and
documents with ease. Formulas, code, tables, lists of references and symbols of one letter are left
out.
"""

import argparse
import re
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from statistics import median

from benchmarks.options import parsed
from dpviz.results.folders import ASSETS, ROOT
from tests.support.declarations import SLUGS, first, opened, page

_NUMBER = re.compile(r"\d[\d,.]*(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
_END = re.compile(r"(?<=[.?!])\**\s+(?=[A-Z*“])")
_FORMULA = re.compile(r"\$\$?[^$]*\$\$?|`[^`]*`")
_ASIDE = re.compile(
    r"^## References\n.*?(?=^#|\Z)|"
    r"```.*?```|<!--.*?-->|<[^>]*>|^ {4}[^\n]*$|^ *\|[^\n]*$|!\[[^\]]*\]\([^)]*\)",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_SIGNS = re.compile(r"[^A-Za-z' ,;:.?!-]+|\b[A-Za-z]\b(?<![aAI])")
_BLOCK = re.compile(r"\n\s*\n|\n\s*[-*#|] ?|\n\s*\d+\. ")


def main() -> None:
    """Print a line for every view, then medians and largest."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.words", description=__doc__)
    parser.add_argument("--only", nargs="*", default=SLUGS, metavar="PAGE")
    only = parsed(parser, only=["shared_darts"]).only
    rows, headlines = [], []
    print("view: words and numbers of the headline, words of the longest sentence below")
    for slug in only:
        for view in page(slug).views:
            scene, result = opened(page(slug), view.key), first(page(slug), view.key)
            headlines.append(scene.view.takeaway(result))
            headline = sentences(headlines[-1])[0]
            below = [scene.view.detail(result), *scene.view.notes(result)]
            words, numbers = len(headline.split()), len(_NUMBER.findall(headline))
            rows.append((words, numbers, longest(below)))
            print(f"{slug}/{view.key}:", *rows[-1])
    for name, column in zip(
        ("words", "numbers", "longest below"), zip(*rows, strict=True), strict=True
    ):
        print(f"{name}: median {median(column):g}, largest {max(column)}")
    prose = {file.stem: file.read_text("utf-8") for file in sorted((ASSETS / "prose").glob("*.md"))}
    print("prose:", *(f"{name} {longest([text])}" for name, text in prose.items()))
    if find_spec("textstat") is None:
        return
    documents = {file.stem: file.read_text("utf-8") for file in sorted(ROOT.glob("docs/*.md"))}
    documents |= {"README": (ROOT / "README.md").read_text("utf-8")}
    for name, texts in (("headlines", headlines), ("prose", prose.values())):
        print(f"grade of {name}: {grade(texts):.1f}")
    print(
        "grade of documents:", *(f"{name} {grade([text]):.1f}" for name, text in documents.items())
    )


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in Markdown, at least one."""
    blocks = _BLOCK.split(_FORMULA.sub("formula", text))
    return [one for block in blocks for one in _END.split(block.strip()) if one] or [""]


def longest(texts: list[str]) -> int:
    """Return the words of the longest sentence."""
    return max(len(one.split()) for text in texts for one in sentences(text))


def grade(texts: Iterable[str]) -> float:
    """Return the grade of Flesch and Kincaid of texts in Markdown."""
    known = [
        plain
        for text in texts
        for one in sentences(_LINK.sub(r"\1", _ASIDE.sub("", text)))
        if len((plain := " ".join(_SIGNS.sub(" ", one).split()).strip(" ,;:-")).split()) > 2
    ]
    counted = ". ".join(sentence.rstrip(".?!") for sentence in known)
    return float(import_module("textstat").flesch_kincaid_grade(f"{counted}."))


if __name__ == "__main__":
    main()
