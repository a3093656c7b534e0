"""Where a view is, as `benchmarks.where` prints it: files that are there, and who decides."""

import pytest

from benchmarks.views import views
from benchmarks.where import files, parameters
from dpviz.results.folders import ROOT
from dpviz.results.parameters import LIMITS

VIEWS = {name: (page, view) for name, page, view in views([""])}


@pytest.mark.parametrize("name", VIEWS)
def test_the_files_of_a_view_are_there_and_each_parameter_is_named(name):
    page, view = VIEWS[name]
    found = [line.partition("  ")[0] for line in files(page, view)]
    assert all((ROOT / one).is_file() for one in found if not one.startswith(".venv"))
    assert [line.partition(" = ")[0] for line in parameters(page, view)] == list(view.parameters)


def test_who_decides_what_a_parameter_is():
    said = dict(line.split(" = ") for line in parameters(*VIEWS["clipping/threshold"]))
    assert LIMITS["epsilon"].default == 0.1
    assert said["epsilon"] == "0.2, 0.01 to 10 (the page)"
    assert said["candidates"] == "16, 2 to 64 (LIMITS)"
    assert said["examples_per_user"].startswith("1000, ")
    assert said["examples_per_user"].endswith("the view, `defaults`")
    assert "(the view, `most`)" in said["threshold"]
