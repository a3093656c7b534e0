"""What one browser tab knows, without a browser."""

from dpviz.scene.scene import Scene
from dpviz.ui.session import Session
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
    assert tab.asked
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
    token, tab.file.seen = tab.guest.token, "x"
    tab.guest.own = {"own": object()}
    tab.forget_file()
    assert tab.guest.token != token
    assert not tab.guest.own
    assert not tab.file.seen
    assert tab.files == 1
