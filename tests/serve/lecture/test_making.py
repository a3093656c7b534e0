"""Files are made one at a time, kept, and given up when nobody waits."""

import threading

import pytest

from dpviz.results.caching import Cache
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import Lecture, LectureScene
from dpviz.serve.lecture import making

LECTURE = Lecture("x", (LectureScene("promise", {}, "?"),))
SITE = "http://localhost/"


class Clock:
    now = 0.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(making, "time", clock)
    monkeypatch.setattr(making, "_FILES", Cache(2**20))
    monkeypatch.setattr(making, "_running", {})
    return clock


def look(text="a"):
    return making.making(LECTURE, text, SITE)


def wait(until):
    """Let the maker go on until something is so."""
    done = threading.Event()
    while not until():
        done.wait(0.01)


@pytest.mark.usefixtures("clock")
def test_what_there_is_will_do_for_whoever_says_so_and_for_nobody_else(monkeypatch):
    def made(*_, enough, tell, **__):
        tell(0.5, "half")
        while not enough():
            threading.Event().wait(0.01)
        return b"less"

    monkeypatch.setattr(making, "made", made)
    first = look()
    wait(lambda: first.words == "half")
    assert making.making(LECTURE, "a", SITE, hurried=True) is first
    wait(lambda: first.ended)
    assert making.making(LECTURE, "a", SITE, hurried=True).content == b"less"
    monkeypatch.setattr(making, "made", lambda *_, **__: b"all of it")
    again = look()
    wait(lambda: again.ended)
    assert making.making(LECTURE, "a", SITE, hurried=True).content == b"all of it"


@pytest.mark.usefixtures("clock")
def test_a_file_is_made_once_for_all_who_want_it(monkeypatch):
    begun, go_on = [], threading.Event()

    def made(*_, site, tell, **__):
        begun.append(site)
        tell(0.5, "half")
        go_on.wait()
        return b"file"

    monkeypatch.setattr(making, "made", made)
    first = look()
    assert look() is first
    wait(lambda: first.done == 0.5)
    assert not first.ended
    go_on.set()
    wait(lambda: first.ended)
    assert look().content == first.content == b"file"
    assert begun == [SITE]


def test_it_ends_when_its_reader_has_gone_and_begins_anew(clock, monkeypatch):
    steps = [threading.Event(), threading.Event()]

    def made(*_, tell, **__):
        steps[0].wait()
        tell(0.1, "a tenth")
        return b"file"

    monkeypatch.setattr(making, "made", made)
    first = look()
    clock.now = making._LEFT + 1
    steps[0].set()
    wait(lambda: not making._running)
    assert not first.ended
    again = look()
    assert again is not first
    wait(lambda: again.ended)


@pytest.mark.parametrize(
    ("fault", "words"), [(LectureError("No."), "No."), (RuntimeError("secret"), making._BROKEN)]
)
def test_what_cannot_be_made_is_said_in_words(fault, words, clock, monkeypatch):
    def made(*_, **__):
        raise fault

    monkeypatch.setattr(making, "made", made)
    work = look()
    wait(lambda: work.ended)
    assert look().problem == words
    clock.now = making._LEFT + 1
    assert look("b") is not work
    assert ("a", SITE) not in making._running
