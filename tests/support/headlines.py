"""What a headline must not be: long, full of numbers, about an item of a paper, or bad grammar."""

import re
from collections import Counter

_NUMBER = re.compile(
    r"(?:1 in (?=\d)|\d[\d,.]* in (?=100\b)|\d[\d,.]* of (?=\d))?"
    r"(?:10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\d(?:[\d,.]*\d)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?)"
)
_QUANTITY = re.compile(rf"{_NUMBER.pattern}(?: ?[%Δ]| [^\W\d]+)?")
_ITEM = re.compile(r"\b(Theorem|Algorithm|Lemma|Corollary|Equation|Observation)\b|\(\d+\)")
_MOST_NUMBERS, _MOST_WORDS = 3, 30

_NOUNS = (
    "answer|bit|candidate|coin|dart|dimension|error|example|game|message|mistake|pair|point|"
    "question|round|row|run|sample|time|user"
)
_ONE = rf"(?:{_NOUNS}|hypothesis|person|query|toss)\b"
_MANY = rf"(?:(?:{_NOUNS})s|hypotheses|people|queries|tosses)\b"
_FOR_ONE, _FOR_MANY = "is|has|was|does|needs|takes|holds", "are|have|were|do|need|take|hold"
_SOME = r"(?:\d[\d,.]*\d|[02-9]|10[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[Tt]wo|[Mm]any|[Ff]ew)"
_SINGLE = r"(?<![\d.,/] )(?<![\d.,/⁻−])\b(?:1|[Oo]ne)"
_GRAMMAR = {
    "one of many": rf"{_SINGLE} (?:more |other )?{_MANY}",
    "many of one": rf"\b{_SOME} (?:more |other )?{_ONE}",
    "many with a verb for one": rf"(?<!of )\b{_SOME} {_MANY} (?:{_FOR_ONE})\b",
    "one with a verb for many": rf"{_SINGLE} {_ONE} (?:{_FOR_MANY})\b",
    "a before a vowel": r"\b[Aa] (?=8|1[18]\b|1[18],|[aeiAEI]|o(?!ne))",
    "an before a consonant": r"\b[Aa]n (?=(?!8|1[18]\b|1[18],)\d|[b-df-gj-np-tv-z]|us|uni|one)",
    "a word twice": r"\b([A-Za-z]+(?: [A-Za-z]+)?) \1\b",
    "a stray space": r"  |\s[,.;:?!)]|\(\s|^\s|\s$",
    "stray signs": r"[,.;:?][,;:?]|\.\.|[{}]|\bNone(?! (?:of|can)\b)|\d[eE][+-]?\d|%\s*%",
    "no capital at its beginning": r"^(?![A-ZΔ“\d*])",
    "no stop at its end": r"(?<![.?])\**$",
}


def faults(headline: str) -> list[str]:
    """Name what is wrong with a headline.

    "1 in 10", "23 in 100", "3 of 10", "2 × 10⁶" are one number each.
    Names in quotation marks are what they are, and "20 of 20" says one number.
    """
    said = re.sub(r"“[^”]*”", "“”", headline)
    once = re.sub(r"(\d[\d,.]*) of (?:all )?\1\b", r"\1", said)
    numbers, words = len(_NUMBER.findall(said)), len(headline.replace(" × ", "×").split())
    found = {
        f"{numbers} numbers": numbers > _MOST_NUMBERS,
        f"{words} words": words > _MOST_WORDS,
        "an item of a paper": bool(_ITEM.search(headline)),
        "a number that is none": bool(re.search(r"\b(nan|inf|undefined)\b", headline)),
        "a number twice": any(count > 1 for count in Counter(_QUANTITY.findall(once)).values()),
        "a bracket left open": any(headline.count(a) != headline.count(b) for a, b in ("()", "“”")),
    } | {name: bool(re.search(pattern, said)) for name, pattern in _GRAMMAR.items()}
    return [name for name, wrong in found.items() if wrong]
