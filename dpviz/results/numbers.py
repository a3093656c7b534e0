"""Numbers as people write them: the one reader of all that is typed, linked or uploaded.

dpviz/scripts/numbers.js reads the same in the browser. No pattern here gives back what it has taken
(possessive quantifiers), so that the time to read a text grows with its length alone. They stand at
characters, never at groups, which Python before 3.11.5 matches wrongly.
"""

import math
import re

LONGEST = 400
"""Characters of a number; a double written out in full has fewer."""

_NUMBER = re.compile(r"[+-]?+(?:\d++(?:\.\d*+)?|\.\d++)(?:e[+-]?+\d++)?", re.ASCII | re.IGNORECASE)
# Groups of three digits: with commas as the app prints them, or as others do.
_GROUPED = re.compile(
    r"([+-]?+[1-9][0-9]{0,2}+([,.'_\s])[0-9]{3}(?:\2[0-9]{3}(?![0-9]))*)([.,][0-9]++)?"
)
_COMMAS = re.compile(r"[+-]?+[1-9][0-9]{0,2}+(?:,[0-9]{3})+(?:\.[0-9]++)?")
_POWER = re.compile(r"(?:([+-]?+[0-9.]++) ?+[×x*] ?+)?10(?:\^([+-]?+[0-9]++)|([⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]++))")
_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_BLANK = re.compile(r"(?<=[eE]) (?=[0-9])")


def read_number(text: str, *, whole: bool = False, comma: bool = False) -> float:
    """Return the number that a text stands for, NaN for none; infinite where no double holds it.

    whole, comma: see `normal`.
    """
    if len(text) <= LONGEST and _NUMBER.fullmatch(text):
        return float(text)
    written = normal(text, whole=whole, comma=comma)
    return float(written) if written else math.nan


def normal(text: str, *, whole: bool = False, comma: bool = False) -> str:
    """Return a number as Python writes it, where nothing else can be meant; "" for no number.

    An unescaped "+" in a hand-written link arrives as a blank: 1e+06. whole: whether it must be a
    whole number. One group after a comma is a group only then, one after a point never for certain.
    comma: whether a comma that groups nothing is a decimal point, and one group after it a group.
    """
    if len(text) > LONGEST:
        return ""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        text = _BLANK.sub("+", text.replace("−", "-"))
        if comma:
            text = text.replace(",", "" if _COMMAS.fullmatch(text) else ".")
        text = _regular(text, whole=whole)
    return text if _NUMBER.fullmatch(text) else ""


def _regular(text: str, *, whole: bool) -> str:
    if power := _POWER.fullmatch(text):
        factor, plain, raised = power.groups()
        return f"{factor or 1}e{plain or raised.translate(_SUPERSCRIPTS)}"
    if grouped := _GROUPED.fullmatch(text):
        groups, mark, decimals = grouped.groups(default="")
        ambiguous = groups.count(mark) == 1 and not decimals
        if not ambiguous or mark not in ",." or (mark == "," and whole):
            return groups.replace(mark, "") + decimals.replace(",", ".")
    return text
