"""Time is told; tests behind the proxy share a worker and its replicas; what is missing is said."""

import functools
import gc
import itertools
import logging
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import mpmath
import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, Playwright, sync_playwright
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache

from benchmarks.machine import lasted
from dpviz.results.refining import Pace
from dpviz.serve import computing, pictures
from dpviz.serve.rooms import scenes
from dpviz.serve.scheduler import SCHEDULER
from dpviz.ui.server import prepare
from tests.hosting.site import MISSING as HOSTING_MISSING
from tests.support.chromium import FLAGS, chromium_path
from tests.support.chromium import MISSING as CHROMIUM_MISSING
from tests.support.declarations import page
from tests.support.examples import CI, NIGHTLY, SUITE, in_ci
from tests.support.pace import Steps, steadily

BEGUN = time.time()
TESTS = Path(__file__).parent
HOSTING = TESTS / "hosting"
CORE = TESTS / "maths", TESTS / "topics"

gc.disable()  # until all tests are found: nothing of that goes away

# For every test the same, whichever others run beside it.
mpmath.mp.dps = 40

prepare()  # the tests run beside each other, as readers do

# Which partial results come, and how far a link goes, is the same on every machine.
Pace.due = steadily
computing.time = SimpleNamespace(thread_time=Steps().thread_time)
for waiting in (pictures, scenes):  # nothing is given up because the machine is busy
    waiting._PATIENCE = 600.0
SCHEDULER._clock = itertools.count(step=60).__next__  # who asked in a test before is no crowd
SCHEDULER.longest_wait = math.inf

# Streamlit's test driver reads what is installed, whenever it opens a page: most of its time.
manifest_scanner.scan_component_manifests = functools.cache(
    manifest_scanner.scan_component_manifests
)

# It compiles the app and the page anew each time, too.
ScriptCache.get_bytecode = functools.partialmethod(
    lambda _, path, compiled: compiled(path),
    compiled=functools.cache(functools.partial(ScriptCache.get_bytecode, ScriptCache())),
)

# Time limits belong to the benchmarks: on a busy machine any example may be slow. Few examples keep
# the suite short; CI tries more, and a night all (tests/support/examples.py).
UNTIMED = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
for profile, tried in ((SUITE, 3), (CI, 5), (NIGHTLY, 20)):
    settings.register_profile(profile, UNTIMED, max_examples=tried)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", SUITE))


@pytest.fixture(scope="session")
def driver() -> Iterator[Playwright]:
    """One for each worker: Playwright bears no second one beside it."""
    assert chromium_path() is not None, CHROMIUM_MISSING
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(driver) -> Iterator[Browser]:
    """A browser for readers who have never been here."""
    browser = driver.chromium.launch(executable_path=chromium_path(), args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def caddy() -> None:
    """For tests outside of the folder `hosting` that start what is hosted."""
    assert not HOSTING_MISSING, HOSTING_MISSING


def pytest_collection_finish():
    """Modules and tests stay: the collector need not look through them again and again.

    Nor need pytest listen to each of Streamlit's sixty loggers anew, six times for every test.
    """
    for logger in logging.Logger.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            logger.propagate = True
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_runtest_setup():
    """What a test before has left ends at its next pause; until then it would be a crowd."""
    while len(SCHEDULER):
        assert all(thread.is_alive() for thread in SCHEDULER._threads), (
            "a thread of the scheduler died"
        )
        time.sleep(0.001)


def pytest_addoption(parser):
    parser.addoption("--view", help="run the tests of one view, such as clipping/threshold, alone")


@pytest.hookimpl(tryfirst=True)  # xdist looks at the groups in its own hook
def pytest_collection_modifyitems(config, items):
    if (wanted := config.getoption("view")) is not None:
        keep(config, items, [item for item in items if about(item, *wanted.split("/"))])
    hosted = [
        item for item in items if item.path.is_relative_to(HOSTING) or "caddy" in item.fixturenames
    ]
    driven = [item for item in items if "driver" in item.fixturenames]
    for item in driven:
        item.add_marker(pytest.mark.browser)
    # Two workers drive browsers: each needs a server and a browser of its own.
    apart = [item for item in driven if item not in hosted]
    files = sorted({item.path for item in apart})
    for item in apart:
        item.add_marker(pytest.mark.xdist_group(f"browser {files.index(item.path) % 2}"))
    for item in hosted:
        item.add_marker(pytest.mark.xdist_group("hosting"))
    for item in items:
        if item not in driven and item not in hosted and (group := sharing(item)):
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: item not in driven and item not in hosted)  # those take longest
    if not in_ci():  # a proxy and its replicas take a minute of two processors
        skip(config, items, hosted, f"HYPOTHESIS_PROFILE={CI}")
    if "CI" not in os.environ:
        skip(config, items, driven, chromium_path() is None and CHROMIUM_MISSING)
        skip(config, items, hosted, HOSTING_MISSING)


def sharing(item):
    """Name the tests that find made what others need, too.

    Results of a page; drags on it; those of a file of the core; a server, a book or a file that
    one is made of for a whole file of tests.
    """
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if "slug" in parameters:
        return f"page {parameters['slug']}"
    if "declared" in parameters:
        return f"drags of {parameters['declared'].name}"
    definitions = itertools.chain(*item._fixtureinfo.name2fixturedefs.values())
    made_once = any(definition.scope == "module" for definition in definitions)
    if made_once or any(item.path.is_relative_to(folder) for folder in CORE):
        return str(item.path.relative_to(TESTS))
    return None


def skip(config, items, unwanted, reason):
    """One of the tests stands for all that cannot run here."""
    unwanted = [item for item in unwanted if item in items]
    if unwanted and reason:
        unwanted[0].add_marker(pytest.mark.skip(reason=reason))
        keep(config, items, [item for item in items if item not in unwanted[1:]])


def keep(config, items, wanted):
    config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
    items[:] = wanted


def about(item, slug, key):
    """Whether a test is about a view: in its file, or one over all views, without a browser."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if parameters.get("slug") == slug and key in (parameters.get("key"), parameters.get("view")):
        return "driver" not in item.fixturenames
    file = next(view for view in page(slug).views if view.key == key).compute.__module__
    return item.path.stem == f"test_{file.rpartition('.')[2]}" and slug in item.path.parts


def pytest_terminal_summary(terminalreporter):
    terminalreporter.line(lasted(time.time() - BEGUN))
    for missing in (chromium_path() is None and CHROMIUM_MISSING, HOSTING_MISSING):
        if missing:
            terminalreporter.section("WARNING", yellow=True, bold=True)
            terminalreporter.line(missing, yellow=True, bold=True)
