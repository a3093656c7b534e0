"""What a reader without a mouse, or with a small screen, has to reach on every page."""

import pytest
from playwright.sync_api import expect

from tests.support.declarations import SLUGS, page
from tests.support.examples import chosen

STOPS = 8  # of the Tab key before the first thing that changes the figure
# Stops of the Tab key, also within components, in the order in which they come.
BEFORE = """() => {
    const near = (part, wanted) => part.closest(wanted)
        ?? (part.getRootNode().host && near(part.getRootNode().host, wanted));
    const within = root => [...root.querySelectorAll("*")]
        .flatMap(part => part.shadowRoot ? [part, ...within(part.shadowRoot)] : [part]);
    const stops = within(document)
        .filter(part => part.tabIndex >= 0 && !part.disabled && part.checkVisibility())
        .filter(part => part.matches("a[href], button, input, summary, [tabindex]"));
    const own = ".st-key-controls, .here-handle, .pull, .dpviz-stage button, "
        + ".read-by-keys, .st-key-further";
    return stops.findIndex(part => near(part, own));
}"""
CUT = """() => [...document.querySelectorAll("[role=tablist], .views")]
    .filter(row => row.checkVisibility() && row.scrollWidth > row.clientWidth + 1)
    .map(row => row.textContent)"""
VIEWS = [(slug, view.key) for slug in SLUGS for view in page(slug).views[::3]]
FIRST = [(slug, page(slug).views[0].key) for slug in SLUGS]


SPACED = """* { letter-spacing: .12em !important; line-height: 1.5 !important;
    word-spacing: .16em !important } p { margin-bottom: 2em !important }"""  # WCAG 1.4.12
OVER = """() => [...document.querySelectorAll(".stMain :is(button, summary)")]
    .filter(part => part.checkVisibility() && part.scrollHeight > part.clientHeight + 1)
    .map(part => part.textContent)"""
BROKEN = """() => {
    const main = document.querySelector(".stMain");
    const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const broken = [];
    while (texts.nextNode()) {
        const { currentNode: text } = texts;
        const { parentElement: part } = text;
        if (!part.checkVisibility() || part.closest("svg, pre")) continue;
        for (const { 0: word, index } of text.data.matchAll(/[\\p{L}]+/gu)) {
            const range = document.createRange();
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            const rows = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
            if (rows.size > 1) broken.push(word);
        }
    }
    return broken;
}"""


@pytest.mark.parametrize(("slug", "key"), chosen(FIRST, FIRST[1:3]))
def test_spaced_text_is_not_cut_and_in_a_small_window_no_word_is_broken(reader, slug, key):
    reader.open(slug, {"view": key})
    reader.settle()
    style = reader.page.add_style_tag(content=SPACED)
    reader.frames(2)
    assert reader.page.evaluate(OVER) == []
    style.evaluate("part => part.remove()")
    reader.page.set_viewport_size({"width": 320, "height": 800})  # of 1280 at 400 %
    reader.frames(2)
    assert reader.page.evaluate(BROKEN) == []


def test_the_menu_offers_what_is_of_use_here(reader):
    reader.open("promise")
    reader.page.locator("[data-testid=stMainMenu] button").click()
    menu = reader.page.locator("[data-testid=stMainMenuPopover]").first
    expect(menu.get_by_role("menuitem")).to_have_text(["Print"])
    expect(menu).not_to_contain_text("Streamlit", use_inner_text=True)


def test_arrows_go_from_view_to_view(reader):
    reader.open("promise")
    links = reader.page.locator(".stMain .views a")
    links.first.focus()
    for key, at in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        reader.page.keyboard.press(key)
        expect(links.nth(at)).to_be_focused()
    reader.page.keyboard.press("Enter")
    reader.wait_for_query(view=page("promise").views[1].key)


@pytest.mark.parametrize(("slug", "key"), chosen(VIEWS, FIRST))
def test_the_way_to_the_controls_is_short_and_no_tab_is_cut_on_a_phone(reader, slug, key):
    reader.open(slug, {"view": key})
    reader.page.wait_for_selector(".stMain[tabindex='-1']")
    reader.page.keyboard.press("Tab")
    assert 0 < reader.page.evaluate(BEFORE) <= STOPS
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.frames(2)
    assert reader.page.evaluate(CUT) == []
    for icon in reader.page.get_by_role("button", name="Help for").all():
        box = icon.bounding_box()
        assert box is None or min(box["width"], box["height"]) >= 24
    reader.page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.parametrize("view", [view.key for view in page("").views])
def test_the_figure_of_the_home_page_ends_above_the_lower_edge_of_a_laptop(reader, view):
    reader.page.set_viewport_size({"width": 1366, "height": 768})
    reader.open("", {"view": view})
    reader.page.wait_for_function("""() => {
        const drawn = document.querySelector(".dpviz-stage .plot > svg");
        return drawn?.getBoundingClientRect().bottom <= innerHeight;
    }""")
    reader.page.set_viewport_size({"width": 1280, "height": 800})


def test_from_home_a_key_goes_through_the_menu_a_card_is_one_link_and_two_clicks_open_what_is_found(
    reader,
):
    reader.page.set_viewport_size({"width": 1366, "height": 768})
    reader.page.goto(reader.address)
    reader.settle()
    reader.page.wait_for_function("""() => {
        const picture = document.querySelector(".st-key-map img");
        picture?.scrollIntoView({ block: "center" });
        const { left, top, width, height } = picture?.getBoundingClientRect() ?? {};
        const middle = picture && [left + width / 2, top + height / 2];
        return middle && document.elementFromPoint(...middle)?.matches("a");
    }""")
    reader.page.evaluate("() => (document.querySelector('.stMain').scrollTop = 0)")
    menu, body = reader.key("header").get_by_role("button", name="Pages"), reader.key("pages")
    menu.press("Enter")
    links = body.get_by_role("link")
    expect(links.last).to_be_in_viewport(ratio=1)
    menu.press("Tab")
    expect(links.first).to_be_focused()
    links.last.press("Tab")
    expect(body).to_be_hidden()
    expect(reader.key("ways").get_by_role("link").first).to_be_focused()
    reader.key("ways").get_by_role("link").last.click()
    field = reader.key("index-q").locator("input")
    field.fill("Table 1")
    field.press("Enter")
    reader.key("found").get_by_role("link").first.click()
    expect(reader.key("at-figure")).to_contain_text("All bounds for pure DP")
    expect(reader.key("at-figure").locator("table").last).to_be_in_viewport()
    reader.page.goto(f"{reader.address}/index?q=why+δ")
    reader.key("found").get_by_role("link", name="What δ allows").click()
    section = reader.key("prose").locator("details[open]")
    expect(section.locator("summary")).to_contain_text("What δ allows")
    expect(section).to_be_in_viewport()
    reader.page.set_viewport_size({"width": 1280, "height": 800})


def test_a_table_wider_than_a_phone_is_scrolled_by_keys_and_the_menu_lies_over_no_words(reader):
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.page.goto(f"{reader.address}/glossary")
    reader.settle()  # a page that stands has no table yet to be scrolled by keys
    table = reader.page.locator(".stMarkdown table")
    expect(table).to_have_attribute("tabindex", "0")
    table.focus()
    reader.page.keyboard.press("ArrowRight")
    reader.page.wait_for_function("() => document.querySelector('table').scrollLeft > 0")
    menu = reader.page.locator(".stAppHeader")
    expect(menu).to_be_hidden()
    reader.page.evaluate("() => (document.querySelector('.stMain').scrollTop = 0)")
    expect(menu).to_be_visible()
    reader.page.set_viewport_size({"width": 1280, "height": 800})


def test_words_around_a_figure_are_one_stop_and_arrows_lead_on(reader):
    reader.open("shared_darts", {"view": "board"})
    words = reader.page.locator(".dpviz-stage .term:visible")
    stops = reader.page.locator(".dpviz-stage .term[tabindex='0']")
    expect(stops).to_have_count(1)
    in_sight = words.count()
    reader.page.get_by_text("In detail").click()
    assert words.count() > in_sight > 0
    words.first.focus()
    reader.page.keyboard.press("ArrowRight")
    expect(words.nth(1)).to_be_focused()
    reader.page.keyboard.press("ArrowLeft")
    reader.page.keyboard.press("ArrowLeft")
    expect(words.last).to_be_focused()


def test_what_a_click_changes_below_or_above_the_window_comes_into_it(reader):
    reader.open("clipping", {"view": "user"})
    reader.page.set_viewport_size({"width": 1280, "height": 720})
    reader.settle()
    reader.page.get_by_text("In detail").click()
    expect(reader.page.locator(".dpviz-stage .detail")).to_be_in_viewport(ratio=1)
    preset = reader.key("preset-0").get_by_role("button")
    preset.evaluate("part => part.scrollIntoView({ block: 'start' })")
    expect(reader.takeaway).not_to_be_in_viewport()
    preset.click()
    expect(reader.takeaway).to_be_in_viewport(ratio=1)
    reader.page.set_viewport_size({"width": 1280, "height": 800})


def test_a_screen_reader_finds_landmarks_and_no_glued_words(reader):
    reader.open("user_complexity", {"view": "truth"})
    expect(reader.page.get_by_role("navigation", name="dpviz")).to_have_count(1)
    expect(reader.page.get_by_role("main")).to_have_count(1)
    expect(reader.page.get_by_role("heading", level=1)).to_have_count(1)
    tree = reader.page.locator(".dpviz-stage .plot").aria_snapshot()
    assert tree.startswith("- figure")
    assert "text:" not in tree
    # What was announced is not read a second time.
    expect(reader.page.locator(".dpviz-stage .spoken")).to_be_empty()
