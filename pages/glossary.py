"""The glossary: the field's terms in plain words, where each is seen, and every symbol."""

import dpviz.ui.preload  # noqa: F401
from dpviz.ui import glossary, index
from dpviz.ui.frame import begin_guide

if __name__ == "__main__":
    values = begin_guide("glossary", index.WORDS)
    glossary.draw(str(values["q"]))
