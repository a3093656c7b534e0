"""Every promise of SECURITY.md names the tests behind it, and they are there."""

import ast
import re

import pytest

from dpviz.results.folders import ROOT

SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISES = re.split(
    r"^- ", SECURITY.partition("## What is promised")[2].partition("\n## ")[0], flags=re.MULTILINE
)[1:]
FILE, TEST = r"`(tests/[\w/]+\.py)`", r"`(test_\w+)`"


def named_in(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


def test_there_are_promises():
    assert len(PROMISES) > 10


@pytest.mark.parametrize("promise", PROMISES, ids=lambda words: " ".join(words.split()[:5]))
def test_a_promise_names_tests_that_are_there(promise):
    files = re.findall(FILE, promise)
    assert files
    known = [named_in(path) for path in files]
    assert all(known)
    assert set(re.findall(TEST, promise)) <= set.union(*known)
