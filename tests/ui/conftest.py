"""What several tests of pages have in common."""

import pytest

from dpviz.serve.computing import Computation
from tests.support.examples import in_nightly


@pytest.fixture
def brief(monkeypatch):
    """No view goes on after its first result; finer ones are those of tests of its topic."""
    begin = Computation.__init__

    def begin_in_brief(self, *given, **named):
        begin(self, *given, **named)
        self.first_seconds = 0.0

    if not in_nightly():
        monkeypatch.setattr(Computation, "__init__", begin_in_brief)
