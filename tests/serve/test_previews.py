"""What a crawler without JavaScript sees of a link, and what it may ask for beside it."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.caching import Cache
from dpviz.scene import showing
from dpviz.scene.catalogue import GUIDES, HOME, PAGES, entry
from dpviz.scene.codec import decode_link
from dpviz.scene.lectures import FIRST, TEXT, Lecture, LectureScene, pack, shipped
from dpviz.serve import pictures, previews
from dpviz.serve.computing import RESULTS
from dpviz.serve.jobs import BusyError
from tests.serve.asgi import SHELL, ask
from tests.support.declarations import SLUGS, page
from tests.support.examples import examples

LINK = {"view": "noise", "epsilon": "0.5", "queries": "1000"}


class Crawler(HTMLParser):
    """Reads what a chat program reads: the title, the meta tags and what needs no script."""

    def __init__(self, html):
        super().__init__()
        self.meta, self.links, self.images, self.tags, self.title = {}, {}, [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.tags.append(tag)
        if tag == "meta" and (key := named.get("property") or named.get("name")):
            self.meta[key] = named["content"]
        elif tag == "link":
            self.links[named["rel"]] = named["href"]
        elif tag == "img":
            self.images.append(named["src"])

    def handle_data(self, data):
        if self.tags[-1:] == ["title"] and not self.title:
            self.title = data


def present_of(present):
    return {"present": present} if present else {}


def untagged(html):
    return unescape(re.sub("<[^>]*>", "", html))


def crawled(slug, query="", **headers):
    answer = ask(f"/{slug}", query, **headers)
    assert answer.status == 200
    return Crawler(answer.content.decode())


@pytest.fixture
def _patient(monkeypatch):
    """However busy the machine, the sentence is waited for."""
    monkeypatch.setattr(previews, "_MOMENT", 600)


@pytest.mark.usefixtures("_patient")
def test_a_link_unfolds_to_the_question_the_sentence_and_the_picture():
    seen = crawled("bounded_noise", LINK)
    shown = ask("/figure/bounded_noise/noise", LINK).last
    assert seen.title == "Bounded noise · dpviz"
    assert seen.meta["og:title"] == entry("bounded_noise").question
    assert seen.meta["og:description"] == seen.meta["description"] == untagged(shown["takeaway"])
    assert seen.meta["twitter:card"] == "summary_large_image"
    where = urlsplit(seen.meta["og:image"])
    assert where.path == "/picture/bounded_noise/noise.png"
    assert parse_qs(where.query)["epsilon"] == ["0.5"]
    assert {"figure", "svg"} <= set(seen.tags)
    assert not seen.images
    picture = ask(where.path, where.query)
    assert picture.content.startswith(b"\x89PNG")
    again = crawled("bounded_noise", urlsplit(seen.links["canonical"]).query)
    assert again.meta == seen.meta


@pytest.mark.usefixtures("_patient")
@pytest.mark.parametrize("slug", SLUGS)
def test_every_page_says_what_it_is(slug):
    seen = crawled(slug)
    assert seen.meta["og:title"] == entry(slug).question
    assert seen.meta["og:description"]
    assert urlsplit(seen.links["canonical"]).path == f"/{slug}"
    assert not urlsplit(seen.links["canonical"]).query


def test_guides_have_a_title_and_no_picture():
    for guide in GUIDES:
        seen = crawled(guide.slug)
        assert seen.title == f"{guide.title} · dpviz"
        assert "og:image" not in seen.meta


def test_the_page_is_streamlits_own_otherwise():
    html = ask("/promise").content.decode()
    for line in SHELL.read_text(encoding="utf-8").splitlines():
        if not any(part in line for part in ("<title>", "</head>", "</body>", "SourceSans")):
            assert line.strip() in html


@given(
    st.dictionaries(
        st.sampled_from(["epsilon", "view", "lecture", "present", "x", "<b>"]),
        st.one_of(
            st.text(max_size=20),
            st.sampled_from(['"><script>alert(1)</script>', "nan", "-1", "1e999", "'", "\ud800"]),
        ),
    )
)
@examples(60)
def test_nothing_of_a_link_becomes_markup(query):
    text = urlencode({k: v.encode("utf-8", "replace").decode() for k, v in query.items()})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(previews, "_MOMENT", 0)
        seen = crawled("promise", text)
    ours = 3 + seen.tags.count("figure")  # what begins, and what a page that stands knows
    assert seen.tags.count("script") == SHELL.read_text(encoding="utf-8").count("<script") + ours
    assert "b" not in seen.tags


def test_a_page_does_not_wait_while_others_compute(monkeypatch):
    class Busy:
        def __len__(self):
            return 1

    RESULTS.clear()
    monkeypatch.setattr(previews, "SCHEDULER", Busy())
    seen = crawled("bounded_noise", LINK)
    assert "og:description" not in seen.meta
    assert seen.meta["og:image"]


def test_the_loop_of_a_busy_server_reads_no_lecture(monkeypatch):
    """What a stranger packed is read by threads that are counted, or by none."""

    class Full:
        async def do(self, *_):
            raise BusyError

    def unpack(text):
        raise AssertionError(text)

    monkeypatch.setattr(previews, "STARTS", Full())
    monkeypatch.setattr(showing, "unpack", unpack)
    seen = crawled("promise", {"lecture": FIRST, "scene": "1"})
    assert seen.meta["og:title"] == entry("promise").question


def test_a_link_of_too_many_parts_is_read_as_none():
    seen = crawled("promise", "&".join(f"epsilon={i}" for i in range(999)))
    assert not urlsplit(seen.links["canonical"]).query


def test_what_cannot_be_computed_leaves_the_question():
    seen = crawled("clipping", {"view": "real", "data": "own"})
    assert seen.meta["og:title"] == entry("clipping").question
    assert "og:image" not in seen.meta


def test_robots_find_every_page_and_every_link_is_one_of_ours():
    robots = ask("/robots.txt").content.decode()
    [address] = re.findall(r"^Sitemap: (.+)$", robots, re.MULTILINE)
    root = ET.fromstring(ask(urlsplit(address).path).content)
    links = [urlsplit(place.text) for place in root.iter(f"{root.tag[:-6]}loc")]
    assert {link.path.strip("/") for link in links} == {e.slug for e in (HOME, *PAGES, *GUIDES)}
    for link in links:
        if link.query:
            declared = page(link.path.strip("/"))
            given = {key: [value] for key, value in parse_qsl(link.query)}
            _, notes = decode_link(given, declared.url_parameters)
            assert not notes


def test_another_site_learns_how_to_show_a_link():
    link = f"http://testserver/promise?{urlencode({'epsilon': '2'})}"
    answer = json.loads(ask("/oembed", {"url": link, "maxwidth": "600"}).content)
    assert (answer["type"], answer["version"], answer["width"]) == ("rich", "1.0", 600)
    [source] = re.findall(r'src="([^"]+)"', answer["html"])
    query = parse_qs(urlsplit(source.replace("&amp;", "&")).query)
    assert (query["epsilon"], query["embed"]) == (["2"], ["true"])


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"url": "http://elsewhere/promise"}, 404),
        ({"url": "http://testserver/nothing"}, 404),
        ({"url": "http://[garbled"}, 404),
        ({}, 404),
        ({"url": "http://testserver/promise", "format": "xml"}, 501),
    ],
)
def test_what_is_not_ours_is_not_shown(query, status):
    assert ask("/oembed", query).status == status


@pytest.mark.parametrize("path", ["x/y.png", "promise/y.png", "promise/attackers.gif"])
def test_there_are_no_other_pictures(path):
    assert ask(f"/picture/{path}").status == 404


def test_a_picture_is_drawn_once_for_everybody(monkeypatch):
    monkeypatch.setattr(pictures, "PICTURES", Cache(2**20))
    first = ask("/picture/promise/odds.svg", {"epsilon": "0.7"})
    monkeypatch.setattr(pictures, "finest", None)  # nothing is computed again
    second = ask("/picture/promise/odds.svg", {"epsilon": "0.70"})
    assert first.content == second.content
    assert first.headers["etag"] == second.headers["etag"]
    assert b"epsilon=0.7&amp;" in first.content


def test_a_picture_that_takes_too_long_is_refused_in_words(monkeypatch):
    monkeypatch.setattr(pictures, "finest", lambda *_: None)
    answer = ask("/picture/promise/odds.svg", {"epsilon": "0.123"})
    assert (answer.status, answer.headers["cache-control"]) == (503, "no-store")


def test_what_holds_our_components_and_words_comes_with_the_page():
    """Else a browser asks for it only when the script has run."""
    html = ask("/clipping").content.decode()
    early = re.findall(r'<link rel="modulepreload" crossorigin href="./static/js/([^"]+)"', html)
    assert len(early) == len(set(early))
    for holder in ("BidiComponent.", "StreamlitMarkdown."):
        assert sum(name.startswith(holder) for name in early) == 1
    folder = SHELL.with_name("static") / "js"
    for name in early:
        imported = re.findall(r'from"./([^"]+)"', (folder / name).read_text(encoding="utf-8"))
        assert all(other in html for other in imported)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("scene", "present"), [("1", ""), ("4", "1"), ("9", ""), (None, "")])
def test_the_page_of_lectures_leads_to_the_scene_that_a_link_names(scene, present, packed):
    path = shipped()[FIRST]
    text = pack(path) if packed else FIRST
    asked = {"lecture": text} | present_of(present)
    answer = ask("/lectures", asked | ({} if scene is None else {"scene": scene}))
    assert answer.status == 302
    place = urlsplit(answer.headers["location"])
    number = int(scene or "1")
    assert place.path == f"./{path.scenes[number - 1].page}"
    assert not place.netloc
    wanted = path.query(number, text) | present_of(present)
    assert dict(parse_qsl(place.query)) == wanted


@pytest.mark.parametrize("scene", ["0", "10", "-1", "nan", "1e9", "٣", "4" * 5000])
def test_the_end_of_a_lecture_is_on_the_page_of_lectures(scene):
    assert ask("/lectures", {"lecture": FIRST, "scene": scene}).status == 200
    assert ask("/lectures", {"lecture": "no-such-lecture", "scene": "1"}).status == 200


def test_a_scene_of_text_is_on_the_page_of_lectures_and_leads_nowhere_else():
    lecture = pack(Lecture("t", (LectureScene(TEXT, {}, "?", text="words"),)))
    assert ask("/lectures", {"lecture": lecture, "scene": "1"}).status == 200
