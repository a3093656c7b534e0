"""The papers that sources name, and their BibTeX."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from ipaddress import ip_address
from urllib.parse import urlsplit

from dpviz.results.bibliography import PAPERS, Reference
from dpviz.results.evidence import Source
from dpviz.results.version import REPOSITORY, VERSION

UL = "Ghazi, Kamath et al. 2023"
"""User-Level Differential Privacy With Few Examples Per User."""

CS = "Ghazi, Kumar & Manurangsi 2021"
"""User-Level Private Learning via Correlated Sampling."""

PD = "Block et al. 2024"
"""Oracle-Efficient Differentially Private Learning with Public Data."""

_NAMES = re.compile("|".join(re.escape(name) for name in sorted(PAPERS, key=len, reverse=True)))


_ITEM = re.compile(
    r"(?:Lemma|Theorem|Corollary|Proposition|Definition|Claim|Algorithm|Section|Table|Figure|Equation)"
    r" [0-9A-Z][0-9.]*[0-9a-z]?"
)


def references(sources: Iterable[Source]) -> tuple[Reference, ...]:
    """Return the papers that the sources name, and those that they say these cite, each once.

    What a source names in a paper, such as a theorem, is a note.
    """
    items: dict[str, dict[str, None]] = {}
    for source in sources:
        text = str(source)
        named = list(_NAMES.finditer(text))
        for i, match in enumerate(named):
            end = named[i + 1].start() if i + 1 < len(named) else len(text)
            found = _ITEM.findall(text[match.end() : end])
            items.setdefault(match[0], {}).update(dict.fromkeys(found))
    return tuple(_noted(PAPERS[name], tuple(found)) for name, found in items.items())


def _noted(paper: Reference, items: tuple[str, ...]) -> Reference:
    if not items:
        return paper
    notes = (*((paper.fields["note"],) if "note" in paper.fields else ()), *items)
    return replace(paper, fields={**paper.fields, "note": "; ".join(notes)})


def is_public(link: str) -> bool:
    """Return whether a link leads somewhere for others, too: not to this machine or its network."""
    try:
        host = urlsplit(link).hostname or ""
    except ValueError:
        return False
    try:
        return ip_address(host).is_global
    except ValueError:
        inner = host.endswith((".local", ".localhost", ".internal", ".lan", ".test"))
        return "." in host and not inner


def dpviz_reference(link: str, day: date) -> Reference:
    """Return the reference to a figure of dpviz: its version, and where and when it was seen.

    A link that leads nowhere for others is told by what leads to the figure in any copy, and by
    where dpviz itself is, which a release knows.
    """
    fields = {
        "author": "{The dpviz authors}",
        # many styles leave a field for the version out
        "title": f"{{dpviz}}: The theory of differential privacy, made visible, version {VERSION}",
    }
    if is_public(link):
        fields["url"] = link
    elif link:
        parts = urlsplit(link)
        place = f"{parts.path.rsplit('/', 1)[-1]}?{parts.query}"
        # a line of a narrow column may end where no package allows it by itself
        escaped = re.sub(r"([&%#_$])", r"\\\1", place).replace(r"\&", r"\&\allowbreak{}")
        if REPOSITORY:
            fields["url"] = REPOSITORY
        fields["note"] = "Figure {" + escaped.replace("?", r"?\allowbreak{}") + "}"
    fields |= {"urldate": day.isoformat(), "year": str(day.year)}
    return Reference("misc", "dpviz", fields)


def bibtex(sources: Iterable[Source], link: str, day: date) -> str:
    """Return BibTeX of the papers that the sources name, and of dpviz itself."""
    return "\n".join(map(str, [*references(sources), dpviz_reference(link, day)]))
