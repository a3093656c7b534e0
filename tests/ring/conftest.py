"""Firefox and WebKit, where DPVIZ_RING asks for them: see CONTRIBUTING."""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.browser.conftest import running_app
from tests.ring.tabs import OPEN, Tab

ASKED = os.environ.get("DPVIZ_RING", "").replace(",", " ").split()

collect_ignore_glob = [] if ASKED else ["test_*.py"]


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    with running_app(surroundings={"DPVIZ_FRAME_ANCESTORS": "*"}) as address:
        yield address


@pytest.fixture(scope="session", params=ASKED)
def browser(request) -> Iterator[Tab]:
    with OPEN[request.param]() as tab:
        yield tab


@pytest.fixture
def tab(browser) -> Tab:
    """The tab, as wide as a desk's; what a test leaves there is left behind."""
    browser.go("about:blank")
    browser.size(1280, 800)
    return browser


@pytest.fixture
def dark(browser) -> Iterator[Tab]:
    """A tab of a reader who has chosen the dark."""
    with ExitStack() as stack:
        yield stack.enter_context(OPEN[browser.name.lower()](dark=True))
