"""What the browser's modules compute, told to Node, without a browser: the files *.test.mjs here.

Playwright, which the browser's tests need anyway, brings a Node along.
"""

import json
import os
import subprocess
from pathlib import Path

import playwright
import pytest

from dpviz.results.folders import ROOT
from dpviz.results.parameters import LIMITS
from dpviz.scene.ranges import description

_DRIVER = Path(playwright.__file__).parent / "driver"
_NODE = _DRIVER / ("node.exe" if os.name == "nt" else "node")
_HERE = Path(__file__).parent
OURS = [
    *(ROOT / "dpviz").rglob("*.js"),
    *(ROOT / "benchmarks").rglob("*.js"),
]


def node(*words, **surroundings):
    """Run Node; it has to say that all is well."""
    done = subprocess.run(
        [_NODE, *map(str, words)],
        env=os.environ | surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 127 and "CI" not in os.environ:  # a bare system has no libatomic for it
        pytest.skip(f"the app's scripts are UNTESTED: {done.stderr}")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", sorted(file.name for file in _HERE.glob("*.test.mjs")))
def test_modules_compute_what_they_promise(name, tmp_path):
    """Each file is told how the app's own sliders are divided."""
    grids = tmp_path / "grids.json"
    grids.write_text(json.dumps({key: description(limit) for key, limit in LIMITS.items()}))
    said = node("--test", "--test-reporter=tap", _HERE / name, DPVIZ_GRIDS=str(grids))
    assert "\n# fail 0\n" in said
    assert "\n# tests 0\n" not in said


@pytest.mark.parametrize("file", OURS, ids=lambda file: file.name)
def test_every_script_of_ours_can_be_read(file):
    node("--check", file)
