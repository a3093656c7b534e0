"""Every command of `benchmarks` still runs: each has a small setting, by ``--small``."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.hostile.__main__ import PARTS
from dpviz.results.folders import ROOT
from tests.browser.conftest import running_app
from tests.support import small_books
from tests.support.examples import only_in_ci, only_in_nightly

FILES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__"): file
    for file in sorted((ROOT / "benchmarks").rglob("*.py"))
    if '\nif __name__ == "__main__":' in file.read_text(encoding="utf-8")
}

# What some are given beside `--small`; where nothing stands here, it is nothing.
BROWSER = {
    "book_pages": ["{book}"],
    "dragging": ["--address {address}"],
    "ends": [""],
    "looks": ["--sheets {folder} --address {address}"],
    "pictures": ["{folder} --address {address}"],
    "touches": ["{folder} --address {address}"],
}
PROXY = {
    "load": ["", "--book {book}"],
    "load.changes": ["{code} {code}"],
    "latency": [""],
}
BROWSER_AND_PROXY = {"load.visits": [""]}
OTHERS = {"placeholders": ["{folder}/placeholders.json"], "tiles": ["{folder}"]}
# Those without a small setting.
UNTRIED = {
    "hostile.watched": "is what `hostile loop` starts",
    "machine": "`.ci/run` ends with it",
    "other_library": "needs an environment of its own: diffprivlib needs an older scikit-learn",
    "same_figures": "tests/test_same_figures.py tries it",
}


def commands(group: dict[str, list[str]]) -> list[str]:
    """Return how the commands of a group are called: the benchmark, then what it is given."""
    return [
        f"benchmarks.{name} --small {words}".strip()
        for name, given in group.items()
        for words in given
    ]


def alone() -> list[str]:
    """Return the commands that need nothing but Python: all that are not listed."""
    listed = {f"benchmarks.{name}" for name in (*BROWSER, *PROXY, *BROWSER_AND_PROXY, *UNTRIED)}
    names = [name.removeprefix("benchmarks.") for name in FILES if name not in listed]
    plain = {name: OTHERS.get(name, [""]) for name in names if name != "benchmarks"}
    return ["benchmarks --small", *commands(plain)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """An app for all who look at one."""
    with running_app() as running:
        yield running


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    return small_books.write(tmp_path_factory.mktemp("book"), "shared_darts?view=board")


def ends_well(command: str, **places: object) -> str:
    """Run a command to its end, and return what it said."""
    run = [sys.executable, "-m", *command.format(**places, code=ROOT).split()]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@only_in_ci
@pytest.mark.parametrize("command", alone())
def test_a_benchmark_of_the_core_runs(command, tmp_path):
    assert ends_well(command, folder=tmp_path) or [*tmp_path.iterdir()]


@only_in_ci
@pytest.mark.parametrize("command", commands(BROWSER))
@pytest.mark.usefixtures("driver")
def test_a_benchmark_in_a_browser_runs(command, address, book, tmp_path):
    ends_well(command, address=address, book=book, folder=tmp_path)
    assert "{folder}" not in command or [*tmp_path.iterdir()]


@only_in_ci
@pytest.mark.parametrize("command", commands(PROXY))
@pytest.mark.usefixtures("caddy")
def test_a_benchmark_behind_a_proxy_runs(command, book):
    assert ends_well(command, book=book)


@only_in_ci
@pytest.mark.parametrize("command", commands(BROWSER_AND_PROXY))
@pytest.mark.usefixtures("driver", "caddy")
def test_a_benchmark_in_a_browser_behind_a_proxy_runs(command):
    assert ends_well(command)


@only_in_nightly
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.usefixtures("caddy")
def test_every_attack_runs(part):
    assert ends_well(f"benchmarks.hostile --small {part}").count("\n") > 2  # a row below the head


@only_in_ci
def test_what_needs_another_environment_says_how_it_is_called():
    assert "--splits" in ends_well("benchmarks.other_library --help")


def test_what_is_listed_is_there():
    listed = (*BROWSER, *PROXY, *BROWSER_AND_PROXY, *OTHERS, *UNTRIED)
    assert {f"benchmarks.{name}" for name in listed} <= set(FILES)
    assert len(set(listed)) == len(listed)


# ---- documents ------------------------------------------------------------------------------

CALLED = re.compile(r"python -m[ \n](benchmarks(?:\.[\w.]*\w)?)((?:[ \n]+[^`:;,()\n]*)?)")
OPTION = re.compile(r"(--[a-z-]+)")


def calls() -> Iterator[tuple[str, str]]:
    """Yield every call of a benchmark that a document or a docstring names, and what follows."""
    folders = ("benchmarks", "docs", "dpviz", "tests/support", "assets/prose")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.*")]
    for file in [ROOT / "Makefile", *ROOT.glob("*.md"), *files]:
        if file.suffix in {"", ".md", ".py"}:
            yield from CALLED.findall(file.read_text(encoding="utf-8"))


def test_every_benchmark_is_documented_and_everything_documented_is_there():
    called = dict.fromkeys(name for name, _ in calls())
    named = re.findall(r"`([a-z_.]+)`", table())
    started_by_others = {f"benchmarks.{name}" for name in UNTRIED}
    assert set(called) <= set(FILES) <= set(called) | started_by_others
    assert {f"benchmarks.{name}" for name in named} <= set(FILES)


def table() -> str:
    """Return the first column of the table of benchmarks."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## Measure\n")[1]
    rows = text.split("\n## ")[0].splitlines()
    return " ".join(row.split("|")[1] for row in rows if row.startswith("| `"))


def test_options_that_documents_name_are_there():
    for name, words in calls():
        known = FILES[name].read_text(encoding="utf-8")
        assert not [option for option in OPTION.findall(words) if f'"{option}"' not in known]
