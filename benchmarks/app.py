"""The app that a benchmark looks at: one that runs already, or a fresh one."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.browser.conftest import running_app


@contextmanager
def app(address: str) -> Iterator[str]:
    """Yield the address, or that of a fresh server where it is empty."""
    if address:
        yield address
    else:
        with running_app() as fresh:
            yield fresh
