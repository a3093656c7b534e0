"""What the core needs and what each extra brings; without it a command says which has it."""

import ast
import re
import subprocess
import sys
import tomllib

import pytest

from dpviz import __main__ as command
from dpviz.results.extras import EXTRAS, what_to_install
from dpviz.results.folders import ROOT

CORE = {"cachetools", "finufft", "numpy", "scipy"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WITHOUT = """
import contextlib, importlib, io, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
import importlib.util
found = importlib.util.find_spec
def find_spec(name, package=None):
    return None if name in {missing!r} else found(name, package)
importlib.util.find_spec = find_spec
from dpviz.__main__ import main
for words in {typed!r}:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main(words)
    print(status, words, said.getvalue().strip().splitlines()[-3:])
for name in {imported!r}:
    importlib.import_module(name)
print("loaded", *sys.modules)
"""


def roots(requirements):
    """The modules of libraries, by the names of their distributions."""
    named = {"vl-convert-python": "vl_convert", "dp-accounting": "dp_accounting"}
    names = [re.split(r"[<>=\[]", each)[0] for each in requirements]
    return {named.get(name, name) for name in names if name != "dpviz"}


def without(missing, *typed, cwd=ROOT, imported=()):
    """What commands say one after another where some modules are missing, and what was loaded."""
    code = WITHOUT.format(
        missing=set(missing), typed=list(map(str.split, typed)), imported=imported
    )
    options = {"cwd": cwd, "capture_output": True, "text": True, "encoding": "utf-8"}
    done = subprocess.run([sys.executable, "-X", "utf8", "-c", code], check=True, **options)
    *said, loaded = done.stdout.splitlines()
    return said, set(loaded.split())


def test_every_extra_brings_what_is_said_of_it():
    assert roots(PROJECT["dependencies"]) == CORE
    extras = {name: roots(all_of) for name, all_of in PROJECT["optional-dependencies"].items()}
    assert {name: extra for extra, names in extras.items() for name in names} == EXTRAS
    brought = {"notebook", "app"}  # figures along
    for extra, all_of in PROJECT["optional-dependencies"].items():
        assert ("dpviz[figures]" in all_of) is (extra in brought)


def test_nothing_is_imported_that_no_extra_brings():
    known = CORE | EXTRAS.keys() | sys.stdlib_module_names | {"dpviz"}
    known |= {"google", "uvicorn", "websockets"}  # Streamlit has them
    for file in ROOT.glob("dpviz/**/*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module]
            for name in names:
                assert name.partition(".")[0] in known, (file, name)


def test_the_core_needs_none_of_them_and_the_first_number_little_of_scipy():
    sigma = f"sigma {command.QUESTIONS['sigma'][2]}"
    said, loaded = without(EXTRAS, sigma)
    assert said[0].startswith("0 ")
    heavy = ("optimize", "stats", "interpolate", "sparse", "linalg")
    assert not loaded & {f"scipy.{name}" for name in heavy}
    others = ("radius", "compose", "convert", "sensitivity")
    asked = [f"{name} {command.QUESTIONS[name][2]}" for name in others]
    asked.append("compare --epsilon 1 --delta 1e-6 --queries 10")
    said, _ = without(EXTRAS, *asked)
    assert [line[:2] for line in said] == ["0 "] * len(asked), said


NEEDS = {
    "--server.port 1": "streamlit",
    "--class": "streamlit",
    "figure promise -o a.svg": "orjson",
    "lecture why-bounded-noise -o a.html": "orjson",
    "book -o book": "orjson",
    "reference -o reference": "starlette",
    "completion bash": "shtab",
}


def test_a_command_says_which_extra_it_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    said, _ = without(EXTRAS, *NEEDS, cwd=tmp_path)
    for line, library in zip(said, NEEDS.values(), strict=True):
        assert line.startswith("2 ")
        assert f"this needs {library}, which the extra {EXTRAS[library]} brings" in line
        assert "phones of this network" not in line  # nothing is begun that cannot be done
    assert not list(tmp_path.iterdir())


def test_files_of_figures_and_lectures_need_one_extra(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    missing = {name for name, extra in EXTRAS.items() if extra != "figures"}
    files = [f"figure promise -o a.{kind}" for kind in ("svg", "png", "html", "csv", "pdf")]
    modules = ("dpviz.serve.lecture.file", "dpviz.serve.book.site")
    said, _ = without(missing, *files, cwd=tmp_path, imported=modules)
    assert [line[:2] for line in said] == ["0 "] * len(files), said


def test_python_says_it_too():
    code = (
        "import sys; sys.modules['orjson'] = sys.modules['pandas'] = None\n"
        "import dpviz\n"
        "for ask in (lambda: dpviz.figure, dpviz.compare(epsilon=1, delta=.1, queries=1).table):\n"
        "    try: ask()\n"
        "    except ModuleNotFoundError as missing: print(missing)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    first, second = done.stdout.splitlines()
    assert "orjson, which the extra figures brings" in first
    assert "pandas, which the extra notebook brings" in second


def test_what_no_extra_has_is_no_question_of_extras():
    assert what_to_install(ModuleNotFoundError("No module named 'dpvis'", name="dpvis")) == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_a_shell_completes_commands_options_and_noises(shell, capsys):
    pytest.importorskip("shtab")
    assert command.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("sensitivity", "--neighbours", "add_or_remove", "truncated_laplace"):
        assert word in script
