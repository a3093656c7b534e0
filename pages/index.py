"""The index: every view, theorem, section and word, and a search through them."""

import dpviz.ui.preload  # noqa: F401
from dpviz.ui import index
from dpviz.ui.frame import begin_guide

if __name__ == "__main__":
    values = begin_guide("index", index.WORDS)
    index.draw(str(values["q"]))
