"""What leaves the app: pictures of every figure, pages within other pages, links and files."""

import struct
import xml.etree.ElementTree as ET
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from dpviz.plot import export
from dpviz.plot.export import WIDTH, framed, pictures
from dpviz.plot.theme import LIGHT
from dpviz.scene.catalogue import GUIDES, entry
from dpviz.scene.scene import Scene
from dpviz.serve import exports
from tests.support.declarations import SLUGS, opening, page
from tests.support.examples import chosen, only_in_long_run
from tests.support.reader import Reader

SVG = "{http://www.w3.org/2000/svg}"
PATIENCE = 600.0  # seconds, on however busy a machine


def defaults(slug, key):
    usual = {p.key: p.default for p in page(slug).url_parameters}
    return usual | ({"view": key} if "view" in usual else {})


@only_in_long_run
@pytest.mark.usefixtures("chromium")
def test_every_figure_becomes_a_picture(monkeypatch):
    monkeypatch.setattr(export, "_DRAWING", PATIENCE)
    figures = {}
    every = [(slug, view.key) for slug in SLUGS for view in page(slug).views]
    for slug, key in every:
        found, values = opening(page(slug), key), defaults(slug, key)
        scene = Scene(page(slug), page(slug).open_view(values), values)
        words = exports.words(entry(slug).question, scene, found, f"/{slug}?x=1")
        figures[slug, key] = framed(scene.view.figure(found.result, LIGHT), words), words
    vectors = pictures([(figure, "svg") for figure, _ in figures.values()], starting=PATIENCE)
    for (figure, words), vector in zip(figures.values(), vectors, strict=True):
        assert_svg(vector, figure, words)
    some = [figure for figure, _ in figures.values()][::3]
    images = pictures([(figure, "png") for figure in some], starting=PATIENCE)
    for figure, data in zip(some, images, strict=True):
        assert data.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", data[16:24])
        assert width == 2 * WIDTH
        assert abs(height - 2 * figure.layout["height"]) <= 2
        assert len(data) > 20_000


def assert_svg(data, figure, words):
    root = ET.fromstring(data)
    assert float(root.attrib["width"]) == WIDTH
    assert abs(float(root.attrib["height"]) - figure.layout["height"]) <= 1
    text = " ".join("".join(part.itertext()) for part in root.iter(f"{SVG}text"))
    flat = " ".join(text.split())
    for told in (words.question, words.sentence, words.state, words.sources):
        assert " ".join(told.split()) in flat
    assert sum(1 for _ in root.iter(f"{SVG}path")) > 5
    assert "data:font/woff2" in root.find(f"{SVG}style").text
    assert not [
        part for part in root.iter(f"{SVG}image") if "http" in str(list(part.attrib.values()))
    ]


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
        reader.page.set_content(exports.iframe(link, "A figure"))
        frame = reader.page.frame_locator("iframe")
        expect(frame.locator("h1")).to_have_text(entry(slug).question)
        frame.locator(".dpviz-stage .main-svg .trace").first.wait_for(state="attached")
        for absent in ("header", "folds", "map", "questions"):
            expect(frame.locator(f".st-key-{absent}")).to_have_count(0)
        expect(frame.locator(".stAppToolbar")).to_have_count(0)
        takeaway = frame.locator(".dpviz-stage .takeaway").inner_text()
        way_out = frame.get_by_role("link", name="Open in dpviz")
        with reader.page.expect_popup() as opened:
            way_out.click()
        whole = opened.value
        whole.wait_for_selector(".st-key-folds .stExpander", state="attached")
        assert "embed" not in whole.url
        assert dict(parse_qsl(urlsplit(whole.url).query)) == dict(parse_qsl(urlsplit(link).query))
        expect(whole.locator(".dpviz-stage .takeaway")).to_have_text(takeaway)
        expect(whole.locator(".st-key-header")).to_be_visible()


@pytest.mark.parametrize("slug", chosen([guide.slug for guide in GUIDES], [GUIDES[0].slug]))
def test_a_guide_within_another_page_leads_out(window, address, slug):
    with Reader.within(window, address) as reader:
        reader.page.goto(f"{address}/{slug}?embed=true")
        expect(reader.page.locator("h1")).to_have_text(entry(slug).question)
        expect(reader.key("header")).to_have_count(0)
        link = reader.page.get_by_role("link", name="Open in dpviz")
        with reader.page.expect_popup() as opened:
            link.click()
        assert urlsplit(opened.value.url).path == f"/{slug}"
        expect(opened.value.locator(".st-key-header")).to_be_visible()


@only_in_long_run
def test_the_link_the_frame_and_the_files_of_a_view(reader, chromium, tmp_path):
    slug, query = "shared_darts", {"view": "joint", "gap": "1.5"}
    reader.open(slug, query)
    takeaway = reader.takeaway.inner_text()
    reader.open_fold("fold-share")
    codes = reader.key("fold-share").locator("code")
    codes.nth(1).wait_for()
    link, frame = codes.nth(0).inner_text(), codes.nth(1).inner_text()
    assert link == reader.page.url
    assert "embed=true" in frame
    expected = {
        "svg": takeaway.split(";")[0][:40],
        "html": entry(slug).question,
        "csv": "pick_p,pick_q,",
        "py": "from dpviz.topics.shared_darts.views.joint import joint_laws",
        "bib": "@inproceedings{ghazi2021user,",
    }
    for kind in (*expected, "png"):
        button = reader.key(f"export-{kind}").get_by_role("button")
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
        reader.page.locator(".main-svg .trace, .main-svg .hm").first.wait_for(state="attached")
        words = reader.page.locator("figure").inner_text()
        assert question in words
        assert reader.page.evaluate("document.fonts.check('15px \"Source Sans\"')")
    context.close()
