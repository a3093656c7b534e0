"""No pattern of ours takes back what it has taken: the time to read grows with a text alone."""

import ast
import functools
import importlib
import re
from collections import Counter
from re import _constants as codes
from re import _parser as parser

import pytest

from dpviz.results.folders import ROOT

UNBOUNDED = 30  # repeats from which on it matters
SAMPLE = "".join(map(chr, [*range(0x180), *range(0x370, 0x3D0), 0x2070, 0x2212, 0x221A]))
FUNCTIONS = {"compile", "match", "fullmatch", "search", "sub", "split", "findall", "finditer"}
MODULES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts): file
    for file in sorted((ROOT / "dpviz").rglob("*.py"))
}


@functools.cache
def characters(source):
    """The characters of the sample that a pattern of a single one takes."""
    return frozenset(re.findall(source, SAMPLE, re.DOTALL))


CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d", codes.CATEGORY_NOT_DIGIT: r"\D", codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S", codes.CATEGORY_WORD: r"\w", codes.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


def taken(code, value):
    """The characters of the sample that one item of a pattern takes, in either case."""
    match code:
        case codes.LITERAL:
            return frozenset((chr(value).lower(), chr(value).upper()))
        case codes.NOT_LITERAL:
            return characters("(?s:.)") - {chr(value)}
        case codes.ANY:
            return characters("(?s:.)")
        case codes.CATEGORY:
            return characters(CATEGORIES[value])
        case codes.RANGE:
            return frozenset(c for c in SAMPLE if value[0] <= ord(c) <= value[1])
        case codes.IN:
            parts = [taken(*each) for each in value if each[0] is not codes.NEGATE]
            found = frozenset().union(*parts)
            return characters("(?s:.)") - found if value[0][0] is codes.NEGATE else found
    return frozenset()  # what is said again


class Steps:
    """The places of a pattern, what each takes, and which places can follow it, in how many ways.

    Possessive repeats and atomic groups take once: they never give anything back.
    """

    def __init__(self, pattern, flags=0):
        self.taken, self.next = [], []
        self.first, self.last, _ = self.sequence(parser.parse(pattern, flags))

    def sequence(self, items):
        first, last, empty = Counter(), Counter(), True
        for code, value in items:
            begin, end, none = self.part(code, value)
            for place, ways in last.items():
                self.next[place].update({to: ways * more for to, more in begin.items()})
            first += begin if empty else Counter()
            last = end + (last if none else Counter())
            empty = empty and none
        return first, last, empty

    def part(self, code, value):
        match code:
            case codes.AT | codes.ASSERT | codes.ASSERT_NOT:
                return Counter(), Counter(), True
            case codes.SUBPATTERN:
                return self.sequence(value[3])
            case codes.ATOMIC_GROUP:
                return self.once(value)
            case codes.BRANCH:
                found = [self.sequence(branch) for branch in value[1]]
                begins, ends, nones = zip(*found, strict=True)
                return sum(begins, Counter()), sum(ends, Counter()), any(nones)
            case codes.POSSESSIVE_REPEAT:
                first, last, empty = self.once(value[2])
                return first, last, empty or value[0] == 0
            case codes.MAX_REPEAT | codes.MIN_REPEAT:
                first, last, empty = self.sequence(value[2])
                if value[1] > UNBOUNDED:
                    for place, ways in last.items():
                        self.next[place].update({to: ways * more for to, more in first.items()})
                return first, last, empty or value[0] == 0
        self.taken.append(taken(code, value))
        self.next.append(Counter())
        alone = Counter([len(self.taken) - 1])
        return alone, alone, False

    def once(self, items):
        begin = len(self.taken)
        first, last, empty = self.sequence(items)
        for place in range(begin, len(self.taken)):  # none of it follows what came before it
            self.next[place] = Counter({k: v for k, v in self.next[place].items() if k > place})
        return first, last, empty

    @property
    def ambiguous(self):
        """Whether a text of one kind of characters can be shared out between two repeats."""
        for place, mine in enumerate(self.taken):
            ways = self.next[place][place]
            if ways > 1:
                return True
            seen, ahead = set(), [to for to in self.next[place] if to != place] if ways else []
            while ahead:
                to = ahead.pop()
                if to in seen or not self.taken[to] & mine:
                    continue
                if to == place or self.next[to][to]:
                    return True
                seen.add(to)
                ahead += self.next[to]
        return False

    @property
    def rescans(self):
        """Whether a search that finds nothing looks at the same characters from many places.

        So it does where a repeat takes what the pattern begins with, and can fail behind that.
        """
        return any(
            self.reaches(place)
            for place in range(len(self.taken))
            if self.next[place][place] and place not in self.last
        )

    def reaches(self, place):
        seen, ahead = set(), list(self.first)
        while ahead:
            to = ahead.pop()
            if to not in seen and self.taken[to] & self.taken[place]:
                if to == place:
                    return True
                seen.add(to)
                ahead += self.next[to]
        return False


def patterns():
    """Every pattern of the package: those its modules keep, and literals where they are used."""
    found = {}
    for name, file in MODULES.items():
        text = file.read_text(encoding="utf-8")
        if "import re\n" not in text:
            continue
        for kept, value in vars(importlib.import_module(name)).items():
            if isinstance(value, re.Pattern):
                found[name, kept] = value.pattern, value.flags
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=attr),
                    args=[ast.Constant(value=str(literal)), *_],
                ) if attr in FUNCTIONS:
                    found[name, str(node.lineno)] = literal, 0
    return found


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\d+\.?\d*", True),
        (r"(a+)+", True),
        (r"(?:a+b?)*c", True),
        (r"a.*b.*c", True),
        (r"\d+(?:\.\d*)?", False),
        (r"\d++\.?+\d*+", False),
        (r"[a-z]+(?:-[a-z]+)*", False),
        (r"(?>a+)a+", False),
    ],
)
def test_what_may_share_characters_is_found(pattern, expected):
    assert Steps(pattern).ambiguous == expected


def test_no_pattern_takes_back_what_it_has_taken():
    assert len(patterns()) > 60
    wrong = [name for name, given in patterns().items() if Steps(*given).ambiguous]
    assert not wrong


def repeated_groups(items):
    """Yield what possessive repeats and atomic groups hold beyond one character."""
    for code, value in items:
        match code:
            case codes.ATOMIC_GROUP:
                yield value
            case codes.POSSESSIVE_REPEAT if len(value[2]) > 1 or value[2][0][0] not in SINGLE:
                yield value
            case codes.POSSESSIVE_REPEAT | codes.MAX_REPEAT | codes.MIN_REPEAT:
                yield from repeated_groups(value[2])
            case codes.SUBPATTERN:
                yield from repeated_groups(value[3])
            case codes.ASSERT | codes.ASSERT_NOT:
                yield from repeated_groups(value[1])
            case codes.BRANCH:
                for branch in value[1]:
                    yield from repeated_groups(branch)


SINGLE = {codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN}


@pytest.mark.parametrize("pattern", [r"(?:a\d)?+", r"(a|(?:bc)++)", r"(?>ab)c", r"(?=(?:ab)*+)"])
def test_possessive_groups_are_found(pattern):
    assert [*repeated_groups(parser.parse(pattern))]


def test_no_group_is_possessive():
    """Python 3.11.2, which Debian 12 has, matches such groups wrongly: "1e" was a number."""
    wrong = [n for n, given in patterns().items() if [*repeated_groups(parser.parse(*given))]]
    assert not wrong


# Patterns that look for something that may not end: what strangers write is never read by them.
OURS = {
    "dpviz.__main__": "the whole of a word of the command",
    "dpviz.plot.ink": "labels of figures",
    "dpviz.plot.printed": "labels of figures",
    "dpviz.scene.glossary": "our prose",
    "dpviz.scene.index": "whole words, and a search of at most 100 characters",
    "dpviz.scene.lectures": "a whole text, of at most 81 characters",
    "dpviz.serve.alone": "our style",
    "dpviz.serve.guard": "Streamlit's page",
    "dpviz.serve.lecture.classic": "our scripts",
    "dpviz.serve.lecture.compact": "our drawings",
    "dpviz.serve.lines": "headlines",
    "dpviz.serve.modules": "our scripts",
    "dpviz.serve.previews": "Streamlit's page",
    "dpviz.serve.solving": "solutions of exercises",
    "dpviz.serve.standing": "our headlines and style",
}


def test_no_search_of_what_strangers_write_looks_twice_at_a_character():
    wrong = {name for name, given in patterns().items() if Steps(*given).rescans}
    assert {module for module, _ in wrong} <= OURS.keys()
