"""What a class hands in: the file of one reader, and one table of all."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.scene.homework import LONGEST_WORDS, Attempt
from dpviz.scene.submissions import (
    LARGEST,
    LONGEST_NAME,
    MOST_FILES,
    ClassFiles,
    HandedInError,
    as_csv,
    as_file,
    file_name,
    read_file,
    table,
)
from tests.scene.test_homework import COIN, ODDS, PROOF

HOMEWORK = (ODDS, COIN, PROOF)
PAGE = "https://dp.example/exercises"


def attempts():
    return {
        ODDS.key: Attempt(given="12", right=True, checked=["11", "12"], solved=True, after=True),
        COIN.key: Attempt(given="0", right=False, checked=["0"]),
        PROOF.key: Attempt(words="By induction.\nDone.", done=True),
    }


def test_answers_go_into_a_file():
    text = as_file(HOMEWORK, attempts(), PAGE, "Ada")
    assert "Name: Ada" in text
    assert "1 of 2 answers that the app checks is right. 1 of 1 to prove or to program" in text
    assert "https://dp.example/exercises?set=promise.odds,promise.coin,clipping.proof" in text
    assert "## 1. The promise: Odds" in text
    assert "State: right after 2 tries, with the solution seen before. Tries: 2. " in text
    assert "Solution: opened before the right answer." in text
    assert "Answer: 12 %" in text
    assert "State: not right yet. Tries: 1. Solution: not opened." in text
    assert "Answer: heads" in text
    assert "State: done. Solution: not opened." in text
    assert "By induction.\nDone." in text


def test_what_was_not_answered_is_open():
    text = as_file((ODDS,), {}, PAGE)
    assert "0 of 1 answer that the app checks are right." in text
    assert "State: open. Tries: 0. Solution: not opened." in text
    assert "Answer:" not in text
    assert "Name:" not in text


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Ada Lovelace", "answers-Ada-Lovelace.md"),
        ("Zoë  O\u2019Hara", "answers-Zoë-O-Hara.md"),
        ("../../etc/passwd", "answers-etc-passwd.md"),
        (" ", "answers.md"),
    ],
)
def test_a_file_is_named_after_who_answers(name, file):
    assert file_name(name) == file


def test_all_files_of_a_class_are_one_table_and_a_csv():
    kept = ClassFiles()
    files = [
        ("b.md", as_file(HOMEWORK, attempts(), PAGE, "Bob").encode()),
        ("a.md", as_file(HOMEWORK, {}, PAGE, "=Ada()").encode()),
        ("a (1).md", as_file(HOMEWORK, {}, PAGE, "=Ada()").encode()),
        ("notes.md", b"# Something else"),
    ]
    kept.take(files)
    assert [one.name for one in kept.in_order] == ["=Ada()", "Bob"]
    assert kept.refused == (
        "notes.md is left out: it holds no answers saved by this app, or its last line is missing.",
    )
    shown = table(kept.in_order, {ODDS.key: "Odds"})
    assert list(shown) == ["Name", "Right", "Odds", COIN.key, PROOF.key]
    assert shown["Right"] == ["0 of 2", "1 of 2"]
    assert shown["Odds"] == ["open", "right after 2 tries, with the solution seen before"]
    assert shown[COIN.key] == ["open", "not right yet, 1 try"]
    assert shown[PROOF.key] == ["open", "done"]
    rows = list(csv.DictReader(io.StringIO(as_csv(kept.in_order))))
    assert rows[0]["name"] == "'=Ada()"  # no spreadsheet runs it
    assert rows[1][f"{ODDS.key} tries"] == "2"
    assert rows[1][f"{ODDS.key} solution"] == "opened before the right answer"
    assert rows[1][f"{ODDS.key} answer"] == "12 %"
    assert rows[1][f"{PROOF.key} right"] == ""


@given(
    st.text(max_size=LONGEST_NAME).map(lambda name: " ".join(name.split())),
    st.text(st.sampled_from("-->!< dpviz answers{}\n"), max_size=80),
)
def test_no_text_of_a_reader_changes_what_a_file_says(name, words):
    mine = attempts() | {PROOF.key: Attempt(words=words)}
    read = read_file(as_file(HOMEWORK, mine, PAGE, name).encode("utf-8", "replace"))
    assert read.right == 1
    assert read.done[COIN.key].tries == 1


def test_the_longest_answers_fit_into_a_file():
    words = Attempt(words="\N{SNOWMAN}" * LONGEST_WORDS)
    longest = as_file([PROOF] * 40, {PROOF.key: words}, PAGE)
    assert len(longest.encode()) < LARGEST


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\xff\xfe", "no text"),
        (b"x" * (LARGEST + 1), "more than 1024 kB"),
        (b"<!-- dpviz answers {} -->", "was changed"),
        (b'<!-- dpviz answers {"name": 1, "done": {}} -->', "was changed"),
        (b'<!-- dpviz answers {"name": "", "done": {"x": 1}} -->', "was changed"),
        (b"<!-- dpviz answers " + b"[" * 100_000 + b" -->", "was changed"),
    ],
)
def test_what_holds_no_answers_is_refused_with_a_reason(content, why):
    with pytest.raises(HandedInError, match=why):
        read_file(content)


def test_a_class_has_an_end():
    kept = ClassFiles()
    kept.take((f"{n}.md", as_file((ODDS,), {}, PAGE, f"S {n}").encode()) for n in range(201))
    assert len(kept.files) == MOST_FILES == 200
    assert kept.refused == ("200.md is left out: 200 files are here already.",)
