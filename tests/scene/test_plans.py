"""Plans for a class, a term and reading groups: their links open, and what they say adds up."""

import re
from urllib.parse import parse_qsl

import pytest

from dpviz.results.folders import ROOT
from dpviz.scene import coverage
from dpviz.scene.catalogue import GUIDES, entry
from dpviz.scene.codec import decode_address
from dpviz.scene.lectures import AUDIENCES, shipped
from dpviz.scene.scene import Scene
from tests.support.declarations import SLUGS, page

PLANS = dict(entry("lectures").sections())
LINK = re.compile(r"\[[^\]]+\]\((?:http://localhost:8501/)([^)]*)\)")
LINKS = [
    pytest.param(*address.partition("?")[::2], id=address)
    for address in dict.fromkeys(link for text in PLANS.values() for link in LINK.findall(text))
]
PAPERS = {
    "bounded noise": "bn",
    "users with few examples": "ul",
    "correlated sampling": "cs",
    "public data": "pd",
}
TEACHING = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("slug", "query"), LINKS)
def test_every_link_of_a_plan_opens_what_it_names(slug, query):
    given = dict(parse_qsl(query, strict_parsing=bool(query)))
    if name := given.get("lecture"):
        number, lecture = int(given["scene"]), shipped()[name]
        assert slug == lecture.scenes[number - 1].page
        assert given in (opened := lecture.query(number, name), opened | {"present": "1"})
    elif slug in {guide.slug for guide in GUIDES}:
        assert given.keys() <= {"topic"}
        assert given.get("topic", SLUGS[-1]) in SLUGS
    else:
        values, notes = decode_address(
            {key: [text] for key, text in given.items()}, page(slug).url_parameters
        )
        assert not notes
        assert given["view"] == values["view"]
        assert not Scene.opened(page(slug), values).reset


def test_no_link_of_a_plan_leads_elsewhere():
    for text in PLANS.values():
        assert len(LINK.findall(text)) == text.count("](") > 5


def test_the_minutes_of_a_class_follow_on_each_other_and_leave_each_scene_its_own():
    end, scenes = 0, 0
    for row in re.findall(r"^- (.*(?:\n  .*)*)", PLANS["90 minutes"], re.MULTILINE):
        first, last = map(int, re.match(r"\*\*(\d+)–(\d+)\*\*", row).groups())
        assert first == end < last
        end = last
        slug, _, query = LINK.search(row)[1].partition("?")
        named = dict(parse_qsl(query))
        if "lecture" in named and "present" not in named:
            scene = shipped()[named["lecture"]].scenes[int(named["scene"]) - 1]
            assert (slug, last - first) == (scene.page, scene.planned)
            scenes += 1
    assert (end, scenes) == (90, 14)


@pytest.mark.parametrize("about", PAPERS)
def test_a_reading_group_sees_the_results_it_has_read(about):
    known = {item.name: item for item in coverage.coverage(PAPERS[about]).items}
    sessions = re.split(r"^\*\*Session \d\. ", PLANS[f"Reading group on {about}"], flags=re.M)[1:]
    assert 3 <= len(sessions) <= 4
    for session in sessions:
        results, views, asked = session.split("\n- ")[1:]
        assert asked.startswith("Ask: ")
        seen = {
            f"{slug}/{dict(parse_qsl(query))['view']}"
            for slug, _, query in (link.partition("?") for link in LINK.findall(views))
        }
        used = set()
        for name in " ".join(results.split()).rstrip(".").split(", "):
            live = {place.partition("?")[0] for place in known[name].live}
            assert live & seen, f"{name} is in none of the views of its session"
            used |= live & seen
        assert used == seen, "a view shows nothing that was read"


def test_the_document_on_teaching_lists_every_plan_and_every_lecture():
    for title in PLANS:
        section = title.lower().replace(" ", "-")
        assert f"[{title}](../assets/prose/lectures.md#{section})" in TEACHING
    rows = [
        f"| {lecture.title} | {words} | {len(lecture.scenes)} | {lecture.minutes} |"
        for words, audience in zip(("newcomers", "students", "researchers"), AUDIENCES, strict=True)
        for lecture in shipped().values()
        if lecture.audience == audience
    ]
    assert "\n".join(rows) in TEACHING


@pytest.mark.parametrize("name", shipped())
def test_every_scene_that_ships_has_notes_and_its_minutes(name):
    for scene in shipped()[name].scenes:
        assert 2 <= len(re.findall(r"[.?](?:\s|$)", scene.notes)) <= 6
        assert scene.minutes > 0
