"""Formulas as MathML say what their LaTeX says."""

import re
from xml.etree import ElementTree as ET

import pytest

from dpviz.plot.formulas import FormulaError, mathml
from dpviz.results.folders import ASSETS

_PROSE = sorted((ASSETS / "prose").glob("*.md"))


def shape(latex: str, *, display: bool = False) -> str:
    """A formula as nested calls, without the rows that only hold parts together."""

    def said(part: ET.Element) -> str:
        inner = [said(child) for child in part]
        if part.tag in ("mrow", "math", "mstyle"):
            return " ".join(filter(None, inner))
        if part.tag == "mspace":
            return ""
        return f"{part.tag[1:]}({', '.join(inner)})" if inner else str(part.text)

    return said(ET.fromstring(mathml(latex, display=display)))


@pytest.mark.parametrize(
    ("latex", "meant"),
    [
        (r"e^{-\varepsilon}(1 - \delta)", "sup(e, − ε) ( 1 − δ )"),
        (r"\tfrac13 x", "frac(1, 3) x"),
        (r"\frac{n_1}{m}", "frac(sub(n, 1), m)"),
        (r"n_m^2", "subsup(n, m, 2)"),
        (r"f'(U)^2", "sup(f, ′) ( U sup(), 2)"),
        (r"\varepsilon''", "sup(ε, ′′)"),
        (r"10^23", "sup(10, 2) 3"),
        (r"\sqrt m\,x", "sqrt(m) x"),
        (r"\binom nr", "( frac(n, r) )"),
        (r"\mathbb E\mathcal H\mathbf 1", "𝔼 ℋ 𝟏"),
        (r"\left[\left(1\right)_+\right]", "[ sub(( 1 ), +) ]"),
        (r"\mathrm{clip}_{-\tau,\tau}", "sub(clip, − τ , τ)"),
        (r"\tilde\Theta", "over(Θ, ~)"),
        (r"\{P > P'\}", "{ P > sup(P, ′) }"),
        (r"\Bigl[x\Bigr]_+", "[ x sub(], +)"),
    ],
)
def test_a_formula_has_the_shape_that_it_says(latex, meant):
    assert shape(latex) == meant


def test_bounds_of_a_sum_stand_below_it_where_it_has_a_line_of_its_own():
    assert shape(r"\sum_{i=1}^k x", display=True) == "underover(∑, i = 1, k) x"
    assert shape(r"\sum_{i=1}^k x") == "subsup(∑, i = 1, k) x"
    assert shape(r"\sup_S P", display=True) == "under(sup, S) P"


def test_every_formula_of_the_prose_is_known():
    count = 0
    for file in _PROSE:
        formulas = re.findall(
            r"\$\$(.+?)\$\$|\$([^$]+)\$", file.read_text(encoding="utf-8"), re.DOTALL
        )
        for alone, inline in formulas:
            said = ET.fromstring(mathml(alone or inline, display=bool(alone)))
            assert said.get("aria-label") == " ".join((alone or inline).split())
            count += 1
    assert count > 500


@pytest.mark.parametrize("latex", [r"\unknown x", r"\frac{1}", r"{x", r"\left(x"])
def test_what_is_not_known_is_refused(latex):
    with pytest.raises(FormulaError):
        mathml(latex)
