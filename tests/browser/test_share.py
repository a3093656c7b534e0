"""What leaves the app: pages within other pages, links and files."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from dpviz.scene.catalogue import GUIDES, entry
from dpviz.scene.scene import Scene
from dpviz.serve import files
from tests.support.declarations import SLUGS, page
from tests.support.examples import chosen, only_in_ci
from tests.support.reader import Reader


# The frame does it: one page shows it, and the home page.
@pytest.mark.parametrize("slug", chosen(SLUGS[:2], SLUGS[1:2]))
def test_a_page_within_another_is_bare_and_leads_to_the_same_state(window, address, slug):
    declared = page(slug)
    values = {p.key: p.default for p in declared.url_parameters}
    if declared.presets:
        values = declared.preset_values(declared.presets[-1])
    link = f"{address}/{slug}?{urlencode(Scene.opened(declared, values).query)}"
    with Reader.within(window, address) as reader:
        reader.page.goto(f"{address}/_stcore/health")  # a page of the same site, to frame it in
        reader.page.set_content(files.iframe(link, "A figure"))
        frame = reader.page.frame_locator("iframe")
        expect(frame.locator("h1").first).to_have_text(entry(slug).question)
        frame.locator(".dpviz-stage .plot path").first.wait_for(state="attached")
        for absent in ("header", "prose", "why", "map", "questions"):
            expect(frame.locator(f".st-key-{absent}")).to_have_count(0)
        expect(frame.locator(".stAppToolbar")).to_have_count(0)
        takeaway = frame.locator(".dpviz-stage .takeaway").inner_text()
        way_out = frame.get_by_role("link", name="Open in dpviz")
        with reader.page.expect_popup() as opened:
            way_out.click()
        whole = opened.value
        whole.wait_for_selector(".st-key-prose", state="attached")
        assert "embed" not in whole.url
        assert dict(parse_qsl(urlsplit(whole.url).query)) == dict(parse_qsl(urlsplit(link).query))
        expect(whole.locator(".dpviz-stage .takeaway")).to_have_text(takeaway)
        expect(whole.locator(".st-key-header")).to_be_visible()


@pytest.mark.parametrize("slug", chosen([guide.slug for guide in GUIDES], [GUIDES[0].slug]))
def test_a_guide_within_another_page_leads_out(window, address, slug):
    with Reader.within(window, address) as reader:
        reader.page.goto(f"{address}/{slug}?embed=true")
        expect(reader.page.locator("#root h1")).to_have_text(entry(slug).question)
        expect(reader.key("header")).to_have_count(0)
        link = reader.page.get_by_role("link", name="Open in dpviz")
        with reader.page.expect_popup() as opened:
            link.click()
        assert urlsplit(opened.value.url).path == f"/{slug}"
        expect(opened.value.locator(".st-key-header")).to_be_visible()


@only_in_ci
def test_the_link_the_frame_and_the_files_of_a_view(reader, chromium, tmp_path):
    slug, query = "shared_darts", {"view": "joint", "gap": "1.5"}
    reader.open(slug, query)
    takeaway = reader.takeaway.inner_text()
    codes = reader.open_evidence("Share").locator("code")
    codes.nth(1).wait_for()
    link, frame = codes.nth(0).inner_text(), codes.nth(1).inner_text()
    assert f"{link}&tab=share" == reader.page.url  # whoever follows it looks at the figure
    assert "embed=true" in frame
    expected = {
        "svg": takeaway.split(";")[0][:40],
        "html": entry(slug).question,
        "csv": "pick_p,pick_q,",
        "py": "from dpviz.topics.shared_darts.views.both_picks_together import both_picks_together",
        "bib": "@inproceedings{ghazi2021user,",
    }
    for kind in (*expected, "png"):
        button = reader.key(f"file-{kind}").get_by_role("button")
        with reader.page.expect_download() as download:
            button.click()
        assert download.value.suggested_filename == f"dpviz-{slug}-joint.{kind}"
        file = tmp_path / f"file.{kind}"
        download.value.save_as(file)
        if kind in expected:
            assert expected[kind] in file.read_text(encoding="utf-8")
        else:
            assert file.read_bytes().startswith(b"\x89PNG")
    _works_without_a_server(chromium, tmp_path / "file.html", entry(slug).question)
    reader.open("")
    reader.open(slug, dict(parse_qsl(urlsplit(link).query)))
    expect(reader.takeaway).to_have_text(takeaway)


def _works_without_a_server(chromium, file, question):
    context = chromium.new_context(offline=True)
    with Reader.within(context, "") as reader:
        reader.page.goto(file.as_uri())
        words = reader.page.locator("figure").inner_text()
        assert question in words
        axes = reader.page.locator(".plot > svg > .axes").bounding_box()
        reader.page.mouse.move(axes["x"] + axes["width"] / 2, axes["y"] + axes["height"] / 2)
        expect(reader.page.locator(".read-off")).to_contain_text(re.compile(r"\d"))
        assert reader.page.evaluate("document.fonts.check('15px \"Source Sans\"')")
    context.close()
