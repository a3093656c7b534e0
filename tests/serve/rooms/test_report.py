"""What is printed of a room."""

import re

from dpviz.scene.lectures import Poll
from dpviz.serve.rooms.asking import Phase, Question
from dpviz.serve.rooms.own import Own
from dpviz.serve.rooms.report import _votes


def test_the_bar_of_the_most_frequent_answer_is_as_long_as_its_column():
    question = Question(
        1, Own("Which?", Poll("choice", ("first", "second", "third"))), phase=Phase.SHOWN
    )
    question.rounds[-1].update({"x": "A", "y": "A", "z": "A", "u": "A", "v": "B"})
    [table] = _votes(question, {"A": "first", "B": "second", "C": "third"})
    assert re.findall(r"width: (\d+)%", table) == ["100", "25", "0"]
