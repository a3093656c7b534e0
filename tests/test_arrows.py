"""The arrows between the rooms of the house run one way, and no topic imports another."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "dpviz"
DRAWING = ("streamlit", "plotly", "altair", "pandas")

# What each room may import from, itself included. A topic has two rooms: what it computes, and how
# that is drawn and put into words.
MAY_IMPORT = {
    "results": {"results"},
    "maths": {"results", "maths"},
    "plot": {"results", "plot"},
    "scene": {"results", "maths", "plot", "scene"},
    # Rooms have figures of their own, of what a class sends: no page declares them.
    "serve": {"results", "topics", "plot", "scene", "serve", "classroom", "classroom drawn"},
    "ui": {"", "results", "plot", "scene", "serve", "ui"},
    "": {""},
    "__main__": {"results", "plot", "scene", "serve"},  # the command
}
STREAMLIT = ("ui",)  # beside pages/ and app.py
STARLETTE = ("serve", "ui")
every_module_once = pytest.mark.xdist_group("arrows")  # in one process, which reads them once


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in sorted(PACKAGE.rglob("*.py"))}


def room(module: str) -> str:
    """The room of a module: a package of dpviz, or `<topic>` or `<topic> drawn` of a topic."""
    parts = module.split(".")
    if len(parts) < 4 or parts[1] != "topics":
        return parts[1] if len(parts) > 1 else ""
    return f"{parts[2]} drawn" if parts[3].endswith(("figures", "words")) else parts[2]


def allowed(module: str) -> set[str]:
    home = room(module)
    if home in MAY_IMPORT or module.count(".") < 3:
        return MAY_IMPORT.get(home, set())
    if home.endswith(" drawn"):
        return {"results", "plot", home, home.removesuffix(" drawn")}
    return {"results", "maths", home}


@functools.cache
def nodes() -> dict[str, list[ast.AST]]:
    """What every module consists of: read once for the tests that look at all of them."""
    return {
        name: list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        for name, file in MODULES.items()
    }


@functools.cache
def imported(module: str) -> frozenset[str]:
    """Every module that one imports, be it at the top or in a function."""
    found = set()
    for node in nodes()[module]:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module for name in inner}
    return frozenset(found)


def forbidden(module: str) -> set[str]:
    """The frameworks that a module has to do without."""
    outside = {"vl_convert"} if module != "dpviz.plot.converter" else set()
    if room(module) not in STREAMLIT:
        outside |= {"streamlit", "pandas"}
    if room(module) != "plot" and not room(module).endswith(" drawn"):
        outside |= {"altair"}
    if room(module) not in STARLETTE:
        outside |= {"starlette", "uvicorn"}
    return outside


def imports():
    """Every module with each name that it imports."""
    return [(module, name) for module in MODULES for name in imported(module)]


@every_module_once
def test_arrows_run_one_way():
    assert not [
        (module, name)
        for module, name in imports()
        if name.partition(".")[0] == "dpviz" and room(name) not in allowed(module)
    ]


@every_module_once
def test_frameworks_stay_in_their_rooms():
    assert not [
        (module, name) for module, name in imports() if name.partition(".")[0] in forbidden(module)
    ]


@every_module_once
def test_the_check_would_notice():
    assert room("dpviz.topics.clipping.views.choosing") == "clipping"
    assert "few_users" not in allowed("dpviz.topics.clipping.views.choosing")
    assert "plot" not in allowed("dpviz.topics.clipping.tasks")
    assert "dpviz.results.evidence" in imported("dpviz.plot.chart")
    assert "altair" in imported("dpviz.plot.tiles")
    assert "altair" in forbidden("dpviz.serve.figures")


STAGES = {  # in a fresh interpreter, one after the other
    "computes": [m for m in MODULES if allowed(m) and "plot" not in allowed(m)],
    "draws": [m for m in MODULES if room(m) in ("plot", "scene") or room(m).endswith(" drawn")],
    "app": ["dpviz.ui.preload", "dpviz.__main__"],
}


@functools.cache
def loaded() -> dict[str, set[str]]:
    """What a fresh interpreter has after importing the modules of each stage, and those before."""
    code = "import sys\n"
    for names in STAGES.values():
        code += f"import {', '.join(names)}\nprint(*sys.modules)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(STAGES, map(set, map(str.split, done.stdout.splitlines())), strict=True))


@every_module_once
def test_what_computes_loads_nothing_that_draws():
    assert not loaded()["computes"] & {*DRAWING, "starlette", "dpviz.ui", "dpviz.plot"}


@every_module_once
def test_what_draws_does_not_load_streamlit():
    assert not loaded()["draws"] & {"streamlit", "dpviz.ui"}


@every_module_once
def test_the_app_loads_nothing_that_only_tests_install():
    lines = {
        name: {
            re.split("[=<>;[ ]", line)[0]
            for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
            if re.match("[a-zA-Z]", line)
        }
        for name in ("requirements.lock", "requirements-dev.lock")
    }
    extra = lines["requirements-dev.lock"] - lines["requirements.lock"]
    assert "dp-accounting" in extra
    assert not loaded()["app"] & {name.replace("-", "_") for name in extra}


@every_module_once
def test_the_watch_would_notice():
    assert {"dpviz.topics.clipping.views.choosing"} <= loaded()["computes"]
    assert {"dpviz.plot", "dpviz.plot.chart"} <= loaded()["draws"]
    assert {"streamlit", "dpviz.ui", "starlette"} <= loaded()["app"]


@every_module_once
def test_files_and_functions_stay_short():
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for module, file in MODULES.items():
        lines = file.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 400, f"{module} has more than 400 lines"
        for node in nodes()[module]:
            if isinstance(node, functions):
                length = node.end_lineno - node.lineno
                assert length < 60, f"{module}: {node.name} has more than 60 lines"
