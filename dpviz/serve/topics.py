"""The pages as they declare themselves, found by the first part of a figure's address."""

import importlib.util
import threading
from pathlib import Path

from dpviz.results.folders import ROOT
from dpviz.scene.catalogue import PAGES
from dpviz.scene.page import Page


class Topics:
    """Pages by their names: `given` ones, and those of the catalogue.

    The file of a page is loaded when the page is first asked for.
    """

    def __init__(self, *given: Page) -> None:
        self._pages = {page.name: page for page in given}
        self._files = {entry.slug: ROOT / entry.path for entry in PAGES}
        self._lock = threading.Lock()

    def loaded(self, name: str) -> Page | None:
        """Return the page of this name if it was asked for before; never waits."""
        return self._pages.get(name)

    def page(self, name: str) -> Page | None:
        """Return the page of this name, None if there is none with figures."""
        with self._lock:
            if name not in self._pages and name in self._files:
                self._pages[name] = declared(self._files[name])
            return self._pages.get(name)


def declared(file: Path) -> Page:
    """Load a page without drawing it: it draws itself only as Streamlit's main module."""
    spec = importlib.util.spec_from_file_location(f"dpviz_page_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page: Page = module.PAGE
    return page
