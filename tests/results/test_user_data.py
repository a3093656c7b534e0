"""Reading users' data: what comes out, and what every kind of bad file is told."""

import csv
import io
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results import csv_file
from dpviz.results import user_data as module
from dpviz.results.parameters import ParameterError
from dpviz.results.user_data import (
    MOST_BYTES,
    PANEL_COLUMNS,
    UNEQUAL,
    DataError,
    UserData,
    read_csv,
    user_column,
    user_data,
    wage_panel,
)
from tests.support.examples import chosen, examples, only_in_nightly

SMALL = b"user,colour\na,red\nb,blue\na,red\nc,green\nb,red\n"


def loaded(content, user="user", value="colour", **options):
    return user_data(read_csv(content), user=user, value=value, **options)


def test_rows_become_users_and_categories():
    data = loaded(SMALL)
    assert data.categories == ("blue", "green", "red")
    assert data.user.tolist() == [0, 1, 0, 2, 1]
    assert data.value.tolist() == [2, 0, 2, 1, 2]
    assert data.users == 3
    assert data.rows_of.tolist() == [2, 2, 1]
    assert data.law.tolist() == [0.2, 0.2, 0.6]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + SMALL,
        SMALL.replace(b"\n", b"\r\n"),
        SMALL.replace(b",", b";"),
        SMALL.replace(b",", b"\t"),
        SMALL.replace(b"red", b'"red"'),
        SMALL.replace(b"\n", b"\n\n"),
        SMALL.rstrip(),
        SMALL.replace(b"a,", b" a ,"),
    ],
)
def test_the_same_table_written_in_other_ways(content):
    data = loaded(content)
    assert data.categories == ("blue", "green", "red")
    assert data.value.tolist() == [2, 0, 2, 1, 2]
    assert data.user.tolist() == [0, 1, 0, 2, 1]


def test_quoted_cells_hold_commas_and_line_breaks():
    data = loaded(b'user,colour\na,"dark, red"\nb,"light\nred"\n')
    assert data.categories == ("dark, red", "light\nred")


def test_a_blank_before_a_quotation_is_none_of_it():
    assert loaded(b'user, colour\na, "dark, red"\nb, red\n').categories == ("dark, red", "red")


def test_few_different_numbers_are_categories_in_their_order():
    data = loaded(b"user,colour\na,10\nb,9\na,1e1\nb,2\n")
    assert data.categories == ("2", "9", "10")
    assert data.value.tolist() == [2, 1, 2, 0]


@pytest.mark.parametrize("bins", [2, 3, 4, 16])
def test_many_different_numbers_are_binned(bins):
    rng = np.random.default_rng(0)
    numbers = rng.normal(50, 10, 400)
    lines = "\n".join(f"{i % 20},{x!r}" for i, x in enumerate(numbers.tolist()))
    data = loaded(f"user,colour\n{lines}\n".encode(), bins=bins)
    assert len(data.categories) == bins
    ends = [float(words.split()[0]) for words in data.categories[1:]]
    assert np.all(np.diff(ends) > 0)
    for place, number in zip(data.value, numbers, strict=True):
        assert place == 0 or number >= ends[place - 1]
        assert place == bins - 1 or number < ends[place]


# The wage panel.


def test_the_panel_is_read_as_it_is():
    rows = list(csv.DictReader(io.StringIO(module._PANEL.read_text(encoding="utf-8"))))
    union = wage_panel("union")
    assert union.users == 545
    assert set(union.rows_of.tolist()) == {8}
    assert union.law[1] == pytest.approx(sum(row["union"] == "1" for row in rows) / len(rows))
    people = list(dict.fromkeys(row["person"] for row in rows))
    own = [int(row["union"]) for row in rows if row["person"] == people[7]]
    assert union.value[union.user == 7].tolist() == own
    occupation = wage_panel("occupation")
    assert occupation.categories == tuple("123456789")
    for name, share in zip(occupation.categories, occupation.law, strict=True):
        assert share == pytest.approx(sum(row["occupation"] == name for row in rows) / len(rows))
    assert len(wage_panel("log_wage", 6).categories) == 6


def test_columns_the_panel_does_not_have():
    with pytest.raises(ParameterError, match=r"^column must be one of union, occupation"):
        wage_panel("person")
    assert set(PANEL_COLUMNS) == {"union", "occupation", "log_wage"}


# Users of unequal m.


@st.composite
def unequal_data(draw):
    held = draw(st.lists(st.integers(1, 12), min_size=2, max_size=8))
    user = np.repeat(np.arange(len(held)), held)
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    order = rng.permutation(user.size)
    return UserData("x", ("0", "1", "2"), user[order], rng.integers(0, 3, user.size))


@examples(200)
@given(unequal_data(), st.integers(1, 12), st.sampled_from(list(UNEQUAL)))
def test_everybody_holds_at_most_m(data, m, unequal):
    rng, held = np.random.default_rng(1), data.rows_of
    whole = np.array(
        [np.bincount(data.value[data.user == i], minlength=3) for i in range(held.size)]
    )
    if unequal == "drop" and np.count_nonzero(held >= m) < 2:
        with pytest.raises(ParameterError, match=r"^examples_per_user must be at most"):
            data.counts(rng, examples_per_user=m, unequal=unequal)
        return
    counts = data.counts(rng, examples_per_user=m, unequal=unequal)
    if unequal == "cap":
        assert counts.sum(axis=1).tolist() == np.minimum(held, m).tolist()
        assert np.all(counts <= whole)
        np.testing.assert_array_equal(counts[held <= m], whole[held <= m])
    else:
        assert np.all(counts.sum(axis=1) == m)
    if unequal == "drop":
        assert len(counts) == np.count_nonzero(held >= m)
        assert np.all(counts <= whole[held >= m])
    if unequal == "resample":
        assert np.all((counts > 0) <= (whole > 0))
        assert np.all(counts[held < m] >= whole[held < m])


def test_rows_over_m_are_drawn_evenly():
    data = UserData("x", ("0", "1"), np.array([0] * 10 + [1] * 2), np.array([1] + [0] * 11))
    kept = sum(
        data.counts(np.random.default_rng(seed), examples_per_user=3)[0, 1] for seed in range(2000)
    )
    assert abs(kept - 600) < 5 * np.sqrt(2000 * 0.3 * 0.7)


def test_a_permutation_keeps_shares_and_sizes():
    data = wage_panel("union")
    mixed = data.permuted(np.random.default_rng(0))
    assert mixed.law.tolist() == data.law.tolist()
    assert mixed.rows_of.tolist() == data.rows_of.tolist()
    spread = [
        np.var(d.counts(np.random.default_rng(0), examples_per_user=8)[:, 1]) for d in (data, mixed)
    ]
    assert spread[0] > 3 * spread[1]
    binomial = 8 * data.law[1] * data.law[0]
    assert spread[1] == pytest.approx(binomial, rel=0.2)


# Files as programs write them.

VALUES = {f"u{i}": (i % 3, f"{i / 2 % 4}") for i in range(24)}


def file_of(row, header, *before, values=VALUES):
    return "\n".join([*before, header, *(row(i, *v) for i, v in enumerate(values.items()))])


COMMA = "Commas are read as decimal points: 0,0 is 0."
NAMELESS = "Column 1 has no name and is left out."
WRITTEN = {
    "plain": (file_of(lambda _, u, v: f"{u},{v[1]}", "user,value"), "value", ()),
    "a pandas index": (
        file_of(lambda i, u, v: f"{i},{u},{v[1]}", ",user,value"),
        "value",
        (NAMELESS,),
    ),
    "row names of R": (
        file_of(lambda i, u, v: f'"{i}","{u}",{v[1]}', '"","user","value"'),
        "value",
        (NAMELESS,),
    ),
    "a separator after each row": (
        file_of(lambda _, u, v: f"{u};{v[1]};", "user;value;"),
        "value",
        ("Column 3 has no name and is left out.",),
    ),
    "commas in names": (
        file_of(lambda _, u, v: f"{u};{v[1]}", "user;value, in EUR"),
        "value, in EUR",
        (),
    ),
    "commas in names and numbers": (
        file_of(lambda _, u, v: f"{u};{v[1].replace('.', ',')}", "user;value, in EUR"),
        "value, in EUR",
        (COMMA,),
    ),
    "tabs and decimal commas": (
        file_of(lambda _, u, v: f"{u}\t{v[1].replace('.', ',')}", "user\tvalue"),
        "value",
        (COMMA,),
    ),
    "the separator said": (
        file_of(lambda _, u, v: f"{u};{v[1]}", "user;value", "sep=;"),
        "value",
        (),
    ),
    "the separator said against the look": (
        file_of(lambda _, u, v: f"{u};{v[1]}", "user;value", "\ufeffSEP=;\r"),
        "value",
        (),
    ),
    "bars": (file_of(lambda _, u, v: f"{u}|{v[1]}", "user|value"), "value", ()),
    "blank rows": (
        file_of(lambda _, u, v: f"{u},{v[1]}", "user,value", "", "  ").replace("\nu7", "\n\nu7"),
        "value",
        (),
    ),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_file_is_read_however_a_program_writes_it(kind):
    text, name, remarks = WRITTEN[kind]
    table = read_csv(text.encode())
    assert table.names == ("user", name)
    assert table.remarks == remarks
    data = user_data(table, user="user", value=name)
    assert data.categories == ("0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5")
    assert [data.categories[place] for place in data.value] == [
        f"{float(value):g}" for _, value in VALUES.values()
    ]


COLUMNS = ("user", "value, in EUR", "note; free", "a|b", "größe", 'say "x"')
CELLS = ("hello, world", 'say "hi"', "a;b", "line\nbreak", "tab\there", "3,5", "p|q", "red", "")


@examples(100)
@given(st.data())
def test_what_pandas_writes_is_read_as_it_was(data):
    names = data.draw(st.lists(st.sampled_from(COLUMNS), min_size=2, max_size=4, unique=True))
    rows, rng = data.draw(st.integers(20, 40)), np.random.default_rng(data.draw(st.integers(0)))
    kinds = [data.draw(st.sampled_from(["whole", "decimal", "text"])) for _ in names]
    drawn = {
        "whole": lambda: rng.integers(-5000, 5000, rows).tolist(),
        "decimal": lambda: np.round(rng.normal(0, 50, rows), int(rng.integers(1, 4))).tolist(),
        "text": lambda: [CELLS[i] for i in rng.integers(0, len(CELLS), rows)],
    }
    columns = {name: drawn[kind]() for name, kind in zip(names, kinds, strict=True)}
    separator = data.draw(st.sampled_from(",;\t|"))
    text = pd.DataFrame(columns).to_csv(
        sep=separator,
        decimal=data.draw(st.sampled_from(",.")) if separator in ";\t" else ".",
        index=data.draw(st.booleans()),
        quoting=data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
        lineterminator=data.draw(st.sampled_from(["\n", "\r\n"])),
    )
    table = read_csv(text.encode("utf-8-sig" if data.draw(st.booleans()) else "utf-8"))
    assert table.names == tuple(names)
    read = zip(*(cells for _, cells in table.cells(*names)), strict=True)
    for (name, written), cells in zip(columns.items(), read, strict=True):
        for value, cell in zip(written, cells, strict=True):
            assert cell == value if isinstance(value, str) else table.number(cell) == value, name


def test_thousands_between_tabs_are_no_decimals():
    lines = "".join(f"u{i % 5}\t1,{100 + i}\n" for i in range(8))
    table = read_csv(f"user\tvalue\n{lines}".encode())
    assert not table.remarks
    assert np.isnan(table.number("1,234"))
    assert user_data(table, user="user", value="value").categories[0] == "1,100"


def test_only_the_beginning_of_a_file_decides_how_it_is_read(monkeypatch):
    seen = []
    sampled = csv_file._sampled
    monkeypatch.setattr(
        csv_file, "_sampled", lambda text, d: (seen.append(len(text)), sampled(text, d))[1]
    )
    read_csv(b"user;value\n" + b"u1;1\n" * 10_000 + b"u2;1,5\n")
    assert 9_990 < max(seen) <= 10_000


# As people and programs write that a value is missing.
@pytest.mark.parametrize(
    "text", ["", " ", "NA", "N/A", "n.a.", ".", "NaN", "#N/A", "<NA>", "null", "?", "–", "--"]
)
def test_what_is_missing_is_left_out_counted_and_said(text):
    data = loaded(f"user,colour\na,1\nb,{text}\n{text},2\na,2\nb,1\n".encode())
    assert (data.left_out, data.categories) == (2, ("1", "2"))
    assert data.remarks == ("2 of 5 rows lack the user or the value and are left out.",)


@pytest.mark.parametrize(
    ("content", "column", "before"),
    [
        (b"record,user,value\n1,a,x\n2,a,y\n3,b,x\n", "user", ("record",)),
        (b"user,value\na,x\nb,x\nc,y\n", "user", ()),
        (b"user,value\na,x\nb,x\na,y\n", "user", ()),
        (
            b"n,user,day,value\n"
            + b"".join(b"%d,u%d,%d,x\n" % (i, i % 1500, i // 1500) for i in range(1510)),
            "user",
            ("n",),
        ),
        (b"n,user,value\n1,,x\n2,NA,x\n3,NA,y\n", "n", ()),
    ],
)
def test_the_user_is_a_column_in_which_a_value_occurs_twice(content, column, before):
    assert user_column(read_csv(content)) == (column, before)


def test_where_every_row_has_a_user_of_its_own_that_is_said():
    assert "No user occurs twice" in loaded(b"user,colour\na,x\nb,y\n").remarks[0]
    assert not loaded(SMALL).remarks


# Bad files: each is told what is wrong and where.

NUMBERS = "\n".join(f"u{i % 5},{i / 7}" for i in range(60))
MANY_WORDS = "\n".join(f"u{i % 5},w{i}" for i in range(60))
BAD = {
    "empty": (b"", "The file is empty"),
    "blank": (b" \n\n ", "The file is empty"),
    "only a header": (b"user,colour\n", "holds a header and no rows"),
    "without a header": (b"1,2\n3,4\n", "Row 1: only numbers where the names"),
    "one column": (b"user\na\nb\n", "Row 1: one column"),
    "no name": (b"user,,\na,b,c\n", "Row 1: one column"),
    "a spreadsheet": (
        b"PK\x03\x04\x14\x00",
        "This is a spreadsheet (.xlsx, .xls or .ods); save it as",
    ),
    "an odd separator": (b"sep=a\nuseracolour\n", "Row 1: cells separated by “a”; write commas"),
    "a bad row below blank ones": (
        b"user,value\n\nu1,1\n \nu2,2\nu3,3,4\nu4,1\n",
        "Row 6: 3 cells where the header has 2",
    ),
    "a bad cell below blank rows": (
        f"\nuser;colour\n\n{NUMBERS}\nu1,lots\n".replace(",", ";").encode(),
        "Row 64, column “colour”: “lots” is not a finite number",
    ),
    "a decimal point among decimal commas": (
        b"user;colour\n" + b"".join(b"u%d;%d,5\n" % (i % 5, i) for i in range(60)) + b"u1;7.5\n",
        "Row 62, column “colour”: “7.5” is not a finite number",
    ),
    "twice": (b"user,colour,colour\na,b,c\n", "Row 1, column “colour”: the name occurs twice"),
    "binary": (b"user,colour\na,\x00\x01\n", "Row 2: a zero byte: this is no text file"),
    "UTF-16": ("user,colour\na,b\n".encode("utf-16"), "UTF-16; save it as UTF-8"),
    "Latin-1": ("user,colour\na,b\nc,grün\n".encode("latin-1"), "Row 3: byte 0xFC is not UTF-8"),
    "too few cells": (b"user,colour\na,b\nc\n", "Row 3: 1 cells where the header has 2"),
    "too many cells": (b"user,colour\na,b,c\n", "Row 2: 3 cells where the header has 2"),
    "an open quote": (b'user,colour\na,"b\nc,d\n', "Row 2: not valid CSV"),
    "missing": (b"user,colour\na,\nb,NaN\n?,red\n", "“colour”: no row has both a user and a value"),
    "text after a missing cell": (
        f"user,colour\nu1,\n{NUMBERS}\nu1,lots\n".encode(),
        "Row 63, column “colour”: “lots” is not a finite number",
    ),
    "text among numbers": (
        f"user,colour\n{NUMBERS}\nu1,lots\n".encode(),
        "Row 62, column “colour”: “lots” is not a finite number",
    ),
    "an infinite number": (
        f"user,colour\n{NUMBERS}\nu1,inf\n".encode(),
        "Row 62, column “colour”: “inf” is not a finite number",
    ),
    "too many words": (
        f"user,colour\n{MANY_WORDS}\n".encode(),
        "Row 18, column “colour”: “w16” is the 17th different value",
    ),
    "one value": (b"user,colour\na,red\nb,red\n", "Column “colour”: every value is “red”"),
    "one user": (b"user,colour\na,red\na,blue\n", "Column “user”: all 2 rows belong to one user"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_a_bad_file_is_told_what_is_wrong_and_where(content, message):
    with pytest.raises(DataError) as error:
        loaded(content)
    assert message in str(error.value)


def test_rows_with_a_missing_cell_are_left_out_and_counted():
    whole = b"user,colour\na,red\nb,blue\na,blue\nb,red\n"
    holes = b"user,colour\na,red\n,blue\nb,blue\na,NA\na,blue\nb,red\n"
    data, same = loaded(whole), loaded(holes)
    assert (data.left_out, same.left_out) == (0, 2)
    np.testing.assert_array_equal(same.user, data.user)
    np.testing.assert_array_equal(same.value, data.value)
    assert same.permuted(np.random.default_rng(1)).left_out == 2


def test_a_file_too_large_is_refused_before_it_is_read():
    with pytest.raises(DataError, match=r"^The file has 20\.0 MB, and 20 MB is the most"):
        read_csv(b"user,colour\n" + b"a,b\n" * (MOST_BYTES // 4))


def test_too_many_rows():
    with pytest.raises(DataError, match="more than 1,000,000 rows"):
        read_csv(b"user,colour\n" + b"a,b\n" * (10**6 + 1))


def peak_of(call):
    """The most memory in MB that Python held for a call, and what it returned or raised."""
    tracemalloc.start()
    try:
        outcome = call()
    except DataError as error:
        outcome = error
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return peak, outcome


HEADER = b"user,colour" + b"".join(b",c%d" % i for i in range(198)) + b"\n"
HUGE = {
    "one row of commas": (b"," * (MOST_BYTES - 1), "Row 1: the row has more than"),
    "commas below a header": (SMALL + b"," * (MOST_BYTES // 2), "Row 7: the row has more than"),
    "commas in rows": (
        HEADER + (b"," * 199 + b"\n") * (MOST_BYTES // 4000),
        "Column “colour”: no row has both a user and a value",
    ),
    "a row within quotes": (
        b'user,colour\n"' + b'\n",,,,,,,,,,,"' * (MOST_BYTES // 20),
        "Row 2: the row has more than",
    ),
    "letters outside of Latin": (
        b"user,colour\n" + "a,💥\n".encode() * 10_000,
        "all 10,000 rows",
    ),
}


@pytest.mark.parametrize("kind", chosen(HUGE, HUGE.keys() - {"letters outside of Latin"}))
def test_no_file_takes_many_times_its_size(kind):
    content, message = HUGE[kind]
    peak, outcome = peak_of(lambda: loaded(content))
    assert message in str(outcome)
    assert peak < 2 + 0.2 * len(content) / 2**20


def test_many_different_numbers_take_little():
    lines = "".join(f"u{i % 1000},{i / 7!r}\n" for i in range(10_000))
    content = f"user,colour\n{lines}".encode()
    peak, data = peak_of(lambda: loaded(content))
    assert data.users == 1000
    assert peak < 5 * len(content) / 2**20


@only_in_nightly
def test_a_million_users_of_one_row_and_one_user_of_a_million_rows():
    many = b"".join(b"%d,%s\n" % (i, (b"red", b"blue")[i % 2]) for i in range(100_001))
    with pytest.raises(DataError, match="more than 100,000 different users"):
        loaded(b"user,colour\n" + many)
    with pytest.raises(DataError, match="all 100,000 rows belong to one user, “7”"):
        loaded(b"user,colour\n" + b"7,red\n7,blue\n" * 50_000)


@pytest.mark.parametrize("largest", ["1e308", "-1.7e308", "1e101"])
def test_numbers_near_the_largest_get_a_sentence(largest):
    lines = NUMBERS + f"\nu1,{largest}\nu2,-{largest.strip('-')}\n"
    with pytest.raises(DataError, match="numbers beyond ±1e\\+100 cannot be put into bins"):
        loaded(f"user,colour\n{lines}".encode())


@pytest.mark.parametrize("scale", [1e-320, 1e-105, 1e-99, 1e-12, 1e12, 1e97])
def test_numbers_of_any_size_are_binned_or_refused_in_words(scale):
    lines = "\n".join(f"u{i % 5},{i * scale!r}" for i in range(60))
    content = f"user,colour\n{lines}\n".encode()
    if scale * 60 > 1e-100:
        assert len(loaded(content).categories) == 4
    else:
        with pytest.raises(DataError, match="almost all numbers are the same"):
            loaded(content)


def test_a_column_that_is_not_there_or_twice_the_same():
    with pytest.raises(DataError, match="There is no column “size”"):
        loaded(SMALL, value="size")
    with pytest.raises(DataError, match="the users and the values are the same column"):
        loaded(SMALL, value="user")


def test_formulas_are_text_like_any_other():
    data = loaded(b"user,colour\na,=1+1\nb,@SUM(A1)\na,+x\nb,-y\n")
    assert data.categories == ("+x", "-y", "=1+1", "@SUM(A1)")


@examples(300)
@given(
    st.binary(max_size=300) | st.text(alphabet=',;\n\r"ab01=\t\x00é', max_size=200).map(str.encode)
)
def test_any_bytes_are_read_or_refused_with_a_message(content):
    try:
        table = read_csv(content)
        first, second, *_ = table.names
        data = user_data(table, user=first, value=second)
    except DataError:
        return
    assert data.user.shape == data.value.shape
    assert len(data.categories) >= 2
    assert data.value.max() < len(data.categories)
