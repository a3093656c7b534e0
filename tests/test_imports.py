"""The arrows between the layers run one way: pages -> ui, figures -> core."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "dpviz"
DRAWING = ("streamlit", "plotly", "altair", "pandas")


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in sorted(PACKAGE.rglob("*.py"))}
ABOVE = ("dpviz.ui", "dpviz.plot", "dpviz.serve")
CORE = [name for name in MODULES if not name.startswith(ABOVE)]
SERVE = [name for name in MODULES if name.startswith("dpviz.serve")]
FIGURES = [name for name in MODULES if name.startswith("dpviz.plot")]


def imported_by(names: list[str], forbidden: tuple[str, ...]) -> set[str]:
    """Which of the forbidden packages a fresh interpreter has after importing `names`."""
    code = "import sys, " + ", ".join(names)
    code += f"\nprint(*(name for name in {forbidden!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_the_core_does_not_draw():
    assert not imported_by(CORE, (*DRAWING, *ABOVE))


def test_figures_do_not_know_streamlit():
    assert not imported_by(FIGURES, ("streamlit", "dpviz.ui"))


def test_what_serves_figures_does_not_know_streamlit():
    assert not imported_by(SERVE, ("streamlit",))


def test_the_check_would_notice():
    assert imported_by(["dpviz.ui.session"], DRAWING) >= {"streamlit"}


@pytest.mark.parametrize("name", CORE)
def test_no_core_module_mentions_the_layers_above(name):
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    found = {
        imported
        for node in ast.walk(tree)
        for imported in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    above = (*DRAWING, *ABOVE)
    assert not [i for i in found if i.startswith(above)]
