"""The arrows between the rooms of the house run one way, and no topic imports another."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
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


def imported(file: Path) -> Iterator[str]:
    """Every module a file imports, be it at the top or in a function."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


@pytest.mark.parametrize("module", MODULES)
def test_arrows_run_one_way(module):
    arrows = {i for i in imported(MODULES[module]) if i.partition(".")[0] == "dpviz"}
    assert not {i for i in arrows if room(i) not in allowed(module)}


@pytest.mark.parametrize("module", MODULES)
def test_frameworks_stay_in_their_rooms(module):
    outer = {name.partition(".")[0] for name in imported(MODULES[module])}
    if room(module) not in STREAMLIT:
        assert not outer & {"streamlit", "pandas"}
    if room(module) != "plot" and not room(module).endswith(" drawn"):
        assert "altair" not in outer
    if module != "dpviz.plot.converter":
        assert "vl_convert" not in outer
    if room(module) not in STARLETTE:
        assert not outer & {"starlette", "uvicorn"}


def test_the_check_would_notice():
    assert room("dpviz.topics.clipping.views.choosing") == "clipping"
    assert "few_users" not in allowed("dpviz.topics.clipping.views.choosing")
    assert "plot" not in allowed("dpviz.topics.clipping.tasks")
    assert "dpviz.results.evidence" in set(imported(MODULES["dpviz.plot.chart"]))


def loaded_by(names: list[str], watched: tuple[str, ...]) -> set[str]:
    """Which of the watched packages a fresh interpreter has after importing `names`."""
    code = "import sys, " + ", ".join(names)
    code += f"\nprint(*(name for name in {watched!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_what_computes_loads_nothing_that_draws():
    core = [m for m in MODULES if allowed(m) and "plot" not in allowed(m)]
    assert not loaded_by(core, (*DRAWING, "starlette", "dpviz.ui", "dpviz.plot"))


def test_what_draws_does_not_load_streamlit():
    drawn = [m for m in MODULES if room(m) in ("plot", "scene") or room(m).endswith(" drawn")]
    assert not loaded_by(drawn, ("streamlit", "dpviz.ui"))


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
    watched = tuple(name.replace("-", "_") for name in extra)
    assert not loaded_by(["dpviz.ui.preload", "dpviz.__main__"], watched)


def test_the_watch_would_notice():
    assert loaded_by(["dpviz.ui.session"], DRAWING) >= {"streamlit"}


@pytest.mark.parametrize("module", MODULES)
def test_files_and_functions_stay_short(module):
    text = MODULES[module].read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, functions):
            assert node.end_lineno - node.lineno < 60, f"{node.name} has more than 60 lines"
