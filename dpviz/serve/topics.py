"""The pages as they declare themselves, found by the first part of a figure's address."""

import importlib.util
import threading
from collections.abc import Mapping
from pathlib import Path

from dpviz.scene.page import Page

HOME = "home"


class Topics:
    """Pages by their names: `given` ones, and those that the files of a folder declare as PAGE.

    A file is loaded when it is first asked for.
    """

    def __init__(self, given: Mapping[str, Page], folder: Path | None = None) -> None:
        self._pages: dict[str, Page | None] = dict(given)
        self._files = {file.stem: file for file in folder.glob("*.py")} if folder else {}
        self._lock = threading.Lock()

    def page(self, name: str) -> Page | None:
        """Return the page of this name, None if there is none with figures."""
        with self._lock:
            if name not in self._pages and name in self._files:
                self._pages[name] = _declared(self._files[name])
            return self._pages.get(name)


def _declared(file: Path) -> Page | None:
    """Load a page without drawing it: it draws itself only as Streamlit's main module."""
    spec = importlib.util.spec_from_file_location(f"dpviz_page_{file.stem}", file)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = getattr(module, "PAGE", None)
    return page if isinstance(page, Page) else None
