"""Lectures: three that ship, and the reader's own, each carried in one link."""

import dpviz.ui.loaded  # noqa: F401
from dpviz.ui import teaching
from dpviz.ui.frame import begin_guide

if __name__ == "__main__":
    begin_guide("lectures")
    teaching.draw()
