"""Which results of the papers the pages show, only state, or leave out, and why.

`assets/papers/<paper>.toml` declares one line for each numbered result and each row of a table of
the paper:

    "Theorem 13" = { live = ["perfect_generalization/growth"] }
    "Theorem 11" = { stated = ["user_complexity"], because = "its loss is polylogarithmic" }
    "Theorem 24" = { absent = "a code that exists; nothing is computed from it", page = "clipping" }

live: views, as topic/view, that compute with it. stated: topics whose words give it. page: where a
reader would look for what is absent, if not on the page named at the top for all. A reason may
stand beside `live` too: what of the result no view shows. `numbered` says how many results of each
kind there are ("" for kinds that are counted together, "8." for those of a section that counts by
itself), so that none can be forgotten. Pages list of it what they do not show in full (`left_out`),
and `python -m benchmarks.coverage` prints all.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby

from dpviz.results.folders import ASSETS

DECLARED = ASSETS / "papers"
LEFT_OUT = "What this page leaves out"
"""The section of a page's prose that its list of results belongs to."""

_HEADINGS = {
    "stated": "Only stated, not computed",
    "live": "Computed, but not in full",
    "absent": "Not here",
}


@dataclass(frozen=True)
class Item:
    """One result of a paper: the views it is live in, the topics that state it, or the reason.

    page: the topic where a reader would look for a result that is absent.
    """

    name: str
    live: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    reason: str = ""
    page: str = ""

    @property
    def status(self) -> str:
        """Return live, stated or absent."""
        return "live" if self.live else "stated" if self.stated else "absent"

    @property
    def topics(self) -> frozenset[str]:
        """Return the topics in which a reader finds it, or would look for it."""
        places = {place.partition("/")[0] for place in (*self.live, *self.stated)}
        return frozenset(places or {self.page})


@dataclass(frozen=True)
class Coverage:
    """The results of one paper, in its order. numbered: how many there are of each kind."""

    paper: str
    numbered: Mapping[str, int]
    items: tuple[Item, ...]

    def rows(self) -> Iterator[str]:
        """Yield the lines of a table in Markdown, and how many of each status there are."""
        states = [item.status for item in self.items]
        counted = ", ".join(f"{states.count(s)} {s}" for s in ("live", "stated", "absent"))
        yield f"{self.paper}: {counted}\n\n| result | status | where | what is missing, and why |"
        yield "|---|---|---|---|"
        for item in self.items:
            where = ", ".join(item.live or item.stated or (item.page,))
            yield f"| {item.name} | {item.status} | {where} | {item.reason} |"


@cache
def coverage(name: str) -> Coverage:
    """Return what is declared for a paper, such as "ul"."""
    declared = tomllib.loads((DECLARED / f"{name}.toml").read_text(encoding="utf-8"))
    items = tuple(
        Item(
            title,
            tuple(item.get("live", ())),
            tuple(item.get("stated", ())),
            item.get("because", item.get("absent", "")),
            item.get("page", declared.get("page", "")) if "absent" in item else "",
        )
        for title, item in declared["items"].items()
    )
    return Coverage(declared["paper"], declared["numbered"], items)


def papers() -> tuple[str, ...]:
    """Return the names of the papers that are declared."""
    return tuple(sorted(file.stem for file in DECLARED.glob("*.toml")))


@lru_cache(maxsize=32)
def left_out(slug: str) -> str:
    """Return in Markdown which numbered results a page only states, shows in part, or leaves out.

    "" for a page that no declaration names. Each kind is folded, under how many there are.
    """
    folds = [_fold(slug, status) for status in _HEADINGS]
    if not any(folds):
        return ""
    return "\n\n".join(["Of the papers' numbered results:", *filter(None, folds)])


def _fold(slug: str, status: str) -> str:
    """Return the results of one status as a folded list, the papers apart."""
    listed, count = [], 0
    for paper in map(coverage, papers()):
        items = [
            item
            for item in paper.items
            if item.status == status and item.reason and slug in item.topics
        ]
        count += len(items)
        if items:
            listed += [f"*{paper.paper}*", "\n".join(_lines(items))]
    if not listed:
        return ""
    heading = f"<details><summary>{_HEADINGS[status]}: {count}</summary>"
    return "\n\n".join([heading, *listed, "</details>"])


def _lines(items: Iterable[Item]) -> Iterator[str]:
    """Yield a line for each result; neighbours of one kind that share their reason share it."""
    for (kind, reason), run in groupby(items, key=lambda item: (_kind(item.name), item.reason)):
        names = [item.name for item in run]
        yield f"- **{_together(kind, names)}**: {reason}."


def _kind(name: str) -> str:
    """Return "Lemma" for "Lemma 32"; a row of a table stands alone."""
    kind, _, number = name.partition(" ")
    return kind if number.replace(".", "").isdigit() else name


def _together(kind: str, names: list[str]) -> str:
    """Return "Lemmas 32, 33 and 35"."""
    if len(names) == 1:
        return names[0]
    *first, last = (name.removeprefix(f"{kind} ") for name in names)
    several = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
    return f"{several} {', '.join(first)} and {last}"
