"""Readers whose wish is turned away, as too many ask: they get their figure a little later."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import running_app
from tests.support.examples import only_in_ci
from tests.support.pace import Gate
from tests.support.reader import Reader


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("crowd")


@pytest.fixture(scope="module")
def address(folder):
    """A server of its own, on which the test decides when it is crowded."""
    with running_app(surroundings=Gate(folder).surroundings) as running:
        yield running


@pytest.fixture
def reader(window, address):
    with Reader.within(window, address) as opened:
        yield opened


@only_in_ci
def test_a_wish_that_was_turned_away_is_made_again_until_it_is_heard(reader, folder):
    gate = Gate(folder)
    reader.open("shared_darts", {"gap": "3"})
    reader.settle()
    before, message = reader.figure(), reader.stage.locator(".message")
    expect(message).to_be_hidden()
    gate.crowd()
    reader.type("gap", "4")
    # said once the wish was turned away three times, while the page goes on asking
    expect(message).to_have_text("The figure has not arrived; asking for it again.")
    gate.disperse()
    expect(message).to_be_hidden()
    reader.figure_after(before)
    reader.settle()
    assert reader.takeaway.inner_text()
