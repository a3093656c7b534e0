"""What browsers load once: every page names it early, and it may be kept for ever."""

import gzip
import re

import pytest

from dpviz.results.folders import ROOT
from dpviz.serve import fonts, scripts
from dpviz.serve.modules import IMPORT, modules, needed
from tests.serve.asgi import app, asked
from tests.support.loops import run

OURS = scripts.names()


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


def address_of(name):
    return next(f"/scripts/{one}" for one in OURS if one.endswith(f"/{name}"))


def test_a_component_brings_its_module_from_there():
    assert (
        f'import {{ made }} from "./{scripts.ALL}"' in ask(address_of("page.js")).content.decode()
    )
    for name in ("stage.js", "range_control.js", "rounds.js"):
        [folder] = re.findall(r'new URL\("\.(/[^"]+)"', scripts.module(name))
        assert f'"{name}"' in scripts.module(name)
        brought = ask(folder + scripts.ALL).content.decode()
        assert f'made["{name}"] = ' in brought
        assert brought.endswith("export { made };\n")
        alone = scripts.module(name, alone=True)
        assert f': "{name}"' in alone
        assert "export default " in ask(folder + name).content.decode()
        assert len(scripts.module(name)) < 1100  # it is in every message about the component


def test_a_module_that_did_not_come_is_asked_for_elsewhere_with_all_that_it_imports():
    folder = scripts.preloads("stage.js").partition('href=".')[2].partition("stage.js")[0]
    for name in needed("stage.js"):
        first, again = (ask(f"{folder}{turn}{name}") for turn in ("", "3/"))
        assert first.content == again.content
        assert "immutable" in again.headers["cache-control"]
    assert ask(f"{folder}x/stage.js").status == 404


def test_modules_import_only_what_is_there_and_none_that_imports_it():
    texts = modules()
    for name, text in texts.items():
        whole = (ROOT / "dpviz" / "scripts" / name).read_text(encoding="utf-8")
        assert whole.startswith("// @ts-check\n")
        assert not re.search(r"(?m)^ *(//|/\*)|; // [a-z ]*$", text)  # nobody loads comments
        others = IMPORT.findall(text)
        said = re.sub(r"(?ms)/\*.*?\*/|//[^\n]*", "", text)
        assert re.findall(r'\bimport\b[^;]*\sfrom "(.*)";', said) == [f"./{o}" for o in others]
        ways = re.findall(r"\bimport\b|\bexport\b.* from", said)
        assert len(ways) == len(others)  # there is no other way
        assert set(others) <= set(texts)
        assert not [other for other in others if name in needed(other)]


def test_a_page_has_it_loaded_with_itself():
    html = ask("/clipping").content.decode()
    early = re.findall(r'<link rel="modulepreload" href="\./scripts/([^"]+)"', html)
    [style] = re.findall(r'<link rel="stylesheet" href="\./scripts/(style-[^"]+)"', html)
    one, other = early
    assert one.endswith(f"/{scripts.ALL}")
    assert other.endswith("/page.js")
    assert len(gzip.compress(scripts.content(one))) <= 25_000
    assert {*early, style} <= set(OURS)
    # Of two rules that weigh the same the later one counts.
    assert html.index(style) > html.index('<div id="root">')


def test_no_text_of_a_joined_module_goes_over_several_lines():
    # else it would lose its indentation with them
    for name in needed("start.js", "stage.js", "range_control.js", "rounds.js"):
        assert not [line for line in modules()[name].splitlines() if line.count("`") % 2], name


def test_the_style_needs_only_its_font():
    [name] = [name for name in OURS if name.endswith(".css")]
    said = scripts.content(name).decode()
    assert re.findall(r"url\((.*?)\)", said) == [f"..{fonts.address(fonts.SERIF)}"]
    for sheet in ("stage.css", "style.css"):
        first = (ROOT / "dpviz" / "ui" / sheet).read_text(encoding="utf-8").splitlines()[-2]
        assert first in said
