"""A kind of trace that pictures do not know ends calmly for a reader; for a test it is an error."""

from dataclasses import replace

import pytest

from dpviz import __main__ as command
from dpviz.plot.drawable import UnknownPartError
from dpviz.serve import files
from dpviz.serve.link_results import computed
from dpviz.serve.topics import Topics
from tests.serve.asgi import app, asked
from tests.serve.test_faults import written
from tests.support.declarations import opened, page
from tests.support.loops import run

QUERY = {"epsilon": "1.25", "view": "odds"}


@pytest.fixture
def odd():
    """A page whose views have figures with a violin."""

    def figure(view):
        def drawn(result, theme):
            found = view.figure(result, theme)
            found.data[0] = found.data[0] | {"type": "violin"}
            return found

        return drawn

    real = page("promise")
    odd_ones = tuple(replace(view, figure=figure(view)) for view in real.views)
    return replace(real, for_everyone=odd_ones, in_depth=())


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_reader_who_asks_for_its_picture_is_told_so(odd, kind):
    with written() as log:
        answer = run(asked(app(odd), f"/picture/promise/odds.{kind}", {"epsilon": "1.25"}))
    assert (answer.status, answer.headers["cache-control"]) == (501, "no-store")
    assert answer.content == b"This figure cannot be drawn.\n"
    assert "promise-odds failed: UnknownPartError" in log.getvalue()
    assert "Traceback" not in log.getvalue()
    assert "1.25" not in log.getvalue()


def test_its_page_and_the_files_of_its_numbers_are_as_ever(odd):
    preview = run(asked(app(odd), "/promise", QUERY))
    assert preview.status == 200
    assert b'property="og:image"' in preview.content
    scene = opened(odd, "odds")
    found = computed(scene)
    link = "http://localhost/promise"
    assert files.contents("csv", scene, found, link)
    for kind in ("svg", "html"):
        with pytest.raises(UnknownPartError, match="violin"):
            files.contents(kind, scene, found, link)


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_command_says_so_in_a_line(odd, kind, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(Topics, "page", lambda *_: odd)
    file = tmp_path / f"figure.{kind}"
    assert command.main(["figure", "promise?epsilon=1.25&view=odds", "-o", str(file)]) == 2
    said = capsys.readouterr().err
    words = "a picture knows no trace of type 'violin'; write its .csv"
    assert said == f"dpviz: {words}\n"
    assert not file.exists()
