"""The files that a page offers: each button gives what its label says, with no browser about."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from dpviz.ui.sharing import share
from tests.support.declarations import opened, opening, page
from tests.support.examples import by_ring

STARTS = {
    "SVG": b"<svg ",
    "PNG": b"\x89PNG",
    "PDF, one column": b"%PDF",
    "PDF, two columns": b"%PDF",
    "HTML, interactive": b"<!DOCTYPE html>",
    "CSV, the numbers": b"# ",
    "CSV without comments": b"",
    "Python, the code": b"# ",
    "BibTeX, the sources": b"@",
}


@pytest.mark.parametrize(
    ("slug", "key"), [("promise", "odds"), ("clipping", "real")][: by_ring(1, 2, 2)]
)
def test_every_button_gives_its_file_on_a_server_without_a_browser(slug, key, monkeypatch):
    offered = {}

    def download_button(label, make, name, *_, disabled=False, **__):
        assert not disabled
        offered[label] = (make, name)

    parts = {"container": lambda **_: nullcontext(), "context": SimpleNamespace(url="http://x/")}
    parts |= dict.fromkeys(("caption", "code"), lambda *_, **__: None)
    session = SimpleNamespace(file=SimpleNamespace(columns=("person", "answer")))
    monkeypatch.setattr(share, "st", SimpleNamespace(download_button=download_button, **parts))
    monkeypatch.setattr(share, "session", lambda: session)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("DPVIZ_CHROMIUM", raising=False)
    share.section(opened(page(slug), key), opening(page(slug), key))
    assert offered.keys() == STARTS.keys()
    for label, (make, name) in offered.items():
        content = make()
        content = content.encode() if isinstance(content, str) else content
        assert content.startswith(STARTS[label]), label
        assert name.startswith(f"dpviz-{slug}-{key}")
