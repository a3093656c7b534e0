"""What CI says it tests is what the tests drive, and what is missing is installed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = """
<!-- .ci/run executes the block below. -->
```sh
true && .venv/bin/pytest
```
"""
ASKED = "python3 -m tests.support.chromium"


def put(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path):
    """A checkout, and a machine on which all but a browser is installed."""
    for name in (".ci/run", "tests/support/chromium.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "README.md").write_text(README)
    for name in ("ruff", "mypy", "python"):
        put(tmp_path / f".venv/bin/{name}", "true")
    put(tmp_path / ".venv/bin/pytest", f'echo "pytest: $({ASKED})"')
    bin_ = tmp_path / "bin"
    for name in ("caddy", "brotli", "redis-server", "sudo"):
        put(bin_ / name, '"$@"')
    for name in ("bash", "sh", "sed", "dirname", "id", "env", "cp"):
        (bin_ / name).symlink_to(shutil.which(name))
    put(bin_ / "python3", f'exec "{sys.executable}" "$@"')
    put(tmp_path / "to be had", "echo Chromium 156")
    put(
        bin_ / "apt-get",
        f'case "$*" in *chromium) cp "{tmp_path}/to be had" "{bin_}/chromium";; esac',
    )
    return tmp_path


@pytest.mark.parametrize(
    ("there", "named", "chosen"),
    [
        ("", "", "chromium: Chromium 156"),
        ("chromium-headless-shell", "", "chromium: Chromium 156"),
        ("chromium-headless-shell", "chromium-headless-shell", "chromium-headless-shell: a shell"),
        ("google-chrome-stable", "", "google-chrome-stable: a google-chrome-stable"),
    ],
)
def test_ci_and_the_tests_choose_the_same_browser(machine, there, named, chosen):
    for name in there.split():
        put(machine / "bin" / name, f"echo a {name.removeprefix('chromium-headless-')}")
    surroundings = {"PATH": str(machine / "bin"), "DPVIZ_CHROMIUM": named}
    done = subprocess.run(
        [machine / ".ci/run"], env=surroundings, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    said, *others = done.stdout.splitlines()
    assert said == f"The browser tests drive {machine / 'bin'}/{chosen}"
    assert f"pytest: {machine / 'bin'}/{chosen}" in others
