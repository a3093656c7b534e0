"""Books that are soon made: as few figures as show that a book holds and moves them."""

from pathlib import Path

import pytest

from dpviz.serve.book import contents, figures, site
from dpviz.serve.lecture import states
from dpviz.serve.topics import Topics


def write(folder: Path, *links: str) -> Path:
    """Write a book of some links into a folder, and return the folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(states, "_HALVINGS", 1)
        patch.setattr(figures, "_PAIR", 2)
        patch.setattr(figures, "GAMES", 1)
        site.write(contents.chosen(links, Topics()), folder, live="https://x/")
    return folder
