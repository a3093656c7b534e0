"""How high the figures of all views are as they open: ``make placeholders`` writes it anew.

It is a file of the tree, `assets/placeholders.json`, by which a page keeps the place of a figure
for the first reader of a server; the long run compares it with fresh ones
(`tests/serve/test_placeholders.py`).
"""

import argparse
import json
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from benchmarks.options import parsed
from dpviz.results.folders import ROOT
from dpviz.scene.catalogue import HOME, PAGES
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.serve.lines import Look, drawn
from dpviz.serve.link_results import computed
from dpviz.serve.placeholders import Placeholder, usual
from dpviz.serve.topics import declared


def main() -> None:
    """Write those of all views."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.placeholders", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="topics that have this in their names")
    options = parsed(parser, only="shared_darts")
    made = {
        scene.name: asdict(opening(scene))
        for page in (declared(ROOT / entry.path) for entry in (HOME, *PAGES))
        if options.only in page.slug
        for scene in scenes(page)
    }
    options.file.write_text(f"{json.dumps(made, ensure_ascii=False, indent=1)}\n", encoding="utf-8")


def scenes(page: Page) -> list[Scene]:
    """Return the views of a page, each as it opens."""
    return [Scene.opened(page, page.usual(view.key)) for view in page.views]


def opening(scene: Scene) -> Placeholder:
    """Return the placeholder of a view's first figure, computed to its end."""
    result = computed(scene).result
    made = Placeholder.of(partial(drawn, scene.view, result, whole=True), usual(Look()))
    return replace(made, sentence=scene.view.takeaway(result).replace("**", ""))


if __name__ == "__main__":
    main()
