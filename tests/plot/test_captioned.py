"""Figures that leave the app: their words and their size."""

import html
import itertools
import re

import numpy as np
import pytest

from dpviz.plot.captioned import WIDTH, Caption, captioned
from dpviz.plot.chart import draw
from dpviz.plot.standalone import Lively, standalone_html
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Origin, Source, Subject
from dpviz.results.version import VERSION
from tests.support.specs import checked

WORDS = Caption(
    question="Is 1 < 2, & are words that take more than one line broken, " + "word " * 40 + "?",
    sentence="Yes.",
    state="k = 10⁶, δ = 10⁻¹⁰",
    origins=(
        Origin(Evidence.EXACT, Source("Balle & Wang 2018", "Theorem 8")),
        Origin(Evidence.PUBLISHED, Source("Dagan & Kur", "Figure 1")),
        Origin(Evidence.EXACT, Source("Huber 1974")),
        Origin(Evidence.EXACT, Source("Huber 1974")),
    ),
    link="https://example.org/page?" + "&".join(f"key{i}={i}" for i in range(60)),
)


@pytest.fixture
def figure():
    x = np.geomspace(1, 100, 9)
    curve = Curve("c", "a curve", Subject.BOUNDED, Evidence.EXACT, Source("T"), x, x)
    return draw(Chart(Axis("k", "k"), Axis("error", "Error"), (curve,)), LIGHT)


def written(figure, count):
    """The last annotations: text, and where its upper edge is in pixels from the figure's top."""
    figure = checked(figure)
    margin, height = figure.layout.margin, figure.layout.height
    plot = height - margin.t - margin.b
    return [
        (note.text, margin.t + (1 - note.y) * plot - note.yshift, note.font.size)
        for note in figure.layout.annotations[count:]
    ]


def test_sources_are_told_by_kind_of_evidence_each_once():
    assert WORDS.sources == (
        "Exact: Balle & Wang 2018, Theorem 8; Huber 1974. As published: Dagan & Kur, Figure 1."
    )


def test_words_stand_above_and_below_and_the_figure_keeps_its_room(figure):
    before, count = checked(figure), len(figure.layout["annotations"])
    outer = captioned(figure, WORDS)
    assert checked(figure) == before
    out = checked(outer)
    rooms = [f.layout.height - f.layout.margin.t - f.layout.margin.b for f in (before, out)]
    assert rooms[0] == pytest.approx(rooms[1])
    assert out.layout.width == WIDTH
    lines = written(outer, count)
    above = out.layout.margin.t - before.layout.margin.t
    below = out.layout.height - out.layout.margin.b + before.layout.margin.b
    tops = [top for _, top, _ in lines]
    assert tops == sorted(tops)
    assert all(b - a >= size for (_, a, size), (_, b, _) in itertools.pairwise(lines))
    for _, top, size in lines:
        assert 0 <= top <= above - size or below <= top <= out.layout.height - size
    text = " ".join(text for text, *_ in lines)
    assert "1 &lt; 2, &amp; are" in text
    assert "Balle &amp; Wang 2018, Theorem 8" in text
    assert WORDS.state in text


def test_no_line_is_too_long_and_each_line_of_the_link_leads_there(figure):
    lines = written(captioned(figure, WORDS), len(figure.layout["annotations"]))
    for text, _, size in lines:
        plain = html.unescape(re.sub("<.*?>", "", text))
        assert len(plain) * 0.45 * size < WIDTH
    links = [text for text, *_ in lines if "<a " in text]
    assert len(links) > 1
    assert {re.search('href="(.*?)"', text)[1] for text in links} == {
        WORDS.link.replace("&", "&amp;")
    }
    shown = "".join(re.sub("<.*?>", "", text) for text in links)
    assert shown.replace("&amp;", "&").removeprefix(f"dpviz {VERSION}:").strip() == WORDS.link


def test_a_legend_stays_between_the_figure_and_the_caption(figure):
    figure.update_layout(showlegend=True)
    out = checked(captioned(figure, WORDS))
    bottom = out.layout.legend.y * out.layout.height
    lower = -max(note.yshift for note in out.layout.annotations if note.y == 0)
    assert bottom == pytest.approx(out.layout.margin.b - lower)
    assert lower >= figure.layout["margin"]["b"]


def test_a_picture_has_no_buttons_but_a_page_can_play(figure):
    figure.update_layout(updatemenus=[{"buttons": [{"label": "Play"}]}])
    figure.frames = [{"name": "1", "traces": [], "data": []}]
    still, moving = (checked(captioned(figure, WORDS, still=still)) for still in (True, False))
    assert not still.layout.updatemenus
    assert not still.frames
    assert moving.layout.updatemenus
    assert moving.frames


def test_the_page_needs_nothing_else(figure):
    page = standalone_html(figure, WORDS, Lively("run();", ".read { top: 0 }"))
    assert "<script>run();</script>" in page
    assert "<title>Is 1 &lt; 2, &amp; are words" in page
    assert 'aria-label="Yes."' in page
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=", page)
    assert "@font-face" in page
