"""The papers that sources name, and their BibTeX."""

import re
from collections.abc import Iterable
from datetime import date

from dpviz.results.bibliography import PAPERS, Reference
from dpviz.results.evidence import Source

UL = "Ghazi, Kamath et al. 2023"
"""User-Level Differential Privacy With Few Examples Per User."""

CS = "Ghazi, Kumar & Manurangsi 2021"
"""User-Level Private Learning via Correlated Sampling."""

PD = "Block et al. 2024"
"""Oracle-Efficient Differentially Private Learning with Public Data."""

_NAMES = re.compile("|".join(re.escape(name) for name in sorted(PAPERS, key=len, reverse=True)))


def references(sources: Iterable[Source]) -> tuple[Reference, ...]:
    """Return the papers that the sources name, and those that they say these cite, each once."""
    named = [name for source in sources for name in _NAMES.findall(str(source))]
    return tuple(PAPERS[name] for name in dict.fromkeys(named))


def dpviz_reference(link: str, day: date) -> Reference:
    """Return the reference to a figure of dpviz: where and when it was seen."""
    fields = {
        "author": "{The dpviz authors}",
        "title": "{dpviz}: The theory of differential privacy, made visible",
        "url": link,
        "urldate": day.isoformat(),
        "year": str(day.year),
    }
    return Reference("misc", "dpviz", fields)


def bibtex(sources: Iterable[Source], link: str, day: date) -> str:
    """Return BibTeX of the papers that the sources name, and of dpviz itself."""
    return "\n".join(map(str, [*references(sources), dpviz_reference(link, day)]))
