"""What one browser tab knows, without a browser."""

import re
from types import SimpleNamespace

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dpviz.results.folders import ROOT
from dpviz.scene.codec import encode
from dpviz.scene.scene import Scene
from dpviz.ui import session
from dpviz.ui.session import Session
from tests.support.declarations import page
from tests.support.sample import PAGE


def scene(**values):
    return Scene.opened(PAGE, {p.key: p.default for p in PAGE.url_parameters} | values)


def test_a_guess_counts_for_the_scene_it_was_made_about():
    tab = Session()
    assert tab.guess_about(scene()) is None
    tab.predict(scene(epsilon=0.5), 100)
    assert tab.guess_about(scene(epsilon=0.5)) == 100
    assert tab.guess_about(scene(epsilon=0.5, seed=3)) == 100  # this view draws nothing at random
    assert tab.guess_about(scene(epsilon=0.6)) is None
    assert tab.guess_about(scene(epsilon=0.5, view="refined")) is None


def test_modes_come_and_go_and_only_the_large_view_follows_to_other_pages():
    tab = Session(carried={"epsilon": "1"})
    tab.enter("present")
    tab.enter("ask")
    assert tab.presenting
    assert tab.predicts_first
    assert tab.carried_query == {"epsilon": "1", "present": "1"}
    tab.leave("present", "ask", note="gone")
    assert not tab.modes
    assert tab.notes == ("gone",)
    assert tab.carried_query == {"epsilon": "1"}


def test_a_refusal_is_said_once():
    tab = Session(refusal="damaged")
    assert (tab.take_refusal(), tab.take_refusal()) == ("damaged", "")


def test_a_forgotten_file_takes_its_token_along():
    tab = Session()
    token, tab.file.seen = tab.grant.token, "x"
    tab.grant.own = {"own": object()}
    tab.grant.answers[("a game",)] = "io"
    tab.forget_file()
    assert tab.grant.answers == {("a game",): "io"}
    assert tab.grant.token != token
    assert not tab.grant.own
    assert not tab.file.seen
    assert tab.files == 1


def test_a_round_is_answered_once_and_only_while_there_are_rounds():
    declared, tab = page("promise"), Session()
    values = {p.key: p.default for p in declared.url_parameters}
    scene = Scene.opened(declared, values)
    for letter, number in (("i", 1), ("o", 1), ("x", 2), ("o", 2), ("i", 4)):
        tab.answer(scene, letter, number)
    assert tab.grant.answers == {scene.about: "io"}
    for number in range(3, 30):
        tab.answer(scene, "o", number)
    assert len(tab.grant.answers[scene.about]) == 20
    other = Scene.opened(declared, values | {"epsilon": 2.0})
    assert not tab.grant.lent(other)
    assert tab.grant.lent(scene) == {"guesses": tab.grant.answers[scene.about]}


def test_who_goes_back_and_forward_before_a_page_is_drawn_sees_each(monkeypatch):
    """Forward to the address that was written last stayed where Back had led."""
    declared, address, back = page("promise"), {}, [False]
    monkeypatch.setattr(session, "_query", lambda: {k: [v] for k, v in address.items()})
    monkeypatch.setattr(session, "_is_in_history", lambda: back[0])
    monkeypatch.setattr(session.st, "query_params", SimpleNamespace(from_dict=address.update))
    tab = Session()

    def seen(epsilon, *, drawn, by=None):
        address["epsilon"], back[0], tab.changed = epsilon, by == "history", by == "widget"
        values = tab.begin("promise", declared.url_parameters)
        if drawn:
            tab.commit(encode(values, declared.url_parameters))
        return values["epsilon"]

    assert seen("10", drawn=True) == 10
    for epsilon in ("0.1", "10", "0.1", "1"):
        assert seen(epsilon, drawn=False, by="history") == float(epsilon)
    assert seen("10", drawn=False, by="widget") == 1  # its answer comes with an older address
    assert seen("1", drawn=True) == 1
    tab.stay()
    assert seen("10", drawn=True, by="history") == 10


def test_a_page_loaded_anew_is_at_its_address_whatever_a_click_before_began(monkeypatch):
    """A reader who revealed and went on at once was led back to the scene before."""
    tab = Session()
    monkeypatch.setattr(session, "st", SimpleNamespace(session_state={}))
    monkeypatch.setattr(session, "_is_in_history", lambda: False)
    monkeypatch.setattr(session, "_arrival", lambda: "new-1")
    asked = {"epsilon": ["0.5"]}
    monkeypatch.setattr(session, "_query", lambda: asked)
    tab.begin("promise", PAGE.url_parameters)
    tab.leave("ask")  # a click, whose run does not come
    asked = {"epsilon": ["0.6"]}
    monkeypatch.setattr(session, "_arrival", lambda: "new-2")
    assert tab.begin("promise", PAGE.url_parameters)["epsilon"] == 0.6
    assert tab.led


def test_a_run_begins_with_the_message_that_the_browser_looks_for():
    script = (ROOT / "dpviz/scripts/links.js").read_text(encoding="utf-8")
    named = re.search(r"^const NEW_RUN = (\d+);", script, re.MULTILINE)
    assert int(named[1]) == ForwardMsg.DESCRIPTOR.fields_by_name["new_session"].number
