"""Lectures: those that ship, and the reader's own, each carried in one link."""

import dpviz.ui.preload  # noqa: F401
from dpviz.ui.classroom import lectures_page
from dpviz.ui.frame import begin_guide

if __name__ == "__main__":
    begin_guide("lectures")
    lectures_page.draw()
