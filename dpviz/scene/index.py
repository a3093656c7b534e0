"""The index: every view, numbered result, section and word there is, and a search through them.

A word of a search is found where a word of a document begins with it, or with its stem: "hurts" and
"hurting" find "hurt", "clipped" finds "clipping". One with a digit, of fewer than three letters or
Greek is found only where it stands whole. A Greek letter and its name are the same word, and
"Theorem 13" is one word, found in "Theorems 9 and 13" and not in "Theorem 130". All words must be
found, but for those of which questions are made: "why δ" finds whatever speaks of δ. Where nothing
has them all, what has most of the ordinary words is found, half of them at least.

What is found is ordered by where its words stand: in a title, in what a page or a view says first,
or elsewhere; a rare word counts for more than one that stands everywhere.
"""

import inspect
import math
import re
import tomllib
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import filterfalse, groupby
from urllib.parse import parse_qsl, urlencode

from dpviz.results.bibliography import PAPERS
from dpviz.results.folders import ASSETS
from dpviz.results.parameters import LIMITS
from dpviz.scene import coverage, glossary
from dpviz.scene.catalogue import Entry, entry, section_name
from dpviz.scene.codec import Choice, Flag, Number, Parameter
from dpviz.scene.homework import Task, tasks
from dpviz.scene.page import Page
from dpviz.scene.view import View

LONGEST = 100
"""Characters of a search; the rest is left out."""

MOST_FOUND = 40
"""Documents that a search shows."""

OUR_RESULTS = ASSETS / "results.toml"

GREEK = {
    chr(code): unicodedata.name(chr(code)).split()[-1].lower().replace("lamda", "lambda")
    for code in range(ord("α"), ord("ω") + 1)
}
_SPELLED = str.maketrans({letter: f" {name} " for letter, name in GREEK.items()})
_NAMES = frozenset(GREEK.values())
_COMMAND = re.compile(r"\\(?:var)?([a-z]+)")  # of LaTeX
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")
KINDS = (
    "theorem|lemma|corollary|definition|observation|algorithm|proposition|claim|remark|condition|"
    "table|figure|section"
)
_NUMBER = r"\d+(?:\.\d+)*[a-z]?\b"
# Each blank has one place in it, or a long row of commas would be tried in every way.
_JOINT = r"(?:\s*,\s*(?:(?:and|or|to)\s+)?|\s+(?:and|or|to)\s+)"
_RESULTS = re.compile(rf"\b({KINDS})s?\s+({_NUMBER}(?:{_JOINT}{_NUMBER})*)")
_JOINED = re.compile(rf"(\bto\s+)?({_NUMBER})")
_LONGEST_RUN = 100  # of results named as "1 to 9"
QUESTION = frozenset(
    _WORD.findall(
        "a an and are as at be by can do does dp for from get how i if in is it many me "
        "mean means much my need no not of on one or should than that the there this to versus vs "
        "what when where which who why will with without you your t s re"
    )
)
# What readers call by another name than the app does.
CALLED = {"beat": "wins", "beats": "wins", "ptr": "propose test release", "posterior": "odds"}
_BEGINNING = 3  # letters, at least
_EQUATION = re.compile(r"\b([a-z]+)\s*=\s*(\d+(?:[.,]\d+)*(?:e[+-]?\d+)?)")
_AMOUNT = re.compile(r"\d+(?:\.\d+)*(?:e\d+)?")
_MANY = re.compile(r"[a-z]{3,}[^su\W\d]s")  # "users" and "hurts", not "less" or "radius"
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ings?|ed|er|est|es|e|y)$")
_TWICE = re.compile(r"([bdgmnprt])\1$")  # as in "clipping"
# What a word is worth, found in a title, in what is said first, elsewhere; and less with an ending.
_TITLE, _FIRST, _ELSEWHERE, _ENDS_ELSE = 1.0, 0.5, 0.15, 0.9
_BEGINS = 0.3  # more where a title begins with it
_REASONS, _MEANING = frozenset(("why", "how", "when")), 0.3  # less for the meaning of a word
# What readers want rather, of what has the same words.
OPENS = {
    "everyone": 1.2,
    "table": 1.2,
    "deep": 1.1,
    "word": 1.0,
    "": 1.0,
    "symbol": 0.6,
    "exercise": 0.6,
}


@dataclass(frozen=True)
class Document:
    """What can be found: a view, a paper's result, a section, a word, an exercise.

    subtitle: beside the title. why: of a view. first: what it says besides at first. words: by
    which it is found, besides. deep: whether it is a view for those who work on the subject.
    search: what its page is to search for. settings: of the view or the page, as a query has them.
    """

    title: str
    slug: str
    view: str = ""
    subtitle: str = ""
    why: str = ""
    first: str = ""
    words: str = ""
    deep: bool = False
    search: str = ""
    settings: str = ""

    @property
    def query(self) -> dict[str, str]:
        """What the address of its page is followed by."""
        named = (("view", self.view), ("q", self.search))
        return {key: text for key, text in named if text} | dict(parse_qsl(self.settings))

    @property
    def kind(self) -> str:
        """What opens: a view, for everyone or in depth, a table, a word, an exercise, or else."""
        if self.view and not self.subtitle:
            return "deep" if self.deep else "everyone"
        if "tab" in self.query:
            return "table"
        if self.slug == "glossary":
            return "word" if self.search == self.title else "symbol"
        return "exercise" if self.slug == "exercises" else ""


@dataclass(frozen=True)
class Found:
    """What a search finds, the best first, and how many documents more there are.

    partly: whether they have only some of its words.
    """

    documents: tuple[Document, ...]
    more: int
    partly: bool


@dataclass(frozen=True)
class Index:
    """All documents in the order of the catalogue, and where their words stand.

    postings: by word, the numbers of the documents that have it, each with what it is worth there.
    """

    documents: tuple[Document, ...]
    postings: Mapping[str, Mapping[int, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        postings: dict[str, dict[int, float]] = {}
        for number, document in enumerate(self.documents):
            parts = (
                (_ELSEWHERE, tokens(document.words)),
                (_FIRST, tokens(f"{document.subtitle}\n{document.why}\n{document.first}")),
                (_TITLE, tokens(document.title)),
            )
            for worth, words in parts:
                for word in words:
                    postings.setdefault(word, {})[number] = worth
        object.__setattr__(self, "postings", postings)

    @cached_property
    def _words(self) -> list[str]:
        return sorted(self.postings)

    def views(self) -> Iterator[tuple[Entry, tuple[Document, ...]]]:
        """Yield every page with its views, those for everyone first."""
        views = (one for one in self.documents if one.kind in {"everyone", "deep"})
        for slug, of_page in groupby(views, key=lambda one: one.slug):
            yield entry(slug), tuple(of_page)

    def search(self, text: str) -> Found:
        """Return the documents that have all words of a text, the best first."""
        words = query_tokens(text)
        telling = {word for word in words - QUESTION if not _AMOUNT.fullmatch(word)} or words
        found = {word: self._found(word) for word in words}
        counted = Counter(number for word in telling for number in found[word])
        most = max(counted.values(), default=0)
        # A document with fewer than half of them answers another question.
        enough = max(most, (len(telling) + 1) // 2)
        found_in = {number for number, count in counted.items() if count == enough}
        for word in filterfalse(_is_ordinary, telling):
            found_in &= found[word].keys()
        rare = {word: math.log1p(len(self.documents) / (1 + len(found[word]))) for word in words}

        why = _MEANING * bool(words & _REASONS)

        def worth(number: int) -> float:
            score = sum(rare[word] * found[word].get(number, 0.0) for word in telling)
            asks = sum(found[word].get(number, 0.0) for word in words - telling) / 10
            document = self.documents[number]
            score *= 1 + _BEGINS * _plain(document.title).strip().startswith(tuple(telling))
            return (score + asks) * OPENS[document.kind] * (1 - why * (document.kind == "word"))

        ranked = sorted(found_in, key=lambda number: (-worth(number), number))
        shown = tuple(self.documents[number] for number in ranked[:MOST_FOUND])
        return Found(
            shown, max(0, len(ranked) - MOST_FOUND), bool(found_in) and most < len(telling)
        )

    def _found(self, word: str) -> dict[int, float]:
        """Return where a word is found, and what it is worth there."""
        one = word[:-1] if _MANY.fullmatch(word) else word
        weights = dict.fromkeys((*self._begun(stem(one)), *self._begun(word)), _ENDS_ELSE)
        weights |= {word: 1.0, one: 1.0}
        best: dict[int, float] = {}
        for longer, alike in weights.items():
            for number, worth in self.postings.get(longer, {}).items():
                best[number] = max(best.get(number, 0.0), alike * worth)
        return best

    def _begun(self, word: str) -> Iterator[str]:
        """Yield the words of the index that begin with this one."""
        if not _is_ordinary(word):
            return
        for longer in self._words[bisect_left(self._words, word) :]:
            if not longer.startswith(word):
                return
            yield longer


def settings(text: str, page: Page, view: View) -> dict[str, str]:
    """Return what a search sets in a view, as a query has it: "what ε = 1 means" sets ε."""
    given = dict(_EQUATION.findall(_plain(text[:LONGEST])))
    found = {}
    for parameter in map(page.parameter, view.parameters):
        if not isinstance(parameter, Number):
            continue
        number = given.get(_plain(parameter.limit.symbol).strip(), "")
        value, wrong = parameter.read(number, parameter.default)
        if not wrong:
            found[parameter.key] = parameter.write(value)
    return found


def stem(word: str) -> str:
    """Return what forms of a word have in common: "clip" of "clipping", "choos" of "choose"."""
    if not _is_ordinary(word):
        return word
    bare = _ENDING.sub("", word)
    return word if bare == word else _TWICE.sub(r"\1", bare)


def _is_ordinary(word: str) -> bool:
    """Tell whether a word is neither a number, a sign nor the name of a result."""
    return len(word) >= _BEGINNING and word.isalpha() and word not in _NAMES


def tokens(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared, and besides each numbered result as one."""
    plain = _plain(text)
    return frozenset((*_results(plain), *_WORD.findall(plain)))


def query_tokens(text: str) -> frozenset[str]:
    """Return the words of a search: of a numbered result only the whole."""
    plain = _plain(text[:LONGEST])
    words = _WORD.findall(_RESULTS.sub(" ", plain))
    called = " ".join(CALLED.get(word, word) for word in words)
    return frozenset((*_results(plain), *called.split()))


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
    by_slug = {page.slug: page for page in pages}
    titles = {(slug, v.key): v.title for slug, page in by_slug.items() for v in page.views}
    results = [*_papers(titles), *_our_results(titles)]
    documents: list[Document] = []
    for slug, page in by_slug.items():
        documents += (_view(page, view) for view in page.views)
        documents += (one for one in results if one.slug == slug)
        documents += (
            Document(
                heading,
                slug,
                subtitle="section",
                words=_with_papers(text),
                settings=f"read={section_name(heading)}",
            )
            for heading, text in entry(slug).sections()
        )
    return Index((*documents, *words(), *map(_exercise, tasks(by_slug.values()).values())))


def _view(page: Page, view: View) -> Document:
    """Return the document of a view, which is found by what it computes and what can be set."""
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
    first = "\n".join([view.key, named.title, named.question, *tried])
    words = _with_papers("\n".join([named.summary, theory, *shown, *controls]))
    deep = view in page.in_depth
    return Document(
        view.title, page.slug, view.key, why=view.why, first=first, words=words, deep=deep
    )


def _exercise(task: Task) -> Document:
    """Return the document of an exercise, which is found by what it asks."""
    about = f"{entry(task.topic).title}, {task.about}"
    words = f"exercise\n{task.exercise.question}"
    return Document(
        task.exercise.title,
        "exercises",
        subtitle=about,
        words=words,
        settings=urlencode(task.query),
    )


def _control(parameter: Parameter) -> str:
    """Return what a control is called, in words and in links."""
    name = parameter.key.replace("_", " ")
    if isinstance(parameter, Number):
        return f"{name} {parameter.limit.symbol} {parameter.limit.meaning}"
    if isinstance(parameter, Choice):
        return " ".join((name, parameter.label, *parameter.options.values()))
    return f"{name} {parameter.label}" if isinstance(parameter, Flag) else name


def _paper(name: str) -> str:
    """Return the name and the title of a paper."""
    return f"{name} {PAPERS[name].fields['title']}".translate(str.maketrans("", "", "{}"))


def _with_papers(text: str) -> str:
    """Return a text with the titles of the papers that it names."""
    return "\n".join([text, *(_paper(name) for name in PAPERS if name in text)])


def _papers(titles: Mapping[tuple[str, str], str]) -> Iterator[Document]:
    """Yield the numbered results of the papers, each in every place that shows or states it."""
    for short in coverage.papers():
        paper = coverage.coverage(short)
        for item in paper.items:
            title = f"{item.name}, {paper.paper}"
            words = f"{item.reason} {_paper(paper.paper)} {short}"
            for address in item.live:
                place, _, settings = address.partition("?")
                slug, _, key = place.partition("/")
                within = "whole below" if "tab=" in settings else "shown in"
                subtitle = f"{within} “{titles[slug, key]}”"
                yield Document(title, slug, key, subtitle, words=words, settings=settings)
            for slug in item.stated:
                yield Document(title, slug, "", "only stated", words=words)
            if item.page:
                yield Document(title, item.page, "", f"not here: {item.reason}", words=words)


def _our_results(titles: Mapping[tuple[str, str], str]) -> Iterator[Document]:
    """Yield the results of our own."""
    for title, addresses in tomllib.loads(OUR_RESULTS.read_text(encoding="utf-8")).items():
        for slug, _, key in (address.partition("/") for address in addresses):
            subtitle = f"a result of our own, in “{titles[slug, key]}”"
            yield Document(title, slug, key, subtitle)


def words() -> Iterator[Document]:
    """Yield the words and the symbols of the glossary."""
    for head, meaning in glossary.entries().items():
        subtitle = meaning.removeprefix(head).lstrip(" ,:")
        yield Document(head, "glossary", subtitle=subtitle, search=head)
    for limit in LIMITS.values():
        yield Document(
            limit.symbol,
            "glossary",
            subtitle=limit.meaning,
            words=limit.name.replace("_", " "),
            search=limit.meaning,
        )
