"""What a headline must not be: full of numbers, long, or about an item of a paper."""

import re

_NUMBER = re.compile(r"(?:1 in (?=\d))?(?:\d[\d,.]*(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_ITEM = re.compile(r"\b(Theorem|Algorithm|Lemma|Corollary|Equation|Observation)\b|\(\d+\)")
_MOST_NUMBERS, _MOST_WORDS = 3, 35


def faults(headline: str) -> list[str]:
    """Name what is wrong with a headline; "1 in 10" and "2 × 10⁶" are one number each."""
    numbers, words = len(_NUMBER.findall(headline)), len(headline.split())
    found = {
        f"{numbers} numbers": numbers > _MOST_NUMBERS,
        f"{words} words": words > _MOST_WORDS,
        "an item of a paper": bool(_ITEM.search(headline)),
        "a number that is none": bool(re.search(r"\b(nan|inf|undefined)\b", headline)),
    }
    return [name for name, wrong in found.items() if wrong]
