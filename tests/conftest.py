"""Browser tests share one worker; without a browser they are one skip, and it is announced."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from dpviz.ui.server import prepare
from tests.browser.chromium import MISSING, chromium_path

BROWSER = Path(__file__).parent / "browser"

prepare()  # the tests run beside each other, as readers do

# Time limits belong to the benchmarks: on a busy machine any example may be slow.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")


def pytest_collection_modifyitems(config, items):
    driven = [item for item in items if item.path.is_relative_to(BROWSER)]
    for item in driven:
        item.add_marker(pytest.mark.browser)
        item.add_marker(pytest.mark.xdist_group("browser"))
    if driven and chromium_path() is None and "CI" not in os.environ:
        driven[0].add_marker(pytest.mark.skip(reason=MISSING))
        config.hook.pytest_deselected(items=driven[1:])
        items[:] = [item for item in items if item not in driven[1:]]


def pytest_terminal_summary(terminalreporter):
    if chromium_path() is None:
        terminalreporter.section("WARNING", yellow=True, bold=True)
        terminalreporter.line(MISSING, yellow=True, bold=True)
