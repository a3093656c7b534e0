"""The app through the proxy in a real browser: what it loads, who may frame it, a failover."""

import time

import pytest
from playwright.sync_api import expect

from tests.hosting.relay import Relay
from tests.hosting.tab import Tab, played
from tests.hosting.test_faults import BACK
from tests.support.declarations import SLUGS
from tests.support.reader import Reader

LARGEST = 2_500_000  # bytes of a first visit


async def visit(site, slug):
    """Have every replica compute what the page opens with, as for an earlier reader."""
    for port in site.ports:
        async with Tab.at(site.address, slug, cookie=site.cookie(port)) as tab:
            await tab.run()


@pytest.mark.parametrize("slug", SLUGS)
def test_a_page_works_under_the_policy_and_its_first_visit_loads_little(chromium, site, slug):
    played(visit(site, slug))
    relay = Relay(site.address)
    # The reader notes what the policy forbids: the console tells it as an error.
    with relay.serving() as address, Reader.at(chromium, address) as reader:
        reader.open(slug)
        assert reader.figure()
        reader.page.wait_for_load_state("networkidle")
        assert 1_000_000 < relay.counted < LARGEST


def test_what_is_unfolded_works_under_the_policy(chromium, site):
    with Reader.at(chromium, site.address) as reader:
        reader.open("user_complexity")
        reader.open_fold("fold-table")
        reader.page.locator(".stDataFrame").wait_for()
        with reader.page.expect_download() as download:
            reader.page.get_by_role("button", name="Download CSV").click()
        assert download.value.path().stat().st_size > 50
        reader.open_fold("fold-snippet")
        reader.page.locator(".stCode").wait_for()


def test_only_those_named_may_frame_a_page(chromium, site, school, stranger):
    page = chromium.new_page()
    page.goto(f"{school}/?{site.address}/user_complexity")
    framed = page.frame_locator("iframe")
    framed.locator(".dpviz-stage .js-plotly-plot .trace").first.wait_for(state="attached")
    page.goto(f"{stranger}/?{site.address}/user_complexity")
    page.wait_for_timeout(1000)
    assert framed.locator("html").count()
    assert not framed.locator(".stApp").count()
    page.close()


def test_a_browser_is_back_in_seconds_where_it_was(chromium, site):
    with Reader.at(chromium, site.address) as reader:
        reader.open("user_complexity", {"epsilon": "0.123456789", "view": "kinds"})
        figure, query = reader.figure(), reader.query
        [cookie] = [c for c in reader.page.context.cookies() if c["name"] == "dpviz_replica"]
        reader.page.evaluate("document.querySelector('.dpviz-stage').classList.add('old')")
        site.kill(site.port(f"{cookie['name']}={cookie['value']}"))
        begin = time.monotonic()
        lost = reader.page.locator(".stApp:not([data-test-connection-state=CONNECTED])")
        expect(lost).to_be_attached()
        reader.page.wait_for_selector(
            ".stApp[data-test-connection-state=CONNECTED][data-test-script-state=notRunning]",
            timeout=BACK * 1000,
        )
        assert time.monotonic() - begin < BACK
        assert reader.figure() == figure
        assert reader.query == query
        reader.type("epsilon", "0.5")
        reader.wait_for_query(**query | {"epsilon": "0.5"})
        reader.settle()
        assert reader.figure() != figure
        reader.faults.clear()  # the lost connection itself
