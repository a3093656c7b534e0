"""What browsers load once: every page names it early, and it may be kept for ever."""

import re

import pytest

from dpviz.results.folders import ROOT
from dpviz.serve import scripts
from tests.serve.asgi import app, asked
from tests.support.loops import run

OURS = [name for name in scripts.names() if not name.endswith(".min.js")]


def ask(path, **headers):
    return run(asked(app(), path, "", headers))


@pytest.mark.parametrize("name", OURS)
def test_what_is_ours_is_kept_by_browsers_and_packed(name):
    packed = ask(f"/scripts/{name}", **{"accept-encoding": "gzip"})
    plain = ask(f"/scripts/{name}")
    assert packed.content == plain.content == scripts.content(name)
    assert sum(map(len, packed.pieces)) < len(plain.content)
    for answer in (packed, plain):
        assert "immutable" in answer.headers["cache-control"]
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        assert answer.headers["content-type"].startswith(kind)


def test_a_component_brings_its_module_from_there():
    for name, begun in (("stage", "class Stage"), ("range", "class Control"), ("browser", "")):
        [address] = re.findall(r'new URL\("([^"]+)"', scripts.module(name))
        said = ask(address).content.decode()
        assert "export default function" in said
        assert begun in said
        assert len(scripts.module(name)) < 1000  # it is in every message about the component


def test_a_page_has_it_loaded_with_itself():
    html = ask("/clipping").content.decode()
    early = set(re.findall(r'<link rel="modulepreload" href="/scripts/([^"]+)"', html))
    [style] = re.findall(r'<link rel="stylesheet" href="/scripts/(style-[^"]+)"', html)
    wanted = {name for name in OURS if name.endswith(".js") and not name.startswith("linked-")}
    assert early == wanted
    assert {*early, style} <= set(OURS)
    # Of two rules that weigh the same the later one counts.
    assert html.index(style) > html.index('<div id="root">')


def test_the_style_needs_nothing_else():
    [name] = [name for name in OURS if name.endswith(".css")]
    said = scripts.content(name).decode()
    assert set(re.findall(r"url\(\"?(\w+:[\w/]+)", said)) == {"data:font/woff2"}
    assert said.count("url(") == 1
    for sheet in ("stage.css", "style.css"):
        first = (ROOT / "dpviz" / "ui" / sheet).read_text(encoding="utf-8").splitlines()[-2]
        assert first in said
