"""The index: every view, numbered result, section and word there is, and a search through them.

A word of a search is found where a word of a place begins with it; one with a digit, of fewer
than three letters or Greek only where it stands whole. One and many are the same word: "hurts"
finds "hurt". A Greek letter and its name are the same word, and "Theorem 13" is one word, found in
"Theorems 9 and 13" and not in "Theorem 130". All words must be found, but for those of which
questions are made: "why δ" finds whatever speaks of δ. Where nothing has them all, what has most of
the ordinary words is found, half of them at least.
"""

import inspect
import re
import tomllib
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import filterfalse, groupby
from urllib.parse import parse_qsl

from dpviz.results.bibliography import PAPERS
from dpviz.results.folders import ASSETS
from dpviz.results.parameters import LIMITS
from dpviz.scene import coverage, glossary
from dpviz.scene.catalogue import Entry, entry
from dpviz.scene.codec import Choice, Flag, Number, Parameter
from dpviz.scene.page import Page
from dpviz.scene.view import View

LONGEST = 100
"""Characters of a search; the rest is left out."""

MOST = 40
"""Places that a search shows."""

OWN = ASSETS / "results.toml"

_GREEK = {
    chr(code): unicodedata.name(chr(code)).split()[-1].lower().replace("lamda", "lambda")
    for code in range(ord("α"), ord("ω") + 1)
}
_SPELLED = str.maketrans({letter: f" {name} " for letter, name in _GREEK.items()})
_NAMES = frozenset(_GREEK.values())
_COMMAND = re.compile(r"\\(?:var)?([a-z]+)")  # of LaTeX
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")
_KINDS = (
    "theorem|lemma|corollary|definition|observation|algorithm|proposition|claim|remark|condition|"
    "table|figure|section"
)
_NUMBER = r"\d+(?:\.\d+)*[a-z]?\b"
# Each blank has one place in it, or a long row of commas would be tried in every way.
_JOINT = r"(?:\s*,\s*(?:(?:and|or|to)\s+)?|\s+(?:and|or|to)\s+)"
_RESULTS = re.compile(rf"\b({_KINDS})s?\s+({_NUMBER}(?:{_JOINT}{_NUMBER})*)")
_JOINED = re.compile(rf"(\bto\s+)?({_NUMBER})")
_LONGEST_RUN = 100  # of results named as "1 to 9"
_QUESTION = frozenset(
    _WORD.findall(
        "a an and are do does how i in is it of on or the to what when where which who why"
    )
)
_BEGINNING = 3  # letters, at least
_MANY = re.compile(r"[a-z]{3,}[^su\W\d]s")  # "users" and "hurts", not "less" or "radius"
_NOWHERE = 4  # a score beyond those of `Index._found`


@dataclass(frozen=True)
class Place:
    """What can be found: a view, a result of a paper in a view or on a page, a section, a word.

    said: beside the title. words: by which it is found, besides. deep: whether it is a view for
    those who work on the subject. search: what its page is to search for. settings: of the view, as
    a query has them.
    """

    title: str
    slug: str
    view: str = ""
    said: str = ""
    words: str = ""
    deep: bool = False
    search: str = ""
    settings: str = ""

    @property
    def query(self) -> dict[str, str]:
        """What the address of its page is followed by."""
        named = (("view", self.view), ("q", self.search))
        return {key: text for key, text in named if text} | dict(parse_qsl(self.settings))


@dataclass(frozen=True)
class Found:
    """What a search finds: pages with their places, the best first, and how many more there are.

    partly: whether they have only some of its words.
    """

    pages: tuple[tuple[Entry, tuple[Place, ...]], ...]
    more: int
    partly: bool


@dataclass(frozen=True)
class Index:
    """All places in the order of the catalogue, and where their words stand."""

    places: tuple[Place, ...]
    _titles: Mapping[str, list[int]] = field(init=False, repr=False, compare=False)
    _rest: Mapping[str, list[int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        titles = [tokens(place.title) for place in self.places]
        object.__setattr__(self, "_titles", _postings(titles))
        rest = [tokens(f"{place.said}\n{place.words}") for place in self.places]
        object.__setattr__(self, "_rest", _postings(rest))

    @cached_property
    def _words(self) -> list[str]:
        return sorted({*self._titles, *self._rest})

    def views(self) -> Iterator[tuple[Entry, tuple[Place, ...]]]:
        """Yield every page with its views, those for everyone first."""
        views = (place for place in self.places if place.view and not place.said)
        for slug, of_page in groupby(views, key=lambda place: place.slug):
            yield entry(slug), tuple(of_page)

    def search(self, text: str) -> Found:
        """Return the places where all words of a text are found, best in their titles, first."""
        words = asked(text)
        telling = words - _QUESTION or words
        found = {word: self._found(word) for word in words}
        counted = Counter(number for word in telling for number in found[word])
        most = max(counted.values(), default=0)
        # A place with fewer than half of them answers another question.
        enough = max(most, (len(telling) + 1) // 2)
        places = {number for number, count in counted.items() if count == enough}
        for word in filterfalse(_is_ordinary, telling):
            places &= found[word].keys()

        def rank(number: int) -> tuple[int, int, int, int]:
            scores = [found[word].get(number, _NOWHERE) for word in telling]
            others = [found[word].get(number, _NOWHERE) for word in words - telling]
            return sum(score > 1 for score in scores), sum(scores), sum(others), number

        ranked = sorted(places, key=rank)
        grouped: dict[str, list[Place]] = {}
        for number in ranked[:MOST]:
            grouped.setdefault(self.places[number].slug, []).append(self.places[number])
        pages = tuple((entry(slug), tuple(of_page)) for slug, of_page in grouped.items())
        return Found(pages, max(0, len(ranked) - MOST), bool(places) and most < len(telling))

    def _found(self, word: str) -> dict[int, int]:
        """Return where a word is found: 0 in a title, 1 as a beginning there, 2 and 3 elsewhere."""
        one = word[:-1] if _MANY.fullmatch(word) else word
        known = dict.fromkeys((*self._begun(one), *self._begun(word)), 1)
        known |= {word: 0, one: 0}
        best: dict[int, int] = {}
        for score, postings in ((0, self._titles), (2, self._rest)):
            for longer, away in known.items():
                for number in postings.get(longer, ()):
                    worth = score + away
                    best[number] = min(best.get(number, worth), worth)
        return best

    def _begun(self, word: str) -> Iterator[str]:
        """Yield the words of the index that begin with this one."""
        if not _is_ordinary(word):
            return
        for known in self._words[bisect_left(self._words, word) :]:
            if not known.startswith(word):
                return
            yield known


def _is_ordinary(word: str) -> bool:
    """Tell whether a word is neither a number, a sign nor the name of a result."""
    return len(word) >= _BEGINNING and word.isalpha() and word not in _NAMES


def _postings(words: Iterable[frozenset[str]]) -> dict[str, list[int]]:
    """Return for each word the numbers of the places that have it."""
    found: dict[str, list[int]] = {}
    for number, of_place in enumerate(words):
        for word in of_place:
            found.setdefault(word, []).append(number)
    return found


def tokens(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared, and besides each numbered result as one."""
    plain = _plain(text)
    return frozenset((*_results(plain), *_WORD.findall(plain)))


def asked(text: str) -> frozenset[str]:
    """Return the words of a search: of a numbered result only the whole."""
    plain = _plain(text[:LONGEST])
    return frozenset((*_results(plain), *_WORD.findall(_RESULTS.sub(" ", plain))))


def _plain(text: str) -> str:
    """Return a text in small letters without accents, with Greek letters by their names."""
    small = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    bare = "".join(c for c in small if not unicodedata.combining(c)).replace(
        "corollaries", "corollary"
    )
    latin = _COMMAND.sub(lambda m: f" {m[1]} " if m[1] in _NAMES else " ", bare)
    return latin.translate(_SPELLED)


def _results(plain: str) -> Iterator[str]:
    """Yield the results that a text names, "Lemmas 27 and 32 to 35" each by itself."""
    for kind, numbers in _RESULTS.findall(plain):
        last = 0
        for joint, number in _JOINED.findall(numbers):
            whole = int(number) if number.isdecimal() else 0
            if joint and 0 < last < whole <= last + _LONGEST_RUN:
                yield from (f"{kind} {n}" for n in range(last + 1, whole))
            yield f"{kind} {number}"
            last = whole


def build(pages: Iterable[Page]) -> Index:
    """Return the index of these pages, and of what is said beside them."""
    known = {page.slug: page for page in pages}
    titles = {(slug, v.key): v.title for slug, page in known.items() for v in page.views}
    results = [*_papers(titles), *_own(titles)]
    places: list[Place] = []
    for slug, page in known.items():
        places += (_view(page, view) for view in page.views)
        places += (place for place in results if place.slug == slug)
        places += (
            Place(heading, slug, said="section", words=_with_papers(text))
            for heading, text in entry(slug).sections()
        )
    return Index((*places, *words()))


def _view(page: Page, view: View) -> Place:
    """Return the place of a view, which is found by what it computes and what can be set."""
    named = entry(page.slug)
    theory = "\n".join(
        filter(None, map(inspect.getdoc, (view.compute, inspect.getmodule(view.compute))))
    )
    address = f"{page.slug}/{view.key}"
    shown = [
        f"{item.name} {paper.paper}"
        for paper in map(coverage.coverage, coverage.papers())
        for item in paper.items
        if address in {place.partition("?")[0] for place in item.live}
    ]
    controls = [_control(page.parameter(key)) for key in view.parameters]
    tried = [preset.label for preset in page.presets if page.shown_by(preset) is view]
    said = [view.key, named.title, named.question, named.summary, view.why, *tried]
    words = [*said, theory, *shown, *controls]
    found_by = _with_papers("\n".join(words))
    return Place(view.title, page.slug, view.key, words=found_by, deep=view in page.in_depth)


def _control(parameter: Parameter) -> str:
    """Return what a control is called, in words and in links."""
    said = parameter.key.replace("_", " ")
    if isinstance(parameter, Number):
        return f"{said} {parameter.limit.symbol} {parameter.limit.meaning}"
    if isinstance(parameter, Choice):
        return " ".join((said, parameter.label, *parameter.options.values()))
    return f"{said} {parameter.label}" if isinstance(parameter, Flag) else said


def _paper(name: str) -> str:
    """Return the name and the title of a paper."""
    return f"{name} {PAPERS[name].fields['title']}".translate(str.maketrans("", "", "{}"))


def _with_papers(text: str) -> str:
    """Return a text with the titles of the papers that it names."""
    return "\n".join([text, *(_paper(name) for name in PAPERS if name in text)])


def _papers(titles: Mapping[tuple[str, str], str]) -> Iterator[Place]:
    """Yield the numbered results of the papers, each in every place that shows or states it."""
    for short in coverage.papers():
        paper = coverage.coverage(short)
        for item in paper.items:
            title = f"{item.name}, {paper.paper}"
            words = f"{item.reason} {_paper(paper.paper)} {short}"
            for address in item.live:
                place, _, settings = address.partition("?")
                slug, _, key = place.partition("/")
                said = f"shown in “{titles[slug, key]}”"
                yield Place(title, slug, key, said, words, settings=settings)
            for slug in item.stated:
                yield Place(title, slug, "", "only stated", words)
            if item.page:
                yield Place(title, item.page, "", f"not here: {item.reason}", words)


def _own(titles: Mapping[tuple[str, str], str]) -> Iterator[Place]:
    """Yield the results of our own."""
    for title, addresses in tomllib.loads(OWN.read_text(encoding="utf-8")).items():
        for slug, _, key in (address.partition("/") for address in addresses):
            said = f"a result of our own, in “{titles[slug, key]}”"
            yield Place(title, slug, key, said)


def words() -> Iterator[Place]:
    """Yield the words and the symbols of the glossary."""
    for head, meaning in glossary.entries().items():
        said = meaning.removeprefix(head).lstrip(" ,:")
        yield Place(head, "glossary", said=said, search=head)
    for limit in LIMITS.values():
        yield Place(
            limit.symbol,
            "glossary",
            said=limit.meaning,
            words=limit.name.replace("_", " "),
            search=limit.meaning,
        )
