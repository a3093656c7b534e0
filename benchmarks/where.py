"""Where a view is: its files, and what each of its parameters is at first, from where to where.

    python -m benchmarks.where clipping/threshold

prints both, with who says it: the view (`defaults`, `most`), the page, or `LIMITS` for all pages.
Without a name it prints the files of all views.
"""

import argparse
import inspect
from collections.abc import Iterator
from pathlib import Path

from benchmarks.options import parsed
from benchmarks.views import views
from dpviz.results.folders import ROOT
from dpviz.results.parameters import LIMITS, format_number
from dpviz.scene.catalogue import entry
from dpviz.scene.codec import Number
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.scene.view import View


def main() -> None:
    """Print where the views are whose names contain one of those given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.where", description=__doc__)
    parser.add_argument("views", nargs="*", help="page/view, or a part of it; all unless some are")
    names = parsed(parser).views
    for name, page, view in views(names or [""]):
        print(name, f"“{view.title}”", *files(page, view), sep="\n  ")
        if names:
            print("  opens with", *parameters(page, view), sep="\n    ")


def files(page: Page, view: View) -> Iterator[str]:
    """Yield the files of a view, each with what it does."""
    said = Path(inspect.getfile(view.takeaway)).relative_to(ROOT)
    computed = Path(inspect.getfile(view.compute)).relative_to(ROOT)
    tests = ROOT / "tests" / said.relative_to("dpviz").parent
    test = tests / f"test_{said.stem.removesuffix('_shown')}.py"
    yield f"{computed}  {view.compute.__name__} computes it"
    yield f"{said}  its sentences and figure"
    yield f"{entry(page.slug).path}  its page"
    if test.is_file():
        yield f"{test.relative_to(ROOT)}  its own tests"
    yield f".venv/bin/pytest -n 0 --view {page.name}/{view.key}  tests all that is said of it"


def parameters(page: Page, view: View) -> Iterator[str]:
    """Yield each parameter of a view as it opens, with its range, and who says so."""
    scene = Scene.opened(page, page.usual(view.key))
    for key in view.parameters:
        parameter, value = page.parameter(key), scene.values[key]
        line = f"{key} = {parameter.write(value)}"
        if isinstance(parameter, Number):
            limit = parameter.limit
            line += f", {format_number(limit.minimum)} to {format_number(limit.maximum)}"
            general = LIMITS.get(limit.name, limit)
            ranges = [(one.minimum, one.maximum, one.default) for one in (limit, general)]
            who = "LIMITS" if ranges[0] == ranges[1] else "the page"
            line += f" ({who})"
            if key in scene.most:
                line += f"; here at most {format_number(scene.most[key])} (the view, `most`)"
        if key in view.defaults:
            line += "; it opens so by the view, `defaults`"
        yield line


if __name__ == "__main__":
    main()
