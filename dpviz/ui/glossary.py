"""The page of the glossary: a field to search, the words with where they are seen, the symbols."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from functools import cache

import streamlit as st

from dpviz.plot.text import plain, raised, readable
from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene import glossary
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import decode_link
from dpviz.scene.index import Index, words
from dpviz.ui import index
from dpviz.ui.session import session


@cache
def words_index() -> Index:
    """Return the index of the words and symbols alone."""
    return Index(tuple(words()))


def draw(text: str) -> None:
    """Draw the page below its question, for a search for `text`, or for none."""
    index.field(text, "A word or a symbol", "privacy loss, κ, neighbouring")
    found = [one.title for one in words_index().search(text).documents]
    if text and not found:
        index.nothing(text, "All words")
    for heading, section in glossary.sections().items():
        _section(heading, [head for head in found if head in section] if found else section)
    symbols = [limit for limit in LIMITS.values() if limit.symbol in found or not found]
    if symbols:
        st.header("Symbols", anchor=False)
        st.markdown(
            "Papers use a letter for several things; its meaning is the one beside the control. "
            "The last column is the name in links and in Python."
        )
        st.markdown(table(symbols), unsafe_allow_html=True)


def _section(heading: str, heads: Collection[str]) -> None:
    """Draw some words of a section, each with a link to where it is seen."""
    if not heads:
        return
    st.header(heading, anchor=False)
    with st.container(key=f"words-{heading.split()[0].lower()}"):
        for head in heads:
            with st.container(gap=None):
                st.markdown(glossary.sections()[heading][head])
                if head in glossary.seen():
                    _see(*glossary.seen()[head])


def _see(slug: str, query: Mapping[str, str]) -> None:
    page = index.pages()[slug]
    values, _ = decode_link({key: [text] for key, text in query.items()}, page.url_parameters)
    view = page.open_view(values)
    label = f"See it: {plain(view.title)}"
    st.page_link(entry(slug).path, label=label, query_params=session().carried_query | dict(query))


def table(limits: Iterable[Limit]) -> str:
    """Return symbols, their meanings, ranges and names in links, as Markdown with raised powers."""
    rows = [_row(limit) for limit in sorted(limits, key=_order)]
    return "\n".join(["| symbol | meaning | range | name |", "|---|---|---|---|", *rows])


def _order(limit: Limit) -> tuple[bool, str, str]:
    """Latin letters before Greek ones, each in the order of their alphabet."""
    letters = "".join(c for c in limit.symbol if c.isalpha())
    greek = unicodedata.name(letters[0]).startswith("GREEK")
    return greek, letters.casefold(), limit.name


def _row(limit: Limit) -> str:
    sign, _, index = limit.symbol.replace("|", r"\|").partition("_")
    symbol = f"{sign}<sub>{index}</sub>" if index else sign
    kind = ", whole" if limit.integer else ""
    low, high = (readable(end, 10) for end in (limit.minimum, limit.maximum))
    return f"| *{symbol}* | {raised(limit.meaning)} | {low} to {high}{kind} | `{limit.name}` |"
