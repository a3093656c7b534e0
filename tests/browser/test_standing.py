"""A page stands before any script has run, and the live one takes its place without a jump."""

import re

import pytest

from dpviz.serve import scripts
from tests.support.chromium import FLAGS, chromium_path
from tests.support.declarations import SLUGS
from tests.support.examples import by_ring
from tests.support.timers import endless

PAGES = (
    "",
    "promise?view=odds",
    "promise?view=attackers&epsilon=2",
    "user_complexity?view=users",
    "promise?view=odds&embed=true",
)
WINDOWS = {"wide": (1280, 800), "phone": (390, 844)}
WITHIN = 2  # pixels
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
        if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
// Where things stood when the first frame was there, before any script of the page.
addEventListener("DOMContentLoaded", () => {
    const place = (name) => document.querySelector(name)?.getBoundingClientRect().toJSON();
    window.stood = { figure: place("#standing figure"), said: place("#standing .said") };
});
"""
PLACES = """() => {
    const place = (name) => document.querySelector(name).getBoundingClientRect().toJSON();
    return { figure: place(".dpviz-stage .picture"), said: place(".dpviz-stage .takeaway") };
}"""
# Where sliders are as long as the page stands, and where when the live one has taken its place.
SLIDERS = """() => {
    const tops = {};
    const standing = document.getElementById("standing");
    const within = standing ?? document.querySelector(".stMain");
    const wanted = standing ? "[data-control]" : ".st-key-controls [class*=st-key-control-]";
    for (const place of within?.querySelectorAll(wanted) ?? []) {
        const key = place.dataset.control ?? /st-key-control-([a-z_]+)/.exec(place.className)[1];
        const top = place.getBoundingClientRect().top;
        if (place.getClientRects().length) tops[key] = top + (standing?.scrollTop ?? 0);
    }
    return tops;
}"""
SEEN = f"""
window.sliders = {{}};
const look = () => {{
    if (document.querySelector("#standing [data-control]")) window.sliders = ({SLIDERS})();
    requestAnimationFrame(look);
}};
look();
"""
# The words by whose width a page tells whether its fonts are there.
PROBES = """
window.probes = [];
new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
        for (const node of addedNodes)
            if (node.style?.width === "max-content") probes.push(node.textContent);
}).observe(document, { childList: true, subtree: true });
"""
LIVE = ".dpviz-stage[data-state=rest]"
# Bytes of the largest font.
LARGEST = """() => Math.max(...performance.getEntriesByType("resource")
    .filter(entry => /woff2/.test(entry.name)).map(entry => entry.decodedBodySize))"""


@pytest.fixture(scope="module")
def browser(driver):
    seen = ["--hide-scrollbars"]  # Playwright's own wish, with which no bar takes any width
    opened = driver.chromium.launch(
        executable_path=chromium_path(), args=FLAGS, ignore_default_args=seen
    )
    yield opened
    opened.close()


def visit(browser, window, **more):
    width, height = WINDOWS[window]
    is_mobile = window == "phone"  # whose scrollbars take no width
    viewport = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, is_mobile=is_mobile, **more)
    context.set_default_timeout(240_000)
    return context


def warmed(page, link):
    """Open a link until its figure is among what the server keeps."""
    page.goto(link)
    while not page.locator("#standing figure svg").count():
        page.goto(link)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("window", WINDOWS)
def test_the_figure_stands_without_a_script(browser, address, window, scheme):
    context = visit(browser, window, java_script_enabled=False, color_scheme=scheme)
    page = context.new_page()
    warmed(page, f"{address}/promise?view=odds")
    assert page.locator("#standing h1").is_visible()
    assert page.locator("#standing .said").inner_text()
    seen = [one for one in page.locator("#standing figure svg").all() if one.is_visible()]
    assert len(seen) == 1
    ground = "rgb(253, 252, 250)" if scheme == "light" else "rgb(23, 22, 20)"
    looks = "e => getComputedStyle(e)"
    assert page.locator("#standing").evaluate(f"{looks}.backgroundColor") == ground
    box = seen[0].locator("rect").first
    assert box.evaluate(f"{looks}.fill") == ground
    context.close()


@pytest.mark.parametrize("link", by_ring(PAGES[1:2], PAGES, PAGES))
@pytest.mark.parametrize("window", WINDOWS)
def test_the_live_page_takes_the_place_of_the_one_that_stands(browser, address, window, link):
    context = visit(browser, window)
    page = context.new_page()
    warmed(page, f"{address}/{link}")
    page.wait_for_selector(LIVE)
    page.add_init_script(SHIFTS)
    page.goto(f"{address}/{link}")
    page.wait_for_selector(LIVE)
    page.wait_for_selector("#standing", state="detached")
    assert page.locator(".dpviz-stage .picture").is_visible()
    stood, live = page.evaluate("window.stood"), page.evaluate(PLACES)
    for part in ("figure", "said"):
        for side in ("x", "y", "width", "height"):
            assert abs(stood[part][side] - live[part][side]) <= WITHIN, (part, side, stood, live)
    assert page.evaluate("window.shifted") < 0.02
    assert page.evaluate(LARGEST) < 70_000  # Streamlit's have 170,000 and 90,000
    context.close()


@pytest.mark.parametrize("slug", by_ring(SLUGS[1:2], SLUGS, SLUGS))
def test_no_slider_moves_as_the_live_page_comes(browser, address, slug):
    """What is said below the slider of ε stood in the way of the others, on one of the pages."""
    context = visit(browser, "wide")
    context.add_init_script(SEEN)
    page = context.new_page()
    warmed(page, f"{address}/{slug}")
    page.wait_for_selector(LIVE)
    page.wait_for_selector("#standing", state="detached")
    before, after = page.evaluate("window.sliders"), page.evaluate(SLIDERS)
    assert before
    assert {key: after[key] for key in before} == pytest.approx(before, abs=WITHIN)
    context.close()


def test_a_page_that_fails_is_seen(browser, address):
    """What stands goes, too, where the live page has a message in place of the figure."""
    context = visit(browser, "wide")
    page = context.new_page()
    warmed(page, f"{address}/promise?view=odds")
    page.route(re.compile("/figure/"), lambda route: route.abort())
    page.goto(f"{address}/promise?view=odds")
    page.wait_for_selector(".dpviz-stage .message:not([hidden])")
    assert not page.locator("#standing").count()
    context.close()


def test_what_stands_asks_for_its_figure_before_streamlits_scripts_are_asked_for(browser, address):
    """On a slow line they came first, and it answered no sooner than Streamlit."""
    context = visit(browser, "wide")
    context.add_init_script(endless(scripts.PATIENCE))  # so they come because of the answer
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/promise?view=odds")
    page.wait_for_selector(LIVE)
    [figure, theirs] = (
        next(place for place, url in enumerate(asked) if part in url)
        for part in ("/figure/", "/static/js/")
    )
    assert figure < theirs
    context.close()


def test_streamlit_comes_where_a_script_of_ours_does_not(browser, address):
    context = visit(browser, "wide")
    page, failed = context.new_page(), []
    ours = re.compile(r"/scripts/\w+/all\.js$")
    page.route(ours, lambda route: (failed.append(route.request.url), route.abort()))
    page.goto(f"{address}/promise?view=odds")
    page.wait_for_selector(LIVE)
    page.wait_for_selector("#standing", state="detached")
    assert failed
    context.close()


@pytest.mark.parametrize("slug", SLUGS[:2])
def test_what_stands_measures_its_fonts_by_letters(browser, address, slug):
    """On the home page, which has no title, nothing was measured, and another face was taken."""
    context = visit(browser, "wide")
    context.add_init_script(PROBES)
    page = context.new_page()
    page.goto(f"{address}/{slug}")
    page.wait_for_selector(LIVE)
    probes = page.evaluate("window.probes")
    assert len(probes) == 2
    assert all(probes)
    context.close()
