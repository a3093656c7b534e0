"""Lint, format and types are tests, so that there is one command to run."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.examples import in_long_run

ROOT = Path(__file__).parents[1]
# The benchmarks bring Playwright, pytest and Hypothesis along: .ci/run checks them, too.
MYPY = ("mypy",) if in_long_run() else ("mypy", "dpviz", "hosting")


@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "."), ("ruff", "format", "--check", "."), MYPY],
    ids=" ".join,
)
def test_passes(command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
