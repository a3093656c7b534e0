"""How a page is shown, as its address says: at which scene of a lecture, to whom, with what."""

import pytest

from dpviz.scene.catalogue import entry
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import FIRST, TEXT, shipped
from dpviz.scene.scene import Scene
from dpviz.scene.showing import AS_IT_IS, position, showing
from tests.support.declarations import page

PATH = shipped()[FIRST]


def at(number, **modes):
    """How a scene of the path is shown."""
    query = PATH.query(number, FIRST) | modes
    declared = page(PATH.scenes[number - 1].page)
    values = {p.key: p.read(query[p.key], 0)[0] for p in declared.url_parameters if p.key in query}
    scene = Scene.settled(declared, declared.usual(values["view"]) | values)
    return showing(declared.slug, query, scene), scene


def test_a_page_as_it_is_has_no_steps():
    assert showing("promise", {}, None) == AS_IT_IS
    assert not AS_IT_IS.has_steps
    assert AS_IT_IS.labels == "few"


@pytest.mark.parametrize("number", range(1, len(PATH.scenes) + 1))
def test_a_scene_of_the_path_asks_first_and_has_one_control(number):
    shown, _ = at(number)
    assert shown.asks
    assert shown.only == PATH.scenes[number - 1].control
    assert (shown.alone, shown.has_steps, shown.labels) == (True, True, "only")
    assert shown.position.heading == PATH.scenes[number - 1].prompt
    assert shown.position.notes == ""


def test_before_a_class_a_scene_of_the_path_is_for_no_reader_alone():
    shown, _ = at(2, present="1")
    assert (shown.presenting, shown.alone) == (True, False)
    _, query = shown.position.link(3)
    assert query["present"] == "1"


def test_ways_lead_to_the_next_scene_and_to_the_end():
    last = len(PATH.scenes)
    here = position("few_users", {"lecture": FIRST, "scene": str(last)})
    before, query = here.link(last - 1)
    assert before == entry(PATH.scenes[last - 2].page)
    assert query == PATH.query(last - 1, FIRST)
    assert "ask" not in here.link(last - 1, again=True)[1]
    assert here.last == last + 1
    end, query = here.link(last + 1)
    assert (end, query) == (entry(TEXT), {"lecture": FIRST, "scene": str(last + 1)})
    there = position(TEXT, query)
    assert (there.at_end, there.how_far, there.heading) == (True, "the end", "What did you see?")


@pytest.mark.parametrize(("text", "number"), [("0", 1), ("x", 1), ("99", 9), ("9999", 1), ("٣", 1)])
def test_a_number_that_is_no_scene_is_the_nearest_or_the_first(text, number):
    assert position("promise", {"lecture": FIRST, "scene": text}).number == number


def test_a_lecture_that_is_none_is_said():
    with pytest.raises(LectureError):
        showing("promise", {"lecture": "nosuch"}, None)
