"""What is printed of a room."""

import re

import pytest

from dpviz.scene.lectures import Poll
from dpviz.serve.rooms.asking import Phase, Question
from dpviz.serve.rooms.own import Own
from dpviz.serve.rooms.report import _KINDS, _section, _votes
from dpviz.serve.topics import Topics


def test_the_bar_of_the_most_frequent_answer_is_as_long_as_its_column():
    question = Question(
        1, Own("Which?", Poll("choice", ("first", "second", "third"))), phase=Phase.SHOWN
    )
    question.rounds[-1].update({"x": "A", "y": "A", "z": "A", "u": "A", "v": "B"})
    [table] = _votes(question, {"A": "first", "B": "second", "C": "third"})
    assert re.findall(r"width: (\d+)%", table) == ["100", "25", "0"]


@pytest.mark.parametrize("words", _KINDS.values())
def test_what_was_asked_is_said_in_a_sentence_that_ends_once(words):
    assert words[0].isupper()
    assert words[-1].isalpha()


def test_the_marks_of_an_answer_are_set():
    question = Question(1, Own("How **much**?", Poll("number", right="53")), phase=Phase.REVEALED)
    question.exactly = "about **53%**"
    said = _section(1, question, "https://dp.example", Topics(), 0.0)
    assert "about <strong>53%</strong>." in said
    assert "How <strong>much</strong>?" in said
    assert "*" not in said
