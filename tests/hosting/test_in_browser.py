"""The app through the proxy in a real browser: what it loads, who may frame it, a failover."""

import pytest

from tests.hosting.relay import Relay
from tests.hosting.tab import Tab, played
from tests.support.declarations import SLUGS
from tests.support.examples import chosen, only_in_ci
from tests.support.reader import TIMEOUT, Reader

LARGEST = 1_300_000  # bytes of a first visit; about a million are what it needs
# The connection is lost, and there again: the first may last for less than a look.
BACK = """() => {
    const app = document.querySelector(".stApp");
    let lost = false;
    new MutationObserver((_, observer) => {
        const connected = app.dataset.testConnectionState === "CONNECTED";
        lost ||= !connected;
        if (!lost || !connected) return;
        observer.disconnect();
        window.backAgain = true;
    }).observe(app, { attributes: true });
}"""


async def visit(site, slug):
    """Have every replica compute what the page opens with, as for an earlier reader."""
    for port in site.ports:
        async with Tab.at(site.address, slug, cookie=site.cookie(port)) as tab:
            await tab.run()


# One that takes a file, and draws with Vega: no other page loads anything else.
@pytest.mark.parametrize("slug", chosen(SLUGS, ["clipping"]))
def test_a_page_works_under_the_policy_and_its_first_visit_loads_little(chromium, site, slug):
    played(visit(site, slug))
    relay = Relay(site.address)
    # The reader notes what the policy forbids: the console tells it as an error.
    with relay.serving() as address, Reader.at(chromium, address) as reader:
        reader.open(slug)
        assert reader.figure()
        reader.page.wait_for_load_state("networkidle")
        assert LARGEST / 2 < relay.counted < LARGEST
        if slug in chosen(SLUGS, ["clipping"]):
            _unfold(reader)


def _unfold(reader):
    reader.open_evidence("Numbers")
    reader.page.locator(".stDataFrame").wait_for()
    with reader.page.expect_download() as download:
        reader.page.get_by_role("button", name="CSV, the numbers").click()
    assert download.value.path().stat().st_size > 50
    reader.open_evidence("Code")
    reader.page.locator(".stCode").wait_for()


def test_only_those_named_may_frame_a_page(chromium, site, school, stranger):
    page = chromium.new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(f"{school}/?{site.address}/user_complexity")
    framed = page.frame_locator("iframe")
    framed.locator(".dpviz-stage .plot > svg path").first.wait_for(state="attached")
    with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        page.goto(f"{stranger}/?{site.address}/user_complexity")
    assert framed.locator("html").count()
    assert not framed.locator(".stApp").count()
    page.close()


@only_in_ci
def test_a_browser_whose_server_died_is_back_where_it_was(chromium, site):
    with Reader.at(chromium, site.address) as reader:
        reader.open("user_complexity", {"epsilon": "0.123456789", "view": "users"})
        figure, query = reader.figure(), reader.query
        [cookie] = [c for c in reader.page.context.cookies() if c["name"] == "dpviz_replica"]
        reader.page.evaluate(BACK)
        site.kill(site.port(f"{cookie['name']}={cookie['value']}"))
        reader.page.wait_for_function("() => window.backAgain", timeout=2 * TIMEOUT)
        reader.settle()
        reader.wait_for_figure(figure)
        assert reader.query == query
        reader.type("epsilon", "0.5")
        reader.wait_for_query(**query | {"epsilon": "0.5"})
        reader.settle()
        assert reader.figure() != figure
        reader.faults.clear()  # the lost connection itself
