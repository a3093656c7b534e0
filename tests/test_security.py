"""Every promise of SECURITY.md names the tests behind it, and they are there."""

import ast
import re

import pytest

from dpviz.results.folders import ROOT
from dpviz.serve.quotas import (
    AFTER_IT,
    ALL_GUESSING,
    CLASS,
    DEARER,
    GUESSES,
    GUESSING,
    MESSAGES,
    PHONES,
    ROOM_COMPUTATIONS,
    ROOMS_EACH,
    SCRIPTS_EACH,
    SCRIPTS_RUN,
)

NUMERALS = {1: "one", 2: "two", 5: "five", 10: "ten", 20: "twenty"}

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


PAUSE = NUMERALS[round(1 / GUESSING)]
# What SECURITY.md says, by the numbers of `dpviz.serve.quotas`.
QUOTAS = (
    f"Rooms compute for an address {ROOM_COMPUTATIONS.burst} times at once, and then "
    f"{ROOM_COMPUTATIONS.rate} times a second",
    f"A WebSocket is heard {MESSAGES.rate} times a second",
    f"Of an address {CLASS} phones join a room at once, and then {AFTER_IT:.0f} a second",
    f"places beyond {PHONES} are taken from the address that has most",
    f"An address may send {GUESSES} wrong ones, then one in {PAUSE} seconds",
    f"all together send more than {ALL_GUESSING:.0f} a second, each counts {NUMERALS[DEARER]}fold",
    f"opens at most {NUMERALS[ROOMS_EACH]} rooms",
    f"{NUMERALS[SCRIPTS_RUN]} run at once in a process, {NUMERALS[SCRIPTS_EACH]} of a network",
)


@pytest.mark.parametrize("sentence", QUOTAS)
def test_its_numbers_are_those_by_which_requests_are_let_in(sentence):
    assert sentence in " ".join(SECURITY.split())
