"""A class opens the link when the server has just started."""

import ast
import asyncio

import pytest

from dpviz.results.folders import ROOT
from dpviz.scene.catalogue import GUIDES, PAGES, entry
from tests.browser.conftest import running_app
from tests.hosting.tab import Tab, played
from tests.support.declarations import SLUGS
from tests.support.examples import some

ENTRIES = [entry(""), *PAGES, *GUIDES]


# An accident of threads: not every start shows it.
@pytest.mark.parametrize("start", range(some(4, usual=1)))
def test_the_first_readers_of_all_pages_come_at_once(start):
    async def read(address, slug):
        async with Tab.at(address, slug) as tab:
            run = await tab.run()
            assert not run.faults, slug
            assert run.figures, slug

    async def come(address):
        await asyncio.gather(*(read(address, slug) for slug in SLUGS[start:] + SLUGS[:start]))

    with running_app() as address:
        played(come(address))


@pytest.mark.parametrize("path", [entry.path for entry in ENTRIES])
def test_a_page_imports_nothing_of_ours_before_all_of_it(path):
    # what reads a page's declaration alone, as the command does, starts nothing of Streamlit
    parts = [
        node
        for part in ast.parse((ROOT / path).read_text(encoding="utf-8")).body
        for node in (
            part.body
            if isinstance(part, ast.If) and ast.unparse(part.test) == "__name__ == '__main__'"
            else [part]
        )
    ]
    imported = [
        names
        for node in parts
        for names in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    ]
    ours = [name for name in imported if name.startswith("dpviz")]
    assert ours[0] == "dpviz.ui.preload"
