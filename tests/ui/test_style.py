"""What stylesheets may not do: look at the whole page for each figure, speak to one browser."""

import re

import pytest

from dpviz.results.folders import ROOT

SHEETS = sorted((ROOT / "dpviz" / "ui").rglob("*.css"))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_no_rule_depends_on_what_the_page_has_in_it(sheet):
    rules = re.sub(r"@media print \{.*", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
    rules = re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL)
    assert not re.findall(r"\.(?:stApp|stMain\w*)\S*:has\([^)]*\)", rules)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_a_figure_that_stays_in_sight_hides_what_scrolls_below_it(sheet):
    """What is late is pale, but not the ground it stands on: the legend shone through it."""
    rules = re.findall(r"([^{}]*)\{([^{}]*)\}", sheet.read_text(encoding="utf-8"))
    pale = [names for names, said in rules if re.search(r"opacity: 0\.\d", said)]
    assert not [names for names in pale if re.search(r"\.picture\s*(,|$)", names)]


@pytest.mark.parametrize("sheet", sorted((ROOT / "dpviz").rglob("*.css")), ids=lambda it: it.name)
def test_safari_reads_what_it_is_told(sheet):
    """It knows one value of this shorthand, and this property by its old name alone."""
    text = sheet.read_text(encoding="utf-8")
    assert not re.findall(r"(?<![\w-])text-decoration: \w+ .*;", text)
    said = re.findall(r"(?<![\w-])(-webkit-)?user-select: (\w+);", text)
    assert sorted(value for old, value in said if old) == sorted(v for old, v in said if not old)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_no_drawing_is_turned_round_on_paper(sheet):
    """Its inks are those of a light page there; turned round, it was a black box."""
    assert "invert(" not in sheet.read_text(encoding="utf-8")
