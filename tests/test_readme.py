"""The README does what it says: its Python runs, and its commands are those CI executes."""

import importlib.util
import re

import pytest

from dpviz.results.files import ROOT
from dpviz.scene.catalogue import PAGES

README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SHELL = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", PYTHON)
def test_python_blocks_run(code):
    exec(compile(code, "README.md", "exec"), {})


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
