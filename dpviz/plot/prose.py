"""Our own Markdown as HTML, its formulas as MathML: for a book, and for long texts of the app.

What others have written goes through `dpviz.plot.written`, which lets less through.
"""

import re

import markdown2

from dpviz.plot.formulas import mathml

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
_PLACE = re.compile("\N{OBJECT REPLACEMENT CHARACTER}([0-9]+);")
_EXTRAS = ["tables", "break-on-newline-off", "cuddled-lists"]


def html(markdown: str) -> str:
    """Return Markdown as HTML. Raises `dpviz.plot.formulas.FormulaError`."""
    formulas: list[str] = []

    def put(found: re.Match[str]) -> str:
        alone, inline = found.groups()
        formulas.append(mathml(alone or inline, display=alone is not None))
        return f"\N{OBJECT REPLACEMENT CHARACTER}{len(formulas) - 1};"

    text = str(markdown2.markdown(_FORMULA.sub(put, markdown), extras=_EXTRAS))
    return _PLACE.sub(lambda found: formulas[int(found[1])], text)
