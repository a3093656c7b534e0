"""Texts with formulas: as HTML with MathML, and as Markdown that can do nothing else."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.formulas import FormulaError, mathml
from dpviz.plot.written import (
    bare,
    html,
    is_marked,
    line,
    line_markdown,
    markdown,
    unreadable,
)

DEFINITION = r"\Pr[M(X) \in S] \le e^{\varepsilon} \Pr[M(X') \in S] + \delta"


def said(latex):
    return "".join(ET.fromstring(mathml(latex)).itertext())


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (DEFINITION, "Pr[M(X)∈S]≤eεPr[M(X′)∈S]+δ"),
        (r"\frac{1}{2}\sqrt{\log n}", "12logn"),
        (r"\sum_{i=1}^{n} x_i^2 \text{ for all } n \ge 1.5", "∑i=1nxi2\xa0for\xa0all\xa0n≥1.5"),
        (r"\left(\frac{a}{b}\right) \mathbb{E}[\mathcal N] \{0\}", "(ab)𝔼[𝒩]{0}"),
        (r"a < b - c", "a<b−c"),
    ],
)
def test_a_formula_says_what_it_says_in_latex(latex, words):
    assert said(latex) == words


def test_limits_stand_below_a_sum_and_powers_beside_a_letter():
    assert "<munderover><mo>∑</mo>" in mathml(r"\sum_a^b", display=True)
    assert mathml("x_1^2").count("<msubsup>") == 1
    assert "<msup><mi>X</mi><mrow><mo>′</mo></mrow></msup>" in mathml("X'")


@pytest.mark.parametrize(
    "latex",
    [
        *(r"\href{javascript:x}{y}", r"\frac{1}", "{a", "a}", r"\left(a", "a_", r"\mathbb{<}"),
        *("^", "a^^b", "{" * 30 + "}" * 30, r"\text", "&"),
    ],
)
def test_what_is_no_formula_is_refused(latex):
    with pytest.raises(FormulaError, match=r"The formula|letters"):
        mathml(latex)


@given(st.text(st.sampled_from("\\{}^_$'<>&a1 +frctexl*-.\n"), max_size=40))
def test_any_text_is_sound_html_or_refused(text):
    try:
        made = html(text)
    except FormulaError:
        return
    ET.fromstring(f"<div>{made}</div>")


def test_paragraphs_lists_and_marks_around_formulas():
    text = f"Let $M$ be **$(\\varepsilon, 0)$-private** *here*\n\n- <b>\n- two\n\n$${DEFINITION}$$"
    made = html(text)
    assert "<strong><math " in made
    assert "<em>here</em>" in made
    assert "<ul><li>&lt;b&gt;</li><li>two</li></ul>" in made
    assert '<math display="block" ' in made
    marked = markdown(text)
    assert r"Let $M$ be **$(\varepsilon, 0)$\-private** *here*" in marked
    assert r"- \<b\>" in marked
    assert f"$$\n{DEFINITION}\n$$" in marked


@pytest.mark.parametrize("text", ["![x](http://a)", "[x](http://a)", ":red[x]", "<b>x", "# x"])
def test_markdown_can_do_nothing_else(text):
    made = markdown(text)
    for sign in "![]()<>#:":
        assert made.count(sign) == made.count(f"\\{sign}")


def test_formulas_side_by_side_are_two():
    shown = markdown("$a$$b$ and $$c$$")
    assert "$$b" not in shown.replace("\N{WORD JOINER}", " ")
    assert shown.startswith("$a$\N{WORD JOINER}$b$")
    assert html("$a$$b$").count("<math") == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("costs $5 and $6", "<p>costs $5 and $6</p>"),
        ("**a*", "<p><em>*a</em></p>"),
        ("*a* **b** *c", "<p><em>a</em> <strong>b</strong> *c</p>"),
        ("**a *b* c**", "<p><strong>a *b* c</strong></p>"),
        ("a * b and *c *", "<p>a * b and *c *</p>"),
    ],
)
def test_marks_and_dollars_that_close_nothing_are_words(text, expected):
    assert html(text) == expected


QUESTION = r"Is $e^{\varepsilon}$ **large** at $\frac{1}{n+1}$?"


def test_a_line_is_set_as_a_text_is_and_has_plain_words_for_titles():
    drawn = (mathml(r"e^{\varepsilon}"), mathml(r"\frac{1}{n+1}"))
    assert line(QUESTION) == "Is {} <strong>large</strong> at {}?".format(*drawn)
    assert line_markdown(QUESTION) == r"Is $e^{\varepsilon}$ **large** at $\frac{1}{n+1}$?"
    assert bare(QUESTION) == "Is e^ε large at 1/(n+1)?"
    assert is_marked(QUESTION)
    assert not is_marked("Is 2 * 3 < 7?")


@pytest.mark.parametrize("latex", [r"\foo", "a_", r"\href{x}{y}"])
def test_a_formula_of_a_line_that_cannot_be_read_stands_as_written_and_is_told(latex):
    said = f"So ${latex}$ <b>"
    assert line(said) == f"So ${latex}$ &lt;b&gt;"
    assert "$" not in line_markdown(said).replace(r"\$", "")
    assert html(said, strict=False) == f"<p>So ${latex}$ &lt;b&gt;</p>"
    assert unreadable(said).startswith("The formula")
    assert unreadable(QUESTION) == ""


@given(st.text(st.sampled_from("\\{}^_$'<>&a1 +frctexl*-."), max_size=40))
def test_any_line_is_sound_html(text):
    ET.fromstring(f"<div>{line(text)}</div>")
    bare(text)
