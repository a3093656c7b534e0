"""Which results of a paper the pages show, only state, or leave out, and why: a table.

    python -m benchmarks.coverage [ul] ...

prints it for the papers named, or for all. `assets/papers/<paper>.toml` declares one line for
each numbered result and each row of a table of the paper:

    "Theorem 13" = { live = ["perfect_generalization/growth"] }
    "Theorem 11" = { stated = ["user_complexity"], because = "its loss is polylogarithmic" }
    "Theorem 24" = { absent = "a code that exists; nothing is computed from it" }

live: views, as topic/view, that compute with it. stated: topics whose words give it. A reason may
stand beside `live` too: what of the result no view shows. `numbered` says how many results of each
kind there are ("" for kinds that are counted together), so that none can be forgotten;
`tests/test_coverage.py` holds declarations to the pages.
"""

import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dpviz.results.files import ASSETS

DECLARED = ASSETS / "papers"


@dataclass(frozen=True)
class Item:
    """One result of a paper: the views it is live in, the topics that state it, or the reason."""

    name: str
    live: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    reason: str = ""

    @property
    def status(self) -> str:
        """Return live, stated or absent."""
        return "live" if self.live else "stated" if self.stated else "absent"


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
            where = ", ".join(item.live or item.stated)
            yield f"| {item.name} | {item.status} | {where} | {item.reason} |"


def coverage(name: str) -> Coverage:
    """Return what is declared for a paper, such as "ul"."""
    declared = tomllib.loads((DECLARED / f"{name}.toml").read_text(encoding="utf-8"))
    items = tuple(
        Item(
            title,
            tuple(known.get("live", ())),
            tuple(known.get("stated", ())),
            known.get("because", known.get("absent", "")),
        )
        for title, known in declared["items"].items()
    )
    return Coverage(declared["paper"], declared["numbered"], items)


def main() -> None:
    """Print the table of every paper named."""
    papers = sorted(file.stem for file in DECLARED.glob("*.toml"))
    for name in sys.argv[1:] or papers:
        print(*coverage(name).rows(), "", sep="\n")


if __name__ == "__main__":
    main()
