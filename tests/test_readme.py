"""The README does what it says: its Python runs, and its commands are those CI executes."""

import importlib.util
import re
import tomllib

import pytest

from dpviz.results.folders import ROOT
from dpviz.scene.catalogue import PAGES

README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SHELL = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", PYTHON)
def test_python_blocks_run(code):
    exec(compile(code, "README.md", "exec"), {})


def test_the_example_runs_from_its_first_block_to_its_last(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "assets" / "examples" / "sweeps.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    exec(compile(code, "sweeps.md", "exec"), {})
    assert len((tmp_path / "sweep.csv").read_text(encoding="utf-8").splitlines()) == 9


def test_the_changelog_speaks_of_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ([0-9.]+)", changes, re.MULTILINE)[0] == version["version"]


def test_there_are_blocks_to_run():
    assert len(PYTHON) >= 2


def test_the_commands_need_nothing_but_python():
    run, test, *_ = SHELL
    assert run.startswith("python3 -m venv .venv && .venv/bin/pip install -q -r requirements.lock")
    assert test.strip().endswith(".venv/bin/pytest")


def test_every_page_is_in_the_table():
    rows = [line for line in README.splitlines() if line.startswith("| ")]
    for page in PAGES:
        assert any(line.startswith(f"| {page.title} | {page.question} ") for line in rows)


def test_what_it_links_to_exists():
    for target in re.findall(r"\]\((?!http)([^)]+)\)", README):
        assert (ROOT / target).exists()


def test_modules_it_calls_public_exist():
    section = README.partition("These modules are public")[2].partition("\n## ")[0]
    table = "".join(line for line in section.splitlines() if line.startswith("| `"))
    names = re.findall(r"`(dpviz[\w.<>]+)`", table)
    assert len(names) >= 10
    for name in names:
        for page in PAGES if "<topic>" in name else PAGES[:1]:
            assert importlib.util.find_spec(name.replace("<topic>", page.slug)), name
