"""The scripts of others that draw figures, and ours that drives Vega, as files."""

from functools import cache
from pathlib import Path

from dpviz.results.folders import ASSETS

FOLDER = ASSETS / "scripts"


@cache
def plotly() -> Path:
    """Return the file of plotly.js; its name holds the version."""
    [file] = FOLDER.glob("plotly-*.min.js")
    return file


@cache
def vega() -> Path:
    """Return the file of Vega and what goes with it; its name holds the version."""
    [file] = FOLDER.glob("vega-*.min.js")
    return file


def linked() -> Path:
    """Return the file of ours that draws with Vega."""
    return Path(__file__).with_name("linked.js")
