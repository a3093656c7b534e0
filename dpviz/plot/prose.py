"""Our own Markdown as HTML, its formulas as MathML: for a book, and for long texts of the app.

What others have written goes through `dpviz.plot.written`, which lets less through.
"""

import re

import markdown2

from dpviz.plot.formulas import mathml, parted

_PLACE = re.compile("\N{OBJECT REPLACEMENT CHARACTER}([0-9]++);")
_EXTRAS = ["tables", "break-on-newline-off", "cuddled-lists"]


def html(markdown: str) -> str:
    """Return Markdown as HTML. Raises `dpviz.plot.formulas.FormulaError`."""
    formulas: list[str] = []
    text = ""
    for words, latex, alone in parted(markdown):
        text += words
        if latex:
            text += f"\N{OBJECT REPLACEMENT CHARACTER}{len(formulas)};"
            formulas.append(mathml(latex, display=alone))
    text = str(markdown2.markdown(text, extras=_EXTRAS))
    return _PLACE.sub(lambda found: formulas[int(found[1])], text)
