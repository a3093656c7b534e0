"""The arrows between the rooms of the house run one way, and no topic imports another."""

import ast
import functools
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpviz.results.parameters import LIMITS
from dpviz.scene.view import View
from dpviz.serve.rooms.page import CLASS
from dpviz.topics.classroom.views import class_sketches_shown
from dpviz.topics.promise.views import play_the_attacker_shown
from tests.support.declarations import page

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "dpviz"
DRAWING = ("streamlit", "plotly", "altair", "pandas")

# What each room may import from, itself included. A topic has two rooms: what it computes, and, in
# the files called `<what>_shown.py` and `exercises.py`, how that is said, drawn and declared.
MAY_IMPORT = {
    "results": {"results"},
    "maths": {"results", "maths"},
    "plot": {"results", "plot"},
    "declarations": {"results", "plot", "declarations"},
    "scene": {"results", "maths", "plot", "declarations", "scene"},
    # Rooms have figures of their own, of what a class sends: no page declares them.
    "serve": {
        *("results", "topics", "plot", "declarations", "scene", "serve"),
        *("classroom", "classroom shown"),
    },
    "ui": {"", "results", "plot", "declarations", "scene", "serve", "ui"},
    "": {"", "results"},  # what it offers from elsewhere it loads by name, when it is asked for
    "notebook": {"results", "plot", "declarations", "scene", "serve"},
    "shell": {"results", "shell"},
    # the command
    "__main__": {"", "results", "plot", "declarations", "scene", "serve", "shell"},
}
# What declares a view lies below the topics, so that each view declares itself.
DECLARATIONS = (
    "dpviz.scene.codec",
    "dpviz.scene.view",
    "dpviz.scene.asking",
    "dpviz.scene.arithmetic",
    "dpviz.scene.exercise",
)
SHOWN = "_shown"
STREAMLIT = ("ui",)  # beside pages/ and app.py
STARLETTE = ("serve", "ui")
every_module_once = pytest.mark.xdist_group("arrows")  # in one process, which reads them once


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in sorted(PACKAGE.rglob("*.py"))}


def room(module: str) -> str:
    """The room of a module: a package of dpviz, or `<topic>` or `<topic> shown` of a topic."""
    parts = module.split(".")
    if module in DECLARATIONS:
        return "declarations"
    if len(parts) < 4 or parts[1] != "topics":
        return parts[1] if len(parts) > 1 else ""
    return f"{parts[2]} shown" if is_shown(module) else parts[2]


def is_shown(module: str) -> bool:
    """Whether a module of a topic says something: of what it computes, or what it asks."""
    return module.endswith((SHOWN, ".exercises"))


def allowed(module: str) -> set[str]:
    home = room(module)
    if home in MAY_IMPORT or module.count(".") < 3:
        return MAY_IMPORT.get(home, set())
    if home.endswith(" shown"):
        # exercises ask the core what is so in other states, and about a reader's own program
        core = {"maths"} if module.endswith(".exercises") else set()
        return core | {"results", "plot", "declarations", home, home.removesuffix(" shown")}
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
    """Every module that one imports, be it at the top or in a function, but not for types alone."""
    found, typed = set(), set()
    for node in nodes()[module]:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            typed |= {id(inner) for line in node.body for inner in ast.walk(line)}
    for node in nodes()[module]:
        if id(node) in typed:
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module for name in inner}
    return frozenset(found)


def forbidden(module: str) -> set[str]:
    """The frameworks that a module has to do without."""
    outside = {"altair"} if module != "dpviz.plot.brush" else set()
    outside |= {"vl_convert"} if module != "dpviz.plot.converter" else set()
    if room(module) not in STREAMLIT:
        outside |= {"streamlit"}
        outside |= {"pandas"} if module != "dpviz.results.data_frame" else set()
    if room(module) not in STARLETTE:
        outside |= {"starlette", "uvicorn"}
    return outside


def imports():
    """Every module with each name that it imports."""
    return [(module, name) for module in MODULES for name in imported(module)]


@every_module_once
def test_what_streamlit_promises_to_no_one_is_taken_in_one_place():
    files = [*MODULES.values(), *ROOT.glob("pages/*.py"), *ROOT.glob("hosting/*.py")]
    inside = {PACKAGE / "ui" / "inside.py"}
    for file in [*files, ROOT / "app.py"]:
        text = file.read_text(encoding="utf-8")
        found = set(re.findall(r"^ *(?:from|import) (streamlit[.\w]*)", text, re.MULTILINE))
        assert file in inside or found <= {"streamlit", "streamlit.starlette"}, file
        assert file in inside or "._session_mgr" not in text, file


@every_module_once
def test_arrows_run_one_way():
    assert not [
        (module, name)
        for module, name in imports()
        if name.partition(".")[0] == "dpviz" and room(name) not in allowed(module)
    ]


def pairs():
    """Every module that computes a view, with the one beside it that shows the view."""
    shown = [name for name in MODULES if ".views." in name and name.endswith("_shown")]
    return [(name.removesuffix("_shown"), name) for name in shown]


@every_module_once
@pytest.mark.parametrize(("computing", "showing"), pairs())
def test_a_view_has_one_name_in_two_files(computing, showing):
    """Its module and its function, and beside them what shows it, whose `VIEW` declares it."""
    view = importlib.import_module(showing).VIEW
    assert view.compute.__module__ == computing
    assert view.compute.__name__ == computing.rpartition(".")[2]
    assert view.compute.__name__ not in LIMITS  # else it shared its name with a parameter
    others = {name for pair in pairs() for name in pair} - {computing, showing}
    assert not (imported(computing) | imported(showing)) & others


def views_shown(slug: str) -> list[View]:
    """The views of a page that are its own.

    A room of a class shows besides what is drawn in it; the home page shows a game of another page.
    """
    if slug == "classroom":
        return [*CLASS.views, class_sketches_shown.VIEW]
    if slug == "home":
        return [view for view in page("").views if view is not play_the_attacker_shown.VIEW]
    return list(page(slug).views)


@every_module_once
@pytest.mark.parametrize("slug", sorted({name.split(".")[2] for name, _ in pairs()}))
def test_a_page_shows_the_views_that_declare_themselves(slug):
    """None is declared elsewhere, and none is forgotten."""
    package = f"dpviz.topics.{slug}.views."
    declared = [importlib.import_module(m).VIEW for _, m in pairs() if m.startswith(package)]
    shown = views_shown(slug)
    keys = {view.key for view in shown}
    forgotten = [view.compute.__name__ for view in declared if view.key not in keys]
    assert not forgotten, f"these views are on no page; add each VIEW to pages/{slug}.py"
    assert {view.key for view in declared} == keys
    assert all(any(view is one for one in declared) for view in shown)


def sentences(module: str) -> list[str]:
    """What ends with a full stop in a module, docstrings apart."""
    texts = {
        id(node): node.value
        for node in nodes()[module]
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    for node in nodes()[module]:
        if isinstance(node, ast.Expr):
            texts.pop(id(node.value), None)
    return [text for text in texts.values() if " " in text and text.rstrip().endswith(".")]


@every_module_once
def test_what_computes_writes_no_sentences():
    """They are written where they are shown; remarks in the papers' tables (`rows_`) are data."""
    computing = [m for m in MODULES if ".topics." in m and not is_shown(m)]
    assert not [(m, sentences(m)) for m in computing if sentences(m) and ".rows_" not in m]
    assert sentences("dpviz.topics.user_complexity.comparing_shown")


@every_module_once
def test_frameworks_stay_in_their_rooms():
    assert not [
        (module, name) for module, name in imports() if name.partition(".")[0] in forbidden(module)
    ]


@every_module_once
def test_rooms_and_the_book_can_be_split_off():
    """Of dpviz only the command knows the book, and none rooms, which app.py alone starts."""
    for part, knows in (("dpviz.serve.rooms", set()), ("dpviz.serve.book", {"dpviz.__main__"})):
        found = {m for m, name in imports() if f"{name}.".startswith(f"{part}.")}
        assert {m for m in found if not f"{m}.".startswith(f"{part}.")} == knows


@every_module_once
def test_the_check_would_notice():
    assert room("dpviz.topics.clipping.views.real_data") == "clipping"
    assert "few_users" not in allowed("dpviz.topics.clipping.views.real_data")
    assert "plot" not in allowed("dpviz.topics.clipping.tasks")
    shown = "dpviz.topics.propose_test_release.views.moving_outliers_shown"
    assert {"plot", "declarations", "propose_test_release"} <= allowed(shown)
    assert not {"scene", "maths", "clipping", "clipping shown"} & allowed(shown)
    assert room(shown) not in allowed(shown.removesuffix("_shown"))
    assert not {"scene", "promise"} & allowed("dpviz.scene.view")
    assert "dpviz.results.evidence" in imported("dpviz.plot.chart")
    assert "altair" in forbidden("dpviz.plot.chart")


STAGES = {  # in a fresh interpreter, one after the other
    "computes": [m for m in MODULES if allowed(m) and "plot" not in allowed(m)],
    "draws": [
        module
        for module in MODULES
        if room(module) in ("plot", "declarations", "scene") or room(module).endswith(" shown")
    ],
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
def test_the_app_starts_without_what_only_a_brush_needs():
    assert "altair" not in loaded()["app"]


@every_module_once
def test_the_watch_would_notice():
    assert {"dpviz.topics.clipping.views.real_data"} <= loaded()["computes"]
    assert {"dpviz.plot", "dpviz.plot.chart"} <= loaded()["draws"]
    assert {"streamlit", "dpviz.ui", "starlette"} <= loaded()["app"]
