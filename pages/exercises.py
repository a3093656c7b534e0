"""Exercises: questions about states of the topics, with answers that are checked."""

import dpviz.ui.preload  # noqa: F401
from dpviz.scene import homework
from dpviz.ui import exercises
from dpviz.ui.frame import begin_guide

if __name__ == "__main__":
    exercises.draw(begin_guide("exercises", *homework.PARAMETERS))
