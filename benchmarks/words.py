"""How long sentences are: python -m benchmarks.words.

For every view at its defaults: words and numbers of the first sentence of its headline, and words
of the longest sentence of its texts (the details and the notes below the figure). For every page:
words of the longest sentence of its prose. What stands in formulas counts as one word.
"""

import re
from statistics import median

from dpviz.results.folders import ASSETS
from tests.support.declarations import SLUGS, first, opened, page

_NUMBER = re.compile(r"\d[\d,.]*(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
_END = re.compile(r"(?<=[.?!])\**\s+(?=[A-Z*“])")
_FORMULA = re.compile(r"\$\$?[^$]*\$\$?|`[^`]*`")
_BLOCK = re.compile(r"\n\s*\n|\n\s*[-*#|] ?|\n\s*\d+\. ")


def main() -> None:
    """Print a line for every view, then medians and largest."""
    rows = []
    print("view: words and numbers of the headline, words of the longest sentence below")
    for slug in SLUGS:
        for view in page(slug).views:
            scene, result = opened(page(slug), view.key), first(page(slug), view.key)
            headline = sentences(scene.view.takeaway(result))[0]
            below = [scene.view.detail(result), *scene.view.notes(result)]
            words, numbers = len(headline.split()), len(_NUMBER.findall(headline))
            rows.append((words, numbers, longest(below)))
            print(f"{slug}/{view.key}:", *rows[-1])
    for name, column in zip(
        ("words", "numbers", "longest below"), zip(*rows, strict=True), strict=True
    ):
        print(f"{name}: median {median(column):g}, largest {max(column)}")
    prose = {
        file.stem: longest([file.read_text("utf-8")]) for file in (ASSETS / "prose").glob("*.md")
    }
    print("prose:", *(f"{name} {words}" for name, words in sorted(prose.items())))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in Markdown, at least one."""
    blocks = _BLOCK.split(_FORMULA.sub("formula", text))
    return [one for block in blocks for one in _END.split(block.strip()) if one] or [""]


def longest(texts: list[str]) -> int:
    """Return the words of the longest sentence."""
    return max(len(one.split()) for text in texts for one in sentences(text))


if __name__ == "__main__":
    main()
